// This file has the records of the v2 interface as typed values, and reads them from what
// the service sent.
//
// Reading is lenient, because an answer is paid for. A member that is missing or null is not
// known, which is not the same as zero or empty. Members that the specification does not name are
// ignored, except those of a financial year, which are kept. A member that cannot be read is
// listed among the [enrich.CellProblems] of the answer, and the rest is read. Only an answer that is not such
// a record at all is an error. No error and no problem quotes a value.
//
// Each record is described once, by its method members. The description serves to read it, and to
// list its columns and cells for tables.

package v2

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
)

// members goes through the members of a record, in one of three ways: it reads them from JSON, or it lists their
// columns, or their cells.
type members struct {
	reading  bool
	listing  bool                 // the cells
	outline  bool                 // when reading: of lists and of records within the record, only whether they are there
	only     map[string]bool      // when reading: the members that are wanted; nil for all
	from     []member             // when reading
	at       int                  // of the member behind the one that was found last
	above    func() string        // the path of the record within the answer; nil for the answer itself
	problems *enrich.CellProblems // when reading
	there    int                  // members that the object has
	unread   int                  // those of them that could not be read

	columns []enrich.TableColumn
	cells   []enrich.Cell
}

// member is a member of an object, with its value as it is written.
type member struct{ name, value []byte }

// reader returns members that are read from an object, and false for anything else.
func reader(data []byte, problems *enrich.CellProblems) (*members, bool) {
	m := &members{reading: true, problems: problems}
	return m, m.parse(data)
}

// only returns members that are read from an object with one member.
func only(name string, value []byte, problems *enrich.CellProblems) *members {
	return &members{reading: true, from: []member{{[]byte(name), value}}, problems: problems}
}

// The records, as errors name them.
const (
	companyRecord  = "a company record"
	employeeRecord = "an employee record"
	insightsRecord = "a digital insights record"
)

// parse takes the members of an object in place of those before. Of members with one name it takes the last one. It
// reports false for anything but an object.
func (m *members) parse(data []byte) bool {
	m.from, m.at = withRoom(m.from[:0], data), 0
	var seen [4]uint64 // marks of the names; few names share one
	return service.EachMember(data, func(name, value []byte) bool {
		mark := markOf(name)
		if seen[mark/64]&(1<<(mark%64)) != 0 {
			for i := range m.from {
				if bytes.Equal(m.from[i].name, name) {
					m.from[i].value = value
					return true
				}
			}
		}
		seen[mark/64] |= 1 << (mark % 64)
		m.from = append(m.from, member{name, value})
		return true
	})
}

// borrow gives the members memory, until the returned function is called.
func (m *members) borrow() (giveBack func()) {
	list := memberLists.Get().(*[]member)
	m.from = *list
	return func() {
		clear(m.from[:cap(m.from)]) // the bodies
		*list, m.from = m.from[:0], nil
		memberLists.Put(list)
	}
}

// memberLists are lists that nobody uses.
var memberLists = sync.Pool{New: func() any { return new([]member) }}

// withRoom returns an empty list that has room for about as many members as an object has.
func withRoom(before []member, object []byte) []member {
	const usual = 40 // bytes of a member
	if room := min(max(len(object)/usual, 8), 512); cap(before) < room {
		return make([]member, 0, room)
	}
	return before[:0]
}

// markOf returns a small number that follows from a name.
func markOf(name []byte) uint8 {
	mark := uint8(len(name))
	for _, b := range name {
		mark = mark*31 + b
	}
	return mark
}

// find returns the value of a member. Records are described in much the order in which their members are written, so it
// looks behind the one that was found last first.
func (m *members) find(name string) ([]byte, bool) {
	for i := m.at; i < len(m.from); i++ {
		if string(m.from[i].name) == name {
			m.at = i + 1
			return m.from[i].value, true
		}
	}
	for i := range m.from[:min(m.at, len(m.from))] {
		if string(m.from[i].name) == name {
			m.at = i + 1
			return m.from[i].value, true
		}
	}
	return nil, false
}

// columnsOf lists the columns of a record.
func columnsOf[T any](describe func(*members, *T)) []enrich.TableColumn {
	m := &members{}
	describe(m, new(T))
	return m.columns
}

