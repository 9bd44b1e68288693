// Package crmtest is the conformance suite of connectors to CRMs. It plays each case against a CRM that stands in for
// the real one, and looks at the CRM afterwards.
package crmtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"payonce/io/crm"
)

// Connector has the methods that package crm describes.
type Connector interface {
	Fields(ctx context.Context) ([]crm.Field, error)
	Find(ctx context.Context, s crm.Selection, visit func(crm.Record) error) error
	Read(ctx context.Context, ids []string) ([]crm.Record, error)
	Update(ctx context.Context, c crm.Change) (crm.Outcome, error)
}

// Contact is a contact as the CRM has it.
type Contact struct {
	ID, Website string
	Values      map[string]string
}

// CRM is the CRM behind the connector. It has more than 200 contacts, with and without an email. Nobody changed them in
// the last seconds.
type CRM interface {
	// Connector returns a connector to the CRM. Refused returns one whose credentials the CRM refuses.
	Connector() Connector
	Refused() Connector
	Contacts() []Contact
	// All selects every contact by a view, and WithoutEmail those without an email by a condition.
	All() crm.Selection
	WithoutEmail() crm.Selection
	Edit(id string, values map[string]string)
	Lock(id string)
	Delete(id string)
	// Disturb spoils the next times answers to calls on paths that begin with path. Lost after: the call happened.
	Disturb(how Disturbance, path string, times int)
	// UpdatePath and ReadPath are the paths of changes, and of reads by ids.
	UpdatePath() string
	ReadPath() string
	// Writes are the values that connectors wrote, as "id field=value", in their order. Problems are what connectors did
	// that they must not do.
	Writes() []string
	Problems() []string
	Triggered() bool // a connector's change started workflows
}

// Disturbance is a way in which an answer goes wrong.
type Disturbance string

// The disturbances.
const (
	LostBefore  Disturbance = "lost before"
	LostAfter   Disturbance = "lost after"
	Failed      Disturbance = "failed after" // an error of the CRM with status 500 after it made the change
	GatewayPage Disturbance = "gateway page" // before the call happened
	Busy        Disturbance = "busy"         // turned away because of a limit
)

// The fields that the suite uses.
const (
	Email  = "Email"
	Phone  = "Phone"
	Mobile = "Mobile"
	Title  = "Title"
)

type stand struct {
	*testing.T
	CRM
	c Connector
}

// Run plays all cases. Each one gets a CRM from begin, in a bubble of package synctest.
func Run(t *testing.T, begin func(t *testing.T) CRM) {
	for name, play := range map[string]func(stand){
		"TheFieldsSayWhatMayBeWritten":            fields,
		"FindVisitsEachSelectedRecordOnce":        find,
		"ReadReturnsTheRecordsInOrder":            read,
		"AChangeWritesItsFieldsAlone":             written,
		"AnEditSinceTheReadIsKept":                changed,
		"AnEditInTheSecondOfTheReadIsKept":        sameSecond,
		"WhatTheCRMDoesNotTakeIsAnOutcome":        refusals,
		"NothingIsClearedUnlessItIsNamed":         cleared,
		"WhatMustNotBeWrittenIsNotSent":           forbidden,
		"ALostAnswerIsUnknownAndSentOnce":         lost,
		"ALimitDelaysAChange":                     busy,
		"ReadsAreRepeated":                        repeated,
		"RefusedCredentialsStop":                  credentials,
		"ManyChangesAtATimeAreEachMadeOnce":       many,
		"TheEndOfTheContextEndsACall":             ended,
		"AnErrorHasNoValueOfARecord":              quiet,
		"AConnectorThatReadsAgainSeesItsOwnWrite": readAgain,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := stand{T: t, CRM: begin(t)}
				s.c = s.Connector()
				play(s)
				if problems := s.Problems(); len(problems) > 0 {
					t.Errorf("the connector did what it must not do:\n%s", strings.Join(problems, "\n"))
				}
				if s.Triggered() {
					t.Error("a change started workflows, and did not ask for it")
				}
			})
		})
	}
}

