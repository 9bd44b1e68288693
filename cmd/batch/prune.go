package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/output"
	"payonce/pipeline/report"
)

// pruneOptions say what is erased, and who is asked.
type pruneOptions struct {
	Before time.Time
	Export string // the file that gets what is erased first; "" for none
	Yes    bool   // do not ask
	Notes  io.Writer
	Hints  report.Hints
	Ask    func(question string) error // nil for a yes
}

// runPrune erases the lookups that ended before a time.
func runPrune(ctx context.Context, w *pipeline.Work, o pruneOptions) (*report.Erasure, error) {
	if o.Export != "" {
		if err := output.CheckTarget(o.Export, nil); err != nil {
			return nil, err
		}
	}
	expiring, err := inspect.Expiring(ctx, w, o.Before, "")
	if err != nil {
		return nil, err
	}
	expiring.Exported = o.Export
	if expiring.Lookups > 0 {
		if err := report.WriteText(o.Notes, expiring, o.Hints); err != nil {
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
