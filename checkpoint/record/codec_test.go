package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"payonce/attempt"
	"payonce/checkpoint/store"
	"payonce/cost"
	"payonce/enrich"
)

// kindOfRecord is one kind of record that is packed.
type kindOfRecord struct {
	// roundTrip draws a record, writes it and fails unless it is read as it was.
	roundTrip func(*rapid.T) (value []byte)
	// again reads a value and writes what it has read.
	again func(value []byte) ([]byte, error)
}

// packedKinds are all of them.
func packedKinds() map[string]kindOfRecord {
	return map[string]kindOfRecord{
		"intent": kindFor[Intent](), "doubt": kindFor[Doubt](), "open mark": kindFor[OpenMark](), "field": kindFor[FieldEntry](),
		"resolution": kindFor[attempt.Resolution](), "totals": kindFor[cost.Totals](), "span": kindFor[Span](), "books": kindFor[State](),
	}
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
			if diff := cmp.Diff(record, read, sameTimes, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("(-written +read):\n%s", diff)
			}
			return value
		},
		again: func(value []byte) ([]byte, error) {
			var record T
			err := Decode(nil, value, &record)
			return Encode(&record), err
		},
	}
}

// sameTimes compares times as JSON shows them: with their offsets from UTC.
var sameTimes = cmp.Comparer(func(a, b time.Time) bool { return a.Format(time.RFC3339Nano) == b.Format(time.RFC3339Nano) })

// anyRecord draws records of which every part is drawn: one that is added to a type and
// not to its packed form makes the round trip fail.
func anyRecord[T any]() *rapid.Generator[T] {
	fields := rapid.Map(rapid.ByteMax(byte(enrich.AllFields)), func(b byte) enrich.Fields { return enrich.Fields(b) })
	field := rapid.Map(rapid.ByteMax(packedFields-1), func(b byte) enrich.Field { return enrich.Field(b) })
	money := rapid.Map(rapid.Int64(), func(n int64) cost.Money { return cost.Money(n) })
	ids := rapid.SliceOfN(rapid.Map(rapid.Uint64(), func(n uint64) attempt.ID { return attempt.ID(n) }), 1, 3)
	times := rapid.Custom(func(t *rapid.T) time.Time {
		at := time.Unix(rapid.Int64Range(firstSecond+2*day, lastSecond-2*day).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		return at.In(time.FixedZone("", 60*rapid.IntRange(-1439, 1439).Draw(t, "offset")))
	})
	counts := rapid.Map(rapid.SliceOfN(rapid.Int64(), packedFields, packedFields), func(n []int64) (b enrich.ByField[int64]) {
		copy(b[:], n)
		return b
	})
	optionals := rapid.Map(rapid.SliceOfN(rapid.Make[cost.Optional[int64]](), packedFields, packedFields),
		func(n []cost.Optional[int64]) (b enrich.ByField[cost.Optional[int64]]) {
			copy(b[:], n)
			return b
		})
	return rapid.MakeCustom[T](rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[enrich.ByField[int64]]():                counts.AsAny(),
		reflect.TypeFor[enrich.ByField[cost.Optional[int64]]](): optionals.AsAny(),
		reflect.TypeFor[enrich.Fields]():                        fields.AsAny(),
		reflect.TypeFor[cost.Prices]():                          rapid.Map(rapid.MapOf(field, money), func(m map[enrich.Field]cost.Money) cost.Prices { return m }).AsAny(),
		reflect.TypeFor[map[enrich.Field][]attempt.ID]():        rapid.MapOf(field, ids).AsAny(),
		reflect.TypeFor[time.Time]():                            rapid.OneOf(times, rapid.Just(time.Time{})).AsAny(),
	}})
}

// TestPackedRecordsAreReadAsTheyWereWritten, and not when something is missing at their
// end or follows it.
func TestPackedRecordsAreReadAsTheyWereWritten(t *testing.T) {
	for name, kind := range packedKinds() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				value := kind.roundTrip(t)
				if value[0] != Version {
					t.Fatalf("version %d", value[0])
				}
				for _, wrong := range [][]byte{value[:rapid.IntRange(0, len(value)-1).Draw(t, "cut")], append(bytes.Clone(value), 0)} {
					if _, err := kind.again(wrong); !errors.Is(err, store.ErrCorrupt) {
						t.Fatalf("%d bytes of %d: error %v", len(wrong), len(value), err)
					}
				}
			})
		})
	}
}

