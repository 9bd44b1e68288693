package v2

import (
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/world"
)

// limitOf returns the guard of a LimitError and the module that it names.
func limitOf(t *testing.T, got said) (guard, module string) {
	t.Helper()
	var body limitError
	got.decode(t, &body)
	a := body.Access
	for _, text := range []string{a.Permission, a.PermissionName, a.Module, a.ModuleName, a.App, a.AppName, body.Message} {
		if text == "" {
			t.Errorf("a member of the LimitError is empty: %s", got.text)
		}
	}
	return body.Guard, a.Module
}

// TestDailyLimitEndsAtMidnight: the limit of one module refuses its calls until 00:00 UTC, and no other module.
func TestDailyLimitEndsAtMidnight(t *testing.T) {
	s := opened(t, func(c *Config) { c.Daily = map[kit.Module]int64{kit.Companies: 2} })
	for range 2 {
		s.must(200, "GET", "/companies/1", "")
	}
	got := s.must(429, "GET", "/companies/1", "")
	if guard, module := limitOf(t, got); guard != "limits.daily" || module != "companies" || got.header.Get("Retry-After") != "" {
		t.Errorf("%s of %s, Retry-After %q", guard, module, got.header.Get("Retry-After"))
	}
	s.must(200, "POST", "/employees", filtered(`{"company_id":1}`))
	s.now = time.Date(2026, 11, 23, 23, 59, 59, 0, time.UTC)
	s.must(429, "GET", "/companies/1", "")
	s.now = s.now.Add(time.Second)
	s.must(200, "GET", "/companies/1", "")
	s.must(200, "GET", "/companies/1", "")
	s.must(429, "GET", "/companies/1", "")
	if err := s.Units().BeginDay(); err != nil {
		t.Fatal(err)
	}
	s.must(200, "GET", "/companies/1", "")
	if got := s.used(kit.Companies); got != 5 {
		t.Errorf("%d units, want 5", got)
	}
}

// TestTotalLimit: a total that is used up refuses calls until its owner changes it, also on another day.
func TestTotalLimit(t *testing.T) {
	s := opened(t, func(c *Config) { c.Totals[kit.Companies] = 1 })
	s.must(200, "GET", "/companies/1", "")
	s.now = s.now.AddDate(0, 0, 3)
	if guard, module := limitOf(t, s.must(429, "GET", "/companies/1", "")); guard != "limit" || module != "companies" {
		t.Errorf("%s of %s", guard, module)
	}
	if err := s.Units().SetTotal(kit.Companies, 2); err != nil {
		t.Fatal(err)
	}
	s.must(200, "GET", "/companies/1", "")
	s.must(429, "GET", "/companies/1", "")
	if err := s.Units().Reset(); err != nil {
		t.Fatal(err)
	}
	s.must(200, "GET", "/companies/1", "")
}

// TestRateLimitIsRollingAndPerKey: 60 calls within any minute; free operations do not count.
func TestRateLimitIsRollingAndPerKey(t *testing.T) {
	s := opened(t, func(c *Config) { c.Window = DefaultConfig().Window })
	_, other, err := s.Units().CreateKey()
	if err != nil {
		t.Fatal(err)
	}
	for range 59 {
		s.must(200, "GET", "/companies/1", "")
		s.must(200, "GET", "/metrics", "")
	}
	s.now = s.now.Add(30 * time.Second)
	s.must(404, "GET", "/companies/999999", "")
	got := s.must(429, "GET", "/companies/1", "")
	if got.header.Get("Retry-After") != "30" || got.object(t)["detail"] == "" {
		t.Errorf("Retry-After %q, %s", got.header.Get("Retry-After"), got.text)
	}
	s.key, other = other, s.key
	s.must(200, "GET", "/companies/1", "")
	s.key = other
	s.now = s.now.Add(30*time.Second - 1)
	s.must(429, "GET", "/companies/1", "")
	s.now = s.now.Add(1)
	for range 59 {
		s.must(200, "GET", "/companies/1", "")
	}
	s.must(429, "GET", "/companies/1", "")
}

