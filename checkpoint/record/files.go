package record

import (
	"time"

	"payonce/numbered"
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
}

func fileMembers(m *numbered.Members, f *File) {
	numbered.Text(m, 1, &f.Path)
	numbered.Text(m, 2, &f.Run)
	numbered.Time(m, 3, &f.Written)
	numbered.Int(m, 4, &f.Size)
	numbered.Time(m, 5, &f.Changed)
	numbered.Text(m, 6, &f.Hash)
	numbered.Texts(m, 7, &f.Columns)
}
