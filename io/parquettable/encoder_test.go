package parquettable

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/enrich"
	"payonce/io/parquettable/parquettest"
	"payonce/io/table"
)

// encodeBatches encodes the batches of every row group, each of some parts, with an
// encoder, and returns the file.
func encodeBatches(t testing.TB, e *columnEncoder, groups [][][]*Cells) string {
	t.Helper()
	meta, err := emptyFooter(schema.FieldList{e.Node})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	o, err := newOutput(&out, &Footer{Meta: meta})
	if err != nil {
		t.Fatal(err)
	}
	for _, batches := range groups {
		for _, parts := range batches {
			if err := e.Encode(parts); err != nil {
				t.Fatal(err)
			}
		}
		c, err := e.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if err := o.AddGroup([]Chunk{c}); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	return save(t, out.Bytes())
}

// cellsFrom returns values as cells; an empty one is a null.
func cellsFrom(t rapid.TB, kind enrich.CellKind, values []string) *Cells {
	t.Helper()
	c := &Cells{Kind: kind}
	for _, value := range values {
		cell := cellOf(kind, value)
		c.Add(&cell)
	}
	return c
}

// drawValues draws the values of a part, of one of the ways in which columns differ.
func drawValues(t *rapid.T) []string {
	most := 60
	values := rapid.SampledFrom([]*rapid.Generator[string]{
		rapid.Just(""),
		rapid.Just("always the same"),
		rapid.SampledFrom([]string{"", "", "", "", "", "", "", "", "", "seldom"}),
		rapid.SampledFrom([]string{"", "not_attempted", "duplicate", "matched", "Zoë", "filled", "in_doubt"}),
		rapid.StringN(0, 8, -1),
		rapid.StringMatching(`[a-c]{0,3}`),
	}).Draw(t, "values")
	if rapid.IntRange(0, 29).Draw(t, "long ones") == 7 {
		values, most = rapid.SampledFrom([]string{strings.Repeat("long", 100_000), strings.Repeat("longer", 100_000), "short"}), 4
	}
	return rapid.SliceOfN(values, 0, most).Draw(t, "part")
}

// newTestEncoder returns an encoder of a column that values of a kind are appended to.
func newTestEncoder(t testing.TB, kind enrich.CellKind, l Encoding) *columnEncoder {
	t.Helper()
	encoders, err := newColumnEncoders([]table.Column{{Name: "c", Kind: kind}})
	if err != nil {
		t.Fatal(err)
	}
	encoders[0].Layout = l
	return encoders[0]
}

func TestEncodedTextsComeBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := Encoding{Codec: rapid.SampledFrom(parquettest.Codecs()).Draw(rt, "codec"), Dictionary: rapid.Bool().Draw(rt, "dictionary")}
		e := newTestEncoder(t, enrich.TextCell, l)
		var want []string
		var groups [][][]*Cells
		var wanted [][]string // of every row group
		for range rapid.IntRange(0, 3).Draw(rt, "row groups") {
			var batches [][]*Cells
			group := len(want)
			for range rapid.IntRange(0, 3).Draw(rt, "batches") {
				var parts []*Cells
				for range rapid.IntRange(0, 3).Draw(rt, "parts") {
					values := drawValues(rt)
					parts = append(parts, cellsFrom(rt, enrich.TextCell, values))
					want = append(want, values...)
				}
				batches = append(batches, parts)
			}
			groups = append(groups, batches)
			wanted = append(wanted, slices.Clone(want[group:]))
		}
		path := encodeBatches(t, e, groups)
		checkTexts(rt, t, path, want, l.Codec)
		for g, values := range wanted {
			checkSummary(rt, footerOf(t, path), g, values)
		}
	})
}

// checkTexts reads a column of texts with all three readers.
func checkTexts(rt *rapid.T, t *testing.T, path string, want []string, codec compress.Compression) {
	got, err := cellsOf(path, nil)
	if err != nil || len(got) != len(want) {
		rt.Fatalf("%d rows of %d, %v", len(got), len(want), err)
	}
	read, _ := records(t, path)
	if len(read) != len(want) {
		rt.Fatalf("%d records of %d", len(read), len(want))
	}
	for i, value := range want {
		cell, field := value, any(value)
		if value == "" {
			cell, field = "∅", nil
		}
		if got[i][0] != cell || read[i]["c"] != field {
			rt.Fatalf("row %d is %.50q and %.50q, want %.50q", i, got[i][0], read[i]["c"], cell)
		}
	}
	if codec == compress.Codecs.Lz4Raw || codec == compress.Codecs.Brotli || len(want) == 0 {
		return // the second library does not read these
	}
	for i, value := range secondOpinion(t, path, 0, len(want)) {
		if value == nil && want[i] != "" || value != nil && value != want[i] {
			rt.Fatalf("row %d is %.50q to the second library, want %.50q", i, value, want[i])
		}
	}
}

