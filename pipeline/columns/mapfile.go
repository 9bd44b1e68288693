// This file reads and writes mapping files: how the columns of lists with certain headers are read, for
// a person to edit.

package columns

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"payonce/io/atomicfile"
	"payonce/io/table"
	"payonce/pipeline/problem"
)

// mappingEnding is how the names of mapping files end.
const mappingEnding = ".map.yaml"

// version is the version of the files that this program writes and reads.
const version = 1

// MappingNameFor returns the name of the mapping file of a list.
func MappingNameFor(list string) string { return list + mappingEnding }

// MappingFile is a mapping file.
type MappingFile struct {
	Path    string
	headers []string
	roles   map[string]entry
}

// entry is the value of a role: columns by header or number.
type entry struct {
	columns []string
	line    int
}

// document is a mapping file as it is written.
type document struct {
	Version int              `yaml:"version"`
	Headers []string         `yaml:"headers"`
	Map     map[string]entry `yaml:"map"`
}

// UnmarshalYAML takes a column or a list of columns.
func (e *entry) UnmarshalYAML(node *yaml.Node) error {
	e.line = node.Line
	items := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		items = node.Content
	}
	for _, item := range items {
		if item.Kind != yaml.ScalarNode {
			return errors.New("give a column, or a list of columns")
		}
		if item.ShortTag() == "!!null" {
			continue // "email:" alone means no column
		}
		e.columns = append(e.columns, item.Value)
	}
	return nil
}

// readMappingFile reads a mapping file. Its errors name the file and the line.
func readMappingFile(path string) (*MappingFile, error) {
	data, err := atomicfile.ReadSmall(path)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	return parse(path, data)
}

// parse reads the text of a mapping file.
func parse(path string, data []byte) (*MappingFile, error) {
	var found document
	if err := yaml.Load(data, &found, yaml.WithKnownFields()); err != nil {
		return nil, problem.Usagef("%w", withLine(path, err))
	}
	if found.Version != version {
		return nil, problem.Usagef("%s: this is not a mapping file of version %d, the one that this program reads; its first line is version: %d",
			path, version, version)
	}
	for role, e := range found.Map {
		if !isRole(role) {
			return nil, problem.Usagef("%s:%d: unknown field %q; write one of %s", path, e.line, role, roleNames())
		}
	}
	return &MappingFile{Path: path, headers: found.Headers, roles: found.Map}, nil
}

// withLine puts the file and the line before an error of the YAML reader.
func withLine(path string, err error) error {
	var several *yaml.LoadErrors
	if errors.As(err, &several) {
		var texts []error
		for _, e := range several.Errors {
			texts = append(texts, fmt.Errorf("%s:%d: %s", path, max(e.Mark.Line, 1), strings.TrimPrefix(e.Message, "yaml: ")))
		}
		return errors.Join(texts...)
	}
	if one, is := errors.AsType[*yaml.LoadError](err); is {
		return fmt.Errorf("%s:%d: %s", path, max(one.Mark.Line, 1), one.Message)
	}
	return fmt.Errorf("%s: %w", path, err)
}

func roleNames() string {
	var names []string
	for _, role := range Roles() {
		names = append(names, string(role))
	}
	return strings.Join(names, ", ")
}

// Fits reports whether the file is for lists with these columns.
func (f *MappingFile) Fits(schema table.Schema) bool { return slices.Equal(f.headers, schema.Columns) }

// difference says where the columns of a list differ from those of the file.
func (f *MappingFile) difference(schema table.Schema) string {
	for i := range max(len(f.headers), len(schema.Columns)) {
		switch {
		case i >= len(f.headers):
			return fmt.Sprintf("column #%d %q is not in it", i+1, schema.Columns[i])
		case i >= len(schema.Columns):
			return fmt.Sprintf("column #%d %q of it is not in the list", i+1, f.headers[i])
		case f.headers[i] != schema.Columns[i]:
			return fmt.Sprintf("column #%d is %q in it and %q in the list", i+1, f.headers[i], schema.Columns[i])
		}
	}
	return "nothing"
}

// Overrides returns what the file says, in the form of Options.
func (f *MappingFile) Overrides(schema table.Schema) ([]string, error) {
	var overrides []string
	for _, role := range Roles() {
		e, found := f.roles[string(role)]
		if !found {
			continue
		}
		var names []string
		for _, name := range e.columns {
			column, err := Find(schema, name)
			if err != nil {
				return nil, problem.Usagef("%s:%d: %s: %w", f.Path, e.line, role, err)
			}
			names = append(names, NameOf(schema, column))
		}
		if len(names) > 1 && (role == Email || role == Phone) {
			return nil, problem.Usagef("%s:%d: values of %s are written to one column; name the others under held_%s", f.Path, e.line, role, role)
		}
		overrides = append(overrides, string(role)+"="+strings.Join(names, ","))
	}
	return overrides, nil
}

