package output

import (
	"crypto/sha256"
	"encoding/hex"
	"os"

	"payonce/checkpoint/record"
	"payonce/io/atomicfile"
	"payonce/io/listfile"
)

// Found are files that are in their places as they would be written.
type Found struct {
	Rows   map[string]int64 // of the output, by outcome
	Tables *TablesWritten   // nil without tables
}

// InPlace reports whether the files of the request are in their places as they would be written: they were made
// from what source identifies, and nobody has changed them. Then it also returns what is recorded of them. It calls
// source only when nobody has changed the files, because source reads the whole list. It reports false for standard
// output.
func (r Request) InPlace(journal Journal, source func() (string, error)) (found Found, same bool, err error) {
	paths := []string{r.Path}
	for _, path := range []string{r.Rejects, r.NewValues} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	tables := r.Tables.Paths()
	if r.Tables.Dir != "" && len(tables) == 0 {
		return found, false, nil
	}
	var files []record.File
	for _, path := range append(paths, tables...) {
		file, unchanged, err := recorded(journal, path)
		if err != nil || !unchanged {
			return found, false, err
		}
		files = append(files, file)
	}
	identified, err := source()
	if err != nil || identified == "" {
		return found, false, err
	}
	for _, file := range files {
		if file.Source != sourceOf(identified, file.Hash) {
			return found, false, nil
		}
	}
	found.Rows = files[0].Rows
	found.Tables, err = r.Tables.found(files[0], files[len(paths):])
	return found, err == nil, err
}

// found returns what is recorded of the tables beside an output; nil without tables.
func (t Tables) found(out record.File, files []record.File) (*TablesWritten, error) {
	if t.Dir == "" {
		return nil, nil
	}
	view := &TablesWritten{Dir: t.Dir, Unread: out.Unread, First: out.FirstUnread}
	for i, one := range t.Steps.Tables() {
		target, err := atomicfile.Target(t.path(one.Name))
		if err != nil {
			return nil, err
		}
		view.Tables = append(view.Tables, TableWritten{one.Name, target, files[i].Rows[record.TableRows]})
	}
	return view, nil
}

// NewValuesInPlace returns what the file of rows with new values has, as it was recorded when it was written; nil without
// such a file.
func (r Request) NewValuesInPlace(journal Journal) (*WrittenNew, error) {
	if r.NewValues == "" {
		return nil, nil
	}
	path, err := absolute(r.NewValues)
	if err != nil {
		return nil, err
	}
	file, _, err := journal.File(path)
	return &WrittenNew{r.NewValues, countOf(file.Rows)}, err
}

// recorded returns the record of a file that has a source, and whether the file is as it was written. It reads every
// byte, because an editor can keep the size and restore the time.
func recorded(journal Journal, name string) (file record.File, unchanged bool, err error) {
	if name == listfile.Standard {
		return file, false, nil
	}
	path, err := absolute(name)
	if err != nil {
		return file, false, nil // writing it says what is wrong
	}
	file, found, err := journal.File(path)
	if err != nil || !found || file.Source == "" {
		return file, false, err
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != file.Size || !info.ModTime().Equal(file.Changed) {
		return file, false, nil
	}
	hash, err := atomicfile.SumOf(path)
	return file, err == nil && hash == file.Hash, nil
}

// sourceOf returns what is recorded as the source of a file. It includes the hash of the file's bytes: a program that
// does not know the member Source keeps it when it records other bytes.
func sourceOf(source, hash string) string {
	sum := sha256.Sum256([]byte(source + " " + hash))
	return hex.EncodeToString(sum[:])
}
