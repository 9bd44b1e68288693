package record

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/numbered"
	"payonce/io/service/v1"
)

// kindOfRecord is one kind of record.
type kindOfRecord struct {
	// roundTrip draws a record, writes it and fails unless it is read as it was.
	roundTrip func(*rapid.T) (value []byte)
	// again reads a value and writes what it has read.
	again func(value []byte) ([]byte, error)
	// over reads a value and writes what it has read in the place of the value.
	over func(value []byte) ([]byte, error)
}

// kinds are all types of Record by their names, which TestKindsAreAllTypesOfRecord checks. Ending and
// Answer are not among them, because they are parts of a resolution that are never written.
func kinds() map[string]kindOfRecord {
	return map[string]kindOfRecord{
		"Intent": kindFor[Intent](), "About": kindFor[About](), "Payer": kindFor[Payer](), "Subject": kindFor[Subject](), "Doubt": kindFor[Doubt](), "OpenMark": kindFor[OpenMark](),
		"FieldEntry": kindFor[FieldEntry](), "attempt.Resolution": kindFor[attempt.Resolution](), "cost.Totals": kindFor[cost.Totals](),
		"Span": kindFor[Span](), "State": kindFor[State](), "Registration": kindFor[Registration](),
		"FirstAccount": kindFor[FirstAccount](), "Run": kindFor[Run](), "File": kindFor[File](), "Job": kindFor[Job](), "Occurrence": kindFor[Occurrence](),
		"Alert": kindFor[Alert](), "Event": kindFor[Event](), "Observation": kindFor[Observation](), "Polled": kindFor[Polled](), "Pruned": kindFor[Pruned](), "Forms": kindFor[Forms](), "Aliases": kindFor[Aliases](), "Journal": kindFor[Journal](), "FieldNames": kindFor[FieldNames](), "[]byte": kindFor[[]byte](),
	}
}

// TestKindsAreAllTypesOfRecord reads the declaration of Record, so that no type is left untested.
func TestKindsAreAllTypesOfRecord(t *testing.T) {
	source, err := os.ReadFile("codec.go")
	if err != nil {
		t.Fatal(err)
	}
	_, union, _ := strings.Cut(string(source), "type Record interface {")
	union, _, found := strings.Cut(union, "}")
	if !found {
		t.Fatal("codec.go does not declare Record")
	}
	var declared []string
	for name := range strings.SplitSeq(union, "|") {
		if name = strings.TrimSpace(name); name != "Ending" && name != "Answer" {
			declared = append(declared, name)
		}
	}
	slices.Sort(declared)
	if diff := cmp.Diff(declared, slices.Sorted(maps.Keys(kinds()))); diff != "" {
		t.Errorf("types of Record (-declared +tested):\n%s", diff)
	}
}

// TestPartialDecodingAgreesWithTheWholeRecord compares the records that read a part of another one with it.
func TestPartialDecodingAgreesWithTheWholeRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := anyRecord[attempt.Resolution]().Draw(t, "resolution")
		var answer Answer
		if err := Decode(nil, Encode(&whole), &answer); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole.Answer(), attempt.Resolution(answer).Answer()); diff != "" {
			t.Fatalf("answer (-whole +part):\n%s", diff)
		}
		intent := anyRecord[Intent]().Draw(t, "intent")
		var subject Subject
		if err := Decode(nil, Encode(&intent), &subject); err != nil {
			t.Fatal(err)
		}
		want := Subject{About{intent.Key, intent.Identity, intent.Erased}, intent.Account}
		if diff := cmp.Diff(want, subject); diff != "" {
			t.Fatalf("subject (-whole +part):\n%s", diff)
		}
	})
}

