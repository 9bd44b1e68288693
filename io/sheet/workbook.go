package sheet

import (
	"archive/zip"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"
)

// Parts of a workbook.
const (
	workbookPart  = "xl/workbook.xml"
	relationsPart = "xl/_rels/workbook.xml.rels"
	typesPart     = "[Content_Types].xml"
	// calculationPart lists the cells with formulas. Programs write it again when it is missing.
	calculationPart = "xl/calcChain.xml"
)

// partOf returns the entry of the workbook that has the sheet.
func partOf(book *zip.Reader, sheet string) (*zip.File, error) {
	var sheets struct {
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"id,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := decodePart(book, workbookPart, &sheets); err != nil {
		return nil, err
	}
	var relations struct {
		Relations []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := decodePart(book, relationsPart, &relations); err != nil {
		return nil, err
	}
	for _, s := range sheets.Sheets {
		for _, r := range relations.Relations {
			if strings.EqualFold(s.Name, sheet) && r.ID == s.ID {
				return findPart(book, resolve(r.Target))
			}
		}
	}
	return nil, fmt.Errorf("it has no part for the sheet %s", sheet)
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
