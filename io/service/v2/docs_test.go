package v2

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reachRow is a row of the table of what reaches each part of the specification.
type reachRow struct {
	parts         []string // the endpoint, and its parameters or filters
	command, held string
}

// reachRows reads the table in docs/conformance.md.
func reachRows(t *testing.T) (rows []reachRow) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## v2: what reaches each part\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.Contains(cells[1], "`") {
			continue
		}
		row := reachRow{command: strings.TrimSpace(cells[2]), held: strings.TrimSpace(cells[3])}
		for _, part := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			row.parts = append(row.parts, part[1])
		}
		rows = append(rows, row)
	}
	return rows
}

// unreached reports whether no command reaches an operation: it is about watched companies.
func unreached(o Operation) bool { return strings.Contains(o.entry().path, "watch") }

// TestTheDocsSayWhatReachesEveryPartOfTheSpecification: the table names every endpoint, parameter, filter and kind of
// error, and nothing else, each with a command and a test unless nothing reaches it.
func TestTheDocsSayWhatReachesEveryPartOfTheSpecification(t *testing.T) {
	reached := map[string][]string{}
	for _, row := range reachRows(t) {
		reached[row.parts[0]] = append(reached[row.parts[0]], row.parts[1:]...)
		empty := slices.ContainsFunc(Operations(), func(o Operation) bool { return unreached(o) && row.parts[0] == endpointOf(o) })
		if !empty && (row.command == "" || !strings.Contains(row.held, "`")) {
			t.Errorf("the row of %q has no command or no test", row.parts)
		}
	}
	want := map[string][]string{"TokenVerificationError": nil, "InvalidRequest": nil, "InternalError": nil, "LimitError": nil}
	for _, o := range Operations() {
		want[endpointOf(o)] = parameters(o)
		if o == OpContactMetrics {
			want[endpointOf(o)] = []string{"date_from", "date_to"}
		}
		if slices.Contains(parameters(o), "filters") {
			for key := range FilterKinds(o) {
				want[endpointOf(o)] = append(want[endpointOf(o)], key)
			}
		}
		if unreached(o) {
			want[endpointOf(o)] = nil
		}
	}
	for part, members := range want {
		has, there := reached[part]
		if !there {
			t.Errorf("no row is about %s", part)
		}
		for _, member := range members {
			if !slices.Contains(has, member) {
				t.Errorf("no row is about %s of %s", member, part)
			}
		}
		for _, member := range has {
			if len(members) > 0 && !slices.Contains(members, member) {
				t.Errorf("%s has no %s", part, member)
			}
		}
	}
	for part := range reached {
		if _, there := want[part]; !there {
			t.Errorf("the specification has no %s", part)
		}
	}
}

// endpointOf returns the method and the path of an operation.
func endpointOf(o Operation) string { return o.Method() + " /" + o.entry().path }
