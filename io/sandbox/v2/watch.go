// This file keeps what the second interface of the sandbox knows of watches: which companies are watched, what was
// changed, the events, and where notifications are sent. It knows nothing of HTTP. A change is first an entry of
// the file and then applied to the memory.

package v2

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"payonce/io/sandbox/kit"
)

// watchFields lists the fields that can be watched (specification v2, "Watch subscription").
func watchFields() []string {
	return []string{
		"company_fax", "name", "vat_number", "company_address_street", "company_website", "company_phone",
		"company_email", "shareholder_name", "company_status", "company_name",
	}
}

// ErrWatchField says that a field cannot be watched.
var ErrWatchField = errors.New("the field cannot be watched")

// Subscription is a watched company.
type Subscription struct {
	Company string    `json:"company"`
	Since   time.Time `json:"since"`
	Fields  []string  `json:"fields"`
}

// WatchEvent is a change of a watched field.
type WatchEvent struct {
	Company string    `json:"company"`
	Field   string    `json:"field"`
	Old     string    `json:"old"`
	New     string    `json:"new"`
	At      time.Time `json:"at"`
}

// watches are the subscriptions of one account. Their methods may be called from any goroutine.
type watches struct {
	now func() time.Time

	mu            sync.Mutex // guards what follows, and keeps entries in their order
	file          *kit.LedgerFile[entry]
	subscriptions map[string]*Subscription
	values        map[string]map[string]string // of changed fields, by company and field
	events        []WatchEvent                 // oldest first
	callback      string
}

type kind string

const (
	started     kind = "started" // or fields added
	stopped     kind = "stopped"
	removed     kind = "removed"
	changed     kind = "changed"
	callbackSet kind = "callback_set"
)

type entry struct {
	Kind     kind      `json:"kind"`
	At       time.Time `json:"at"`
	Company  string    `json:"company,omitempty"`
	Fields   []string  `json:"fields,omitempty"`
	Old      string    `json:"old,omitempty"`
	New      string    `json:"new,omitempty"`
	Callback string    `json:"callback,omitempty"`
}

const fileHeader = `{"kind":"sandbox_watches","version":1}` + "\n"

// openWatches replays the file into new watches; without a path they are kept in memory alone.
func openWatches(path string, now func() time.Time) (*watches, error) {
	w := &watches{now: now, subscriptions: map[string]*Subscription{}, values: map[string]map[string]string{}}
	var err error
	w.file, err = kit.OpenLedgerFileLater(path, fileHeader, w.apply)
	return w, err
}

// Close closes the file. Nothing is recorded any more.
func (w *watches) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.file.Close()
}

// write makes an entry with the present time durable, and then applies it.
func (w *watches) write(e entry) error {
	e.At = w.now().UTC().Round(0)
	return w.file.Record(e)
}

func (w *watches) apply(e entry) error {
	s := w.subscriptions[e.Company]
	switch e.Kind {
	case started:
		if s == nil {
			s = &Subscription{Company: e.Company, Since: e.At}
			w.subscriptions[e.Company] = s
		}
		s.Fields = append(s.Fields, e.Fields...)
		slices.Sort(s.Fields)
		s.Fields = slices.Compact(s.Fields)
	case stopped:
		delete(w.subscriptions, e.Company)
	case removed:
		if s != nil {
			s.Fields = slices.DeleteFunc(s.Fields, func(f string) bool { return slices.Contains(e.Fields, f) })
		}
	case changed:
		w.applyChange(e, s)
	case callbackSet:
		w.callback = e.Callback
	default:
		return fmt.Errorf("an entry of the unknown kind %q", e.Kind)
	}
	return nil
}

func (w *watches) applyChange(e entry, s *Subscription) {
	for _, field := range e.Fields {
		if w.values[e.Company] == nil {
			w.values[e.Company] = map[string]string{}
		}
		w.values[e.Company][field] = e.New
		if s != nil && slices.Contains(s.Fields, field) {
			w.events = append(w.events, WatchEvent{e.Company, field, e.Old, e.New, e.At})
		}
	}
}

func checkFields(fields []string) error {
	for _, field := range fields {
		if !slices.Contains(watchFields(), field) {
			return fmt.Errorf("%q: %w; there are %q", field, ErrWatchField, watchFields())
		}
	}
	return nil
}

// IsWatched reports whether a company is watched.
func (w *watches) IsWatched(company string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.subscriptions[company] != nil
}

// Add watches fields of a company, which need not be watched yet.
func (w *watches) Add(company string, fields []string) ([]string, error) {
	if err := checkFields(fields); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.write(entry{Kind: started, Company: company, Fields: fields}); err != nil {
		return nil, err
	}
	return slices.Clone(w.subscriptions[company].Fields), nil
}

// Remove ends the watch of fields; the company stays watched. It reports false when it is not.
func (w *watches) Remove(company string, fields []string) ([]string, bool, error) {
	if err := checkFields(fields); err != nil {
		return nil, true, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.subscriptions[company] == nil {
		return nil, false, nil
	}
	err := w.write(entry{Kind: removed, Company: company, Fields: fields})
	return slices.Clone(w.subscriptions[company].Fields), true, err
}

// Stop ends the watch of a company. It reports false when it is not watched.
func (w *watches) Stop(company string) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.subscriptions[company] == nil {
		return false, nil
	}
	return true, w.write(entry{Kind: stopped, Company: company})
}

// Watched returns the subscriptions, oldest first.
func (w *watches) Watched() []Subscription {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Subscription
	for _, s := range w.subscriptions {
		all = append(all, Subscription{s.Company, s.Since, slices.Clone(s.Fields)})
	}
	slices.SortFunc(all, func(a, b Subscription) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Company, b.Company))
	})
	return all
}

// Events returns the events of a company, newest first.
func (w *watches) Events(company string) []WatchEvent {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []WatchEvent
	for _, e := range slices.Backward(w.events) {
		if e.Company == company {
			all = append(all, e)
		}
	}
	return all
}

// SetCallback sets where notifications are sent.
func (w *watches) SetCallback(address string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.write(entry{Kind: callbackSet, Callback: address})
}

// Callback returns where notifications are sent; "" before it is set.
func (w *watches) Callback() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.callback
}

// Change changes a field of a company. It reports whether the field is watched, with the event.
func (w *watches) Change(company, field, before, after string) (WatchEvent, bool, error) {
	if err := checkFields([]string{field}); err != nil {
		return WatchEvent{}, false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	count := len(w.events)
	err := w.write(entry{Kind: changed, Company: company, Fields: []string{field}, Old: before, New: after})
	if err != nil || len(w.events) == count {
		return WatchEvent{}, false, err
	}
	return w.events[count], true, nil
}

// Value returns the changed value of a field; false when it was not changed.
func (w *watches) Value(company, field string) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	value, found := w.values[company][field]
	return value, found
}
