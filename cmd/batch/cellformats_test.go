package main

// This file reads outputs with other libraries than those that write them, as values of Go by the names of the columns.

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xitongsys/parquet-go/parquet"
	"github.com/xitongsys/parquet-go/reader"
	"github.com/xitongsys/parquet-go/source"
	"github.com/xuri/excelize/v2"
)

// What stands in cells that are no texts, numbers or lists of texts.
type (
	plainDay  string // a date
	localTime string // a date and time without a zone
	utcTime   string // a date and time in UTC
	typedRows []map[string]any
)

// readTyped reads a list or a table of any format.
func readTyped(t *testing.T, path string) typedRows {
	t.Helper()
	read := map[string]func(*testing.T, []byte) typedRows{
		".csv": readCSV, ".jsonl": readLines, ".parquet": readParquet, ".xlsx": readWorkbook,
	}[filepath.Ext(path)]
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, data)
}

// readCSV reads every cell as a text.
func readCSV(t *testing.T, data []byte) (rows typedRows) {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]any{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func readLines(t *testing.T, data []byte) (rows typedRows) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	for {
		row := map[string]any{}
		if err := decoder.Decode(&row); errors.Is(err, io.EOF) {
			return rows
		} else if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
}

// readWorkbook reads numbers as float64, and those with a format of dates as day.
func readWorkbook(t *testing.T, data []byte) (rows typedRows) {
	t.Helper()
	book, err := excelize.OpenReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	sheet := book.GetSheetList()[0]
	lines, err := book.GetRows(sheet, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines[1:] {
		row := map[string]any{}
		for at, name := range lines[0] {
			row[name] = ""
			if at < len(line) && line[at] != "" {
				row[name] = workbookValue(t, book, sheet, at+1, i+2, line[at])
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func workbookValue(t *testing.T, book *excelize.File, sheet string, column, line int, raw string) any {
	t.Helper()
	cell, err := excelize.CoordinatesToCellName(column, line)
	if err != nil {
		t.Fatal(err)
	}
	kind, err := book.GetCellType(sheet, cell)
	if err != nil {
		t.Fatal(err)
	}
	if kind == excelize.CellTypeInlineString || kind == excelize.CellTypeSharedString {
		return raw
	}
	serial, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		t.Fatalf("%s is %q, which is not a number", cell, raw)
	}
	id, err := book.GetCellStyle(sheet, cell)
	if err != nil {
		t.Fatal(err)
	}
	if style, err := book.GetStyle(id); err != nil || style.NumFmt == 0 {
		return serial
	}
	at, err := excelize.ExcelDateToTime(serial, false)
	if err != nil {
		t.Fatal(err)
	}
	return plainDay(at.Format(time.DateOnly))
}

// parquetBytes is a file as the library reads it.
type parquetBytes struct{ *bytes.Reader }

func (f parquetBytes) Open(string) (source.ParquetFile, error) {
	_, err := f.Seek(0, io.SeekStart)
	return f, err
}

func (parquetBytes) Create(string) (source.ParquetFile, error) { return nil, errors.ErrUnsupported }
func (parquetBytes) Write([]byte) (int, error)                 { return 0, errors.ErrUnsupported }
func (parquetBytes) Close() error                              { return nil }

func readParquet(t *testing.T, data []byte) typedRows {
	t.Helper()
	r, err := reader.NewParquetColumnReader(parquetBytes{bytes.NewReader(data)}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.ReadStop()
	rows := make(typedRows, r.GetNumRows())
	for i := range rows {
		rows[i] = map[string]any{}
	}
	for i, path := range r.SchemaHandler.ValueColumns {
		names := strings.Split(r.SchemaHandler.InPathToExPath[path], "\x01")
		element := r.SchemaHandler.SchemaElements[r.SchemaHandler.MapIndex[path]]
		highest, err := r.SchemaHandler.MaxDefinitionLevel(strings.Split(path, "\x01"))
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 {
			continue
		}
		values, repetition, definition, err := r.ReadColumnByIndex(int64(i), int64(len(rows)))
		if err != nil {
			t.Fatal(err)
		}
		isList, row := len(names) > 2, -1
		for at, value := range values {
			if repetition[at] == 0 {
				row++
			}
			switch {
			case !isList:
				rows[row][names[1]] = parquetValue(value, element)
			case definition[at] == highest:
				elements, _ := rows[row][names[1]].([]any)
				rows[row][names[1]] = append(elements, parquetValue(value, element))
			case definition[at] == highest-1:
				rows[row][names[1]] = []any{}
			default:
				rows[row][names[1]] = nil
			}
		}
	}
	return rows
}

// parquetValue returns a value as its logical type says.
func parquetValue(value any, element *parquet.SchemaElement) any {
	switch {
	case value == nil || element.LogicalType == nil:
		return value
	case element.LogicalType.DATE != nil:
		return plainDay(time.Unix(int64(value.(int32))*24*60*60, 0).UTC().Format(time.DateOnly))
	case element.LogicalType.TIMESTAMP != nil:
		at := time.UnixMicro(value.(int64)).UTC()
		if element.LogicalType.TIMESTAMP.IsAdjustedToUTC {
			return utcTime(at.Format(time.RFC3339Nano))
		}
		return localTime(at.Format("2006-01-02T15:04:05"))
	}
	return value
}

// kind is the type of a member, as the specification has it.
type memberKind int

const (
	textMember memberKind = iota
	integerMember
	numberMember
	flagMember
	dateMember
	dateTimeMember
	timestampMember
	listMember  // of texts, or of anything as JSON
	plainMember // as JSON
)

// wanted returns what a cell of a format has to be for a member of the service's JSON.
func wanted(t *testing.T, format string, of memberKind, raw json.RawMessage) any {
	t.Helper()
	isText := format == ".csv" || format == ".xlsx"
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		if isText {
			return ""
		}
		return nil
	}
	literal := string(raw)
	var unquoted string
	if json.Unmarshal(raw, &unquoted) == nil {
		literal = unquoted
	}
	var value any = literal
	var err error
	switch of {
	case integerMember:
		value, err = strconv.ParseInt(literal, 10, 64)
	case numberMember:
		value, err = strconv.ParseFloat(literal, 64)
	case flagMember:
		value, err = strconv.ParseBool(literal)
	case timestampMember:
		var at time.Time
		at, err = time.Parse(time.RFC3339, literal)
		literal = at.UTC().Format(time.RFC3339Nano)
		value = utcTime(literal)
	case dateMember:
		value = plainDay(literal)
	case dateTimeMember:
		value = localTime(literal)
	case listMember:
		return wantedList(t, isText, raw)
	case plainMember:
		value = compacted(t, raw)
	}
	if err != nil {
		t.Fatal(err)
	}
	return cellOf(format, literal, value)
}

// cellOf returns how a format shows a value.
func cellOf(format, literal string, value any) any {
	n, isInteger := value.(int64)
	f, isFraction := value.(float64)
	if isInteger {
		f = float64(n)
	}
	_, isDay := value.(plainDay)
	switch isNumber := isInteger || isFraction; {
	case format == ".parquet":
		return value
	case format == ".csv" && isFraction:
		return strconv.FormatFloat(f, 'f', -1, 64)
	case format == ".csv" && !isNumber:
		if shown, is := value.(string); is {
			return shown
		}
		return literal
	case format == ".csv":
		return literal
	case isNumber && format == ".jsonl":
		return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
	case isNumber:
		return f
	case isDay && format == ".xlsx":
		return value
	}
	return literal
}

// wantedList returns a list, as a text where the format has no lists.
func wantedList(t *testing.T, isText bool, raw json.RawMessage) any {
	t.Helper()
	var elements []json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil {
		t.Fatal(err)
	}
	texts, values := []string{}, []any{}
	for _, element := range elements {
		var one string
		if json.Unmarshal(element, &one) != nil {
			one = compacted(t, element)
		}
		texts, values = append(texts, one), append(values, one)
	}
	switch {
	case !isText:
		return values
	case len(texts) == 1:
		return texts[0]
	}
	encoded, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func compacted(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// describe names a value with its type, for errors.
func describe(value any) string { return fmt.Sprintf("%T %v", value, value) }