// cellsOf lists the cells of a record, in the order of its columns.
func cellsOf[T any](value T, describe func(*members, *T)) []enrich.Cell {
	m := &members{listing: true, cells: make([]enrich.Cell, 0, 32)}
	describe(m, &value)
	return m.cells
}

// appendTexts appends the texts of the cells of a record, as a list shows them.
func appendTexts[T any](texts []string, value *T, describe func(*members, *T)) []string {
	m := listers.Get().(*members)
	m.cells = m.cells[:0]
	describe(m, value)
	for _, cell := range m.cells {
		texts = append(texts, shownCell(cell))
	}
	clear(m.cells) // the texts
	listers.Put(m)
	return texts
}

// listers are members that nobody uses. The cells of a record take more memory than its texts.
var listers = sync.Pool{New: func() any { return &members{listing: true} }}

// lister lists the cells of many records, which share their memory.
type lister struct {
	members
	longest int // the most cells of a record so far
}

// listed lists the cells of a record, in the order of its columns.
func listed[T any](l *lister, value T, describe func(*members, *T)) []enrich.Cell {
	const together = 128 // cells
	if cap(l.cells)-len(l.cells) < max(l.longest, together/8) {
		l.cells = make([]enrich.Cell, 0, together)
	}
	l.listing = true
	first := len(l.cells)
	describe(&l.members, &value)
	l.longest = max(l.longest, len(l.cells)-first)
	return l.cells[first:len(l.cells):len(l.cells)]
}

// raw returns a member that is wanted, there and not null.
func (m *members) raw(name string) (json.RawMessage, bool) {
	raw, there := m.find(name)
	if there {
		m.there++
	}
	return raw, there && string(raw) != "null" && (m.only == nil || m.only[name])
}

// add lists a column or its cell.
func (m *members) add(column enrich.TableColumn, cell enrich.Cell) {
	if m.listing {
		m.cells = append(m.cells, cell)
	} else {
		m.columns = append(m.columns, column)
	}
}

func (m *members) problem(name, want string) {
	m.unread++
	m.problems.Add(m.pathOf(name), want)
}

// pathOf returns the path of a member within the answer.
func (m *members) pathOf(name string) string {
	if m.above == nil {
		return pathName(name)
	}
	return m.above() + "." + pathName(name)
}

// scalar describes a member with one value.
func scalar[T any](
	m *members, name string, kind enrich.CellKind, into *cost.Optional[T],
	parse func(json.RawMessage) (T, bool), cell func(*enrich.Cell, T),
) {
	if !m.reading {
		m.add(enrich.TableColumn{Name: name, Kind: kind}, enrich.Cell{Kind: kind, Known: into.Known})
		if m.listing && into.Known {
			cell(&m.cells[len(m.cells)-1], into.Value)
		}
		return
	}
	*into = cost.Optional[T]{}
	raw, there := m.raw(name)
	if !there || kind != enrich.TextCell && string(raw) == `""` { // an empty text is no date and no number
		return
	}
	value, ok := parse(raw)
	if !ok {
		m.problem(name, kind.String())
		return
	}
	*into = cost.Known(value)
}

// cellOf reads the value of a member of the kind of a column, if it is there.
func (m *members) cellOf(column enrich.TableColumn, raw json.RawMessage, there bool) enrich.Cell {
	c := enrich.Cell{Kind: column.Kind}
	if !there || column.Kind != enrich.TextCell && string(raw) == `""` {
		return c
	}
	switch column.Kind {
	case enrich.IntegerCell:
		c.Integer, c.Known = parseInteger(raw)
	case enrich.NumberCell:
		c.Number, c.Known = parseNumber(raw)
	case enrich.DateCell:
		c.Time, c.Known = parseDate(raw)
	default:
		c.Text, c.Known = parseText(raw)
	}
	if !c.Known {
		m.problem(column.Name, column.Kind.String())
		return enrich.Cell{Kind: column.Kind}
	}
	return c
}

// text describes a text. A number counts as one.
func (m *members) text(name string, into *cost.Optional[string]) {
	scalar(m, name, enrich.TextCell, into, parseText, func(c *enrich.Cell, value string) { c.Text = value })
}

