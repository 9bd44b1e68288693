// This file has the rules that make calls of a sandbox fail: to which calls they apply, what happens to those, and
// the form in which rules are written.

package kit

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"payonce/cost"
)

// Code is the machine-readable code of a refusal.
type Code string

// AnswerKind is what the client gets to see of a call.
type AnswerKind uint8

// The kinds of answers.
const (
	Truthful    AnswerKind = iota // what the service has to say
	Dropped                       // the connection breaks without a byte
	Hanging                       // no byte until the client gives up
	Truncated                     // the head and half of the body, then the connection breaks
	Garbage                       // 200 and a body that is not JSON
	ProxyPage                     // an HTML page of a gateway, with Status
	Bodyless                      // Status and nothing else
	Refused                       // the error body of Code
	GatewayJSON                   // an error of a gateway or a framework in JSON, with Status
	Marked                        // what the service has to say, with a byte order mark before it
)

// Effect is what a fault does to the workspace before the call is performed.
type Effect uint8

// The effects of faults. They last.
const (
	NoEffect    Effect = iota
	KeyRevoked         // the key that asks is revoked
	CreditSpent        // as Ledger.SpendElsewhere of package sandbox, of Amount
	BudgetSet          // as Ledger.SetBudget of package sandbox, to Amount
)

// Fault is a rule that makes calls go wrong. Two things about it are independent:
// whether the call happened, with its charge, and what the client sees of it.
//
// A rule strikes calls that were let in (with a valid key, within the limits,
// well-formed) and to which all of its conditions apply; without a condition, all
// of them. When several rules strike one call, all their effects and delays
// apply and the first answer that is not truthful is given.
type Fault struct {
	// Probability is the chance to strike, drawn from the seed; zero means always.
	Probability float64
	// At lists the arrival numbers that are struck.
	At []int
	// Identities lists parts of canonical forms (enrich.Identity.Canonical); a
	// call is struck when what it is about holds one of them, in any case.
	Identities []string
	// Path is what the paths of struck calls begin with, such as /api/v1 or /v2/financial;
	// empty means any.
	Path string
	// Max is how often the rule strikes at most; zero means without end.
	Max int

	// Happened says that the call is performed and charged before the answer is
	// given. With a Truthful answer it always is.
	Happened bool
	// Answer is what the client sees.
	Answer AnswerKind
	// Code belongs to Refused.
	Code Code
	// Status belongs to ProxyPage and Bodyless, from 500 to 599, or 0 for 502. It belongs to GatewayJSON too,
	// where it is 200 or from 400 to 599, or 0 for 504.
	Status int
	// RetryAfter belongs to Refused: the Retry-After header, in whole seconds
	// rounded up, or as an HTTP date when RetryDate is set; zero sends none.
	RetryAfter time.Duration
	RetryDate  bool
	// Delay is how much longer the call takes. It does not end when the client
	// gives up: a call that happens is then charged late.
	Delay time.Duration

	// Effect and its Amount change the workspace. They need a Truthful answer; for
	// another one, add a second rule.
	Effect Effect
	Amount cost.Money
}

// Performs reports whether the call takes its course.
func (f Fault) Performs() bool { return f.Happened || f.Answer == Truthful }

// Validate returns what is wrong with the fault, where calls are refused with the codes.
func (f Fault) Validate(codes []Code) error {
	return errors.Join(f.validateConditions(), f.validateAnswer(codes), f.validateEffect())
}

func (f Fault) validateConditions() error {
	switch {
	case !(f.Probability >= 0 && f.Probability <= 1): // written so that NaN fails too
		return fmt.Errorf("a probability of %v; give one from 0 to 1", f.Probability)
	case f.Max < 0:
		return fmt.Errorf("at most %d times; give 0 for no limit", f.Max)
	}
	for _, number := range f.At {
		if number < 1 {
			return fmt.Errorf("arrival %d; arrivals are numbered from 1", number)
		}
	}
	if f.Path != "" && !strings.HasPrefix(f.Path, "/") {
		return fmt.Errorf("the path %q; give how paths begin, such as /v2/financial", f.Path)
	}
	if slices.Contains(f.Identities, "") {
		return errors.New("an empty identity would strike everybody; give a part of its canonical form")
	}
	return nil
}

