package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"payonce/pipeline/report"

	"payonce/pipeline"
	"payonce/pipeline/columns"
	"payonce/pipeline/problem"
)

// questions asks for the columns of each role, one line at a time.
type questions struct {
	in  *bufio.Reader
	out io.Writer
	m   *pipeline.Mapping
}

// ask changes the mapping by the answers, and reports whether the person wants to save it.
func ask(ctx context.Context, in io.Reader, out io.Writer, m *pipeline.Mapping, path string) (save bool, err error) {
	q := &questions{bufio.NewReader(in), out, m}
	for i, header := range m.Schema.Columns {
		fmt.Fprintf(out, "#%-3d %s  %s\n", i+1, report.Fit(report.Printable(header), 30), report.Cut(report.Printable(m.Example(i)), 40))
	}
	for _, doubt := range m.Doubts() {
		fmt.Fprintln(out, wrapped("doubtful: "+report.Printable(doubt)))
	}
	fmt.Fprintln(out, "Enter keeps what is in brackets. A header, or a number such as #3, changes it.\n- stands for no column.")
	for _, role := range m.Roles() {
		if err := q.askRole(ctx, role); err != nil {
			return false, err
		}
	}
	for _, row := range m.Rows() {
		fmt.Fprintf(out, "row %-4d %s\n", row.Row, report.Printable(row.Text()))
		if row.Note != "" {
			fmt.Fprintf(out, "         %s\n", report.Printable(row.Note))
		}
	}
	answer, err := q.line(ctx, fmt.Sprintf("Save this in %s? [Y/n] ", path))
	return answer == "" || strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes"), err
}

func wrapped(text string) string {
	return strings.Join(report.Wrap(strings.Fields(text), report.LineWidth), "\n")
}

// askRole asks for the columns of one role until an answer can be read.
func (q *questions) askRole(ctx context.Context, role columns.Role) error {
	for {
		var names []string
		for _, column := range q.m.Reading.Mapping[role] {
			names = append(names, fmt.Sprintf("#%d %s", column+1, report.Printable(q.m.Schema.Columns[column])))
		}
		answer, err := q.line(ctx, fmt.Sprintf("%s [%s]: ", role, strings.Join(names, ", ")))
		switch {
		case err != nil:
			return err
		case answer == "":
			return nil
		case answer == "-":
			q.m.Set(role)
			return nil
		}
		found, err := columns.FindSeveral(q.m.Schema, answer)
		if err == nil && len(found) > 1 && !columns.TakesSeveral(role) && (role == columns.Email || role == columns.Phone) {
			err = fmt.Errorf("values of %s are written to one column", role)
		}
		if err == nil {
			q.m.Set(role, found...)
			return nil
		}
		fmt.Fprintln(q.out, err)
	}
}

// line asks a question and returns the answer without blanks around it.
func (q *questions) line(ctx context.Context, question string) (string, error) {
	fmt.Fprint(q.out, question)
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		text, err := q.in.ReadString('\n')
		answers <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case got := <-answers:
		if got.err != nil && got.text == "" {
			fmt.Fprintln(q.out)
			return "", problem.Usagef("the answers ended, and nothing was saved")
		}
		return strings.TrimSpace(got.text), nil
	}
}
