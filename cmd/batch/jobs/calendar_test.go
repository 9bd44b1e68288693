package jobs

import (
	"slices"
	"testing"
)

func TestCalendarsOfSystemdNameTheSameTimes(t *testing.T) {
	for text, c := range map[string]struct {
		want  []string
		every int
	}{
		"daily at 02:30":      {[]string{"*-*-* 02:30:00"}, 10},
		"*/20 8-10 * * 1-5":   {[]string{"Mon,Tue,Wed,Thu,Fri *-*-* 08,09,10:00,20,40:00"}, 10},
		"0 6 1,15 * *":        {[]string{"*-*-01,15 06:00:00"}, 10},
		"30 1 1 3,9 0":        {[]string{"*-03,09-01 01:30:00", "Sun *-03,09-* 01:30:00"}, 10},
		"0 0 * * 7":           {[]string{"Sun *-*-* 00:00:00"}, 10},
		"7 4 * * *":           {[]string{"*-*-* 04:07:00"}, 1},
		"5 4 * * 0,1,2,3,4-6": {[]string{"*-*-* 04:05:00"}, 5},
		"6,12 4 * * *":        {[]string{"*-*-* 04:06,12:00"}, 6},
	} {
		times, err := parseTimes(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := times.Calendar(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", text, got, c.want)
		}
		if got := times.EveryMinutes(10); got != c.every {
			t.Errorf("%s: every %d minutes, want %d", text, got, c.every)
		}
	}
}
