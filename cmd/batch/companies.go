package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/columns"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/search"
)

// readCompanies reads the identifiers of the companies of a list into an order: each once, in the list's order.
func (c *searchCommand) readCompanies(ctx context.Context, w *pipeline.Work, names []string, order *search.Order) (err error) {
	list, err := columns.OpenList(c.o.list.reading(ctx, c.o.env.stdin), names...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	column, err := c.idColumn(list)
	if err != nil {
		return err
	}
	ids, without, err := readIDs(ctx, list, column)
	if err != nil {
		return err
	}
	if without > 0 {
		w.Observer.Note(fmt.Sprintf("%s of the list without a company_id: no employees are searched for them", report.Counted(without, "row")))
	}
	order.Companies, order.Count = slices.Values(ids), int64(len(ids))
	return nil
}

// idColumn returns the column with the identifiers of companies.
func (c *searchCommand) idColumn(list *columns.UserList) (int, error) {
	schema, sample, err := list.Look()
	if err != nil {
		return 0, err
	}
	found, err := columns.Recognise(schema, sample, columns.Options{
		Overrides: c.o.list.List.Mapping, Asked: []enrich.Subject{enrich.Companies}, Lenient: true, Preset: c.o.list.Preset.Value,
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
			id, _ := enrich.Company{ID: string(columns.Naming(columns.CompanyID, row.Cell(column)))}.Identify(enrich.ByID)
			found = append(found, id.Company.ID)
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
