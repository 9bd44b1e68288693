package providers_test

import (
	"testing"

	"payonce/cost"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providers"
)

// TestProvidersHaveDistinctInterfacesAndMeters: journals have the names of interfaces, and the account 0 is one of v1.
// Limits on units are by the names of meters, so no two interfaces have a meter of the same name.
func TestProvidersHaveDistinctInterfacesAndMeters(t *testing.T) {
	t.Parallel()
	meters, interfaces := map[string]string{}, map[string]bool{}
	for i, of := range provider.All(providers.All()).All {
		name := of.Catalogue.Interface
		if name == "" || interfaces[name] || (name == "v1") != (i == 0) {
			t.Errorf("provider %d has the interface %q", i, name)
		}
		interfaces[name] = true
		if len(of.Catalogue.Fields) == 0 || of.Rate.Slots < 1 || of.Rate.Window <= 0 || of.NewDecoder == nil || of.NewReader == nil || of.WantsMoney == nil {
			t.Errorf("%s is not whole: %+v", name, of)
		}
		for m, info := range of.Tariff.Meters {
			if m == int(cost.USD) {
				continue
			}
			if other, twice := meters[info.Name]; twice {
				t.Errorf("%s and %s have a meter %q", other, name, info.Name)
			}
			meters[info.Name] = name
		}
	}
}
