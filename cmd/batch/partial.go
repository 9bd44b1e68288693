package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"

	"payonce/enrich"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/columns"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/search"
)

// readPartial reads what each row of a list says of its company into an order. Rows with the service's identifier of
// their company, and rows that name no company, are left out.
func (c *searchCommand) readPartial(ctx context.Context, w *pipeline.Work, order *search.Order) error {
	list := c.companies
	mapping, schema, err := c.partialColumns(list)
	if err != nil {
		return err
	}
	naming := slices.Compact(slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(mapping))...))))
	reader, err := list.Open(naming)
	if err != nil {
		return err
	}
	var rows []partialRow
	known, unnamed := int64(0), int64(0)
	err = table.Ordered(ctx, reader, func(block table.Block) (found []partialRow, err error) {
		err = block.Each(func(row table.Row) error {
			found = append(found, partialRow{nameOfRow(row), partialOf(mapping, row)})
			return nil
		})
		return found, err
	}, func(_ table.Block, found []partialRow) error {
		for _, row := range found {
			switch {
			case row.values == nil:
				known++
			case len(row.values) == 0 || len(row.values) == 1 && row.values["country_code"] != "":
				unnamed++
			default:
				rows = append(rows, row)
			}
		}
		return nil
	})
	if err = columns.AsListUsage(errors.Join(err, reader.Close())); err != nil {
		return err
	}
	if known > 0 {
		w.Observer.Note(fmt.Sprintf("%s of the list with a company_id: nothing is asked for them", report.Counted(known, "row")))
	}
	if unnamed > 0 {
		w.Observer.Note(fmt.Sprintf("%s of the list without anything that names a company: nothing is asked for them", report.Counted(unnamed, "row")))
	}
	order.Rows, order.Count = filtersOf(rows), int64(len(rows))
	of := columnsBeside(search.ListColumns(c.kind.Operation), schema.Columns, mapping.Column(columns.CompanyID), nil)
	order.List = search.ListCells{
		Columns: of.names,
		Read: func(ctx context.Context, names map[string]bool) (map[string][]string, error) {
			return readCells(ctx, list, nil, of.places, nameOfRow, names)
		},
	}
	return nil
}

// partialRow is what a row says of its company, by the keys of filters; nil for a company whose identifier is known.
type partialRow struct {
	name   string
	values map[string]string
}

// nameOfRow returns the name by which a row is known to a search: its number.
func nameOfRow(row table.Row) string { return strconv.FormatInt(row.Number(), 10) }

// filtersOf returns rows as an order takes them.
func filtersOf(rows []partialRow) iter.Seq2[string, map[string]string] {
	return func(yield func(string, map[string]string) bool) {
		for _, row := range rows {
			if !yield(row.name, row.values) {
				return
			}
		}
	}
}

// partialColumns returns the columns that say something of companies, with the one of their emails.
func (c *searchCommand) partialColumns(list *columns.UserList) (columns.Mapping, table.Schema, error) {
	schema, sample, err := list.Look()
	if err != nil {
		return nil, schema, err
	}
	options := columns.Options{
		Overrides: c.o.list.List.Mapping, Asked: []enrich.Subject{enrich.Companies}, Lenient: true, Preset: c.o.list.Preset.Value,
	}
	found, err := columns.Recognise(schema, sample, options)
	if err != nil {
		return nil, schema, problem.AsUsage(err)
	}
	mapping := columns.Mapping{}
	for _, role := range columns.RolesOf(enrich.Companies) {
		mapping[role] = found.Mapping[role]
	}
	mapping[columns.CompanyDomain] = found.Mapping[columns.CompanyDomain]
	options.Asked = nil
	if found, err = columns.Recognise(schema, sample, options); err == nil {
		mapping[columns.Email] = found.Mapping[columns.Email]
	}
	return mapping, schema, nil
}

// partialOf returns what a row says of its company in its clean form, by the keys of filters. It is nil for a company
// whose identifier is known.
func partialOf(mapping columns.Mapping, row table.Row) map[string]string {
	cell := func(roles ...columns.Role) string {
		for _, role := range roles {
			for _, column := range mapping[role] {
				if text := string(columns.Naming(role, row.Cell(column))); text != "" {
					return text
				}
			}
		}
		return ""
	}
	if idIn([]byte(cell(columns.CompanyID))) != "" {
		return nil
	}
	said := enrich.Company{
		Name: cell(columns.CompanyName), Country: cell(columns.CompanyCountry), State: cell(columns.CompanyState),
		RegistrationNumber: cell(columns.RegistrationNumber), VATNumber: cell(columns.VATNumber),
		Website: cell(columns.CompanyWebsite, columns.CompanyDomain), ProfileURL: cell(columns.CompanyProfileURL),
	}
	values := map[string]string{}
	take := func(key, value string) {
		if value != "" {
			values[key] = value
		}
	}
	by := func(pattern enrich.Pattern, said enrich.Company) enrich.Company {
		id, _ := said.Only(enrich.PatternsOf(pattern)).Identify(pattern)
		return id.Company
	}
	named := by(enrich.ByCompanyName, said)
	take("name", named.Name)
	take("country_code", named.Country)
	number, vat := said, said
	number.VATNumber, vat.RegistrationNumber = "", ""
	take("registration_number", by(enrich.ByRegistration, number).RegistrationNumber)
	take("vat_number", by(enrich.ByRegistration, vat).VATNumber)
	if values["country_code"] == "" {
		take("country_code", by(enrich.ByRegistration, number).Country)
		take("country_code", by(enrich.ByRegistration, vat).Country)
	}
	take("website", by(enrich.ByWebsite, said).Website)
	take("pro_network", by(enrich.ByCompanyProfile, said).ProfileURL)
	mailed, _ := enrich.Contact{Email: cell(columns.Email)}.Identify(enrich.ByEmail)
	take("email", mailed.Email)
	return values
}
