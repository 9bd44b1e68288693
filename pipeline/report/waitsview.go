package report

import (
	"time"

	"payonce/checkpoint"
)

// Waited is how long runs waited for one reason.
type Waited struct {
	For     string  `json:"for"` // for machines, such as "rate" or "ceiling:daily"
	Words   string  `json:"-"`
	Seconds float64 `json:"seconds"`
}

// WaitsOf returns the sums of the waits of runs in one month, or in all months for "". The longest comes first.
func WaitsOf(runs []checkpoint.Run, month string) []Waited {
	list := []Waited{}
	for _, w := range WaitSums(runs, month) {
		list = append(list, Waited{For: w.For, Words: waitWords(w.For), Seconds: WaitSpan(w).Seconds()})
	}
	return list
}

// Text writes the time in seconds, below ten seconds with tenths.
func (w Waited) Text() string {
	span := time.Duration(w.Seconds * float64(time.Second))
	if span < 10*time.Second {
		return span.Round(100 * time.Millisecond).String()
	}
	return span.Round(time.Second).String()
}
