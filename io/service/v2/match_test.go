package v2

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/enrich/fit"
)

func TestExactlyOneCandidateIsChosen(t *testing.T) {
	acme := Candidate{ID: "1", Name: "Acme GmbH", Status: "Active", Country: "DE", Registration: "HRB 1"}
	with := func(change func(*Candidate)) Candidate {
		c := acme
		change(&c)
		return c
	}
	sought := enrich.Company{Name: "ACME", Country: "DE"}
	numbered := enrich.Company{RegistrationNumber: "HRB1", Country: "DE"}
	second := with(func(c *Candidate) { c.ID = "2" })
	for _, tt := range []struct {
		name       string
		sought     enrich.Company
		candidates []Candidate
		more       bool
		want       string // the id
		reason     string // a part of it
	}{
		{"one", sought, []Candidate{acme}, false, "1", ""},
		{"one among others", sought, []Candidate{
			with(func(c *Candidate) { c.ID, c.Name = "2", "Acme Holding" }),
			with(func(c *Candidate) { c.ID, c.Country = "3", "AT" }),
			with(func(c *Candidate) { c.ID, c.Status = "4", "dissolved" }), acme,
		}, false, "1", ""},
		{"no status", sought, []Candidate{with(func(c *Candidate) { c.Status = "" })}, false, "1", ""},
		{"the name of the country", sought, []Candidate{with(func(c *Candidate) { c.Country = "Germany" })}, false, "1", ""},
		{"twice the same", sought, []Candidate{acme, acme}, false, "1", ""},
		{"two", sought, []Candidate{acme, second}, false, "", "2 candidates, 2 are active in DE with this name"},
		{"none is active", sought, []Candidate{with(func(c *Candidate) { c.Status = "liquidation" })}, false, "", "1 candidate, none is active in DE with this name"},
		{"no country of the candidate", sought, []Candidate{with(func(c *Candidate) { c.Country = "" })}, false, "", "none is active"},
		{"no id", sought, []Candidate{with(func(c *Candidate) { c.ID = "" })}, false, "", "none is active"},
		{"no country of the row", enrich.Company{Name: "Acme"}, []Candidate{acme}, false, "", "the row has no country"},
		{"more that are not known", sought, []Candidate{acme}, true, "", "were not returned"},
		{"nothing", sought, nil, false, "", "0 candidates, none"},
		{"by number", numbered, []Candidate{with(func(c *Candidate) { c.Name = "Other" }), with(func(c *Candidate) { c.ID, c.Registration = "2", "HRB 2" })}, false, "1", ""},
		{"by another number", numbered, []Candidate{with(func(c *Candidate) { c.Registration = "HRB 2" })}, false, "", "with this number"},
		{"by no number", numbered, []Candidate{with(func(c *Candidate) { c.Registration = "" })}, false, "", "with this number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chosen, reason := ChooseCompany(tt.sought, FoundCompanies{tt.candidates, tt.more})
			if chosen.ID != tt.want || (reason == "") != (tt.want != "") || !strings.Contains(reason, tt.reason) {
				t.Errorf("%q is chosen, %q; want %q, %q", chosen.ID, reason, tt.want, tt.reason)
			}
		})
	}
}

// TestTheOrderOfCandidatesDoesNotChangeTheChoice turns the candidates round, and adds one that fits as well.
func TestTheOrderOfCandidatesDoesNotChangeTheChoice(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "1", "2", "Acme", "Acme Ltd", "Acme AG", "DE", "AT", "Austria", "active", "closed"})
	candidate := rapid.Custom(func(t *rapid.T) Candidate {
		return Candidate{text.Draw(t, "id"), text.Draw(t, "name"), text.Draw(t, "status"), text.Draw(t, "country"), text.Draw(t, "number")}
	})
	rapid.Check(t, func(t *rapid.T) {
		sought := enrich.Company{Name: "Acme", Country: rapid.SampledFrom([]string{"DE", "AT"}).Draw(t, "sought country")}
		candidates := rapid.SliceOfN(candidate, 0, 5).Draw(t, "candidates")
		chosen, reason := ChooseCompany(sought, FoundCompanies{Candidates: candidates})
		turned := make([]Candidate, 0, len(candidates))
		for i := range candidates {
			turned = append(turned, candidates[len(candidates)-1-i])
		}
		again, other := ChooseCompany(sought, FoundCompanies{Candidates: turned})
		if chosen.ID != again.ID || reason != other {
			t.Fatalf("%v, %q; turned round %v, %q", chosen, reason, again, other)
		}
		if reason != "" {
			return
		}
		if !fit.SameCompanyName(sought.Name, chosen.Name) || strings.EqualFold(chosen.Status, "closed") {
			t.Fatalf("%v is chosen", chosen)
		}
		rival := Candidate{ID: "rival", Name: "Acme", Country: sought.Country}
		if _, reason := ChooseCompany(sought, FoundCompanies{Candidates: append(candidates, rival)}); reason == "" {
			t.Fatal("one of two that fit is chosen")
		}
	})
}
