package numbered

import "testing"

type sharing struct {
	Text  string
	Point point
}

func sharingMembers(m *Members, s *sharing) {
	Text(m, 1, &s.Text)
	Shared(m, 2, &s.Point, pointMembers)
}

// wider is a sharing of a later program, whose point has one more member.
type wider struct {
	Text  string
	Point point
	More  uint64
}

func widerMembers(m *Members, w *wider) {
	Text(m, 1, &w.Text)
	Value(m, 2, w, func(m *Members, w *wider) {
		pointMembers(m, &w.Point)
		Uint(m, 9, &w.More)
	})
}

// TestASharedMemberIsReadForEachValue reads values one after the other with the same Members.
func TestASharedMemberIsReadForEachValue(t *testing.T) {
	var m Members
	reads := 0
	counted := func(m *Members, p *point) {
		reads++
		pointMembers(m, p)
	}
	for i, want := range []sharing{
		{"a", point{1, 2}}, {"b", point{1, 2}}, {"c", point{}}, {"d", point{1, 2}}, {"e", point{3, 2}}, {"f", point{1, 2}},
	} {
		var got sharing
		err := Read(&m, string(Append(nil, &want, sharingMembers)), &got, func(m *Members, s *sharing) {
			Text(m, 1, &s.Text)
			Shared(m, 2, &s.Point, counted)
		})
		if err != nil || got != want || m.Unknown() {
			t.Errorf("value %d: %+v, want %+v, error %v, unknown %t", i, got, want, err, m.Unknown())
		}
	}
	if reads != 4 { // the first, the one that is missing, and those that differ from the last one
		t.Errorf("points were read %d times", reads)
	}
}

// TestASharedMemberReportsUnknownMembers in each value that has it.
func TestASharedMemberReportsUnknownMembers(t *testing.T) {
	var m Members
	for i, value := range []wider{{Point: point{1, 2}, More: 7}, {Point: point{1, 2}, More: 7}, {Point: point{1, 2}}} {
		var got sharing
		err := Read(&m, string(Append(nil, &value, widerMembers)), &got, sharingMembers)
		if want := value.More > 0; err != nil || got.Point != value.Point || m.Unknown() != want {
			t.Errorf("value %d: %+v, error %v, unknown %t, want %t", i, got, err, m.Unknown(), want)
		}
	}
}

// TestADamagedSharedMemberIsRefused each time.
func TestADamagedSharedMemberIsRefused(t *testing.T) {
	var m Members
	for range 2 {
		var got sharing
		if err := Read(&m, "\x12\x02\x08\xff", &got, sharingMembers); err == nil {
			t.Error("it was read")
		}
		whole := sharing{Point: point{1, 2}}
		if err := Read(&m, string(Append(nil, &whole, sharingMembers)), &got, sharingMembers); err != nil || got != whole {
			t.Errorf("%+v, error %v", got, err)
		}
	}
}
