package table_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"payonce/io/table"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// numbered is a list of blocks of one row, and knows which of them were released.
type numbered struct {
	blocks   int
	fails    map[int]error // instead of the block
	next     int
	released []atomic.Int64
}

type numberedBlock struct {
	list   *numbered
	number int
}

func newNumbered(blocks int) *numbered {
	return &numbered{blocks: blocks, released: make([]atomic.Int64, blocks)}
}

func (l *numbered) Schema() table.Schema { return table.Schema{} }
func (l *numbered) Close() error         { return nil }

func (l *numbered) Next() (table.Block, error) {
	if err := l.fails[l.next]; err != nil {
		return nil, err
	}
	if l.next == l.blocks {
		return nil, io.EOF
	}
	l.next++
	return numberedBlock{l, l.next - 1}, nil
}

func (b numberedBlock) First() int64                     { return int64(b.number) + 1 }
func (b numberedBlock) Len() int                         { return 1 }
func (b numberedBlock) Each(func(table.Row) error) error { return nil }
func (b numberedBlock) Release()                         { b.list.released[b.number].Add(1) }

func (l *numbered) checkReleased(t rapid.TB) {
	t.Helper()
	for number := range l.next {
		if n := l.released[number].Load(); n != 1 {
			t.Errorf("block %d was released %d times", number, n)
		}
	}
}

func TestOrderedHandlesBlocksInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := newNumbered(50)
		var handled []int
		err := table.Ordered(t.Context(), list, func(block table.Block) (int, error) {
			number := block.(numberedBlock).number
			<-time.After(time.Duration((number*7)%10) * time.Second) // later blocks overtake
			return number * number, nil
		}, func(block table.Block, square int) error {
			number := block.(numberedBlock).number
			if square != number*number || list.released[number].Load() != 0 {
				t.Errorf("block %d came with %d, released %d times", number, square, list.released[number].Load())
			}
			handled = append(handled, number)
			return nil
		})
		if err != nil || len(handled) != 50 || !slices.IsSorted(handled) {
			t.Errorf("error %v, handled %v", err, handled)
		}
		list.checkReleased(t)
	})
}

// TestOrderedReturnsTheFirstErrorOfTheList has blocks fail at random places, in every
// way there is, and be worked on in any order.
func TestOrderedReturnsTheFirstErrorOfTheList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const blocks = 20
		list := newNumbered(blocks)
		list.fails = map[int]error{}
		working, handling := map[int]error{}, map[int]error{}
		places := rapid.MapOf(rapid.IntRange(0, blocks-1), rapid.SampledFrom([]map[int]error{list.fails, working, handling})).Draw(t, "failures")
		var want error
		for number := range blocks {
			if failing := places[number]; failing != nil {
				failing[number] = fmt.Errorf("block %d", number)
				if want == nil {
					want = failing[number]
				}
			}
		}
		delays := rapid.SliceOfN(rapid.IntRange(0, 50), blocks, blocks).Draw(t, "delays")
		handled := 0
		err := table.Ordered(t.Context(), list, func(block table.Block) (int, error) {
			number := block.(numberedBlock).number
			<-time.After(time.Duration(delays[number]) * time.Microsecond)
			return number, working[number]
		}, func(_ table.Block, number int) error {
			if number != handled {
				t.Errorf("block %d was handled in place %d", number, handled)
			}
			handled++
			return handling[number]
		})
		if !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
		list.checkReleased(t)
	})
}

func TestOrderedEndsWithItsContext(t *testing.T) {
	for _, after := range []int{0, 1, 5} {
		ctx, cancel := context.WithCancel(t.Context())
		if after == 0 {
			cancel()
		}
		list, handled := newNumbered(1000), 0
		err := table.Ordered(ctx, list, func(table.Block) (int, error) { return 0, nil }, func(table.Block, int) error {
			if handled++; handled == after {
				cancel()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || handled != after || list.next > after+100 {
			t.Errorf("error %v after %d blocks of %d that were read; want %v after %d", err, handled, list.next, context.Canceled, after)
		}
		list.checkReleased(t)
		cancel()
	}
}

func TestOrderedOfAnEmptyList(t *testing.T) {
	err := table.Ordered(t.Context(), newNumbered(0), func(table.Block) (int, error) { return 0, nil }, func(table.Block, int) error {
		t.Error("a block came")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
