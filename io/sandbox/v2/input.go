package v2

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// input is what a request asks: its path, its query and the members of its body. The methods that read a member
// remember what is wrong with it; end returns all of that.
type input struct {
	path, id, name string
	query          url.Values
	text           string
	members        map[string]json.RawMessage
	read           []string
	problems       map[string][]string
}

// maxAbout bounds how much of a body the ledger keeps.
const maxAbout = 300

// about returns what the call is about: the body, or the identifier in the path.
func (in *input) about() string {
	if in.text == "" {
		return in.id
	}
	return strings.ToValidUTF8(in.text[:min(len(in.text), maxAbout)], "")
}

// parse reads the body, which has to be one JSON object.
func (in *input) parse(body []byte) *refusal {
	decoder := json.NewDecoder(bytes.NewReader(body))
	if err := decoder.Decode(&in.members); err != nil || in.members == nil {
		return invalid("non_field_errors", "The body is not a JSON object.")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return invalid("non_field_errors", "The body goes on after its JSON object.")
	}
	return nil
}

// wrong remembers what is wrong with a field.
func (in *input) wrong(field, message string) {
	if in.problems == nil {
		in.problems = map[string][]string{}
	}
	in.problems[field] = append(in.problems[field], message)
}

// member returns a member of the body; nil when it is missing or null.
func (in *input) member(name string) json.RawMessage {
	in.read = append(in.read, name)
	if raw := in.members[name]; string(raw) != "null" {
		return raw
	}
	return nil
}

const isRequired = "This field is required."

// str returns a member that is a string, without spaces around it.
func (in *input) str(name string) string {
	var value string
	if raw := in.member(name); raw != nil && json.Unmarshal(raw, &value) != nil {
		in.wrong(name, "Not a valid string.")
	}
	return strings.TrimSpace(value)
}

// needed returns a string that has to be given.
func (in *input) needed(name string) string {
	value := in.str(name)
	if value == "" && in.problems[name] == nil {
		in.wrong(name, isRequired)
	}
	return value
}

// filters reads a member that holds a JSON object encoded as a string.
func (in *input) filters(required bool) *filters {
	raw, text := in.member("filters"), "{}"
	switch {
	case raw == nil && required:
		in.wrong("filters", isRequired)
	case raw != nil && json.Unmarshal(raw, &text) != nil:
		in.wrong("filters", "Expected a JSON object encoded as a string.")
	}
	f, problem := parseFilters(text)
	if problem != "" {
		in.wrong("filters", problem)
	}
	return f
}

// invalidFilters refuses filters with which something is wrong; nil when nothing is.
func invalidFilters(problems []string) *refusal {
	if len(problems) == 0 {
		return nil
	}
	return invalidAll(map[string][]string{"filters": problems})
}

// flag returns a boolean, true when it is not given.
func (in *input) flag(name string) bool {
	value := true
	if raw := in.member(name); raw != nil && json.Unmarshal(raw, &value) != nil {
		in.wrong(name, "Must be a valid boolean.")
	}
	return value
}

// strs returns a list of strings.
func (in *input) strs(name string) []string {
	var values []string
	if raw := in.member(name); raw != nil && json.Unmarshal(raw, &values) != nil {
		in.wrong(name, "Expected a list of strings.")
	}
	return values
}

// numbers returns a list of integers.
func (in *input) numbers(name string) []int {
	var values []int
	if raw := in.member(name); raw != nil && json.Unmarshal(raw, &values) != nil {
		in.wrong(name, "Expected a list of integers.")
	}
	return values
}

// count returns an integer from 1 to most; 0 for most sets no bound.
func (in *input) count(name string, otherwise, most int) int {
	value := otherwise
	if raw := in.member(name); raw != nil && json.Unmarshal(raw, &value) != nil {
		in.wrong(name, "A valid integer is required.")
		return otherwise
	}
	return in.bounded(name, value, most)
}

func (in *input) bounded(name string, value, most int) int {
	if value < 1 {
		in.wrong(name, "Ensure this value is greater than or equal to 1.")
		return 1
	}
	if most > 0 && value > most {
		in.wrong(name, fmt.Sprintf("Ensure this value is less than or equal to %d.", most))
		return most
	}
	return min(value, 1_000_000_000) // far beyond the last page
}

// pages are the page that is asked for, and its size.
type pages struct{ page, size int }

// paging reads page and per_page of the body.
func (in *input) paging(mostPages, mostItems int) pages {
	return pages{in.count("page", 1, mostPages), in.count("per_page", mostItems, mostItems)}
}

// queryPaging reads page and per_page of the query.
func (in *input) queryPaging() pages {
	return pages{in.queryCount("page", 1, 0), in.queryCount("per_page", maxPerPage, maxPerPage)}
}

func (in *input) queryCount(name string, otherwise, most int) int {
	text := in.queryText(name)
	if text == "" {
		return otherwise
	}
	value, err := strconv.Atoi(text)
	if err != nil {
		in.wrong(name, "A valid integer is required.")
		return otherwise
	}
	return in.bounded(name, value, most)
}

// queryText returns a parameter of the query.
func (in *input) queryText(name string) string {
	in.read = append(in.read, name)
	return strings.TrimSpace(in.query.Get(name))
}

// queryList returns a parameter that can be repeated or hold several values with commas.
func (in *input) queryList(name string) []string {
	in.read = append(in.read, name)
	var values []string
	for _, text := range in.query[name] {
		for value := range strings.SplitSeq(text, ",") {
			if value = strings.TrimSpace(value); value != "" {
				values = append(values, value)
			}
		}
	}
	return values
}

// queryTime returns a moment of the query in a format; false when it is not given.
func (in *input) queryTime(name, format string, required bool) (time.Time, bool) {
	text := in.queryText(name)
	if text == "" {
		if required {
			in.wrong(name, isRequired)
		}
		return time.Time{}, false
	}
	at, err := time.Parse(format, text)
	if err != nil {
		in.wrong(name, "The format is wrong. Use: "+format)
	}
	return at, err == nil
}

// end refuses the request when something is wrong with it, or when it has members that the operation does not
// have.
func (in *input) end() *refusal {
	for name := range in.members {
		if !slices.Contains(in.read, name) {
			in.wrong(name, "This field is unknown.")
		}
	}
	for name := range in.query {
		if !slices.Contains(in.read, name) {
			in.wrong(name, "This parameter is unknown.")
		}
	}
	if in.problems == nil {
		return nil
	}
	return invalidAll(in.problems)
}

func invalidAll(problems map[string][]string) *refusal {
	no := invalid("", "")
	no.problems = problems
	return no
}

// maxPerPage is the largest page of most operations.
const maxPerPage = 25

// of returns where a page of a list with a length begins and ends, and how many pages there are.
func (p pages) of(length int) (from, to, count int) {
	from = length
	if p.page-1 <= length/p.size { // a huge page is beyond the last
		from = min(length, (p.page-1)*p.size)
	}
	return from, min(length, from+p.size), (length + p.size - 1) / p.size
}
