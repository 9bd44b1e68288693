package search_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/cost"
	"payonce/io/service/v2"
	"payonce/pipeline/search"
)

// walkCompany is a company of the service.
type walkCompany struct {
	id, employees, founded int64 // founded is a year; negative numbers are not known
	country                string
}

// walkService is a service of companies, and a journal of the pages that were asked for.
type walkService struct {
	companies []walkCompany
	known     map[string]search.KnownPage
	asked     int
	ignores   string // a filter
	refuses   string // a filter
}

// Page implements search.PageReader.
func (s *walkService) Page(call v2.Call) (search.KnownPage, error) {
	return s.known[string(call.Body)], nil
}

// body is what is sent.
type body struct {
	Page    int64  `json:"page"`
	PerPage int64  `json:"per_page"`
	Filters string `json:"filters"`
}

func (s *walkService) filters(t rapid.TB, call v2.Call) (b body, f v2.CompanyFilters) {
	if err := json.Unmarshal(call.Body, &b); err != nil {
		t.Fatal(err)
	}
	if b.Filters != "" {
		if err := json.Unmarshal([]byte(b.Filters), &f); err != nil {
			t.Fatal(err)
		}
	}
	return b, f
}

// within reports whether a number is in a range, or the middle of a year in one of days.
func within(r v2.Range, value int64) bool {
	holds := func(b v2.Bound, side int) bool {
		if b == "" {
			return true
		}
		if day, err := time.Parse(time.DateOnly, string(b)); err == nil {
			return time.Date(int(value), 7, 1, 0, 0, 0, 0, time.UTC).Compare(day) != -side
		}
		end, err := strconv.ParseFloat(string(b), 64)
		return err == nil && cmp.Compare(float64(value), end) != -side
	}
	return r == (v2.Range{}) || value >= 0 && holds(r.GTE, 1) && holds(r.LTE, -1)
}

// answer answers a page as the service does.
func (s *walkService) answer(t rapid.TB, call v2.Call) search.KnownPage {
	s.asked++
	b, f := s.filters(t, call)
	given := map[string]bool{
		"number_of_employees": f.NumberOfEmployees != (v2.Range{}), "company_incorporation": f.CompanyIncorporation != (v2.Range{}),
	}
	switch {
	case given[s.refuses]:
		return search.KnownPage{State: search.Rejected}
	case s.ignores == "number_of_employees":
		f.NumberOfEmployees = v2.Range{}
	case s.ignores == "company_incorporation":
		f.CompanyIncorporation = v2.Range{}
	}
	var found []search.ResultItem
	for _, c := range s.companies {
		if within(f.NumberOfEmployees, c.employees) && within(f.CompanyIncorporation, c.founded) &&
			(len(f.LocationCountries) == 0 || slices.Contains(f.LocationCountries, c.country)) {
			found = append(found, item(c.id))
		}
	}
	total := int64(len(found))
	from, to := min((b.Page-1)*b.PerPage, total), min(b.Page*b.PerPage, total)
	return search.KnownPage{
		State: search.Answered, Items: found[from:to], Total: cost.Known(total), Pages: cost.Known((total + b.PerPage - 1) / b.PerPage),
	}
}

func item(id int64) search.ResultItem {
	return search.ResultItem{ID: fmt.Sprint(id), Cells: []string{fmt.Sprint(id), fmt.Sprintf("Company %d", id)}}
}

// ask asks for what is needed until nothing is. each answers one page.
func (s *walkService) ask(t rapid.TB, most int64, roots iter.Seq[search.Root], each func(v2.Call) search.KnownPage) (progress search.Progress, rounds int) {
	t.Helper()
	for rounds = 0; ; rounds++ {
		progress, err := search.Walk(s, most, roots)
		if err != nil || rounds > 200 {
			t.Fatalf("%d rounds, error %v", rounds, err)
		}
		if len(progress.Needed) == 0 {
			return progress, rounds
		}
		for _, call := range progress.Needed {
			if _, known := s.known[string(call.Body)]; known {
				t.Fatalf("%s is asked for again", call.Body)
			}
			s.known[string(call.Body)] = each(call)
		}
	}
}

func roots(queries ...search.Query) iter.Seq[search.Root] {
	return func(yield func(search.Root) bool) {
		for _, q := range queries {
			if !yield(search.Root{Query: q}) {
				return
			}
		}
	}
}

func prospecting(t testing.TB, filters ...string) search.Query {
	t.Helper()
	q := search.NewQuery(v2.OpProspecting, 25)
	for _, text := range filters {
		var err error
		if q, err = q.Where(text); err != nil {
			t.Fatal(err)
		}
	}
	return q
}

