package record

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// The records of the journal, by the first byte of their key:
//
//	a ID           intent      written once, by Begin
//	d ID           doubt       written once, by MarkInDoubt or by Open after a crash
//	r ID           resolution  written once, by Settle, Release, Reconcile or Assume
//	o ID           open        an index: the attempts in doubt that have no resolution yet
//	f KEY FIELD    field       an index: the last settled, rejected or forfeited attempt
//	e KEY FORMER   former      an index: a key that an identity had in an earlier version
//	s KEY          aliases     an index: the subjects whose answers named an identity
//	c SCOPE        totals      the sums of a scope
//	t DAY          day         the first and the last attempt that ended on a day, UTC
//	u NAME         run         what a run was asked to do and how it ended
//	i NUMBER       account     an account from the account 1 on: its interface, service and key's fingerprint
//	g KEY          forgotten   an index: an identity that was forgotten on request
//	w PATH         file        a list that was written: the hash of its bytes
//	j NAME         job         which occurrences of a job are decided, whether it is paused
//	k NAME/TIME    occurrence  what happened when a job was due at a local date and time
//	n NAME/ID      alert       a message about a job, and which channels accepted it
//	v HASH         event       what was decided about the values found for a record of a CRM, and when they were exported
//	x KEY HASH     observation a change of a watched company, as the service told it
//	m NAME         meta        the journal's identity and secret, its ledger state, the names of the fields, the API
//	                           key's fingerprint, the last change of subjects, the last erasure by age, the service of the
//	                           account 0, until when the watched companies of an account were polled
//
// Written once has two exceptions. Erasure takes the identity out of intents and the values out
// of answers; the money stays as it was. A correction books fields of a resolution as free that
// were booked as paid. A field that was forgotten on request says so, and still points to what was
// charged for it; those of older journals point to no attempt.
//
// The value of a record is in the form that Version says.
//
// IDs are 8 bytes, big-endian, so that records are in the order of Begin. Indexes
// and sums change in the same commit as the records that they follow from.
const (
	IntentPrefix     = 'a'
	DoubtPrefix      = 'd'
	ResolutionPrefix = 'r'
	OpenPrefix       = 'o'
	FieldPrefix      = 'f'
	FormerPrefix     = 'e'
	AliasesPrefix    = 's'
	TotalsPrefix     = 'c'
	DayPrefix        = 't'
	RunPrefix        = 'u'
	ForgottenPrefix  = 'g'
	FilePrefix       = 'w'
	AccountPrefix    = 'i'
	JobPrefix        = 'j'
	OccurrencePrefix = 'k'
	AlertPrefix      = 'n'
	EventPrefix      = 'v'
	ObservedPrefix   = 'x'
	metaPrefix       = 'm'
)

// KindOf returns the name of a kind of record, "" when there is none.
func KindOf(prefix byte) string {
	names := [...]string{
		IntentPrefix: "intent", DoubtPrefix: "doubt", ResolutionPrefix: "resolution", OpenPrefix: "open",
		FieldPrefix: "field", TotalsPrefix: "totals", DayPrefix: "day", RunPrefix: "run", FilePrefix: "file",
		JobPrefix: "job", OccurrencePrefix: "occurrence", AlertPrefix: "alert", EventPrefix: "event", ObservedPrefix: "observation", ForgottenPrefix: "forgotten", FormerPrefix: "former", AliasesPrefix: "aliases", AccountPrefix: "account", metaPrefix: "meta",
	}
	if int(prefix) < len(names) {
		return names[prefix]
	}
	return ""
}

// IsAboutSubjects reports whether a record with the key may be about subjects, calls or answers. Sums of calls are not.
func IsAboutSubjects(key []byte) bool {
	switch key[0] {
	case TotalsPrefix, DayPrefix, RunPrefix, FilePrefix, AccountPrefix, JobPrefix, OccurrencePrefix, AlertPrefix, EventPrefix, metaPrefix:
		return false
	}
	return true
}

// SecretLength is the length of the secret that keys are hashed with, in bytes.
const SecretLength = 16

