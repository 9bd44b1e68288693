// This file shows a screen on which a person decides about the values that a run found for records of a CRM.

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"payonce/pipeline/crm"
	"payonce/pipeline/report"
)

// runReviewScreen shows the screen until the person leaves it.
func runReviewScreen(ctx context.Context, in io.Reader, out io.Writer, review *crm.Review, save func(...int) error) error {
	last, err := tea.NewProgram(newReviewScreen(review, save), tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out)).Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	return last.(*reviewScreen).failure
}

// reviewScreen is the state of the screen.
type reviewScreen struct {
	review        *crm.Review
	save          func(...int) error // returns when the decisions are durable
	width, height int
	shown         []int // the lines that the search finds
	at, top       int   // among those that are shown
	searching     bool
	search        string
	note          string
	failure       error // of a decision that could not be saved
}

func newReviewScreen(review *crm.Review, save func(...int) error) *reviewScreen {
	s := &reviewScreen{review: review, save: save, width: 80, height: 24}
	s.find()
	return s
}

// Init does nothing.
func (*reviewScreen) Init() tea.Cmd { return nil }

// Update takes a key or the size of the terminal.
func (s *reviewScreen) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = max(message.Width, 40), max(message.Height, 16)
	case tea.KeyPressMsg:
		s.note = ""
		if s.searching {
			return s, s.pressInSearch(message)
		}
		return s, s.press(message.String())
	}
	return s, nil
}

// find shows the lines that have every word of the search.
func (s *reviewScreen) find() {
	words := strings.Fields(strings.ToLower(s.search))
	s.shown = nil
	for i := range s.review.Lines {
		line := &s.review.Lines[i]
		text := strings.ToLower(strings.Join([]string{
			line.Record, line.Person, line.Company, line.Field, line.InCRM, line.Found, line.StateText(), string(line.Decision),
			strings.Join(line.Against, " "),
		}, " "))
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			s.shown = append(s.shown, i)
		}
	}
	s.at, s.top = 0, 0
}

// pressInSearch acts on a key while somebody types what to look for.
func (s *reviewScreen) pressInSearch(key tea.KeyPressMsg) tea.Cmd {
	switch key.String() {
	case "ctrl+c":
		return tea.Quit
	case "enter":
		s.searching = false
	case "esc":
		s.searching, s.search = false, ""
	case "backspace":
		if letters := []rune(s.search); len(letters) > 0 {
			s.search = string(letters[:len(letters)-1])
		}
	default:
		s.search += key.Text
	}
	s.find()
	return nil
}

func (s *reviewScreen) press(key string) tea.Cmd {
	last := max(len(s.shown)-1, 0)
	switch key {
	case "up", "k":
		s.at = max(s.at-1, 0)
	case "down", "j":
		s.at = min(s.at+1, last)
	case "pgup":
		s.at = max(s.at-s.room(), 0)
	case "pgdown":
		s.at = min(s.at+s.room(), last)
	case "home":
		s.at = 0
	case "end":
		s.at = last
	case "n":
		s.next()
	case "/":
		s.searching = true
	case "a":
		return s.decide(crm.Approve)
	case "r":
		return s.decide(crm.Reject)
	case "u":
		return s.decide(crm.Undecided)
	case "q", "esc", "ctrl+c":
		return tea.Quit
	}
	return nil
}

// next goes to the next line that has no decision, from the top again after the last one.
func (s *reviewScreen) next() {
	for step := 1; step <= len(s.shown); step++ {
		at := (s.at + step) % len(s.shown)
		if line := &s.review.Lines[s.shown[at]]; line.State == crm.Open && line.Decision == crm.Undecided {
			s.at = at
			return
		}
	}
	s.note = "there is nothing left to decide"
}