// many returns a service of companies of all sizes and ages.
func many(n int64) *walkService {
	s := &walkService{known: map[string]search.KnownPage{}}
	for i := range n {
		s.companies = append(s.companies, walkCompany{id: i, employees: i * i % 5000, founded: 1900 + i*7%125, country: string(rune('a' + i%5))})
	}
	return s
}

func ids(items []search.ResultItem) map[string]bool {
	found := map[string]bool{}
	for _, item := range items {
		found[item.ID] = true
	}
	return found
}

// TestASearchOfOneToTenPagesIsReadToItsEnd asks for nothing but its pages.
func TestASearchOfOneToTenPagesIsReadToItsEnd(t *testing.T) {
	for n, pages := range map[int64]int{0: 1, 1: 1, 25: 1, 26: 2, 249: 10, 250: 10} {
		s := many(n)
		progress, rounds := s.ask(t, 0, roots(prospecting(t)), func(c v2.Call) search.KnownPage { return s.answer(t, c) })
		if int64(len(progress.Items)) != n || s.asked != pages || rounds > 2 || progress.Parts != 1 || len(progress.Gaps) > 0 || progress.Total != cost.Known(n) {
			t.Errorf("%d companies: %d of %v in %d pages, %d rounds, %d parts, gaps %v", n, len(progress.Items), progress.Total, s.asked, rounds, progress.Parts, progress.Gaps)
		}
	}
}

// TestALongSearchIsSplitUntilItsPartsFit finds every company once, by places that are given and by ranges.
func TestALongSearchIsSplitUntilItsPartsFit(t *testing.T) {
	for name, filters := range map[string][]string{
		"no filter": nil, "a range": {"number_of_employees=10..2000"},
		"places": {"location_countries=a", "location_countries=b", "location_countries=c", "company_incorporation=1950..2000"},
	} {
		s := many(3000)
		q := prospecting(t, filters...)
		progress, rounds := s.ask(t, 0, roots(q), func(c v2.Call) search.KnownPage { return s.answer(t, c) })
		if progress.Total != cost.Known(int64(len(progress.Items))) || len(ids(progress.Items)) != len(progress.Items) || len(progress.Items) < 300 {
			t.Errorf("%s: %d of %v companies, of these %d different", name, len(progress.Items), progress.Total, len(ids(progress.Items)))
		}
		least := (len(progress.Items) + 24) / 25
		if len(progress.Gaps) > 0 || s.asked > 2*least || rounds > 25 {
			t.Errorf("%s: %d pages, at least %d are needed, %d rounds, gaps %v", name, s.asked, least, rounds, progress.Gaps)
		}
	}
}

// TestWhatCannotBeSplitIsReported has more companies of one size and year than ten pages show, companies
// without a year, and a service that ignores or refuses a filter.
func TestWhatCannotBeSplitIsReported(t *testing.T) {
	same := func(n int64, employees, founded int64) (companies []walkCompany) {
		for i := range n {
			companies = append(companies, walkCompany{id: employees*10000 + founded*100000 + i, employees: employees, founded: founded, country: "a"})
		}
		return companies
	}
	for _, test := range []struct {
		name             string
		companies        []walkCompany
		ignores, refuses string
		filters          []string
		items            int
		gaps             []search.Gap
		unusable         []string
	}{
		{
			name: "all are equal", companies: same(300, 7, 2001), filters: []string{"company_incorporation=2001", "number_of_employees=7"}, items: 250,
			gaps: []search.Gap{{Why: search.TooMany, Part: "company_incorporation=2001 number_of_employees=7", Count: new(int64(50))}},
		},
		{
			name: "some have no year", companies: slices.Concat(same(400, 7, 2001), same(20, 7, -1)), filters: []string{"number_of_employees=7"},
			items: 275, // a part of ten pages, and the page of the whole that shows those without a year
			gaps: []search.Gap{
				{Why: search.TooMany, Part: "company_incorporation=2001-01-01..2001-01-01 number_of_employees=7", Count: new(int64(150))},
				{Why: search.NoValue, Part: "number_of_employees=7", By: "company_incorporation", Count: new(int64(20))},
			},
		},
		{
			name: "the years are ignored", companies: slices.Concat(same(200, 7, 2001), same(200, 50, 2015)), ignores: "company_incorporation",
			items: 400, unusable: []string{"company_incorporation"},
		},
		{
			name: "the years are refused", companies: slices.Concat(same(200, 7, 2001), same(200, 50, 2015)), refuses: "company_incorporation",
			items: 400, unusable: []string{"company_incorporation"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &walkService{companies: test.companies, known: map[string]search.KnownPage{}, ignores: test.ignores, refuses: test.refuses}
			progress, _ := s.ask(t, 0, roots(prospecting(t, test.filters...)), func(c v2.Call) search.KnownPage { return s.answer(t, c) })
			if diff := gocmp.Diff(test.gaps, progress.Gaps); diff != "" && test.name != "some have no year" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
			if test.name == "some have no year" {
				checkGaps(t, test.gaps, progress.Gaps)
			} else if len(progress.Items) != test.items {
				t.Errorf("%d items, want %d", len(progress.Items), test.items)
			}
			if diff := gocmp.Diff(test.unusable, progress.Unusable); diff != "" {
				t.Errorf("unusable (-want +got):\n%s", diff)
			}
		})
	}
}

