package jsonlist_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"payonce/enrich"
	"payonce/io/jsonlist"
	"payonce/io/table"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// file is a list in memory.
type file struct{ name, text string }

func (f file) Name() string { return f.name }

func (f file) Open() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(f.text)), nil }

// scan scans a list that has no fault.
func scan(t testing.TB, inputs ...jsonlist.Input) *jsonlist.Layout {
	t.Helper()
	layout, err := jsonlist.Scan(inputs...)
	if err != nil {
		t.Fatal(err)
	}
	return layout
}

func open(t testing.TB, layout *jsonlist.Layout, columns []int, inputs ...jsonlist.Input) *jsonlist.Reader {
	t.Helper()
	r, err := jsonlist.Open(layout, columns, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// cells reads the columns and the cells of a list, the columns first.
func cells(t testing.TB, inputs ...jsonlist.Input) (found [][]string, lines []int64) {
	t.Helper()
	r := open(t, scan(t, inputs...), nil, inputs...)
	found = append(found, r.Schema().Columns)
	err := each(r, func(row table.Row) error {
		values := make([]string, len(found[0]))
		for i := range values {
			values[i] = string(row.Cell(i))
		}
		if row.Number() != int64(len(found)) {
			t.Errorf("row %d has the number %d", len(found), row.Number())
		}
		found, lines = append(found, values), append(lines, row.Line())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, lines
}

func each(r table.Reader, visit func(table.Row) error) error {
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := b.Each(visit); err != nil {
			return err
		}
		b.Release()
	}
}

// change says how rewrite changes rows.
type change struct {
	array    bool
	filled   []int
	fills    func(number int64) []table.Fill
	appended []table.Column
	values   []enrich.Cell
	only     func(number int64) bool // nil for all rows
}

// rewrite writes a list again.
func rewrite(t testing.TB, c change, inputs ...jsonlist.Input) (string, error) {
	t.Helper()
	layout := scan(t, inputs...)
	list, rows := open(t, layout, nil, inputs...), open(t, layout, nil, inputs...)
	var out bytes.Buffer
	w, err := jsonlist.NewWriter(&out, list, c.array, c.filled, c.appended)
	if err != nil {
		return "", err
	}
	err = table.Ordered(context.Background(), rows, func(b table.Block) (table.Part, error) {
		p := w.Part(b)
		return p, b.Each(func(row table.Row) error {
			var fills []table.Fill
			if c.fills != nil {
				fills = c.fills(row.Number())
			}
			if c.only != nil && !c.only(row.Number()) {
				return nil
			}
			return p.WriteRow(row, fills, c.values)
		})
	}, func(_ table.Block, p table.Part) error { return w.Write(p) })
	err = errors.Join(err, w.Close())
	return out.String(), err
}

func TestColumnsAreThePathsInTheirOrder(t *testing.T) {
	got, lines := cells(t, file{"list.ndjson", `{"id":1,"contact":{"work":{"email":"ann@a.example"},"phones":["1","2"]}}

 {"id": 2.50e1,"contact":null,"tags":[],"a.b":true}
{"contact":{"work":{"email":null,"Zoë \"x\"":"\u00e9\n\ud83d\ude00"},"phones":[{"type":"work"}]},"":"x","id":"3"}
`})
	want := [][]string{
		{"id", "contact.work.email", `contact.work["Zoë \"x\""]`, "contact.phones[0]", "contact.phones[0].type", "contact.phones[1]", "tags", `["a.b"]`, `[""]`},
		{"1", "ann@a.example", "", "1", "", "2", "", "", ""},
		{"2.50e1", "", "", "", "", "", "[]", "true", ""},
		{"3", "", "é\n😀", `{"type":"work"}`, "work", "", "", "", "x"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{1, 3, 4}, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestArraysAreReadAsLinesAre(t *testing.T) {
	got, lines := cells(t, file{"list.json", "\ufeff \n[\n  {\"a\": 1, \"b\": [\"x\"]}\n  ,{},\n  {\n    \"b\": [null, true]\n  }\n]\n"})
	want := [][]string{{"a", "b[0]", "b[1]"}, {"1", "x", ""}, {"", "", ""}, {"", "", "true"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{3, 4, 5}, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestMembersBeyondALimitBecomeOneColumnOfText(t *testing.T) {
	numbers := "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15, 16]"
	deep := strings.Repeat(`{"d":`, 40) + "1" + strings.Repeat("}", 40)
	var wide strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&wide, `"k%d":[1],`, i)
	}
	wideObject := "{" + wide.String() + `"last":2}`
	got, _ := cells(t, file{"list.ndjson", `{"n":` + numbers + `,"deep":` + deep + `,"wide":` + wideObject + "}\n{\"n\":[5]}\n"})
	wantCell := func(column, want string) {
		t.Helper()
		if i := indexOf(got[0], column); i < 0 || got[1][i] != want {
			t.Errorf("column %s is #%d of %d", column, i, len(got[0]))
		}
	}
	wantCell("n", numbers)
	wantCell("n[0]", "0")
	wantCell("n[15]", "15")
	wantCell("wide", wideObject)
	wantCell("deep"+strings.Repeat(".d", 31), strings.Repeat(`{"d":`, 9)+"1"+strings.Repeat("}", 9))
	if len(got[0]) != 1+16+1+1 {
		t.Errorf("%d columns", len(got[0]))
	}
	if diff := cmp.Diff([]string{"[5]", "5"}, got[2][:2]); diff != "" {
		t.Errorf("a short array beside a long one (-want +got):\n%s", diff)
	}
	many := strings.Builder{}
	for i := range 30 {
		fmt.Fprintf(&many, `{"part%d":%s}`+"\n", i, "{"+strings.ReplaceAll(wide.String()[:len(wide.String())/5], "[1]", "1")+`"k":1}`)
	}
	if _, err := jsonlist.Scan(file{"list.ndjson", many.String()}); err == nil || !strings.Contains(err.Error(), "a list has at most 20000; leave out what is not needed") {
		t.Errorf("error %v", err)
	}
	if _, err := jsonlist.Scan(file{"list.ndjson", wideObject}); err == nil || !strings.Contains(err.Error(), "the objects have more than 4096 different members") {
		t.Errorf("error %v", err)
	}
}

func TestJSONErrorsNameLineAndColumn(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"another text":           {"name,email\n", `list:1:1: the file begins with 'n'; a list is an array of objects, or has one object on each line`},
		"no members":             {"{}\n{}", "list: the objects have no members"},
		"UTF-16":                 {"\xff\xfe{\x00", "list:1:1: the text is UTF-16; save the list as UTF-8"},
		"not UTF-8":              {"{\"a\":1}\n{\"a\":\"M\xfcller\"}\n", "list:2:8: bytes that are not UTF-8; save the list as UTF-8"},
		"not UTF-8 in an array":  {"[{\"a\":1},\n{\"a\":\"M\xfcller\"}]\n", "list:2:8: bytes that are not UTF-8"},
		"half a surrogate":       {"{\"a\":\"\\ud800\"}", "list:1:7: it is not JSON: "},
		"cut short":              {"{\"a\":1}\n{\"a\":\"x", "list:2:8: the object does not end on its line; write each object on one line"},
		"cut array":              {"[{\"a\":1},\n{\"a\":2}", "list:2:8: the list is cut short: it ends before the array does; copy or download the file again"},
		"cut between":            {"[{\"a\":1},\n", "list:2:1: the list is cut short"},
		"several lines":          {"{\n \"a\": 1\n}\n", "list:1:2: the object does not end on its line; write each object on one line, or all of them as an array"},
		"a comma at the end":     {"{\"a\":1}\n{\"a\":1,}\n", "list:2:7: there is a comma before the end of an object or array; remove the comma"},
		"a comma in an array":    {"[{\"a\":1},\n]", "list:1:9: there is a comma before the end of an object or array; remove the comma"},
		"no comma":               {"[{\"a\":1}\n{\"a\":2}]", "list:2:1: it is not JSON: "},
		"a member twice":         {"{\"a\":1}\n{\"b\":{\"a\":1,\"c\":2,\"a\":3}}", `list:2:19: the member "a" appears twice in one object; leave only one of them`},
		"a member twice, array":  {"[{\"a\":1},\n {\"a\":1,\"a\":3}]", `list:2:9: the member "a" appears twice`},
		"not an object":          {"{\"a\":1}\n[1]\n", "list:2:1: the line is not an object"},
		"a number in an array":   {"[{\"a\":1}, 2]", "list:1:11: an element of the array is not an object"},
		"two objects on a line":  {"{\"a\":1} {\"a\":2}\n", "list:1:9: something follows the object on its line; put it on a line of its own"},
		"text behind the array":  {"[{\"a\":1}]\n\n x", "list:3:2: something follows the end of the array; remove it"},
		"a bracket too many":     {"[{\"a\":1}]]", "list:1:10: something follows the end of the array"},
		"a value that is no one": {"{\"a\":tru}", "list:1:9: it is not JSON: "},
	} {
		_, err := jsonlist.Scan(file{"list", test.text})
		if wrong, ok := errors.AsType[*table.Error](err); !ok || !strings.HasPrefix(err.Error(), test.want) || wrong.Hint == "" {
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
}

func TestRowsComeBackByteForByte(t *testing.T) {
	for _, text := range []string{
		"{\"b\":1.0,\"a\":\"\\u00e9\\/\"}\n{ \"a\" : null }\r\n\n \t\n{\"x\":[ 1 , {} ]}",
		"\ufeff\n\n{\"a\":1}\n\n\n",
		" [ {\"a\":1E+2} ,\n\n {\"b\":[]}\t] \n\n", "[{\"a\":1}]", "\ufeff[\r\n{\"a\":-0.0},\r\n{}\r\n]",
	} {
		f := file{"list", text}
		array := strings.Contains(strings.TrimLeft(text, "\ufeff \n")[:1], "[")
		got, err := rewrite(t, change{array: array}, f)
		if err != nil || got != text {
			t.Errorf("%q came back as %q, %v", text, got, err)
		}
	}
}

func TestFilledAndAppendedMembers(t *testing.T) {
	added := []table.Column{
		{Name: "status"},
		{Name: "usd", Kind: enrich.MoneyCell},
		{Name: "all", Kind: enrich.TextsCell},
		{Name: "c"},
		{Name: "n", Kind: enrich.IntegerCell},
		{Name: "open", Kind: enrich.FlagCell},
		{Name: "phones", Kind: enrich.TextsCell},
	}
	values := []enrich.Cell{
		enrich.TextOf("say \"hi\""),
		{Kind: enrich.MoneyCell, Known: true, Text: "0.40", Integer: 400_000},
		{Kind: enrich.TextsCell, Known: true, Texts: []string{"x", "y"}},
		{},
		{Kind: enrich.IntegerCell, Known: true, Integer: -7},
		{Kind: enrich.FlagCell, Known: true},
		{Kind: enrich.TextsCell, Known: true, Texts: []string{"a b"}},
	}
	f := file{"list.ndjson", `{"id":1.0,"c":{"e":"","f":0}}
{"id": 2, "c": {"e": null}}
{"id":3,"c":{}}
{"id":4,"c":null}
{"id":5}
{}
{"c":{"p":["a"]},"id":7}
{ "c" : { "e" : "\u0061" , "p" : [ ] } }`}
	columns := scanColumns(t, f)
	email, second := indexOf(columns, "c.e"), indexOf(columns, "c.p[0]")
	got, err := rewrite(t, change{filled: []int{email}, appended: added, values: values, fills: func(n int64) []table.Fill {
		switch {
		case n == 8:
			return []table.Fill{{Column: second, Value: "p"}}
		case n == 7:
			return []table.Fill{{Column: email, Value: "x\\y"}}
		}
		return []table.Fill{{Column: email, Value: "é@x.example"}}
	}}, f)
	const end = `"status":"say \"hi\"","usd":0.40,"all":["x","y"],"c_2":null,"n":-7,"open":false,"phones":["a b"]}`
	want := `{"id":1.0,"c":{"e":"é@x.example","f":0},` + end + `
{"id": 2, "c": {"e": "é@x.example"}, "status": "say \"hi\"", "usd": 0.40, "all": ["x","y"], "c_2": null, "n": -7, "open": false, "phones": ["a b"]}
{"id":3,"c":{"e":"é@x.example"},` + end + `
{"id":4,"c":{"e":"é@x.example"},` + end + `
{"id":5,"c":{"e":"é@x.example"},` + end + `
{"c":{"e":"é@x.example"},` + end + `
{"c":{"p":["a"],"e":"x\\y"},"id":7,` + end + `
{ "c" : { "e" : "\u0061" , "p" : ["p" ] }, "status" : "say \"hi\"", "usd" : 0.40, "all" : ["x","y"], "c_2" : null, "n" : -7, "open" : false, "phones" : ["a b"] }`
	if err != nil || got != want {
		t.Errorf("error %v\n%s", err, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
	}
}

func TestIndentedMembersAreAppendedIndented(t *testing.T) {
	f := file{"list.json", "[\n  {\n    \"a\": {\n      \"b\": 1\n    }\n  },\n  {\n  }\n]\n"}
	got, err := rewrite(t, change{
		array: true, appended: []table.Column{{Name: "x"}, {Name: "y"}}, values: []enrich.Cell{enrich.TextOf("1"), enrich.TextOf("2")},
		fills: func(n int64) []table.Fill { return []table.Fill{{Column: 0, Value: "v"}}[:2-n] },
	}, f)
	want := "[\n  {\n    \"a\": {\n      \"b\": \"v\"\n    },\n    \"x\": \"1\",\n    \"y\": \"2\"\n  },\n  {\"x\":\"1\",\"y\":\"2\"\n  }\n]\n"
	if err != nil || got != want {
		t.Errorf("%q, %v\nwant %q", got, err, want)
	}
}

func TestASubsetOfRowsIsAValidJSONList(t *testing.T) {
	last := func(n int64) bool { return n >= 2 }
	none := func(int64) bool { return false }
	for _, test := range []struct {
		text, want string
		only       func(int64) bool
		array      bool
	}{
		{"[ {\"a\":1} ,\n {\"a\":2},{\"a\":3}\n]\n", "[\n {\"a\":2},{\"a\":3}\n]\n", last, true},
		{"[ {\"a\":1} ,\n {\"a\":2}\n]", "[\n]", none, true},
		{"{\"a\":1}\n{\"a\":2}\n\n{\"a\":3}", "{\"a\":2}\n\n{\"a\":3}", last, false},
		{"{\"a\":1}\n{\"a\":2}", "", none, false},
		// From one form into the other one.
		{"{\"a\":1}\n\n{\"a\": 2}\n{\"a\":3}", "[\n{\"a\": 2},\n{\"a\":3}\n]\n", last, true},
		{"{\"a\":1}\n", "[\n]\n", none, true},
		{"[{\"a\":1},{ \"a\":2},{\n\"a\": [1.0,\n\"\\u0061 \"]}\n]", "{ \"a\":2}\n{\"a\":[1.0,\"\\u0061 \"]}\n", last, false},
	} {
		got, err := rewrite(t, change{array: test.array, only: test.only}, file{"list", test.text})
		if err != nil || got != test.want {
			t.Errorf("%q: %q, %v; want %q", test.text, got, err, test.want)
		}
	}
}

func TestListsWithoutObjectsHaveNoColumns(t *testing.T) {
	for _, text := range []string{"", " \n\n", "[ \n]\n", "\ufeff[]"} {
		f := file{"list", text}
		if got, _ := cells(t, f); len(got) != 1 || len(got[0]) != 0 {
			t.Errorf("%q has %q", text, got)
		}
		if out, err := rewrite(t, change{array: strings.Contains(text, "[")}, f); err != nil || out != text {
			t.Errorf("%q came back as %q, %v", text, out, err)
		}
	}
}

func TestSeveralFilesOfLinesAreOneList(t *testing.T) {
	files := []jsonlist.Input{file{"1", "{\"a\":1}\n{\"a\":2}"}, file{"2", "\ufeff{\"b\":3}\n"}}
	got, lines := cells(t, files...)
	if diff := cmp.Diff([][]string{{"a", "b"}, {"1", ""}, {"2", ""}, {"", "3"}}, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{1, 2, 1}, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if out, err := rewrite(t, change{}, files...); err != nil || out != "{\"a\":1}\n{\"a\":2}\n{\"b\":3}\n" {
		t.Errorf("%q, %v", out, err)
	}
	const several = "the file holds an array, and the list has several files"
	for _, arrays := range [][]jsonlist.Input{{file{"1", "[{\"a\":1}]"}, files[0]}, {files[0], file{"1", "[{\"a\":1}]"}}} {
		if _, err := jsonlist.Scan(arrays...); err == nil || !strings.Contains(err.Error(), several) {
			t.Errorf("error %v, want %s", err, several)
		}
	}
}

// A value is not bought that has no place in some object.
func TestColumnsWithoutAPlaceCannotBeFilled(t *testing.T) {
	for text, want := range map[string]string{
		"{\"c\":{\"e\":1}}\n{\"c\":\"x\"}\n":   `list:2: "c" is a single value here and an object elsewhere, so "c.e" cannot be filled; use another column, or none`,
		"{\"c\":{\"e\":1}}\n{\"c\":[1]}\n":     `list:2: "c" is an array here and an object elsewhere, so "c.e" cannot be filled`,
		"{\"c\":[1]}\n{\"c\":{\"e\":1}}\n":     `list:2: "c" is an object here and an array elsewhere, so "c[0]" cannot be filled`,
		"{\"c\":[]}\n{\"c\":{\"e\":null}}\n":   "",
		"{\"c\":null}\n{\"c\":{\"e\":null}}\n": "",
	} {
		f := file{"list", text}
		columns := scanColumns(t, f)
		column := max(indexOf(columns, "c.e"), 0)
		if strings.Contains(want, "c[0]") {
			column = indexOf(columns, "c[0]")
		}
		got, err := rewrite(t, change{filled: []int{column}, fills: func(int64) []table.Fill { return []table.Fill{{Column: column, Value: "v"}} }}, f)
		if want == "" && (err != nil || strings.Count(got, `{"c":{"e":"v"}}`) != 2) || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func scanColumns(t testing.TB, inputs ...jsonlist.Input) []string {
	return open(t, scan(t, inputs...), nil, inputs...).Schema().Columns
}

func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}
