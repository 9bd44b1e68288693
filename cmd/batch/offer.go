package main

import (
	"context"
	"errors"
	"fmt"

	"payonce/pipeline"
	"payonce/pipeline/columns"
	"payonce/pipeline/problem"
)

// offerMapping calls do, which reads a list. If the list is refused because its columns are doubtful, it offers at a
// terminal to change them, and calls do again when that was saved.
func (o *options) offerMapping(ctx context.Context, order pipeline.List, do func() error) error {
	refused := do()
	if refused == nil || o.json || o.yes || !o.env.hasScreen() || !isDoubtful(refused) || len(order.Names) == 0 {
		return refused
	}
	m, err := pipeline.OpenMapping(order, o.env.knownProviders())
	if err != nil {
		return refused // it says what is wrong
	}
	path := m.DefaultFile()
	if path != "" {
		fmt.Fprintln(o.env.stderr, wrapped(refused.Error()))
	}
	var saved bool
	if path != "" && o.env.confirm(ctx, "Choose the columns now? [y/N] ") {
		saved, err = edit(ctx, o.env, m, false)
	}
	switch err = errors.Join(err, m.Close()); {
	case err != nil:
		return err
	case !saved:
		return refused
	}
	return do()
}

// isDoubtful reports whether a list was refused because of its columns.
func isDoubtful(err error) bool {
	if _, ok := errors.AsType[columns.DoubtsError](err); ok {
		return true
	}
	found, ok := errors.AsType[*problem.Error](err)
	return ok && found.Code == "no_identity"
}