// checkSummary compares the statistics of a row group with its values.
func checkSummary(t *rapid.T, meta *metadata.FileMetaData, g int, values []string) {
	present := slices.DeleteFunc(slices.Clone(values), func(value string) bool { return value == "" })
	chunk := meta.RowGroups[g].Columns[0].MetaData
	if len(values) == 0 {
		if chunk.Statistics != nil {
			t.Fatalf("row group %d has no rows, and statistics", g)
		}
		return
	}
	stats := chunk.Statistics
	if *stats.NullCount != int64(len(values)-len(present)) || chunk.NumValues != int64(len(values)) {
		t.Fatalf("row group %d has %d nulls of %d to its statistics, want %d of %d", g, *stats.NullCount, chunk.NumValues, len(values)-len(present), len(values))
	}
	var least, most []byte
	if len(present) > 0 {
		least, most = []byte(slices.Min(present)), []byte(slices.Max(present))
	}
	for got, want := range map[*[]byte][]byte{&stats.MinValue: least, &stats.MaxValue: most} {
		if len(want) > 4096 {
			want = nil
		}
		if !bytes.Equal(*got, want) || (*got == nil) != (want == nil) {
			t.Fatalf("row group %d is from or to %.50q, want %.50q", g, *got, want)
		}
	}
}

func TestEncodedNumbersAndListsComeBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom([]enrich.CellKind{enrich.MoneyCell, enrich.TimestampCell, enrich.TextsCell}).Draw(rt, "kind")
		values := map[enrich.CellKind]*rapid.Generator[string]{
			enrich.MoneyCell:     rapid.SampledFrom([]string{"", "0.15", "-0.4", "12.000001", "999999999999"}),
			enrich.TimestampCell: rapid.SampledFrom([]string{"", "2026-02-03T04:05:06.5Z", "1815-12-10T00:00:00Z", "2026-02-03T04:05:06Z"}),
			enrich.TextsCell:     rapid.SampledFrom([]string{"", "a", "a b", "b a c a", "c", "a c", strings.Repeat("word ", 50) + "end"}),
		}[kind]
		var want []string
		var groups [][][]*Cells
		for range rapid.IntRange(1, 2).Draw(rt, "row groups") {
			var batches [][]*Cells
			for range rapid.IntRange(1, 2).Draw(rt, "batches") {
				part := rapid.SliceOfN(values, 0, 20).Draw(rt, "part")
				batches = append(batches, []*Cells{cellsFrom(rt, kind, part)})
				want = append(want, part...)
			}
			groups = append(groups, batches)
		}
		l := Encoding{Codec: compress.Codecs.Zstd, Dictionary: rapid.Bool().Draw(rt, "dictionary")}
		path := encodeBatches(t, newTestEncoder(t, kind, l), groups)
		read, _ := records(t, path)
		var got []string
		for _, row := range read {
			got = append(got, asTexts(row["c"]))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatal(diff)
		}
		checkElements(rt, t, path, kind, want)
	})
}

// asTexts returns a value of a record as it was handed to the encoder.
func asTexts(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case []any:
		var words []string
		for _, word := range value {
			words = append(words, word.(string))
		}
		return strings.Join(words, " ")
	case string:
		return strings.Replace(value, " ", "T", 1)
	}
	return fmt.Sprint(value)
}

// checkElements reads the values with the second library, which gives the elements of
// lists one by one.
func checkElements(rt *rapid.T, t *testing.T, path string, kind enrich.CellKind, values []string) {
	var want []any
	for _, value := range values {
		switch {
		case value == "":
			want = append(want, nil)
		case kind == enrich.TextsCell:
			for word := range strings.SplitSeq(value, " ") {
				want = append(want, word)
			}
		case kind == enrich.MoneyCell:
			micros, _ := new(big.Rat).SetString(value)
			want = append(want, micros.Mul(micros, big.NewRat(1_000_000, 1)).Num().Int64())
		default:
			at, err := time.Parse(time.RFC3339, value)
			if err != nil {
				rt.Fatal(err)
			}
			want = append(want, at.UnixMicro())
		}
	}
	if len(values) == 0 {
		return
	}
	if diff := cmp.Diff(want, secondOpinion(t, path, 0, len(values))); diff != "" {
		rt.Fatal(diff)
	}
}

