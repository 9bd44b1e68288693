package kit

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/cost"
)

// codes are those of the refusals in these tests.
func codes() []Code { return []Code{"reservation_conflict", "rate_limited"} }

func TestParse(t *testing.T) {
	tests := []struct {
		text string
		want Fault
	}{
		{"lost-before", Fault{Answer: Dropped}},
		{"lost-after:p=0.02", Fault{Answer: Dropped, Happened: true, Probability: 0.02}},
		{"hang:at=3+9,max=1", Fault{Answer: Hanging, At: []int{3, 9}, Max: 1}},
		{"hang:happened=true", Fault{Answer: Hanging, Happened: true}},
		{"truncated:who=ada%2Clovelace|x%20y", Fault{Answer: Truncated, Happened: true, Identities: []string{"ada,lovelace", "x y"}}},
		{"garbage:happened=false", Fault{Answer: Garbage}},
		{"proxy-page:happened=true,status=504", Fault{Answer: ProxyPage, Happened: true, Status: 504}},
		{"no-body:status=502", Fault{Answer: Bodyless, Status: 502}},
		{"gateway-json", Fault{Answer: GatewayJSON}},
		{"gateway-json:happened=true,status=200", Fault{Answer: GatewayJSON, Happened: true, Status: 200}},
		{"gateway-json:status=404", Fault{Answer: GatewayJSON, Status: 404}},
		{"byte-order-mark:p=0.5", Fault{Answer: Marked, Happened: true, Probability: 0.5}},
		{"lost-after:path=/v2/financial", Fault{Answer: Dropped, Happened: true, Path: "/v2/financial"}},
		{"lost-after:path=/a%2Cb%25", Fault{Answer: Dropped, Happened: true, Path: "/a,b%"}},
		{"slow:delay=1m30s", Fault{Delay: 90 * time.Second}},
		{"reservation_conflict", Fault{Answer: Refused, Code: "reservation_conflict"}},
		{"rate_limited:retry-after=7s", Fault{Answer: Refused, Code: "rate_limited", RetryAfter: 7 * time.Second}},
		{"rate_limited:retry-date=7s", Fault{Answer: Refused, Code: "rate_limited", RetryAfter: 7 * time.Second, RetryDate: true}},
		{"revoke-key:at=5", Fault{Effect: KeyRevoked, At: []int{5}}},
		{"spend-credit:usd=3.50", Fault{Effect: CreditSpent, Amount: cost.Cents(350)}},
		{"set-budget:usd=0.00", Fault{Effect: BudgetSet}},
	}
	for _, test := range tests {
		got, err := ParseFault(test.text, codes())
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.text, diff)
		}
		again, err := ParseFault(got.String(), codes())
		if diff := cmp.Diff(got, again); err != nil || diff != "" {
			t.Errorf("%s is written as %s: %v\n%s", test.text, got, err, diff)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "there is no fault"},
		{"lost", "lost-before, lost-after"},
		{"not_found", "there is no fault"},
		{"hang:", ""}, // no options are fine
		{"hang:max", `"max" is not an option; write it like max=1`},
		{"hang:,", "is not an option"},
		{"hang:often=1", "there is no such option"},
		{"hang:max=-1", "give 0 for no limit"},
		{"hang:max=x", `option "max=x"`},
		{"hang:p=2", "from 0 to 1"},
		{"hang:p=0", "never strike"},
		{"hang:p=NaN", "from 0 to 1"},
		{"hang:at=0", "numbered from 1"},
		{"hang:at=", "invalid syntax"},
		{"hang:who=", "strike everybody"},
		{"hang:who=%zz", "invalid URL escape"},
		{"hang:path=v2", "give how paths begin"},
		{"hang:path=%zz", "invalid URL escape"},
		{"hang:status=502", "is not one of a gateway's response"},
		{"no-body:status=200", "give 500 to 599"},
		{"gateway-json:status=302", "with JSON also 200 or 400 to 599"},
		{"gateway-json:status=504,delay=-1s", "below zero"},
		{"gateway-json:retry-after=1s", "belong to a refusal alone"},
		{"byte-order-mark:status=502", "is not one of a gateway's response"},
		{"hang:retry-after=1s", "belong to a refusal alone"},
		{"rate_limited:retry-after=-1s", "below zero"},
		{"rate_limited:retry-date=0s", "needs a duration"},
		{"slow", "does nothing"},
		{"slow:delay=5", "missing unit"},
		{"spend-credit", "give a positive one"},
		{"spend-credit:usd=1e3", "not an amount"},
		{"hang:usd=1", "belongs to spent credit"},
	}
	for _, test := range tests {
		_, err := ParseFault(test.text, codes())
		if test.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "fault ") {
			t.Errorf("%q: error %v, want one with %q", test.text, err, test.want)
		}
	}
}

// FuzzParse: every fault that is read can be written and read again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"lost-after:p=0.02", "hang:at=3+9,max=1", "rate_limited:retry-date=7s",
		"truncated:who=a%7Cb|c+d,path=/v2/%2C", "spend-credit:usd=3", "proxy-page:status=504,happened=true,delay=1ms",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := ParseFault(text, codes())
		if err != nil {
			return
		}
		again, err := ParseFault(fault.String(), codes())
		if diff := cmp.Diff(fault, again); err != nil || diff != "" {
			t.Errorf("%q is written as %q: %v\n%s", text, fault, err, diff)
		}
	})
}
