// This file describes the tables of the v2 interface, and reads their rows from answers: what an answer
// says in several rows, or in more columns than a list should get.

package v2

import (
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/io/service"
)

// Tables are the tables of the interface. Its methods may be called from many goroutines.
type Tables struct{}

// The indexes of the tables.
const (
	financials = iota
	insightsTable
	technologies
	visitsTable
	shareholders
	groupStructure
	ownershipData
	classificationsTable
	trafficShares
	trafficGraph
)

// Tables returns the tables of all fields. Their key is the id of the company.
func (Tables) Tables() []enrich.Table {
	year := enrich.TableColumn{Name: "year", Kind: enrich.IntegerCell}
	tables := []enrich.Table{
		financials: {
			Name: "financials", Of: FieldFinancials, Columns: append([]enrich.TableColumn{year}, Figures()...),
			Open: true,
		},
		insightsTable: {
			Name: "insights", Of: FieldInsights, Columns: append(insightsColumns(), plainColumns()...),
		},
		technologies: {Name: "technologies", Of: FieldInsights, Columns: technologyColumns()},
		visitsTable:  {Name: "visits", Of: FieldInsights, Columns: visitsColumns()},
		shareholders: {Name: "shareholders", Of: FieldOwnership, Columns: shareholderColumns()},
		groupStructure: {
			Name: "group_structure", Of: FieldOwnership, Columns: groupColumns(),
		},
		ownershipData: {
			Name: "ownership_data", Of: FieldOwnership, Columns: []enrich.TableColumn{{Name: "entry", Kind: enrich.TextCell}},
		},
		classificationsTable: {Name: "classifications", Of: FieldCompany, Columns: columnsOf(classificationRow)},
		trafficShares:        {Name: "traffic_shares", Of: FieldInsights, Columns: columnsOf(countryShare)},
		trafficGraph:         {Name: "traffic_graph", Of: FieldInsights, Columns: columnsOf(graphRow)},
	}
	for i := range tables {
		tables[i].Key = "company_id"
	}
	return tables
}

// plainColumns are the members of an insights record that stand in its table as JSON, as they came. They have tables
// of their own, too.
func plainColumns() []enrich.TableColumn {
	return []enrich.TableColumn{{Name: "top_country_shares", Kind: enrich.TextCell}, {Name: "graph", Kind: enrich.TextCell}}
}

// Rows returns the rows of an answer about a field, in the order of the answer. What cannot be read of it is a
// problem; an error says that the answer is damaged.
func (Tables) Rows(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	switch of {
	case FieldCompany:
		return companyRows(answer)
	case FieldFinancials:
		return financialRows(answer)
	case FieldInsights:
		return insightRows(answer)
	case FieldOwnership:
		return ownershipRows(answer)
	default:
		return nil, enrich.CellProblems{}, nil
	}
}

// Extras returns the rows of Rows. Those of figures have only the figures without a column.
func (t Tables) Extras(of enrich.Field, answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	if of != FieldFinancials {
		return t.Rows(of, answer)
	}
	f, err := readIn(answer, func(a Answer) (tableRows, error) { return recordIn(a, FieldFinancials, decodeExtraFigures) })
	return f.rows, f.CellProblems, err
}

// companyRows returns the industries and codes of a company. The answer names the company: the call may have been
// about a website or a number.
func companyRows(answer enrich.Answered) (rows []enrich.TableRow, _ enrich.CellProblems, _ error) {
	c, err := readIn(answer, Answer.Company)
	for _, list := range []classificationsOf{{"industry", c.Industries}, {"sic", c.SIC}} {
		for _, one := range list.all {
			rows = append(rows, enrich.TableRow{
				Table: classificationsTable, Subject: c.ID.Value, Cells: cellsOf(classificationIn{list.name, one}, classificationRow),
			})
		}
	}
	var problems enrich.CellProblems // the list has the others
	for _, p := range c.CellProblems.First {
		if strings.HasPrefix(p.Path, "industry") || strings.HasPrefix(p.Path, "sic") {
			problems.Add(p.Path, p.Want)
		}
	}
	return rows, problems, err
}