// contact returns a contact that fits.
func (s stand) contact(fits func(Contact) bool) Contact {
	s.Helper()
	for _, c := range s.Contacts() {
		if fits(c) {
			return c
		}
	}
	s.Fatal("the CRM has no such contact")
	return Contact{}
}

func withoutEmail(c Contact) bool { return c.Values[Email] == "" }
func withEmail(c Contact) bool    { return c.Values[Email] != "" }

func (s stand) now(id string) Contact {
	return s.contact(func(c Contact) bool { return c.ID == id })
}

func (s stand) read(id string) crm.Record {
	s.Helper()
	records, err := s.c.Read(s.Context(), []string{id})
	if err != nil || len(records) != 1 {
		s.Fatalf("read of %s: %d records, %v", id, len(records), err)
	}
	return records[0]
}

// update makes a change that has to have a result.
func (s stand) update(change crm.Change, want crm.Result) crm.Outcome {
	s.Helper()
	outcome, err := s.c.Update(s.Context(), change)
	if err != nil || outcome.Result != want {
		s.Fatalf("the outcome is %+v, %v; want %s", outcome, err, want)
	}
	return outcome
}

func (s stand) email(id, value string) crm.Change {
	s.Helper()
	return crm.Change{ID: id, Modified: s.read(id).Modified, Values: map[string]string{Email: value}}
}

