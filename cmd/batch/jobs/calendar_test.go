package jobs

import (
	"slices"
	"testing"
)

func TestCalendarsOfSystemdNameTheSameTimes(t *testing.T) {
	for text, want := range map[string][]string{
		"daily at 02:30":      {"*-*-* 02:30:00"},
		"*/20 8-10 * * 1-5":   {"Mon,Tue,Wed,Thu,Fri *-*-* 08,09,10:00,20,40:00"},
		"0 6 1,15 * *":        {"*-*-01,15 06:00:00"},
		"30 1 1 3,9 0":        {"*-03,09-01 01:30:00", "Sun *-03,09-* 01:30:00"},
		"0 0 * * 7":           {"Sun *-*-* 00:00:00"},
		"7 4 * * *":           {"*-*-* 04:07:00"},
		"5 4 * * 0,1,2,3,4-6": {"*-*-* 04:05:00"},
		"6,12 4 * * *":        {"*-*-* 04:06,12:00"},
	} {
		times, err := parseTimes(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := times.Calendar(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