// MappingFileFor returns the mapping file with the given name, else the one for a list in these files; nil for none. The
// notes are about files that are not used.
func MappingFileFor(named string, list []string, schema table.Schema) (found *MappingFile, notes []string, err error) {
	switch {
	case named != "":
		found, err = explicit(named, schema)
	case len(list) > 0:
		found, notes, err = forList(list[0], schema)
	}
	return found, notes, err
}

// forList finds the mapping file of a list: the one of its name, else another one in its directory for lists
// with the same columns. It returns nil when there is none, and notes about files that are not used.
func forList(list string, schema table.Schema) (found *MappingFile, notes []string, err error) {
	own := MappingNameFor(list)
	switch f, err := readMappingFile(own); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, nil, err
	case f.Fits(schema):
		return f, nil, nil
	default:
		notes = append(notes, fmt.Sprintf("%s is not used, because it is for other columns: %s", own, f.difference(schema)))
	}
	others := beside(own, schema)
	if len(others) == 0 {
		return nil, notes, nil
	}
	for _, other := range others[1:] {
		if !sameRoles(other, others[0]) {
			return nil, append(notes, fmt.Sprintf("%s and %s are both for lists with these columns, but they differ, so neither is used",
				others[0].Path, other.Path)), nil
		}
	}
	return others[0], notes, nil
}

// maxBeside is the most mapping files of a directory that are read.
const maxBeside = 200

// beside returns the other mapping files in a directory that are for lists with these columns. Files that
// cannot be read belong to other lists, and are left out.
func beside(own string, schema table.Schema) (found []*MappingFile) {
	entries, err := os.ReadDir(filepath.Dir(own))
	if err != nil {
		return nil
	}
	read := 0
	for _, e := range entries {
		path := filepath.Join(filepath.Dir(own), e.Name())
		if !strings.HasSuffix(e.Name(), mappingEnding) || path == filepath.Clean(own) || read == maxBeside {
			continue
		}
		read++
		if f, err := readMappingFile(path); err == nil && f.Fits(schema) {
			found = append(found, f)
		}
	}
	return found
}

func sameRoles(a, b *MappingFile) bool {
	return maps.EqualFunc(a.roles, b.roles, func(x, y entry) bool { return slices.Equal(x.columns, y.columns) })
}

// explicit reads a mapping file that the user named. It has to be for lists with these columns.
func explicit(path string, schema table.Schema) (*MappingFile, error) {
	f, err := readMappingFile(path)
	if err == nil && !f.Fits(schema) {
		err = problem.Usagef("%s is for other columns: %s; save one for this list", path, f.difference(schema))
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// WriteMappingFile writes a mapping of a list with these columns to a new file with this mode. It replaces only mapping
// files.
func WriteMappingFile(path, list string, schema table.Schema, mapping Mapping, mode fs.FileMode) error {
	if !strings.HasSuffix(path, ".yaml") && !strings.HasSuffix(path, ".yml") {
		return problem.Usagef("%s: a mapping is saved as YAML; choose a name that ends in %s", path, mappingEnding)
	}
	if _, err := os.Lstat(path); err == nil {
		if _, err := readMappingFile(path); err != nil {
			return problem.Usagef("%s exists and is not a mapping file; choose another name: %w", path, err)
		}
	}
	file, err := atomicfile.Create(path, mode)
	if err != nil {
		return err
	}
	defer file.Discard()
	text, err := render(list, schema, mapping)
	if err == nil {
		_, err = file.Write(text)
	}
	if err != nil {
		return err
	}
	return file.Commit()
}

// render returns the text of a mapping file.
func render(list string, schema table.Schema, mapping Mapping) ([]byte, error) {
	var text bytes.Buffer
	fmt.Fprintf(&text, "# How the columns of %s are read. It applies to lists with the same headers.\n"+
		"# Name columns by header or number, such as \"#3\". [] stands for no column. Of several, the first cell\n"+
		"# that is not blank counts. A line that is left out is recognised.\n", oneLine(list))
	roles := &yaml.Node{Kind: yaml.MappingNode}
	for _, role := range mapping.Roles() {
		names := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, column := range mapping[role] {
			names.Content = append(names.Content, scalar(NameOf(schema, column)))
		}
		roles.Content = append(roles.Content, scalar(string(role)), names)
	}
	headers := &yaml.Node{Kind: yaml.SequenceNode}
	for _, header := range schema.Columns {
		headers.Content = append(headers.Content, scalar(header))
	}
	root := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		scalar("version"),
		{Kind: yaml.ScalarNode, Value: fmt.Sprint(version)},
		scalar("map"), roles,
		scalar("headers"), headers,
	}}
	body, err := yaml.Marshal(root)
	text.Write(body)
	return text.Bytes(), err
}

// scalar returns a text, which is quoted where another type would be read.
func scalar(text string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(text)
	return node
}

// oneLine returns a name for a comment.
func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, cmp.Or(filepath.Base(name), "a list"))
}