func kindFor[T Record]() kindOfRecord {
	return kindOfRecord{
		roundTrip: func(t *rapid.T) []byte {
			record := anyRecord[T]().Draw(t, "record")
			value := Encode(&record)
			var read T
			if err := Decode(nil, value, &read); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(record, read, sameTimes, sameOptionals[int64](), sameOptionals[bool](), sameOptionals[cost.Money](), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("(-written +read):\n%s", diff)
			}
			return value
		},
		again: func(value []byte) ([]byte, error) {
			var record T
			err := Decode(nil, value, &record)
			return Encode(&record), err
		},
		over: func(value []byte) ([]byte, error) {
			var record T
			err := Decode(nil, value, &record)
			return encodeOver(value, &record), err
		},
	}
}

var sameTimes = cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })

// sameOptionals compares no values that are not known.
func sameOptionals[T comparable]() cmp.Option {
	return cmp.Comparer(func(a, b cost.Optional[T]) bool { return a.Known == b.Known && (!a.Known || a.Value == b.Value) })
}

// anyRecord draws records of which every part is drawn: one that is added to a type and
// has no number makes the round trip fail.
func anyRecord[T any]() *rapid.Generator[T] {
	fields := rapid.Map(rapid.ByteMax(byte(enrich.PossibleFields)), func(b byte) enrich.Fields { return enrich.Fields(b) })
	field := rapid.Map(rapid.ByteMax(enrich.MaxFields-1), func(b byte) enrich.Field { return enrich.Field(b) })
	rate := rapid.Custom(func(t *rapid.T) (r cost.Rate) {
		for m := range r.Uses {
			r.Uses[m] = rapid.OneOf(rapid.Just(int64(0)), rapid.Int64()).Draw(t, "uses")
		}
		r.Allowance, r.Varies = cost.Meter(rapid.IntRange(0, cost.MaxMeters-1).Draw(t, "allowance")), cost.Meters(rapid.Uint16Max(7).Draw(t, "varies"))
		return rapid.SampledFrom([]cost.Rate{r, {}}).Draw(t, "rate")
	})
	ids := rapid.SliceOfN(rapid.Map(rapid.Uint64(), func(n uint64) attempt.ID { return attempt.ID(n) }), 1, 3)
	seconds := rapid.OneOf(rapid.Int64Range(-62_167_000_000, 253_402_000_000), rapid.Int64Range(0, 4_000_000_000))
	times := rapid.Custom(func(t *rapid.T) time.Time {
		at := time.Unix(seconds.Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		return at.In(time.FixedZone("", 60*rapid.IntRange(-1439, 1439).Draw(t, "offset")))
	})
	decided := rapid.Map(rapid.Uint8Range(1, 9), func(n uint8) attempt.FieldState { return attempt.FieldState(n) })
	ended := rapid.Map(rapid.Uint8Range(1, 9), func(n uint8) attempt.State { return attempt.State(n) })
	return rapid.Map(rapid.MakeCustom[T](rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[enrich.Fields]():                 fields.AsAny(),
		reflect.TypeFor[cost.Rates]():                    rapid.Map(rapid.MapOf(field, rate), func(m map[enrich.Field]cost.Rate) cost.Rates { return m }).AsAny(),
		reflect.TypeFor[map[enrich.Field][]attempt.ID](): rapid.MapOf(field, ids).AsAny(),
		reflect.TypeFor[time.Time]():                     rapid.OneOf(times, rapid.Just(time.Time{})).AsAny(),
		reflect.TypeFor[attempt.FieldState]():            decided.AsAny(),
		reflect.TypeFor[attempt.State]():                 ended.AsAny(),
	}}), possible[T])
}

// possible makes a drawn record one that can be: the journal always has an ID, and an erased
// intent never has an identity.
func possible[T any](record T) T {
	switch r := any(&record).(type) {
	case *Journal:
		r.ID += "1"
	case *State:
		r.NextID = max(r.NextID, 1)
	case *Registration:
		r.Interface, r.Fields = r.Interface+"1", append(r.Fields, "email")
	case *Intent:
		if r.Erased {
			r.Identity = enrich.Identity{}
		}
	case *About:
		*r = possibleAbout(*r)
	case *Subject:
		r.About = possibleAbout(r.About)
	}
	return record
}

