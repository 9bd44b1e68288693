package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// counts are what a contestant finds out about a list. What it does not count is zero.
type counts struct {
	Rows           int64 `json:"rows"`
	Filled         int64 `json:"filled"`         // rows with an email and a phone
	Unidentifiable int64 `json:"unidentifiable"` // of the other rows, those that name nobody
	Persons        int64 `json:"persons"`        // that the other rows name
	Emails         int64 `json:"emails"`         // rows with an email
	Phones         int64 `json:"phones"`         // rows with a phone
	Answered       int64 `json:"answered"`       // rows with an answer of their own
}

// String tells what was counted.
func (c counts) String() string {
	var parts []string
	for _, part := range []struct {
		n    int64
		noun string
	}{
		{c.Rows, "rows"},
		{c.Filled, "filled"},
		{c.Unidentifiable, "unidentifiable"},
		{c.Persons, "persons"},
		{c.Emails, "with an email"},
		{c.Phones, "with a phone"},
		{c.Answered, "answered"},
	} {
		if part.n != 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.noun))
		}
	}
	return strings.Join(parts, ", ")
}

// countsOf reads the counts that the peers print.
func countsOf(stdout []byte) (c counts, err error) {
	err = json.Unmarshal(stdout, &c)
	return c, err
}

// planCounts reads the counts from a plan of batch in JSON.
func planCounts(stdout []byte) (counts, error) {
	var plan struct {
		Rows struct{ Total, Filled, Duplicate, Unidentifiable int64 }
	}
	if err := json.Unmarshal(stdout, &plan); err != nil {
		return counts{}, err
	}
	rows := plan.Rows
	return counts{
		Rows: rows.Total, Filled: rows.Filled, Unidentifiable: rows.Unidentifiable,
		Persons: rows.Total - rows.Filled - rows.Unidentifiable - rows.Duplicate,
	}, nil
}

// writeCounts reads the counts from what batch says of an output in JSON.
func writeCounts(stdout []byte) (counts, error) {
	var output struct{ Rows map[string]int64 }
	if err := json.Unmarshal(stdout, &output); err != nil {
		return counts{}, err
	}
	c := counts{Answered: output.Rows["matched"] + output.Rows["partial"] + output.Rows["not_found"]}
	for _, n := range output.Rows {
		c.Rows += n
	}
	return c, nil
}

// same reports whether two contestants found what both of them count.
func (c counts) same(other counts) bool {
	c.Emails, c.Phones, other.Emails, other.Phones = 0, 0, 0, 0
	return c == other
}

// agree fails when a peer that answers batch's question found something else: a peer
// that does less work is none.
func agree(work string, results []result) error {
	for _, r := range results {
		if r.exact && !r.found.same(results[0].found) {
			return fmt.Errorf("%s: %s found %s, and %s found %s", work, results[0].name, results[0].found, r.name, r.found)
		}
	}
	return nil
}