// TestADictionaryThatBecomesTooLargeIsReplacedByPlainEncoding has a dictionary that is of use in the first
// batch, with nulls alone before it, and too many texts behind it.
func TestADictionaryThatBecomesTooLargeIsReplacedByPlainEncoding(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const few, many = 1000, 30_000
	text := func(i int) string { return fmt.Sprintf("%050d", i) }
	var want []string
	var batches [][]*Cells
	for _, batch := range []struct{ rows, texts int }{{few, 0}, {few, few / 4}, {3 * many, many}, {few, few / 4}} {
		values := make([]string, batch.rows)
		for i := range values {
			if batch.texts > 0 {
				values[i] = text(i % batch.texts)
			}
		}
		batches = append(batches, []*Cells{cellsFrom(t, enrich.TextCell, values)})
		want = append(want, values...)
	}
	e := newTestEncoder(t, enrich.TextCell, Encoding{Codec: compress.Codecs.Snappy, Dictionary: true})
	path := encodeBatches(t, e, [][][]*Cells{batches, batches[1:2]})
	want = append(want, want[few:2*few]...)
	for g, encodings := range [][]parquet.Encoding{
		{parquet.Encodings.RLEDict, parquet.Encodings.Plain, parquet.Encodings.RLE, parquet.Encodings.Plain},
		{parquet.Encodings.RLEDict, parquet.Encodings.Plain, parquet.Encodings.RLE},
	} {
		var got []parquet.Encoding
		for _, encoding := range footerOf(t, path).RowGroups[g].Columns[0].MetaData.Encodings {
			got = append(got, parquet.Encoding(encoding))
		}
		if !slices.Equal(got, encodings) {
			t.Errorf("row group %d is encoded with %v, want %v", g, got, encodings)
		}
	}
	got, err := cellsOf(path, nil)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d rows of %d, %v", len(got), len(want), err)
	}
	second := secondOpinion(t, path, 0, len(want))
	for i, value := range want {
		if value == "" && (got[i][0] != "∅" || second[i] != nil) || value != "" && (got[i][0] != value || second[i] != value) {
			t.Fatalf("row %d is %q and %q, want %q", i, got[i][0], second[i], value)
		}
	}
}

// TestTextsThatDoNotRepeatAreNotNumbered tells a column of keys from one of words.
func TestTextsThatDoNotRepeatAreNotNumbered(t *testing.T) {
	for texts, numbered := range map[int]bool{1: true, 100: true, 3_000: true, 20_000: false} {
		values := make([]string, 20_000)
		for i := range values {
			values[i] = fmt.Sprint(i * 7919 % texts)
		}
		e := newTestEncoder(t, enrich.TextCell, Encoding{Codec: compress.Codecs.Snappy, Dictionary: true})
		path := encodeBatches(t, e, [][][]*Cells{{{cellsFrom(t, enrich.TextCell, values)}}})
		if chunk := footerOf(t, path).RowGroups[0].Columns[0].MetaData; (chunk.DictionaryPageOffset != nil) != numbered {
			t.Errorf("%d texts: a dictionary at %v", texts, chunk.DictionaryPageOffset)
		}
	}
}

// TestARowOfAListLiesInOnePage has lists of almost half of a page each.
func TestARowOfAListLiesInOnePage(t *testing.T) {
	const words = pageSize / 2 * 9 / 10 / 8 // each behind its length of four bytes
	row := strings.TrimSpace(strings.Repeat("word ", words))
	e := newTestEncoder(t, enrich.TextsCell, Encoding{Codec: compress.Codecs.Snappy})
	path := encodeBatches(t, e, [][][]*Cells{{{cellsFrom(t, enrich.TextsCell, []string{row, row, "", row, row, row})}}})
	list, err := Open(path, []int{})
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	p := newPageReader(list.file, list.meta.Schema.Column(0))
	defer p.Close()
	if err := p.OpenChunk(list.meta, 0, 0); err != nil {
		t.Fatal(err)
	}
	var got []int
	for p.Next() {
		got = append(got, int(p.Page().NumValues()))
	}
	if want := []int{1 + 3*words, 2 * words}; !slices.Equal(got, want) || p.Err() != nil {
		t.Errorf("pages of %v cells, want %v; %v", got, want, p.Err())
	}
	if read, _ := records(t, path); len(read) != 6 || asTexts(read[5]["c"]) != row {
		t.Errorf("%d rows", len(read))
	}
}
