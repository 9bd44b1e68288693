package v2

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/numbered"
)

// Decoder reads the values of answers as text. Its methods may be called from many goroutines.
type Decoder struct{ chosen []chosenColumn }

// Values reads the values of an answer, with the details of Chosen.Catalogue. The value of a
// field that was returned is never empty.
func (d Decoder) Values(answered enrich.Answered, values *enrich.Values) error {
	return d.values(answered, values, naming{})
}

// Naming is Values without the details of a contact and a company that neither name nor describe a subject. It takes
// less time.
func (d Decoder) Naming(answered enrich.Answered, values *enrich.Values) error {
	return d.values(answered, values, namingMembers())
}

// values reads the values of an answer.
func (d Decoder) values(answered enrich.Answered, values *enrich.Values, only naming) error {
	*values = enrich.Values{Status: answered.Status, Details: values.Details[:0]}
	m := readers.Get().(*numbered.Members)
	defer readers.Put(m)
	a, err := answerIn(m, answered)
	values.RetrievedAt = a.RetrievedAt
	var person Employee
	var known Company
	var headline, chosen, owners []enrich.Cell
	f, isRecord := a.Operation.Field()
	if err == nil && !isRecord && len(a.Body) > 0 {
		known.ID, err = a.searched(values)
	}
	if search, isSearch := a.Operation.SearchField(); isSearch && a.About == (enrich.Company{}) && answered.Returned.Has(search) {
		values.Fields[search] = returned
	}
	if err == nil && isRecord && len(a.Body) > 0 {
		switch f {
		case FieldContact:
			person, err = recordIn(a, f, func(body []byte) (Employee, error) { return employeeIn(body, only.ofContact) })
			values.Reason = unread(person.CellProblems.First)
			values.Fields[f] = first(person.FullName.Value, person.ID.Value)
			values.Fields[FieldEmail], values.Fields[FieldPhone] = first(person.Email.Value), first(person.Phone.Value)
		case FieldCompany:
			known, err = recordIn(a, f, func(body []byte) (Company, error) { return companyIn(body, only.ofCompany) })
			values.Reason = unread(known.CellProblems.First)
			values.Fields[f] = first(known.Name.Value, known.ID.Value)
		case FieldFinancials:
			var years headlines
			years, err = recordIn(a, f, d.headlines)
			headline, values.Fields[f] = headlineOf(years)
			chosen, values.Reason = years.chosen, unread(d.headlineProblems(years))
		case FieldInsights:
			var i Insights
			i, err = recordIn(a, f, decodeInsightsOutline)
			values.Fields[f] = first(i.DomainName.Value, i.Domain.Value, i.ID.Value)
		case FieldOwnership:
			var o Ownership
			o, err = a.Ownership()
			owners, values.Fields[f] = o.listCells(), strconv.Itoa(len(o.Shareholders))
		}
	}
	for f := range AllFields.Each() {
		if !answered.Returned.Has(f) {
			values.Fields[f] = ""
		}
	}
	if f == FieldContact && isRecord {
		values.Details = appendTexts(values.Details, &person, employee)
	} else {
		values.Details = appendCells(values.Details, nil, len(contactMembers()))
	}
	if f == FieldCompany && isRecord || known.ID.Known {
		values.Details = appendTexts(values.Details, &known, company)
	} else {
		values.Details = appendCells(values.Details, nil, len(companyMembers()))
	}
	values.Details = appendCells(values.Details, headline, len(headlineMembers()))
	values.Details = appendCells(values.Details, chosen, len(d.chosen))
	values.Details = appendCells(values.Details, owners, len(ownershipMembers()))
	return err
}

// naming are the members of records that are read; nil for all.
type naming struct{ ofContact, ofCompany map[string]bool }

// namingMembers returns the members that name or describe a subject, and those that are values.
var namingMembers = sync.OnceValue(func() naming {
	of := func(f enrich.Field, all []string) map[string]bool {
		only := map[string]bool{}
		for _, member := range all {
			only[member] = partOf(f, member) != enrich.NoPart
		}
		return only
	}
	n := naming{of(FieldContact, contactMembers()), of(FieldCompany, companyMembers())}
	n.ofContact["phone"] = true
	return n
})

