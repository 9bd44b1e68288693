// Package verify checks and dumps a journal by its records alone: it computes again what the
// journal recorded, with code of its own.
package verify

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/numbered"
)

// Problem is one thing that is wrong in a journal.
type Problem struct {
	Record string `json:"record"` // which record, in words: "resolution of attempt 7"
	Text   string `json:"problem"`
}

// Summary is what a check of a journal found.
type Summary struct {
	ID       string           `json:"journal"`
	Attempts map[string]int64 `json:"attempts"` // by state
	// Identities and Runs count the records of persons and runs.
	Identities int64       `json:"identities"`
	Runs       int64       `json:"runs"`
	Erased     int64       `json:"erased"` // attempts without their identity or values
	Totals     cost.Totals `json:"totals"` // recomputed from the records
	Problems   int64       `json:"problems"`
}

// Check walks every record of a journal and reports what does not hold: records
// that cannot be read; attempts that are not resolved exactly once or still open;
// charges that do not follow from the answer and the hold; fields paid twice;
// indexes and sums that do not follow from the attempts. It changes nothing. Stop is
// called before every record that is read in its turn, and may be nil. The catalogue is that of
// the journal's interface. An error means that the store could not be walked.
//
// It reads every record in its order: once in journals of up to half a million attempts, and the
// attempts again for each half million more.
func Check(s record.Store, catalogue enrich.Catalogue, stop func() error, report func(Problem)) (Summary, error) {
	return check(record.WithStop(s, stop), catalogue, report, factsAtOnce)
}

// check is Check with a limit on the facts in memory.
func check(s record.Store, catalogue enrich.Catalogue, report func(Problem), atOnce uint64) (Summary, error) {
	if err := record.MustHoldItsJournal(s); err != nil {
		return Summary{}, err
	}
	c := &checker{
		store: s, catalogue: catalogue, report: report, facts: facts{atOnce: atOnce},
		forgotten: map[enrich.Key]bool{}, formerOf: map[enrich.Key][]enrich.Key{}, absent: map[attempt.ID]bool{}, beyond: map[attempt.ID]bool{},
		observed: map[attempt.ID]bool{}, doubts: map[attempt.ID]bool{}, open: map[attempt.ID]bool{},
	}
	c.summary.Attempts = map[string]int64{}
	for _, step := range []func() error{
		c.checkMeta, c.readForgotten, c.readOpen, c.checkObservations, c.checkAttempts, c.checkOrphans, c.checkOtherParts, c.checkTotals, c.checkDays, c.checkRuns, c.checkJobs, c.checkEvents, c.checkKinds,
	} {
		if err := step(); err != nil {
			return c.summary, err
		}
	}
	return c.summary, nil
}

// checker holds what a check knows so far. Its memory is limited, except for attempts that are open
// and for damage.
type checker struct {
	store     record.Store
	catalogue enrich.Catalogue
	report    func(Problem)
	summary   Summary
	secret    []byte
	state     record.State
	flight    map[attempt.ID]bool // what the ledger state says of attempts that were not seen yet
	next      attempt.ID          // the first ID without an intent
	forms     record.Forms
	*recount
	periods
	facts
	forgotten    map[enrich.Key]bool         // by their marks
	formerOf     map[enrich.Key][]enrich.Key // the identities of former keys
	observed     map[attempt.ID]bool         // the attempts after which changes were observed
	doubts, open map[attempt.ID]bool         // attempts with a doubt, and with an open mark, that can be read
	absent       map[attempt.ID]bool         // attempts without an intent
	beyond       map[attempt.ID]bool         // attempts with an intent whose IDs were not given out
	packet       numbered.Members            // of the record that is decoded, used again
	form         []byte                      // of the identity that is hashed, used again
}

// recordName names a record in words. It is put together only for a problem.
type recordName struct {
	kind  string     // "" for the record of a field
	id    attempt.ID // of a record of an attempt
	of    bool       // whether it is a record of an attempt
	field record.KeyedField
}

func (n recordName) String() string {
	if n.of {
		return fmt.Sprintf("%s of attempt %d", n.kind, n.id)
	}
	return n.kind
}

func nameOf(kind string, id attempt.ID) recordName { return recordName{kind: kind, id: id, of: true} }

func (c *checker) problem(of, format string, args ...any) {
	c.summary.Problems++
	c.report(Problem{Record: of, Text: fmt.Sprintf(format, args...)})
}

func (c *checker) problemOf(of recordName, format string, args ...any) {
	name := of.String()
	if of.kind == "" {
		entry, _, _ := record.Load[record.FieldEntry](c.store, record.FieldKey(of.field.Key, of.field.Field))
		name = fmt.Sprintf("field %s of identity %s", c.names().ofEntry(of.field.Field, entry), of.field.Key)
	}
	c.problem(name, format, args...)
}

// names returns the names of the fields of each account.
func (c *checker) names() *names {
	n := &names{store: c.store}
	for _, account := range c.accounts {
		n.accounts = append(n.accounts, account.catalogue)
	}
	return n
}

