package main

import (
	"bytes"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payonce/cost"
	"payonce/internal/lists"
	"payonce/internal/report"
	"payonce/sandbox"
)

// keptText returns a plan as a file holds it.
func keptText(t testing.TB, change func(*keptPlan)) []byte {
	t.Helper()
	kept := &keptPlan{
		Version: keptPlanVersion, Kept: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
		List:    keptList{Paths: []string{"/lists/list.csv"}, SHA256: strings.Repeat("0a", 32)},
		Service: "https://service.example/api/v1", Options: map[string]string{"fields": "email", "max-spend": "3.00"},
		Map: []string{"email=E-mail"},
		Plan: &report.Plan{
			Version: report.PlanVersion, Columns: map[string]string{"email": "E-mail"}, Maximum: 3 * cost.Dollar,
			Prices: report.Prices{Source: "<card> & more", USD: map[string]cost.Money{"work_email": 15 * cost.Cent}},
		},
	}
	var err error
	if kept.Checksum, err = kept.sum(); err != nil {
		t.Fatal(err)
	}
	change(kept)
	var text bytes.Buffer
	if err := report.JSON(&text, kept); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// Any member that is edited by hand is noticed.
func TestParsePlanNoticesEdits(t *testing.T) {
	if _, err := parsePlan(keptText(t, func(*keptPlan) {})); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*keptPlan){
		"the list":    func(k *keptPlan) { k.List.SHA256 = strings.Repeat("0b", 32) },
		"an option":   func(k *keptPlan) { k.Options["max-spend"] = "30.00" },
		"an addition": func(k *keptPlan) { k.Options["strict"] = "true" },
		"the mapping": func(k *keptPlan) { k.Map = nil },
		"the service": func(k *keptPlan) { k.Service += "/other" },
		"the maximum": func(k *keptPlan) { k.Plan.Maximum++ },
		"a price":     func(k *keptPlan) { k.Plan.Prices.USD["work_email"]++ },
		"the sum":     func(k *keptPlan) { k.Checksum = "" },
	} {
		if _, err := parsePlan(keptText(t, change)); err == nil || !strings.Contains(err.Error(), "was changed after it was made") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzParsePlan shows that a file is read as a plan only when it is one to the last
// member: what is read and written again is read as the same.
func FuzzParsePlan(f *testing.F) {
	f.Add(keptText(f, func(*keptPlan) {}))
	f.Add(keptText(f, func(k *keptPlan) { k.Plan = nil }))
	f.Add([]byte(`{"version": 1, "service": "sandbox", "plan": {}, "sha256": ""}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		kept, err := parsePlan(data)
		if err != nil {
			if kept != nil || err.Error() == "" {
				t.Fatalf("%v with the error %q", kept, err)
			}
			return
		}
		var text bytes.Buffer
		if err := report.JSON(&text, kept); err != nil {
			t.Fatal(err)
		}
		again, err := parsePlan(text.Bytes())
		if err != nil {
			t.Fatalf("%v after it was written again as\n%s", err, &text)
		}
		if diff := cmp.Diff(kept, again, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

// A plan that was kept before plans remembered how the list is read leaves that to the run.
func TestAnOlderPlanLeavesTheReadingToItsRun(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, sandbox.DefaultConfig(), lists.Default(4, 60))
	b.batch("plan", "--max-spend", "3", "--out", b.path("plan.json"))
	run := []string{"run", "--plan", b.path("plan.json"), "-o", b.path("out.csv"), "--yes", "--encoding", "UTF-8"}
	if _, stderr, code := b.try(run...); code != exitUsage || !strings.Contains(stderr, "--encoding: planned none, now UTF-8") {
		t.Errorf("a plan that says that the encoding is recognised: exit code %d\n%s", code, stderr)
	}
	kept, err := readPlan(b.path("plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	delete(kept.Options, "encoding")
	delete(kept.Options, "sheet")
	if kept.Checksum, err = kept.sum(); err != nil {
		t.Fatal(err)
	}
	if err := writeJSONFile(b.path("plan.json"), kept); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := b.try(run...); code != exitDone && code != exitCeiling {
		t.Errorf("an older plan: exit code %d\n%s", code, stderr)
	}
}

// A forged plan, whose checksum is right, is compared with the world all the same.
func TestForgedPlanIsCompared(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, sandbox.DefaultConfig(), lists.Default(4, 60))
	b.batch("plan", "--max-spend", "3", "--out", b.path("plan.json"))
	kept, err := readPlan(b.path("plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(*keptPlan){
		"the list's content": func(k *keptPlan) { k.List.SHA256 = "\x1b[2J" },
		"maximum spend":      func(k *keptPlan) { k.Plan.Maximum = 0 },
		"price of":           func(k *keptPlan) { k.Plan.Prices.USD = nil },
		"column of":          func(k *keptPlan) { k.Plan.Columns = nil },
		"write it like":      func(k *keptPlan) { k.Options["max-spend"] = "much" },
		"the service":        func(k *keptPlan) { k.Service = "https://elsewhere.example/" },
		"is faster than":     func(k *keptPlan) { k.Options["rate"] = "1000000/1s" },
		"no regular file":    func(k *keptPlan) { k.Options["rate-card"] = "/dev/zero" },
		"--workspace":        func(k *keptPlan) { k.Options["workspace"] = "../../up" },
	} {
		plan, forged := *kept.Plan, *kept
		forged.Plan, forged.Options = &plan, map[string]string{}
		maps.Copy(forged.Options, kept.Options)
		forge(&forged)
		if forged.Checksum, err = forged.sum(); err != nil {
			t.Fatal(err)
		}
		if err := writeJSONFile(b.path("forged.json"), forged); err != nil {
			t.Fatal(err)
		}
		_, stderr, code := b.try("run", "--plan", b.path("forged.json"), "--yes", "-o", b.path("out.csv"))
		if code != exitUsage || !strings.Contains(stderr, name) || strings.Contains(stderr, "\x1b") {
			t.Errorf("%s: exit code %d\n%s", name, code, stderr)
		}
	}
	if posts := len(b.service.Books().Arrivals); posts > 0 {
		t.Errorf("%d lookups were sent", posts)
	}
}