// The meta records.
var (
	IdentityKey    = NameKey(metaPrefix, "journal")
	StateKey       = NameKey(metaPrefix, "books")
	FingerprintKey = NameKey(metaPrefix, "key-fingerprint")
	FieldsKey      = NameKey(metaPrefix, "fields")
	PrunedKey      = NameKey(metaPrefix, "pruned")
	// ChangeKey keeps the name opening: earlier programs changed its record once in each opening only.
	ChangeKey = NameKey(metaPrefix, "opening")
	// FormsKey says which attempts have been looked at for former keys.
	FormsKey = NameKey(metaPrefix, "forms")
	// FirstAccountKey is missing while the service of the account 0 is not known.
	FirstAccountKey = NameKey(metaPrefix, "first-account")
	// polledName and the number of an account name the record of what was polled.
	polledName = "polled "
)

func IDKey(prefix byte, id attempt.ID) []byte {
	return AppendIDKey(make([]byte, 0, IDKeyLength), prefix, id)
}

func AppendIDKey(key []byte, prefix byte, id attempt.ID) []byte {
	return binary.BigEndian.AppendUint64(append(key, prefix), uint64(id))
}

// IDKeyLength is the length of the keys that IDKey makes.
const IDKeyLength = 9

func IDOf(key []byte) attempt.ID { return attempt.ID(binary.BigEndian.Uint64(key[1:])) }

func NameKey(prefix byte, name string) []byte { return append([]byte{prefix}, name...) }

func FieldKey(key enrich.Key, f enrich.Field) []byte {
	return append(append(append(make([]byte, 0, fieldKeyLength), FieldPrefix), key[:]...), byte(f))
}

// ForgottenKey returns the key of the mark of an identity that was forgotten.
func ForgottenKey(key enrich.Key) []byte { return append([]byte{ForgottenPrefix}, key[:]...) }

// FormerKey returns the key of the record that an identity had another key in an earlier version.
func FormerKey(key, former enrich.Key) []byte {
	return append(append([]byte{FormerPrefix}, key[:]...), former[:]...)
}

// FormerOf returns the key of an identity and the former one that a record names.
func FormerOf(name []byte) (key, former enrich.Key, ok bool) {
	if len(name) != 1+len(key)+len(former) {
		return key, former, false
	}
	return enrich.Key(name[1 : 1+len(key)]), enrich.Key(name[1+len(key):]), true
}

// AliasesKey returns the key of the record of the aliases of an identity.
func AliasesKey(key enrich.Key) []byte { return append([]byte{AliasesPrefix}, key[:]...) }

// fieldKeyLength is the length of the keys that fieldKey makes.
const fieldKeyLength = 1 + len(enrich.Key{}) + 1

// FieldOf returns the field of an identity that a field record is about.
func FieldOf(key []byte) (field KeyedField, ok bool) {
	if len(key) != fieldKeyLength || key[len(key)-1] >= enrich.MaxFields {
		return field, false
	}
	copy(field.Key[:], key[1:])
	field.Field = enrich.Field(key[len(key)-1])
	return field, true
}

// Intent is what is durable before a POST leaves.
type Intent struct {
	At       time.Time       `json:"at"`
	Key      enrich.Key      `json:"key"`
	Identity enrich.Identity `json:"identity"`
	Pattern  string          `json:"pattern,omitempty"` // of the identity, which may be erased
	Hold     cost.Hold       `json:"hold"`
	Account  attempt.Account `json:"account,omitempty"`
	Run      string          `json:"run"`
	Job      string          `json:"job,omitempty"` // "" is a job of the run's name
	// Earlier are the forfeited attempts of fields that are bought again.
	Earlier map[enrich.Field][]attempt.ID `json:"earlier,omitempty"`
	// Before has the attempt that decided each field which is asked for again.
	Before map[enrich.Field][]attempt.ID `json:"before,omitempty"`
	// UpTo says that the call asks again for what attempts up to this one answered, because of an observed change.
	UpTo   attempt.ID `json:"up_to,omitempty"`
	Erased bool       `json:"erased,omitempty"` // the identity is gone; the key stays
	// Epoch is that of the process that began the call, in a shared journal; 0 in another one.
	Epoch uint64 `json:"epoch,omitempty"`
}

