package numbered

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protowire"
)

// point is a value within a value.
type point struct {
	X int64
	Y uint64
}

func pointMembers(m *Members, p *point) {
	Int(m, 1, &p.X)
	Uint(m, 2, &p.Y)
}

// everything has a member of every kind.
type everything struct {
	Uint     uint64
	Small    uint8
	Int      int64
	Optional int64
	Known    bool
	Flag     bool
	Text     string
	Bytes    []byte
	Array    [4]byte
	Time     time.Time
	Uints    []uint64
	Ints     [3]int64
	Point    point
	Points   []point
	Texts    []string
}

func everythingMembers(m *Members, e *everything) {
	Uint(m, 1, &e.Uint)
	Uint(m, 2, &e.Small)
	Int(m, 3, &e.Int)
	OptionalInt(m, 4, &e.Optional, &e.Known)
	Flag(m, 5, &e.Flag)
	Text(m, 6, &e.Text)
	Bytes(m, 7, &e.Bytes)
	Array(m, 8, e.Array[:])
	Time(m, 9, &e.Time)
	Uints(m, 10, &e.Uints)
	Ints(m, 11, e.Ints[:])
	Value(m, 12, &e.Point, pointMembers)
	List(m, 13, &e.Points, pointMembers)
	Texts(m, 14, &e.Texts)
}

func read(text string) (e everything, m Members, err error) {
	err = Read(&m, text, &e, everythingMembers)
	return e, m, err
}

func TestEveryKindIsReadAsItWasWritten(t *testing.T) {
	for name, e := range map[string]everything{
		"nothing":           {},
		"the least":         {Int: math.MinInt64, Optional: math.MinInt64, Known: true, Ints: [3]int64{math.MinInt64}},
		"the most":          {Uint: math.MaxUint64, Small: math.MaxUint8, Int: math.MaxInt64, Ints: [3]int64{0, 0, math.MaxInt64}},
		"a known zero":      {Known: true},
		"a long text":       {Text: string(bytes.Repeat([]byte("é"), 200))},
		"a text in no code": {Text: "\xff\x00"},
		"bytes":             {Bytes: []byte{0, 1}, Array: [4]byte{0, 0, 0, 1}},
		"a time":            {Time: time.Date(2026, 11, 1, 12, 0, 0, 1, time.UTC)},
		"an early time":     {Time: time.Date(1, 2, 3, 4, 5, 6, 7, time.UTC)},
		"lists":             {Uints: []uint64{0, 1, math.MaxUint64}, Texts: []string{"", "a", ""}, Points: []point{{}, {1, 2}, {-1, 0}}},
		"a value":           {Point: point{-3, 4}, Flag: true},
	} {
		t.Run(name, func(t *testing.T) {
			text := string(Append(nil, &e, everythingMembers))
			got, m, err := read(text)
			if err != nil || m.Unknown() {
				t.Fatalf("error %v, unknown members %t", err, m.Unknown())
			}
			if diff := cmp.Diff(e, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-written +read):\n%s", diff)
			}
			if name == "nothing" && text != "" {
				t.Errorf("nothing takes %d bytes", len(text))
			}
		})
	}
}

// TestReadReplacesEveryMemberOfTheValueBefore: nothing of the value before is left.
func TestReadReplacesEveryMemberOfTheValueBefore(t *testing.T) {
	full := everything{Uint: 1, Text: "a", Point: point{1, 1}, Points: []point{{1, 1}}, Texts: []string{"a"}, Uints: []uint64{1}}
	var m Members
	e := full
	if err := Read(&m, string(Append(nil, &full, everythingMembers)), &e, everythingMembers); err != nil {
		t.Fatal(err)
	}
	if err := Read(&m, "", &e, everythingMembers); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(everything{}, e, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-nothing +read):\n%s", diff)
	}
}

func TestDamagedRecordsAreErrors(t *testing.T) {
	whole := Append(nil, &everything{Text: "a text", Point: point{1, 2}, Uints: []uint64{300}}, everythingMembers)
	for name, text := range map[string]string{
		"cut short":              string(whole[:len(whole)-1]),
		"another kind":           string(protowire.AppendVarint(protowire.AppendTag(nil, 6, protowire.VarintType), 1)),
		"an endless number":      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"a number above its own": string(protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 256)),
		"an array too long":      string(protowire.AppendBytes(protowire.AppendTag(nil, 8, protowire.BytesType), make([]byte, 5))),
		"a length beyond":        "\x32\x7f",
		"a member zero":          "\x00\x00",
	} {
		t.Run(name, func(t *testing.T) {
			if e, _, err := read(text); !errors.Is(err, ErrDamaged) {
				t.Errorf("error %v, read %+v", err, e)
			}
		})
	}
}

// later is point as a later program writes it.
func withLater(data []byte) []byte {
	data = protowire.AppendString(protowire.AppendTag(data, 30, protowire.BytesType), "later")
	return protowire.AppendVarint(protowire.AppendTag(data, 1000, protowire.VarintType), 7)
}

// TestUnknownMembersAreKept, also within a value, when a value is replaced.
func TestUnknownMembersAreKept(t *testing.T) {
	inner := withLater(Append(nil, &point{1, 2}, pointMembers))
	was := withLater(Append(nil, &everything{Uint: 1}, everythingMembers))
	was = protowire.AppendBytes(protowire.AppendTag(was, 12, protowire.BytesType), inner)
	e, m, err := read(string(was))
	if err != nil || !m.Unknown() || e.Uint != 1 || e.Point != (point{1, 2}) {
		t.Fatalf("read %+v, unknown members %t, error %v", e, m.Unknown(), err)
	}
	e.Uint, e.Point.X = 2, 3
	now, err := AppendOver(nil, string(was), &e, everythingMembers)
	if err != nil || bytes.Count(now, []byte("later")) != 2 {
		t.Errorf("%q keeps not all of %q, error %v", now, was, err)
	}
	again, m, err := read(string(now))
	if diff := cmp.Diff(e, again, cmpopts.EquateEmpty()); diff != "" || !m.Unknown() || err != nil {
		t.Errorf("error %v (-written +read):\n%s", err, diff)
	}
}

// TestANumberIsDescribedOnce: two members of one number are a mistake in a program.
func TestANumberIsDescribedOnce(t *testing.T) {
	for _, number := range []int{0, 1, Most + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("member %d is described twice, or out of range, and nothing says so", number)
				}
			}()
			Append(nil, &point{}, func(m *Members, p *point) {
				Int(m, 1, &p.X)
				Uint(m, number, &p.Y)
			})
		}()
	}
}

// FuzzRead reads arbitrary bytes. What can be read is written and read again as it was, and keeps its
// unknown members.
func FuzzRead(f *testing.F) {
	f.Add(Append(nil, &everything{Text: "a", Points: []point{{1, 2}}, Time: time.Unix(1, 2)}, everythingMembers))
	f.Add(withLater(nil))
	f.Add([]byte("\x08\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, m, err := read(string(data))
		if err != nil {
			return
		}
		again, _, err := read(string(Append(nil, &e, everythingMembers)))
		if diff := cmp.Diff(e, again, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Fatalf("error %v (-read +read again):\n%s", err, diff)
		}
		over, err := AppendOver(nil, string(data), &e, everythingMembers)
		if err != nil {
			t.Fatal(err)
		}
		kept, after, err := read(string(over))
		if diff := cmp.Diff(e, kept, cmpopts.EquateEmpty()); diff != "" || err != nil || m.found.higher != after.found.higher {
			t.Fatalf("written over, error %v (-read +kept):\n%s", err, diff)
		}
	})
}
