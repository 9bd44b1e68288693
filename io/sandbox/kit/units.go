// This file is the ledger of the second interface of the sandbox: its keys, the units that each module used, found
// emails and phones, totals, daily limits and the rate limit. It knows nothing of HTTP. A change is first an entry
// of the file and then applied to the memory.

package kit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Module is a part of the service that counts its own units.
type Module string

// The modules (assumptions, "What a call uses up").
const (
	Companies  Module = "companies"
	Contacts   Module = "contacts"
	Financials Module = "financials"
	Insights   Module = "digital_insights"
	Ownership  Module = "ownership"
	Watch      Module = "watch"
)

// Modules lists them.
func Modules() []Module {
	return []Module{Companies, Contacts, Financials, Insights, Ownership, Watch}
}

// The codes with which a call can be refused. The service shows them as bodies of different shapes.
const (
	InvalidToken   Code = "invalid_token"
	InvalidRequest Code = "invalid_request"
	NotFound       Code = "not_found"
	RateLimited    Code = "rate_limited"
	DailyLimit     Code = "limits.daily"
	Limit          Code = "limit"
	InternalError  Code = "internal_error"
)

// UnitCodes lists them.
func UnitCodes() []Code {
	return []Code{InvalidToken, InvalidRequest, NotFound, RateLimited, DailyLimit, Limit, InternalError}
}

// What is wrong with a call of the owner's.
var (
	ErrUnknown = errors.New("there is no")
	ErrInvalid = errors.New("invalid")
)

// UnitConfig describes the account as it begins.
type UnitConfig struct {
	Key    string           // the key that there is from the beginning
	Totals map[Module]int64 // of units; a module without one has no units
	Daily  map[Module]int64 // the most units of a day; a module without one has no daily limit
	Window Window           // of the calls of each key
	// KeepRecords is how many of the newest calls are kept in full; of older ones the ledger keeps sums. Zero keeps
	// all. It has to be more than the calls under way.
	KeepRecords int
	Now         func() time.Time
	Path        string // of the file; empty keeps the ledger in memory alone
	// Conceal returns what the ledger keeps instead of what a call is about. Nil keeps it.
	Conceal func(about string) string
}

// UnitCharge is what a call used up.
type UnitCharge struct {
	Module Module `json:"module,omitempty"`
	Units  int64  `json:"units,omitempty"`
	Emails int64  `json:"emails,omitempty"`
	Phones int64  `json:"phones,omitempty"`
}

// UnitRecord is one call of an operation that can use up units, or what somebody else used.
type UnitRecord struct {
	Number int       `json:"number,omitempty"` // from 1; 0 for what somebody else used
	At     time.Time `json:"at"`
	Key    string    `json:"key,omitempty"`
	Path   string    `json:"path,omitempty"`
	About  string    `json:"about,omitempty"`
	Code   Code      `json:"code,omitempty"` // of its refusal
	UnitCharge
	Period int `json:"period"` // how often the counters had been reset when it was charged
}

// UnitKey is one key of the account. Its value is kept nowhere.
type UnitKey struct {
	ID      string `json:"id"`
	Revoked bool   `json:"revoked"`
	window  *RollingWindow
}

// ModuleUsage is what a module used of its total.
type ModuleUsage struct {
	Module      Module `json:"module"`
	Used        int64  `json:"used"`
	Total       int64  `json:"total"`
	UsedToday   int64  `json:"used_today"`
	DailyLimit  *int64 `json:"daily_limit"` // nil: none
	usedOfToday time.Time
}

// UnitLedger is the ledger of one account. Its methods may be called from any goroutine.
type UnitLedger struct {
	config UnitConfig

	mu       sync.Mutex // guards what follows, and keeps entries in their order
	file     *LedgerFile[entry]
	keys     []*UnitKey
	byHash   map[string]*UnitKey
	usage    map[Module]*ModuleUsage
	period   int
	arrivals int
	records  []UnitRecord // the newest
	older    map[Module]UnitCharge
	found    []foundAt
}

// foundAt are the emails and phones that were found in one second.
type foundAt struct{ second, emails, phones int64 }

// kind says what an entry of the file is about.
type kind string

const (
	arrived    kind = "arrived"
	refused    kind = "refused"
	counted    kind = "counted"
	totalSet   kind = "total_set"
	dailySet   kind = "daily_set"
	dayBegan   kind = "day_began"
	reset      kind = "reset"
	keyCreated kind = "key_created"
	keyRevoked kind = "key_revoked"
)

