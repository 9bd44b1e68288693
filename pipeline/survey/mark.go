package survey

import (
	"payonce/enrich"
	"payonce/pipeline/dedup"
)

// rowMark says what is to be done at a row, when it leads a person.
type rowMark uint8

// The bits of a rowMark. What it holds of the key is there to notice a list that has
// changed.
const (
	markAsk    rowMark = 1<<enrich.NumFields - 1 // the fields that are to be looked up
	markLeads  rowMark = 1 << enrich.NumFields
	markByName rowMark = markLeads << 1
	markKey    rowMark = ^(markByName<<1 - 1)
)

// newRowMark returns the mark of the row that leads the person of an entry.
func newRowMark(e *dedup.Entry) rowMark {
	marks := e.Marks()
	mark := rowMark(unaskedIn(marks)) | markLeads | rowMark(e.KeyByte())&markKey
	if patternIn(marks) == enrich.ByName {
		mark |= markByName
	}
	return mark
}

func (m rowMark) leads() bool        { return m&markLeads != 0 }
func (m rowMark) asks() bool         { return m.ask() != 0 }
func (m rowMark) ask() enrich.Fields { return enrich.Fields(m & markAsk) }

func (m rowMark) pattern() enrich.Pattern {
	if m&markByName != 0 {
		return enrich.ByName
	}
	return enrich.ByProfile
}

// isOf reports whether the mark may be one of the person with a key.
func (m rowMark) isOf(key enrich.Key) bool {
	return m.leads() && m&markKey == rowMark(key[len(key)-1])&markKey
}
