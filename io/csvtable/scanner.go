package csvtable

import (
	"bytes"
	"io"
	"runtime"
	"sync"
)

// scanner reads one file of a list. A goroutine of its own reads chunks ahead and has
// others outline them; next puts them in order, makes blocks of them and alone knows
// what a quote means.
type scanner struct {
	name    string
	leader  *scanner  // of the list's first file; nil when it is this one
	closer  io.Closer // of the input; nil when it is not ours
	source  source
	dialect Dialect
	header  header
	guessed bool // the encoding is a guess
	checked bool // the list was found sound before
	size    int  // of a chunk, in bytes

	// What passes between the goroutines.
	chunks  chan *block   // in order; the outline is awaited at each one's ready
	slots   chan struct{} // one is taken for each chunk that is read ahead
	stop    chan struct{}
	running sync.WaitGroup
	free    sync.Pool // of *block
	tail    []byte    // what was read behind the last chunk; belongs to feed

	// Where next stands.
	line    int64  // of the next record
	number  int64  // of the last row
	quoted  bool   // the next chunk begins within quotes
	pending []byte // the record that does not end in the chunks so far
	err     error  // sticky, also io.EOF
}

// chunkSize is what is read at once, in bytes. It is small enough for a block to stay in
// a core's cache from its first reader to its last.
const chunkSize = 256 << 10

// newScanner reads the header of a file of a list whose first one is leader; nil for that
// one itself.
func newScanner(in io.Reader, name string, options Options, leader *scanner) (*scanner, error) {
	s := &scanner{name: name, leader: leader, source: source{in: in}, line: 1, checked: options.Checked, size: chunkSize}
	if err := s.readHeader(options.Encoding); err != nil {
		return nil, err
	}
	return s, nil
}

// start begins to read ahead.
func (s *scanner) start() {
	ahead := readAhead()
	s.chunks = make(chan *block, ahead)
	s.slots = make(chan struct{}, ahead)
	s.stop = make(chan struct{})
	s.free.New = func() any { return newBlock(s) }
	s.running.Go(s.feed)
}

// readAhead returns how many chunks may wait to be asked for.
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

// next returns the next block, or an error, which it returns again from then on.
func (s *scanner) next() (*block, error) {
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

// place puts a chunk behind those before it and reports whether a record ends in it,
// so that it is a block.
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
