package service

import (
	"bytes"
	"errors"
	"hash/fnv"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Part is a part of a document that may say something about a person: an object that names somebody or has contact
// data, or a single text.
type Part struct {
	Path string // such as shareholders[3]
	In   int    // the part around it, by its place in the list from 1; 0 for none. It goes with that one.
	// Of an object:
	Name                       string
	CompanyName, CompanyDomain string
	Emails, Phones, Pages      []string
	// Text is the text, "" for an object.
	Text string
	Hash uint32 // of its bytes
}

// Form says how the members of a document itself are read.
type Form struct {
	// Own is set where the document is about one person: the name and the contact data among its members are no parts.
	Own bool
	// Together begins the names of members that are about one person. They are one part, and go together.
	Together string
}

// Parts returns the parts of a document, in its order.
func Parts(document []byte, form Form) []Part {
	w := partWalk{form: form}
	w.value(document, spot{root: true})
	return w.parts
}

// WithoutParts returns a document without some of its parts, by their places in the list of Parts from 0. An
// element of an array is taken out of it, and the value of a member becomes null. The other bytes stay.
func WithoutParts(document []byte, form Form, drop map[int]bool) []byte {
	w := partWalk{form: form, drop: drop}
	return w.value(document, spot{root: true})
}

// deepest is how deep a document is read. What lies deeper is taken for one text.
const deepest = 40

// partWalk goes through a document. The places of its parts are the same in each walk.
type partWalk struct {
	form  Form
	drop  map[int]bool
	parts []Part
}

// spot is where a value stands.
type spot struct {
	path  string
	in    int // the part around it
	depth int
	root  bool
	own   bool // it is about the person of the whole document
}

// value returns a value without the parts that are dropped; nil when it is dropped itself.
func (w *partWalk) value(raw []byte, at spot) []byte {
	switch {
	case len(raw) == 0:
		return raw
	case (raw[0] == '{' || raw[0] == '[') && at.depth == deepest:
		return w.text(raw, string(raw), at)
	case raw[0] == '{':
		return w.object(raw, at)
	case raw[0] == '[':
		return w.array(raw, at)
	case raw[0] == '"' && !at.own:
		return w.text(raw, unquoted(raw), at)
	}
	return raw
}

// add adds a part and returns its place from 1.
func (w *partWalk) add(p Part, raw []byte, at spot) int {
	hash := fnv.New32a()
	_, _ = hash.Write(raw) // a hash takes everything
	p.Path, p.In, p.Hash = at.path, at.in, hash.Sum32()
	w.parts = append(w.parts, p)
	return len(w.parts)
}

// dropped reports whether a part is dropped.
func (w *partWalk) dropped(place int) bool { return place > 0 && w.drop[place-1] }

func (w *partWalk) text(raw []byte, text string, at spot) []byte {
	if strings.TrimSpace(text) == "" {
		return raw
	}
	if w.dropped(w.add(Part{Text: text}, raw, at)) {
		return nil
	}
	return raw
}

func (w *partWalk) array(raw []byte, at spot) []byte {
	elements, err := elementsOf(raw)
	if err != nil {
		return w.text(raw, string(raw), at)
	}
	inner := spot{in: at.in, depth: at.depth + 1}
	changed, kept := false, make([][]byte, 0, len(elements))
	for i, element := range elements {
		inner.path = at.path + "[" + strconv.Itoa(i) + "]"
		value := w.value(element, inner)
		changed = changed || !same(value, element)
		if value != nil {
			kept = append(kept, value)
		}
	}
	if !changed {
		return raw
	}
	return joined('[', kept, ']')
}

func (w *partWalk) object(raw []byte, at spot) []byte {
	members, err := membersOf(raw)
	if err != nil {
		return w.text(raw, string(raw), at)
	}
	place, together := 0, 0
	if about := describe(members, ""); !at.root && about.names() {
		place = w.add(about, raw, at)
		at.in = place
	}
	if at.root && w.form.Together != "" {
		if about := describe(members, w.form.Together); about.names() {
			together = w.add(about, raw, spot{path: w.form.Together + "…"})
		}
	}
	changed, kept := false, make([][]byte, 0, len(members))
	for _, m := range members {
		inner := spot{path: strings.TrimPrefix(at.path+"."+m.name, "."), in: at.in, depth: at.depth + 1}
		if at.root && w.form.Own {
			own := describe([]member{m}, "")
			inner.own = own.names() || own.CompanyName != "" || own.CompanyDomain != ""
		}
		grouped := together > 0 && strings.HasPrefix(m.name, w.form.Together)
		if grouped {
			inner.in = together
		}
		name := 0
		if strings.Contains(m.name, " ") { // no member of the specification: it may name a person
			name = w.add(Part{Text: m.name}, m.quoted, inner)
		}
		value := w.value(m.value, inner)
		if grouped && w.dropped(together) {
			value = nil
		}
		changed = changed || !same(value, m.value) || w.dropped(name)
		if w.dropped(name) {
			continue
		}
		if value == nil {
			value = []byte("null")
		}
		kept = append(kept, bytes.Join([][]byte{m.quoted, value}, []byte(":")))
	}
	switch {
	case w.dropped(place):
		return nil
	case !changed:
		return raw
	}
	return joined('{', kept, '}')
}

// same reports whether a value is still the one at the same place of the document.
func same(value, was []byte) bool {
	return len(value) == len(was) && (len(was) == 0 || &value[0] == &was[0])
}

func joined(opening byte, values [][]byte, closing byte) []byte {
	return append(append([]byte{opening}, bytes.Join(values, []byte(","))...), closing)
}

// names reports whether an object says who somebody is.
func (p Part) names() bool { return p.Name != "" || len(p.Emails)+len(p.Phones)+len(p.Pages) > 0 }

// describe returns what the members of an object say about somebody. Only those count whose names begin with prefix.
func describe(members []member, prefix string) (p Part) {
	first, last := "", ""
	for _, m := range members {
		name, counts := strings.CutPrefix(m.name, prefix)
		if !counts || len(m.value) == 0 {
			continue
		}
		if m.value[0] == '{' {
			if name == "company" && prefix == "" {
				p.CompanyName, p.CompanyDomain = employer(m.value)
			}
			continue
		}
		for _, text := range plainTexts(m.value) {
			switch {
			case name == "first_name":
				first = text
			case name == "last_name":
				last = text
			case name == "full_name", name == "name" && p.Name == "":
				p.Name = text
			case name == "company_name", name == "organization":
				p.CompanyName = text
			case name == "domain", name == "company_domain", name == "company_website":
				p.CompanyDomain = text
			case strings.Contains(name, "email"):
				p.Emails = append(p.Emails, text)
			case strings.Contains(name, "phone"), strings.Contains(name, "mobile"):
				p.Phones = append(p.Phones, text)
			case name == "pro_network", name == "microblog", name == "social", strings.HasSuffix(name, "url"):
				p.Pages = append(p.Pages, text)
			}
		}
	}
	if p.Name == "" {
		p.Name = strings.TrimSpace(first + " " + last)
	}
	return p
}

// employer returns the name and the website of the company of somebody.
func employer(raw []byte) (name, domain string) {
	company, _ := ParseObject(raw)
	if domain = company.Text("website"); domain == "" {
		domain = company.Text("domain")
	}
	return company.Text("name"), domain
}

// plainTexts returns a text, or the texts of a list. A number counts as one.
func plainTexts(raw []byte) (texts []string) {
	switch {
	case raw[0] == '"':
		if text := strings.TrimSpace(unquoted(raw)); text != "" {
			return []string{text}
		}
	case raw[0] == '[':
		elements, _ := elementsOf(raw)
		for _, element := range elements {
			if element[0] != '[' {
				texts = append(texts, plainTexts(element)...)
			}
		}
	case raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9':
		return []string{string(raw)}
	}
	return texts
}

// unquoted returns the text of a JSON string.
func unquoted(raw []byte) string {
	text, _ := jsontext.AppendUnquote(nil, raw) // the only error is of characters that it replaces
	return string(text)
}

// member is a member of an object, with its name as it stands there.
type member struct {
	name          string
	quoted, value []byte
}

// membersOf returns the members of an object in their order.
func membersOf(data []byte) (members []member, err error) {
	err = eachValue(data, func(name, quoted, value []byte) {
		members = append(members, member{string(name), quoted, value})
	})
	return members, err
}

// elementsOf returns the elements of an array.
func elementsOf(data []byte) (elements [][]byte, err error) {
	err = eachValue(data, func(_, _, value []byte) { elements = append(elements, value) })
	return elements, err
}

// errNotWhole says that a text is not one JSON object or array.
var errNotWhole = errors.New("not one JSON object or array")

// eachValue visits the values of an object, with their names, or of an array. What it hands over are parts of data.
func eachValue(data []byte, visit func(name, quoted, value []byte)) error {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	opening, err := decoder.ReadToken()
	if err != nil {
		return err
	}
	isObject := opening.Kind() == '{'
	if !isObject && opening.Kind() != '[' {
		return errNotWhole
	}
	// next returns the next value as a part of data.
	next := func() ([]byte, error) {
		value, err := decoder.ReadValue()
		end := decoder.InputOffset()
		return data[end-int64(len(value)) : end : end], err
	}
	for kind := decoder.PeekKind(); kind != '}' && kind != ']'; kind = decoder.PeekKind() {
		var name, quoted []byte
		if isObject {
			if quoted, err = next(); err != nil {
				return err
			}
			name, _ = jsontext.AppendUnquote(nil, quoted) // the only error is of characters that it replaces
		}
		value, err := next()
		if err != nil {
			return err
		}
		visit(name, quoted, value)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return errNotWhole
	}
	return nil
}
