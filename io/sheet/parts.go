package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
)

// decodePart decodes a small part.
func decodePart(book *zip.Reader, name string, value any) error {
	const most = 16 << 20 // bytes
	entry, err := findPart(book, name)
	if err != nil {
		return err
	}
	part, err := entry.Open()
	if err != nil {
		return err
	}
	defer part.Close()
	if err := xml.NewDecoder(io.LimitReader(part, most)).Decode(value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// newArchive returns a writer of the parts of a workbook. It compresses with little effort: a new workbook is
// about a fifth larger than with compress/flate, which takes four times as long.
func newArchive(out io.Writer) *zip.Writer {
	archive := zip.NewWriter(out)
	archive.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestSpeed)
	})
	return archive
}

// copyChanged copies the rest of a part. change returns the bytes to write for each token.
func copyChanged(out io.Writer, in *xmlReader, change func(kind XMLKind) ([]byte, error)) error {
	for {
		kind, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		raw, err := change(kind)
		if err != nil {
			return err
		}
		if _, err := out.Write(raw); err != nil {
			return err
		}
	}
}

// copyWithout copies a part without the elements for which drop returns true.
func copyWithout(out io.Writer, part io.Reader, drop func(in *xmlReader) bool) error {
	in := newXMLReader(part)
	return copyChanged(out, in, func(kind XMLKind) ([]byte, error) {
		if kind == xmlStart && drop(in) {
			return nil, in.Skip()
		}
		return in.Raw(), nil
	})
}
