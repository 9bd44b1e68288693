package table

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
)

// readAhead is how many blocks for each worker may wait for a worker, or for the blocks before them.
const readAhead = 2

// task is a block that is being worked on. done gets the result once.
type task[T any] struct {
	block Block
	done  chan result[T]
}

type result[T any] struct {
	value T
	err   error
}

// Ordered reads the rest of a list on all cores. One goroutine reads the blocks. One goroutine for
// each core calls work with one block at a time. The caller's goroutine calls handle with the
// results in the order of the blocks, and releases each block after that.
//
// It returns the error that comes first in the list, of handle, of work or of the reader. When ctx
// ends it returns the error of ctx. No goroutine runs after it returns. It does not close the
// reader.
func Ordered[T any](
	ctx context.Context, reader Reader, work func(Block) (T, error), handle func(Block, T) error,
) error {
	workers := runtime.GOMAXPROCS(0)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	inOrder := make(chan task[T], readAhead*workers)
	toDo := make(chan task[T], readAhead*workers)
	var running sync.WaitGroup
	running.Go(func() {
		defer close(inOrder)
		defer close(toDo)
		readBlocks(ctx, reader, inOrder, toDo)
	})
	for range workers {
		running.Go(func() {
			for t := range toDo {
				var r result[T]
				if ctx.Err() == nil {
					r.value, r.err = work(t.block)
				}
				t.done <- r
			}
		})
	}
	err := handleInOrder(ctx, inOrder, handle)
	cancel()
	for t := range inOrder {
		<-t.done
		if t.block != nil {
			t.block.Release()
		}
	}
	running.Wait()
	return err
}

// Each calls visit for every row of the rest of a list in order, until the context ends. It does not close the reader.
func Each(ctx context.Context, reader Reader, visit func(Row) error) error {
	for {
		block, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = block.Each(visit)
			block.Release()
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
}

// readBlocks sends blocks until the list or ctx ends. It sends an error of the reader in the order
// of the blocks.
func readBlocks[T any](ctx context.Context, reader Reader, inOrder, toDo chan<- task[T]) {
	for ctx.Err() == nil {
		block, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		t := task[T]{block, make(chan result[T], 1)}
		if err != nil {
			t.block = nil
			t.done <- result[T]{err: err}
		}
		select {
		case inOrder <- t:
		case <-ctx.Done():
			if err == nil {
				block.Release()
			}
			return
		}
		if err != nil {
			return
		}
		toDo <- t // has as much room as inOrder
	}
}

func handleInOrder[T any](ctx context.Context, inOrder <-chan task[T], handle func(Block, T) error) error {
	for t := range inOrder {
		r := <-t.done
		err := ctx.Err()
		switch {
		case r.err != nil:
			err = r.err
		case err == nil:
			err = handle(t.block, r.value)
		}
		if t.block != nil {
			t.block.Release()
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
