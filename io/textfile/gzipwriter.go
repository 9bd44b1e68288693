package textfile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"runtime"

	"github.com/klauspost/compress/flate"
)

const (
	// gzipHeader begins a member: deflate, no name, no time, an unknown system (RFC 1952).
	gzipHeader = gzipMagic + "\x08\x00\x00\x00\x00\x00\x00\xff"
	// lastBlock is an empty block that ends deflated data (RFC 1951).
	lastBlock = "\x03\x00"

	gzipBlockText = 512 << 10
)

// gzipWriter compresses on all cores. Blocks of the text are deflated at the same time and
// end on a whole byte, so that one after the other they are the data of one member: some
// programs stop reading at the end of the first. That they do not refer to each other
// makes the file larger by a thousandth.
//
// It starts no goroutine that needs a Close to end.
type gzipWriter struct {
	out     io.Writer
	block   *gzipBlock   // which gathers text
	pending []*gzipBlock // being deflated, in order
	spare   []*gzipBlock
	begun   bool
	sum     uint32
	length  uint32 // modulo 2^32, as the format has it
	err     error  // of out: nothing more is written
}

// gzipBlock is a part of the text and what becomes of it.
type gzipBlock struct {
	text     []byte
	packed   bytes.Buffer
	deflater *flate.Writer
	done     chan error
}

func newGzipWriter(out io.Writer) *gzipWriter {
	return &gzipWriter{out: out, block: newGzipBlock()}
}

func newGzipBlock() *gzipBlock {
	return &gzipBlock{text: make([]byte, 0, gzipBlockText), done: make(chan error, 1)}
}

func (w *gzipWriter) Write(text []byte) (int, error) {
	for left := text; len(left) > 0 && w.err == nil; {
		part := left[:min(len(left), gzipBlockText-len(w.block.text))]
		left = left[len(part):]
		w.block.text = append(w.block.text, part...)
		w.sum = crc32.Update(w.sum, crc32.IEEETable, part)
		w.length += uint32(len(part))
		if len(w.block.text) == gzipBlockText {
			w.deflateBlock()
		}
	}
	if w.err != nil {
		return 0, w.err
	}
	return len(text), nil
}

// deflateBlock begins to deflate the block and goes on with the next one. When all cores
// are busy it waits for the oldest.
func (w *gzipWriter) deflateBlock() {
	full := w.block
	w.block = w.freeBlock()
	w.pending = append(w.pending, full)
	go func() { full.done <- full.deflate() }()
	if len(w.pending) > runtime.GOMAXPROCS(0) {
		w.writeOldest()
	}
}

// freeBlock takes a block that is used no more, or makes one.
func (w *gzipWriter) freeBlock() *gzipBlock {
	last := len(w.spare) - 1
	if last < 0 {
		return newGzipBlock()
	}
	block := w.spare[last]
	w.spare = w.spare[:last]
	block.text = block.text[:0]
	return block
}

func (b *gzipBlock) deflate() (err error) {
	b.packed.Reset()
	if b.deflater == nil {
		b.deflater, err = flate.NewWriter(&b.packed, flate.DefaultCompression)
	} else {
		b.deflater.Reset(&b.packed)
	}
	if err != nil {
		return err
	}
	if _, err := b.deflater.Write(b.text); err != nil {
		return err
	}
	return b.deflater.Flush()
}

// writeOldest writes the first of the pending blocks when it is deflated.
func (w *gzipWriter) writeOldest() {
	oldest := w.pending[0]
	w.pending = w.pending[1:]
	if err := <-oldest.done; err != nil && w.err == nil {
		w.err = err
	}
	w.begin()
	w.write(oldest.packed.Bytes())
	w.spare = append(w.spare, oldest)
}

func (w *gzipWriter) begin() {
	if !w.begun {
		w.begun = true
		w.write([]byte(gzipHeader))
	}
}

func (w *gzipWriter) write(packed []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(packed)
	}
}

// Close writes what is left over, the end of the data, and the sum and the length of
// the text.
func (w *gzipWriter) Close() error {
	if len(w.block.text) > 0 {
		w.deflateBlock()
	}
	for len(w.pending) > 0 {
		w.writeOldest()
	}
	w.begin()
	end := binary.LittleEndian.AppendUint32([]byte(lastBlock), w.sum)
	w.write(binary.LittleEndian.AppendUint32(end, w.length))
	return w.err
}