func fields(s stand) {
	fields, err := s.c.Fields(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	by := map[string]crm.Field{}
	for _, f := range fields {
		by[f.Name] = f
	}
	for name, is := range map[string]crm.Type{Email: crm.Email, Phone: crm.Phone, Mobile: crm.Phone, Title: crm.Text} {
		if f := by[name]; f.Type != is || f.MaxLength == 0 || f.ReadOnly || f.Label == "" || f.Mobile != (name == Mobile) {
			s.Errorf("the field %s is %+v", name, f)
		}
	}
}

func (s stand) found(selection crm.Selection) map[string]crm.Record {
	s.Helper()
	found := map[string]crm.Record{}
	err := s.c.Find(s.Context(), selection, func(r crm.Record) error {
		if _, twice := found[r.ID]; twice {
			s.Errorf("record %s was visited twice", r.ID)
		}
		found[r.ID] = r
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
	return found
}

func find(s stand) {
	contacts := s.Contacts()
	var some []string
	for i := 0; i < len(contacts); i += 2 {
		some = append(some, contacts[i].ID)
	}
	for _, c := range []struct {
		selection crm.Selection
		fits      func(Contact) bool
	}{
		{s.All(), func(Contact) bool { return true }},
		{s.WithoutEmail(), withoutEmail},
		{crm.Selection{IDs: some}, func(c Contact) bool { return slices.Contains(some, c.ID) }},
	} {
		found := s.found(c.selection)
		for _, contact := range contacts {
			record, is := found[contact.ID]
			if is != c.fits(contact) {
				s.Fatalf("%+v: record %s is found: %t", c.selection, contact.ID, is)
			}
			if is && (record.Account.Website != contact.Website || record.Values[Email] != contact.Values[Email] || record.Values["Last_Name"] != contact.Values["Last_Name"] || record.Modified == "") {
				s.Fatalf("%+v: record %s is %+v; the CRM has %+v", c.selection, contact.ID, record, contact)
			}
		}
	}
	stop := errors.New("stop")
	if err := s.c.Find(s.Context(), s.All(), func(crm.Record) error { return stop }); !errors.Is(err, stop) {
		s.Errorf("the error of visit is not returned, but %v", err)
	}
	for _, wrong := range []crm.Selection{{}, {View: "1", Condition: "x"}} {
		if err := s.c.Find(s.Context(), wrong, nil); crm.ProblemOf(err) != crm.Invalid {
			s.Errorf("%+v is taken: %v", wrong, err)
		}
	}
}

func read(s stand) {
	var ids []string
	for _, c := range s.Contacts()[:150] {
		ids = append(ids, c.ID)
	}
	slices.Reverse(ids)
	s.Delete(ids[3])
	records, err := s.c.Read(s.Context(), append(slices.Clone(ids), "1", "no id"))
	if err != nil {
		s.Fatal(err)
	}
	var got []string
	for _, r := range records {
		got = append(got, r.ID)
	}
	if want := slices.Delete(slices.Clone(ids), 3, 4); !slices.Equal(got, want) {
		s.Errorf("got %v, want %v", got, want)
	}
}

func written(s stand) {
	contact := s.contact(withoutEmail)
	outcome := s.update(s.email(contact.ID, "found@written.example"), crm.Written)
	contact.Values[Email] = "found@written.example"
	if now := s.now(contact.ID); !maps.Equal(now.Values, contact.Values) {
		s.Errorf("the record is %v, want %v", now.Values, contact.Values)
	}
	if record := s.read(contact.ID); outcome.Modified == "" || record.Modified != outcome.Modified {
		s.Errorf("the outcome says it was modified at %q, and the record %q", outcome.Modified, record.Modified)
	}
}

func changed(s stand) {
	contact := s.contact(withoutEmail)
	change := s.email(contact.ID, "found@changed.example")
	<-time.After(time.Second)
	s.Edit(contact.ID, map[string]string{Email: "by@hand.example"})
	s.update(change, crm.Changed)
	if now := s.now(contact.ID); now.Values[Email] != "by@hand.example" {
		s.Errorf("the email is %q", now.Values[Email])
	}
}

// sameSecond edits a record twice within one second, with the read between the two. The CRM compares whole seconds.
func sameSecond(s stand) {
	contact := s.contact(withoutEmail)
	<-time.After(time.Until(time.Now().Truncate(time.Second).Add(time.Second + 100*time.Millisecond)))
	s.Edit(contact.ID, map[string]string{Title: "first"})
	go func() {
		<-time.After(300 * time.Millisecond)
		s.Edit(contact.ID, map[string]string{Email: "by@hand.example"})
	}()
	record := s.read(contact.ID)
	<-time.After(time.Second)
	if record.Values[Email] != "by@hand.example" {
		outcome, err := s.c.Update(s.Context(), crm.Change{ID: contact.ID, Modified: record.Modified, Values: map[string]string{Email: "found@second.example"}})
		s.Errorf("the read does not show the edit; a change of it is %+v, %v", outcome, err)
	}
}

func refusals(s stand) {
	holder, contact := s.contact(withEmail), s.contact(withoutEmail)
	duplicate := s.update(s.email(contact.ID, holder.Values[Email]), crm.Duplicate)
	if duplicate.Field != Email || duplicate.Other != holder.ID {
		s.Errorf("the duplicate is %+v, want field %s and record %s", duplicate, Email, holder.ID)
	}
	change := s.email(contact.ID, "no email")
	if o := s.update(change, crm.Rejected); o.Field != Email || o.Code == "" {
		s.Errorf("the rejection is %+v", o)
	}
	change.Values = map[string]string{Title: strings.Repeat("long ", 1000)}
	if o := s.update(change, crm.Rejected); o.Field != Title {
		s.Errorf("the rejection is %+v", o)
	}
	change = s.email(contact.ID, "found@locked.example")
	s.Lock(contact.ID)
	s.update(change, crm.Locked)
	s.Delete(contact.ID)
	s.update(change, crm.Gone)
	if writes := s.Writes(); len(writes) > 0 {
		s.Errorf("there are writes: %v", writes)
	}
}

func cleared(s stand) {
	contact := s.contact(withoutEmail)
	outcome := s.update(s.email(contact.ID, "found@cleared.example"), crm.Written)
	for _, empty := range []string{"", " "} {
		_, err := s.c.Update(s.Context(), crm.Change{ID: contact.ID, Modified: outcome.Modified, Values: map[string]string{Email: empty}})
		if crm.ProblemOf(err) != crm.Invalid {
			s.Errorf("the value %q is taken: %v", empty, err)
		}
	}
	s.update(crm.Change{ID: contact.ID, Modified: s.read(contact.ID).Modified, Clear: []string{Email}}, crm.Written)
	if now := s.now(contact.ID); !maps.Equal(now.Values, contact.Values) {
		s.Errorf("the record is %v, want %v", now.Values, contact.Values)
	}
}

func forbidden(s stand) {
	contact := s.contact(withoutEmail)
	good := s.email(contact.ID, "found@forbidden.example")
	for name, spoil := range map[string]func(*crm.Change){
		"no record":           func(c *crm.Change) { c.ID = "" },
		"no time":             func(c *crm.Change) { c.Modified = "" },
		"no offset":           func(c *crm.Change) { c.Modified = "2026-01-02T03:04:05" },
		"nothing":             func(c *crm.Change) { c.Values = nil },
		"a mobile field":      func(c *crm.Change) { c.Values = map[string]string{Mobile: "+15551234567"} },
		"a mobile field away": func(c *crm.Change) { c.Clear = []string{Mobile} },
		"no such field":       func(c *crm.Change) { c.Values = map[string]string{"Nowhere": "x"} },
		"both":                func(c *crm.Change) { c.Clear = []string{Email} },
	} {
		change := good
		change.Values = maps.Clone(good.Values)
		spoil(&change)
		if outcome, err := s.c.Update(s.Context(), change); crm.ProblemOf(err) != crm.Invalid {
			s.Errorf("a change with %s: %+v, %v", name, outcome, err)
		}
	}
	if writes := s.Writes(); len(writes) > 0 {
		s.Errorf("there are writes: %v", writes)
	}
}

func lost(s stand) {
	contacts := slices.DeleteFunc(s.Contacts(), withEmail)
	for i, how := range []Disturbance{LostBefore, LostAfter, Failed, GatewayPage} {
		value := fmt.Sprintf("found%d@lost.example", i)
		change := s.email(contacts[i].ID, value)
		before := len(s.Writes())
		s.Disturb(how, s.UpdatePath(), 1)
		outcome := s.update(change, crm.Unknown)
		if outcome.Err == nil {
			s.Errorf("%s: the outcome does not say what happened", how)
		}
		wantWrites, wantValue := 0, ""
		if how == LostAfter || how == Failed {
			wantWrites, wantValue = 1, value
		}
		if record := s.read(change.ID); len(s.Writes())-before != wantWrites || record.Values[Email] != wantValue {
			s.Errorf("%s: %d writes, and the email is %q", how, len(s.Writes())-before, record.Values[Email])
		}
	}
}

func busy(s stand) {
	contact := s.contact(withoutEmail)
	change := s.email(contact.ID, "found@busy.example")
	s.Disturb(Busy, s.UpdatePath(), 2)
	begin := time.Now()
	s.update(change, crm.Written)
	if waited := time.Since(begin); waited < time.Second {
		s.Errorf("the connector came again after %s", waited)
	}
	s.Disturb(Busy, s.UpdatePath(), 100)
	_, err := s.c.Update(s.Context(), crm.Change{ID: contact.ID, Modified: s.read(contact.ID).Modified, Clear: []string{Email}})
	var e *crm.Error
	if !errors.As(err, &e) || e.Problem != crm.Exhausted || !e.Until.After(time.Now()) || e.Record != contact.ID {
		s.Errorf("a limit that does not end: %v", err)
	}
}

func repeated(s stand) {
	contact := s.contact(withEmail)
	for _, how := range []Disturbance{LostBefore, LostAfter, Failed, GatewayPage, Busy} {
		s.Disturb(how, s.ReadPath(), 2)
		if record := s.read(contact.ID); record.Values[Email] != contact.Values[Email] {
			s.Errorf("%s: the email is %q", how, record.Values[Email])
		}
	}
	s.Disturb(GatewayPage, s.ReadPath(), 100)
	if _, err := s.c.Read(s.Context(), []string{contact.ID}); crm.ProblemOf(err) != crm.Unreachable {
		s.Errorf("a CRM that does not answer: %v", err)
	}
}

func credentials(s stand) {
	c := s.Refused()
	contact := s.contact(withoutEmail)
	if _, err := c.Read(s.Context(), []string{contact.ID}); crm.ProblemOf(err) != crm.Refused {
		s.Errorf("a read: %v", err)
	}
	change := s.email(contact.ID, "found@refused.example")
	if outcome, err := c.Update(s.Context(), change); crm.ProblemOf(err) != crm.Refused {
		s.Errorf("a change: %+v, %v", outcome, err)
	}
}

func many(s stand) {
	contacts := slices.DeleteFunc(s.Contacts(), withEmail)[:60]
	s.Disturb(Busy, s.UpdatePath(), 3)
	var all sync.WaitGroup
	for i, contact := range contacts {
		all.Go(func() {
			records, err := s.c.Read(s.Context(), []string{contact.ID})
			if err != nil || len(records) != 1 {
				s.Errorf("read of %s: %v", contact.ID, err)
				return
			}
			outcome, err := s.c.Update(s.Context(), crm.Change{
				ID: contact.ID, Modified: records[0].Modified, Values: map[string]string{Email: fmt.Sprintf("found%d@many.example", i)},
			})
			if err != nil || outcome.Result != crm.Written {
				s.Errorf("change of %s: %+v, %v", contact.ID, outcome, err)
			}
		})
	}
	all.Wait()
	writes := s.Writes()
	slices.Sort(writes)
	if len(writes) != len(contacts) || len(slices.Compact(writes)) != len(contacts) {
		s.Errorf("%d changes made %d writes", len(contacts), len(writes))
	}
}

func ended(s stand) {
	contact := s.contact(withoutEmail)
	change := s.email(contact.ID, "found@ended.example")
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	if outcome, err := s.c.Update(ctx, change); !errors.Is(err, context.Canceled) {
		s.Errorf("%+v, %v", outcome, err)
	}
	s.Disturb(Busy, s.UpdatePath(), 1)
	ctx, cancel = context.WithCancel(s.Context())
	time.AfterFunc(time.Second, cancel) // while the connector waits
	if outcome, err := s.c.Update(ctx, change); !errors.Is(err, context.Canceled) {
		s.Errorf("after a wait: %+v, %v", outcome, err)
	}
	if writes := s.Writes(); len(writes) > 0 {
		s.Errorf("there are writes: %v", writes)
	}
}

func quiet(s stand) {
	holder, contact := s.contact(withEmail), s.contact(withoutEmail)
	secret := "secret-value@quiet.example"
	var said []string
	note := func(outcome crm.Outcome, err error) { said = append(said, fmt.Sprintf("%+v %v", outcome, err)) }
	change := s.email(contact.ID, secret)
	for _, how := range []Disturbance{LostBefore, GatewayPage} {
		s.Disturb(how, s.UpdatePath(), 1)
		note(s.c.Update(s.Context(), change))
	}
	for _, value := range []string{holder.Values[Email], strings.Repeat(secret, 50)} {
		change.Values = map[string]string{Email: value}
		note(s.c.Update(s.Context(), change))
	}
	change.Values = map[string]string{Email: secret, Mobile: secret}
	note(s.c.Update(s.Context(), change))
	for _, text := range said {
		if strings.Contains(text, "secret-value") || strings.Contains(text, holder.Values[Email]) {
			s.Errorf("a value is in %q", text)
		}
	}
}

func readAgain(s stand) {
	contact := s.contact(withoutEmail)
	s.update(s.email(contact.ID, "found@again.example"), crm.Written)
	if record := s.read(contact.ID); record.Values[Email] != "found@again.example" || record.Modified == "" {
		s.Errorf("the record is %+v", record)
	}
}
