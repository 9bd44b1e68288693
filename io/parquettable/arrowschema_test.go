package parquettable

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	flatbuffers "github.com/google/flatbuffers/go"

	"payonce/io/parquettable/parquettest"
)

// TestDamagedArrowSchemasTakeLittleMemory changes every bit of one: what it then claims to hold would
// take more memory than there is.
func TestDamagedArrowSchemasTakeLittleMemory(t *testing.T) {
	word := arrow.Field{Name: "word", Type: arrow.BinaryTypes.String, Metadata: arrow.NewMetadata([]string{"key"}, []string{"value"})}
	data := parquettest.ArrowSchema(t, word, arrow.Field{Name: "list", Type: arrow.ListOf(arrow.StructOf(word))},
		arrow.Field{Name: "code", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.LargeString}},
		arrow.Field{Name: "union", Type: arrow.DenseUnionOf([]arrow.Field{word}, []int8{5})})
	whole := base64.StdEncoding.EncodeToString(data)
	if withColumns(arrowSchema, whole, appended()) == whole {
		t.Error("a schema that can be read does not get the appended columns")
	}
	least := parquettest.LeastAllocated(func() { withColumns(arrowSchema, whole, appended()) })
	for at := range data {
		for bit := range 8 {
			wrong := bytes.Clone(data)
			wrong[at] ^= 1 << bit
			value := base64.StdEncoding.EncodeToString(wrong)
			if size := parquettest.LeastAllocated(func() { withColumns(arrowSchema, value, appended()) }); size > 2*least {
				t.Fatalf("bit %d of byte %d changed: %d bytes are taken, %d for the sound schema", bit, at, size, least)
			}
		}
	}
}

func TestArrowSchemasNestedTooDeepAreRefused(t *testing.T) {
	deep := arrow.DataType(arrow.BinaryTypes.String)
	for range MaxDepth + 1 {
		deep = arrow.ListOf(deep)
	}
	if soundSchema(message(parquettest.ArrowSchema(t, arrow.Field{Name: "deep", Type: deep}))) {
		t.Error("a deep schema is taken for sound")
	}
}

// TestArrowSchemasThatExpandTooMuchAreRefused has columns that are all the same one: a small
// message would become a large schema.
func TestArrowSchemasThatExpandTooMuchAreRefused(t *testing.T) {
	long := strings.Repeat("long", 1000)
	text := arrow.BinaryTypes.String
	for name, first := range map[string]arrow.Field{
		"name":  {Name: long, Type: text},
		"key":   {Type: text, Metadata: arrow.NewMetadata([]string{long}, []string{""})},
		"value": {Type: text, Metadata: arrow.NewMetadata([]string{""}, []string{long})},
	} {
		data := message(parquettest.ArrowSchema(t, first, arrow.Field{Type: text}, arrow.Field{Type: text}, arrow.Field{Type: text}))
		if !soundSchema(data) {
			t.Fatalf("a long %s is taken for damage", name)
		}
		message := flatbuffers.Table{Bytes: data, Pos: flatbuffers.GetUOffsetT(data)}
		var schema flatbuffers.Table
		message.Union(&schema, flatbuffers.UOffsetT(message.Offset(messageHeader)))
		columns := flatbuffers.UOffsetT(schema.Offset(schemaFields))
		at := schema.Vector(columns)
		for i := 1; i < schema.VectorLen(columns); i++ { // refers to the first one
			place := at + flatbuffers.UOffsetT(4*i)
			flatbuffers.WriteUOffsetT(data[place:], schema.Indirect(at)-place)
		}
		if soundSchema(data) {
			t.Errorf("a column with a long %s that comes four times is taken for sound", name)
		}
	}
}

func TestArrowSchemasHaveNoBody(t *testing.T) {
	for body, sound := range map[byte]bool{0: true, 1: false} {
		data := []byte{
			20, 0, 0, 0, // where the message is
			12, 0, 16, 0, 0, 0, 0, 0, 4, 0, 8, 0, 0, 0, 0, 0, // its header and its body's length
			16, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, body, 0, 0, 0,
			0xfc, 0xff, 0xff, 0xff, 4, 0, 4, 0, // a schema with nothing in it
		}
		if got := soundSchema(data); got != sound {
			t.Errorf("a message with a body of %d is sound: %t", body, got)
		}
	}
}