// integer describes a number without a fraction.
func (m *members) integer(name string, into *cost.Optional[int64]) {
	scalar(m, name, enrich.IntegerCell, into, parseInteger, func(c *enrich.Cell, value int64) { c.Integer = value })
}

// number describes a number. A text that holds one counts.
func (m *members) number(name string, into *cost.Optional[float64]) {
	scalar(m, name, enrich.NumberCell, into, parseNumber, func(c *enrich.Cell, value float64) { c.Number = value })
}

// flag describes a member that is true or false.
func (m *members) flag(name string, into *cost.Optional[bool]) {
	scalar(m, name, enrich.FlagCell, into, parseFlag, func(c *enrich.Cell, value bool) { c.Flag = value })
}

// date describes a date.
func (m *members) date(name string, into *cost.Optional[time.Time]) {
	scalar(m, name, enrich.DateCell, into, parseDate, func(c *enrich.Cell, value time.Time) { c.Time = value })
}

// dateTime describes a date and time without a zone. One with a zone is that of UTC.
func (m *members) dateTime(name string, into *cost.Optional[time.Time]) {
	scalar(m, name, enrich.DateTimeCell, into, parseTimestamp, func(c *enrich.Cell, value time.Time) { c.Time = value })
}

// timestamp describes a point in time. One without a zone is in UTC.
func (m *members) timestamp(name string, into *cost.Optional[time.Time]) {
	scalar(m, name, enrich.TimestampCell, into, parseTimestamp, func(c *enrich.Cell, value time.Time) { c.Time = value })
}

// texts describes a list of texts. It is nil when it is not known. A single text counts as a list
// of one, and elements that are null are left out.
func (m *members) texts(name string, into *[]string) {
	if !m.reading {
		m.list(name, *into)
		return
	}
	*into = nil
	raw, there := m.raw(name)
	if !there {
		return
	}
	if one, ok := parseText(raw); ok {
		*into = []string{one}
		return
	}
	*into = eachElement(m, name, raw, enrich.TextsCell.String(), func(path func() string, element json.RawMessage) (string, bool) {
		text, ok := parseText(element)
		if !ok {
			m.problems.Add(path(), enrich.TextCell.String())
		}
		return text, ok
	})
}

// list adds a column with a list of texts that does not stand in the answer as it is.
func (m *members) list(name string, texts []string) {
	m.add(enrich.TableColumn{Name: name, Kind: enrich.TextsCell}, enrich.Cell{Kind: enrich.TextsCell, Known: texts != nil, Texts: texts})
}

// values describes a list of values of any shape, each as compact JSON, and a text as it is.
func (m *members) values(name string, into *[]string) {
	if !m.reading {
		m.list(name, *into)
		return
	}
	*into = nil
	if raw, there := m.raw(name); there {
		*into = eachElement(m, name, raw, "a list", func(_ func() string, element json.RawMessage) (string, bool) {
			return plainValue(element), true
		})
	}
}

// records describes a list of records, which have a table of their own. It is nil when it is not
// known. Elements that are null are left out.
func records[T any](m *members, name string, into *[]T, describe func(*members, *T)) {
	if !m.reading {
		return
	}
	*into = nil
	if raw, there := m.raw(name); there {
		*into = readList(m, name, raw, describe)
	}
}

// readList reads a list of records.
func readList[T any](m *members, name string, raw json.RawMessage, describe func(*members, *T)) []T {
	inner := &members{reading: true, problems: m.problems}
	return eachElement(m, name, raw, "a list", func(path func() string, element json.RawMessage) (value T, ok bool) {
		if !inner.parse(element) {
			m.problems.Add(path(), "an object")
			return value, false
		}
		inner.above = path
		describe(inner, &value)
		return value, true
	})
}

// eachElement reads the elements of a list. Those that are null or cannot be read are left out.
func eachElement[T any](
	m *members, name string, raw json.RawMessage, want string,
	read func(path func() string, element json.RawMessage) (T, bool),
) []T {
	all, i := []T{}, -1
	if m.outline && raw[0] == '[' {
		return all
	}
	path := func() string { return m.pathOf(name) + "[" + strconv.Itoa(i) + "]" }
	isList := service.EachElement(raw, func(element []byte) bool {
		i++
		if string(element) == "null" {
			return true
		}
		if value, ok := read(path, element); ok {
			all = append(all, value)
		}
		return true
	})
	if !isList {
		m.problem(name, want)
		return nil
	}
	return all
}

