package v2

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
)

// shownBy returns the details of an answer about a company's figures that have a text, by the names of their columns.
func shownBy(t *testing.T, c Chosen, body string) (shown map[string]string, reason string) {
	t.Helper()
	answered, err := ReadAnswer(OpGetFinancials, []byte(body), time.Now(), Reveal{}, Modules{}, enrich.Company{})
	if err != nil {
		t.Fatal(err)
	}
	var values enrich.Values
	if err := c.Decoder().Values(answered, &values); err != nil {
		t.Fatal(err)
	}
	details := c.Catalogue().Details
	if len(values.Details) != len(details) {
		t.Fatalf("%d details of %d", len(values.Details), len(details))
	}
	shown = map[string]string{}
	for i, text := range values.Details {
		if text != "" {
			shown[strings.TrimPrefix(details[i].Name, "financials_")] = text
		}
	}
	return shown, values.Reason
}

func TestChosenFiguresHaveTheirYearAndCurrency(t *testing.T) {
	const body = `{"2022": {"Currency": "EUR", "Turnover": 1.5, "Cash": 3, "Reported-Date": "2022-12-31"}, "2023": {"Currency": "USD", "Turnover": "n/a",
		"EBITDA": -7, "Mood": 1}, "2024": {}}`
	latest := map[string]string{"year": "2023", "currency": "USD"}
	for title, test := range map[string]struct {
		chosen Chosen
		want   map[string]string
		reason string
	}{
		"none": {Chosen{}, latest, "could not be read: 2023.Turnover is not a number"},
		"of years": {
			Chosen{[]string{"Turnover", "EBITDA", "Reported-Date"}, []int{2021, 2022, 2023}},
			map[string]string{
				"year": "2023", "currency": "USD", "currency_2022": "EUR", "turnover_2022": "1.5", "reported_date_2022": "2022-12-31",
				"currency_2023": "USD", "ebitda_2023": "-7",
			},
			"could not be read: 2023.Turnover is not a number",
		},
		"of the latest year": {
			Chosen{[]string{"Turnover", "EBITDA", "Cash"}, nil},
			map[string]string{"year": "2023", "currency": "USD", "ebitda": "-7"},
			"could not be read: 2023.Turnover is not a number",
		},
	} {
		got, reason := shownBy(t, test.chosen, body)
		if diff := cmp.Diff(test.want, got); diff != "" || reason != test.reason {
			t.Errorf("%s: reason %q (-want +got):\n%s", title, reason, diff)
		}
	}
}

// TestEveryFigureHasAColumnOfItsOwn chooses all figures of two years.
func TestEveryFigureHasAColumnOfItsOwn(t *testing.T) {
	var chosen Chosen
	for _, figure := range Figures() {
		chosen.Figures = append(chosen.Figures, figure.Name)
	}
	for _, years := range [][]int{nil, {2023}, {2022, 2023}} {
		chosen.Years = years
		var names []string
		for _, detail := range chosen.Catalogue().Details {
			names = append(names, strings.ToLower(detail.Name))
		}
		slices.Sort(names)
		if distinct := slices.Compact(slices.Clone(names)); len(distinct) != len(names) {
			t.Errorf("%v: %d columns have %d names", years, len(names), len(distinct))
		}
		if err := chosen.Check(); err != nil {
			t.Error(err)
		}
	}
	chosen.Years = []int{2019, 2020, 2021, 2022, 2023}
	if err := chosen.Check(); err == nil {
		t.Errorf("%d figures of %d years are not too many", len(chosen.Figures), len(chosen.Years))
	}
	if err := (Chosen{Figures: []string{"Turnovr"}}).Check(); err == nil {
		t.Error("a figure that there is not is chosen")
	}
}

// TestTheParentIsTheOnlyEntryThatSaysThatItHasNone reads group structures as the specification shows them, and with
// members that it does not show.
func TestTheParentIsTheOnlyEntryThatSaysThatItHasNone(t *testing.T) {
	for body, want := range map[string]string{
		`{"group_structure": [{"id": 7}, {"id": 8}]}`:                                                                 " ",
		`{"group_structure": [{"id": 8, "parent_id": 7}, {"id": 7, "name": "Acme Holding", "parent_id": null}]}`:      "7 Acme Holding",
		`{"group_structure": [{"id": 7, "parent_id": null}, {"id": 8, "parent_id": null}]}`:                           " ",
		`{"group_structure": [], "shareholders": [{"id": 1, "name": "Ann", "quantity": 5}, {"id": 2, "name": "Bo"}]}`: " ",
	} {
		o, err := decodeOwnership([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		cells := o.listCells()
		if got := cells[5].String() + " " + cells[6].String(); got != want || len(cells) != len(ownershipMembers()) {
			t.Errorf("%s: the parent is %q, want %q", body, got, want)
		}
		if strings.Contains(body, "Ann") && (cells[0].String() != "Ann" || cells[1].String() != "5") {
			t.Errorf("%s: the first shareholder is %s, %s", body, cells[0], cells[1])
		}
	}
}
