package parquettable

import (
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"payonce/io/table"
)

// checkLayout checks the row groups and column chunks of a footer against each other and against
// end, the number of bytes before the footer.
func checkLayout(meta *metadata.FileMetaData, name string, end int64) error {
	if meta.IsSetEncryptionAlgorithm() {
		return encrypted(name)
	}
	var rows, size int64
	for g, group := range meta.RowGroups {
		if group == nil || group.NumRows < 0 || group.NumRows > math.MaxInt64-rows {
			return damagef("row group %d has an impossible number of rows", g)
		}
		rows += group.NumRows
		if len(group.Columns) != meta.Schema.NumColumns() {
			return damagef("row group %d has %d column chunks for %d columns",
				g, len(group.Columns), meta.Schema.NumColumns())
		}
		for leaf := range group.Columns {
			length, err := checkChunk(meta, name, g, leaf, end)
			if err != nil {
				return err
			}
			// Chunks do not overlap, so together they are not larger than the file.
			if size += length; size > end {
				return damagef("its column chunks claim more bytes than the file has")
			}
		}
	}
	if rows != meta.NumRows {
		return damagef("its row groups have %d rows; the footer says %d", rows, meta.NumRows)
	}
	return nil
}

// checkChunk checks one column chunk and returns its length in bytes.
func checkChunk(meta *metadata.FileMetaData, name string, g, leaf int, end int64) (int64, error) {
	chunk := meta.RowGroups[g].Columns[leaf]
	descriptor := meta.Schema.Column(leaf)
	switch {
	case chunk == nil:
		return 0, damagef("row group %d lacks column %s", g, descriptor.Path())
	case chunk.CryptoMetadata != nil || len(chunk.EncryptedColumnMetadata) > 0:
		return 0, encrypted(name)
	case chunk.FilePath != nil && *chunk.FilePath != "":
		reason := "the data of column " + descriptor.Path() + " is in another file"
		return 0, &table.Error{File: name, Reason: reason, Hint: "write the list as one file"}
	case chunk.MetaData == nil:
		return 0, damagef("row group %d does not describe column %s", g, descriptor.Path())
	}
	data := chunk.MetaData
	start, length := chunkStart(data.DictionaryPageOffset, data.DataPageOffset), data.TotalCompressedSize
	outside := length > 0 && (start < int64(len(magic)) || start > end || length > end-start)
	rows := meta.RowGroups[g].NumRows
	flat := descriptor.MaxRepetitionLevel() == 0
	switch {
	case parquet.Type(data.Type) != descriptor.PhysicalType():
		return 0, damagef("column %s has another type in row group %d", descriptor.Path(), g)
	case length < 0, data.TotalUncompressedSize < 0, outside:
		return 0, damagef("column %s of row group %d claims to lie outside the file", descriptor.Path(), g)
	case data.NumValues < 0 || flat && data.NumValues != rows:
		return 0, damagef("column %s has %d values for %d rows of row group %d",
			descriptor.Path(), data.NumValues, rows, g)
	}
	return length, nil
}

// chunkStart returns where a column chunk starts: at its dictionary, or at its data when it has no
// dictionary. Some writers give a chunk without a dictionary the offset 0.
func chunkStart(dictionary *int64, data int64) int64 {
	if dictionary != nil && *dictionary > 0 && (*dictionary < data || data == 0) {
		return *dictionary
	}
	return data
}
