package fit_test

import (
	"testing"

	"payonce/enrich"
	"payonce/enrich/fit"
)

// BenchmarkCompare compares what most rows have: a person by the name alone, and a company by all of its parts.
func BenchmarkCompare(b *testing.B) {
	for _, bench := range []struct {
		name        string
		asked       enrich.Pattern
		row, answer *enrich.Described
	}{
		{"person", enrich.ByName, person("Ann|Lee", "Acme", "acme.com"), person("Ann Lee")},
		{"company", enrich.ByWebsite, company("Acme Tools Ltd", "GB", "acme.com", "01234567"), company("ACME TOOLS LIMITED", "GB", "https://www.acme.com", "01234567", "GB123456789", "7")},
		{"other company", enrich.ByWebsite, company("Harbor Logistics", "GB", "acme.com"), company("ACME TOOLS LIMITED", "US", "https://www.acme.com")},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fit.Compare(bench.asked, bench.row, bench.answer)
			}
		})
	}
}
