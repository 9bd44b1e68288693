package service

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// documents have every kind of value, escape and white space, and what is none.
func documents() []string {
	return []string{
		`{}`, `[]`, " [ ] ", `{"a":1}`,
		"\t{ \"a\" :\n[ 1 ,2.5, -0 ,1e3, 1E-3, 0.0e+1 ]\r} ", `[true,false,null,"",[],{}]`, `["\"\\\/\b\f\n\r\t\u00e9\uD800"]`,
		`[01]`, `[1.]`, `[.5]`, `[-]`, `[1e]`, `[+1]`, `["\x"]`,
		`["\u12g4"]`, `["\u123"]`, "[\"\x01\"]", `[tru]`, `[nul]`, `[truefalse]`, `[1 2]`, `[1,]`, `[,1]`,
		`{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{1:1}`, `{"a":1]`, `[1}`, `[`, `{`,
		`["`, `["\`, ``, ` `, "\x00", "[]\x00", "[1]\x00[2]", `[]x`, `[] []`, `null`, `7`, `"a"`,
		"[\"\xff\"]", `["é"]`, "\xef\xbb\xbf[]", `{"a":{"b":{"c":[{}]}},"a":[]}`,
	}
}

// TestSplittingEqualsJSONText changes documents at random places, and compares what is found in them with jsontext.
func TestSplittingEqualsJSONText(t *testing.T) {
	for _, document := range documents() {
		compareWithJSONText(t, []byte(document))
	}
	characters := []byte(`{}[]",:\/ut0123456789.eE+-nrfalse ` + "\n\x00\x1f\x80\xff")
	rapid.Check(t, func(t *rapid.T) {
		document := []byte(rapid.SampledFrom(documents()).Draw(t, "document") + rapid.SampledFrom(documents()).Draw(t, "another"))
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(document)).Draw(t, "at")
			end := min(len(document), at+rapid.IntRange(0, 3).Draw(t, "left out"))
			put := rapid.SliceOfN(rapid.SampledFrom(characters), 0, 3).Draw(t, "put")
			document = slices.Concat(document[:at], put, document[end:])
		}
		compareWithJSONText(t, document)
	})
}

// FuzzSplit is TestSplittingEqualsJSONText for other texts.
func FuzzSplit(f *testing.F) {
	for _, document := range documents() {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, document []byte) { compareWithJSONText(t, document) })
}

// TestValuesThatLieDeep has documents as deep as jsontext takes them, and deeper.
func TestValuesThatLieDeep(t *testing.T) {
	for depth := deepestValue - 2; depth <= deepestValue+2; depth++ {
		compareWithJSONText(t, []byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)))
		compareWithJSONText(t, []byte(strings.Repeat(`{"":`, depth)+"1"+strings.Repeat("}", depth)))
	}
}

// compareWithJSONText compares whether a document is an object or an array, and what it has.
func compareWithJSONText(t interface {
	Helper()
	Errorf(format string, args ...any)
}, document []byte,
) {
	t.Helper()
	var want, got []string
	err := eachValue(document, func(name, _, value []byte) { want = append(want, string(name)+":"+string(value)) })
	isObject := strings.HasPrefix(strings.TrimLeft(string(document), " \t\r\n"), "{")
	ok := false
	if isObject {
		ok = EachMember(document, func(name, value []byte) bool {
			got = append(got, string(name)+":"+string(value))
			return true
		})
	} else {
		ok = EachElement(document, func(value []byte) bool {
			got = append(got, ":"+string(value))
			return true
		})
	}
	if ok != (err == nil) || ok && !slices.Equal(got, want) {
		t.Errorf("%.200q is whole: %t, with %.200q; jsontext: %v, with %.200q", document, ok, got, err, want)
	}
}

// TestSplittingEndsWithTheVisit has text that is no JSON behind the value for which a visit ends it.
func TestSplittingEndsWithTheVisit(t *testing.T) {
	seen := 0
	if !EachElement([]byte(`[1,2,x`), func([]byte) bool { seen++; return seen < 2 }) || seen != 2 {
		t.Errorf("%d elements were visited", seen)
	}
}

// BenchmarkEachMember goes through figures of three years. The peer is jsontext, which makes sure of the same.
func BenchmarkEachMember(b *testing.B) {
	var document bytes.Buffer
	document.WriteByte('{')
	for year := range 3 {
		fmt.Fprintf(&document, `"%d":{"Currency":"EUR"`, 2020+year)
		for figure := range 250 {
			fmt.Fprintf(&document, `,"Some-Figure-%d":%d.25`, figure, figure*7919)
		}
		document.WriteString("},")
	}
	document.Truncate(document.Len() - 1)
	document.WriteByte('}')
	if !json.Valid(document.Bytes()) {
		b.Fatal("no JSON")
	}
	b.Run("split", func(b *testing.B) {
		b.SetBytes(int64(document.Len()))
		for b.Loop() {
			EachMember(document.Bytes(), func(_, year []byte) bool {
				return EachMember(year, func(_, _ []byte) bool { return true })
			})
		}
	})
	b.Run("jsontext", func(b *testing.B) {
		b.SetBytes(int64(document.Len()))
		for b.Loop() {
			_ = eachValue(document.Bytes(), func(_, _, year []byte) {
				_ = eachValue(jsontext.Value(year), func(_, _, _ []byte) {})
			})
		}
	})
}