// Doubt says since when and why the outcome of an attempt is unknown.
type Doubt struct {
	At    time.Time `json:"at"`
	Cause string    `json:"cause"`
	Crash bool      `json:"crash,omitempty"`
}

// OpenMark says that an attempt in doubt has no resolution yet. Of those in flight the
// ledger state tells, which every commit writes anyway: most attempts never get a mark.
type OpenMark struct{}

// FieldEntry points to the attempt that decided a field.
type FieldEntry struct {
	State   attempt.FieldState `json:"state"`
	Attempt attempt.ID         `json:"attempt"`
	At      time.Time          `json:"at"`
	Earlier []attempt.ID       `json:"earlier,omitempty"` // forfeited before
}

// KeyedField is one field of one subject.
type KeyedField struct {
	Key   enrich.Key
	Field enrich.Field
}

// State is the state that a reopened journal goes on from.
type State struct {
	Progress
	Account           // the account 0
	Others  []Account `json:"accounts,omitempty"` // from the account 1 on
}

// Progress is the part of the state that belongs to no account.
type Progress struct {
	NextID attempt.ID `json:"next_id"`
	// Resolved counts the resolutions: with NextID it shows a journal that lost
	// records from one that never had them.
	Resolved int64 `json:"resolved"`
	// InFlight are the attempts that are neither resolved nor in doubt, in ascending
	// order.
	InFlight []attempt.ID `json:"in_flight,omitempty"`
}

// IsRecovered reports whether no call was in flight when the journal was last written. Otherwise the
// process that owned it may have ended without an answer.
func IsRecovered(s Store) (bool, error) {
	var state State
	value, err := s.Get(StateKey)
	if value != nil && err == nil {
		err = DecodeComputed(StateKey, value, &state)
	}
	return err == nil && len(state.InFlight) == 0, err
}

// Account is the part of the state that belongs to one account.
type Account struct {
	// Horizon is the first attempt that may still occupy a slot of the window.
	Horizon attempt.ID `json:"horizon"`
	// PausedAt is when the pause until PausedUntil began.
	PausedAt time.Time `json:"paused_at,omitzero"`
	// LastEnded is when the last call ended that may have reached the service.
	LastEnded   time.Time `json:"last_ended,omitzero"`
	PausedUntil time.Time `json:"paused_until,omitzero"`
	// Base is the last idle snapshot of the account, in which the account's totals
	// begin; attempts from BaseFirst on came after it.
	Base      cost.Account `json:"base"`
	BaseFirst attempt.ID   `json:"base_first"`
	// DecidableFrom is the first attempt that a look at the account may still decide:
	// what somebody assumed of another may be wrong.
	DecidableFrom attempt.ID `json:"decidable_from"`
	// UsedByOthers are the free units that others used since the base.
	UsedByOthers cost.Amounts `json:"forgone"`
	// Rates are those of the last attempts.
	Rates cost.Rates `json:"rates"`
	// CreditAdded says that a reading since the base showed new credit.
	CreditAdded bool `json:"credit_added,omitempty"`
	// Provisional are the provisional charges since the base, and Closed the earlier
	// periods that still have some.
	Provisional []Provisional  `json:"provisional,omitempty"`
	Closed      []ClosedPeriod `json:"closed,omitempty"`
	// Strict says that a lookup since the base held its full price, whatever was free.
	Strict bool `json:"strict,omitempty"`
	// RateSlots and RateWindow are the last rate limit: that number of calls in each window.
	RateSlots  int64         `json:"rate_slots,omitempty"`
	RateWindow time.Duration `json:"rate_window,omitempty"`
	// Limits are the limits of the account that the service has said are reached.
	Limits []ReachedLimit `json:"limits,omitempty"`
	// Seen is what readings since the base showed.
	Seen cost.Seen `json:"seen,omitzero"`
	// Answered counts the calls since the base that were counted on a module that no answer has confirmed. Confirmed
	// are the operations whose modules answers have confirmed, and Spans the meters of time spans that they have.
	Answered  []AnsweredCalls  `json:"answered,omitempty"`
	Confirmed []cost.Operation `json:"confirmed,omitempty"`
	Spans     cost.Meters      `json:"spans,omitempty"`
	// DrainedBy is the epoch of the process that lets no other one begin calls, in a shared journal; 0 for none. It has no
	// effect once that process has ended.
	DrainedBy uint64 `json:"drained_by,omitempty"`
}

