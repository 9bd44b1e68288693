// Package v2tables describes the tables of the v2 interface, and reads their rows from answers: what an answer
// says in several rows, or in more columns than a list should get.
package v2tables

import (
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/enrich/tabular"
	"payonce/service/jsonobject"
	"payonce/service/v2/answers"
	"payonce/service/v2/records"
	"payonce/service/v2/v2fields"
)

// Tables are the tables of the interface. Its methods may be called from many goroutines.
type Tables struct{}

// The indexes of the tables.
const (
	financials = iota
	insights
	technologies
	visits
	shareholders
	groupStructure
	ownershipData
)

// Tables returns the tables of all fields. Their key is the id of the company.
func (Tables) Tables() []tabular.Table {
	year := tabular.Column{Name: "year", Kind: tabular.Integer}
	tables := []tabular.Table{
		financials: {
			Name: "financials", Of: v2fields.Financials, Columns: append([]tabular.Column{year}, records.Figures()...),
			Open: true,
		},
		insights: {
			Name: "insights", Of: v2fields.Insights, Columns: append(records.InsightsColumns(), plainColumns()...),
		},
		technologies: {Name: "technologies", Of: v2fields.Insights, Columns: records.TechnologyColumns()},
		visits:       {Name: "visits", Of: v2fields.Insights, Columns: records.VisitsColumns()},
		shareholders: {Name: "shareholders", Of: v2fields.Ownership, Columns: records.ShareholderColumns()},
		groupStructure: {
			Name: "group_structure", Of: v2fields.Ownership, Columns: records.GroupColumns(),
		},
		ownershipData: {
			Name: "ownership_data", Of: v2fields.Ownership, Columns: []tabular.Column{{Name: "entry", Kind: tabular.Text}},
		},
	}
	for i := range tables {
		tables[i].Key = "company_id"
	}
	return tables
}

// plainColumns are the members of an insights record that stand in its table as JSON: lists of records that have
// no table of their own.
func plainColumns() []tabular.Column {
	return []tabular.Column{{Name: "top_country_shares", Kind: tabular.Text}, {Name: "graph", Kind: tabular.Text}}
}

// Rows returns the rows of an answer about a field, in the order of the answer. What cannot be read of it is a
// problem; an error says that the answer is damaged.
func (Tables) Rows(of enrich.Field, answer enrich.Answered) ([]tabular.Row, tabular.Problems, error) {
	switch of {
	case v2fields.Financials:
		return financialRows(answer)
	case v2fields.Insights:
		return insightRows(answer)
	case v2fields.Ownership:
		return ownershipRows(answer)
	default:
		return nil, tabular.Problems{}, nil
	}
}

func financialRows(answer enrich.Answered) (rows []tabular.Row, _ tabular.Problems, _ error) {
	f, err := answers.Financials(answer)
	for _, year := range f.Years {
		number := tabular.Cell{Kind: tabular.Integer, Known: true, Integer: int64(year.Year)}
		rows = append(rows, tabular.Row{
			Table: financials, Cells: append([]tabular.Cell{number}, year.Figures...), Extra: year.Extra,
		})
	}
	return rows, f.Problems, err
}

func insightRows(answer enrich.Answered) (rows []tabular.Row, _ tabular.Problems, _ error) {
	record, err := answers.Insights(answer)
	if err != nil {
		return nil, record.Problems, err
	}
	whole, err := answers.Decode(answer)
	if err != nil || len(whole.Body) == 0 {
		return nil, record.Problems, err
	}
	rows = append(rows, tabular.Row{Table: insights, Cells: slices.Concat(record.Cells(), plainCells(whole.Body))})
	for _, cells := range record.TechnologyRows() {
		rows = append(rows, tabular.Row{Table: technologies, Cells: cells})
	}
	for _, month := range record.Visits {
		rows = append(rows, tabular.Row{Table: visits, Cells: month.Cells()})
	}
	return rows, record.Problems, nil
}

// plainCells returns the members of plainColumns as they stand in the answer, which is compact.
func plainCells(body []byte) (cells []tabular.Cell) {
	object, _ := jsonobject.Parse(body)
	for _, column := range plainColumns() {
		cell := tabular.Cell{Kind: column.Kind}
		if raw, there := object[column.Name]; there && !object.IsNull(column.Name) {
			cell.Known, cell.Text = true, strings.ToValidUTF8(string(raw), "\uFFFD")
		}
		cells = append(cells, cell)
	}
	return cells
}

func ownershipRows(answer enrich.Answered) (rows []tabular.Row, _ tabular.Problems, _ error) {
	o, err := answers.Ownership(answer)
	for _, s := range o.Shareholders {
		rows = append(rows, tabular.Row{Table: shareholders, Cells: s.Cells()})
	}
	for _, g := range o.GroupStructure {
		rows = append(rows, tabular.Row{Table: groupStructure, Cells: g.Cells()})
	}
	for _, entry := range o.Data {
		cell := tabular.Cell{Kind: tabular.Text, Known: true, Text: entry}
		rows = append(rows, tabular.Row{Table: ownershipData, Cells: []tabular.Cell{cell}})
	}
	return rows, o.Problems, err
}