// TestContactsAreCountedBySecond: /metrics/contacts counts what was returned between two moments.
func TestContactsAreCountedBySecond(t *testing.T) {
	s := opened(t, nil)
	c := s.company(func(c world.Company) bool {
		e, _ := s.world.Employee(c, 0)
		return e.HasEmail() && e.HasPhone()
	})
	e, _ := s.world.Employee(c, 0)
	start := s.now
	s.must(200, "GET", "/employees/"+e.ID, "")
	s.now = s.now.Add(10 * time.Second)
	s.must(200, "POST", "/enrichment/employee/linkedin", encoded(map[string]any{"linkedin": e.Profile(), "reveal_email": false}))
	count := func(from, to time.Time) string {
		path := "/metrics/contacts?date_from=" + from.Format("2006-01-02+15:04:05") + "&date_to=" + to.Format("2006-01-02+15:04:05")
		return strings.TrimSpace(s.must(200, "GET", path, "").text)
	}
	for _, test := range []struct {
		from, to time.Time
		want     string
	}{
		{start, s.now, `{"email_count":1,"phone_count":2}`},
		{start, start, `{"email_count":1,"phone_count":1}`},
		{start.Add(time.Second), s.now, `{"email_count":0,"phone_count":1}`},
		{start.Add(-time.Hour), start.Add(-time.Second), `{"email_count":0,"phone_count":0}`},
	} {
		if got := count(test.from, test.to); got != test.want {
			t.Errorf("%s to %s: %s, want %s", test.from, test.to, got, test.want)
		}
	}
}

// TestWatchUsesAUnitWhileTheCompanyIsWatched starts and stops watches, some twice.
func TestWatchUsesAUnitWhileTheCompanyIsWatched(t *testing.T) {
	s := opened(t, func(c *Config) { c.Totals[kit.Watch] = 2 })
	s.must(201, "POST", "/companies/1/watch/start", `{"fields":["name"]}`)
	s.must(201, "POST", "/companies/1/watch/start", `{"fields":["company_fax"]}`)
	s.must(201, "POST", "/companies/2/watch/start", "")
	if got := s.used(kit.Watch); got != 2 {
		t.Errorf("%d units, want 2", got)
	}
	if guard, module := limitOf(t, s.must(429, "POST", "/companies/3/watch/start", "")); guard != "limit" || module != "watch" {
		t.Errorf("%s of %s", guard, module)
	}
	s.must(201, "POST", "/companies/1/watch/start", `{"fields":["name"]}`) // it uses up nothing more
	if got := s.must(200, "GET", "/companies/1/watch/fields", ""); got.text != "[\"company_fax\",\"name\"]\n" {
		t.Error(got.text)
	}
	s.must(200, "DELETE", "/companies/1/watch/stop", "")
	s.must(201, "POST", "/companies/3/watch/start", "")
	if got := s.used(kit.Watch); got != 2 {
		t.Errorf("%d units, want 2", got)
	}
	got := s.must(200, "GET", "/companies/watch?fields=company_fax&per_page=1", "").object(t)
	if len(got["data"].([]any)) != 1 || fmt.Sprint(got["total_results"], "/", got["pages"]) != "2/2" {
		t.Errorf("%v", got)
	}
}

