package record

import (
	"time"

	"payonce/io/numbered"
)

// File is what the journal remembers of a list that it wrote, to see whether somebody edited it.
type File struct {
	Path    string    `json:"path"` // absolute, without links
	Run     string    `json:"run"`
	Written time.Time `json:"written"`
	Size    int64     `json:"size"`    // in bytes
	Changed time.Time `json:"changed"` // when the file system says that it was changed
	Hash    string    `json:"hash"`    // of its bytes, as atomicfile.File.Sum returns it
	Columns []string  `json:"columns"` // that hold values that were asked for
	// Source identifies all that the bytes were made from, and the bytes; "" when that is not known.
	Source string           `json:"source,omitempty"`
	Rows   map[string]int64 `json:"rows,omitempty"` // of an output with a Source, by outcome
}

func fileMembers(m *numbered.Members, f *File) {
	numbered.Text(m, 1, &f.Path)
	numbered.Text(m, 2, &f.Run)
	numbered.Time(m, 3, &f.Written)
	numbered.Int(m, 4, &f.Size)
	numbered.Time(m, 5, &f.Changed)
	numbered.Text(m, 6, &f.Hash)
	numbered.Texts(m, 7, &f.Columns)
	numbered.Text(m, 8, &f.Source)
	mapMembers(m, 9, &f.Rows, func(m *numbered.Members, rows *int64) { numbered.Int(m, 2, rows) })
}
