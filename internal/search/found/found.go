// Package found turns the answers of searches into results, and results into the rows of a list.
package found

import (
	"fmt"

	"payonce/cost"
	"payonce/enrich"
	"payonce/enrich/tabular"
	"payonce/internal/search/walk"
	"payonce/service/v2/answers"
	"payonce/service/v2/records"
	"payonce/service/v2/v2fields"
)

// Columns returns the columns of the list that a search makes. Plans and runs recognise them by their names.
func Columns(o v2fields.Operation) []string {
	switch o {
	case v2fields.Prospecting:
		return []string{"company_id", "company_name"}
	case v2fields.Employees:
		return []string{"contact_id", "full_name", "company_name", "company_id"}
	}
	var names []string
	for _, column := range records.PersonColumns() {
		names = append(names, personColumn(column.Name))
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

// Page returns the page of results that an answer to a search is.
func Page(o v2fields.Operation, answered enrich.Answered) (walk.Page, error) {
	switch o {
	case v2fields.Prospecting:
		return pageOf(answers.Companies, answered, func(c records.CompanyItem) walk.Item {
			return walk.Item{ID: c.ID.Value, Cells: []string{c.ID.Value, c.Name.Value}}
		})
	case v2fields.Employees:
		return pageOf(answers.Employees, answered, func(e records.EmployeeItem) walk.Item {
			return walk.Item{ID: e.ID.Value, Cells: []string{e.ID.Value, e.Name.Value, e.CompanyName.Value, e.CompanyID.Value}}
		})
	case v2fields.EnrichEmployeeSearch:
		return pageOf(answers.People, answered, func(p records.Person) walk.Item {
			item := walk.Item{ID: p.ID.Value}
			for _, cell := range p.Cells() {
				item.Cells = append(item.Cells, textOf(cell))
			}
			return item
		})
	}
	return walk.Page{}, fmt.Errorf("%s is not a search with pages", o)
}

func pageOf[T any](
	read func(enrich.Answered) (records.Page[T], error), answered enrich.Answered, item func(T) walk.Item,
) (walk.Page, error) {
	page, err := read(answered)
	if err != nil {
		return walk.Page{}, err
	}
	known := walk.Page{State: walk.Answered, Total: natural(page.Total), Pages: natural(page.Pages)}
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

// textOf returns a cell as text, "" when it is not known. The cells of a person are texts and one year.
func textOf(cell tabular.Cell) string {
	switch {
	case !cell.Known:
		return ""
	case cell.Kind == tabular.Integer:
		return fmt.Sprint(cell.Integer)
	}
	return cell.Text
}
