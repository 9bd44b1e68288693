package textfile

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// errBehindGzip says that a file goes on after its last member.
var errBehindGzip = errors.New("no gzip header")

// gzipReader reads the members of a gzip file one after the other. The library would do
// so too, but takes a few bytes of something else behind them for a member cut short.
type gzipReader struct {
	in     *bufio.Reader
	member *gzip.Reader
}

func newGzipReader(in io.Reader) (*gzipReader, error) {
	buffered := bufio.NewReaderSize(in, 128<<10)
	member, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, err
	}
	member.Multistream(false)
	return &gzipReader{buffered, member}, nil
}

func (r *gzipReader) Read(p []byte) (int, error) {
	for {
		length, err := r.member.Read(p)
		if err != io.EOF {
			return length, err
		}
		if length > 0 {
			return length, nil
		}
		if err := r.nextMember(); err != nil {
			return 0, err
		}
	}
}

// nextMember goes on with the next member, or returns io.EOF.
func (r *gzipReader) nextMember() error {
	start, err := r.in.Peek(len(gzipMagic))
	switch {
	case len(start) == 0:
		return err
	case string(start) != gzipMagic:
		return errBehindGzip
	}
	if err := r.member.Reset(r.in); err != nil {
		return err
	}
	r.member.Multistream(false)
	return nil
}