// checkGaps compares the kinds of gaps, and how many results they stand for.
func checkGaps(t *testing.T, want, got []search.Gap) {
	t.Helper()
	count := func(gaps []search.Gap) map[search.GapReason]int64 {
		counts := map[search.GapReason]int64{}
		for _, gap := range gaps {
			if gap.Count != nil {
				counts[gap.Why] += *gap.Count
			} else {
				counts[gap.Why] += 0
			}
		}
		return counts
	}
	if diff := gocmp.Diff(count(want), count(got)); diff != "" {
		t.Errorf("gaps %v (-want +got):\n%s", got, diff)
	}
}

// TestNoMorePagesAreNeededThanResultsAreWanted bounds searches, also by root.
func TestNoMorePagesAreNeededThanResultsAreWanted(t *testing.T) {
	for most, pages := range map[int64]int{1: 1, 25: 1, 26: 2, 200: 8, 250: 10} {
		s := many(5000)
		progress, _ := s.ask(t, most, roots(prospecting(t)), func(c v2.Call) search.KnownPage { return s.answer(t, c) })
		if int64(len(progress.Items)) != most || s.asked != pages {
			t.Errorf("at most %d: %d results of %d pages", most, len(progress.Items), s.asked)
		}
	}
	s := many(5000)
	progress, _ := s.ask(t, 1000, roots(prospecting(t)), func(c v2.Call) search.KnownPage { return s.answer(t, c) })
	if len(progress.Items) != 1000 || s.asked > 80 {
		t.Errorf("at most 1000: %d results of %d pages", len(progress.Items), s.asked)
	}
	s = many(100)
	countries := func(yield func(search.Root) bool) {
		for country := range 5 {
			if !yield(search.Root{Query: prospecting(t, "location_countries="+string(rune('a'+country))), Most: 3}) {
				return
			}
		}
	}
	progress, _ = s.ask(t, 0, countries, func(c v2.Call) search.KnownPage { return s.answer(t, c) })
	if len(progress.Items) != 15 || s.asked != 5 || progress.Roots != 5 {
		t.Errorf("%d items of %d pages of %d searches", len(progress.Items), s.asked, progress.Roots)
	}
	s.known, s.asked = map[string]search.KnownPage{}, 0
	progress, _ = s.ask(t, 7, countries, func(c v2.Call) search.KnownPage { return s.answer(t, c) })
	if len(progress.Items) != 7 || s.asked != 3 {
		t.Errorf("%d items of %d pages", len(progress.Items), s.asked)
	}
}

// TestASearchIsTheSameHoweverItIsInterrupted asks for the needed pages in any portions. It finds the same
// results in the same order, from the same pages.
func TestASearchIsTheSameHoweverItIsInterrupted(t *testing.T) {
	whole := many(800)
	want, _ := whole.ask(t, 0, roots(prospecting(t)), func(c v2.Call) search.KnownPage { return whole.answer(t, c) })
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := many(800)
		for rounds := 0; ; rounds++ {
			progress, err := search.Walk(s, 0, roots(prospecting(t)))
			if err != nil {
				t.Fatal(err)
			}
			if len(progress.Needed) == 0 {
				if diff := gocmp.Diff(want, progress); diff != "" {
					t.Fatalf("seed %d (-undisturbed +interrupted):\n%s", seed, diff)
				}
				if !maps.EqualFunc(whole.known, s.known, func(a, b search.KnownPage) bool { return gocmp.Equal(a, b) }) {
					t.Fatalf("seed %d: other pages were asked for", seed)
				}
				break
			}
			// Any of the needed pages come back, in any order.
			portion := len(progress.Needed)
			if rounds < 20 {
				portion = 1 + random.IntN(portion)
			}
			for _, i := range random.Perm(len(progress.Needed))[:portion] {
				s.known[string(progress.Needed[i].Body)] = s.answer(t, progress.Needed[i])
			}
		}
	}
}

