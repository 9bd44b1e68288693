package acceptance

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// TestEveryDashboardPanelHasWhatGrafanaNeeds checks what Grafana needs of each panel: its type, its data source, a unit
// that Grafana knows, and a place of its own.
func TestEveryDashboardPanelHasWhatGrafanaNeeds(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	type source struct{ Type, UID string }
	var board struct {
		Panels []struct {
			ID          int
			Title, Type string
			Datasource  source
			GridPos     struct{ H, W, X, Y int }
			FieldConfig struct{ Defaults struct{ Unit string } }
			Targets     []struct {
				RefID      string
				Datasource source
			}
		}
		Templating struct {
			List []struct{ Name, Type, Query any }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	want := source{"prometheus", "${datasource}"}
	if first := board.Templating.List[0]; first.Name != "datasource" || first.Type != "datasource" || first.Query != want.Type {
		t.Errorf("the first variable is %+v, want the source of the data", first)
	}
	ids, taken := map[int]string{}, map[[2]int]string{}
	for _, p := range board.Panels {
		if other, used := ids[p.ID]; used {
			t.Errorf("%s and %s have the same id", other, p.Title)
		}
		ids[p.ID] = p.Title
		g := p.GridPos
		if g.H < 1 || g.W < 1 || g.X < 0 || g.Y < 0 || g.X+g.W > 24 {
			t.Errorf("%s is at %+v, and a dashboard has 24 columns", p.Title, g)
		}
		for x := range g.W {
			for y := range g.H {
				cell := [2]int{g.X + x, g.Y + y}
				if other, used := taken[cell]; used {
					t.Fatalf("%s is over %s", p.Title, other)
				}
				taken[cell] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		// These are names of panels and of units in Grafana.
		if !slices.Contains([]string{"stat", "timeseries", "bargauge"}, p.Type) {
			t.Errorf("%s has the type %q", p.Title, p.Type)
		}
		if !slices.Contains([]string{"none", "s", "currencyUSD", "percentunit", "dateTimeAsIso"}, p.FieldConfig.Defaults.Unit) {
			t.Errorf("%s has the unit %q", p.Title, p.FieldConfig.Defaults.Unit)
		}
		if p.Datasource != want || len(p.Targets) == 0 {
			t.Errorf("%s has %d queries to %+v", p.Title, len(p.Targets), p.Datasource)
		}
		names := map[string]bool{}
		for _, target := range p.Targets {
			if target.Datasource != want || target.RefID == "" || names[target.RefID] {
				t.Errorf("%s has the query %+v", p.Title, target)
			}
			names[target.RefID] = true
		}
	}
}
