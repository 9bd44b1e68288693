package csvtable_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/io/csvtable"
	"payonce/io/table"
)

// drawFiles draws a list of one or more files of the same columns, and how it is opened.
func drawFiles(t *rapid.T) (texts []string, columns int, options csvtable.Options) {
	list := drawList(t)
	header, rows := list.records[0], list.records[1:]
	if header.ending == "" {
		header.ending = "\n"
	}
	encoding := rapid.SampledFrom([]csvtable.Encoding{csvtable.UTF8, csvtable.UTF16LE, csvtable.UTF16BE, csvtable.Windows1252}).Draw(t, "encoding")
	for range rapid.IntRange(1, 3).Draw(t, "files") {
		size := rapid.IntRange(0, len(rows)).Draw(t, "rows of the file")
		file := list
		file.records = append([]rawRecord{header}, rows[:size]...)
		if rows = rows[size:]; size > 0 && rapid.Bool().Draw(t, "no line ending at the end of the file") {
			file.records[size].ending = rapid.SampledFrom([]string{"", "\r"}).Draw(t, "instead")
		}
		texts = append(texts, inEncoding(file.String(), encoding))
	}
	return texts, len(header.cells), csvtable.Options{Encoding: encoding}
}

// inEncoding encodes a list. What has no place in the encoding becomes a letter.
func inEncoding(text string, encoding csvtable.Encoding) string {
	switch encoding {
	case csvtable.UTF16LE:
		return littleEndian(text)
	case csvtable.UTF16BE:
		return bigEndian(text)
	case csvtable.Windows1252:
		return strings.NewReplacer("é", "\xe9", "山", "m", "\ufeff", "m").Replace(strings.TrimPrefix(text, "\ufeff"))
	}
	return text
}

// openFiles opens a list of several files. The first one is read in chunks of size bytes.
func openFiles(t fataler, options csvtable.Options, size int, texts ...string) *csvtable.Reader {
	t.Helper()
	open := 0
	r, err := csvtable.Open(options, inFiles(&open, texts...)...)
	if err != nil {
		t.Fatalf("%q: %v", texts, err)
	}
	csvtable.SetChunkSize(r, size)
	return r
}

// checked returns options for a list that was checked before.
func checked(options csvtable.Options) csvtable.Options {
	options.Checked = true
	return options
}

// look is at some cells of a row, in some order.
type look struct {
	line  bool
	cells []int
}

func drawLooks(t *rapid.T, rows, columns int) []look {
	looks := make([]look, rows)
	for i := range looks {
		looks[i].line = rapid.Bool().Draw(t, "line")
		if rapid.Bool().Draw(t, "looked at") {
			looks[i].cells = rapid.SliceOfN(rapid.IntRange(0, columns-1), 0, 2*columns).Draw(t, "cells")
		}
	}
	return looks
}

// TestACheckedPassReadsTheSameCells looks at some cells of some rows.
func TestACheckedPassReadsTheSameCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts, columns, options := drawFiles(t)
		size := rapid.IntRange(1, 80).Draw(t, "chunk size")
		looks := drawLooks(t, 8, columns)
		visits := rapid.IntRange(1, 2).Draw(t, "visits")
		pass := func(options csvtable.Options) (rows []seen) {
			r := openFiles(t, options, size, texts...)
			visit := func(row table.Row) error {
				show := seen{Number: row.Number()}
				look := looks[row.Number()-1]
				if look.line {
					show.Line = row.Line()
				}
				for _, column := range look.cells {
					show.Cells = append(show.Cells, string(row.Cell(column)))
				}
				rows = append(rows, show)
				return nil
			}
			err := eachBlock(r, func(block table.Block) (err error) {
				for range visits {
					err = errors.Join(err, block.Each(visit))
				}
				return err
			})
			if err := errors.Join(err, r.Close()); err != nil {
				t.Fatalf("%q: %v", texts, err)
			}
			return rows
		}
		if diff := cmp.Diff(pass(options), pass(checked(options))); diff != "" {
			t.Fatalf("%q (-first pass +checked):\n%s", texts, diff)
		}
	})
}

// change is what is made of a row.
type change struct {
	look     bool // at a cell, before
	leaveOut bool
	fills    []table.Fill
	appended []string
}

func drawChanges(t *rapid.T, rows, columns, appended int) []change {
	// What is filled in has a place in every encoding.
	text := rapid.SampledFrom([]string{"", "", "x", "a,b;c", "\"", " ", "\t|", "two\r\nlines"})
	changes := make([]change, rows)
	for i := range changes {
		c := &changes[i]
		c.look, c.leaveOut = rapid.Bool().Draw(t, "look"), rapid.IntRange(0, 9).Draw(t, "left out") == 0
		for column := range columns {
			if rapid.IntRange(0, 3).Draw(t, "filled") == 0 {
				c.fills = append(c.fills, table.Fill{Column: column, Value: text.Draw(t, "fill")})
			}
		}
		c.appended = rapid.SliceOfN(text, appended, appended).Draw(t, "appended")
	}
	return changes
}

// rework writes a list with changes, in its own way or that of another list.
func rework(rows, like *csvtable.Reader, names []string, changes []change) (string, error) {
	var out bytes.Buffer
	w := csvtable.NewWriter(&out, like, columns(names...))
	err := sideBySide(rows, w, func(block table.Block, part table.Part) error {
		return block.Each(func(row table.Row) error {
			c := changes[row.Number()-1]
			if c.look {
				row.Cell(0)
			}
			if c.leaveOut {
				return nil
			}
			return part.WriteRow(row, c.fills, texts(c.appended...))
		})
	})
	err = errors.Join(err, w.Close())
	return out.String(), err
}

// TestACheckedPassWritesTheSameOutput fills, appends and leaves out, and writes into lists of
// the same dialect and of another one.
func TestACheckedPassWritesTheSameOutput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts, columns, options := drawFiles(t)
		size := rapid.IntRange(1, 80).Draw(t, "chunk size")
		names := slices.Repeat([]string{"new"}, rapid.IntRange(0, 3).Draw(t, "appended columns"))
		changes := drawChanges(t, 8, columns, len(names))
		others := []string{strings.Repeat("c;", columns-1) + "c\n", littleEndian("\ufeff" + strings.Repeat("c|", columns-1) + "c\r\n")}
		like := rapid.SampledFrom([]string{"", others[0], others[1]}).Draw(t, "like")
		write := func(options csvtable.Options) (string, string) {
			r := openFiles(t, options, size, texts...)
			target := r
			if like != "" {
				target = openFiles(t, csvtable.Options{}, size, like)
			}
			out, err := rework(r, target, names, changes)
			if err := errors.Join(r.Close(), target.Close()); err != nil {
				t.Fatal(err)
			}
			return out, fmt.Sprint(err)
		}
		want, wantErr := write(options)
		got, err := write(checked(options))
		if diff := cmp.Diff(want, got); diff != "" || err != wantErr {
			t.Fatalf("%q: %s, checked %s (-first pass +checked):\n%s", texts, wantErr, err, diff)
		}
	})
}
