// This file is the model of a search: which filters it has, how they are read and written, and into which
// parts it can be split. It sends nothing.

package search

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"payonce/enrich"
	"payonce/io/service/v2"
)

// Query is a search by filters. Its methods return changed copies.
type Query struct {
	operation v2.Operation
	perPage   int
	kinds     map[string]v2.FilterKind // that there are
	codes     Codes
	filters   map[string]filter
	// call returns the call of a page. It has the filters in the form in which they are sent.
	call func() func(v2.Paging) v2.Call
}

// filter is the value of one filter: a range, or texts. A list has its texts sorted and each of them once, so
// that two spellings of one search are equal.
type filter struct {
	kind  v2.FilterKind
	texts []string
	span  span
}

// NewQuery returns a search without filters. It asks for pages of perPage results.
func NewQuery(o v2.Operation, perPage int) Query {
	return Query{operation: o, perPage: perPage, kinds: v2.FilterKinds(o)}.with(nil)
}

// WithCodes returns the search with the codes of an account. They are for the filters that are added to it.
func (q Query) WithCodes(codes Codes) Query {
	q.codes = codes
	return q
}

// Has reports whether the search has a filter.
func (q Query) Has(key string) bool {
	_, has := q.filters[key]
	return has
}

// isRecord reports whether an operation returns a record, which stands for all pages of a search.
func isRecord(o v2.Operation) bool {
	_, paged := o.SearchField()
	return !paged
}

// each returns the searches that the search consists of: one for each year of figures.
func (q Query) each() []Query {
	years := q.filters["year"]
	if q.operation != v2.OpGetFinancials || len(years.texts) < 2 {
		return []Query{q}
	}
	var all []Query
	for _, year := range years.texts {
		all = append(all, q.replace("year", filter{kind: years.kind, texts: []string{year}}))
	}
	return all
}

// PerPage returns how many results a page has.
func (q Query) PerPage() int { return q.perPage }

// LastPage returns the last page that the service returns of one search, 0 when it has no last one.
func (q Query) LastPage() int { return v2.LastPage(q.operation) }

// FilterKeys returns the keys of the filters that the search can have, in order.
func FilterKeys(o v2.Operation) []string { return slices.Sorted(maps.Keys(v2.FilterKinds(o))) }

// UnknownKeyError says that a search has no filter with a key.
type UnknownKeyError struct {
	Key     string
	Allowed []string
}

func (e *UnknownKeyError) Error() string {
	all := strings.Join(e.Allowed, ", ")
	if alike := e.alike(); len(alike) > 0 {
		return fmt.Sprintf("there is no filter %q; did you mean %s? The filters are %s", e.Key, strings.Join(alike, " or "), all)
	}
	return fmt.Sprintf("there is no filter %q; the filters are %s", e.Key, all)
}

// alike returns the filters that have a word with the beginning of a word of the key, such as location_countries
// for country.
func (e *UnknownKeyError) alike() (alike []string) {
	for _, name := range e.Allowed {
		if slices.ContainsFunc(words(name), func(word string) bool {
			return slices.ContainsFunc(words(e.Key), func(asked string) bool { return sameBeginning(word, asked) })
		}) {
			alike = append(alike, name)
		}
	}
	return alike
}

// words returns the words of a name.
func words(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' })
}

// sameBeginning reports whether two words are the same up to at most three letters at the end. At least four
// letters have to be the same.
func sameBeginning(a, b string) bool {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return same >= 4 && same >= max(len(a), len(b))-3
}

// kind returns the kind of a filter.
func (q Query) kind(key string) (v2.FilterKind, error) {
	kind, known := q.kinds[key]
	if !known {
		return 0, &UnknownKeyError{Key: key, Allowed: slices.Sorted(maps.Keys(q.kinds))}
	}
	return kind, nil
}

