package csvtable

import (
	"bytes"
	"io"
	"slices"
)

// feed reads the input in chunks until its end.
func (s *scanner) feed() {
	for {
		b := s.take()
		if b == nil {
			return
		}
		more := s.load(b)
		s.running.Go(b.analyse)
		s.chunks <- b // there is room: its slot was one of as many
		if !more {
			return
		}
	}
}

// take returns memory for a chunk once it may be read ahead, or nil when nobody wants
// more.
func (s *scanner) take() *block {
	select {
	case s.slots <- struct{}{}:
	case <-s.stop:
		return nil
	}
	b := s.free.Get().(*block)
	b.reset()
	return b
}

// load fills a chunk and reports whether another may follow it.
func (s *scanner) load(b *block) (more bool) {
	data := append(b.buffer[headroom:headroom], s.tail...)
	for {
		length, err := readFull(&s.source, data[len(data):cap(data)])
		data = data[:len(data)+length]
		if err == io.EOF {
			b.data, b.last = data, true
			return false
		}
		cut := lastCut(data)
		b.data, b.failure = data[:cut], err
		if err != nil {
			return false
		}
		if cut > 0 {
			s.tail = append(s.tail[:0], data[cut:]...)
			return true
		}
		if len(data) > recordWindow {
			b.data, b.overlong = data, true
			return false
		}
		if !s.takeAll(b) {
			return false
		}
		data = slices.Grow(data, len(data))
	}
}

// takeAll lets a chunk that grows take the place of all that could be read ahead, so
// that long records do not add up. It reports false when nobody wants more.
func (s *scanner) takeAll(b *block) bool {
	for ; b.weight < cap(s.slots); b.weight++ {
		select {
		case s.slots <- struct{}{}:
		case <-s.stop:
			return false
		}
	}
	return true
}

// lastCut returns the offset after the last line in data that is known to be followed
// by something else than a line ending, or 0.
func lastCut(data []byte) int {
	for end := len(data); ; end-- {
		end = bytes.LastIndexByte(data[:end], '\n') + 1
		if end == 0 {
			return 0
		}
		next := data[end:min(end+2, len(data))]
		if blank, whole := lineEndings(next, false); blank == 0 && whole {
			return end
		}
	}
}
