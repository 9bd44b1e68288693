package listfile_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	klauspost "github.com/klauspost/compress/gzip"

	"payonce/io/listfile"
)

// gunzip reads one member with the standard library, and fails when there is more.
func gunzip(packed []byte) ([]byte, error) {
	in := bytes.NewReader(packed)
	reader, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	reader.Multistream(false)
	text, err := io.ReadAll(reader)
	if err == nil && in.Len() > 0 {
		err = fmt.Errorf("%d bytes stand behind the member", in.Len())
	}
	return text, err
}

// listText returns length bytes of text like that of lists.
func listText(draw *rand.Rand, length int) []byte {
	var text bytes.Buffer
	for text.Len() < length {
		fmt.Fprintf(&text, "%d,Ann,Lee,example%d.com,\n", draw.IntN(1e9), draw.IntN(500))
	}
	return text.Bytes()[:length]
}

// TestGzipIsOneMember has texts that end before, at and behind the edges of blocks, and
// writes of any size.
func TestGzipIsOneMember(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 1))
	long := listText(draw, 3<<20)
	for _, length := range []int{0, 1, 1000, 1<<19 - 1, 1 << 19, 1<<19 + 1, 1 << 20, 1<<20 + 1, 3<<20 - 7} {
		for _, most := range []int{1000, 1 << 17, 4 << 20} {
			if testing.Short() && most < 1<<17 {
				continue
			}
			text := long[:length]
			var packed bytes.Buffer
			w, err := listfile.NewTextWriter(&packed, "list.csv.gz")
			if err != nil {
				t.Fatal(err)
			}
			for left := text; len(left) > 0; {
				part := left[:min(len(left), 1+draw.IntN(most))]
				if n, err := w.Write(part); n != len(part) || err != nil {
					t.Fatalf("%d bytes of %d were written: %v", n, len(part), err)
				}
				left = left[len(part):]
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got, err := gunzip(packed.Bytes()); err != nil || !bytes.Equal(got, text) {
				t.Errorf("writes of up to %d bytes: %d bytes of %d came back: %v", most, len(got), length, err)
			}
		}
	}
}

func TestGzipBlocksCostLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long and tells nothing about data races")
	}
	text := listText(rand.New(rand.NewPCG(1, 1)), 8<<20)
	var single bytes.Buffer
	w := klauspost.NewWriter(&single)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if packed := compressed(t, "list.csv.gz", string(text)); float64(len(packed)) > 1.002*float64(single.Len()) {
		t.Errorf("%d bytes in blocks, and %d in one go", len(packed), single.Len())
	}
}

// failing is a file on a disk that is full after left bytes.
type failing struct{ left int }

var errFull = errors.New("the disk is full")

func (f *failing) Write(data []byte) (int, error) {
	if f.left -= len(data); f.left < 0 {
		return 0, errFull
	}
	return len(data), nil
}

func TestGzipStopsAtTheFirstErrorOfTheFile(t *testing.T) {
	size := 32 << 20
	if testing.Short() {
		size = 8 << 20
	}
	text := listText(rand.New(rand.NewPCG(2, 1)), size)
	for _, room := range []int{0, 5, 100_000, 1 << 20} {
		w, err := listfile.NewTextWriter(&failing{room}, "list.csv.gz")
		if err != nil {
			t.Fatal(err)
		}
		_, writing := w.Write(text)
		if closing := w.Close(); !errors.Is(writing, errFull) || !errors.Is(closing, errFull) {
			t.Errorf("room for %d bytes: writing %v, closing %v", room, writing, closing)
		}
	}
}

// TestDiscardLeavesNoGoroutine relies on TestMain, which looks for goroutines when the tests are
// over. The data that a discarded writer leaves must not look whole.
func TestDiscardLeavesNoGoroutine(t *testing.T) {
	text := listText(rand.New(rand.NewPCG(3, 1)), 3<<20)
	for _, name := range []string{"list.csv", "list.csv.gz", "list.csv.zst"} {
		for _, length := range []int{0, 1000, len(text)} {
			var out bytes.Buffer
			w, err := listfile.NewTextWriter(&out, name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(text[:length]); err != nil {
				t.Error(err)
			}
			w.Discard()
			if got, err := read(t, name, out.String()); name != "list.csv" && err == nil && out.Len() > 0 {
				t.Errorf("%s: %d of %d bytes look like a whole file", name, len(got), length)
			}
		}
	}
}

func BenchmarkCompress(b *testing.B) {
	text := listText(rand.New(rand.NewPCG(4, 1)), 32<<20)
	for _, name := range []string{"list.csv.gz", "list.csv.zst"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				w, err := listfile.NewTextWriter(io.Discard, name)
				if err != nil {
					b.Fatal(err)
				}
				for left := text; len(left) > 0; left = left[min(len(left), 1<<20):] {
					if _, err := w.Write(left[:min(len(left), 1<<20)]); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