// Where adds a filter that is written as KEY=VALUE. A range is KEY=10..50, KEY=10.. or KEY=..50. A list has its values
// with commas between them, as List takes them, and grows with each call.
func (q Query) Where(text string) (Query, error) {
	key, value, found := strings.Cut(text, "=")
	if key = strings.TrimSpace(key); !found {
		return q, fmt.Errorf("%q is not KEY=VALUE", text)
	}
	kind, err := q.kind(key)
	if err != nil {
		return q, err
	}
	if kind == v2.SpanFilter {
		s, err := parseSpan(value)
		return q.add(key, filter{kind: kind, span: s}, err)
	}
	return q.List(key, value)
}

// List adds values to a filter. A list has them with commas between them; a value with a comma stands in quotes, or is
// one of the names of its codes.
func (q Query) List(key, text string) (Query, error) {
	kind, err := q.kind(key)
	if err != nil {
		return q, err
	}
	values := []string{text}
	if (kind == v2.TextsFilter || kind == v2.NumbersFilter) && !q.codes.knows(key, text) {
		if values, err = splitValues(text); err != nil {
			return q.add(key, filter{}, err)
		}
	}
	if key == yearKey {
		if values, err = spellYears(values); err != nil {
			return q.add(key, filter{}, err)
		}
	}
	return q.With(key, values...)
}

// With adds values to a filter.
func (q Query) With(key string, values ...string) (Query, error) {
	kind, err := q.kind(key)
	if err != nil {
		return q, err
	}
	f := filter{kind: kind}
	for _, value := range values {
		text, wrong := q.value(key, kind, value)
		if wrong != nil {
			err = wrong
		}
		f.texts = append(f.texts, text)
	}
	return q.add(key, f, err)
}

// JSON adds the filters of a JSON object, as the specification has it.
func (q Query) JSON(data []byte) (Query, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return q, errors.New("the filters are not a JSON object")
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		kind, err := q.kind(key)
		if err != nil {
			return q, err
		}
		f, err := parseMember(kind, members[key], func(text string) (string, error) { return q.value(key, kind, text) })
		if q, err = q.add(key, f, err); err != nil {
			return q, err
		}
	}
	return q, nil
}

// value returns a value of a filter as it is sent: the code of a name where the codes of the filter are known.
func (q Query) value(key string, kind v2.FilterKind, text string) (string, error) {
	text, err := q.codes.code(key, text)
	if err != nil {
		return "", err
	}
	if text, err = cleanValue(kind, text); err != nil {
		return "", err
	}
	return specified(q.operation, key, text)
}

// add adds a filter, or values to a list. The error is about its value.
func (q Query) add(key string, f filter, err error) (Query, error) {
	if err != nil {
		return q, fmt.Errorf("filter %s: %w", key, err)
	}
	known, given := q.filters[key]
	isList := f.kind == v2.TextsFilter || f.kind == v2.NumbersFilter
	if given && !isList {
		return q, fmt.Errorf("filter %s: it is given twice, and takes one value", key)
	}
	if isList {
		f.texts = slices.Compact(slices.SortedFunc(slices.Values(slices.Concat(known.texts, f.texts)), order(f.kind)))
	}
	return q.replace(key, f), nil
}

// replace returns the search with one filter replaced.
func (q Query) replace(key string, f filter) Query {
	filters := map[string]filter{key: f}
	for other, kept := range q.filters {
		if other != key {
			filters[other] = kept
		}
	}
	return q.with(filters)
}

// with returns the search with other filters.
func (q Query) with(filters map[string]filter) Query {
	q.filters = filters
	q.call = sync.OnceValue(func() func(v2.Paging) v2.Call { return caller(q.operation, q.object()) })
	return q
}

// maxBody is the length of the longest call of a search, in bytes. The journal keeps the call with every page.
const maxBody = 16 << 10

// Check says why the search cannot be asked.
func (q Query) Check() error {
	if q.operation == v2.OpEmployees && len(q.filters) == 0 {
		return errors.New("a search for employees needs a filter, such as company_id")
	}
	if q.operation == v2.OpGetFinancials && len(q.filters["year"].texts) == 0 {
		return errors.New("a search for figures needs a year; a run asks for the figures of all years in one call")
	}
	if search := decoded[v2.CompanySearch](q.object()); q.operation == v2.OpOverview && search.CountryCode == "US" && search.State != "" {
		if _, known := stateOf(search); !known {
			return fmt.Errorf("filter state: %q is neither the code nor the name of a state of the US", search.State)
		}
	}
	call := q.Call(1)
	if err := call.Check(); err != nil {
		return err
	}
	if len(call.Body) > maxBody {
		return fmt.Errorf("the filters are longer than %d KB; split the search into several", maxBody>>10)
	}
	return nil
}

