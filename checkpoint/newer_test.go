package checkpoint

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/io/numbered"
	"payonce/io/service/v1"
)

// later is a member that a newer program gives a record.
func later() []byte {
	return protowire.AppendString(protowire.AppendTag(nil, numbered.Most, protowire.BytesType), "of a newer program")
}

// TestComputedRecordsOfANewerProgramAreNotRewritten opens a journal with a member more in one of the
// records that are computed again with every commit. One lookup is in flight, and the program has
// names of fields that the journal lacks, so that opening would write.
func TestComputedRecordsOfANewerProgramAreNotRewritten(t *testing.T) {
	for name, key := range map[string][]byte{
		"state": record.StateKey, "totals": record.NameKey(record.TotalsPrefix, ScopeAll),
		"day": record.NameKey(record.DayPrefix, record.DayOf(start)),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.settle(r.grant(request(person(1), email)), found)
			r.grant(request(person(2), email))
			records := maps.Clone(r.store.records)
			if records[string(key)] == nil {
				t.Fatalf("the journal has no record %q", key)
			}
			delete(records, string(record.FieldsKey))
			records[string(key)] = append(bytes.Clone(records[string(key)]), later()...)
			s := newMemStore()
			s.records = maps.Clone(records)
			_, err := New(s, Options{Catalogue: v1.Catalogue(), Rate: Rate{Slots: 1, Window: time.Minute}, Now: r.clock.now})
			if !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "newer program") {
				t.Errorf("error %v", err)
			}
			if !maps.EqualFunc(records, s.records, bytes.Equal) {
				t.Error("the journal was written")
			}
		})
	}
}

// TestFactsOfANewerProgramKeepTheirMembers rewrites every kind of record of facts that the journal
// ever rewrites.
func TestFactsOfANewerProgramKeepTheirMembers(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(freeAndPaid(1, 10*cost.Dollar)))
	r.settle(r.grant(request(person(1), email)), found)
	r.check(r.SaveRun(record.Run{Name: "run", List: "list.csv"}))
	r.check(r.SaveFile(record.File{Path: "/list.csv", Size: 1}))
	event := Event{Key: r.EventKey("record"), Event: record.Event{Run: "run", Changed: start.Add(2 * time.Hour)}}
	r.check(r.SaveEvents([]Event{event}))
	r.observe(1, Observed{"7", []byte(`{"message":"of p1"}`)})
	r.check(r.SavePolled(start))
	r.check(r.RecordAPIKey("key-one"))
	keys := map[string][]byte{
		"intent":      record.IDKey(record.IntentPrefix, 1),
		"resolution":  record.IDKey(record.ResolutionPrefix, 1),
		"field":       record.FieldKey(r.Key(person(1)), v1.WorkEmail),
		"run":         record.NameKey(record.RunPrefix, "run"),
		"file":        record.NameKey(record.FilePrefix, "/list.csv"),
		"event":       record.EventKey(event.Key),
		"observation": record.ObservedKey(r.companyKey("7"), record.KeyOf(r.secret, []byte(`{"message":"of p1"}`))),
		"polled":      record.PolledKey(0),
		"fingerprint": record.FingerprintKey,
	}
	before := map[string][]byte{}
	for name, key := range keys {
		value := append(r.store.records[string(key)], later()...)
		r.store.records[string(key)], before[name] = value, bytes.Clone(value)
	}
	r.reopen()
	_, err := r.erase(Person{Identity: person(1)})
	r.check(err)
	_, err = r.Prune(start.Add(time.Hour))
	r.check(err)
	r.check(r.SavePolled(start.Add(time.Hour)))
	r.check(r.SaveRun(record.Run{Name: "run", List: "another.csv"}))
	r.check(r.SaveFile(record.File{Path: "/list.csv", Size: 2}))
	event.Run = "another"
	r.check(r.SaveEvents([]Event{event}))
	r.check(r.RecordAPIKey("key-two"))
	for name, key := range keys {
		value := r.store.records[string(key)]
		if bytes.Equal(value, before[name]) {
			t.Errorf("the %s was not rewritten", name)
		}
		if !bytes.Contains(value, later()) {
			t.Errorf("the %s lost its member: %x", name, value)
		}
	}
}

// TestACorrectedResolutionKeepsItsMembers has an answer that the account shows to have been free.
func TestACorrectedResolutionKeepsItsMembers(t *testing.T) {
	r := newRig(t)
	r.check(r.Rebase(freeAndPaid(1, cost.Dollar)))
	r.lose(1, email, "run") // holds the free unit and is not charged
	ticket := r.grant(request(person(2), email))
	r.settle(ticket, found)
	key := string(record.IDKey(record.ResolutionPrefix, ticket.ID))
	r.store.records[key] = append(r.store.records[key], later()...)
	_, err := r.Reconcile(freeAndPaid(0, cost.Dollar), false)
	r.check(err)
	res, _, err := r.Resolution(ticket.ID)
	r.check(err)
	if res.Charge != free(email) {
		t.Errorf("the answer is charged %+v, want free", res.Charge)
	}
	if !bytes.Contains(r.store.records[key], later()) {
		t.Errorf("the member is lost: %x", r.store.records[key])
	}
}
