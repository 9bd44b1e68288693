package csvtable_test

import (
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
	if diff := cmp.Diff("\ufeffname,town,new\r\n\r\nAda,x,!\r\nAlan,y,!\r\nBo;,z,!\r\nCyé,,!", written(t, r, columns("new"), []string{"!"})); diff != "" {
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

// What the encoding of the output, which is the first file's, cannot hold is told when the
// list is read: by then nothing has been bought for it.
func TestTextThatDoesNotFitTheEncodingOfTheFirstFile(t *testing.T) {
	latin, wide := "name,town\nJos\xe9,K\xf6ln\n", littleEndian("\ufeffname,town\nJosé,Łódź\n")
	far := strings.Repeat("Ada,x\n", 300_000/6) // beyond what is looked at first
	for name, test := range map[string]struct {
		texts []string
		want  string
	}{
		"UTF-8 in Windows-1252": {
			[]string{latin, "name,town\nAda,x\nÉva,Łódź\n"},
			`b.csv:3:6: the character 'Ł' (U+0141) cannot be written in Windows-1252, the encoding of a.csv and of the output; name a file in UTF-8 first, or save all files of the list as UTF-8`,
		},
		"UTF-16 in Windows-1252":    {[]string{latin, wide}, "b.csv:2:7: the character 'Ł' (U+0141) cannot be written in Windows-1252"},
		"far from the beginning":    {[]string{latin, "name,town\n" + far + "Ł,x\n"}, "b.csv:50002:1: the character 'Ł'"},
		"in the third file":         {[]string{latin, "name,town\nAda,x\n", "name,town\nŁ,x\n"}, "c.csv:2:1: the character 'Ł'"},
		"no UTF-8 in UTF-16":        {[]string{wide, "name,town\nA\xc8\xe2\xe0\xed,x\n"}, "b.csv:2:2: a byte that is not UTF-8 cannot be written in UTF-16LE"},
		"a character cut in two":    {[]string{wide, "\ufeffname,town\nA,x\xc3"}, "b.csv:2:4: a byte that is not UTF-8"},
		"a mark, and what has room": {[]string{latin, "\ufeffname,town\nÉva,€\n", "name,town\nAda,x\n", latin}, ""},
		"anything in UTF-8":         {[]string{"name,town\nAda,x\n", latin, wide, "name,town\n\xc8\xe2\xe0\xed,x\n"}, ""},
		"anything whole in UTF-16":  {[]string{wide, latin, "name,town\nŁ,\ufffd\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			open := 0
			r, err := csvtable.Open(csvtable.Options{}, inFiles(&open, test.texts...)...)
			if err == nil {
				_, err = see(r)
			}
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("err = %v, want %q in it", err, test.want)
			}
		})
	}
}

// A list of files in several encodings comes out in that of the first.
func TestFilesOfSeveralEncodingsInThatOfTheFirst(t *testing.T) {
	open := 0
	r, err := csvtable.Open(csvtable.Options{}, inFiles(&open, "n,t\nJos\xe9,x\n", "\ufeffn,t\nÉva,€\n", littleEndian("\ufeffn,t\nÀ,y\n"))...)
	if err != nil {
		t.Fatal(err)
	}
	if out, want := written(t, r, nil, nil), "n,t\nJos\xe9,x\n\xc9va,\x80\n\xc0,y\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
}