type entry struct {
	Kind kind `json:"kind"`
	UnitRecord
	Hash  string `json:"hash,omitempty"`
	Limit *int64 `json:"limit,omitempty"`
}

const fileHeader = `{"kind":"sandbox_units","version":1}` + "\n"

// maxUnits keeps sums far from overflow.
const maxUnits = int64(1) << 50

// OpenUnitLedger replays the file into a new ledger.
func OpenUnitLedger(config UnitConfig) (*UnitLedger, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Conceal == nil {
		config.Conceal = func(about string) string { return about }
	}
	b := &UnitLedger{config: config, byHash: map[string]*UnitKey{}, usage: map[Module]*ModuleUsage{}, older: map[Module]UnitCharge{}}
	for _, m := range Modules() {
		b.usage[m] = &ModuleUsage{Module: m, Total: config.Totals[m]}
		if daily, limited := config.Daily[m]; limited {
			b.usage[m].DailyLimit = &daily
		}
	}
	b.addKey("key_1", hashOf(config.Key))
	var err error
	b.file, err = OpenLedgerFileLater(config.Path, fileHeader, b.apply)
	return b, err
}

func (c UnitConfig) check() error {
	if c.Key == "" || strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the key is empty or cannot stand in a header; use visible ASCII characters")
	}
	if c.Window.Limit <= 0 || c.Window.Per <= 0 || c.KeepRecords < 0 {
		return fmt.Errorf("%d calls per %s and %d records to keep; give limits above zero", c.Window.Limit, c.Window.Per, c.KeepRecords)
	}
	for _, limits := range []map[Module]int64{c.Totals, c.Daily} {
		for module, limit := range limits {
			if err := checkLimit(module, limit); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkLimit(m Module, limit int64) error {
	if !slices.Contains(Modules(), m) {
		return fmt.Errorf("%w module %q; there are %v", ErrUnknown, m, Modules())
	}
	if limit < 0 || limit > maxUnits {
		return fmt.Errorf("%w: a limit of %d; give 0 to %d", ErrInvalid, limit, maxUnits)
	}
	return nil
}

func hashOf(value string) string {
	hash := sha256.Sum256([]byte(value))
	return hex.EncodeToString(hash[:])
}

func (l *UnitLedger) addKey(id, hash string) {
	key := &UnitKey{ID: id, window: &RollingWindow{Window: l.config.Window}}
	l.keys = append(l.keys, key)
	l.byHash[hash] = key
}

// Close closes the file. Nothing is recorded any more.
func (l *UnitLedger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// now returns the present time as an entry gives it back.
func (l *UnitLedger) now() time.Time { return l.config.Now().UTC().Round(0) }

// today returns the module's counter, with that of the day begun again on a new day.
func (l *UnitLedger) today(m Module, now time.Time) *ModuleUsage {
	u := l.usage[m]
	if day := now.UTC().Truncate(24 * time.Hour); !day.Equal(u.usedOfToday) {
		u.UsedToday, u.usedOfToday = 0, day
	}
	return u
}

// apply applies an entry to the state in memory.
func (l *UnitLedger) apply(e entry) error {
	ofModule := e.Kind == counted || e.Kind == totalSet || e.Kind == dailySet
	if ofModule && l.usage[e.Module] == nil {
		return fmt.Errorf("an entry of the unknown module %q", e.Module)
	}
	if e.Kind == totalSet && e.Limit == nil {
		return errors.New("a total without a number")
	}
	switch e.Kind {
	case arrived:
		return l.applyArrival(e.UnitRecord)
	case refused:
		if r := l.find(e.Number); r != nil {
			r.Code = e.Code
		}
	case counted:
		l.applyCharge(e.UnitRecord)
	case totalSet:
		l.usage[e.Module].Total = *e.Limit
	case dailySet:
		l.usage[e.Module].DailyLimit = e.Limit
	case dayBegan:
		for _, m := range Modules() {
			l.today(m, e.At).UsedToday = 0
		}
	case reset:
		l.applyReset()
	case keyCreated:
		l.addKey(e.Key, e.Hash)
	case keyRevoked:
		for _, key := range l.keys {
			key.Revoked = key.Revoked || key.ID == e.Key
		}
	default:
		return fmt.Errorf("an entry of the unknown kind %q", e.Kind)
	}
	return nil
}

func (l *UnitLedger) applyArrival(r UnitRecord) error {
	if l.arrivals++; r.Number != l.arrivals {
		return fmt.Errorf("call %d where %d was to come", r.Number, l.arrivals)
	}
	l.keep(r)
	if i := slices.IndexFunc(l.keys, func(k *UnitKey) bool { return k.ID == r.Key }); i >= 0 && r.Code == "" {
		l.keys[i].window.Count(r.At)
	}
	return nil
}

// keep adds a record. When there are twice as many as are to be kept, it sums up the older half.
func (l *UnitLedger) keep(r UnitRecord) {
	l.records = append(l.records, r)
	if l.config.KeepRecords == 0 || len(l.records) < 2*l.config.KeepRecords {
		return
	}
	drop := len(l.records) - l.config.KeepRecords
	for _, old := range l.records[:drop] {
		l.sumUp(old)
	}
	l.records = slices.Delete(l.records, 0, drop)
}

// sumUp adds the charge of a record that is not kept to the sums of the present period.
func (l *UnitLedger) sumUp(r UnitRecord) {
	if r.Period == l.period && r.Module != "" {
		l.older[r.Module] = l.older[r.Module].plus(r.UnitCharge)
	}
}

func (c UnitCharge) plus(other UnitCharge) UnitCharge {
	return UnitCharge{c.Module, c.Units + other.Units, c.Emails + other.Emails, c.Phones + other.Phones}
}

// find returns the record of a call; nil when it is not kept any more.
func (l *UnitLedger) find(number int) *UnitRecord {
	for i := len(l.records) - 1; i >= 0; i-- {
		if l.records[i].Number == number {
			return &l.records[i]
		}
	}
	return nil
}

func (l *UnitLedger) applyCharge(charged UnitRecord) {
	u := l.today(charged.Module, charged.At)
	u.Used += charged.Units
	u.UsedToday += max(0, charged.Units)
	if charged.Emails != 0 || charged.Phones != 0 {
		second := charged.At.Unix()
		if n := len(l.found); n == 0 || l.found[n-1].second != second {
			l.found = append(l.found, foundAt{second: second})
		}
		last := &l.found[len(l.found)-1]
		last.emails += charged.Emails
		last.phones += charged.Phones
	}
	charged.Period = l.period
	if charged.Number == 0 {
		l.keep(charged)
		return
	}
	if r := l.find(charged.Number); r != nil {
		r.UnitCharge, r.Period = charged.UnitCharge, l.period
		return
	}
	l.sumUp(charged)
}

// applyReset begins a period. Watched companies stay watched, so their units stay used.
func (l *UnitLedger) applyReset() {
	watched := l.usage[Watch].Used
	l.period++
	clear(l.older)
	for _, u := range l.usage {
		u.Used, u.UsedToday = 0, 0
	}
	l.usage[Watch].Used = watched
	l.older[Watch] = UnitCharge{Module: Watch, Units: watched}
}

// Usage returns what each module used, in the order of Modules.
func (l *UnitLedger) Usage() []ModuleUsage {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	var all []ModuleUsage
	for _, m := range Modules() {
		all = append(all, *l.today(m, now))
	}
	return all
}

// Found returns how many emails and phones were found between two moments, in whole seconds and both included.
func (l *UnitLedger) Found(from, to time.Time) (emails, phones int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.found {
		if f.second >= from.Unix() && f.second <= to.Unix() {
			emails += f.emails
			phones += f.phones
		}
	}
	return emails, phones
}

// Records returns the calls that are kept, oldest first.
func (l *UnitLedger) Records() []UnitRecord {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]UnitRecord{}, l.records...)
}

// Audit compares the counters with the sums of the single charges.
func (l *UnitLedger) Audit() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	sums := maps.Clone(l.older)
	for _, r := range l.records {
		if r.Period == l.period && r.Module != "" {
			sums[r.Module] = sums[r.Module].plus(r.UnitCharge)
		}
	}
	for m, u := range l.usage {
		if u.Used != sums[m].Units {
			return fmt.Errorf("module %s counts %d units, its calls sum up to %d", m, u.Used, sums[m].Units)
		}
	}
	return nil
}