func possibleAbout(a About) About {
	if a.Erased {
		a.Identity = enrich.Identity{}
	}
	return a
}

func TestRecordsAreReadAsTheyWereWritten(t *testing.T) {
	for name, kind := range kinds() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				if value := kind.roundTrip(t); value[0] != Version {
					t.Fatalf("version %d", value[0])
				}
			})
		})
	}
}

// TestMembersOfALaterProgramAreKept writes every kind of record as a later program would, with a
// member more and one with a higher number, and rewrites it.
func TestMembersOfALaterProgramAreKept(t *testing.T) {
	later := protowire.AppendTag(nil, numbered.Most, protowire.BytesType)
	later = protowire.AppendString(later, "of a later program")
	later = protowire.AppendVarint(protowire.AppendTag(later, 1000, protowire.VarintType), 7)
	for name, kind := range kinds() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				value := append(kind.roundTrip(t), later...)
				written, err := kind.over(value)
				if err != nil || !bytes.Equal(written, value) {
					t.Fatalf("%x is written as %x, error %v", value, written, err)
				}
			})
		})
	}
}

// TestMembersWithinListsAreKept has a member of a later program in each of two ceilings, of which one
// is changed.
func TestMembersWithinListsAreKept(t *testing.T) {
	run := Run{Name: "run", Ceilings: []cost.Ceiling{{Name: "a", Limit: 1}, {Name: "b", Limit: 2}}}
	value := Encode(&Run{Name: "run"})
	var later [2][]byte
	for i := range later {
		later[i] = numbered.Append(nil, &run.Ceilings[i], ceilingMembers)
		later[i] = protowire.AppendVarint(protowire.AppendTag(later[i], 9, protowire.VarintType), uint64(i+100))
		value = protowire.AppendBytes(protowire.AppendTag(value, 15, protowire.BytesType), later[i])
	}
	run.Ceilings = []cost.Ceiling{{Name: "b", Limit: 2}, {Name: "a", Limit: 3}}
	written := encodeOver(value, &run)
	if !bytes.Contains(written, later[1]) {
		t.Errorf("ceiling b lost its member: %x", written)
	}
	if bytes.Contains(written, later[0][len(later[0])-2:]) {
		t.Errorf("ceiling a keeps a member though its limit is another one: %x", written)
	}
}

// TestComputedRecordsOfALaterProgramAreRefused has a member of a later program in each place where
// one can be.
func TestComputedRecordsOfALaterProgramAreRefused(t *testing.T) {
	later := protowire.AppendVarint(protowire.AppendTag(nil, 30, protowire.VarintType), 7)
	state := Encode(&State{Progress: Progress{NextID: 1}, Account: Account{Closed: []ClosedPeriod{{First: 1, Next: 2}}}})
	second := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1)
	account := func(members []byte) []byte {
		members = append(bytes.Clone(second), members...)
		return protowire.AppendBytes(protowire.AppendTag(bytes.Clone(state), 5, protowire.BytesType), members)
	}
	within := func(number protowire.Number, part []byte) []byte {
		return account(protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), append(part, later...)))
	}
	readState := func(value []byte) error { return DecodeComputed(nil, value, &State{}) }
	inPeriod := protowire.AppendBytes(protowire.AppendTag(nil, 6, protowire.BytesType), later)
	far := protowire.AppendVarint(protowire.AppendTag(bytes.Clone(state), 1000, protowire.VarintType), 7)
	for name, err := range map[string]error{
		"the state":                   readState(append(bytes.Clone(state), later...)),
		"a number above the highest":  readState(far),
		"a second account":            readState(account(later)),
		"the base of an account":      readState(within(5, nil)),
		"a provisional charge":        readState(within(11, nil)),
		"a closed period":             readState(within(12, nil)),
		"a charge of a closed period": readState(within(12, inPeriod)),
		"totals":                      DecodeComputed(nil, append(Encode(&cost.Totals{Held: cost.OfMoney(1)}), later...), &cost.Totals{}),
		"a day":                       DecodeComputed(nil, append(Encode(&Span{First: 1, Last: 2}), later...), &Span{}),
	} {
		if !errors.Is(err, ErrNewer) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, known := range [][]byte{state, account(nil)} {
		if err := readState(known); err != nil {
			t.Error(err)
		}
	}
	if err := readState(append(account(nil), account(nil)[len(state):]...)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("two accounts have the number 1: error %v", err)
	}
}

