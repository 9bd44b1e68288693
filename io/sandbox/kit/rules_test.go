package kit

import "testing"

// TestFaultRulesApplyToTheCallsTheyName looks at which calls the conditions of a rule apply to.
func TestFaultRulesApplyToTheCallsTheyName(t *testing.T) {
	notRefused := func(f Fault) bool { return f.Answer != Refused }
	call := Arrival{Number: 3, Path: "/v2/financial/7", About: "company 7"}
	tests := []struct {
		name  string
		fault Fault
		call  Arrival
		want  int
	}{
		{"no condition", Fault{Answer: Dropped}, call, 1},
		{"the arrival", Fault{Answer: Dropped, At: []int{3}}, call, 1},
		{"another arrival", Fault{Answer: Dropped, At: []int{4}}, call, 0},
		{"what it is about", Fault{Answer: Dropped, Identities: []string{"COMPANY 7"}}, call, 1},
		{"something else", Fault{Answer: Dropped, Identities: []string{"company 8"}}, call, 0},
		{"the start of the path", Fault{Answer: Dropped, Path: "/v2/financial"}, call, 1},
		{"another path", Fault{Answer: Dropped, Path: "/api/v1"}, call, 0},
		{"a fault that cannot happen", Fault{Answer: Refused}, Arrival{Number: 3, Fits: notRefused}, 0},
	}
	for _, test := range tests {
		if got := len(NewFaultRules(1, []Fault{test.fault}).Strike(test.call)); got != test.want {
			t.Errorf("%s: %d faults, want %d", test.name, got, test.want)
		}
	}
}

// TestFaultsOfEachSeriesAreDrawnSeparately: a rule with a probability strikes other arrivals of another series.
func TestFaultsOfEachSeriesAreDrawnSeparately(t *testing.T) {
	rules := NewFaultRules(1, []Fault{{Answer: Dropped, Probability: 0.5}})
	struck := func(series string) (pattern string) {
		for number := range 64 {
			pattern += string(rune('0' + len(rules.Strike(Arrival{Series: series, Number: number}))))
		}
		return pattern
	}
	if one, other := struck(""), struck("v2"); one == other || one != struck("") {
		t.Errorf("the series draw %s and %s", one, other)
	}
}
