package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/io/service/v2"
)

// company is what filters are about.
type company struct {
	texts   map[string]string  // its place, by filter
	numbers map[string]float64 // by filter; its incorporation is a number of days
}

// finds reports whether a search finds a company, by what the specification says of filters.
func (q Query) finds(c company) bool {
	for key, f := range q.filters {
		if text, isPlace := c.texts[key]; isPlace {
			if !slices.Contains(f.texts, text) {
				return false
			}
			continue
		}
		value := func(b bound, otherwise float64) float64 {
			switch {
			case !b.known:
				return otherwise
			case b.isDay():
				return float64(dayNumber(b.day))
			}
			return b.number
		}
		number := c.numbers[key]
		if key == incorporation && !f.span.least.isDay() && !f.span.most.isDay() {
			number = float64(time.Unix(int64(number)*secondsOfDay, 0).UTC().Year())
		}
		if number < value(f.span.least, number) || number > value(f.span.most, number) {
			return false
		}
	}
	return true
}

func drawDay(t *rapid.T, name string) string {
	day := rapid.Int64Range(dayNumber(time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC)), dayNumber(time.Date(2120, 1, 1, 0, 0, 0, 0, time.UTC))).Draw(t, name)
	return time.Unix(day*secondsOfDay, 0).UTC().Format(time.DateOnly)
}

// drawRange draws the ends of a range, of which one may be missing.
func drawRange(t *rapid.T, key string, end func(*rapid.T, string) string) string {
	ends := []string{end(t, key+" from"), end(t, key+" to")}
	s, err := newSpan(ends[0], ends[1])
	if err != nil {
		s, _ = newSpan(ends[1], ends[0])
	}
	switch rapid.IntRange(0, 3).Draw(t, key+" open") {
	case 0:
		return key + "=" + s.least.String() + ".."
	case 1:
		return key + "=.." + s.most.String()
	}
	return key + "=" + s.least.String() + ".." + s.most.String()
}

func drawQuery(t *rapid.T) Query {
	var filters []string
	for _, key := range places() {
		for _, value := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), rapid.ID[string]).Draw(t, key) {
			filters = append(filters, key+"="+value)
		}
	}
	number := func(t *rapid.T, name string) string {
		return fmt.Sprint(float64(rapid.Int64Range(-2, 20_000).Draw(t, name)) / float64(rapid.SampledFrom([]int{1, 1, 2}).Draw(t, name+" part")))
	}
	year := func(t *rapid.T, name string) string { return fmt.Sprint(rapid.IntRange(1650, 2110).Draw(t, name)) }
	if rapid.Bool().Draw(t, "has employees") {
		filters = append(filters, drawRange(t, employees, number))
	}
	if rapid.Bool().Draw(t, "has ranking") {
		filters = append(filters, drawRange(t, "insights_ranking", number))
	}
	switch rapid.IntRange(0, 2).Draw(t, "incorporation") {
	case 0:
		filters = append(filters, drawRange(t, incorporation, drawDay))
	case 1:
		filters = append(filters, drawRange(t, incorporation, year))
	}
	q := NewQuery(v2.OpProspecting, 25)
	for _, text := range filters {
		var err error
		if q, err = q.Where(text); err != nil {
			t.Fatal(err)
		}
	}
	return q
}

func drawCompany(t *rapid.T) company {
	c := company{texts: map[string]string{}, numbers: map[string]float64{
		employees:          float64(rapid.Int64Range(-2, 1_000_000_000).Draw(t, employees)),
		"insights_ranking": float64(rapid.Int64Range(0, 20_000).Draw(t, "ranking")),
		incorporation:      float64(rapid.Int64Range(-150_000, 60_000).Draw(t, "day")),
	}}
	for _, key := range places() {
		c.texts[key] = rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, key)
	}
	return c
}

