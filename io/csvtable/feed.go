package csvtable

import (
	"bytes"
	"io"
	"slices"
)

// feed reads the input in chunks, to its end.
func (s *scanner) feed() {
	for {
		b := s.take()
		if b == nil {
			return
		}
		more := s.load(b)
		s.running.Go(b.analyse)
		s.chunks <- b // never blocks: there are as many slots
		if !more {
			return
		}
	}
}

// take waits for a slot and returns memory for a chunk. It returns nil after close.
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

// load fills a chunk. It reports whether another one may follow.
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

// takeAll takes all slots for a chunk that grows, so that the memory of long records does not add
// up. It returns false after close.
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

// lastCut returns the offset after the last line in data whose following byte is known not to
// belong to a line ending, or 0.
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
