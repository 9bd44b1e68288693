package sheet

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/xuri/excelize/v2"
)

// Parts of a workbook.
const (
	workbookPart  = "xl/workbook.xml"
	relationsPart = "xl/_rels/workbook.xml.rels"
	typesPart     = "[Content_Types].xml"
	// calculationPart lists the cells with formulas. Programs write it again when it is missing.
	calculationPart = "xl/calcChain.xml"
	stylesPart      = "xl/styles.xml" // usually
)

// book is an open workbook.
type book struct {
	file      *zip.ReadCloser
	sheets    []namedSheet
	relations []relation   // of the workbook
	from1904  bool         // the first day of dates is in 1904
	texts     *sharedTexts // nil before the first is asked for
}

// namedSheet is a sheet as the workbook names it.
type namedSheet struct {
	Name string `xml:"name,attr"`
	ID   string `xml:"id,attr"` // of its relation
}

// relation is a reference to another part.
type relation struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
}

// relations are the parts that a part refers to.
type relations struct {
	List []relation `xml:"Relationship"`
}

// openBook opens a workbook and reads which sheets it has.
func openBook(path string) (*book, error) {
	if err := checkMagic(path); err != nil {
		return nil, err
	}
	file, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	b := &book{file: file}
	if err := b.read(); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// checkMagic refuses a file in the older format: an .xls workbook, or an encrypted one.
func checkMagic(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() // was only read
	head := make([]byte, 8)
	if _, err := io.ReadFull(file, head); err == nil && string(head) == "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" {
		return excelize.ErrWorkbookFileFormat
	}
	return nil
}

func (b *book) read() error {
	var size uint64
	for _, entry := range b.file.File {
		size += min(entry.UncompressedSize64, maxUnzipped+1)
		if size > maxUnzipped {
			return fmt.Errorf("unzip size exceeds the %d bytes limit", int64(maxUnzipped))
		}
	}
	b.file.RegisterDecompressor(zip.Deflate, flate.NewReader)
	var content struct {
		Properties struct {
			From1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []namedSheet `xml:"sheets>sheet"`
	}
	if err := decodePart(&b.file.Reader, workbookPart, &content); err != nil {
		return err
	}
	var parts relations
	if err := decodePart(&b.file.Reader, relationsPart, &parts); err != nil {
		return err
	}
	b.sheets, b.relations = content.Sheets, parts.List
	b.from1904 = content.Properties.From1904 == "1" || content.Properties.From1904 == "true"
	return nil
}

// Close removes the temporary file of the shared texts, too.
func (b *book) Close() error {
	err := b.file.Close()
	if b.texts != nil {
		err = errors.Join(err, b.texts.Close())
	}
	return err
}

// names returns the names of the sheets.
func (b *book) names() []string {
	var names []string
	for _, sheet := range b.sheets {
		names = append(names, sheet.Name)
	}
	return names
}

// index returns the number of a sheet from 0, and -1 when there is none.
func (b *book) index(name string) int {
	for i, sheet := range b.sheets {
		if strings.EqualFold(sheet.Name, name) {
			return i
		}
	}
	return -1
}

// part returns the entry of the workbook that has the sheet.
func (b *book) part(sheet string) (*zip.File, error) {
	if at := b.index(sheet); at >= 0 {
		for _, r := range b.relations {
			if r.ID == b.sheets[at].ID {
				return findPart(&b.file.Reader, resolve(r.Target))
			}
		}
	}
	return nil, fmt.Errorf("it has no part for the sheet %s", sheet)
}

// related opens the part of relatedEntry. It returns nil when there is none.
func (b *book) related(kind, usual string) (io.ReadCloser, error) {
	entry := b.relatedEntry(kind, usual)
	if entry == nil {
		return nil, nil
	}
	return entry.Open()
}

// relatedEntry returns the part that a relation of the workbook points to, or else the one with the usual name. It
// returns nil when there is none.
func (b *book) relatedEntry(kind, usual string) *zip.File {
	for _, r := range b.relations {
		if strings.HasSuffix(r.Type, "/"+kind) {
			usual = resolve(r.Target)
			break
		}
	}
	entry, err := findPart(&b.file.Reader, usual)
	if err != nil {
		return nil
	}
	return entry
}

// shared returns the texts that cells share.
func (b *book) shared() (*sharedTexts, error) {
	if b.texts != nil {
		return b.texts, nil
	}
	const name = "xl/sharedStrings.xml"
	part, err := b.related("sharedStrings", name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if part == nil {
		part = io.NopCloser(strings.NewReader(""))
	}
	defer part.Close() // was only read
	if b.texts, err = readSharedTexts(part); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b.texts, nil
}

// resolve returns the name of the entry that a relation of the workbook points to.
func resolve(target string) string {
	if absolute, found := strings.CutPrefix(target, "/"); found {
		return absolute
	}
	return path.Join(path.Dir(workbookPart), target)
}

func findPart(book *zip.Reader, name string) (*zip.File, error) {
	for _, entry := range book.File {
		if strings.EqualFold(strings.ReplaceAll(entry.Name, `\`, "/"), name) {
			return entry, nil
		}
	}
	return nil, fmt.Errorf("it has no part %s", name)
}
