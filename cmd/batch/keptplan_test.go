package main

import (
	"maps"
	"strings"
	"testing"

	"payonce/io/sandbox"
	"payonce/io/sandbox/world"
	"payonce/pipeline"
)

// A plan says how the list is read, also that this is recognised.
func TestAPlanSaysHowTheListIsRead(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, sandbox.DefaultConfig(), world.DefaultList(4, 60))
	b.batch("plan", "--max-spend", "3", "--out", b.path("plan.json"))
	run := []string{"run", "--plan", b.path("plan.json"), "-o", b.path("out.csv"), "--yes", "--encoding", "UTF-8"}
	if _, stderr, code := b.try(run...); code != exitUsage || !strings.Contains(stderr, "--encoding: planned none, now UTF-8") {
		t.Errorf("a plan that says that the encoding is recognised: exit code %d\n%s", code, stderr)
	}
}

// A forged plan, whose checksum is right, is compared with the world all the same.
func TestAForgedPlanIsComparedBeforeARun(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, sandbox.DefaultConfig(), world.DefaultList(4, 60))
	b.batch("plan", "--max-spend", "3", "--out", b.path("plan.json"))
	kept, err := pipeline.ReadPlanFile(b.path("plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(*pipeline.PlanFile){
		"the list's content": func(k *pipeline.PlanFile) { k.List.SHA256 = "\x1b[2J" },
		"maximum spend":      func(k *pipeline.PlanFile) { k.Plan.Maximum = 0 },
		"price of":           func(k *pipeline.PlanFile) { k.Plan.Prices.USD = nil },
		"column of":          func(k *pipeline.PlanFile) { k.Plan.Columns = nil },
		"write it like":      func(k *pipeline.PlanFile) { k.Options["max-spend"] = "much" },
		"the service":        func(k *pipeline.PlanFile) { k.Service = "https://elsewhere.example/" },
		"is faster than":     func(k *pipeline.PlanFile) { k.Options["rate"] = "1000000/1s" },
		"not a regular file": func(k *pipeline.PlanFile) { k.Options["rate-card"] = "/dev/zero" },
		"--workspace":        func(k *pipeline.PlanFile) { k.Options["workspace"] = "../../up" },
	} {
		plan, forged := *kept.Plan, *kept
		forged.Plan, forged.Options = &plan, map[string]string{}
		maps.Copy(forged.Options, kept.Options)
		forge(&forged)
		if err := forged.Write(b.path("forged.json"), 0); err != nil {
			t.Fatal(err)
		}
		_, stderr, code := b.try("run", "--plan", b.path("forged.json"), "--yes", "-o", b.path("out.csv"))
		if code != exitUsage || !strings.Contains(stderr, name) || strings.Contains(stderr, "\x1b") {
			t.Errorf("%s: exit code %d\n%s", name, code, stderr)
		}
	}
	if posts := len(b.service.Ledger().Arrivals); posts > 0 {
		t.Errorf("%d lookups were sent", posts)
	}
}
