package pipeline

import (
	"context"
	"errors"
	"sync"

	"payonce/io/table"
)

// pass reads the list once, for the cells of some columns: work is called for many blocks
// at the same time, and take with its results in the list's order.
func pass[T any](
	ctx context.Context, list List, columns []int, work func(table.Block) (T, error), take func(table.Block, T) error,
) (err error) {
	reader, err := list.Open(columns)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	return table.Ordered(ctx, reader, work, take)
}

// eachSurveyed is a pass in which every goroutine works with a surveyor of its own.
func eachSurveyed[T any](
	ctx context.Context, scope Scope, list List, journal Recorder, work func(*surveyor, table.Block) (T, error), take func(T),
) error {
	surveyors := sync.Pool{New: func() any { return &surveyor{looker: scope.looker(journal.KeyOf)} }}
	return pass(ctx, list, scope.columns(), func(block table.Block) (T, error) {
		v := surveyors.Get().(*surveyor)
		defer surveyors.Put(v)
		return work(v, block)
	}, func(_ table.Block, result T) error {
		take(result)
		return nil
	})
}
