package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestKillsBetweenTheSearchAndTheChoicePayNothingTwice kills a run that searches for companies, and the run that is
// given the choice of somebody, at moments that a seed draws. Each company is searched for once and each record
// asked for once, also the ones that were chosen, and the journal has what the service counted.
func TestKillsBetweenTheSearchAndTheChoicePayNothingTwice(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	service := startService(t, 1, "--rate-v2", "100000/1s")
	settled := service.finishing(t)
	c := &unitCampaign{t: t, dir: t.TempDir(), baseURL: service.listen(t), draw: rand.New(rand.NewPCG(*unitSeed, 1))}
	c.flags = []string{
		"--state", c.in("state"), "--base-url-v2", strings.TrimSuffix(c.baseURL, "/api/v1") + "/v2",
		"--rate-v2", "100000/1s", "--settle-delay", "100ms", "--exclusive",
	}
	list := "Company,Country\nWillow Software 1,GB\nNobody at all,GB\n"
	for i := range 8 { // three companies have such a name in some country
		list += fmt.Sprintf("Vertex Software %d,GB\nBirch Logistics %d,IE\n", i+1, i+1)
	}
	if err := os.WriteFile(c.in("list.csv"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{
		"run", c.in("list.csv"), "--name", "companies", "--fields", "company", "-o", c.in("out.csv"),
		"--candidates", c.in("choose.csv"), "--max-units", "companies=100",
	}
	killed := func(p *program, exchanges int64) {
		for n, kills := int64(0), 0; kills < 3; n++ {
			moment := service.atRequest(1+c.draw.Int64N(exchanges), c.draw.IntN(2) == 0)
			if code := p.killOn(moment); code == -1 {
				kills++
			} else if code != exitDone && code != exitDoubt || n > 9 {
				t.Fatalf("%d kills, then exit code %d", kills, code)
			}
			service.watch.Store(nil)
			settled()
		}
		p.runToEnd(exitDone, exitDoubt)
	}
	search := c.program(arguments...)
	killed(search, 6)
	choose, err := os.ReadFile(c.in("choose.csv"))
	if err != nil {
		t.Fatal(err)
	}
	marked, company := strings.Split(string(choose), "\n"), ""
	chosen := 0
	for i, line := range marked { // the first candidate of each company
		cells := strings.SplitN(line, ",", 3)
		if len(cells) == 3 && cells[0] != "row" && cells[0] != company {
			company, marked[i] = cells[0], line+"x"
			chosen++
		}
	}
	if chosen == 0 {
		t.Fatalf("nothing is ambiguous:\n%s", choose)
	}
	if err := os.WriteFile(c.in("choose.csv"), []byte(strings.Join(marked, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	selected := c.program(append(arguments, "--selected", c.in("choose.csv"))...)
	killed(selected, 2)
	service.end(t)

	records := recordsOf(t, service.ledger+".v2")
	c.checkJournal(records)
	seen := map[string]bool{}
	overviews := 0
	for _, r := range records {
		call := r.Path + " " + r.About
		if r.Units > 0 && seen[call] {
			t.Errorf("%s was counted twice", call)
		}
		seen[call] = true
		if strings.HasSuffix(r.Path, "overview") {
			overviews++
		}
	}
	found := 0
	for _, row := range csvRows(t, c.in("out.csv")) {
		if row["company_id"] != "" {
			found++
		}
	}
	if overviews > 18 || found < chosen {
		t.Errorf("%d searches, %d companies of which %d were chosen", overviews, found, chosen)
	}
}