// read decodes a record; one that cannot be read is a problem.
func read[T record.Record](c *checker, name string, key, value []byte, into *T) bool {
	return readText(c, recordName{kind: name}, key, string(value), into)
}

// readText is read for a value of which the record keeps parts.
func readText[T record.Record](c *checker, name recordName, key []byte, value string, into *T) bool {
	err := record.DecodeFrom(&c.packet, key, value, into)
	if err != nil {
		c.problemOf(name, "%s", unreadable([]byte(value)))
	}
	return err == nil
}

// unreadable says why a record cannot be read, without its bytes.
func unreadable(value []byte) string {
	if !record.IsKnownVersion(value) {
		return "is of a version that this program does not know"
	}
	return "cannot be read"
}

// lookUp reads a record that may be missing.
func lookUp[T record.Record](c *checker, name string, key []byte) (into T, found bool, err error) {
	value, err := c.store.Get(key)
	if err != nil || value == nil {
		return into, false, err
	}
	return into, read(c, name, key, value, &into), nil
}

func (c *checker) checkMeta() error {
	identity, found, err := lookUp[record.Journal](c, "the journal's identity", record.IdentityKey)
	if err != nil {
		return err
	}
	if !found || len(identity.Secret) != record.SecretLength || identity.ID == "" {
		c.problem("the journal's identity", "is missing or incomplete")
	}
	c.summary.ID, c.secret = identity.ID, identity.Secret
	c.state, found, err = lookUp[record.State](c, "the ledger state", record.StateKey)
	if !found {
		c.state.NextID = 1
	}
	if err != nil {
		return err
	}
	if err := errors.Join(c.checkForms(), c.checkAliases(), c.checkAccounts()); err != nil {
		return err
	}
	c.checkPeriods()
	return c.checkFlight()
}

// checkForms reads which attempts have been looked at for former keys, and the former keys.
func (c *checker) checkForms() (err error) {
	c.forms, _, err = lookUp[record.Forms](c, "the record of forms", record.FormsKey)
	if c.forms.Next > c.state.NextID {
		c.problem("the record of forms", "counts attempts that did not begin: the next is %d", c.state.NextID)
	}
	return errors.Join(err, c.store.Scan([]byte{record.FormerPrefix}, nil, func(key, _ []byte) (bool, error) {
		if own, former, ok := record.FormerOf(key); !ok || own == former {
			c.problem(fmt.Sprintf("record %q", key), "names no former key of an identity")
		} else {
			c.formerOf[former] = append(c.formerOf[former], own)
		}
		return true, nil
	}))
}

// checkAliases checks that each alias is that of an answer, under the key that was asked.
func (c *checker) checkAliases() error {
	return c.store.Scan([]byte{record.AliasesPrefix}, nil, func(key, value []byte) (bool, error) {
		name := fmt.Sprintf("record %q", key)
		var aliases record.Aliases
		if err := record.Decode(key, value, &aliases); err != nil || len(key) != 1+len(enrich.Key{}) {
			c.problem(name, "has no aliases of an identity")
			return true, nil
		}
		for _, alias := range aliases.All {
			in, begun, err := lookUp[record.Intent](c, fmt.Sprintf("intent of attempt %d", alias.Attempt), record.IDKey(record.IntentPrefix, alias.Attempt))
			if err != nil {
				return false, err
			}
			res, ended, err := lookUp[record.Ending](c, fmt.Sprintf("resolution of attempt %d", alias.Attempt), record.IDKey(record.ResolutionPrefix, alias.Attempt))
			if err != nil {
				return false, err
			}
			if !begun || in.Key != alias.Subject || !ended || res.State != attempt.Settled {
				c.problem(name, "names attempt %d, which is not answered under the key %s", alias.Attempt, alias.Subject)
			}
		}
		return true, nil
	})
}

// checkAccounts reads the accounts. Each from the account 1 on has a registration and a state.
func (c *checker) checkAccounts() error {
	states := append([]record.Account{c.state.Account}, c.state.Others...)
	terms := []accountTerms{{c.catalogue, c.state.BaseFirst}}
	for account := attempt.Account(1); ; account++ {
		name := fmt.Sprintf("account %d", account)
		r, found, err := lookUp[record.Registration](c, name, record.AccountKey(account))
		if err != nil {
			return err
		}
		switch hasState := int64(account) < int64(len(states)); {
		case !found && !hasState:
			c.recount = newRecount(terms)
			return c.checkRegistrations(account)
		case !found:
			c.problem(name, "has a state, and nothing says which account it is")
			terms = append(terms, accountTerms{baseFirst: states[account].BaseFirst})
		case !hasState:
			c.problem(name, "is missing in the ledger state")
			terms = append(terms, accountTerms{catalogue: r.Catalogue()})
		default:
			terms = append(terms, accountTerms{r.Catalogue(), states[account].BaseFirst})
		}
	}
}