// TestPartsAreDisjointAndCoverEverything splits searches again and again, in any way that there is, and follows
// one company: where the search finds it, exactly one of the parts does. The parts come to an end.
func TestPartsAreDisjointAndCoverEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, c := drawQuery(t), drawCompany(t)
		for depth := 0; ; depth++ {
			if depth > 200 {
				t.Fatalf("the search does not end: %s", q)
			}
			cuts := q.Cuts()
			if len(cuts) == 0 {
				return
			}
			cut := rapid.SampledFrom(cuts).Draw(t, "cut")
			whole, first, rest := q.finds(c), cut.First.finds(c), cut.Rest.finds(c)
			if first && rest || whole != (first || rest) {
				t.Fatalf("%+v is found by %s: %t, by %s: %t, by %s: %t", c, q, whole, cut.First, first, cut.Rest, rest)
			}
			for _, part := range []Query{cut.First, cut.Rest} {
				if part.String() == q.String() || depth < 5 && part.Check() != nil {
					t.Fatalf("%s has the part %s, %v", q, part, part.Check())
				}
				if depth > 5 {
					continue
				}
				again, err := NewQuery(v2.OpProspecting, 25).JSON(part.object())
				if err != nil || again.String() != part.String() {
					t.Fatalf("%s is read as %s, error %v", part, again, err)
				}
			}
			if q = cut.First; rest || !first && rapid.Bool().Draw(t, "into the rest") {
				q = cut.Rest
			}
		}
	})
}

// TestSearchesAreCutByPlacesThenByGivenRanges shows the order of preference, and where ranges are cut.
func TestSearchesAreCutByPlacesThenByGivenRanges(t *testing.T) {
	show := func(o v2.Operation, filters ...string) (cuts []string) {
		for _, cut := range where(t, o, filters...).Cuts() {
			first, rest := cut.First.filters[cut.By], cut.Rest.filters[cut.By]
			text := strings.Join(first.texts, ",") + " | " + strings.Join(rest.texts, ",")
			if len(first.texts) == 0 {
				text = first.span.String() + " | " + rest.span.String()
			}
			if cuts = append(cuts, cut.By+" "+text); !cut.Given {
				cuts[len(cuts)-1] += " (not given)"
			}
		}
		return cuts
	}
	for _, test := range []struct {
		operation v2.Operation
		filters   []string
		want      []string
	}{
		{v2.OpProspecting, nil, []string{"company_incorporation ..2007-12-31 | 2008-01-01.. (not given)", "number_of_employees ..10 | 11.. (not given)"}},
		{
			v2.OpProspecting,
			[]string{"location_countries=b", "location_countries=a", "location_countries=c", "number_of_employees=10..1000", "nace=x", "nace=y"},
			[]string{
				"location_countries a | b,c", "number_of_employees 10..100 | 101..1000",
				"company_incorporation ..2007-12-31 | 2008-01-01.. (not given)",
			},
		},
		{v2.OpProspecting, []string{"number_of_employees=5", "company_incorporation=2010-01-01..2010-01-01"}, nil},
		{v2.OpProspecting, []string{"number_of_employees=5..6", "company_incorporation=2010..2011"}, []string{
			"company_incorporation 2010 | 2011", "number_of_employees 5 | 6",
		}},
		{v2.OpProspecting, []string{"number_of_employees=..0", "company_incorporation=2100-01-01.."}, nil},
		{v2.OpProspecting, []string{"number_of_employees=100000000..", "company_incorporation=..1700"}, nil},
		{v2.OpProspecting, []string{"number_of_employees=1e300..", "company_incorporation=..1999-12-31"}, []string{
			"company_incorporation ..1990-12-31 | 1991-01-01..1999-12-31",
		}},
		{v2.OpEmployees, []string{"company_id=1"}, nil},
		{v2.OpEmployees, []string{"company_id=1", "seniority=1,2,3", "department=4,5"}, []string{"department 4 | 5", "seniority 1 | 2,3"}},
		{v2.OpEnrichEmployeeSearch, []string{"domain_list=a", "domain_list=b"}, nil},
	} {
		if diff := cmp.Diff(test.want, show(test.operation, test.filters...)); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", test.operation, test.filters, diff)
		}
	}
}