// decide decides about the line under the cursor, and saves that before anything else happens.
func (s *reviewScreen) decide(d crm.Decision) tea.Cmd {
	if len(s.shown) == 0 {
		return nil
	}
	line := &s.review.Lines[s.shown[s.at]]
	if line.State != crm.Open {
		s.note = "nothing is decided about this value: " + line.Why
		return nil
	}
	if err := line.Decide(d, crm.ByPerson); err != nil {
		s.note = err.Error()
		return nil
	}
	if s.failure = s.save(s.shown[s.at]); s.failure != nil {
		return tea.Quit
	}
	if d != crm.Undecided {
		s.at = min(s.at+1, len(s.shown)-1)
	}
	return nil
}

// belowReview is how many lines of the screen stand around those of the review.
const belowReview = 12

// room is how many values are shown at a time.
func (s *reviewScreen) room() int { return max(s.height-belowReview, 3) }

// View returns what the terminal shows.
func (s *reviewScreen) View() tea.View {
	lines := strings.Split(strings.Join(s.lines(), "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(ansi.Truncate(line, s.width, "…"), " ")
	}
	view := tea.NewView(strings.Join(lines, "\n"))
	view.AltScreen = true
	return view
}

// The widths of columns of the screen.
const (
	decisionWidth = 9
	fieldWidth    = 15
)

func (s *reviewScreen) lines() []string {
	count := s.review.Count()
	name := (s.width - decisionWidth - fieldWidth - 6) * 2 / 5
	value := s.width - decisionWidth - fieldWidth - 6 - name
	lines := []string{
		fmt.Sprintf("%d to decide, %d approved, %d rejected, %d of %d shown", count.Undecided, count.Approved, count.Rejected, len(s.shown), len(s.review.Lines)),
		"  " + fit("decision", decisionWidth) + " " + fit("name", name) + " " + fit("field", fieldWidth) + " " + fit("found", value),
	}
	room := s.room()
	s.top = max(min(s.top, s.at), s.at-room+1, 0)
	for i := s.top; i < min(s.top+room, len(s.shown)); i++ {
		line, mark := &s.review.Lines[s.shown[i]], " "
		if i == s.at {
			mark = ">"
		}
		lines = append(lines, mark+" "+fit(decisionText(line), decisionWidth)+" "+fit(line.Person, name)+" "+fit(line.Field, fieldWidth)+" "+fit(line.Found, value))
	}
	lines = append(lines, "")
	if len(s.shown) > 0 {
		lines = append(lines, s.details(&s.review.Lines[s.shown[s.at]])...)
	}
	switch {
	case s.searching:
		lines = append(lines, "", "search: "+report.Printable(s.search)+"_   enter take   esc show all")
	case s.note != "":
		lines = append(lines, "", report.Printable(s.note))
	default:
		lines = append(lines, "", "a approve   r reject   u undo   n next   / search   q leave; saved at once")
	}
	return lines
}

// decisionText says in one word what was decided about a value.
func decisionText(l *crm.Line) string {
	switch {
	case l.State == crm.Kept:
		return "kept"
	case l.State != crm.Open:
		return "-"
	}
	return string(l.Decision)
}

// details returns the lines about a value.
func (s *reviewScreen) details(l *crm.Line) []string {
	target := s.review.Targets[l.Target].Header
	lines := []string{
		fmt.Sprintf("record %s, row %d, %s", l.Record, l.Row, l.Company),
		fmt.Sprintf("column %s: %s", target, cmp.Or(l.InCRM, "empty in the CRM")),
		"state    " + l.StateText(),
	}
	if l.DecidedBy != "" {
		lines[2] += ", decided by " + l.DecidedBy
	}
	for i, line := range lines {
		lines[i] = report.Printable(line)
	}
	return append(lines, s.reasons("for", l.For), s.reasons("against", l.Against))
}

// reasons returns what shows or contradicts that a value is right, in one line or two.
func (s *reviewScreen) reasons(name string, reasons []string) string {
	text := report.Printable(cmp.Or(strings.Join(reasons, "; "), "nothing"))
	lines := report.Wrap(strings.Fields(text), s.width-9)
	lines = lines[:min(len(lines), 2)]
	return fmt.Sprintf("%-8s ", name) + strings.Join(lines, "\n         ")
}
