package scan

import (
	"context"
	"errors"

	"payonce/io/table"
)

// List opens the same rows as often as it is asked to.
type List interface {
	// Open opens the list for one pass, in which the cells of these columns are read.
	Open(columns []int) (table.Reader, error)
}

// ErrListChanged says that the list is no longer what an earlier pass saw.
var ErrListChanged = errors.New("the list changed while it was being worked on; run the same command again")

// Pass reads the list once, for the cells of some columns: work is called for many blocks
// at the same time, and take with its results in the list's order.
func Pass[T any](
	ctx context.Context, list List, columns []int,
	work func(table.Block) (T, error), take func(table.Block, T) error,
) (err error) {
	reader, err := list.Open(columns)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	return table.Ordered(ctx, reader, work, take)
}