// TestFaults lets calls go wrong in every way, each after it was counted and without.
func TestFaults(t *testing.T) {
	tests := []struct {
		fault  kit.Fault
		status int
		broken bool
	}{
		{kit.Fault{Answer: kit.Dropped}, 200, true},
		{kit.Fault{Answer: kit.Truncated}, 200, true},
		{kit.Fault{Answer: kit.Garbage}, 200, false},
		{kit.Fault{Answer: kit.ProxyPage}, 502, false},
		{kit.Fault{Answer: kit.Bodyless, Status: 504}, 504, false},
		{kit.Fault{Answer: kit.GatewayJSON}, 504, false},
		{kit.Fault{Answer: kit.GatewayJSON, Status: 404}, 404, false},
		{kit.Fault{Answer: kit.GatewayJSON, Status: 200}, 200, false},
		{kit.Fault{Answer: kit.Refused, Code: kit.InternalError}, 500, false},
		{kit.Fault{Answer: kit.Refused, Code: kit.InvalidToken}, 401, false},
		{kit.Fault{Answer: kit.Refused, Code: kit.NotFound}, 404, false},
		{kit.Fault{Answer: kit.Refused, Code: kit.InvalidRequest}, 400, false},
		{kit.Fault{Answer: kit.Refused, Code: kit.DailyLimit}, 429, false},
		{kit.Fault{Answer: kit.Refused, Code: kit.RateLimited, RetryAfter: 7 * time.Second}, 429, false},
	}
	for _, test := range tests {
		for _, happened := range []bool{false, true} {
			test.fault.Happened, test.fault.Max = happened, 1
			t.Run(test.fault.String(), func(t *testing.T) {
				s := opened(t, withFaults(test.fault))
				got := s.call("GET", "/financial/"+s.company(world.Company.HasFinancials).ID(), "")
				if got.status != test.status || got.broken != test.broken {
					t.Errorf("%d %q, broken %t", got.status, got.text, got.broken)
				}
				if used := s.used(kit.Financials); (used == 1) != happened {
					t.Errorf("%d units, but happened is %t", used, happened)
				}
				if test.fault.RetryAfter > 0 && got.header.Get("Retry-After") != "7" {
					t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
				}
				s.must(200, "GET", "/companies/1", "")
			})
		}
	}
}

// TestFaultsOfTheOtherInterfaceApplyToNoCall: faults about money, and codes of the other interface, strike no call.
func TestFaultsOfTheOtherInterfaceApplyToNoCall(t *testing.T) {
	s := opened(t, withFaults(
		kit.Fault{Effect: kit.CreditSpent, Amount: 1}, kit.Fault{Effect: kit.BudgetSet},
		kit.Fault{Answer: kit.Refused, Code: "credits_exhausted"}, kit.Fault{Answer: kit.Dropped, Path: "/api/v1"},
	))
	s.must(200, "GET", "/companies/1", "")
	for _, rule := range s.faults.List() {
		if rule.Struck != 0 {
			t.Errorf("%s struck", rule.Fault)
		}
	}
}

// TestKeyIsRevokedByAFault: the call in which it happens is answered, the next one is not.
func TestKeyIsRevokedByAFault(t *testing.T) {
	s := opened(t, withFaults(kit.Fault{Effect: kit.KeyRevoked, At: []int{2}}))
	s.must(200, "GET", "/companies/1", "")
	s.must(200, "GET", "/companies/1", "")
	s.must(401, "GET", "/companies/1", "")
	s.must(401, "GET", "/metrics", "")
}

// TestSlowCallIsCountedWhenItIsAnswered: a slow call counts when its time is over, and not when the service
// ends before.
func TestSlowCallIsCountedWhenItIsAnswered(t *testing.T) {
	for _, ends := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := opened(t, withFaults(kit.Fault{Delay: time.Minute}))
			results := make(chan said, 1)
			go func() { results <- s.call("GET", "/companies/1", "") }()
			<-time.After(59 * time.Second)
			if used := s.used(kit.Companies); used != 0 {
				t.Errorf("%d units before the answer", used)
			}
			if ends {
				_ = s.Close()
			}
			if got := <-results; got.broken != ends {
				t.Errorf("%+v", got)
			}
			if used := s.used(kit.Companies); (used == 0) != ends {
				t.Errorf("%d units after the answer", used)
			}
		})
	}
}

