package parquettable

import (
	"encoding/binary"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/google/go-cmp/cmp"
)

// fixed makes values of a fixed length.
func fixed(values ...string) []parquet.FixedLenByteArray {
	list := make([]parquet.FixedLenByteArray, len(values))
	for i, value := range values {
		list[i] = parquet.FixedLenByteArray(value)
	}
	return list
}

func int96(at time.Time) parquet.Int96 {
	var value parquet.Int96
	midnight := at.Truncate(24 * time.Hour)
	value.SetNanoSeconds(at.Sub(midnight).Nanoseconds())
	binary.LittleEndian.PutUint32(value[8:], uint32(midnight.Unix()/86400+2440588))
	return value
}

func TestEveryTypeHasAText(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 70_000_000, time.UTC)
	before := time.Date(1969, 12, 31, 23, 59, 59, 999_000_000, time.UTC)
	half := func(value float32) string { return string(float16.New(value).ToLEBytes()) }
	none := schema.NoLogicalType{}
	for name, c := range map[string]struct {
		kind     schema.LogicalType
		physical parquet.Type
		length   int
		values   any
		want     []string
	}{
		"string":  {schema.StringLogicalType{}, parquet.Types.ByteArray, -1, texts("Zoë", "", "a\nb"), []string{"Zoë", "", "a\nb"}},
		"enum":    {schema.EnumLogicalType{}, parquet.Types.ByteArray, -1, texts("a"), []string{"a"}},
		"json":    {schema.JSONLogicalType{}, parquet.Types.ByteArray, -1, texts(`{"a":1}`), []string{`{"a":1}`}},
		"binary":  {none, parquet.Types.ByteArray, -1, texts("\x00\xff"), []string{"\x00\xff"}},
		"fixed":   {none, parquet.Types.FixedLenByteArray, 3, fixed("abc", "\x00\x01\x02"), []string{"abc", "\x00\x01\x02"}},
		"int32":   {none, parquet.Types.Int32, -1, []int32{-7, math.MaxInt32}, []string{"-7", "2147483647"}},
		"int64":   {none, parquet.Types.Int64, -1, []int64{15551234567, math.MinInt64}, []string{"15551234567", "-9223372036854775808"}},
		"uint32":  {schema.NewIntLogicalType(32, false), parquet.Types.Int32, -1, []int32{-1}, []string{"4294967295"}},
		"uint64":  {schema.NewIntLogicalType(64, false), parquet.Types.Int64, -1, []int64{-1}, []string{"18446744073709551615"}},
		"int8":    {schema.NewIntLogicalType(8, true), parquet.Types.Int32, -1, []int32{-128}, []string{"-128"}},
		"float":   {none, parquet.Types.Float, -1, []float32{0.1, -2}, []string{"0.1", "-2"}},
		"boolean": {none, parquet.Types.Boolean, -1, []bool{true, false}, []string{"true", "false"}},
		"double": {
			none, parquet.Types.Double, -1,
			[]float64{15551234567, 1e21, 1e-9, 0, math.NaN(), math.Inf(1), math.Inf(-1)},
			[]string{"15551234567", "1e+21", "1e-09", "0", "NaN", "Inf", "-Inf"},
		},
		"half":      {schema.Float16LogicalType{}, parquet.Types.FixedLenByteArray, 2, fixed(half(1.5)), []string{"1.5"}},
		"decimal32": {schema.NewDecimalLogicalType(9, 2), parquet.Types.Int32, -1, []int32{12345, -5, 0}, []string{"123.45", "-0.05", "0.00"}},
		"decimal64": {schema.NewDecimalLogicalType(18, 6), parquet.Types.Int64, -1, []int64{150000}, []string{"0.150000"}},
		"decimal":   {schema.NewDecimalLogicalType(4, 1), parquet.Types.ByteArray, -1, texts("\x01\x00", "\xff", ""), []string{"25.6", "-0.1", "0.0"}},
		"wide":      {schema.NewDecimalLogicalType(4, 0), parquet.Types.FixedLenByteArray, 2, fixed("\x01\x00", "\xff\xff"), []string{"256", "-1"}},
		"date":      {schema.DateLogicalType{}, parquet.Types.Int32, -1, []int32{0, -1, 20487}, []string{"1970-01-01", "1969-12-31", "2026-02-03"}},
		"time ms":   {schema.NewTimeLogicalType(true, schema.TimeUnitMillis), parquet.Types.Int32, -1, []int32{3_600_500}, []string{"01:00:00.5"}},
		"time ns":   {schema.NewTimeLogicalType(false, schema.TimeUnitNanos), parquet.Types.Int64, -1, []int64{1}, []string{"00:00:00.000000001"}},
		"instant": {
			schema.NewTimestampLogicalType(true, schema.TimeUnitMillis), parquet.Types.Int64, -1,
			[]int64{at.UnixMilli(), before.UnixMilli()},
			[]string{"2026-02-03T04:05:06.07Z", "1969-12-31T23:59:59.999Z"},
		},
		"local":    {schema.NewTimestampLogicalType(false, schema.TimeUnitMicros), parquet.Types.Int64, -1, []int64{at.UnixMicro()}, []string{"2026-02-03T04:05:06.07"}},
		"nanos":    {schema.NewTimestampLogicalType(true, schema.TimeUnitNanos), parquet.Types.Int64, -1, []int64{before.UnixNano()}, []string{"1969-12-31T23:59:59.999Z"}},
		"int96":    {none, parquet.Types.Int96, -1, []parquet.Int96{int96(at)}, []string{"2026-02-03T04:05:06.07"}},
		"uuid":     {schema.UUIDLogicalType{}, parquet.Types.FixedLenByteArray, 16, fixed("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"), []string{"00112233-4455-6677-8899-aabbccddeeff"}},
		"interval": {schema.IntervalLogicalType{}, parquet.Types.FixedLenByteArray, 12, fixed("\x01\x00\x00\x00\x02\x00\x00\x00\xac\x0d\x00\x00", string(make([]byte, 12))), []string{"P1M2DT3.5S", "PT0S"}},
	} {
		t.Run(name, func(t *testing.T) {
			levels := []int16{0}
			want := [][]string{{"∅"}}
			for _, cell := range c.want {
				levels = append(levels, 1)
				want = append(want, []string{cell})
			}
			s := sample{
				fields: schema.FieldList{logical(t, "c", c.kind, c.physical, c.length)},
				groups: [][]leaf{{{values: c.values, definition: levels}}},
			}
			got, err := cellsOf(save(t, s.write(t)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTextOfCellsAddsUpToManyRows(t *testing.T) {
	var values []int32
	levels := make([]int16, 0, 3*maxBlockRows)
	for i := range cap(levels) {
		levels = append(levels, int16(i%3%2))
		if i%3 == 1 {
			values = append(values, int32(i))
		}
	}
	s := sample{
		fields: schema.FieldList{logical(t, "c", schema.NoLogicalType{}, parquet.Types.Int32, -1)},
		groups: [][]leaf{{{values: values, definition: levels}}, {{values: values[:1], definition: []int16{1}}}},
	}
	got, err := cellsOf(save(t, s.write(t)), nil)
	if err != nil || len(got) != len(levels)+1 {
		t.Fatalf("%d rows: %v", len(got), err)
	}
	for i, cells := range got[:len(levels)] {
		want := "∅"
		if i%3 == 1 {
			want = strconv.Itoa(i)
		}
		if cells[0] != want {
			t.Fatalf("row %d is %s, not %s", i+1, cells[0], want)
		}
	}
}