// tableRows are the rows of an answer.
type tableRows struct {
	rows []enrich.TableRow
	enrich.CellProblems
}

func financialRows(answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	f, err := readIn(answer, func(a Answer) (tableRows, error) { return recordIn(a, FieldFinancials, decodeFigureRows) })
	return f.rows, f.CellProblems, err
}

// decodeFigureRows reads financial figures as decodeFinancials does.
func decodeFigureRows(body []byte) (f tableRows, err error) {
	r := newFigureReader(&f.CellProblems)
	defer r.borrow()()
	err = r.eachYear(body, func(year figuresOf) {
		r.cells = make([]enrich.Cell, 1, 1+len(figures().columns))
		r.cells[0] = enrich.Cell{Kind: enrich.IntegerCell, Known: true, Integer: int64(year.number)}
		y := r.year(year)
		f.rows = append(f.rows, enrich.TableRow{Table: financials, Cells: r.cells, Extra: slices.Clone(y.Extra)})
	})
	if err != nil {
		return tableRows{}, err
	}
	return f, nil
}

// decodeExtraFigures reads only the figures without a column.
func decodeExtraFigures(body []byte) (f tableRows, err error) {
	r := newFigureReader(&f.CellProblems)
	defer r.borrow()()
	err = r.eachYear(body, func(year figuresOf) {
		r.extras(year, nil)
		f.rows = append(f.rows, enrich.TableRow{Table: financials, Extra: slices.Clone(r.extra)})
	})
	return f, err
}

func insightRows(answer enrich.Answered) ([]enrich.TableRow, enrich.CellProblems, error) {
	i, err := readIn(answer, rowsOfInsights)
	return i.rows, i.CellProblems, err
}

func rowsOfInsights(whole Answer) (tableRows, error) {
	if len(whole.Body) == 0 {
		return tableRows{}, nil
	}
	record, err := whole.Insights()
	if err != nil {
		return tableRows{nil, record.CellProblems}, err
	}
	var rows []enrich.TableRow
	var list lister // the rows are kept together
	add := func(table int, cells []enrich.Cell) { rows = append(rows, enrich.TableRow{Table: table, Cells: cells}) }
	add(insightsTable, slices.Concat(record.Cells(), plainCells(whole.Body)))
	record.eachTechnology(func(one technologyOf) { add(technologies, listed(&list, one, technologyRow)) })
	for _, month := range record.Visits {
		add(visitsTable, listed(&list, month, visits))
	}
	for _, share := range record.TopCountries {
		add(trafficShares, listed(&list, share, countryShare))
	}
	record.Graph.each(func(point graphPoint) { add(trafficGraph, listed(&list, point, graphRow)) })
	return tableRows{rows, record.CellProblems}, nil
}

// plainCells returns the members of plainColumns as they stand in the answer, which is compact.
func plainCells(body []byte) (cells []enrich.Cell) {
	object, _ := service.ParseObject(body)
	for _, column := range plainColumns() {
		cell := enrich.Cell{Kind: column.Kind}
		if raw, there := object[column.Name]; there && !object.IsNull(column.Name) {
			cell.Known, cell.Text = true, strings.ToValidUTF8(string(raw), "\uFFFD")
		}
		cells = append(cells, cell)
	}
	return cells
}

func ownershipRows(answer enrich.Answered) (rows []enrich.TableRow, _ enrich.CellProblems, _ error) {
	o, err := readIn(answer, Answer.Ownership)
	var list lister
	for _, s := range o.Shareholders {
		rows = append(rows, enrich.TableRow{Table: shareholders, Cells: listed(&list, s, shareholder)})
	}
	for _, g := range o.GroupStructure {
		rows = append(rows, enrich.TableRow{Table: groupStructure, Cells: listed(&list, g, groupMember)})
	}
	for _, entry := range o.Data {
		cell := enrich.Cell{Kind: enrich.TextCell, Known: true, Text: entry}
		rows = append(rows, enrich.TableRow{Table: ownershipData, Cells: []enrich.Cell{cell}})
	}
	return rows, o.CellProblems, err
}
