package jobs

import (
	"fmt"
	"strings"
)

// Calendar returns the times as calendar events of systemd, without a time zone. Each event names every value, so
// it has the same meaning as the expression. When both days are restricted, each has an event.
func (t Times) Calendar() []string {
	if t.IsZero() {
		return nil
	}
	s := t.spec
	clock := fmt.Sprintf("%s:%s:00", values(s.Hour, 0, 23, ""), values(s.Minute, 0, 59, ""))
	month := values(s.Month, 1, 12, "*")
	days, weekdays := values(s.Dom, 1, 31, "*"), weekdays(s.Dow)
	switch {
	case weekdays == "":
		return []string{fmt.Sprintf("*-%s-%s %s", month, days, clock)}
	case days == "*":
		return []string{fmt.Sprintf("%s *-%s-* %s", weekdays, month, clock)}
	}
	return []string{
		fmt.Sprintf("*-%s-%s %s", month, days, clock),
		fmt.Sprintf("%s *-%s-* %s", weekdays, month, clock),
	}
}

// values lists the values of a field. A field with all values is written as all, unless that is empty.
func values(field uint64, first, last int, all string) string {
	var list []string
	for value := first; value <= last; value++ {
		if field&(1<<value) != 0 {
			list = append(list, fmt.Sprintf("%02d", value))
		}
	}
	if all != "" && len(list) == last-first+1 {
		return all
	}
	return strings.Join(list, ",")
}

// weekdays lists the days of the week of a field; "" for all.
func weekdays(field uint64) string {
	names := []string{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"}
	var list []string
	for day, name := range names {
		if field&(1<<day) != 0 {
			list = append(list, name)
		}
	}
	if len(list) == len(names) {
		return ""
	}
	return strings.Join(list, ",")
}
