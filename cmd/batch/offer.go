package main

import (
	"context"
	"errors"
	"fmt"

	"payonce/pipeline"
	"payonce/pipeline/columns"
	"payonce/pipeline/problem"
)

// offerMapping offers to show the columns of a list that was refused because they are doubtful. It reports whether a
// mapping was saved. Then the caller reads the list again. Confirm asks a question.
func offerMapping(ctx context.Context, env mapEnvironment, order pipeline.List, refused error, confirm func(question string) bool) (bool, error) {
	if !env.Terminal || !isDoubtful(refused) || len(order.Names) == 0 {
		return false, nil
	}
	m, err := open(order)
	if err != nil {
		return false, nil // the error that refused the list says what is wrong
	}
	path := m.DefaultFile()
	if path != "" {
		fmt.Fprintln(env.Stderr, wrapped(refused.Error()))
	}
	if path == "" || !confirm("Choose the columns now? [y/N] ") {
		return false, m.Close()
	}
	saved, err := edit(ctx, env, m, false)
	return saved, errors.Join(err, m.Close())
}

// isDoubtful reports whether a list was refused because of its columns.
func isDoubtful(err error) bool {
	if _, ok := errors.AsType[columns.DoubtsError](err); ok {
		return true
	}
	found, ok := errors.AsType[*problem.Error](err)
	return ok && found.Code == "no_identity"
}
