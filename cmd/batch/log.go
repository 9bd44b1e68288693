package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// hostLog writes what somebody should know while a command runs: lines for a person, or objects for a
// program.
type hostLog struct {
	Out      io.Writer
	Now      func() time.Time
	Terminal bool // Out is a terminal: its lines have no time
	JSON     bool // one object to a line
	Quiet    bool // errors alone
	Colour   bool // errors are red
}

// Note writes what happened. The facts are names and values, which only objects have.
func (l hostLog) Note(text string, facts ...any) {
	switch {
	case l.Quiet:
	case l.JSON:
		l.object(slog.LevelInfo, text, facts)
	case l.Terminal:
		fmt.Fprintln(l.Out, "batch: "+text)
	default:
		fmt.Fprintln(l.Out, l.Now().UTC().Format(time.RFC3339)+" batch: "+text)
	}
}

// Fail writes why a command failed, and what to do about it as the text continues.
func (l hostLog) Fail(text, hint string, facts ...any) {
	if l.JSON {
		l.object(slog.LevelError, text, facts)
		return
	}
	name := "batch:"
	if l.Colour {
		name = ansi.Style{}.Bold().ForegroundColor(ansi.Red).Styled(name)
	}
	fmt.Fprintln(l.Out, name+" "+text+hint)
}

func (l hostLog) object(level slog.Level, text string, facts []any) {
	record := slog.NewRecord(l.Now().UTC(), level, text, 0)
	record.Add(facts...)
	// Nobody can be told of an error of writing.
	_ = slog.NewJSONHandler(l.Out, nil).Handle(context.Background(), record)
}
