package jobs

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"

	"payonce/io/atomicfile"
)

// A sealed file ends in a line with the SHA-256 of what is before the line. So a file that was changed, cut short or
// written by something else is recognised without a record of it.
const (
	sealStart = "<!-- batch jobs "
	sealEnd   = " -->\n"
)

// maxPage is the size of the largest file that is read. Pages are far smaller.
const maxPage = 64 << 20

func sealOf(text []byte) string {
	return fmt.Sprintf("%s%x%s", sealStart, sha256.Sum256(text), sealEnd)
}

// isSealed reports whether a file is as writeSealed left it.
func isSealed(path string) (bool, error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxPage {
		return false, err
	}
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxPage))
	if err != nil {
		return false, err
	}
	at := bytes.LastIndex(data, []byte(sealStart))
	return at >= 0 && string(data[at:]) == sealOf(data[:at]), nil
}

// writeSealed replaces a file whole.
func writeSealed(path string, text []byte, mode fs.FileMode) error {
	return atomicfile.Replace(path, mode, func(w io.Writer) error {
		_, err := w.Write(append(text, sealOf(text)...))
		return err
	})
}
