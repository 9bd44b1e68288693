package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"payonce/io/table"
)

// Priority sends the lookups in the order of a column's cells instead of the
// list's: numbers first, then texts, then blank cells; rows with equal cells go
// in the list's order. The cell of the leading row counts.
//
// A number is a decimal one, with a sign, a fraction and an exponent if need be, and
// with commas where they part groups of three digits. Everything else that is not
// blank is text: it is compared without regard to case, by its first 64 bytes.
type Priority struct {
	Column int
	// Ascending puts small numbers and the beginning of the alphabet first; without
	// it they come last.
	Ascending bool
	// AtOnce is how many lookups are kept in memory at a time, zero for 50,000: the
	// list is read once for each so many.
	AtOnce int
}

const defaultAtOnce = 50_000

// ParsePriority reads the value of --priority: a column by its name or number, with
// ":asc" behind it for ascending order, or ":desc".
func ParsePriority(schema table.Schema, text string) (*Priority, error) {
	column, err := findColumn(schema, text)
	if err == nil && column != none {
		return &Priority{Column: column}, nil
	}
	if cut := strings.LastIndexByte(text, ':'); cut > 0 {
		direction := text[cut+1:]
		column, short := findColumn(schema, text[:cut])
		if short == nil && (direction == "asc" || direction == "desc") {
			return &Priority{Column: column, Ascending: direction == "asc"}, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("write COLUMN, or COLUMN:asc for small numbers first")
	}
	return nil, fmt.Errorf("--priority %s: %w", text, err)
}

// rankKind parts the cells of a priority column; lower kinds go first.
type rankKind uint8

const (
	rankNumber rankKind = iota
	rankText
	rankBlank
)

// rank is what a cell of the priority column is compared by.
type rank struct {
	kind   rankKind
	number float64
	text   string
}

// maxRankText bounds what is kept of a text, in bytes.
const maxRankText = 64

func rankOf(cell []byte) rank {
	if isBlank(cell) {
		return rank{kind: rankBlank}
	}
	beginning := cell[:min(len(cell), 4*maxRankText)]
	text := strings.TrimSpace(string(beginning))
	if number, ok := parseNumber(text); ok && len(beginning) == len(cell) {
		return rank{kind: rankNumber, number: number}
	}
	text = strings.ToLower(text)
	for len(text) > maxRankText {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return rank{kind: rankText, text: strings.Clone(text)}
}

// parseNumber reads a decimal number. One that is too large for its exponent is
// infinite, which still has its place.
func parseNumber(text string) (float64, bool) {
	if strings.Trim(text, "0123456789+-.,eE") != "" {
		return 0, false
	}
	whole, rest := text, ""
	if end := strings.IndexAny(text, ".eE"); end >= 0 {
		whole, rest = text[:end], text[end:]
	}
	if groups := strings.Split(whole, ","); len(groups) > 1 {
		first := strings.TrimLeft(groups[0], "+-")
		if len(first) == 0 || len(first) > 3 || slices.ContainsFunc(groups[1:], func(g string) bool { return len(g) != 3 }) {
			return 0, false
		}
		whole = strings.Join(groups, "")
	}
	number, err := strconv.ParseFloat(whole+rest, 64)
	// ParseFloat gives zero for what is no number, and infinity for what is too large.
	return number, err == nil || number != 0
}

// compare orders two cells: the one that goes first is less.
func (p Priority) compare(a, b rank) int {
	if a.kind != b.kind {
		return cmp.Compare(a.kind, b.kind)
	}
	order := cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.text, b.text))
	if p.Ascending {
		return order
	}
	return -order
}

func (p Priority) compareLeads(a, b lead) int {
	return cmp.Or(p.compare(a.rank, b.rank), cmp.Compare(a.number, b.number))
}

// eachByPriority calls visit for the leading rows that choose picks, in the order of
// priority. It reads the list once for each AtOnce of them, so that its memory
// depends on that number alone.
func (s Scope) eachByPriority(ctx context.Context, list List, survey *Survey, choose func(rowMark) bool, visit func(lead) error) error {
	atOnce := cmp.Or(s.Priority.AtOnce, defaultAtOnce)
	var last *lead
	for {
		leads, err := s.leadsAfter(ctx, list, survey, choose, last, atOnce)
		if err != nil {
			return err
		}
		for _, l := range leads {
			if err := visit(l); err != nil {
				return err
			}
		}
		if len(leads) < atOnce {
			return nil
		}
		last = &leads[atOnce-1]
	}
}

// leadsAfter returns the first so many leading rows behind one of them, or from the
// beginning, in the order of priority.
func (s Scope) leadsAfter(ctx context.Context, list List, survey *Survey, choose func(rowMark) bool, last *lead, atOnce int) (leads []lead, err error) {
	reader, err := list.Open(s.Mapping.columns(s.Priority.Column))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	var worst atomic.Pointer[lead] // of the first so many as far as they are known
	keepFirst := func() {
		slices.SortFunc(leads, s.Priority.compareLeads)
		if len(leads) >= atOnce {
			clear(leads[atOnce:])
			leads = leads[:atOnce]
			worst.Store(new(leads[atOnce-1]))
		}
	}
	rows := int64(0)
	err = table.Ordered(ctx, reader, func(block table.Block) ([]lead, error) {
		return s.leadsBetween(block, survey, choose, last, worst.Load())
	}, func(block table.Block, found []lead) error {
		rows += int64(block.Len())
		leads = append(leads, found...)
		if len(leads) >= 2*atOnce {
			keepFirst()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	keepFirst()
	return leads, survey.ended(rows)
}

// leadsBetween returns the leading rows of a block that choose picks and that go behind
// one lead and before another; nil stands for none.
func (s Scope) leadsBetween(block table.Block, survey *Survey, choose func(rowMark) bool, after, before *lead) (leads []lead, err error) {
	l := s.looker(survey.keyOf)
	err = survey.eachLead(block, choose, func(row table.Row, mark rowMark) error {
		place := lead{number: row.Number(), rank: rankOf(row.Cell(s.Priority.Column))}
		if after != nil && s.Priority.compareLeads(place, *after) <= 0 || before != nil && s.Priority.compareLeads(place, *before) > 0 {
			return nil
		}
		found, err := l.lead(row, mark)
		found.rank = place.rank
		leads = append(leads, found)
		return err
	})
	return leads, err
}
