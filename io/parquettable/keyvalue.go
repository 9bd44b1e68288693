package parquettable

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"payonce/enrich"
	"payonce/io/table"
)

// Keys of the schemas that Arrow and Spark store beside the schema of the file. These programs read
// columns by their own schema, so appended columns are added to it.
const (
	arrowSchema = "ARROW:schema"
	sparkSchema = "org.apache.spark.sql.parquet.row.metadata"
)

// withColumns returns the value of a key of the file's metadata with the appended columns. A value
// that cannot be read stays the same.
func withColumns(key, value string, columns []table.Column) string {
	switch key {
	case arrowSchema:
		return withArrowColumns(value, columns)
	case sparkSchema:
		return withSparkColumns(value, columns)
	}
	return value
}

func withArrowColumns(value string, columns []table.Column) (changed string) {
	defer func() {
		if recover() != nil { // the library panics when it cannot read the schema
			changed = value
		}
	}()
	encoding := base64.StdEncoding
	if len(value)%4 != 0 {
		encoding = base64.RawStdEncoding
	}
	data, err := encoding.DecodeString(value)
	if err != nil || !soundSchema(message(data)) {
		return value
	}
	stream, err := ipc.NewReader(bytes.NewReader(data))
	if err != nil {
		return value
	}
	defer stream.Release()
	fields, metadata := stream.Schema().Fields(), stream.Schema().Metadata()
	for _, c := range columns {
		fields = append(fields, arrow.Field{Name: c.Name, Type: arrowType(c.Kind), Nullable: true})
	}
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(arrow.NewSchema(fields, &metadata)))
	if err := w.Close(); err != nil {
		return value
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// message returns the message at the start of data, without the prefix that has its length. It
// returns nil when data is shorter than the message.
func message(data []byte) []byte {
	const marker = 0xffffffff // before the length, in all but the oldest files
	if len(data) >= 4 && binary.LittleEndian.Uint32(data) == marker {
		data = data[4:]
	}
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return nil
	}
	return data[4 : 4+binary.LittleEndian.Uint32(data)]
}

func arrowType(kind enrich.CellKind) arrow.DataType {
	switch kind {
	case enrich.MoneyCell:
		return &arrow.Decimal128Type{Precision: moneyDigits, Scale: moneyDecimals}
	case enrich.TimestampCell:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	case enrich.DateTimeCell:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case enrich.TextsCell:
		return arrow.ListOfField(arrow.Field{Name: "element", Type: arrow.BinaryTypes.String})
	case enrich.IntegerCell:
		return arrow.PrimitiveTypes.Int64
	case enrich.NumberCell:
		return arrow.PrimitiveTypes.Float64
	case enrich.FlagCell:
		return arrow.FixedWidthTypes.Boolean
	case enrich.DateCell:
		return arrow.FixedWidthTypes.Date32
	}
	return arrow.BinaryTypes.String
}

func withSparkColumns(value string, columns []table.Column) string {
	var schema map[string]json.RawMessage
	var fields []json.RawMessage
	if json.Unmarshal([]byte(value), &schema) != nil || json.Unmarshal(schema["fields"], &fields) != nil {
		return value
	}
	for _, c := range columns {
		field, err := json.Marshal(map[string]any{
			"name": c.Name, "type": sparkType(c.Kind), "nullable": true, "metadata": struct{}{},
		})
		if err != nil {
			return value
		}
		fields = append(fields, field)
	}
	var err error
	if schema["fields"], err = json.Marshal(fields); err != nil {
		return value
	}
	changed, err := json.Marshal(schema)
	if err != nil {
		return value
	}
	return string(changed)
}

func sparkType(kind enrich.CellKind) any {
	switch kind {
	case enrich.MoneyCell:
		return "decimal(18,6)"
	case enrich.TimestampCell:
		return "timestamp"
	case enrich.DateTimeCell:
		return "timestamp_ntz"
	case enrich.TextsCell:
		return map[string]any{"type": "array", "elementType": "string", "containsNull": false}
	case enrich.IntegerCell:
		return "long"
	case enrich.NumberCell:
		return "double"
	case enrich.FlagCell:
		return "boolean"
	case enrich.DateCell:
		return "date"
	}
	return "string"
}
