package v2

import (
	"strings"
	"testing"

	"payonce/enrich"
)

// TestHeadlineFiguresAreThoseOfTheLatestYear reads the headline figures that a list shows, from answers of all kinds.
func TestHeadlineFiguresAreThoseOfTheLatestYear(t *testing.T) {
	for body, want := range map[string]string{
		`{"2024": {"Turnover": 2.5, "Currency": "GBP", "Employee-Numbers": 7}, "2019": {"Turnover": 9}}`: "2024 GBP 2.5 7",
		// In any order, and with years that are none.
		`{"latest": {"Turnover": 8}, "2021": {"Turnover": 1}, "2022": {"Turnover": 2}, "20233": {"Turnover": 3}}`: "2022  2 ",
		// Figures of an earlier year are not mixed in.
		`{"2024": {"Currency": "EUR"}, "2023": {"Turnover": 1, "Employee-Numbers": 3, "Currency": "GBP"}}`: "2024 EUR  ",
		// A year without figures says nothing.
		`{"2025": {}, "2024": {"Turnover": null}, "2023": {"Turnover": 1, "Currency": "GBP"}}`: "2023 GBP 1 ",
		`{"2025": {}, "2024": {}}`: "2025   ",
		// Texts that hold numbers, and values that cannot be read.
		`{"2024": {"Turnover": "1200000.50", "Employee-Numbers": "12", "Currency": 7}}`:            "2024 7 1200000.5 12",
		`{"2024": {"Turnover": "n/a", "Employee-Numbers": 1.5, "Currency": ["GBP"], "Cash": 1}}`:   "2024   ",
		`{"2024": {"Turnover": 1e999, "Employee-Numbers": 99999999999999999999, "Currency": "x"}}`: "2024 x  ",
		`{"2024": {"Turnover": 0, "Employee-Numbers": 0, "Currency": ""}}`:                         "2024  0 0",
		`{"2024": {"Turnover": -3000000000000, "Employee-Numbers": 1e3}}`:                          "2024  -3000000000000 1000",
		// Of a year that repeats the last one counts.
		`{"2024": {"Turnover": 1}, "2024": {"Turnover": 2}}`: "2024  2 ",
	} {
		var values enrich.Values
		if err := (Decoder{}).Values(readAs(t, OpGetFinancials, body), &values); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for i, detail := range Catalogue().Details {
			got[detail.Name] = values.Details[i]
		}
		var headline []string
		for _, name := range headlineMembers() {
			headline = append(headline, got["financials_"+name])
		}
		if text := strings.Join(headline, " "); text != want {
			t.Errorf("%s: headline %q, want %q", body, text, want)
		}
	}
}

// TestAHeadlineFigureThatCannotBeReadIsNamed checks that the reason of a row names the empty cells of the year that
// the row shows.
func TestAHeadlineFigureThatCannotBeReadIsNamed(t *testing.T) {
	for body, want := range map[string]string{
		`{"2024": {"Turnover": 2.5}}`: "",
		`{"2024": {"Turnover": "n/a", "Employee-Numbers": 1.5, "Cash": [1], "Currency": "GBP"}, "2023": {"Turnover": "n/a"}}`: "could not be read: " +
			"2024.Employee-Numbers is not an integer; 2024.Turnover is not a number",
		`{"2024": {"Cash": [1], "Currency": "GBP"}}`: "",
	} {
		var values enrich.Values
		if err := (Decoder{}).Values(readAs(t, OpGetFinancials, body), &values); err != nil || values.Reason != want {
			t.Errorf("%s: reason %q, want %q, %v", body, values.Reason, want, err)
		}
	}
}