// TestPagesThatAreNotKnownAreReported has pages whose results are lost, refused or erased.
func TestPagesThatAreNotKnownAreReported(t *testing.T) {
	for state, why := range map[search.PageState]search.GapReason{
		search.InDoubt: search.LostPage, search.Forfeited: search.PaidPage, search.Rejected: search.RejectedPage, search.Erased: search.ErasedPage,
	} {
		s := many(100)
		progress, _ := s.ask(t, 0, roots(prospecting(t)), func(c v2.Call) search.KnownPage {
			if b, _ := s.filters(t, c); b.Page == 3 {
				return search.KnownPage{State: state}
			}
			return s.answer(t, c)
		})
		want := []search.Gap{{Why: why, Part: "no filter", Page: 3, Count: new(int64(25))}}
		if diff := gocmp.Diff(want, progress.Gaps); diff != "" || len(progress.Items) != 75 {
			t.Errorf("%d items, gaps (-want +got):\n%s", len(progress.Items), diff)
		}
		s = many(100)
		progress, _ = s.ask(t, 0, roots(prospecting(t)), func(v2.Call) search.KnownPage { return search.KnownPage{State: state} })
		if diff := gocmp.Diff([]search.Gap{{Why: why, Part: "no filter"}}, progress.Gaps); diff != "" || progress.Total.Known {
			t.Errorf("the first page: gaps (-want +got):\n%s", diff)
		}
	}
}

// TestASearchWhoseResultsChangeEnds has results move between pages, come and go while they are read.
func TestASearchWhoseResultsChangeEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := many(rapid.Int64Range(0, 600).Draw(t, "companies"))
		progress, _ := s.ask(t, 0, roots(search.NewQuery(v2.OpProspecting, 25)), func(c v2.Call) search.KnownPage {
			switch rapid.IntRange(0, 8).Draw(t, "change") {
			case 0:
				s.companies = s.companies[min(len(s.companies), 30):]
			case 1:
				s.companies = append([]walkCompany{{id: int64(1000 + s.asked), employees: 3, founded: 1999}}, s.companies...)
			}
			return s.answer(t, c)
		})
		if len(ids(progress.Items)) != len(progress.Items) {
			t.Fatal("a result is there twice")
		}
	})
}

// TestASearchEndsOnContradictoryPages has pages with any counts, items without identifiers, and pages that show
// nothing.
func TestASearchEndsOnContradictoryPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		operation := rapid.SampledFrom([]v2.Operation{v2.OpProspecting, v2.OpEnrichEmployeeSearch}).Draw(t, "operation")
		count := rapid.SampledFrom([]cost.Optional[int64]{
			{}, cost.Known(int64(-5)), cost.Known(int64(0)), cost.Known(int64(1)), cost.Known(int64(math.MaxInt64)), cost.Known(int64(math.MinInt64)), cost.Known(int64(300)),
		})
		s := &walkService{known: map[string]search.KnownPage{}}
		left := 300
		for left > 0 {
			progress, err := search.Walk(s, 0, roots(search.NewQuery(operation, 25)))
			if err != nil {
				t.Fatal(err)
			}
			if len(progress.Needed) == 0 {
				return
			}
			for _, call := range progress.Needed {
				left--
				if s.known[string(call.Body)].State != search.Unasked {
					t.Fatalf("%s is asked for again", call.Body)
				}
				s.known[string(call.Body)] = search.KnownPage{
					State: search.Answered, Total: count.Draw(t, "total"), Pages: count.Draw(t, "pages"),
					Items: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) search.ResultItem {
						return search.ResultItem{ID: rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "id"), Cells: []string{"x"}}
					}), 0, 3).Draw(t, "items"),
				}
			}
		}
	})
}

// TestASearchWithoutALastPageIsReadInWaves has a service that shows fewer pages than it announces.
func TestASearchWithoutALastPageIsReadInWaves(t *testing.T) {
	s := &walkService{known: map[string]search.KnownPage{}}
	asked := 0
	progress, _ := s.ask(t, 0, roots(search.NewQuery(v2.OpEnrichEmployeeSearch, 25)), func(c v2.Call) search.KnownPage {
		asked++
		var sent struct{ Page int64 }
		if err := json.Unmarshal(c.Body, &sent); err != nil {
			t.Fatal(err)
		}
		page := search.KnownPage{State: search.Answered, Total: cost.Known(int64(100_000)), Pages: cost.Known(int64(4000))}
		for i := range int64(25) {
			if sent.Page <= 30 {
				page.Items = append(page.Items, item(25*sent.Page+i))
			}
		}
		return page
	})
	if len(progress.Items) != 30*25 || asked > 41 || progress.Total != cost.Known(int64(100_000)) {
		t.Errorf("%d items of %v, %d pages were asked for", len(progress.Items), progress.Total, asked)
	}
}
