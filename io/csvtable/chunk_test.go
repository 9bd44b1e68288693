package csvtable_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"payonce/io/csvtable"
	"payonce/io/table"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inChunks opens a list that is read in chunks of size bytes.
func inChunks(t fataler, list string, size int) *csvtable.Reader {
	t.Helper()
	r, err := csvtable.NewReader(strings.NewReader(list), "list.csv", csvtable.Options{})
	if err != nil {
		t.Fatalf("%q: %v", list, err)
	}
	csvtable.SetChunkSize(r, size)
	return r
}

// fataler is what tests and properties have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// seen is all that a row shows.
type seen struct {
	Number, Line int64
	Cells        []string
}

// see returns the rows of a list and the error that ends it, and closes it.
func see(r table.Reader) (rows []seen, err error) {
	width := len(r.Schema().Columns)
	err = eachRow(r, func(row table.Row) error {
		rows = append(rows, seen{row.Number(), row.Line(), values(row, width)})
		return nil
	})
	return rows, errors.Join(err, r.Close())
}

// awkward are lists of which every byte is where a chunk could end.
func awkward() []string {
	return []string{
		"a,b\n1,\"x\"\"y\n\n\",\n\n2,z\r\n\r\n\r\n\"\r\n\",\"\"\n3\r4,\r\r\n5\",6\n",
		"a;b\r\n\"1;\";\",\"\"\";\"\r\n;\r\n\r\n\"\n\";\"\n\"\r\n7;8\r",
		"a\tb\n\"\t\"\t\"\"\"\"\n\n\n\n\n\n\n\n\"\"\t\"\n\n\n\"\n1\t2",
		"name\n\"\"\n\n\"\n\"\n\r\nx\"\n\"\"\"\n\"\"\"\n\"\r\n\"\n",
		"a,b\n" + strings.Repeat("\"l\nm\",\"n\no\"\n", 20) + "x,\"" + strings.Repeat("y\n", 70) + "\"\nz,z\n",
		"a,b\n1,2\n3\n4,5\n",
		"a,b\n1,2\n\"3\" x,4\n\"5,6\n",
		"a,b\n1,\"2\n3\",4\n5,\"6\n7,8\n",
		"a,b\n1,\"2\n3\"\n4,\"5\n\x00\"\n\"6\n",
	}
}

func TestChunksOfAllSizes(t *testing.T) {
	for i, list := range awkward() {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			want, wantErr := see(newReader(t, list))
			for size := 1; size <= len(list)+1; size++ {
				got, err := see(inChunks(t, list, size))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("rows (-at once +in chunks of %d):\n%s", size, diff)
				}
				if diff := cmp.Diff(fmt.Sprint(wantErr), fmt.Sprint(err)); diff != "" {
					t.Fatalf("error (-at once +in chunks of %d):\n%s", size, diff)
				}
			}
		})
	}
}

// A chunk is first read as if it began outside quotes, or inside, whichever its first
// quote makes likelier. These make it wrong.
func TestChunksWithMisleadingQuotesAreReadCorrectly(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	for name, row := range map[string]string{
		"looks closed":  "5\",6\" disk\"\n",
		"looks opened":  "\"a,\",\"\n,\"\n",
		"no quote":      "\"" + strings.Repeat("text, text\n", 30) + "\",x\n",
		"only quotes":   "\"\"\"\"\"\"\"\",\"\"\"\n\"\"\"\n",
		"quoted quotes": "\"\n\"\",\"\"\n\",\"\n\"\"\n\"\"\n\"\n",
	} {
		list := "a,b\n" + strings.Repeat(row, 50)
		want, err := see(newReader(t, list))
		if err != nil || len(want) != 50 {
			t.Fatalf("%s: %d rows, %v", name, len(want), err)
		}
		for size := 1; size < 3*len(row); size++ {
			got, err := see(inChunks(t, list, size))
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Fatalf("%s: in chunks of %d: %v, rows (-want +got):\n%s", name, size, err, diff)
			}
		}
	}
}

func TestAnyChunking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawList(t)
		size := rapid.IntRange(1, 80).Draw(t, "chunk size")
		got, err := readAll(inChunks(t, list.String(), size))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list.values(), got); diff != "" {
			t.Fatalf("cells (-want +got):\n%s", diff)
		}
		var out bytes.Buffer
		r := inChunks(t, list.String(), size)
		w := csvtable.NewWriter(&out, r, nil)
		err = sideBySide(r, w, func(block table.Block, part table.Part) error {
			return block.Each(func(row table.Row) error { return part.WriteRow(row, nil, nil) })
		})
		if err := errors.Join(err, w.Close(), r.Close()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list.String(), out.String()); diff != "" {
			t.Fatalf("list (-want +got):\n%s", diff)
		}
	})
}

