package output

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"strings"

	"payonce/io/listfile"
	"payonce/io/table"
)

// comparison finds values of an old list that a new one lacks, in columns of some names.
type comparison struct {
	columns []string
	seeds   []maphash.Seed // of the columns
	parts   uint64         // how many parts the values are compared in, one pass each
}

// maxPart is how many values are compared in one pass: a set of them takes 256 MiB.
const maxPart = 16 << 20

func newComparison(columns []string, rows int64) *comparison {
	c := &comparison{columns: columns, parts: 1 + uint64(rows)*uint64(len(columns))/maxPart}
	for range columns {
		c.seeds = append(c.seeds, maphash.MakeSeed())
	}
	return c
}

// lost counts the values of the old list that the new one does not have in a column of the same name.
func (c *comparison) lost(ctx context.Context, old, made *listfile.List) (lost int64, err error) {
	for part := range c.parts {
		found := &valueSet{}
		err := c.eachValue(ctx, made, part, func(hashes []uint64) {
			for _, h := range hashes {
				found.add(h)
			}
		})
		if err != nil {
			return 0, err
		}
		err = c.eachValue(ctx, old, part, func(hashes []uint64) {
			for _, h := range hashes {
				if !found.has(h) {
					lost++
				}
			}
		})
		if err != nil {
			return 0, err
		}
	}
	return lost, nil
}

// eachValue calls use with the hashes of the values of a part.
func (c *comparison) eachValue(ctx context.Context, list *listfile.List, part uint64, use func([]uint64)) error {
	schema, err := list.Schema()
	if err != nil {
		return err
	}
	var columns []int
	var seeds []maphash.Seed
	for i, name := range c.columns {
		at := slices.IndexFunc(schema.Columns, func(s string) bool { return strings.EqualFold(s, name) })
		if at >= 0 {
			columns, seeds = append(columns, at), append(seeds, c.seeds[i])
		}
	}
	if len(columns) == 0 {
		return nil
	}
	reader, err := list.Open(columns)
	if err != nil {
		return err
	}
	hash := func(b table.Block) (hashes []uint64, err error) {
		err = b.Each(func(row table.Row) error {
			for i, column := range columns {
				value := unescaped(row.Cell(column))
				if len(value) == 0 {
					continue
				}
				if h := max(maphash.Bytes(seeds[i], value), 1); h%c.parts == part {
					hashes = append(hashes, h)
				}
			}
			return nil
		})
		return hashes, err
	}
	err = table.Ordered(ctx, reader, hash, func(_ table.Block, hashes []uint64) error {
		use(hashes)
		return nil
	})
	return errors.Join(err, reader.Close())
}

// unescaped returns the value of a cell, whichever way formulas were written when it was. Apostrophes before a
// formula do not count, because those of a raw file are part of the value.
func unescaped(cell []byte) []byte {
	for {
		value := table.UnescapeFormula(cell)
		if len(value) == len(cell) {
			return value
		}
		cell = value
	}
}

// valueSet is a set of hashes above 0. At most half of its slots are taken.
type valueSet struct {
	slots []uint64 // a power of two of them
	count int
}

func (s *valueSet) add(h uint64) {
	if 2*s.count >= len(s.slots) {
		was := s.slots
		s.slots, s.count = make([]uint64, max(2*len(was), 1<<10)), 0
		for _, h := range was {
			if h != 0 {
				s.add(h)
			}
		}
	}
	if at := s.slot(h); s.slots[at] == 0 {
		s.slots[at] = h
		s.count++
	}
}

func (s *valueSet) has(h uint64) bool { return len(s.slots) > 0 && s.slots[s.slot(h)] == h }

// slot returns the slot of a hash, or the free one where it belongs.
func (s *valueSet) slot(h uint64) int {
	mask := uint64(len(s.slots) - 1)
	at := (h >> 32) & mask // the low bits may tell the part
	for s.slots[at] != 0 && s.slots[at] != h {
		at = (at + 1) & mask
	}
	return int(at)
}
