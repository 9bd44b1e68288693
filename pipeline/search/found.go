// This file turns the answers of searches into results, and results into the rows of a list.

package search

import (
	"fmt"
	"strconv"
	"strings"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
)

// ListColumns returns the columns of the list that a search makes. Plans and runs recognise them by their names.
func ListColumns(o v2.Operation) []string {
	switch o {
	case v2.OpProspecting:
		return []string{"company_id", "company_name"}
	case v2.OpOverview:
		return []string{"company_id", "company_name", "company_status", "company_country", "registration_number"}
	case v2.OpEmployees:
		return []string{"contact_id", "full_name", "company_name", "company_id"}
	case v2.OpGetFinancials:
		return []string{"company_id", "year", "figure", "value"}
	case v2.OpAutocomplete:
		return namesOf(v2.CompanyColumns())
	}
	var names []string
	for _, column := range v2.PersonColumns() {
		names = append(names, personColumn(column.Name))
	}
	return names
}

// ListKinds returns the kinds of the values in the columns of a search.
func ListKinds(o v2.Operation) []enrich.CellKind {
	kinds := make([]enrich.CellKind, len(ListColumns(o)))
	var typed []enrich.TableColumn
	switch o {
	case v2.OpAutocomplete:
		typed = v2.CompanyColumns()
	case v2.OpEnrichEmployeeSearch:
		typed = v2.PersonColumns()
	case v2.OpGetFinancials:
		kinds[1] = enrich.IntegerCell // figures are of several kinds
	}
	for i, column := range typed {
		kinds[i] = column.Kind
	}
	return kinds
}

func namesOf(columns []enrich.TableColumn) (names []string) {
	for _, column := range columns {
		names = append(names, column.Name)
	}
	return names
}

// personColumn returns the name of a column for a member of a person.
func personColumn(member string) string {
	switch member {
	case "id":
		return "contact_id"
	case "name":
		return "full_name"
	case "pro_network":
		return "profile_url"
	case "company_pro_network":
		return "company_profile_url"
	case "country", "state", "city": // those without a prefix would be taken for the company's
		return "contact_" + member
	}
	return member
}

// PageOf returns the page of results that an answer to a search is.
func PageOf(o v2.Operation, answered enrich.Answered) (KnownPage, error) {
	switch o {
	case v2.OpProspecting:
		return pageOf(v2.Answer.Companies, answered, func(c v2.CompanyItem) ResultItem {
			return ResultItem{ID: c.ID.Value, Cells: []string{c.ID.Value, c.Name.Value}}
		})
	case v2.OpOverview:
		return pageOf(v2.Answer.Companies, answered, func(c v2.CompanyItem) ResultItem {
			return ResultItem{
				ID:    c.ID.Value,
				Cells: []string{c.ID.Value, c.Name.Value, c.Status.Value, c.CountryCode.Value, c.RegistrationNumber.Value},
			}
		})
	case v2.OpEmployees:
		return pageOf(v2.Answer.Employees, answered, func(e v2.EmployeeItem) ResultItem {
			return ResultItem{ID: e.ID.Value, Cells: []string{e.ID.Value, e.Name.Value, e.CompanyName.Value, e.CompanyID.Value}}
		})
	case v2.OpEnrichEmployeeSearch:
		return pageOf(v2.Answer.People, answered, func(p v2.Person) ResultItem {
			item := ResultItem{ID: p.ID.Value}
			for _, cell := range p.Cells() {
				item.Cells = append(item.Cells, cellText(cell))
			}
			return item
		})
	}
	return KnownPage{}, fmt.Errorf("%s is not a search with pages", o)
}

// RecordOf returns the results that an answer to a call for a record is: the company that was completed, or the figures
// of a company in a year. A year of 0 takes all years.
func RecordOf(call v2.Call, answered enrich.Answered) (KnownPage, error) {
	page := KnownPage{State: Answered, Pages: cost.Known(int64(1))}
	switch call.Operation {
	case v2.OpAutocomplete:
		c, err := v2.Read(answered, v2.Answer.Company)
		if err != nil {
			return page, err
		}
		if item := (ResultItem{ID: c.ID.Value, Own: true, Cells: textsOf(c.Cells())}); !blank(item.Cells) {
			page.Items = append(page.Items, item)
		}
	case v2.OpGetFinancials:
		f, err := v2.Read(answered, v2.Answer.Financials)
		if err != nil {
			return page, err
		}
		for _, year := range f.Years {
			if number := strconv.Itoa(year.Year); call.Query.Get("year") == number {
				page.Items = append(page.Items, figuresOf(call.ID, number, year)...)
			}
		}
	default:
		return page, fmt.Errorf("%s is not a search", call.Operation)
	}
	page.Total = cost.Known(int64(len(page.Items)))
	return page, nil
}

// figuresOf returns the figures of a company in a year that are known.
func figuresOf(company, number string, year v2.Year) (items []ResultItem) {
	add := func(name string, cell enrich.Cell) {
		if cell.Known {
			items = append(items, ResultItem{
				ID: strings.Join([]string{company, number, name}, " "), Cells: []string{company, number, name, cell.String()},
			})
		}
	}
	for i, figure := range v2.Figures() {
		add(figure.Name, year.Figures[i])
	}
	for _, extra := range year.Extra {
		add(extra.Name, extra.Cell)
	}
	return items
}

func textsOf(cells []enrich.Cell) (texts []string) {
	for _, cell := range cells {
		texts = append(texts, cellText(cell))
	}
	return texts
}

func pageOf[T any](
	read func(v2.Answer) (v2.Page[T], error), answered enrich.Answered, item func(T) ResultItem,
) (KnownPage, error) {
	page, err := v2.Read(answered, read)
	if err != nil {
		return KnownPage{}, err
	}
	known := KnownPage{State: Answered, Total: natural(page.Total), Pages: natural(page.Pages)}
	for _, result := range page.Items {
		if made := item(result); !blank(made.Cells) {
			known.Items = append(known.Items, made)
		}
	}
	return known, nil
}

// natural returns a count. A negative one tells nothing.
func natural(count cost.Optional[int64]) cost.Optional[int64] {
	if count.Known && count.Value < 0 {
		return cost.Optional[int64]{}
	}
	return count
}

// blank reports whether all cells are empty. Then a result says nothing.
func blank(cells []string) bool {
	for _, cell := range cells {
		if cell != "" {
			return false
		}
	}
	return true
}

// cellText returns a cell as enrich.CellFrom reads it, "" when it is not known.
func cellText(cell enrich.Cell) string {
	switch {
	case !cell.Known:
		return ""
	case cell.Kind == enrich.TextsCell:
		return cell.ListJSON()
	}
	return cell.String()
}
