package listfile

import (
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/klauspost/pgzip"
)

// TextWriter compresses a file of text. Every Writer needs a Close or a Discard. Neither closes the file below.
type TextWriter interface {
	io.Writer
	// Close ends the compressed data.
	Close() error
	// Discard ends the writer and leaves the compressed data without an end, so that a reader sees
	// that it is not whole.
	Discard()
}

// NewTextWriter returns a writer that compresses what it writes to out as the ending of name says, and not at all
// when it says nothing. gzip data is one member: some programs stop reading at the end of the first.
func NewTextWriter(out io.Writer, name string) (TextWriter, error) {
	switch compression(name) {
	case "gzip":
		return gzipWriter{pgzip.NewWriter(out)}, nil
	case "zstd":
		encoder, err := zstd.NewWriter(out)
		if err != nil {
			return nil, err
		}
		return zstdWriter{encoder}, nil
	}
	return plainWriter{out}, nil
}

type gzipWriter struct{ *pgzip.Writer }

// Close ends the goroutine of the writer in any case. The library leaves it running after an error.
func (w gzipWriter) Close() error {
	err := w.Writer.Close()
	if err != nil {
		w.Discard()
	}
	return err
}

func (w gzipWriter) Discard() { w.Reset(io.Discard) }

type zstdWriter struct{ *zstd.Encoder }

func (w zstdWriter) Discard() { w.Reset(nil) }

type plainWriter struct{ io.Writer }

func (plainWriter) Close() error { return nil }

func (plainWriter) Discard() {}