// TestMembersWithinMembersAreKept has a member of a later program in the charge of an answer.
func TestMembersWithinMembersAreKept(t *testing.T) {
	res := attempt.Resolution{State: attempt.Settled, At: start, Charge: cost.Charge{Paid: 5}}
	value := Encode(&res)
	charge := protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), 5)
	known := protowire.AppendBytes(protowire.AppendTag(nil, 7, protowire.BytesType), charge)
	later := protowire.AppendVarint(protowire.AppendTag(bytes.Clone(charge), 9, protowire.VarintType), 1)
	value = bytes.Replace(value, known, protowire.AppendBytes(protowire.AppendTag(nil, 7, protowire.BytesType), later), 1)
	res.Charge.Paid = 4
	written := encodeOver(value, &res)
	later[1] = 4
	if !bytes.Contains(written, later) {
		t.Errorf("%x is not in %x", later, written)
	}
}

// TestAnErasedIntentKeepsNothingOfItsIdentity has a member of a later program in the identity.
func TestAnErasedIntentKeepsNothingOfItsIdentity(t *testing.T) {
	in := Intent{At: start, Identity: person(1)}
	identity := protowire.AppendString(protowire.AppendTag(nil, 60, protowire.BytesType), "nickname")
	value := protowire.AppendBytes(protowire.AppendTag(Encode(&in), 3, protowire.BytesType), identity)
	in.Identity, in.Erased = enrich.Identity{}, true
	if written := encodeOver(value, &in); bytes.Contains(written, []byte("nickname")) || bytes.Contains(written, []byte("pro.example")) {
		t.Errorf("%q", written)
	}
}

// TestAFalseLengthInARecordAllocatesNoMemory has lists and texts that say to be longer than all that is there.
func TestAFalseLengthInARecordAllocatesNoMemory(t *testing.T) {
	decode := func(length uint64) (errs []error) {
		for number := range protowire.Number(16) {
			lie := protowire.AppendVarint(protowire.AppendTag([]byte{Version}, number+1, protowire.BytesType), length)
			errs = append(errs, Decode(nil, lie, &State{}), Decode(nil, lie, &FieldEntry{}), Decode(nil, lie, &Intent{}), Decode(nil, lie, &Run{}))
		}
		return errs
	}
	var smallest uint64 // what the smallest lie takes
	for _, length := range []uint64{7, 1 << 20, 1 << 40, math.MaxUint64} {
		least := uint64(math.MaxUint64) // of five times: the runtime counts what the whole process takes
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			errs := decode(length)
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
			for _, err := range errs {
				if !errors.Is(err, ErrCorrupt) {
					t.Errorf("length %d: error %v", length, err)
				}
			}
		}
		if smallest == 0 {
			smallest = least
		}
		if least > 2*smallest {
			t.Errorf("length %d: %d bytes were taken, %d for a length of 7", length, least, smallest)
		}
	}
}