// searched reads the answer to a search for one company. The company that is meant gives its id to later steps.
func (a Answer) searched(values *enrich.Values) (id cost.Optional[string], err error) {
	if a.About == (enrich.Company{}) {
		return id, nil // a page of a search for many
	}
	found, err := a.Found()
	if err != nil || len(found.Candidates) == 0 {
		return id, err
	}
	chosen, ambiguous := ChooseCompany(a.About, found)
	if ambiguous != "" {
		values.Status, values.Reason = enrich.Ambiguous, ambiguous
		return id, nil
	}
	values.Fields[FieldMatch] = first(chosen.Name, chosen.ID)
	return cost.Known(chosen.ID), nil
}

// Found returns what a search for one company found.
func (a Answer) Found() (FoundCompanies, error) {
	read := Answer.Candidates
	if a.Operation == OpOverview {
		read = Answer.Companies
	}
	page, err := read(a)
	found := FoundCompanies{More: len(a.LeftOut) > 0 || page.Total.Value > int64(len(page.Items))}
	for _, c := range page.Items {
		found.Candidates = append(found.Candidates, Candidate{
			ID: c.ID.Value, Name: c.Name.Value, Status: c.Status.Value, Country: c.CountryCode.Value,
			Registration: c.RegistrationNumber.Value,
		})
	}
	return found, err
}

// returned is the value of a field that has a record without a name, and of a page of a search.
const returned = "returned"

// first returns the first text that is not empty, as far as a list shows it.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return shownText(text)
		}
	}
	return returned
}

// longestValue is the longest value in a list, in bytes. Spreadsheets take no longer cells, and rows with values
// of many megabytes would take the memory of a run.
const longestValue = 32_000

// shownText returns a text as a list shows it: a text that is too long ends with an ellipsis.
func shownText(text string) string {
	if len(text) <= longestValue {
		return text
	}
	end := longestValue - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// shownCell returns the text of a cell that a list shows, as enrich.CellFrom reads it. Of a list of texts that is too
// long, the first ones are shown.
func shownCell(cell enrich.Cell) string {
	if cell.Kind != enrich.TextsCell {
		return shownText(cell.String())
	}
	text, texts := cell.ListJSON(), cell.Texts
	for len(text) > longestValue && len(texts) > 0 {
		texts = texts[:len(texts)/2]
		cell.Texts = append(slices.Clone(texts), "…")
		text = cell.ListJSON()
	}
	return text
}

// headlineOf returns the headline figures, and the years that there are.
func headlineOf(all headlines) ([]enrich.Cell, string) {
	if len(all.years) == 0 {
		return nil, ""
	}
	h, years := all.latest, make([]string, len(all.years))
	for i, year := range all.years {
		years[i] = strconv.Itoa(year)
	}
	return []enrich.Cell{h.Year, h.Currency, h.Turnover, h.Employees}, strings.Join(years, " ")
}

// headlineProblems returns the problems of the figures that a list shows. The tables have those of the others.
func (d Decoder) headlineProblems(all headlines) []enrich.CellProblem {
	return slices.DeleteFunc(slices.Clone(all.CellProblems.First), func(p enrich.CellProblem) bool { return !all.shows(d.chosen, p.Path) })
}

// mostUnread is the most values that could not be read which the reason of a row names.
const mostUnread = 3

// unread says which values could not be read, "" for none.
func unread(problems []enrich.CellProblem) string {
	if len(problems) == 0 {
		return ""
	}
	named := enrich.CellProblems{First: problems[:min(len(problems), mostUnread)], Count: len(problems)}
	return "could not be read: " + named.Text()
}

// appendCells appends the texts of cells, or as many empty ones.
func appendCells(texts []string, cells []enrich.Cell, count int) []string {
	for i := range count {
		text := ""
		if i < len(cells) {
			text = shownCell(cells[i])
		}
		texts = append(texts, text)
	}
	return texts
}
