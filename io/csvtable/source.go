package csvtable

import "io"

// bufferSize is how many bytes are read at once to find the header. The buffer grows only for a
// longer header.
const bufferSize = 256 << 10

// source is the input and the part of it that is in memory.
type source struct {
	in         io.Reader
	buffer     []byte
	start, end int   // of the unread bytes in the buffer
	err        error // of the input; io.EOF at its end
}

func (s *source) unread() []byte { return s.buffer[s.start:s.end] }

func (s *source) skip(length int) { s.start += length }

// ended reports whether nothing follows the unread bytes.
func (s *source) ended() bool { return s.err == io.EOF }

// Read reads the unread bytes first, and then the input.
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

// fill reads more bytes after the unread ones. It returns false after the end or an error of the
// input, and when the buffer has maxRecord bytes. It overwrites the bytes that unread returned
// before.
//
// It fills the whole buffer, so that a long record is scanned again only when the buffer doubles,
// and not after each small read.
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

// readFull reads until p is full or the input returns an error. Unlike io.ReadFull it returns that
// error unchanged.
func readFull(in io.Reader, p []byte) (length int, err error) {
	for length < len(p) && err == nil {
		var read int
		read, err = in.Read(p[length:])
		length += read
	}
	return length, err
}
