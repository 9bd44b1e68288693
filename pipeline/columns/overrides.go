package columns

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"payonce/io/table"
)

// parseOverrides reads overrides of the form ROLE=COLUMN.
func parseOverrides(schema table.Schema, overrides []string) (Mapping, error) {
	chosen := Mapping{}
	for _, override := range overrides {
		name, column, ok := strings.Cut(override, "=")
		role := Role(name)
		if !ok || !isRole(name) {
			return nil, &OverrideError{override, fmt.Errorf("write FIELD=COLUMN, with FIELD one of %s", joinRoles())}
		}
		found, err := FindSeveral(schema, column)
		if err != nil {
			return nil, &OverrideError{override, err}
		}
		if _, twice := chosen[role]; twice {
			return nil, &OverrideError{override, fmt.Errorf("%s is mapped twice; give one column for it", role)}
		}
		if len(found) > 1 && (role == Email || role == Phone) {
			return nil, &OverrideError{override, fmt.Errorf("values of %s are written to one column; name the others with held_%s", role, role)}
		}
		chosen[role] = found
	}
	return chosen, nil
}

func joinRoles() string {
	var names []string
	for _, role := range Roles() {
		names = append(names, string(role))
	}
	return strings.Join(names, ", ")
}

// FindSeveral returns the column of a name or number, or several with commas between them.
func FindSeveral(schema table.Schema, text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	column, err := Find(schema, text)
	if err == nil {
		return []int{column}, nil
	}
	if !strings.Contains(text, ",") {
		return nil, err
	}
	var found []int
	for name := range strings.SplitSeq(text, ",") {
		column, err := Find(schema, strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(found, column) {
			found = append(found, column)
		}
	}
	return found, nil
}

// Find returns the column of a name, exact or but for case, spaces and punctuation, or of a number such
// as "#3".
func Find(schema table.Schema, name string) (int, error) {
	if name == "" {
		return None, fmt.Errorf("no column is named")
	}
	same := []func(header string) bool{
		func(header string) bool { return header == name },
		func(header string) bool {
			return !isNumber(name) && simplify(header) == simplify(name) && simplify(name) != ""
		},
	}
	for _, match := range same {
		switch found := columnsWhere(schema, match); len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return None, fmt.Errorf("columns %s are all called %q; choose one by its number, such as #%d",
				numbers(found), name, found[0]+1)
		}
	}
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= len(schema.Columns) {
			return n - 1, nil
		}
	}
	return None, fmt.Errorf("the list has no column %q; its columns are %s", name, List(schema))
}

// isNumber reports whether a text has the form of a column's number.
func isNumber(text string) bool {
	digits, ok := strings.CutPrefix(text, "#")
	_, err := strconv.Atoi(digits)
	return ok && err == nil
}

// Overrides returns the overrides that give this mapping for a list with these columns, whatever its cells
// hold. They name every role of Mapping.Roles.
func (m Mapping) Overrides(schema table.Schema) []string {
	var overrides []string
	for _, role := range m.Roles() {
		var names []string
		for _, column := range m[role] {
			names = append(names, nameOf(schema, column))
		}
		overrides = append(overrides, string(role)+"="+strings.Join(names, ","))
	}
	return overrides
}

// Override returns the override by which a column has a role in a list with these columns.
func Override(schema table.Schema, role Role, column int) string {
	return string(role) + "=" + nameOf(schema, column)
}

// nameOf returns what Find takes for a column: its number, unless another column has that for its name.
func nameOf(schema table.Schema, column int) string {
	number := fmt.Sprintf("#%d", column+1)
	if slices.Contains(schema.Columns, number) {
		return schema.Columns[column]
	}
	return number
}

// shownColumns is how many columns of a list are named in a message.
const shownColumns = 40

// List names the columns of a list for a person: by number where the header is
// empty, and of many the first.
func List(schema table.Schema) string {
	names := slices.Clone(schema.Columns[:min(len(schema.Columns), shownColumns)])
	for i, name := range names {
		names[i] = cmp.Or(name, fmt.Sprintf("#%d", i+1))
	}
	if more := len(schema.Columns) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func columnsWhere(schema table.Schema, match func(header string) bool) []int {
	var found []int
	for i, header := range schema.Columns {
		if match(header) {
			found = append(found, i)
		}
	}
	return found
}

func numbers(columns []int) string {
	texts := make([]string, len(columns))
	for i, column := range columns {
		texts[i] = fmt.Sprintf("#%d", column+1)
	}
	return strings.Join(texts, ", ")
}

func described(schema table.Schema, columns []int) string {
	texts := make([]string, len(columns))
	for i, column := range columns {
		texts[i] = fmt.Sprintf("#%d %q", column+1, schema.Columns[column])
	}
	return strings.Join(texts, " and ")
}

// NameOf returns the header of a column where Find takes it for that column alone, and else its number. It
// has no comma, so that several of them can stand in one override.
func NameOf(schema table.Schema, column int) string {
	name := schema.Columns[column]
	if found, err := Find(schema, name); err != nil || found != column || strings.Contains(name, ",") {
		return nameOf(schema, column)
	}
	return name
}

// isRole reports whether an override may name a role.
func isRole(name string) bool { return slices.Contains(Roles(), Role(name)) }

// Beneath returns those of saved overrides whose roles other overrides do not name.
func Beneath(overrides, saved []string) []string {
	return slices.DeleteFunc(slices.Clone(saved), func(s string) bool {
		role, _, _ := strings.Cut(s, "=")
		return slices.ContainsFunc(overrides, func(o string) bool { return strings.HasPrefix(o, role+"=") })
	})
}

// TakesSeveral reports whether all columns of a role count, not only the first one that is not blank.
func TakesSeveral(role Role) bool { return role == HeldEmail || role == HeldPhone }
