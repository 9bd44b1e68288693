// This file shows how many companies searches left ambiguous, and where the user chooses.

package report

// Choices says how many companies searches left ambiguous, and where the user chooses.
type Choices struct {
	Rows      int64 `json:"rows"`
	Companies int64 `json:"companies"` // that the rows name
	// File has the candidates; it is empty when they were not written.
	File string `json:"candidates,omitempty"`
}

// ChoicesOf returns nil where nothing is ambiguous and no file was written.
func ChoicesOf(companies, rows int64, file string) *Choices {
	if rows == 0 && file == "" {
		return nil
	}
	return &Choices{Rows: rows, Companies: companies, File: file}
}

// Text says how many companies are to be chosen; "" for none.
func (c *Choices) Text() string {
	switch {
	case c == nil || c.Rows == 0:
		return ""
	case c.Rows == 1:
		return "1 row names a company for which a search found no certain match"
	case c.Companies == 1:
		return Textf("%d rows name a company for which a search found no certain match", c.Rows)
	}
	return Textf("%d rows name %d companies for which a search found no certain match", c.Rows, c.Companies)
}

// Written names the file with the candidates; "" for none.
func (c *Choices) Written() string {
	if c == nil {
		return ""
	}
	return c.File
}
