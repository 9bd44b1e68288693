package parquettable_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/io/parquettable"
	"payonce/io/table"
)

// TestEncoderGivesColumnsDistinctNames writes lists in which several columns have one name.
func TestEncoderGivesColumnsDistinctNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ list, want []string }{
		{[]string{"a", "b"}, []string{"a", "b", "new"}},
		{[]string{"a", "a", "a"}, []string{"a", "a_2", "a_3", "new"}},
		{[]string{"a", "a", "a_2"}, []string{"a", "a_3", "a_2", "new"}},
		{[]string{"a_2", "a", "a", "A"}, []string{"a_2", "a", "a_3", "A", "new"}},
		{[]string{"", ""}, []string{"", "_2", "new"}},
	} {
		path := filepath.Join(t.TempDir(), "out.parquet")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		writer, err := parquettable.NewEncoder(file, table.Schema{Columns: test.list}, []table.Column{{Name: "new"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(writer.Close(), file.Close()); err != nil {
			t.Fatal(err)
		}
		reader, err := parquettable.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, reader.Schema().Columns); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.list, diff)
		}
		if _, err := reader.Next(); err != io.EOF {
			t.Error(err)
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatIsNotSupportedSaysWhatToDo words files that other programs may write.
func TestWhatIsNotSupportedSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want string
	}{
		{parquettable.UnsupportedCompression("LZ4"), "a.parquet: the compression LZ4 is not supported; export the list with the compression zstd, snappy or gzip"},
		{parquettable.UnsupportedType("<UNSET>"), "a.parquet: columns of type <UNSET> are not supported; export the list without the column, or as CSV"},
	} {
		if got := parquettable.InFile("a.parquet", test.err).Error(); got != test.want {
			t.Errorf("%s\nnot %s", got, test.want)
		}
	}
}
