package jobs

import (
	"strings"
	"testing"
	"time"
)

// zoneNamed loads a time zone.
func zoneNamed(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// local reads a local date and time.
func local(t *testing.T, text string) LocalTime {
	t.Helper()
	l, err := parseLocalTime(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// timesOf reads a schedule.
func timesOf(t *testing.T, text string) Times {
	t.Helper()
	times, err := parseTimes(text)
	if err != nil {
		t.Fatal(err)
	}
	return times
}

// TestLocalTimesAtChangesOfClocks has the days on which the clocks of a zone change.
func TestLocalTimesAtChangesOfClocks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ zone, local, want string }{
		{"Europe/Berlin", "2026-03-28T02:30", "2026-03-28T02:30:00+01:00"},
		{"Europe/Berlin", "2026-03-29T02:30", "2026-03-29T03:30:00+02:00"}, // left out
		{"Europe/Berlin", "2026-03-29T02:00", "2026-03-29T03:00:00+02:00"},
		{"Europe/Berlin", "2026-03-29T03:00", "2026-03-29T03:00:00+02:00"},
		{"Europe/Berlin", "2026-10-25T02:30", "2026-10-25T02:30:00+02:00"}, // the first of two
		{"Europe/Berlin", "2026-10-25T03:00", "2026-10-25T03:00:00+01:00"},
		{"America/New_York", "2026-03-08T02:30", "2026-03-08T03:30:00-04:00"},
		{"America/New_York", "2026-11-01T01:30", "2026-11-01T01:30:00-04:00"},
		{"Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-04T02:45:00+11:00"}, // half an hour is left out
		{"America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T01:00:00-02:00"},   // midnight is left out
		{"Pacific/Apia", "2011-12-30T02:30", "2011-12-31T02:30:00+14:00"},        // a day is left out
		{"Asia/Kolkata", "2026-03-29T02:30", "2026-03-29T02:30:00+05:30"},
		{"UTC", "2026-03-29T02:30", "2026-03-29T02:30:00Z"},
	} {
		if got := local(t, test.local).In(zoneNamed(t, test.zone)).Format(time.RFC3339); got != test.want {
			t.Errorf("%s in %s is %s, want %s", test.local, test.zone, got, test.want)
		}
	}
}

// TestEveryLocalTimeIsProposedOnce walks a year in which the library itself would leave out a time and give
// another one twice.
func TestEveryLocalTimeIsProposedOnce(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"daily at 02:30": 365, "*/30 * * * *": 365 * 48, "30 2 1 * 1": 52 + 12 - 1} {
		times, seen := timesOf(t, text), map[LocalTime]bool{}
		for l := times.Next(local(t, "2025-12-31T23:59")); l.Before(local(t, "2027-01-01T00:00")); l = times.Next(l) {
			if seen[l] {
				t.Errorf("%s: %s twice", text, l)
			}
			if seen[l] = true; times.Previous(times.Next(l)) != l {
				t.Errorf("%s: %s is not the one before the next", text, l)
			}
		}
		if len(seen) != want {
			t.Errorf("%s: %d times, want %d", text, len(seen), want)
		}
	}
}

func TestTimesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"daily":              "write it like daily at 02:30",
		"daily at 24:00":     "write it like daily at 02:30",
		"daily at 2:3":       "write it like daily at 02:30",
		"30 2 * *":           "the five fields of a cron expression",
		"0 30 2 * * *":       "the five fields of a cron expression",
		"@daily":             "the five fields of a cron expression",
		"":                   "the five fields of a cron expression",
		"61 2 * * *":         "it is not a cron expression",
		"TZ=UTC 30 2 * * *":  "give it in time-zone",
		"TZ= * * * *":        "give it in time-zone",
		"30 2 31 2 *":        "no date matches the expression; correct the day or the month",
		"H H * * *":          "it is not a cron expression",
		"30 2 L * *":         "it is not a cron expression",
		"30 2 * * MON#1":     "it is not a cron expression",
		"1-70/3 2-1 * * 8-9": "it is not a cron expression",
	} {
		if _, err := parseTimes(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzParseTimes reads any text. What can be read has a next time.
func FuzzParseTimes(f *testing.F) {
	for _, text := range []string{"daily at 02:30", "*/5 1-3 1,15 JAN-MAR MON", "0 0 29 2 *", "? * * * *"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		times, err := parseTimes(text)
		if err == nil && times.Next(localTimeOf(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))).IsZero() {
			t.Errorf("%q has no next time", text)
		}
	})
}