// TestALieAboutALengthTakesNoMemory has lists and texts that say to be longer than all
// that is there.
func TestALieAboutALengthTakesNoMemory(t *testing.T) {
	var before, after runtime.MemStats
	for _, length := range []uint64{7, 1 << 20, 1 << 40, math.MaxUint64} {
		lie := binary.AppendUvarint(nil, length)
		entry := Encode(&FieldEntry{State: attempt.Found, Attempt: 1, At: start})
		cause := Encode(&Doubt{At: start})
		runtime.ReadMemStats(&before)
		errs := []error{
			Decode(nil, append(entry[:len(entry)-1], lie...), &FieldEntry{}),
			Decode(nil, append(cause[:len(cause)-1], lie...), &Doubt{}),
		}
		runtime.ReadMemStats(&after)
		for _, err := range errs {
			if !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("length %d: error %v", length, err)
			}
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<10 {
			t.Errorf("length %d: %d bytes were taken", length, took)
		}
	}
}

func TestWhatIsNoTimeNoFieldAndNoFlagIsRefused(t *testing.T) {
	signed := func(numbers ...int64) (data []byte) {
		for _, n := range numbers {
			data = binary.AppendVarint(data, n)
		}
		return data
	}
	for name, c := range map[string]struct {
		data []byte
		read func(*Packet)
	}{
		"before the first year":    {append(signed(firstSecond-1), 0), func(p *Packet) { p.time() }},
		"after the last year":      {append(signed(lastSecond+1), 0), func(p *Packet) { p.time() }},
		"a second of nanoseconds":  {appendNumber(signed(0), uint64(2e9)), func(p *Packet) { p.time() }},
		"a day of offset":          {append(append(signed(0), 1), signed(day)...), func(p *Packet) { p.time() }},
		"a field that nobody asks": {[]byte{1 << packedFields}, func(p *Packet) { p.fields() }},
		"a flag that nobody sets":  {[]byte{4}, func(p *Packet) { p.flags(new(bool), new(bool)) }},
		"a number without an end":  {bytes.Repeat([]byte{0xff}, 11), func(p *Packet) { p.number() }},
		"a price of no field":      {[]byte{1 << packedFields}, func(p *Packet) { p.prices() }},
	} {
		p := Packet{data: string(c.data)}
		if c.read(&p); p.err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// TestNumbersAreReadAsTheLibraryReadsThem draws bytes of which many are parts of long
// numbers.
func TestNumbersAreReadAsTheLibraryReadsThem(t *testing.T) {
	part := rapid.OneOf(rapid.Byte(), rapid.ByteRange(0x80, 0xff), rapid.SampledFrom([]byte{0, 1, 2, 0x7f, 0x80, 0xff}))
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(part, 0, 12).Draw(t, "data")
		want, length := binary.Uvarint(data)
		p := Packet{data: string(data)}
		if got := p.number(); (length > 0) != (p.err == nil) || length > 0 && (got != want || p.at != length) || length <= 0 && got != 0 {
			t.Fatalf("number %d up to %d, error %v; want %d up to %d", got, p.at, p.err, want, length)
		}
		signed, _ := binary.Varint(data)
		p = Packet{data: string(data)}
		if got := p.signed(); p.err == nil && got != signed {
			t.Fatalf("signed number %d, want %d", got, signed)
		}
	})
}

// FuzzUnpack reads values of which every byte may be wrong: what can be read is written
// as it was read.
func FuzzUnpack(f *testing.F) {
	answer := found
	answer.Unresolved, answer.RetrievedAt = []string{"person"}, start
	account := account()
	account.Readiness = map[string]cost.Readiness{"email": {Reason: "plan"}}
	account.Available = map[string]bool{"contact_enrichment": true}
	bought := map[enrich.Field][]attempt.ID{enrich.WorkEmail: {7}}
	for _, seed := range [][]byte{
		Encode(&Intent{At: start, Identity: person(1), Pattern: "profile", Hold: cost.Hold{Fields: email, Prices: prices}, Run: "run", Earlier: bought}),
		Encode(&attempt.Resolution{State: attempt.Settled, At: start, Run: "run", Answer: &answer, Sent: true}),
		Encode(&Doubt{At: start, Cause: "lost"}), Encode(&OpenMark{}), Encode(&Span{First: 1, Last: 300}),
		Encode(&FieldEntry{State: attempt.Found, Attempt: 1, At: start.In(time.FixedZone("", 3600)), Earlier: []attempt.ID{1, 1 << 40}}),
		Encode(&cost.Totals{Settled: -1, Lookups: 1 << 40}), Encode(&State{NextID: 1, Base: account, Prices: prices}),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		for name, kind := range packedKinds() {
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
