package jsonlist_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"payonce/enrich"
	"payonce/io/jsonlist"
	"payonce/io/table"
)

func seeds() []string {
	return []string{
		"{\"b\":1.0,\"a\":\"\\u00e9\\/\"}\n{ \"a\" : null }\r\n\n \t\n{\"x\":[ 1 , {} ]}", "\ufeff\n{\"a\":1}\n\n",
		" [ {\"a\":1E+2} ,\n\n {\"b\":[[2],{\"c\":\"\\ud83d\\ude00\"}]}\t] \n", "[{},{\"\":0}]", "[{\n\"a\":{\"b\":{}}}]",
		"{\"a\":{\"b\":[]}}\n{\"a\":{\"b\":[\"x\"]},\"a.b[0]\":true}\n", "{\"a\":1}\n{\"a\":\"x", "[{\"a\":1},]", "{\"a\":1,\"a\":2}",
		"\xff\xfe{\x00", "{\"a\":\"\xff\"}", "{\"a\":[],\"b\":null}\n{\"a\":{\"c\":1}}", "[", "[]", "{", "", "[{\"a\":1}] x", "{}\n{}", "{\"\\u0000\":\"\\n\"}",
	}
}

// FuzzRoundTrip checks for any bytes: what is refused has a place and a hint. What is read goes out as it came
// in, has the values that encoding/json reads, and is the same list in the other form.
func FuzzRoundTrip(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list := file{"list", string(data)}
		layout, err := jsonlist.Scan(list)
		if err != nil {
			wrong, ok := errors.AsType[*table.Error](err)
			if !ok || wrong.Hint == "" || wrong.Line > int64(1+bytes.Count(data, []byte("\n"))) {
				t.Errorf("%#v", err)
			}
			return
		}
		array := open(t, layout, nil, list).IsArray()
		if copied, err := rewrite(t, change{array: array}, list); err != nil || copied != list.text {
			t.Errorf("%q came back as %q, %v", list.text, copied, err)
		}
		read, _ := cells(t, list)
		compareWithOracle(t, list.text, array, read)
		moved, err := rewrite(t, change{array: !array}, list)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := cells(t, file{"moved", moved})
		if len(again) != len(read) || len(again[0]) != len(read[0]) {
			t.Errorf("%q became %q", list.text, moved)
		}
	})
}

// compareWithOracle compares single values at the top of the objects with those of encoding/json.
func compareWithOracle(t *testing.T, text string, array bool, read [][]string) {
	t.Helper()
	text = strings.TrimPrefix(text, "\ufeff")
	var objects []map[string]any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if array {
		if err := decoder.Decode(&objects); err != nil {
			return // it is nested too deeply for encoding/json, or the like
		}
	} else {
		for decoder.More() {
			var object map[string]any
			if err := decoder.Decode(&object); err != nil {
				return
			}
			objects = append(objects, object)
		}
	}
	if len(objects) != len(read)-1 {
		t.Fatalf("%d rows, encoding/json reads %d", len(read)-1, len(objects))
	}
	for i, object := range objects {
		for c, name := range read[0] {
			if strings.ContainsAny(name, ".[") {
				continue
			}
			got := read[i+1][c]
			switch value := object[name].(type) {
			case string:
				if got != value {
					t.Errorf("row %d: %q is %q, encoding/json reads %q", i+1, name, got, value)
				}
			case json.Number:
				if got != string(value) {
					t.Errorf("row %d: %q is %q, encoding/json reads %q", i+1, name, got, value)
				}
			case nil:
				if got != "" {
					t.Errorf("row %d: %q is %q, encoding/json reads nothing", i+1, name, got)
				}
			}
		}
	}
}

// FuzzFill fills a column of any list and appends a member. The list stays a list with the value in its place, and
// with all cells that are not around it.
func FuzzFill(f *testing.F) {
	for i, seed := range seeds() {
		f.Add([]byte(seed), uint8(i), "x")
		f.Add([]byte(seed), uint8(1), "\"\\\n")
	}
	f.Fuzz(func(t *testing.T, data []byte, which uint8, value string) {
		list := file{"list", string(data)}
		if _, err := jsonlist.Scan(list); err != nil || value == "" || !utf8.ValidString(value) {
			return
		}
		before, _ := cells(t, list)
		if len(before) == 1 {
			return
		}
		column := int(which) % len(before[0])
		path := before[0][column]
		out, err := rewrite(t, change{
			array: which >= 128, filled: []int{column}, appended: []table.Column{{Name: "added"}}, values: []enrich.Cell{enrich.TextOf(value)},
			fills: func(int64) []table.Fill { return []table.Fill{{Column: column, Value: value}} },
		}, list)
		if err != nil {
			if _, ok := errors.AsType[*table.Error](err); !ok {
				t.Error(err)
			}
			return
		}
		after, _ := cells(t, file{"out", out})
		if len(after) != len(before) {
			t.Fatalf("%q became %q", list.text, out)
		}
		for i := 1; i < len(before); i++ {
			if got := after[i][indexOf(after[0], path)]; got != value {
				t.Errorf("row %d of %q: %s is %q", i, out, path, got)
			}
			for c, other := range before[0] {
				at := indexOf(after[0], other)
				around := strings.HasPrefix(path, other) || strings.HasPrefix(other, path)
				if !around && before[i][c] != "" && (at < 0 || after[i][at] != before[i][c]) {
					t.Errorf("row %d of %q: %s is not %q any more", i, out, other, before[i][c])
				}
			}
		}
	})
}
