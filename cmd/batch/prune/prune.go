// Package prune shows what journal prune will erase, asks, and erases it.
package prune

import (
	"context"
	"fmt"
	"io"
	"time"

	"payonce/internal/app"
	"payonce/internal/inspect"
	"payonce/internal/report"
	"payonce/internal/report/journalview"
	"payonce/internal/target"
)

// Options say what is erased, and who is asked.
type Options struct {
	Before time.Time
	Export string // the file that gets what is erased first; "" for none
	Yes    bool   // do not ask
	Notes  io.Writer
	Hints  report.Hints
	Ask    func(question string) error // nil for a yes
}

// Run erases the lookups that ended before a time.
func Run(ctx context.Context, w *app.Work, o Options) (*journalview.Erasure, error) {
	if o.Export != "" {
		if err := target.Check(o.Export, nil); err != nil {
			return nil, err
		}
	}
	expiring, err := inspect.Expiring(ctx, w, o.Before, "")
	if err != nil {
		return nil, err
	}
	expiring.Exported = o.Export
	if expiring.Lookups > 0 {
		if err := report.Text(o.Notes, expiring, o.Hints); err != nil {
			return nil, err
		}
	}
	if expiring.Lookups > 0 && !o.Yes {
		if err := o.Ask(fmt.Sprintf("Erase %s for ever? [y/N] ", report.Lookups(expiring.Lookups))); err != nil {
			return nil, err
		}
	}
	if o.Export != "" { // only now: without approval no file is left
		if _, err := inspect.Expiring(ctx, w, o.Before, o.Export); err != nil {
			return nil, err
		}
	}
	return inspect.Prune(ctx, w, o.Before)
}