// TestRecordsWithImpossibleValuesAreRefused reads records with a member that no program writes.
func TestRecordsWithImpossibleValuesAreRefused(t *testing.T) {
	number := func(member protowire.Number, n uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag([]byte{Version}, member, protowire.VarintType), n)
	}
	text := func(member protowire.Number, text string) []byte {
		return protowire.AppendString(protowire.AppendTag([]byte{Version}, member, protowire.BytesType), text)
	}
	state := func(value []byte) error { return Decode(nil, value, &State{}) }
	entry := func(value []byte) error { return Decode(nil, value, &FieldEntry{}) }
	resolution := func(value []byte) error { return Decode(nil, value, &attempt.Resolution{}) }
	intent := func(value []byte) error { return Decode(nil, value, &Intent{}) }
	for name, err := range map[string]error{
		"a field without a state":        entry([]byte{Version}),
		"a state of 9 bits":              entry(number(1, 256)),
		"a number as a text":             entry(text(1, "1")),
		"a resolution without a state":   resolution([]byte{Version}),
		"a field that nobody asks":       resolution(append(number(1, 3), number(9, 1<<enrich.MaxFields)[1:]...)),
		"a flag of two bits":             resolution(append(number(1, 3), number(3, 2)[1:]...)),
		"a time that is no text":         resolution(append(number(1, 3), text(2, "yesterday")[1:]...)),
		"a text as a number":             resolution(append(number(1, 3), number(6, 1)[1:]...)),
		"a key that is too short":        intent(text(2, "short")),
		"a ledger state without numbers": state([]byte{Version}),
		"more meters than there are":     state(append(number(1, 1), text(5, string(text(8, strings.Repeat("\x01", cost.MaxMeters+1))[1:]))[1:]...)),
		"a ledger state without account": state(number(1, 1)),
		"a journal without an ID":        Decode(nil, []byte{Version}, &Journal{}),
	} {
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// FuzzDecode reads values of which every byte may be wrong: what can be read is written
// as it was read.
func FuzzDecode(f *testing.F) {
	account := account()
	account.Readiness = map[string]cost.Readiness{"email": {Reason: "plan"}}
	account.Available = map[string]bool{"contact_enrichment": true}
	bought := map[enrich.Field][]attempt.ID{v1.WorkEmail: {7}}
	for _, seed := range [][]byte{
		Encode(&Intent{At: start, Identity: person(1), Pattern: "profile", Hold: cost.Hold{Fields: email, Rates: rates}, Run: "run", Earlier: bought}),
		Encode(&attempt.Resolution{State: attempt.Settled, At: start, Run: "run", Status: enrich.Matched, Returned: email, Data: "data", Sent: true}),
		Encode(&Doubt{At: start, Cause: "lost"}), Encode(&OpenMark{}), Encode(&Span{First: 1, Last: 300}),
		Encode(&FieldEntry{State: attempt.Found, Attempt: 1, At: start.In(time.FixedZone("", 3600)), Earlier: []attempt.ID{1, 1 << 40}}),
		Encode(&cost.Totals{Settled: cost.OfMoney(-1), Lookups: 1 << 40}), Encode(&State{Progress: Progress{NextID: 1}, Account: Account{Base: account, Rates: rates}}),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		for name, kind := range kinds() {
			written, err := kind.again(value)
			if err != nil {
				continue
			}
			again, err := kind.again(written)
			if err != nil || !bytes.Equal(written, again) {
				t.Errorf("%s %x is written as %x, and that as %x, error %v", name, value, written, again, err)
			}
		}
	})
}

// TestStepEndsAreThoseOfTheLastStart has an older program start a run again. It keeps the ends of the steps, which it
// does not know, and records why the run stopped.
func TestStepEndsAreThoseOfTheLastStart(t *testing.T) {
	run := Run{
		Started: start, Restarted: start, Stop: "ceiling:a",
		Steps: StepEnds{Start: start, Ends: []StepEnd{{Step: "first", Stop: "ceiling:a"}, {Step: "second"}}},
	}
	again := run
	again.Restarted, again.Stop = start.Add(time.Hour), "ceiling:b"
	old := Run{Started: start, Stop: "ceiling:c"}
	for _, test := range []struct {
		run           Run
		first, second string
		ends          int
	}{
		{run, "ceiling:a", "", 2},
		{again, "ceiling:b", "ceiling:b", 0},
		{old, "ceiling:c", "ceiling:c", 0},
	} {
		first, second, ends := test.run.StopOf("first"), test.run.StopOf("second"), test.run.StepEnds()
		if first != test.first || second != test.second || len(ends) != test.ends {
			t.Errorf("%+v: the steps stopped by %q and %q, ends %v", test.run, first, second, ends)
		}
	}
}