// checkRegistrations finds registrations of accounts from next on, which do not follow the others.
func (c *checker) checkRegistrations(next attempt.Account) error {
	return c.store.Scan([]byte{record.AccountPrefix}, nil, func(key, _ []byte) (bool, error) {
		if n, err := strconv.ParseUint(string(key[1:]), 10, 32); err != nil || n == 0 || n >= uint64(next) {
			c.problem(fmt.Sprintf("record %q", key), "is the registration of an account without a state")
		}
		return true, nil
	})
}

// checkFlight reads what the ledger state says of what is in flight.
func (c *checker) checkFlight() error {
	c.flight = map[attempt.ID]bool{}
	for _, id := range c.state.InFlight {
		c.flight[id] = true
	}
	if len(c.flight) < len(c.state.InFlight) || !slices.IsSorted(c.state.InFlight) {
		c.problem("the ledger state", "does not list what is in flight in its order, each once: %d", c.state.InFlight)
	}
	return nil
}

// checkAttempts checks every attempt with all of its records.
func (c *checker) checkAttempts() error {
	c.next = 1
	c.divide(c.state.NextID)
	if err := c.eachAttempt(c.checkAttempt); err != nil {
		return err
	}
	for ; c.next < c.state.NextID; c.next++ {
		c.problemOf(nameOf("intent", c.next), "is missing")
		c.absent[c.next] = true
	}
	c.endPeriods()
	for _, id := range slices.Sorted(maps.Keys(c.flight)) {
		c.problem("the ledger state", "has attempt %d in flight, which has no intent", id)
	}
	if c.resolved != c.state.Resolved {
		c.problem("the ledger state", "counts %d resolved attempts, and there are %d", c.state.Resolved, c.resolved)
	}
	return c.checkFields()
}

// checkID notes an attempt that has an intent.
func (c *checker) checkID(id attempt.ID) {
	for ; c.next < id && c.next < c.state.NextID; c.next++ {
		c.problemOf(nameOf("intent", c.next), "is missing")
		c.absent[c.next] = true
	}
	c.next = id + 1
	if id >= c.state.NextID {
		c.problemOf(nameOf("intent", id), "has an ID that was not given out: the next is %d", c.state.NextID)
		c.beyond[id] = true
	}
}

// checkOrphans finds doubts and open marks that belong to no attempt.
func (c *checker) checkOrphans() error {
	for prefix, kind := range map[byte]string{record.DoubtPrefix: "doubt", record.OpenPrefix: "open mark"} {
		err := c.store.Scan([]byte{prefix}, nil, func(key, _ []byte) (bool, error) {
			if len(key) != record.IDKeyLength {
				c.problem(fmt.Sprintf("record %q", key), "has no ID")
				return true, nil
			}
			if id := record.IDOf(key); (id == 0 || id >= c.state.NextID || c.absent[id]) && !c.beyond[id] {
				c.problemOf(nameOf(kind, id), "belongs to no intent")
			}
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readOpen reads the doubts and the open marks, which few attempts have.
func (c *checker) readOpen() error {
	return errors.Join(
		readIDs[record.Doubt](c, record.DoubtPrefix, "doubt", c.doubts),
		readIDs[record.OpenMark](c, record.OpenPrefix, "open mark", c.open))
}

func readIDs[T record.Record](c *checker, prefix byte, kind string, ids map[attempt.ID]bool) error {
	return c.store.Scan([]byte{prefix}, nil, func(key, value []byte) (bool, error) {
		var into T
		if len(key) == record.IDKeyLength && c.isGiven(record.IDOf(key)) {
			ids[record.IDOf(key)] = readText(c, nameOf(kind, record.IDOf(key)), key, string(value), &into)
		}
		return true, nil
	})
}

// isGiven reports whether an ID was given out.
func (c *checker) isGiven(id attempt.ID) bool { return id > 0 && id < c.state.NextID }

func (c *checker) readForgotten() error {
	return c.store.Scan([]byte{record.ForgottenPrefix}, nil, func(key, _ []byte) (bool, error) {
		if len(key) != len(record.ForgottenKey(enrich.Key{})) {
			c.problem(fmt.Sprintf("record %q", key), "has a key that names no identity")
			return true, nil
		}
		c.forgotten[enrich.Key(key[1:])] = true
		return true, nil
	})
}

func (c *checker) checkRuns() error {
	return c.store.Scan([]byte{record.RunPrefix}, nil, func(key, value []byte) (bool, error) {
		var run record.Run
		name := fmt.Sprintf("run %q", key[1:])
		if read(c, name, key, value, &run) && run.Name != string(key[1:]) {
			c.problem(name, "calls itself %q", run.Name)
		}
		c.summary.Runs++
		return true, nil
	})
}

// checkKinds finds records of no known kind. It skips those of a kind that is known.
func (c *checker) checkKinds() error {
	return record.Seek(c.store, nil, nil, func(key, value []byte) (bool, []byte, error) {
		if record.KindOf(key[0]) == "" {
			c.problem(fmt.Sprintf("record %q", key), "is of no known kind")
			return true, nil, nil
		}
		return true, []byte{key[0] + 1}, nil
	})
}
