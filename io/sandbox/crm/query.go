package crm

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/io/sandbox/kit"
)

// query serves a COQL query: select FIELDS from Contacts [where CONDITION] [order by id] [limit N].
func (s *Server) query(r *http.Request) answer {
	var body struct {
		Query string `json:"select_query"`
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	if err != nil || json.Unmarshal(text, &body) != nil {
		return problem("INVALID_QUERY", nil)
	}
	p := &parser{words: tokens(body.Query)}
	names, where, limit := p.selection()
	switch {
	case p.code != "":
		return problem(p.code, map[string]any{"near": strings.Join(p.words[:min(1, len(p.words))], "")})
	case limit > 2000:
		return problem("INVALID_QUERY", map[string]any{"clause": "limit"})
	}
	var found []*record
	for _, id := range s.ids {
		contact := s.contacts[id]
		if contact == nil || !where(contact) {
			continue
		}
		if len(found) == limit {
			return pageOf(found, names, map[string]any{"count": limit, "more_records": true})
		}
		found = append(found, contact)
	}
	return pageOf(found, names, map[string]any{"count": len(found), "more_records": false})
}

var tokenPattern = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|[\w.]+|!=|>=|<=|\S`)

func tokens(text string) []string { return tokenPattern.FindAllString(text, -1) }

// condition reports whether a contact fits.
type condition func(*record) bool

// parser reads a query word by word. Its first error stays.
type parser struct {
	words []string
	code  kit.Code
	depth int
}

func (p *parser) fail(code kit.Code) {
	if p.code == "" {
		p.code = code
	}
}

// next returns the next word and takes it away.
func (p *parser) next() string {
	if len(p.words) == 0 {
		p.fail("SYNTAX_ERROR")
		return ""
	}
	word := p.words[0]
	p.words = p.words[1:]
	return word
}

// takes takes the words if they come next, in any case.
func (p *parser) takes(words ...string) bool {
	if len(p.words) < len(words) {
		return false
	}
	for i, word := range words {
		if !strings.EqualFold(p.words[i], word) {
			return false
		}
	}
	p.words = p.words[len(words):]
	return true
}

func (p *parser) needs(words ...string) {
	if !p.takes(words...) {
		p.fail("SYNTAX_ERROR")
	}
}

func (p *parser) selection() (names []string, where condition, limit int) {
	p.needs("select")
	for first := true; p.code == "" && (first || p.takes(",")); first = false {
		names = append(names, p.field())
	}
	p.needs("from")
	if p.next() != "Contacts" {
		p.fail("INVALID_QUERY")
	}
	where = func(*record) bool { return true }
	if p.takes("where") {
		where = p.either()
	}
	if p.takes("order", "by", "id") {
		p.takes("asc")
	}
	limit = 200
	if p.takes("limit") {
		limit, _ = strconv.Atoi(p.next())
	}
	if len(p.words) > 0 || limit < 1 {
		p.fail("SYNTAX_ERROR")
	}
	return names, where, limit
}

// field reads the name of a field of contacts or of their accounts.
func (p *parser) field() string {
	name := p.next()
	if _, known := fieldNamed(name); !known && name != "id" && name != "Account_Name.Website" && name != "Account_Name.Account_Name" {
		p.fail("INVALID_QUERY")
	}
	return name
}

func (p *parser) either() condition {
	left := p.both()
	for p.takes("or") {
		a, b := left, p.both()
		left = func(r *record) bool { return a(r) || b(r) }
	}
	return left
}

func (p *parser) both() condition {
	left := p.one()
	for p.takes("and") {
		a, b := left, p.one()
		left = func(r *record) bool { return a(r) && b(r) }
	}
	return left
}

func (p *parser) one() condition {
	never := func(*record) bool { return false }
	if p.depth++; p.depth > 100 {
		p.fail("SYNTAX_ERROR")
	}
	defer func() { p.depth-- }()
	if p.code != "" {
		return never
	}
	if p.takes("(") {
		inner := p.either()
		p.needs(")")
		return inner
	}
	name := p.field()
	switch {
	case p.takes("is", "not", "null"):
		return func(r *record) bool { return r.compared(name) != "" }
	case p.takes("is", "null"):
		return func(r *record) bool { return r.compared(name) == "" }
	case p.takes("not", "in"):
		values := p.values()
		return func(r *record) bool { return !slices.Contains(values, r.compared(name)) }
	case p.takes("in"):
		values := p.values()
		return func(r *record) bool { return slices.Contains(values, r.compared(name)) }
	case p.takes("like"):
		parts := strings.Split(regexp.QuoteMeta(p.value()), "%")
		pattern := regexp.MustCompile("(?is)^" + strings.Join(parts, ".*") + "$")
		return func(r *record) bool { return pattern.MatchString(r.compared(name)) }
	}
	operator, value := p.next(), p.value()
	holds := map[string]func(int) bool{
		"=": func(c int) bool { return c == 0 }, "!=": func(c int) bool { return c != 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
	}[operator]
	if holds == nil {
		p.fail("SYNTAX_ERROR")
		return never
	}
	return func(r *record) bool { return holds(compare(name, r.compared(name), value)) }
}

func (p *parser) values() (values []string) {
	p.needs("(")
	for first := true; p.code == "" && (first || p.takes(",")); first = false {
		values = append(values, p.value())
	}
	p.needs(")")
	return values
}

// value reads a text in quotes, or a number, a time or a truth value without.
func (p *parser) value() string {
	word := p.next()
	if strings.HasPrefix(word, "'") {
		return strings.ReplaceAll(strings.Trim(word, "'"), `\'`, "'")
	}
	return word
}

// compared returns the value of a field as conditions compare it.
func (r *record) compared(name string) string {
	below, ofAccount := strings.CutPrefix(name, "Account_Name.")
	switch {
	case name == "id":
		return r.id
	case name == "Modified_Time":
		return r.time()
	case name == "Account_Name":
		return r.account.id
	case ofAccount:
		return r.account.values[below]
	case name == "Email_Opt_Out" && r.values[name] == "":
		return "false"
	}
	return r.values[name]
}

// compare compares times as times, ids as numbers and other values as texts without case.
func compare(name, a, b string) int {
	if name == "Modified_Time" {
		x, _ := time.Parse(time.RFC3339, a)
		y, _ := time.Parse(time.RFC3339, b)
		return x.Compare(y)
	}
	if name == "id" && len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(strings.ToLower(a), strings.ToLower(b))
}
