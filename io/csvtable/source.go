package csvtable

import "io"

// bufferSize is what is read at once to find the header, in bytes; the buffer grows
// beyond it only for a longer header.
const bufferSize = 256 << 10

// source is the input with the part of it that is in memory.
type source struct {
	in         io.Reader
	buffer     []byte
	start, end int   // of what is unread in the buffer
	err        error // why the input gives no more; io.EOF at its end
}

func (s *source) unread() []byte { return s.buffer[s.start:s.end] }

func (s *source) skip(length int) { s.start += length }

// ended reports whether nothing follows what is unread.
func (s *source) ended() bool { return s.err == io.EOF }

// Read gives what is unread, then what the input gives.
func (s *source) Read(p []byte) (int, error) {
	if s.start < s.end {
		length := copy(p, s.unread())
		s.skip(length)
		return length, nil
	}
	s.buffer, s.start, s.end = nil, 0, 0
	if s.err != nil {
		return 0, s.err
	}
	return s.in.Read(p)
}

// fill reads more behind what is unread and reports whether it could: not after the
// input's end or failure, and not beyond maxRecord. What unread returned before is
// overwritten.
//
// The buffer is filled to the brim, so that a record that needs several fills is
// looked at once for each doubling and not once for each small read.
func (s *source) fill() bool {
	if s.err != nil || s.end-s.start >= maxRecord {
		return false
	}
	s.makeRoom()
	var length int
	length, s.err = readFull(s.in, s.buffer[s.end:])
	s.end += length
	return true
}

func (s *source) makeRoom() {
	target := s.buffer
	if s.end-s.start == len(s.buffer) {
		target = make([]byte, min(max(bufferSize, 2*len(s.buffer)), maxRecord))
	}
	s.end = copy(target, s.unread())
	s.start = 0
	s.buffer = target
}

// readFull reads until p is full or the input gives no more; err says why, without
// making another of the input's own error as io.ReadFull does.
func readFull(in io.Reader, p []byte) (length int, err error) {
	for length < len(p) && err == nil {
		var read int
		read, err = in.Read(p[length:])
		length += read
	}
	return length, err
}
