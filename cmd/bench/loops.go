package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"payonce/io/listfile"
	"payonce/io/sandbox/world"
	"payonce/io/table"
)

// tasks are what the program does in a separate process.
func tasks() map[string]func(ctx context.Context, args []string, stdout io.Writer) error {
	return map[string]func(context.Context, []string, io.Writer) error{
		"answer": answerTenth, "copy": copyList, "csv-copy": copyWithStandard, "csv-count": countWithStandard,
	}
}

// copyList parses a list with the program's own scanner and writes it again as it is:
// the least that an output costs. Like an output it is synced and put in its place.
func copyList(ctx context.Context, args []string, _ io.Writer) error {
	if len(args) != 2 {
		return errors.New("usage: bench copy LIST OUTPUT")
	}
	list, err := listfile.New(listfile.Options{}, args[0])
	if err != nil {
		return err
	}
	out, err := listfile.Create(list, listfile.Request{Path: args[1]})
	if err != nil {
		return err
	}
	defer out.Discard()
	reader, err := out.Rows.Open(nil)
	if err != nil {
		return err
	}
	defer reader.Close()
	err = table.Ordered(ctx, reader, func(block table.Block) (table.Part, error) {
		part := out.Writer.Part(block)
		return part, block.Each(func(row table.Row) error { return part.WriteRow(row, nil, nil) })
	}, func(_ table.Block, part table.Part) error { return out.Writer.Write(part) })
	if err != nil {
		return err
	}
	return out.Commit()
}

// copyWithStandard reads a list with encoding/csv and writes it with encoding/csv, as a
// program by hand does. Nothing is appended, and nothing synced.
func copyWithStandard(_ context.Context, args []string, _ io.Writer) error {
	if len(args) != 2 {
		return errors.New("usage: bench csv-copy LIST OUTPUT")
	}
	out, err := os.Create(args[1])
	if err != nil {
		return err
	}
	defer out.Close()
	writer := csv.NewWriter(bufio.NewWriterSize(out, 1<<20))
	if err := eachRecord(args[0], writer.Write); err != nil {
		return err
	}
	writer.Flush()
	return errors.Join(writer.Error(), out.Close())
}

// countWithStandard counts what a plan counts with encoding/csv and a map.
func countWithStandard(_ context.Context, args []string, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("usage: bench csv-count LIST")
	}
	column := func(name string) int { return slices.Index(world.ListColumns(), name) }
	email, phone := column("email"), column("phone")
	persons := map[string]struct{}{}
	c := counts{Rows: -1} // the header is not a row
	err := eachRecord(args[0], func(record []string) error {
		if c.Rows++; c.Rows == 0 {
			return nil
		}
		hasEmail, hasPhone := record[email] != "", record[phone] != ""
		c.Emails += one(hasEmail)
		c.Phones += one(hasPhone)
		if hasEmail && hasPhone {
			c.Filled++
			return nil
		}
		person := personByHand(record)
		if person == "" {
			c.Unidentifiable++
			return nil
		}
		persons[person] = struct{}{}
		return nil
	})
	if err != nil {
		return err
	}
	c.Persons = int64(len(persons))
	return json.NewEncoder(stdout).Encode(c)
}

// eachRecord hands every record of a CSV file to visit, the header first.
func eachRecord(path string, visit func([]string) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	reader := csv.NewReader(bufio.NewReaderSize(file, 1<<20))
	reader.ReuseRecord = true
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = visit(record)
		}
		if err != nil {
			return err
		}
	}
}

func one(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// personByHand tells persons apart as one who writes a loop for this list may: by the
// profile's address, else by the names and the company. It returns "" for nobody.
func personByHand(record []string) string {
	const first, last, profile, company, website = 1, 2, 3, 4, 5
	clean := func(column int) string {
		return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(record[column])), "ς", "σ")
	}
	bare := func(address string) string {
		address = strings.TrimPrefix(strings.TrimPrefix(address, "https://"), "http://")
		address, _, _ = strings.Cut(strings.TrimPrefix(address, "www."), "?")
		return strings.TrimRight(address, "/")
	}
	if address := clean(profile); address != "" {
		return bare(address)
	}
	employer := clean(company)
	if site := clean(website); site != "" {
		employer = bare(site)
	}
	if clean(first) == "" || clean(last) == "" || employer == "" {
		return ""
	}
	return clean(first) + "|" + clean(last) + "|" + employer
}