// AnsweredCalls are calls of one operation that were counted.
type AnsweredCalls struct {
	cost.Operation
	Calls int64
}

// ReachedLimit is a limit of the account that is reached, with what the account showed of its meters when it
// was last read before that.
type ReachedLimit struct {
	attempt.Limit
	// Total and Used add up what the account may use of the meters, and the most that it has shown as used since.
	// They are not known while the account shows none of the meters.
	Total, Used cost.Optional[int64]
}

// Provisional is an attempt with the fields whose charge is provisional.
type Provisional struct {
	ID     attempt.ID
	Fields enrich.Fields
}

// ClosedPeriod is the time between two bases of the account that ended with calls in
// doubt. What somebody says of those calls later can show that more was booked than the
// account lost.
type ClosedPeriod struct {
	First, Next attempt.ID   // its attempts: from First on, before Next
	Lost        cost.Amounts // by the account, at most; its money is cost.MaxMoney when that is not known
	// Shown are the meters whose loss Lost has; none in records that were written before this member existed.
	Shown  cost.Meters  `json:"Told,omitzero"`
	Booked cost.Amounts // by the journal
	// From and To are the times of the two snapshots.
	From, To time.Time `json:",omitzero"`
	// Why says why the snapshots left calls in doubt.
	Why string `json:",omitempty"`
	// Excess is by how much the holds of its calls in doubt exceed what all of them together can
	// have been charged.
	Excess      cost.Amounts `json:",omitzero"`
	Rates       cost.Rates
	Provisional []Provisional
}

// Holds reports whether an attempt began in the period.
func (p ClosedPeriod) Holds(id attempt.ID) bool { return p.First <= id && id < p.Next }

// Span is the first and the last of some attempts.
type Span struct {
	First attempt.ID `json:"first"`
	Last  attempt.ID `json:"last"`
}

// With returns the span that holds one more attempt.
func (s Span) With(id attempt.ID) Span {
	if s == (Span{}) {
		return Span{id, id}
	}
	return Span{min(s.First, id), max(s.Last, id)}
}

// Registration is what identifies an account from the account 1 on, and the names of its fields by
// their numbers. The account 0 is that of the whole journal.
type Registration struct {
	Interface string   `json:"interface"`
	Service   string   `json:"base_url"` // or the name of a service whose address changes
	Fields    []string `json:"fields"`
	// Fingerprint is that of the API key.
	Fingerprint []byte `json:"-"`
}

// FirstAccount is what the journal knows besides its own records of the account 0.
type FirstAccount struct {
	Service string `json:"service"` // as in a Registration
}

// AccountKey returns the key of the registration of an account.
func AccountKey(account attempt.Account) []byte {
	return NameKey(AccountPrefix, strconv.FormatUint(uint64(account), 10))
}

// Registrations returns the registrations of the accounts from 1 on, in the order of their numbers.
func Registrations(s Store) (list []Registration, err error) {
	for {
		account := attempt.Account(len(list) + 1)
		r, found, err := Load[Registration](s, AccountKey(account))
		if err != nil || !found {
			return list, err
		}
		list = append(list, r)
	}
}

// Interfaces returns the interfaces of the accounts of a journal by their numbers. That of the account 0
// is "": it is the one that the journal is opened for.
func Interfaces(s Store) ([]string, error) {
	known, err := Registrations(s)
	interfaces := []string{""}
	for _, r := range known {
		interfaces = append(interfaces, r.Interface)
	}
	return interfaces, err
}