// TestNothingIsLostOrCountedTwiceUnderConcurrency: limits hold, and the counters equal the log.
func TestNothingIsLostOrCountedTwiceUnderConcurrency(t *testing.T) {
	s := opened(t, func(c *Config) {
		c.Totals[kit.Companies], c.Daily = 150, map[kit.Module]int64{kit.Contacts: 40}
	})
	var under sync.WaitGroup
	for worker := range 8 {
		under.Go(func() {
			for i := range 30 {
				s.call("GET", "/companies/"+strconv.Itoa(worker*30+i+1), "")
				s.call("POST", "/employees", filtered(`{"company_id":`+strconv.Itoa(i+1)+`}`))
				s.call("POST", "/companies/"+strconv.Itoa(i+1)+"/watch/start", "")
			}
		})
	}
	under.Wait()
	if companies, contacts, watched := s.used(kit.Companies), s.used(kit.Contacts), s.used(kit.Watch); companies != 150 || contacts != 40 || watched != 30 {
		t.Errorf("%d companies, %d contacts, %d watched; want 150, 40, 30", companies, contacts, watched)
	}
}

// TestCountersEqualTheLog: whatever calls, limits, faults, resets and restarts there are, the counters are the
// sums of the log, and a call that was answered with 200 was counted.
func TestCountersEqualTheLog(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		rules := []kit.Fault{
			{Answer: kit.Dropped, Probability: 0.1},
			{Answer: kit.Dropped, Happened: true, Probability: 0.1},
			{Answer: kit.Refused, Code: kit.InternalError, Happened: true, Probability: 0.1},
		}
		open := func() *service {
			return opened(t, func(c *Config) {
				c.Path, c.KeepRecords, c.Faults = filepath.Join(dir, "books"), 5, kit.NewFaultRules(1, rules)
			})
		}
		s := open()
		counted := int64(0)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			switch step := rapid.IntRange(0, 9).Draw(rt, "step"); step {
			case 0:
				before := s.Units().Usage()
				if err := s.Close(); err != nil {
					rt.Fatal(err)
				}
				s = open()
				if diff := cmp.Diff(before, s.Units().Usage(), cmp.AllowUnexported(kit.ModuleUsage{})); diff != "" {
					rt.Fatalf("a restart changed the counters:\n%s", diff)
				}
			case 1:
				if err := s.Units().Reset(); err != nil {
					rt.Fatal(err)
				}
				counted = 0
			case 2:
				total := rapid.Int64Range(0, 20).Draw(rt, "total")
				if err := s.Units().SetTotal(kit.Companies, total); err != nil {
					rt.Fatal(err)
				}
			case 3:
				err := s.Units().UseElsewhere(kit.UnitCharge{Module: kit.Companies, Units: 1})
				if err == nil {
					counted++
				} else if !errors.Is(err, kit.ErrInvalid) {
					rt.Fatal(err)
				}
			default:
				before := s.used(kit.Companies)
				got := s.call("GET", "/companies/"+strconv.Itoa(rapid.IntRange(1, 3).Draw(rt, "company")), "")
				after := s.used(kit.Companies)
				counted += after - before
				if got.status == http.StatusOK && !got.broken && after != before+1 {
					rt.Fatalf("an answer was not counted: %s", got.text)
				}
			}
			if err := s.Units().Audit(); err != nil || s.used(kit.Companies) != counted {
				rt.Fatalf("%v; %d units, %d counted", err, s.used(kit.Companies), counted)
			}
		}
	})
}

// TestMemoryDoesNotGrowWithCompanies asks for many companies while the ledger keeps few records.
func TestMemoryDoesNotGrowWithCompanies(t *testing.T) {
	if testing.Short() {
		t.Skip("it works on much data in one goroutine")
	}
	s := opened(t, func(c *Config) { c.KeepRecords = 10 })
	held := func() uint64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	ask := func(from, to int) {
		for id := from; id < to; id++ {
			s.call("GET", "/companies/"+strconv.Itoa(id), "")
			s.call("GET", "/digital-insights/"+strconv.Itoa(id), "")
		}
	}
	ask(1, 100)
	least := ^uint64(0)
	for range 3 { // other goroutines allocate too
		before := held()
		ask(100, 600)
		least = min(least, max(held(), before)-before)
	}
	if least > 100_000 {
		t.Errorf("500 companies keep %d bytes", least)
	}
}
