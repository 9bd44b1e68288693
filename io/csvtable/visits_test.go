package csvtable_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"payonce/io/csvtable"
	"payonce/io/table"
)

// errTired ends a visit early.
var errTired = errors.New("enough for now")

// visit returns what at most most rows of a block show, and the error that ends it.
func visit(block table.Block, width, most int) (rows []seen, err error) {
	err = block.Each(func(row table.Row) error {
		if len(rows) == most {
			return errTired
		}
		rows = append(rows, seen{row.Number(), row.Line(), values(row, width)})
		return nil
	})
	return rows, err
}

// TestAnotherVisitShowsTheSame visits blocks again and again, after visits that ended early
// too.
func TestAnotherVisitShowsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawList(t).String()
		if rapid.Bool().Draw(t, "awkward") {
			list = rapid.SampledFrom(awkward()).Draw(t, "list")
		}
		r := inChunks(t, list, rapid.IntRange(1, 80).Draw(t, "chunk size"))
		defer r.Close()
		width := len(r.Schema().Columns)
		for {
			block, err := r.Next()
			if err != nil {
				return
			}
			want, wantErr := visit(block, width, -1)
			for range rapid.IntRange(1, 4).Draw(t, "visits") {
				most := rapid.IntRange(0, len(want)+1).Draw(t, "rows")
				got, err := visit(block, width, most)
				if diff := cmp.Diff(want[:min(most, len(want))], got, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("%q (-first visit +another):\n%s", list, diff)
				}
				if most > len(want) && fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("%q: %v, another visit %v", list, wantErr, err)
				}
			}
			block.Release()
		}
	})
}

// TestAnotherVisitWritesTheSame writes the rows of blocks that were visited before, with
// cells that come back row after row and others.
func TestAnotherVisitWritesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, size := drawList(t), rapid.IntRange(1, 80).Draw(t, "chunk size")
		cell := rapid.SampledFrom([]string{"", "", "x", "a,b;c", "\"", " "})
		appended := make([][]string, len(list.records))
		for i := range appended {
			appended[i] = []string{cell.Draw(t, "cell"), cell.Draw(t, "cell")}
		}
		write := func(visitedBefore bool) string {
			var out bytes.Buffer
			r := inChunks(t, list.String(), size)
			w := csvtable.NewWriter(&out, r, columns("one", "two"))
			err := eachBlock(r, func(block table.Block) error {
				if visitedBefore {
					if _, err := visit(block, len(r.Schema().Columns), -1); err != nil {
						return err
					}
				}
				part := w.Part(block)
				err := block.Each(func(row table.Row) error {
					fills := []table.Fill{{Column: 0, Value: appended[row.Number()][1]}}
					return part.WriteRow(row, fills[:row.Number()%2], texts(appended[row.Number()]...))
				})
				return errors.Join(err, w.Write(part))
			})
			if err := errors.Join(err, w.Close(), r.Close()); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		if diff := cmp.Diff(write(false), write(true)); diff != "" {
			t.Fatalf("output (-one visit +two):\n%s", diff)
		}
	})
}
