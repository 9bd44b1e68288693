package verify

import (
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// names are the names of the fields of each account, as the journal has them. Records have the numbers.
type names struct {
	store    record.Store
	accounts []enrich.Catalogue
}

// namesOf reads the names. Names that cannot be read are missing; the record itself is shown as unreadable.
func namesOf(s record.Store) *names {
	first, _, _ := record.Load[record.FieldNames](s, record.FieldsKey)
	n := &names{store: s, accounts: []enrich.Catalogue{enrich.Named(first.Names...)}}
	others, _ := record.Registrations(s)
	for _, r := range others {
		n.accounts = append(n.accounts, r.Catalogue())
	}
	return n
}

// of returns the names of the fields of an account.
func (n *names) of(account attempt.Account) enrich.Catalogue {
	if int(account) < len(n.accounts) {
		return n.accounts[account]
	}
	return enrich.Catalogue{}
}

// ofAttempt returns the names of the fields of the account that an attempt asked, and false when there is no
// such attempt.
func (n *names) ofAttempt(id attempt.ID) (enrich.Catalogue, bool) {
	if len(n.accounts) == 1 { // most journals
		return n.accounts[0], true
	}
	payer, found, err := record.Load[record.Payer](n.store, record.IDKey(record.IntentPrefix, id))
	return n.of(payer.Account), found && err == nil
}

// ofEntry returns the name of a field of an identity. A field that no attempt decided was forgotten; it has a
// name when the accounts agree on that.
func (n *names) ofEntry(f enrich.Field, entry any) string {
	decided, _ := entry.(record.FieldEntry)
	if c, found := n.ofAttempt(decided.Attempt); found {
		return c.Name(f)
	}
	name := n.accounts[0].Name(f)
	for _, c := range n.accounts[1:] {
		if int(f) < len(c.Fields) && c.Name(f) != name {
			return enrich.Catalogue{}.Name(f)
		}
	}
	return name
}

// intent is a record.Intent with the names of the fields.
type intent struct {
	At       time.Time               `json:"at"`
	Key      enrich.Key              `json:"key"`
	Identity enrich.Identity         `json:"identity"`
	Pattern  string                  `json:"pattern,omitempty"`
	Hold     hold                    `json:"hold"`
	Account  attempt.Account         `json:"account,omitempty"`
	Run      string                  `json:"run"`
	Job      string                  `json:"job,omitempty"`
	Earlier  map[string][]attempt.ID `json:"earlier,omitempty"`
	Before   map[string][]attempt.ID `json:"before,omitempty"`
	UpTo     attempt.ID              `json:"up_to,omitempty"`
	Erased   bool                    `json:"erased,omitempty"`
}

// hold is a cost.Hold with the names of the fields, and their prices in place of the rates.
type hold struct {
	Fields, Free string
	Prices       map[string]cost.Money
}

func (n *names) intent(in record.Intent) intent {
	c := n.of(in.Account)
	return intent{
		At: in.At, Key: in.Key, Identity: in.Identity, Pattern: in.Pattern, Account: in.Account, Run: in.Run,
		Job: in.Job, Erased: in.Erased, Earlier: byName(c, in.Earlier), Before: byName(c, in.Before), UpTo: in.UpTo,
		Hold: hold{c.Names(in.Hold.Fields), c.Names(in.Hold.Free), byName(c, in.Hold.Rates.Prices())},
	}
}

// byName returns values under the names of their fields.
func byName[M ~map[enrich.Field]V, V any](c enrich.Catalogue, values M) map[string]V {
	if values == nil {
		return nil
	}
	named := map[string]V{}
	for f, value := range values {
		named[c.Name(f)] = value
	}
	return named
}

// resolution is an attempt.Resolution with the names of the fields, and with an answer that can be read in
// place of its bytes.
type resolution struct {
	State     attempt.State `json:"state"`
	At        time.Time     `json:"at"`
	Run       string        `json:"run"`
	Charge    *charge       `json:"charge,omitempty"`
	Status    enrich.Status `json:"status,omitempty"`
	Returned  string        `json:"returned,omitempty"`
	Erased    bool          `json:"erased,omitempty"`
	Reason    string        `json:"reason,omitempty"`
	RequestID string        `json:"request_id,omitempty"`
	Rejected  bool          `json:"rejected,omitempty"`
	Sent      bool          `json:"sent,omitempty"`
	Answer    any           `json:"answer,omitempty"`
}

// charge is a cost.Charge with the names of the fields.
type charge struct {
	Amount   cost.Money `json:"amount"`
	Free     string     `json:"free,omitempty"`
	Paid     string     `json:"paid,omitempty"`
	Reported bool       `json:"reported,omitempty"`
	Units    []int64    `json:"units,omitempty"` // where they do not follow from the fields
}

func (n *names) resolution(id attempt.ID, r attempt.Resolution) resolution {
	c, _ := n.ofAttempt(id)
	shown := resolution{
		State: r.State, At: r.At, Run: r.Run, Status: r.Status, Returned: c.Names(r.Returned), Erased: r.Erased,
		Reason: r.Reason, RequestID: r.RequestID, Rejected: r.Rejected, Sent: r.Sent,
	}
	if r.Charge != (cost.Charge{}) {
		shown.Charge = &charge{
			Amount: r.Charge.Money(), Free: c.Names(r.Charge.Free), Paid: c.Names(r.Charge.Paid), Reported: r.Charge.Reported,
		}
		if r.Charge.Reported || r.State == attempt.Forfeited { // nothing else says what a lost call used
			shown.Charge.Units = r.Charge.Amounts.Units()
		}
	}
	return shown
}

// state is a record.State with the names of the fields.
type state struct {
	record.Progress
	account
	Others []account `json:"accounts,omitempty"`
}

type account struct {
	Horizon       attempt.ID           `json:"horizon"`
	PausedAt      time.Time            `json:"paused_at,omitzero"`
	LastEnded     time.Time            `json:"last_ended,omitzero"`
	PausedUntil   time.Time            `json:"paused_until,omitzero"`
	Base          cost.Account         `json:"base"`
	BaseFirst     attempt.ID           `json:"base_first"`
	DecidableFrom attempt.ID           `json:"decidable_from"`
	UsedByOthers  cost.Amounts         `json:"forgone"`
	Rates         map[string]cost.Rate `json:"rates"`
	CreditAdded   bool                 `json:"credit_added,omitempty"`
	Provisional   []provisional        `json:"provisional,omitempty"`
	Closed        []closed             `json:"closed,omitempty"`
	Strict        bool                 `json:"strict,omitempty"`

	RateSlots  int64                 `json:"rate_slots,omitempty"`
	RateWindow time.Duration         `json:"rate_window,omitempty"`
	Limits     []record.ReachedLimit `json:"limits,omitempty"`
}

type provisional struct {
	ID     attempt.ID
	Fields string
}

type closed struct {
	First, Next attempt.ID
	Lost        cost.Amounts
	Shown       cost.Meters `json:"Told,omitzero"`
	Booked      cost.Amounts
	From, To    time.Time    `json:",omitzero"`
	Excess      cost.Amounts `json:",omitzero"`
	Rates       map[string]cost.Rate
	Provisional []provisional
}

func (n *names) state(s record.State) state {
	shown := state{Progress: s.Progress, account: n.account(0, s.Account)}
	for i, other := range s.Others {
		shown.Others = append(shown.Others, n.account(attempt.Account(i+1), other))
	}
	return shown
}

func (n *names) account(number attempt.Account, a record.Account) account {
	c := n.of(number)
	shown := account{
		Horizon: a.Horizon, PausedAt: a.PausedAt, LastEnded: a.LastEnded, PausedUntil: a.PausedUntil, Base: a.Base,
		BaseFirst: a.BaseFirst, DecidableFrom: a.DecidableFrom, UsedByOthers: a.UsedByOthers, Rates: byName(c, a.Rates),
		CreditAdded: a.CreditAdded, Provisional: provisionalOf(c, a.Provisional), Strict: a.Strict,
		RateSlots: a.RateSlots, RateWindow: a.RateWindow, Limits: a.Limits,
	}
	for _, p := range a.Closed {
		shown.Closed = append(shown.Closed, closed{
			First: p.First, Next: p.Next, Lost: p.Lost, Shown: p.Shown, Booked: p.Booked, From: p.From, To: p.To, Excess: p.Excess,
			Rates: byName(c, p.Rates), Provisional: provisionalOf(c, p.Provisional),
		})
	}
	return shown
}

func provisionalOf(c enrich.Catalogue, charges []record.Provisional) (named []provisional) {
	for _, p := range charges {
		named = append(named, provisional{p.ID, c.Names(p.Fields)})
	}
	return named
}
