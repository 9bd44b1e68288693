package search

import (
	"math"
	"time"
)

// end is an end of a range as a whole number: the number, the year, or the number of the day.
type end struct {
	known bool
	at    int64
}

// maxEnd bounds the ends of ranges that are split.
const maxEnd = 1 << 40

// scale says where a range is split.
type scale struct {
	// middle returns the last value of the first part. The first end, if it is known, is not after it, and the
	// second one, if it is known, is after it. It returns false when the range is not to be split.
	middle  func(least, most end) (int64, bool)
	toBound func(int64) bound
}

// up returns the first whole value of a range that begins with a bound.
func (scale) up(b bound) int64 {
	if b.isDay() {
		return dayNumber(b.day)
	}
	return int64(math.Ceil(clamp(b.number)))
}

// down returns the last whole value of a range that ends with a bound.
func (scale) down(b bound) int64 {
	if b.isDay() {
		return dayNumber(b.day)
	}
	return int64(math.Floor(clamp(b.number)))
}

// clamp keeps a number within what can be converted. What is beyond maxEnd is not split.
func clamp(number float64) float64 { return max(-2*maxEnd, min(2*maxEnd, number)) }

// Where ranges without an end are split first, and how far.
const (
	firstNumber = 10
	mostNumber  = 100_000_000
	growth      = 4
)

// middleNumber splits a range of numbers in the middle of its orders of magnitude: there are many more small
// companies than large ones.
func middleNumber(least, most end) (int64, bool) {
	switch {
	case least.known && most.known && least.at < 0:
		return least.at + (most.at-least.at)/2, true
	case least.known && most.known:
		middle := int64(math.Sqrt(float64(max(least.at, 1)) * float64(most.at)))
		return max(least.at, min(middle, most.at-1)), true
	case least.known:
		return max(growth*least.at, firstNumber), least.at < mostNumber
	case most.known:
		return most.at / growth, most.at > 0
	}
	return firstNumber, true
}

// Where ranges of years without an end are split, and how far.
const (
	medianYear = 2007
	turn       = 2000
	fewYears   = 8
	firstYear  = 1700
	lastYear   = 2100
)

// middleYear splits a range of years. One without an end gets shorter parts the later the years are, as most
// companies are young. It does not depend on the present, so a search is split in the same way tomorrow.
func middleYear(least, most end) (int64, bool) {
	switch {
	case least.known && most.known:
		return least.at + (most.at-least.at)/2, true
	case least.known && least.at < turn, most.known && most.at >= turn:
		return turn - 1, true
	case least.known:
		return least.at + fewYears - 1, least.at < lastYear
	case most.known:
		return turn - 2*(turn-most.at) - fewYears, most.at > firstYear
	}
	return medianYear, true
}

// days returns the scale of ranges of days.
func days() scale {
	return scale{
		middle: func(least, most end) (int64, bool) {
			if least.known && most.known {
				return least.at + (most.at-least.at)/2, true
			}
			year, ok := middleYear(yearOf(least), yearOf(most))
			return dayNumber(time.Date(int(year), time.December, 31, 0, 0, 0, 0, time.UTC)), ok
		},
		toBound: func(day int64) bound { return dayBound(time.Unix(day*secondsOfDay, 0).UTC()) },
	}
}

const secondsOfDay = 24 * 60 * 60

// dayNumber returns the number of a day. That of 1970-01-01 is 0.
func dayNumber(day time.Time) int64 { return int64(math.Floor(float64(day.Unix()) / secondsOfDay)) }

// yearOf returns the year of a day.
func yearOf(day end) end {
	if !day.known {
		return end{}
	}
	return end{true, int64(time.Unix(day.at*secondsOfDay, 0).UTC().Year())}
}
