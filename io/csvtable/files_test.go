package csvtable_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/csvtable"
)

// memoryInput is a file in memory.
type memoryInput struct {
	name, text string
	open       *int // counts the files that are open
}

func (m memoryInput) Name() string { return m.name }

func (m memoryInput) Open() (io.ReadCloser, error) {
	if m.text == "missing" {
		return nil, fs.ErrNotExist
	}
	*m.open++
	return memoryFile{strings.NewReader(m.text), m.open}, nil
}

type memoryFile struct {
	io.Reader
	open *int
}

func (m memoryFile) Close() error {
	*m.open--
	return nil
}

// inFiles returns a list of several files, a.csv and so on.
func inFiles(open *int, texts ...string) []csvtable.Input {
	var inputs []csvtable.Input
	for i, text := range texts {
		inputs = append(inputs, memoryInput{string(rune('a'+i)) + ".csv", text, open})
	}
	return inputs
}

func TestSeveralFiles(t *testing.T) {
	open := 0
	inputs := inFiles(
		&open, "\ufeffname,town\r\n\r\nAda,x\r\nAlan,y", "name;town\n\"Bo;\";\"z\"\n", "name,town\n", "name,town\nCy\xe9,",
	)
	for range 2 { // a list is read once for each pass
		r, err := csvtable.Open(csvtable.Options{}, inputs...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := see(r)
		if err != nil {
			t.Fatal(err)
		}
		want := []seen{{1, 3, []string{"Ada", "x"}}, {2, 4, []string{"Alan", "y"}}, {3, 2, []string{"Bo;", "z"}}, {4, 2, []string{"Cyé", ""}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	}
	r, err := csvtable.Open(csvtable.Options{}, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := csvtable.NewWriter(&out, r, columns("new"))
	if err := errors.Join(copyRows(w, r, nil, []string{"!"}), w.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("\ufeffname,town,new\r\n\r\nAda,x,!\r\nAlan,y,!\r\nBo;,z,!\r\nCyé,,!", out.String()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if open != 0 {
		t.Errorf("%d files are still open", open)
	}
}

func TestErrorsOfSeveralFiles(t *testing.T) {
	for name, test := range map[string]struct {
		texts []string
		want  string
	}{
		"the first is missing":  {[]string{"missing", "a,b\n"}, "file does not exist"},
		"a further is missing":  {[]string{"a,b\n", "missing"}, "file does not exist"},
		"the first has no text": {[]string{"", "a,b\n"}, "a.csv: the file is empty"},
		"another column":        {[]string{"a,b\n1,2\n", "\na,\"c\"\n"}, `b.csv:2:3: column 2 of the header is not "b" as in a.csv; give all files of a list the same header`},
		"another order":         {[]string{"a,b\n", "a,b\n", "b,a\n"}, `c.csv:1:1: column 1 of the header is not "a" as in a.csv`},
		"more columns":          {[]string{"a,b\n", "a,b,c\n"}, "b.csv:1:5: the header has 3 columns, that of a.csv has 2"},
		"fewer columns":         {[]string{"a,b\n", "a\n"}, "b.csv:1:2: the header has 1 column, that of a.csv has 2"},
		"a ragged row":          {[]string{"a,b\n1,2\n", "a,b\n1\n"}, "b.csv:2:2: the row has 1 cell, the header has 2"},
		"an unclosed quote":     {[]string{"a,b\n1,\"2\n", "a,b\n1,2\n"}, "a.csv:2:3: the quote that opens here is never closed"},
		"no header":             {[]string{"a,b\n1,2\n", "ada@mail.example,2\n"}, "b.csv:1:1: no header"},
	} {
		t.Run(name, func(t *testing.T) {
			open := 0
			r, err := csvtable.Open(csvtable.Options{}, inFiles(&open, test.texts...)...)
			if err == nil {
				_, err = see(r)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("err = %v, want %q in it", err, test.want)
			}
			if open != 0 {
				t.Errorf("%d files are still open", open)
			}
		})
	}
	if _, err := csvtable.Open(csvtable.Options{}); err == nil {
		t.Error("a list without files was opened")
	}
}
