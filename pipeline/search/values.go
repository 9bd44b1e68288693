package search

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline/columns"
)

// maxValue is the length of the longest value of a filter, in bytes.
const maxValue = 1000

// cleanValue returns a value of a list, or of a filter with one value, as it is sent.
func cleanValue(kind v2.FilterKind, text string) (string, error) {
	text = norm.NFC.String(strings.Join(strings.Fields(text), " "))
	switch {
	case text == "":
		return "", errors.New("its value is empty")
	case len(text) > maxValue:
		return "", fmt.Errorf("its value is longer than %d bytes", maxValue)
	case kind == v2.NumbersFilter:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", fmt.Errorf("%q is not a number; this filter takes identifiers that are numbers", text)
		}
		if n < 1 {
			return "", fmt.Errorf("%d is not an identifier; they begin with 1", n)
		}
		return strconv.FormatInt(n, 10), nil
	case kind == v2.OneIDFilter: // an integer of the specification
		if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < 1 {
			return "", fmt.Errorf("%q is not an identifier; write a number from 1 on", text)
		}
	}
	return text, nil
}

// The years that figures can have, and the most years of a span.
const (
	yearKey         = "year"
	earliestFigures = 1900
	latestFigures   = 2999
	mostYears       = 100
)

// spellYears returns every year of texts that are years, or spans such as 2022-2024.
func spellYears(texts []string) (years []string, err error) {
	for _, text := range texts {
		first, last, isSpan := strings.Cut(strings.TrimSpace(text), "-")
		if !isSpan {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, lastErr := strconv.Atoi(last)
		if err != nil || lastErr != nil || from < earliestFigures || to > latestFigures || to < from || to-from >= mostYears {
			return nil, fmt.Errorf("%q is not a year; write years like 2024, 2022,2024 or 2022-2024", text)
		}
		for year := from; year <= to; year++ {
			years = append(years, strconv.Itoa(year))
		}
	}
	return years, nil
}

// splitValues returns the values of a list: with commas between them, and in quotes where they have commas themselves.
func splitValues(text string) ([]string, error) {
	reader := csv.NewReader(strings.NewReader(text))
	reader.TrimLeadingSpace = true
	values, err := reader.Read()
	if err == io.EOF {
		return []string{""}, nil
	}
	if _, more := reader.Read(); err != nil || more != io.EOF {
		return nil, fmt.Errorf("%q is not a list of values; put a value with commas or quotes into quotes, as \"a, b\",c", text)
	}
	return values, nil
}

// lengthOfLEI is how many letters and digits a legal entity identifier has (ISO 17442).
const lengthOfLEI = 20

func isNeitherLetterNorDigit(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

// identifying are the filters whose values name a company or a person, with the roles of columns that have such values.
var identifying = map[string]columns.Role{
	"name": columns.CompanyName, "registration_number": columns.RegistrationNumber, "vat_number": columns.VATNumber,
	"website": columns.CompanyWebsite, "pro_network": columns.CompanyProfileURL, "phone_number": columns.Phone, "person": columns.FullName,
	"email": columns.Email,
}

// specified returns a value as the specification wants it, by its name where it has one: the code of a country, and
// whether a place is a city or a state. An error says that there is no such value.
func specified(o v2.Operation, key, text string) (string, error) {
	var allowed []string
	switch key {
	case "country_code":
		named, reason := enrich.Company{Name: "x", Country: text}.Identify(enrich.ByCompanyName)
		if reason != "" || named.Company.Country == "" {
			return "", fmt.Errorf("%q is neither the code nor the name of a country", text)
		}
		return named.Company.Country, nil
	case yearKey: // also from a JSON file
		if _, err := spellYears([]string{text}); err != nil {
			return "", err
		}
		return text, nil
	case "lei_number":
		if number := strings.ReplaceAll(text, " ", ""); len(number) != lengthOfLEI || strings.ContainsFunc(number, isNeitherLetterNorDigit) {
			return "", fmt.Errorf("%q is not a legal entity identifier; write its %d letters and digits", text, lengthOfLEI)
		}
		return text, nil
	case "location_type":
		allowed = []string{"city", "state"}
	case "employee_seniorities":
		allowed = v2.Seniorities()
	default:
		if role, names := identifying[key]; names && (o == v2.OpOverview || o == v2.OpAutocomplete) && !columns.NamesSubject(role, []byte(text)) {
			return "", fmt.Errorf("%q is a placeholder and names no company; leave the filter out", text)
		}
		return text, nil
	}
	for _, value := range allowed {
		if strings.EqualFold(value, strings.ReplaceAll(text, " ", "_")) {
			return value, nil
		}
	}
	what := "a value of the filter"
	if o == v2.OpEnrichEmployeeSearch {
		what = "a seniority"
	}
	return "", fmt.Errorf("%q is not %s; they are %q", text, what, allowed)
}

// order returns how the values of a list are sorted.
func order(kind v2.FilterKind) func(a, b string) int {
	if kind != v2.NumbersFilter {
		return strings.Compare
	}
	return func(a, b string) int {
		m, _ := strconv.ParseInt(a, 10, 64) // as cleanValue wrote it
		n, _ := strconv.ParseInt(b, 10, 64)
		return cmp.Compare(m, n)
	}
}

// parseMember reads the value of a filter in JSON. A list may be written as its only value.
func parseMember(kind v2.FilterKind, data []byte, clean func(text string) (string, error)) (filter, error) {
	f := filter{kind: kind}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return f, err
	}
	if kind == v2.SpanFilter {
		s, err := spanOf(value)
		f.span = s
		return f, err
	}
	values, isList := value.([]any)
	switch {
	case !isList:
		values = []any{value}
	case kind == v2.TextFilter || kind == v2.OneIDFilter:
		return f, errors.New("it takes one value and no list")
	case len(values) == 0:
		return f, errors.New("its list is empty")
	}
	for _, value := range values {
		text, ok := valueText(value)
		if !ok {
			return f, errors.New("its values have to be texts or numbers")
		}
		text, err := clean(text)
		if err != nil {
			return f, err
		}
		f.texts = append(f.texts, text)
	}
	return f, nil
}

// valueText returns a text or a number of JSON as text.
func valueText(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case json.Number:
		return value.String(), true
	}
	return "", false
}