// InterfaceOf returns the interface of an account, which must be one of the journal.
func InterfaceOf(account attempt.Account, interfaces []string) (string, error) {
	if int64(account) >= int64(len(interfaces)) {
		return "", fmt.Errorf("%w: an attempt is for account %d, which is missing", ErrCorrupt, account)
	}
	return interfaces[account], nil
}

// Catalogue returns the fields of the account, each with its name alone.
func (r Registration) Catalogue() enrich.Catalogue {
	c := enrich.Named(r.Fields...)
	c.Interface = r.Interface
	return c
}

// Pruned says what the last erasure of attempts by their age has erased.
type Pruned struct {
	Before time.Time  `json:"before"` // the attempts that had ended before
	Next   attempt.ID `json:"next"`   // the first attempt that began later
}

// Forms says that the attempts before Next are found under the forms that identities have now: their keys are those,
// or there is a record of the former key.
type Forms struct {
	Next attempt.ID `json:"next"`
}

// Journal is the journal's own identity, made when it is created.
type Journal struct {
	ID     string `json:"id"`
	Secret []byte `json:"secret"` // 16 bytes
}

// Run is what the journal remembers of a run besides its attempts: what it was
// asked to do, so that its output can be written again, and how it last ended.
type Run struct {
	Name      string   `json:"name"`
	List      string   `json:"list"`               // absolute path
	Files     []string `json:"files,omitempty"`    // absolute paths, when the list has several
	Encoding  string   `json:"encoding,omitempty"` // as given to --encoding
	Sheet     string   `json:"sheet,omitempty"`    // as given to --sheet
	Fields    string   `json:"fields"`
	From      []string `json:"from,omitempty"`       // as given to --from
	Map       []string `json:"map,omitempty"`        // as given to --map
	Columns   []string `json:"columns,omitempty"`    // as they were read, in the form of Map; none in older records
	Header    string   `json:"header,omitempty"`     // SHA-256 of the names of the columns
	HeaderRow int64    `json:"header_row,omitempty"` // as given to --header-row
	Delimiter string   `json:"delimiter,omitempty"`  // as given to --delimiter
	Held      string   `json:"held,omitempty"`       // as given to --held
	CopyHeld  bool     `json:"copy_held,omitempty"`  // as given to --copy-held
	Prefer    string   `json:"prefer"`
	Limit     int64    `json:"limit,omitempty"`
	Profile   bool     `json:"profile,omitempty"`
	Priority  string   `json:"priority,omitempty"` // as given to --priority
	// CompleteFirst says that rows which the ceilings could complete were asked for first.
	CompleteFirst bool `json:"complete_first,omitempty"`
	// People says which people of the companies of the list were searched for: their number for each company and the
	// filters. The rows of the run are these people then. "" where the rows are those of the list.
	People string `json:"people,omitempty"`
	// Search says how they were searched for; zero in records of earlier versions.
	Search PeopleSearch `json:"people_search,omitzero"`
	Choice
	Job       string           `json:"job,omitempty"` // "" in records from before there were jobs
	Output    string           `json:"output"`        // absolute path
	MaxSpend  cost.Money       `json:"max_spend_usd"`
	Ceilings  []cost.Ceiling   `json:"ceilings,omitempty"` // that the user set
	Started   time.Time        `json:"started"`            // for the first time
	Restarted time.Time        `json:"restarted,omitzero"` // when it was started last; zero in records from before that was kept
	Ended     time.Time        `json:"ended,omitzero"`     // zero while it runs, or after a crash
	Stop      string           `json:"stop,omitempty"`     // why it ended early
	Rows      map[string]int64 `json:"rows,omitempty"`     // by outcome, when it last ended
	Drift     cost.Drift       `json:"drift,omitzero"`     // between the journal and the account 0, when it last ended
	// ModuleDrifts are the same for the other accounts.
	ModuleDrifts []ModuleDrift  `json:"module_drifts,omitempty"`
	Accounts     []AskedAccount `json:"accounts,omitempty"` // that were asked; none in older records
	Waits        []Waited       `json:"waits,omitempty"`    // of all starts that came to their end
	Steps        StepEnds       `json:"steps,omitzero"`     // why they ended early; none in older records
	Users        []string       `json:"users,omitempty"`    // who started it, each once; none in older records
}

