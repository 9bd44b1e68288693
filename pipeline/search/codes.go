package search

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"payonce/enrich"
)

// Codes are the codes of the values of filters, by the keys of the filters. The service does not publish those of an
// account, so somebody writes them into a file.
type Codes map[string][]Code

// Code is a value of a filter with its name.
type Code struct{ Code, Name string }

// nomenclatures are the keys of the filters whose nomenclature has another name (specification v2, "Employees").
func nomenclatures() map[string]string {
	return map[string]string{"seniority_level": "seniority", "departments": "department", "advance-contacts": "advance"}
}

// keyOf returns the key of the filter that a file names by its key or by its nomenclature.
func keyOf(name string) string {
	name = strings.TrimSpace(name)
	if key, known := nomenclatures()[name]; known {
		return key
	}
	return name
}

// ReadCodes reads a file of codes. A text of comma separated values has the columns filter, name and code. JSON and YAML
// have for each filter an object of codes by their names, or a list of objects with id and name.
func ReadCodes(data []byte, isCSV bool) (codes Codes, err error) {
	if isCSV {
		codes, err = readCodesCSV(string(data))
	} else {
		codes, err = readCodesYAML(data)
	}
	if err == nil && len(codes) == 0 {
		err = errors.New("it has no codes")
	}
	return codes, err
}

func readCodesCSV(text string) (Codes, error) {
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	header, err := reader.Read()
	if err != nil {
		return nil, err
	}
	var places [3]int
	for i, name := range []string{"filter", "name", "code"} {
		places[i] = slices.IndexFunc(header, func(column string) bool { return strings.EqualFold(strings.TrimSpace(column), name) })
		if places[i] < 0 {
			return nil, fmt.Errorf("it has no column %s; its columns are filter, name and code", name)
		}
	}
	codes := Codes{}
	for {
		row, err := reader.Read()
		if err == io.EOF {
			return codes, nil
		}
		if err != nil {
			return nil, err
		}
		if err := codes.add(row[places[0]], row[places[1]], row[places[2]]); err != nil {
			line, _ := reader.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// readCodesYAML reads YAML, and JSON, which is YAML.
func readCodesYAML(data []byte) (Codes, error) {
	var filters map[string]yaml.Node
	if err := yaml.Unmarshal(data, &filters); err != nil {
		return nil, fmt.Errorf("it is not an object of filters: %w", err)
	}
	codes := Codes{}
	for key, node := range filters {
		var byName map[string]string
		var listed []struct {
			ID   string `yaml:"id"`
			Name string `yaml:"name"`
		}
		if node.Decode(&byName) == nil {
			for name, code := range byName {
				if err := codes.add(key, name, code); err != nil {
					return nil, err
				}
			}
		} else if node.Decode(&listed) == nil {
			for _, code := range listed {
				if err := codes.add(key, code.Name, code.ID); err != nil {
					return nil, err
				}
			}
		} else {
			return nil, fmt.Errorf("line %d: %s has neither codes by their names nor a list of objects with id and name", node.Line, key)
		}
	}
	return codes, nil
}

// add adds a code. One name has one code.
func (c Codes) add(key, name, code string) error {
	key, name, code = keyOf(key), strings.TrimSpace(name), strings.TrimSpace(code)
	if key == "" || name == "" || code == "" {
		return fmt.Errorf("a code needs a filter, a name and a code; it has %q, %q and %q", key, name, code)
	}
	for _, other := range c[key] {
		if same := sameName(other.Name, name); same && other.Code != code {
			return fmt.Errorf("%s: the name %q has two codes, %s and %s", key, name, other.Code, code)
		} else if same {
			return nil
		}
	}
	c[key] = append(c[key], Code{Code: code, Name: name})
	return nil
}

// Check says which filters of the codes no search has.
func (c Codes) Check() error {
	known := map[string]bool{}
	for _, kind := range Kinds() {
		for _, key := range FilterKeys(kind.Operation) {
			known[key] = true
		}
	}
	for key := range c {
		if !known[key] {
			return fmt.Errorf("there is no filter %q in any search", key)
		}
	}
	return nil
}

// sameName reports whether two names are equal but for case, accents of other compositions and white space.
func sameName(a, b string) bool {
	return string(enrich.AppendName(nil, a)) == string(enrich.AppendName(nil, b))
}

// find returns the code of a name, or the code itself.
func (c Codes) find(key, text string) (string, bool) {
	text = strings.TrimSpace(text)
	for _, code := range c[key] {
		if code.Code == text {
			return code.Code, true
		}
	}
	for _, code := range c[key] {
		if sameName(code.Name, text) {
			return code.Code, true
		}
	}
	return "", false
}

// knows reports whether a text is a name or a code of a filter.
func (c Codes) knows(key, text string) bool {
	_, known := c.find(key, text)
	return known
}

// mostNames is how many names an error shows.
const mostNames = 8

// code returns the code of a name or of itself. A filter that has no codes takes every text. Of one that has some, a
// text that is neither is an error, because the account has no such value.
func (c Codes) code(key, text string) (string, error) {
	code, known := c.find(key, text)
	if known || len(c[key]) == 0 {
		return cmp.Or(code, text), nil
	}
	var names []string
	for _, one := range c[key] {
		names = append(names, one.Name)
	}
	slices.Sort(names)
	more := ""
	if len(names) > mostNames {
		names, more = names[:mostNames], ", …"
	}
	return "", fmt.Errorf("%q is neither a name nor a code in the file of codes; its names are %s%s", text, strings.Join(names, ", "), more)
}