// sideBySide has several blocks visited at the same time, each with a part of w, which
// may be nil, and writes the parts in order.
func sideBySide(r table.Reader, w table.Writer, visit func(table.Block, table.Part) error) error {
	type work struct {
		block table.Block
		part  table.Part
		done  chan error
	}
	var running sync.WaitGroup
	defer running.Wait()
	ordered := make(chan work, 2*runtime.GOMAXPROCS(0))
	var readErr error
	running.Go(func() {
		defer close(ordered)
		for {
			block, err := r.Next()
			if err != nil {
				readErr = err
				return
			}
			one := work{block: block, done: make(chan error, 1)}
			if w != nil {
				one.part = w.Part(block)
			}
			running.Go(func() { one.done <- visit(one.block, one.part) })
			ordered <- one
		}
	})
	var err error
	for one := range ordered {
		err = errors.Join(err, <-one.done)
		if w != nil {
			err = errors.Join(err, w.Write(one.part))
		}
		one.block.Release()
	}
	if readErr != io.EOF {
		err = errors.Join(err, readErr)
	}
	return err
}

// Blocks that are held stay as they are while others are read.
func TestHeldBlocksStayUnchanged(t *testing.T) {
	r := inChunks(t, "a\n"+strings.Repeat("\"x\ny\"\nz\n", 1000), 16)
	var held []table.Block
	for {
		block, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if held = append(held, block); len(held)%3 == 0 {
			block.Release()
			held = held[:len(held)-1]
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for _, block := range held {
		rows := int64(0)
		err := block.Each(func(row table.Row) error {
			want := "z"
			if row.Number()%2 == 1 {
				want = "x\ny"
			}
			if got := string(row.Cell(0)); got != want || row.Number() != block.First()+rows {
				return fmt.Errorf("row %d is %q", row.Number(), got)
			}
			rows++
			return nil
		})
		if err != nil || rows != int64(block.Len()) {
			t.Fatalf("%d rows of %d: %v", rows, block.Len(), err)
		}
	}
}

func TestCloseInTheMiddleEndsReading(t *testing.T) {
	list := "a,b\n" + strings.Repeat("1,2\n", 10_000)
	for blocks := range 4 {
		r := inChunks(t, list, 64)
		for range blocks {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err == nil {
			t.Error("Next after Close gave a block")
		}
	}
}

// A part must not be written from memory that was given back.
func TestAPartOfAReleasedBlockIsNotWritten(t *testing.T) {
	r := newReader(t, "a,b\n1,2\n")
	w := csvtable.NewWriter(io.Discard, r, nil)
	block, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	part := w.Part(block)
	if err := block.Each(func(row table.Row) error { return part.WriteRow(row, nil, nil) }); err != nil {
		t.Fatal(err)
	}
	block.Release()
	if err := w.Write(part); err == nil {
		t.Error("a part of a released block was written")
	}
	if err := w.Write(csvtable.NewWriter(io.Discard, r, nil).Part(block)); err == nil {
		t.Error("a part of another writer was written")
	}
}

// endless gives the same row again and again, up to a number of bytes.
type endless struct {
	row  string
	left int
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	length := copy(p[:min(len(p), e.left)], e.row[e.at:])
	e.at, e.left = (e.at+length)%len(e.row), e.left-length
	return length, nil
}

// TestMemoryDoesNotGrowWithTheList compares a list with one of a fourth of its length.
func TestMemoryDoesNotGrowWithTheList(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	const size = 96 << 20
	for name, row := range map[string]string{
		"plain":         "name," + strings.Repeat("name", 50) + ",name\n",
		"quoted":        "name,\"" + strings.Repeat("na\nme", 50) + "\",name\n",
		"one long cell": "name,\"" + strings.Repeat("text, text\n", 20_000) + "\",name\n",
		"one long line": "name," + strings.Repeat("name", 100_000) + ",name\n",
	} {
		t.Run(name, func(t *testing.T) {
			short, long := peakOf(t, row, size/4), peakOf(t, row, size)
			if long > short+16<<20 {
				t.Errorf("%d MiB were in use for %d MiB of text, %d MiB for a fourth of it", long>>20, size>>20, short>>20)
			}
		})
	}
}

// peakOf reads a list that repeats one row until the text has about size bytes. It returns the most
// bytes that were in use besides.
func peakOf(t *testing.T, row string, size int) uint64 {
	t.Helper()
	text := size / len(row) * len(row)
	r := open(t, io.MultiReader(strings.NewReader("a,b,c\n"), &endless{row: row, left: text}))
	// What is in use and not garbage counts, so the garbage collector works often.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	rows, blocks, peak := 0, 0, uint64(0)
	err := eachBlock(r, func(block table.Block) error {
		if blocks++; blocks%16 == 0 {
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
		return block.Each(func(table.Row) error { rows++; return nil })
	})
	if want := text / len(row); err != nil || rows != want {
		t.Fatalf("%d rows of %d, %v", rows, want, err)
	}
	return peak - min(peak, before.HeapAlloc)
}
