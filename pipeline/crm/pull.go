package crm

import (
	"context"
	"slices"
	"strings"

	"payonce/io/crm"
	"payonce/io/table"
)

// Connector reads and changes the records of a CRM. Its methods may be called from any goroutine. Errors are those of
// package io/crm, and contain no values of records.
type Connector interface {
	// Fields returns the fields of the records.
	Fields(ctx context.Context) ([]crm.Field, error)
	// Find visits each selected record once, in the order of the CRM.
	Find(ctx context.Context, which crm.Selection, visit func(crm.Record) error) error
	// Read returns records as they are now, without those that the CRM does not have.
	Read(ctx context.Context, ids []string) ([]crm.Record, error)
	// Update changes one record, if it was not modified since Change.Modified. It is sent once. After an error, nothing was
	// changed. An interrupt ends a wait. It does not end a change in progress.
	Update(ctx context.Context, change crm.Change) (crm.Outcome, error)
}

// Names are the names of those fields of a CRM that a pulled list has.
type Names struct{ FirstName, LastName, Email, Phone, Mobile, OptOut string }

// CRM is a connector with the names of the fields.
type CRM struct {
	Connector
	Names
	// Name identifies the CRM in lists and events.
	Name string
}

// The columns of a pulled list that only a review needs.
const (
	optOutColumn = "opt_out"
	crmColumn    = "crm"
)

// pulled is a column of a pulled list. When a tracked column of a record has changed since, the record is reviewed
// again.
type pulled struct {
	header  string
	tracked bool
	of      func(*CRM, *crm.Record) string
}

// pulledColumns returns the columns of a pulled list.
func pulledColumns() []pulled {
	value := func(name func(Names) string) func(*CRM, *crm.Record) string {
		return func(c *CRM, r *crm.Record) string { return r.Values[name(c.Names)] }
	}
	return []pulled{
		{recordColumn, false, func(_ *CRM, r *crm.Record) string { return r.ID }},
		{modifiedColumn, false, func(_ *CRM, r *crm.Record) string { return r.Modified }},
		{"first_name", true, value(func(n Names) string { return n.FirstName })},
		{"last_name", true, value(func(n Names) string { return n.LastName })},
		{"company_name", true, func(_ *CRM, r *crm.Record) string { return r.Account.Name }},
		{"company_domain", true, func(_ *CRM, r *crm.Record) string { return r.Account.Website }},
		{"email", true, value(func(n Names) string { return n.Email })},
		{"phone", true, value(func(n Names) string { return n.Phone })},
		{"mobile", false, value(func(n Names) string { return n.Mobile })},
		{optOutColumn, true, func(c *CRM, r *crm.Record) string { return optOutText(r.Values[c.OptOut]) }},
		{crmColumn, false, func(c *CRM, _ *crm.Record) string { return c.Name }},
	}
}

// optOutText returns the text of a list for a value of the opt-out field: "yes" or "".
func optOutText(value string) string {
	if value == "" || strings.EqualFold(value, "false") {
		return ""
	}
	return "yes"
}

// HasOptedOut reports whether the person of a record has opted out of messages.
func (c *CRM) HasOptedOut(r *crm.Record) bool { return optOutText(r.Values[c.OptOut]) != "" }

// PulledHeader returns the headers of a pulled list.
func PulledHeader() (header []string) {
	for _, column := range pulledColumns() {
		header = append(header, column.header)
	}
	return header
}

// Pulled returns a record as a row of a pulled list.
func (c *CRM) Pulled(r *crm.Record) (row []string) {
	for _, column := range pulledColumns() {
		row = append(row, oneLine(column.of(c, r)))
	}
	return row
}

// WhereFrom has the places of the columns of a pulled list that a review needs.
type WhereFrom struct {
	CRM, OptOut int
	Tracked     []int
}

// FindPulled finds the columns of a pulled list. It returns nil for a list that was not pulled.
func FindPulled(header []string) *WhereFrom {
	from := &WhereFrom{}
	for _, column := range pulledColumns() {
		at := slices.Index(header, column.header)
		switch {
		case at < 0:
			return nil
		case column.header == crmColumn:
			from.CRM = at
		case column.header == optOutColumn:
			from.OptOut = at
		}
		if column.tracked {
			from.Tracked = append(from.Tracked, at)
		}
	}
	return from
}

// read returns the columns as the row has them: the CRM, and the tracked ones by their headers.
func (from *WhereFrom) read(cell func(int) []byte) (name string, was map[string]string) {
	text := func(column int) string { return oneLine(string(table.UnescapeFormula(cell(column)))) }
	was = map[string]string{}
	for _, column := range pulledColumns() {
		if column.tracked {
			was[column.header] = text(from.Tracked[len(was)])
		}
	}
	return text(from.CRM), was
}

// targets returns the names of the fields that Push writes, by the headers of their columns in a pulled list.
func (c *CRM) targets() map[string]string {
	return map[string]string{"email": c.Email, "phone": c.Phone}
}

// changed returns the tracked columns in which a record differs from the list. It skips fields whose value this program
// has written, according to own.
func (c *CRM) changed(was map[string]string, now *crm.Record, own func(name, value string) bool) (columns []string) {
	mine := map[string]bool{}
	for header, name := range c.targets() {
		mine[header] = was[header] == "" && now.Values[name] != "" && own(name, now.Values[name])
	}
	for _, column := range pulledColumns() {
		if column.tracked && !mine[column.header] && was[column.header] != oneLine(column.of(c, now)) {
			columns = append(columns, column.header)
		}
	}
	return columns
}
