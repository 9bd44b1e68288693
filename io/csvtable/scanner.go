package csvtable

import (
	"bytes"
	"io"
	"runtime"
	"sync"

	"payonce/io/table"
)

// scanner reads one file of a list. One goroutine reads chunks ahead, others make their outlines.
// next puts the chunks in order and makes blocks of them. Only next knows whether a chunk starts
// within quotes.
type scanner struct {
	delimiter byte // that was given; 0 to detect it
	name      string
	leader    *scanner  // of the first file; nil for the first file itself
	closer    io.Closer // of the input; nil when the caller closes it
	source    source
	dialect   Dialect
	header    header
	// headerRow is the row of the header as a spreadsheet program counts rows: a cell with line endings is in
	// one row, and a blank line is a row.
	headerRow int64
	guessed   bool             // the encoding is a guess
	checked   bool             // an earlier pass found no fault
	found     func(table.Foot) // of the first file; may be nil
	size      int              // of a chunk, in bytes

	// Between the goroutines.
	chunks  chan *block   // in order; the outline of a chunk is done when ready has a value
	slots   chan struct{} // one is taken for each chunk that is read ahead
	stop    chan struct{}
	running sync.WaitGroup
	free    sync.Pool // of *block
	tail    []byte    // bytes after the last chunk; only feed uses it

	// Only next uses these.
	held    []*block // blocks that may have rows below the list; see foot.go
	tested  bool     // held has no such rows any more
	line    int64    // of the next record
	number  int64    // of the last row
	quoted  bool     // the next chunk starts within quotes
	pending []byte   // the record that did not end yet
	err     error    // sticky, also io.EOF
}

// chunkSize is how many bytes are read at once. A block is small enough to stay in the cache of a core, and the answers
// about its rows take little memory.
const chunkSize = 64 << 10

// newScanner reads the header of a file of a list. leader is the first file, or nil for the first
// file itself.
func newScanner(in io.Reader, name string, options Options, leader *scanner) (*scanner, error) {
	s := &scanner{
		name: name, leader: leader, source: source{in: in}, line: 1, checked: options.Checked, size: chunkSize,
	}
	if err := s.readHeader(options); err != nil {
		return nil, err
	}
	return s, nil
}

// start starts to read ahead.
func (s *scanner) start() {
	ahead := readAhead()
	s.chunks = make(chan *block, ahead)
	s.slots = make(chan struct{}, ahead)
	s.stop = make(chan struct{})
	s.free.New = func() any { return newBlock(s) }
	s.running.Go(s.feed)
}

// readAhead returns how many chunks may be read ahead.
func readAhead() int { return 2 * min(runtime.GOMAXPROCS(0), 8) }

// close ends all goroutines and closes the input.
func (s *scanner) close() error {
	if s.stop != nil {
		select {
		case <-s.stop:
		default:
			close(s.stop)
		}
		s.running.Wait()
	}
	closer := s.closer
	if s.closer = nil; closer == nil {
		return nil
	}
	return closer.Close()
}

// next returns the next block. After an error it returns the same error again.
func (s *scanner) next() (*block, error) {
	for s.err == nil && !s.mayReturn() {
		b, err := s.read()
		if err != nil {
			break // s.err
		}
		s.held = append(s.held, b)
	}
	if s.err == io.EOF && !s.tested {
		s.tested = true
		s.cutFoot()
	}
	if len(s.held) == 0 {
		return nil, s.err
	}
	b := s.held[0]
	s.held = s.held[1:]
	return b, nil
}

// read returns the next block, whether its rows are of the list or below it.
func (s *scanner) read() (*block, error) {
	if s.stop == nil {
		s.start()
	}
	for s.err == nil {
		chunk := <-s.chunks
		<-chunk.ready
		for range chunk.weight {
			<-s.slots
		}
		if whole := s.place(chunk); whole {
			return chunk, nil
		}
		chunk.Release()
	}
	return nil, s.err
}

// place puts a chunk after the chunks before it. It reports whether the chunk is a block: a record
// ends in it.
func (s *scanner) place(b *block) bool {
	o := b.outline
	switch {
	case b.overlong:
		o = outline{}
	case o.startsQuoted != s.quoted:
		o = outlineOf(b.data, s.dialect.Delimiter, s.quoted, b.last, o.starts)
	}
	s.quoted = o.endsQuoted
	rest := b.data[o.end:]
	rows := int64(len(o.starts))
	if rows > 0 {
		b.data = b.data[:o.end]
		b.bounds = append(o.starts, int32(o.end))
		b.prepend(s.pending)
		b.first, b.startLine = s.number+1, s.line
		s.number += rows
		s.line += int64(bytes.Count(s.pending, []byte{'\n'})) + o.lines
		s.pending = s.pending[:0]
	}
	s.pending = append(s.pending, rest...)
	s.err = s.ending(b)
	return rows > 0
}
