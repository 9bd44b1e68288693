package v2

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"payonce/io/sandbox/world"
)

// TestEveryFilterOfProspecting: each key of the specification narrows the search, and finds what has the value.
func TestEveryFilterOfProspecting(t *testing.T) {
	w := world.World{People: world.People{Seed: 7}}
	c := firstCompany(t, w, func(c world.Company) bool {
		return c.HasFinancials() && c.HasInsights() && len(w.OwnershipOf(c).Group) > 0 && c.Employees() > 100 && c.Status() == world.Active
	})
	now := lastResults(c)
	around := func(value float64) string {
		return fmt.Sprintf(`{"gte":%f,"lte":%f}`, value-abs(value)/100-0.01, value+abs(value)/100+0.01)
	}
	nace, isic, code := world.Codes(c.Industry())
	activity, kind, trading := c.Activity()
	visits, rank := c.Traffic()
	years := c.Years()
	before := c.Results(years[len(years)-1] - 1)
	foreign := map[bool]string{true: "yes", false: "no"}[w.HasForeignParent(c)]
	values := map[string]string{
		"company_status": `[1]`, "activity_type": fmt.Sprintf("[%d]", activity+1), "company_type": fmt.Sprintf("[%d]", kind+1),
		"legal_form":          fmt.Sprintf("[%d]", slices.Index(world.LegalForms(), c.LegalForm())+1),
		"number_of_employees": around(float64(c.Employees())), "company_incorporation": around(float64(c.Founded().Year())),
		"trading_activity": fmt.Sprintf("[%q]", world.TradingNames()[trading]), "industry_focus": fmt.Sprintf("[%q]", world.IndustryName(c.Industry())),
		"website_keywords": fmt.Sprintf("[%q]", strings.ToLower(c.Name())), "nace": fmt.Sprintf("[%q]", nace), "isic": fmt.Sprintf("[%q]", isic),
		"location_zip": fmt.Sprintf("[%q]", c.Place().Zip), "location_type": fmt.Sprintf("[%q]", c.Place().City),
		"location_regions": fmt.Sprintf("[%q]", c.Country().RegionID(c.Place())), "location_countries": fmt.Sprintf("[%q]", c.Country().CountryID()),
		"financial_currency": fmt.Sprintf("[%q]", c.Country().Currency), "advance_companies": `["has_insights","has_financials"]`,
		"insights_visits":       fmt.Sprintf(`["%d-%d"]`, visits, visits+1),
		"insights_technologies": fmt.Sprintf("[%q]", world.TechnologyName(c.TechnologyIDs()[0])),
		"insights_ranking":      around(float64(rank)), "financial_directors": fmt.Sprintf("[%d]", payBand(now.DirectorsPay)),
		"foreign_parents": fmt.Sprintf("%q", foreign), "ownership_accounts": `"group"`, "url": fmt.Sprintf("%q", c.Profile()),
		c.Country().Codes: fmt.Sprintf("[%q]", code),
	}
	for key, figure := range financialFilters() {
		values[key] = around(figure(now, before))
	}
	for key := range companyFilters(w) {
		if !strings.HasPrefix(key, "sic_code_") && values[key] == "" {
			t.Errorf("the filter %s is not tested", key)
		}
	}
	for key, value := range values {
		f, problem := parseFilters(fmt.Sprintf("{%q:%s}", key, value))
		if problem != "" {
			t.Fatal(problem)
		}
		conditions, problems := f.Companies(w)
		if problems != nil || len(conditions) != 1 {
			t.Errorf("%s %s: %v", key, value, problems)
			continue
		}
		others := 0
		for other := range w.Listed() {
			if !conditions[0](other) {
				others++
				break
			}
		}
		if !conditions[0](c) || others == 0 {
			t.Errorf("%s %s: finds %s: %t; leaves others out: %t", key, value, c.Name(), conditions[0](c), others > 0)
		}
	}
}

// firstCompany returns the first listed company that meets a condition.
func firstCompany(t *testing.T, w world.World, meets Condition) world.Company {
	t.Helper()
	for c := range w.Listed() {
		if meets(c) {
			return c
		}
	}
	t.Fatal("no company meets the condition")
	return world.Company{}
}

func abs(value float64) float64 { return max(value, -value) }

// TestDaysAndYears: the range of the incorporation takes years and days; both ends belong to it.
func TestDaysAndYears(t *testing.T) {
	w := world.World{People: world.People{Seed: 7}}
	c := firstCompany(t, w, func(c world.Company) bool { return c.Founded().YearDay() > 40 })
	day, year := c.Founded().Format("2006-01-02"), c.Founded().Year()
	next := c.Founded().AddDate(0, 0, 1).Format("2006-01-02")
	for value, want := range map[string]bool{
		fmt.Sprintf(`{"gte":%q,"lte":%q}`, day, day): true, fmt.Sprintf(`{"gte":%q}`, next): false,
		fmt.Sprintf(`{"lte":%q}`, next): true, fmt.Sprintf(`{"gte":%d,"lte":%d}`, year, year): true,
		fmt.Sprintf(`{"gte":%d}`, year+1): false, fmt.Sprintf(`{"lte":"%d"}`, year-1): false, `{}`: true,
	} {
		f, _ := parseFilters(fmt.Sprintf(`{"company_incorporation":%s}`, value))
		conditions, problems := f.Companies(w)
		if problems != nil || conditions[0](c) != want {
			t.Errorf("%s of %s: %v, want %t", value, day, problems, want)
		}
	}
}
