package listfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// The beginnings of compressed files.
const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
)

// isZstd reports whether data starts like zstd: with a frame of data, or with a skippable frame,
// which parallel compressors and seekable formats write first.
func isZstd(start []byte) bool {
	const skippable = "\x2a\x4d\x18" // after a byte from 0x50 to 0x5f
	return bytes.HasPrefix(start, []byte(zstdMagic)) ||
		len(start) == len(zstdMagic) && start[0]&0xf0 == 0x50 && string(start[1:]) == skippable
}

// maxWindow is the largest window of zstd data in bytes. The decoder keeps the window in memory.
// Only --ultra and --long of the zstd program use a larger one.
const maxWindow = 32 << 20

// TrimCompression returns the name of a file without the ending of a compression.
func TrimCompression(name string) string {
	if compression(name) != "" {
		return strings.TrimSuffix(name, filepath.Ext(name))
	}
	return name
}

// compression returns the compression of a name by its ending: "gzip", "zstd" or "".
func compression(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		return "gzip"
	case ".zst":
		return "zstd"
	}
	return ""
}

// decompress returns the text of a file. Closing the text closes the file.
func decompress(file io.ReadCloser, name string) (io.ReadCloser, error) {
	start := make([]byte, len(zstdMagic))
	length, err := io.ReadFull(file, start)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	start = start[:length]
	whole := io.MultiReader(bytes.NewReader(start), file)
	switch {
	case bytes.HasPrefix(start, []byte(gzipMagic)):
		unpacked, err := gzip.NewReader(bufio.NewReaderSize(whole, 128<<10))
		if errors.Is(err, gzip.ErrHeader) {
			return nil, fmt.Errorf("the header of the gzip data is damaged; copy or download the file again: %w", err)
		}
		if err != nil {
			return nil, explain("gzip", err)
		}
		end := func() { _ = unpacked.Close() } // Read returned its error
		return &unpackedFile{"gzip", unpacked, end, file}, nil
	case isZstd(start):
		unpacked, err := zstd.NewReader(whole, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, explain("zstd", err)
		}
		return &unpackedFile{"zstd", unpacked, unpacked.Close, file}, nil
	case length > 0 && compression(name) != "":
		return nil, fmt.Errorf("the name ends in %s, but the file holds no %s data; rename it, or compress it",
			filepath.Ext(name), compression(name))
	}
	return plainFile{whole, file}, nil
}

type plainFile struct {
	io.Reader
	io.Closer
}

// unpackedFile is a compressed file that is read as text.
type unpackedFile struct {
	kind string
	text io.Reader
	end  func() // ends the decompression
	file io.Closer
}

func (f *unpackedFile) Read(p []byte) (int, error) {
	length, err := f.text.Read(p)
	if err != nil && err != io.EOF {
		err = explain(f.kind, err)
	}
	return length, err
}

func (f *unpackedFile) Close() error {
	f.end()
	return f.file.Close()
}

// explain adds to an error what is wrong with the compressed data and what to do about it.
func explain(kind string, err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && kind == "gzip":
		// The library returns the same error for a few other bytes after the last member.
		return fmt.Errorf("the gzip data is cut short; copy or download the file again, "+
			"or remove what follows the data: %w", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s data is cut short; copy or download the file again: %w", kind, err)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
		return fmt.Errorf("something that is not %s data follows the compressed text; "+
			"remove it, or copy the file again: %w", kind, err)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("the zstd data needs more than %d MiB of memory; "+
			"compress it again without the options ultra and long of zstd: %w", maxWindow>>20, err)
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return fmt.Errorf("the zstd data needs a dictionary; compress it again without one: %w", err)
	}
	return fmt.Errorf("the %s data is damaged; copy or download the file again: %w", kind, err)
}