// PeopleSearch says how people of the companies of a list are searched for. The pages of a run follow from it and from the
// list.
type PeopleSearch struct {
	PerCompany int64  `json:"per_company"` // the most people of each company
	PerPage    int64  `json:"per_page"`    // results
	Filters    string `json:"filters"`     // as the service takes them: a JSON object
	Column     string `json:"column"`      // of the identifiers of the companies, in the form of Run.Map
	Header     string `json:"header"`      // SHA-256 of the names of the columns of the list
}

// Waited is how long a run sent nothing for one reason.
type Waited struct {
	For          string `json:"for"`
	Milliseconds int64  `json:"milliseconds"`
	Month        string `json:"month,omitempty"` // in UTC, such as "2026-11"; "" in older records
}

// AskedAccount is an account that a run asked.
type AskedAccount struct {
	Account  attempt.Account `json:"account"`
	Ceilings []cost.Ceiling  `json:"ceilings,omitempty"` // on its meters, that the user set
}

// ModuleDrift is what an account lost of one module that the journal cannot explain. With CountedOn it is what the
// journal booked on the module and the service counted on others, whose names those are.
type ModuleDrift struct {
	Account   attempt.Account `json:"account"`
	Module    string          `json:"module"`
	Units     int64           `json:"units"`
	CountedOn string          `json:"counted_on,omitempty"`
}

// StepEnds says how each step of one start of a run ended. A program that does not know this member keeps it when it
// starts the run again. Then Start is not the run's last start.
type StepEnds struct {
	Start time.Time `json:"start"` // when the run was started
	Ends  []StepEnd `json:"ends,omitempty"`
}

// StepEnd says how a step ended.
type StepEnd struct {
	Step    string    `json:"step"`
	Stop    string    `json:"stop,omitempty"` // why it ended early
	NotSent []NotSent `json:"not_sent,omitempty"`
}

// NotSent are lookups of a step that were not sent because of a limit on what they use. Others were sent.
type NotSent struct {
	Reason  string `json:"reason"`           // as Stop
	Module  string `json:"module,omitempty"` // what is limited
	Lookups int64  `json:"lookups"`
}

// StepEnds returns how the steps of the run's last start ended. It returns none when only Stop is known.
func (r Run) StepEnds() []StepEnd {
	if !r.Steps.Start.Equal(r.LastStarted()) {
		return nil
	}
	return r.Steps.Ends
}

// StopOf returns why a step of the run ended early; "" when it did not. Without StepEnds it returns Stop.
func (r Run) StopOf(step string) string {
	for _, end := range r.StepEnds() {
		if end.Step == step {
			return end.Stop
		}
	}
	return r.Stop
}

// Choice says who chooses among the companies that searches found, which answers count, and what is shown of them.
type Choice struct {
	Selected string `json:"selected,omitempty"` // absolute path of the file that was given to --selected
	Resolve  bool   `json:"resolve,omitempty"`  // as given to --resolve: the service chooses
	// AcceptMismatch says that rows also get the values of answers that contradict them.
	AcceptMismatch bool `json:"accept_mismatch,omitempty"`
	// Fallback says that a company which its first identity does not find is asked for by its others, and
	// FallbackOfPersons that a person is, too. FallbackChosen says that the user asked for it.
	Fallback          bool `json:"fallback,omitempty"`
	FallbackOfPersons bool `json:"fallback_of_persons,omitempty"`
	FallbackChosen    bool `json:"fallback_chosen,omitempty"`
	// Figures and Years are those that the output shows in columns of their own, with commas between them.
	Figures string `json:"figures,omitempty"`
	Years   string `json:"years,omitempty"`
}

// LastStarted returns when the run was started last, as far as the record tells.
func (r Run) LastStarted() time.Time {
	if r.Restarted.IsZero() {
		return r.Started
	}
	return r.Restarted
}
