// Package notify sends messages about jobs to people and other programs: by webhook, chat, email, ping or command.
package notify

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// Message is what is sent about a job. It has no personal data and no secrets.
type Message struct {
	// ID is the same each time the message is sent, so that a receiver recognises one that it has.
	ID         string    `json:"id"`
	Job        string    `json:"job"`
	Occurrence string    `json:"occurrence,omitempty"` // the local date and time
	Kind       Kind      `json:"kind"`
	Severity   Severity  `json:"severity"`
	At         time.Time `json:"at"`
	Text       string    `json:"text"`
	Figures    []Figure  `json:"figures,omitempty"`
	// Page is a report as a page of HTML, for channels that can show one; "" for none.
	Page string `json:"-"`
}

// Figure is a number with its name.
type Figure struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// quantity matches a count or an amount.
var quantity = regexp.MustCompile(`^\$?[0-9]+(\.[0-9]+)?$`)

// readable returns the value as people read it: a count or an amount has thousands separators. A webhook gets it as it
// is.
func (f Figure) readable() string {
	if f.Name == FigureWorkspace || f.Name == FigureReason || !quantity.MatchString(f.Value) {
		return f.Value
	}
	digits, isAmount := strings.CutPrefix(f.Value, "$")
	whole, decimals, hasDecimals := strings.Cut(digits, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
		whole = humanize.Comma(n)
	}
	if hasDecimals {
		whole += "." + decimals
	}
	if isAmount {
		return "$" + whole
	}
	return whole
}

// The figures that are names.
const (
	FigureWorkspace = "workspace"
	FigureReason    = "reason"
)

// Kind says what a message is about.
type Kind string

// The kinds.
const (
	Test      Kind = "test"
	Started   Kind = "started"
	Success   Kind = "success"
	Failure   Kind = "failure"
	Ceiling   Kind = "ceiling"
	Doubt     Kind = "doubt"
	Approval  Kind = "approval"
	Drift     Kind = "drift"
	Price     Kind = "price"
	MatchRate Kind = "match_rate"
	Missed    Kind = "missed"
	Skipped   Kind = "skipped"
	NoRun     Kind = "no_run"
	Report    Kind = "report" // on a month; a channel gets it when its settings say so
)

// Kinds returns all kinds.
func Kinds() []Kind { return append([]Kind{Test, Started, Report}, Alerts()...) }

// Alerts returns the kinds of messages that follow from what happened to a job.
func Alerts() []Kind {
	return []Kind{Failure, Ceiling, Doubt, Approval, Drift, Price, MatchRate, Missed, Skipped, NoRun, Success}
}

// Severity says how urgent a message is.
type Severity string

// The severities.
const (
	info    Severity = "info"
	warning Severity = "warning"
	Error   Severity = "error"
)

// SeverityOf returns the severity of a kind.
func SeverityOf(kind Kind) Severity {
	switch kind {
	case Failure, Approval, NoRun:
		return Error
	case Ceiling, Doubt, Drift, Price, MatchRate, Missed, Skipped:
		return warning
	}
	return info
}

// ErrGone says that the receiver wants no more messages at its address.
var ErrGone = errors.New("the receiver answered 410 Gone")

// RefusedError: the receiver refuses a message because of its content, and would refuse it again. It may accept
// another one.
type RefusedError struct{ Status int } // of HTTP

func (e *RefusedError) Error() string { return answered(e.Status) }

func answered(status int) string {
	return fmt.Sprintf("the receiver answered %d %s", status, http.StatusText(status))
}

// Channel is where messages go. Its methods may be called from any goroutine.
type Channel interface {
	// Send sends a message once. When it returns nil, the receiver has accepted the message. After an error the
	// receiver may have it all the same. The error has no address and no secret of the channel.
	Send(ctx context.Context, m Message) error
}

// title is one line that says what a message is about.
func (m Message) title() string {
	title := fmt.Sprintf("[%s] %s: %s", m.Severity, m.Job, m.Kind)
	if m.Occurrence != "" {
		title += " " + m.Occurrence
	}
	return title
}

// body is the text of a message with its figures.
func (m Message) body() string {
	var b strings.Builder
	b.WriteString(m.Text)
	for _, figure := range m.Figures {
		fmt.Fprintf(&b, "\n%s: %s", figure.Name, figure.readable())
	}
	return b.String()
}

// timed limits the time that a channel may take.
type timed struct {
	Channel
	within time.Duration
}

func (t timed) Send(ctx context.Context, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, t.within)
	defer cancel()
	return t.Channel.Send(ctx, m)
}
