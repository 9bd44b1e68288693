// This file lets a person at a terminal change how the columns of a list are read.

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"payonce/pipeline/report"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"payonce/pipeline"
	"payonce/pipeline/columns"
)

// runMapScreen shows the screen until the person leaves it. It reports whether the mapping is to be saved.
func runMapScreen(ctx context.Context, in io.Reader, out io.Writer, m *pipeline.Mapping) (save bool, err error) {
	last, err := tea.NewProgram(newMapScreen(m), tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out)).Run()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		return false, err
	}
	return last.(*mapScreen).save, nil
}

// mapPage is what the screen shows.
type mapPage uint8

const (
	showColumns mapPage = iota
	showRoles           // to choose one for the column under the cursor
	showRows            // as they would be looked up
)

// mapScreen is the state of the screen.
type mapScreen struct {
	m             *pipeline.Mapping
	width, height int
	page          mapPage
	column, top   int // the column under the cursor, and the first one that is shown
	role          int // the role under the cursor
	save          bool
}

// newMapScreen returns a screen for a terminal of 80 columns and 24 lines. Update sets another size.
func newMapScreen(m *pipeline.Mapping) *mapScreen { return &mapScreen{m: m, width: 80, height: 24} }

// Init does nothing.
func (*mapScreen) Init() tea.Cmd { return nil }

// Update takes a key or the size of the terminal.
func (s *mapScreen) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = max(message.Width, 40), max(message.Height, 12)
	case tea.KeyPressMsg:
		return s, s.press(message.String())
	}
	return s, nil
}

// press acts on a key.
func (s *mapScreen) press(key string) tea.Cmd {
	if key == "ctrl+c" {
		return tea.Quit
	}
	switch s.page {
	case showRows:
		s.page = showColumns
	case showRoles:
		s.pressInRoles(key)
	default:
		return s.pressInColumns(key)
	}
	return nil
}

func (s *mapScreen) pressInColumns(key string) tea.Cmd {
	switch key {
	case "up", "k":
		s.column = max(s.column-1, 0)
	case "down", "j":
		s.column = min(s.column+1, len(s.m.Schema.Columns)-1)
	case "pgup":
		s.column = max(s.column-s.room(), 0)
	case "pgdown":
		s.column = min(s.column+s.room(), len(s.m.Schema.Columns)-1)
	case "enter", "space":
		s.page, s.role = showRoles, 1+slices.Index(s.m.Roles(), s.m.RoleOf(s.column))
	case "tab", "r":
		s.page = showRows
	case "s":
		s.save = true
		return tea.Quit
	case "q", "esc":
		return tea.Quit
	}
	return nil
}

// pressInRoles acts on a key in the list of roles. Its first entry means no role.
func (s *mapScreen) pressInRoles(key string) {
	switch key {
	case "up", "k":
		s.role = max(s.role-1, 0)
	case "down", "j":
		s.role = min(s.role+1, len(s.m.Roles()))
	case "enter", "space":
		s.choose()
		s.page = showColumns
	case "q", "esc":
		s.page = showColumns
	}
}

// choose gives the role under the cursor to the column. Some roles take several columns.
func (s *mapScreen) choose() {
	if s.role == 0 {
		if role := s.m.RoleOf(s.column); role != "" {
			s.m.Set(role, without(s.m.Reading.Mapping[role], s.column)...)
		}
		return
	}
	role := s.m.Roles()[s.role-1]
	numbers := []int{s.column}
	if columns.TakesSeveral(role) {
		numbers = append(without(s.m.Reading.Mapping[role], s.column), s.column)
		slices.Sort(numbers)
	}
	s.m.Set(role, numbers...)
}

func without(numbers []int, left int) []int {
	return slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return n == left })
}

// below is how many lines stand below the columns: the reason, the doubts and the keys.
const below = 7

// room is how many columns are shown at a time.
func (s *mapScreen) room() int { return max(s.height-below-2, 3) }

// View returns what the terminal shows.
func (s *mapScreen) View() tea.View {
	var lines []string
	switch s.page {
	case showColumns:
		lines = s.columnLines()
	case showRoles:
		lines = s.roleLines()
	case showRows:
		lines = s.rowLines()
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(ansi.Truncate(line, s.width, "…"), " ")
	}
	view := tea.NewView(strings.Join(lines, "\n"))
	view.AltScreen = true
	return view
}

// fit returns a text in exactly width columns of the terminal.
func fit(text string, width int) string {
	text = ansi.Truncate(report.Printable(text), width, "…")
	return text + strings.Repeat(" ", width-ansi.StringWidth(text))
}

// roleWidth is how many columns of the terminal a role takes.
const roleWidth = 14

func (s *mapScreen) columnLines() []string {
	header := (s.width - 8 - roleWidth) * 2 / 5
	example := s.width - 10 - roleWidth - header
	lines := []string{fmt.Sprintf("%7s%s %s %s", "", fit("column", header), fit("first value", example), "read as")}
	room, last := s.room(), len(s.m.Schema.Columns)-1
	s.top = max(min(s.top, s.column), s.column-room+1, 0)
	for i := s.top; i <= min(s.top+room-1, last); i++ {
		mark, role := " ", string(s.m.RoleOf(i))
		if i == s.column {
			mark = ">"
		}
		if role == "" {
			role = "-"
		}
		lines = append(lines, fmt.Sprintf("%s %4s %s %s %s", mark, fmt.Sprintf("#%d", i+1), fit(s.m.Schema.Columns[i], header), fit(s.m.Example(i), example), role))
	}
	lines = append(lines, "", fmt.Sprintf("#%d: %s", s.column+1, s.m.Why(s.column)))
	if doubts := s.m.Doubts(); len(doubts) > 0 {
		more := ""
		if len(doubts) > 1 {
			more = fmt.Sprintf(" (and %d more)", len(doubts)-1)
		}
		lines = append(lines, s.wrapped("doubtful: "+report.Printable(doubts[0])+more)...)
	}
	return append(lines, "", "up/down column   enter change   tab rows   s save   q leave without saving")
}

// wrapped returns a text in at most three lines.
func (s *mapScreen) wrapped(text string) []string {
	lines := report.Wrap(strings.Fields(text), s.width)
	return lines[:min(len(lines), 3)]
}

func (s *mapScreen) roleLines() []string {
	lines := []string{fmt.Sprintf("What is column #%d %q?", s.column+1, report.Printable(s.m.Schema.Columns[s.column])), ""}
	names := []string{"(not used)"}
	for _, role := range s.m.Roles() {
		name := fit(string(role), roleWidth+1)
		for _, column := range s.m.Reading.Mapping[role] {
			name += fmt.Sprintf(" #%d %s", column+1, report.Printable(s.m.Schema.Columns[column]))
		}
		names = append(names, name)
	}
	for i, name := range names {
		mark := " "
		if i == s.role {
			mark = ">"
		}
		lines = append(lines, mark+" "+name)
	}
	return append(lines, "", "up/down choose   enter take   esc back")
}

func (s *mapScreen) rowLines() []string {
	lines := []string{"The first rows, as they would be looked up", ""}
	for _, row := range s.m.Rows() {
		lines = append(lines, fmt.Sprintf("%5d  %s", row.Row, report.Printable(row.Text())))
		if row.Note != "" {
			lines = append(lines, "       "+report.Printable(row.Note))
		}
	}
	return append(lines, "", "press any key to go back")
}
