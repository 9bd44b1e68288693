package main

import (
	"maps"
	"strings"
	"testing"

	"payonce/cmd/batch/exit"
	"payonce/internal/lists"
	"payonce/internal/planfile"
	"payonce/sandbox"
)

// A plan that was kept before plans remembered how the list is read leaves that to the run.
func TestAnOlderPlanLeavesTheReadingToItsRun(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, sandbox.DefaultConfig(), lists.Default(4, 60))
	b.batch("plan", "--max-spend", "3", "--out", b.path("plan.json"))
	run := []string{"run", "--plan", b.path("plan.json"), "-o", b.path("out.csv"), "--yes", "--encoding", "UTF-8"}
	if _, stderr, code := b.try(run...); code != exit.Usage || !strings.Contains(stderr, "--encoding: planned none, now UTF-8") {
		t.Errorf("a plan that says that the encoding is recognised: exit code %d\n%s", code, stderr)
	}
	kept, err := planfile.Read(b.path("plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	delete(kept.Options, "encoding")
	delete(kept.Options, "sheet")
	if err := kept.Write(b.path("plan.json"), 0); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := b.try(run...); code != exit.Done && code != exit.Ceiling {
		t.Errorf("an older plan: exit code %d\n%s", code, stderr)
	}
}

// A forged plan, whose checksum is right, is compared with the world all the same.
func TestForgedPlanIsCompared(t *testing.T) {
	t.Parallel()
	b := newWorkbench(t, sandbox.DefaultConfig(), lists.Default(4, 60))
	b.batch("plan", "--max-spend", "3", "--out", b.path("plan.json"))
	kept, err := planfile.Read(b.path("plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(*planfile.File){
		"the list's content": func(k *planfile.File) { k.List.SHA256 = "\x1b[2J" },
		"maximum spend":      func(k *planfile.File) { k.Plan.Maximum = 0 },
		"price of":           func(k *planfile.File) { k.Plan.Prices.USD = nil },
		"column of":          func(k *planfile.File) { k.Plan.Columns = nil },
		"write it like":      func(k *planfile.File) { k.Options["max-spend"] = "much" },
		"the service":        func(k *planfile.File) { k.Service = "https://elsewhere.example/" },
		"is faster than":     func(k *planfile.File) { k.Options["rate"] = "1000000/1s" },
		"not a regular file": func(k *planfile.File) { k.Options["rate-card"] = "/dev/zero" },
		"--workspace":        func(k *planfile.File) { k.Options["workspace"] = "../../up" },
	} {
		plan, forged := *kept.Plan, *kept
		forged.Plan, forged.Options = &plan, map[string]string{}
		maps.Copy(forged.Options, kept.Options)
		forge(&forged)
		if err := forged.Write(b.path("forged.json"), 0); err != nil {
			t.Fatal(err)
		}
		_, stderr, code := b.try("run", "--plan", b.path("forged.json"), "--yes", "-o", b.path("out.csv"))
		if code != exit.Usage || !strings.Contains(stderr, name) || strings.Contains(stderr, "\x1b") {
			t.Errorf("%s: exit code %d\n%s", name, code, stderr)
		}
	}
	if posts := len(b.service.Books().Arrivals); posts > 0 {
		t.Errorf("%d lookups were sent", posts)
	}
}
