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
	Rows   map[string]int64 `json:"rows,omitempty"` // of an output with a Source, by outcome; of a table as TableRows
	// Unread counts the values that the tables beside an output with a Source lack, because they could not be read.
	// FirstUnread are the first of them.
	Unread      int64        `json:"unread,omitempty"`
	FirstUnread []UnreadCell `json:"first_unread,omitempty"`
}

// TableRows is the name of the number of rows of a table in File.Rows.
const TableRows = "rows"

// UnreadCell is a cell of a table that is empty, because its value could not be read.
type UnreadCell struct {
	Company string `json:"company"`
	Column  string `json:"column"`
	Problem string `json:"problem"`
}

func unreadCellMembers(m *numbered.Members, c *UnreadCell) {
	numbered.Text(m, 1, &c.Company)
	numbered.Text(m, 2, &c.Column)
	numbered.Text(m, 3, &c.Problem)
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
	numbered.Int(m, 10, &f.Unread)
	numbered.List(m, 11, &f.FirstUnread, unreadCellMembers)
}
