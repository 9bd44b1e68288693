package jobs

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
)

// beginError is an error before the query.
type beginError struct{ err error }

func (e *beginError) Error() string { return e.err.Error() }
func (e *beginError) Unwrap() error { return e.err }

// The error codes of PostgreSQL that have their own text here.
const (
	codeCancelled = "57014"
	codeReadOnly  = "25006"
	classOfData   = "22" // texts of these errors have values of rows
)

// quoted is the part of a text of PostgreSQL that may have values, which may have quotes themselves.
var quoted = regexp.MustCompile(`(?s)".*"`)

// explain returns an error for the author of the query. It shows no password, no value of a row and none of the
// details that the server adds.
func (q ListQuery) explain(err error, password string) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	server, ofServer := errors.AsType[*pgconn.PgError](err)
	connecting, ofConnecting := errors.AsType[*pgconn.ConnectError](err)
	switch {
	case ofConnecting && ofServer:
		text = fmt.Sprintf("the database %q refuses the connection: %s (%s)", connecting.Config.Database, server.Message, server.Code)
	case ofConnecting:
		text = fmt.Sprintf("the database %q on %s cannot be reached: %v", connecting.Config.Database, connecting.Config.Host, errors.Unwrap(connecting))
	case !ofServer:
	case server.Code == codeCancelled:
		text = fmt.Sprintf("the query took longer than %s", q.Timeout)
	case server.Code == codeReadOnly:
		text = "the query may only read: " + server.Message
	default:
		text = server.Message
		if strings.HasPrefix(server.Code, classOfData) {
			text = quoted.ReplaceAllString(text, `"…"`)
		}
		text += " (" + server.Code + ")"
		if before := (&beginError{}); server.Position > 0 && !errors.As(err, &before) {
			line, column := place(q.SQL, int(server.Position))
			text = fmt.Sprintf("line %d, column %d: %s", line, column, text)
		}
		if server.Hint != "" {
			text += "; " + server.Hint
		}
	}
	if password != "" {
		text = strings.ReplaceAll(text, password, "…")
	}
	return errors.New(text)
}

// place returns the line and the column of a character of a text. All of them count from 1.
func place(text string, character int) (line, column int) {
	before := text
	for at := range text {
		if character--; character == 0 {
			before = text[:at]
			break
		}
	}
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}