// bound is an end of a range: a number, or a day. The zero value is no end.
type bound struct {
	known  bool
	number float64
	day    time.Time // zero for a number
}

// isDay reports whether the bound is a day.
func (b bound) isDay() bool { return b.known && !b.day.IsZero() }

// String returns the bound as it is sent, "" for none.
func (b bound) String() string {
	switch {
	case !b.known:
		return ""
	case b.isDay():
		return b.day.Format(time.DateOnly)
	}
	return strconv.FormatFloat(b.number, 'f', -1, 64)
}

func numberBound(n int64) bound { return bound{known: true, number: float64(n)} }

func dayBound(day time.Time) bound { return bound{known: true, day: day} }

// parseBound reads an end of a range. An empty text is none.
func parseBound(text string) (bound, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return bound{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return dayBound(day), nil
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
		return bound{}, fmt.Errorf("%q is neither a number nor a date of the form 2006-01-31", text)
	}
	return bound{known: true, number: number + 0}, nil // + 0 turns -0 into 0
}

// span is a range whose ends belong to it.
type span struct{ least, most bound }

// String returns the range as Where takes it.
func (s span) String() string {
	if s.least == s.most {
		return s.least.String()
	}
	return s.least.String() + ".." + s.most.String()
}

// parseSpan reads 10..50, 10.., ..50 or 10.
func parseSpan(text string) (s span, err error) {
	least, most, isRange := strings.Cut(text, "..")
	if !isRange {
		most = least
	}
	return newSpan(least, most)
}

// newSpan returns a range with at least one end.
func newSpan(least, most string) (s span, err error) {
	if s.least, err = parseBound(least); err != nil {
		return s, err
	}
	if s.most, err = parseBound(most); err != nil {
		return s, err
	}
	switch {
	case !s.least.known && !s.most.known:
		return s, errors.New("it is a range, and takes 10..50, 10.. or ..50")
	case s.least.known && s.most.known && s.least.isDay() != s.most.isDay():
		return s, errors.New("one end of its range is a number and the other a date")
	case s.least.known && s.most.known && (s.least.number > s.most.number || s.least.day.After(s.most.day)):
		return s, fmt.Errorf("its range %s ends before it begins", s)
	}
	return s, nil
}

// spanOf reads an object with gte and lte.
func spanOf(value any) (span, error) {
	object, isObject := value.(map[string]any)
	if !isObject {
		return span{}, errors.New(`it is a range, and takes {"gte": 10, "lte": 50}`)
	}
	ends := map[string]string{}
	for name, end := range object {
		text, ok := valueText(end)
		if name != "gte" && name != "lte" || !ok {
			return span{}, errors.New("its range has members other than the numbers or dates gte and lte")
		}
		ends[name] = text
	}
	return newSpan(ends["gte"], ends["lte"])
}