// Call returns the call for a page, from 1.
func (q Query) Call(page int) v2.Call {
	return q.call()(v2.Paging{Page: page, PerPage: q.perPage})
}

// caller returns what makes the calls of a search by its filters.
func caller(o v2.Operation, filters []byte) func(v2.Paging) v2.Call {
	switch o {
	case v2.OpProspecting:
		by := decoded[v2.CompanyFilters](filters)
		return func(p v2.Paging) v2.Call { return v2.ProspectingCall(by, p) }
	case v2.OpOverview:
		search := decoded[v2.CompanySearch](filters)
		if code, known := stateOf(search); known {
			search.State = code
		}
		return func(p v2.Paging) v2.Call {
			search := search
			search.Paging = p
			return v2.OverviewCall(search)
		}
	case v2.OpAutocomplete:
		known := decoded[v2.PartialCompany](filters)
		return func(v2.Paging) v2.Call { return v2.AutocompleteCall(known) }
	case v2.OpGetFinancials:
		by := decoded[v2.FinancialsFilters](filters)
		return func(v2.Paging) v2.Call {
			if len(by.Year) != 1 {
				return v2.FinancialsCall(string(by.CompanyID), 0)
			}
			return v2.FinancialsCall(string(by.CompanyID), int(by.Year[0]))
		}
	case v2.OpEmployees:
		by := decoded[v2.EmployeeFilters](filters)
		return func(p v2.Paging) v2.Call { return v2.EmployeesCall(by, p) }
	default:
		search := decoded[v2.PeopleSearch](filters)
		return func(p v2.Paging) v2.Call {
			search := search
			search.Paging = p
			return v2.PeopleCall(search)
		}
	}
}

// stateOf returns the code of the state of a search in the US, which may have its name; false for another search.
func stateOf(search v2.CompanySearch) (string, bool) {
	named := enrich.Company{Country: search.CountryCode, State: search.State, RegistrationNumber: "1"}
	id, reason := named.Identify(enrich.ByRegistration)
	return id.Company.State, reason == "" && id.Company.State != ""
}

// decoded returns filters in the form of their call. What was checked can be read.
func decoded[T any](filters []byte) (value T) {
	_ = json.Unmarshal(filters, &value)
	return value
}

// object returns the filters as a JSON object.
func (q Query) object() []byte {
	members := map[string]any{}
	for key, f := range q.filters {
		members[key] = f.value()
	}
	object, _ := json.Marshal(members) // texts and ranges always have a form
	return object
}

// value returns what stands for the filter in JSON.
func (f filter) value() any {
	switch f.kind {
	case v2.SpanFilter:
		return v2.Range{GTE: v2.Bound(f.span.least.String()), LTE: v2.Bound(f.span.most.String())}
	case v2.NumbersFilter:
		numbers := make([]json.Number, len(f.texts))
		for i, text := range f.texts {
			numbers[i] = json.Number(text)
		}
		return numbers
	case v2.TextFilter:
		return f.texts[0]
	case v2.OneIDFilter:
		return v2.ID(f.texts[0])
	default:
		return f.texts
	}
}

// list returns the values in the form of List.
func (f filter) list() string {
	var values []string
	for _, text := range f.texts {
		if f.kind == v2.TextsFilter && strings.ContainsAny(text, ",\"") {
			text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
		values = append(values, text)
	}
	return strings.Join(values, ",")
}

// String describes the search for a person to read, in the form of Where.
func (q Query) String() string {
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(q.filters)) {
		if f := q.filters[key]; f.kind == v2.SpanFilter {
			texts = append(texts, key+"="+f.span.String())
		} else {
			texts = append(texts, key+"="+f.list())
		}
	}
	return cmp.Or(strings.Join(texts, " "), "no filter")
}