func (f Fault) validateAnswer(codes []Code) error {
	switch {
	case f.Answer > Marked:
		return fmt.Errorf("there is no answer of kind %d", f.Answer)
	case f.Answer == Refused && !slices.Contains(codes, f.Code):
		return fmt.Errorf("no call is refused with the code %q", f.Code)
	case f.Answer != Refused && (f.Code != "" || f.RetryAfter != 0 || f.RetryDate):
		return errors.New("a code and a Retry-After belong to a refusal alone")
	case f.RetryDate && f.RetryAfter == 0:
		return errors.New("a Retry-After as a date needs a duration")
	case !f.statusFits():
		return fmt.Errorf("the status %d is not one of a gateway's response; give 500 to 599, or with JSON also 200 or 400 to 599", f.Status)
	case f.RetryAfter < 0 || f.Delay < 0:
		return errors.New("a duration is below zero")
	}
	return nil
}

// statusFits reports whether the answer can have the status.
func (f Fault) statusFits() bool {
	switch {
	case f.Status == 0:
		return true
	case f.Answer == GatewayJSON:
		return f.Status == http.StatusOK || f.Status >= 400 && f.Status <= 599
	}
	return (f.Answer == ProxyPage || f.Answer == Bodyless) && f.Status >= 500 && f.Status <= 599
}

func (f Fault) validateEffect() error {
	switch {
	case f.Effect > BudgetSet:
		return fmt.Errorf("there is no effect of kind %d", f.Effect)
	case f.Effect != NoEffect && f.Answer != Truthful:
		return errors.New("an effect needs a truthful answer; add a second rule for the answer")
	case f.Amount != 0 && f.Effect != CreditSpent && f.Effect != BudgetSet:
		return errors.New("an amount belongs to spent credit and to a budget alone")
	case f.Amount < 0 || f.Amount == 0 && f.Effect == CreditSpent:
		return fmt.Errorf("an amount of %s; give a positive one", f.Amount)
	case f.Answer == Truthful && f.Effect == NoEffect && f.Delay == 0:
		return errors.New("the fault does nothing; give it an answer, an effect or a delay")
	}
	return nil
}

// FaultRules are the faults in force. Their methods may be called from any goroutine.
type FaultRules struct {
	seed  uint64
	mu    sync.Mutex // guards rules
	rules []rule
}

type rule struct {
	Fault
	struck int
}

// NewFaultRules returns rules whose probabilities are drawn from the seed.
func NewFaultRules(seed uint64, faults []Fault) *FaultRules {
	rules := &FaultRules{seed: seed}
	for _, fault := range faults {
		rules.Add(fault)
	}
	return rules
}

// Add adds a rule after the ones there are.
func (r *FaultRules) Add(fault Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules = append(r.rules, rule{Fault: fault})
}

// FaultInForce is a fault as it is shown.
type FaultInForce struct {
	Fault  string `json:"fault"`
	Struck int    `json:"struck"` // how often
}

// List returns the rules in their order.
func (r *FaultRules) List() []FaultInForce {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []FaultInForce{}
	for _, rule := range r.rules {
		list = append(list, FaultInForce{rule.String(), rule.struck})
	}
	return list
}

// Clear removes every rule.
func (r *FaultRules) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rules = nil
}

// Arrival is a call that was let in.
type Arrival struct {
	Series string // parts the draws of interfaces; empty for v1
	Number int    // within the series, from 1
	Path   string
	About  string // what the call is about, in a canonical form
	// Fits reports whether a fault can happen in the interface; nil means that every one can.
	Fits func(Fault) bool
}

// Strike returns the faults that strike an arrival, in the order of their rules.
func (r *FaultRules) Strike(a Arrival) []Fault {
	r.mu.Lock()
	defer r.mu.Unlock()
	var struck []Fault
	for i := range r.rules {
		rule := &r.rules[i]
		if rule.spent() || !rule.concerns(a) || !r.drawn(i, a) {
			continue
		}
		rule.struck++
		struck = append(struck, rule.Fault)
	}
	return struck
}

func (r *FaultRules) drawn(rule int, a Arrival) bool {
	words := []string{"fault", strconv.Itoa(rule), strconv.Itoa(a.Number)}
	if a.Series != "" {
		words = append(words, a.Series)
	}
	p := r.rules[rule].Probability
	return p == 0 || Roll(r.seed, words...).Float64() < p
}

func (r *rule) spent() bool { return r.Max > 0 && r.struck >= r.Max }

func (f Fault) concerns(a Arrival) bool {
	return (len(f.At) == 0 || slices.Contains(f.At, a.Number)) &&
		(len(f.Identities) == 0 || holdsAny(a.About, f.Identities)) &&
		strings.HasPrefix(a.Path, f.Path) && (a.Fits == nil || a.Fits(f))
}

func holdsAny(canonical string, parts []string) bool {
	canonical = strings.ToLower(canonical) // escaped bytes in it are not
	return slices.ContainsFunc(parts, func(part string) bool {
		return strings.Contains(canonical, strings.ToLower(part))
	})
}