// record describes a member that is a record itself, which has no columns.
func record[T any](m *members, name string, into *T, describe func(*members, *T)) {
	if !m.reading {
		return
	}
	raw, there := m.raw(name)
	if !there || m.outline && raw[0] == '{' {
		return
	}
	inner, ok := reader(raw, m.problems)
	if !ok {
		m.problem(name, "an object")
		return
	}
	inner.above = func() string { return m.pathOf(name) }
	describe(inner, into)
}

// nested describes the members of a member that is a record itself. Its columns have a prefix.
func (m *members) nested(name, prefix string, describe func(*members)) {
	if m.reading {
		record(m, name, new(struct{}), func(m *members, _ *struct{}) { describe(m) })
		return
	}
	first := len(m.columns)
	describe(m)
	for i := range m.columns[first:] {
		m.columns[first+i].Name = prefix + m.columns[first+i].Name
	}
}

// decode reads a record of which at least one member is there.
func decode[T any](
	body []byte, what string, problems *enrich.CellProblems, describe func(*members, *T),
) (value T, err error) {
	return decodeWith(&members{reading: true, problems: problems}, body, what, describe)
}

// decodeOutline is decode without the elements of lists, which are empty, and without the members of records within the
// record. It finds the same errors, and whether nothing can be read.
func decodeOutline[T any](
	body []byte, what string, problems *enrich.CellProblems, describe func(*members, *T),
) (value T, err error) {
	return decodeWith(&members{reading: true, outline: true, problems: problems}, body, what, describe)
}

// decodeOnly is decode for some members alone. It finds the same errors.
func decodeOnly[T any](
	body []byte, what string, only map[string]bool, problems *enrich.CellProblems, describe func(*members, *T),
) (value T, err error) {
	return decodeWith(&members{reading: true, only: only, problems: problems}, body, what, describe)
}

func decodeWith[T any](m *members, body []byte, what string, describe func(*members, *T)) (value T, err error) {
	defer m.borrow()()
	if !m.parse(body) {
		return value, fmt.Errorf("the body is not a JSON object, so it is not %s", what)
	}
	describe(m, &value)
	if m.there == 0 {
		return value, fmt.Errorf("the body has no member of %s", what)
	}
	m.problems.All = m.unread == m.there
	return value, nil
}

func parseText(raw json.RawMessage) (string, bool) {
	if len(raw) > 0 && raw[0] == '"' {
		return service.Literal(raw).Text(), true
	}
	return string(raw), isNumber(raw)
}

func parseInteger(raw json.RawMessage) (int64, bool) {
	n := service.Literal(raw).Integer()
	return n.Value, n.Known
}

func parseNumber(raw json.RawMessage) (float64, bool) {
	literal := raw
	if len(raw) > 0 && raw[0] == '"' {
		literal = json.RawMessage(strings.TrimSpace(service.Literal(raw).String().Value))
		if !json.Valid(literal) {
			return 0, false
		}
	}
	if !isNumber(literal) {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(literal), 64)
	return n, err == nil && !math.IsInf(n, 0)
}

// isNumber reports whether a JSON value is a number.
func isNumber(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9')
}

func parseFlag(raw json.RawMessage) (bool, bool) {
	b := service.Literal(raw).Bool()
	return b.Value, b.Known
}

func parseDate(raw json.RawMessage) (time.Time, bool) {
	at, ok := parseTimestamp(raw)
	return at.Truncate(24 * time.Hour), ok
}

func parseTimestamp(raw json.RawMessage) (time.Time, bool) {
	at := service.Literal(raw).Time()
	return at, !at.IsZero()
}

// plainValue returns a JSON value as text: a text as it is, anything else as compact JSON.
func plainValue(raw json.RawMessage) string {
	if text, ok := parseText(raw); ok {
		return text
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return ""
	}
	return strings.ToValidUTF8(compact.String(), "\uFFFD")
}
