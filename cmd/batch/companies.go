package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/columns"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/search"
)

// readCompanies reads the identifiers of the companies of a list into an order: each once, in the list's order. The
// list stays open, because its other cells are read when it is known which companies have results.
func (c *searchCommand) readCompanies(ctx context.Context, w *pipeline.Work, order *search.Order) error {
	list := c.companies
	column, err := idColumn(list, c.o.list.List.Mapping, c.o.list.Preset.Value)
	if err != nil {
		return err
	}
	without, err := readCompanyIDs(ctx, list, column, order)
	if err != nil {
		return err
	}
	noteWithoutID(w, without)
	of, err := columnsOfCompanies(c.kind, list, column)
	if err != nil {
		return err
	}
	order.List = search.ListCells{
		Columns: of.names,
		Read: func(ctx context.Context, ids map[string]bool) (map[string][]string, error) {
			name := func(row table.Row) string { return idIn(row.Cell(column)) }
			return readCells(ctx, list, []int{column}, of.places, name, ids)
		},
	}
	return nil
}

// readCompanyIDs reads the identifiers of companies into an order: each once, in the list's order. It returns how many
// rows have none.
func readCompanyIDs(ctx context.Context, list *columns.UserList, column int, order *search.Order) (without int64, err error) {
	ids, without, err := readIDs(ctx, list, column)
	order.Companies, order.Count = slices.Values(ids), int64(len(ids))
	return without, err
}

// noteWithoutID says how many rows of a list have no identifier.
func noteWithoutID(w *pipeline.Work, without int64) {
	if without > 0 {
		w.Observer.Note(fmt.Sprintf("%s of the list without a company_id: nothing is searched for them", report.Counted(without, "row")))
	}
}

// columnsOfCompanies returns the columns of a list of companies besides that of the identifiers.
func columnsOfCompanies(kind search.Kind, list *columns.UserList, id int) (of listColumns, err error) {
	schema, _, err := list.Look()
	if err != nil {
		return of, err
	}
	ofPersons := map[int]bool{}
	if kind == kindNamed("employees") {
		ofPersons = personColumns(schema.Columns)
	}
	return columnsBeside(search.ListColumns(kind.Operation), schema.Columns, id, ofPersons), nil
}

// listColumns are columns of a list, from 0, with the names that they get in another list.
type listColumns struct {
	names  []string
	places []int
}

// columnsBeside returns the columns of a list of companies as they stand behind those of a search: without the column
// of the identifiers, which the search has. One with the name of another column gets list_ before its name. One of
// ofPersons, which a list of persons would take for values of the person, gets company_: the phone of a company is not
// that of its employees.
func columnsBeside(found, list []string, id int, ofPersons map[int]bool) (of listColumns) {
	taken := map[string]bool{}
	for _, name := range found {
		taken[strings.ToLower(name)] = true
	}
	for i, name := range list {
		if i == id {
			continue
		}
		switch {
		case strings.TrimSpace(name) == "":
			name = fmt.Sprintf("list_column_%d", i+1)
		case ofPersons[i]:
			name = "company_" + name
		}
		for taken[strings.ToLower(name)] {
			name = "list_" + name
		}
		taken[strings.ToLower(name)] = true
		of.names, of.places = append(of.names, name), append(of.places, i)
	}
	return of
}

// personColumns returns the columns that a list of persons would take for names, profiles, emails and phones.
func personColumns(list []string) map[int]bool {
	ofPersons := map[int]bool{}
	found, err := columns.Recognise(table.Schema{Columns: list}, nil, columns.Options{Lenient: true, Preset: columns.NoPreset})
	if err != nil {
		return ofPersons
	}
	for role, places := range found.Mapping {
		if role != columns.CompanyName && role != columns.CompanyDomain {
			for _, i := range places {
				ofPersons[i] = true
			}
		}
	}
	return ofPersons
}

// readCells returns the cells at some places of the first row of each name that is wanted. The name of a row follows
// from the columns in naming.
func readCells(
	ctx context.Context, list *columns.UserList, naming, places []int, name func(table.Row) string, wanted map[string]bool,
) (map[string][]string, error) {
	reader, err := list.Open(slices.Compact(slices.Sorted(slices.Values(slices.Concat(naming, places)))))
	if err != nil {
		return nil, err
	}
	cells := map[string][]string{}
	take := func(block table.Block) (rows []companyRow, err error) {
		err = block.Each(func(row table.Row) error {
			one := companyRow{name: name(row)}
			if !wanted[one.name] {
				return nil
			}
			for _, place := range places {
				one.cells = append(one.cells, string(table.UnescapeFormula(row.Cell(place))))
			}
			rows = append(rows, one)
			return nil
		})
		return rows, err
	}
	err = table.Ordered(ctx, reader, take, func(_ table.Block, rows []companyRow) error {
		for _, row := range rows {
			if _, known := cells[row.name]; !known {
				cells[row.name] = row.cells
			}
		}
		return nil
	})
	return cells, columns.AsListUsage(errors.Join(err, reader.Close()))
}

// companyRow are the cells of a company.
type companyRow struct {
	name  string
	cells []string
}

// idIn returns the identifier of a company in a cell, "" for none.
func idIn(cell []byte) string {
	id, _ := enrich.Company{ID: string(columns.Naming(columns.CompanyID, cell))}.Identify(enrich.ByID)
	return id.Company.ID
}

// idColumn returns the column with the identifiers of companies. The mapping has the form of --map.
func idColumn(list *columns.UserList, mapping []string, preset string) (int, error) {
	schema, sample, err := list.Look()
	if err != nil {
		return 0, err
	}
	found, err := columns.Recognise(schema, sample, columns.Options{
		Overrides: mapping, Asked: []enrich.Subject{enrich.Companies}, Lenient: true, Preset: preset,
	})
	if err != nil {
		return 0, problem.AsUsage(err)
	}
	column := found.Mapping.Column(columns.CompanyID)
	if column == columns.None {
		return 0, problem.Usagef("%s: no column has the service's identifiers of companies; name it with --map company_id=COLUMN, or get the identifiers with \"batch run --fields company\"", list.Title())
	}
	return column, nil
}

// readIDs returns the different identifiers in a column, and how many rows have none.
func readIDs(ctx context.Context, list *columns.UserList, column int) (ids []string, without int64, err error) {
	reader, err := list.Open([]int{column})
	if err != nil {
		return nil, 0, err
	}
	seen := map[string]bool{}
	take := func(block table.Block) (found []string, err error) {
		err = block.Each(func(row table.Row) error {
			found = append(found, idIn(row.Cell(column)))
			return nil
		})
		return found, err
	}
	err = table.Ordered(ctx, reader, take, func(_ table.Block, found []string) error {
		for _, id := range found {
			if id == "" {
				without++
			} else if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
		return nil
	})
	return ids, without, columns.AsListUsage(errors.Join(err, reader.Close()))
}
