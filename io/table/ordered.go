package table

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
)

// readAhead is how many blocks may wait for a goroutine, or for those before them,
// for each goroutine that works on blocks.
const readAhead = 2

// task is a block on its way: work sends its result once.
type task[T any] struct {
	block Block
	done  chan result[T]
}

type result[T any] struct {
	value T
	err   error
}

// Ordered reads the rest of a list on all cores: one goroutine reads the blocks, as
// many as there are cores call work, each for a block of its own, and the caller's
// calls handle with the results, in the order of the blocks. A block is released
// once it was handled.
//
// It returns the first error in the order of the list, whichever goroutine was
// faster: of handle for a block before it, of work, or of the reader. When ctx ends
// it returns ctx's error. No goroutine is left when it returns, and the reader is not
// closed.
func Ordered[T any](ctx context.Context, reader Reader, work func(Block) (T, error), handle func(Block, T) error) error {
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

// readBlocks hands on blocks until the list or ctx ends. An error of the reader takes
// its place in the order.
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
		toDo <- t // has room for as many as inOrder
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
