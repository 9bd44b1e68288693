package columns

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/io/table"
)

// Options say how columns are recognised.
type Options struct {
	// Overrides of the form ROLE=COLUMN win over what headers and cells say. COLUMN is a header's name, "#3"
	// for the third column, several of them with commas, or empty when the list has no such column.
	Overrides []string
	// Saved are overrides from a mapping file. They count where Overrides do not name the role.
	Saved []string
	Held  Held
	// Preset names the program whose export the list is, AutoPreset or "" to find it, NoPreset for none.
	Preset string
	// Catalogue is that of the interface whose results an earlier output may have appended.
	Catalogue enrich.Catalogue
	// Others are those of further interfaces.
	Others []enrich.Catalogue
	// Asked are the kinds of subjects that the steps of a run ask about; none for persons. Columns that name
	// companies are found when a step asks about companies.
	Asked []enrich.Subject
	// Lenient returns a reading with doubts. Without it they are a DoubtsError.
	Lenient bool
}

// Why says why columns have a role.
type Why uint8

// The reasons, from the strongest.
const (
	Given    Why = iota // an override says so
	Saved               // a saved override says so
	ByPreset            // the preset of the list says so, and the cells do not disagree
	ByHeader            // the header says so, and the cells do not disagree
	ByCells             // the cells say so
	Beside              // a column of the other part of a name is next to it
)

// String continues "the column is used, because ".
func (w Why) String() string {
	return [...]string{
		Given: "you said so", Saved: "the mapping file says so", ByPreset: "the preset says so", ByHeader: "its header says so", ByCells: "its cells say so",
		Beside: "a column of the other part of the name is there",
	}[w]
}

// Held says which values in further columns count as held, so that they are not bought.
type Held uint8

// The rules for values in further columns.
const (
	HeldAll  Held = iota
	HeldWork      // no private mailboxes and no mobile numbers
	HeldNone
)

// heldNames are the rules as they are given.
var heldNames = [...]string{HeldAll: "all", HeldWork: "work-only", HeldNone: "none"}

// HeldNames returns the names of the rules.
func HeldNames() []string { return slices.Clone(heldNames[:]) }

// String returns the name of the rule.
func (h Held) String() string { return heldNames[h] }

// ParseHeld returns the rule of a name.
func ParseHeld(name string) (Held, error) {
	if found := slices.Index(heldNames[:], name); found >= 0 {
		return Held(found), nil
	}
	return 0, fmt.Errorf("%q: write all, work-only or none", name)
}

// Reading says how the columns of a list are read.
type Reading struct {
	// Lists is what the rows are. Where steps ask about companies alone, the columns tell: rows with first and
	// last names or with profiles of persons are persons, each with a company, and others are companies.
	// Otherwise rows are persons.
	Lists   enrich.Subject
	Mapping Mapping
	Why     map[Role]Why // of the roles in Mapping
	Preset  string       // the name of the one that was used; "" for none
	Unused  []Unused
	Doubts  []*AmbiguousError // roles that several columns could have; the first of them has it
}

// Unused is a column whose header says a role that its cells do not have.
type Unused struct {
	Column int
	Role   Role
	Holds  string // what the cells hold instead
}

// Text says that the column is not used, and why.
func (u Unused) Text(schema table.Schema) string {
	return fmt.Sprintf("column #%d %q is not used as %s, because it holds %s", u.Column+1, schema.Columns[u.Column], u.Role, u.Holds)
}

// UnusedText says which columns are not used although their headers say so, "" for none.
func (r *Reading) UnusedText(schema table.Schema) string {
	var text strings.Builder
	for _, u := range r.Unused {
		text.WriteString(". " + u.Text(schema))
	}
	return text.String()
}

// Fingerprint returns the SHA-256 of the names of the columns.
func Fingerprint(schema table.Schema) string {
	sum := sha256.Sum256([]byte(strings.Join(schema.Columns, "\x00")))
	return hex.EncodeToString(sum[:])
}

// Recognise finds the columns of every role.
func Recognise(schema table.Schema, sample Sample, options Options) (*Reading, error) {
	chosen, err := parseOverrides(schema, options.Overrides)
	if err != nil {
		return nil, err
	}
	saved, err := parseOverrides(schema, options.Saved)
	if err != nil {
		return nil, err
	}
	r := &recognition{
		schema: schema, catalogues: append([]enrich.Catalogue{options.Catalogue}, options.Others...), sample: sample, chosen: saved, strengths: headerStrengths(), taken: map[int]bool{},
		reading: &Reading{Mapping: Mapping{}, Why: map[Role]Why{}}, given: chosen,
	}
	maps.Copy(r.chosen, chosen)
	if r.preset, err = choosePreset(schema, options.Preset); err != nil {
		return nil, err
	} else if r.preset != nil {
		r.reading.Preset = r.preset.name
	}
	for _, columns := range r.chosen {
		for _, column := range columns {
			r.taken[column] = true
		}
	}
	r.find(options)
	if len(r.reading.Doubts) > 0 && !options.Lenient {
		return nil, DoubtsError(r.reading.Doubts)
	}
	return r.reading, nil
}

// find finds the columns of the roles that the subjects of the run have.
func (r *recognition) find(options Options) {
	asksCompanies := slices.Contains(options.Asked, enrich.Companies)
	if asksCompanies && !slices.Contains(options.Asked, enrich.Persons) && !r.listsPersons() {
		r.reading.Lists = enrich.Companies
		r.findCompanies()
		return
	}
	for _, role := range Shown() {
		if columns, overridden := r.chosen[role]; overridden {
			r.give(role, columns, r.whyChosen(role))
		} else if !r.byPreset(role) {
			r.recognise(role)
		}
	}
	r.findFullName()
	r.findContactID()
	r.findRecord()
	for _, role := range Filled() {
		r.findHeld(role, options.Held)
	}
	if asksCompanies {
		r.findCompanies()
	} else {
		r.giveChosen(ofCompanies())
	}
}

// giveChosen gives those roles that overrides name.
func (r *recognition) giveChosen(roles []Role) {
	for _, role := range roles {
		if columns, overridden := r.chosen[role]; overridden {
			r.give(role, columns, r.whyChosen(role))
		}
	}
}

// recognition is a Recognise under way.
type recognition struct {
	schema     table.Schema
	catalogues []enrich.Catalogue
	sample     Sample
	given      Mapping // by overrides
	chosen     Mapping // by them and by saved ones
	strengths  map[Role]map[string]int
	taken      map[int]bool // columns with a role
	preset     *preset      // nil for none
	reading    *Reading
}

// whyChosen returns which kind of override names a role.
func (r *recognition) whyChosen(role Role) Why {
	if _, given := r.given[role]; given {
		return Given
	}
	return Saved
}

func (r *recognition) give(role Role, columns []int, why Why) {
	if len(columns) == 0 {
		return
	}
	r.reading.Mapping[role], r.reading.Why[role] = columns, why
	for _, column := range columns {
		r.taken[column] = true
	}
}

// candidate is a column that may have a role.
type candidate struct {
	column, strength int
	blank            bool // the sample has no value of it
}

// recognise finds the column of a role by the headers, then by the cells.
func (r *recognition) recognise(role Role) {
	var found []candidate
	for column, header := range r.schema.Columns {
		strength, named := r.strength(role, header)
		if !named || r.isAppended(column) {
			continue
		}
		content := r.sample.of(column)
		if role == FullName && (r.taken[column] || strength == weak && 2*content.words < content.filled()) {
			continue // "Name" may be that of a company, or a first name alone
		}
		switch {
		case strength == byContent && !content.agrees(role):
		case strength < byContent && content.disagrees(role):
			r.reading.Unused = append(r.reading.Unused, Unused{column, role, content.most().describe()})
		case role == Email && content.areShared():
			r.reading.Unused = append(r.reading.Unused, Unused{column, role, "mailboxes of companies, such as info@"})
		default:
			found = append(found, candidate{column, strength, content.filled() == 0})
		}
	}
	if len(found) == 0 && role == ProfileURL {
		found = r.personPages()
	}
	r.choose(role, found)
}

// choose gives a role to the best of the columns that may have it.
func (r *recognition) choose(role Role, found []candidate) {
	if len(found) == 0 {
		return
	}
	best := slices.MinFunc(found, r.compare(role))
	if ties := slices.DeleteFunc(found, func(c candidate) bool { return r.compare(role)(best, c) != 0 }); len(ties) > 1 {
		columns := make([]int, len(ties))
		for i, tie := range ties {
			columns[i] = tie.column
		}
		r.reading.Doubts = append(r.reading.Doubts, &AmbiguousError{described(r.schema, columns), role, columns[0], columns})
	}
	why := ByHeader
	if best.strength >= byContent {
		why = ByCells
	}
	r.give(role, []int{best.column}, why)
}

// strength returns the strength of a header for a role.
func (r *recognition) strength(role Role, header string) (strength int, named bool) {
	for _, name := range spellings(header) {
		if strength, named = r.strengths[role][name]; named {
			return strength, true
		}
	}
	return 0, false
}

// compare returns how the candidates for a role are ordered. A column that is written to may be blank.
// Others that are blank come last. Public pages of persons come before those of tools for sales.
func (r *recognition) compare(role Role) func(a, b candidate) int {
	rank := func(c candidate) int {
		if c.blank && role != Email && role != Phone {
			return noName + c.strength
		}
		return c.strength
	}
	public := func(c candidate) int {
		if content := r.sample.of(c.column); role == ProfileURL && content.of(PersonPage) > content.of(SalesPage) {
			return 0
		}
		return 1
	}
	return func(a, b candidate) int { return cmp.Or(public(a)-public(b), rank(a)-rank(b)) }
}

// personPages returns the column of persons' pages whose header says nothing, when there is one alone.
func (r *recognition) personPages() []candidate {
	var found []candidate
	for column := range r.schema.Columns {
		content := r.sample.of(column)
		if r.taken[column] || 5*content.of(PersonPage) < 4*content.filled() || content.filled() == 0 ||
			content.repeats() || isAnothers(wordsOf(r.schema.Columns[column])) {
			continue
		}
		found = append(found, candidate{column: column, strength: noName})
	}
	if len(found) != 1 {
		return nil
	}
	return found
}

// findFullName finds the column of full names, where there are no columns of both first and last names. Beside
// one of the two, a column such as "Name" or "Nom" holds the other.
func (r *recognition) findFullName() {
	if columns, overridden := r.chosen[FullName]; overridden {
		r.give(FullName, columns, r.whyChosen(FullName))
		return
	}
	mapping := r.reading.Mapping
	_, firstGiven := r.chosen[FirstName]
	_, lastGiven := r.chosen[LastName]
	hasFirst, hasLast := len(mapping[FirstName]) > 0, len(mapping[LastName]) > 0
	switch {
	case hasFirst && hasLast:
		return
	case hasFirst && !lastGiven:
		r.giveLone(LastName, loneLast)
	case hasLast && !firstGiven:
		r.giveLone(FirstName, loneFirst)
	}
	if len(mapping[FirstName]) > 0 && len(mapping[LastName]) > 0 {
		return
	}
	if r.byPreset(FullName) {
		return
	}
	doubts, needed := r.reading.Doubts, !mapping.CanIdentify()
	r.recognise(FullName)
	if mapping.Column(FullName) == None {
		r.choose(FullName, r.reversedNames())
	}
	if len(r.reading.Doubts) > len(doubts) && !needed {
		r.reading.Doubts = doubts
		delete(r.taken, mapping.Column(FullName))
		delete(mapping, FullName)
		delete(r.reading.Why, FullName)
	}
}

// reversedNames returns the column with names of the form "Last, First" whose header says nothing, when there is one
// alone.
func (r *recognition) reversedNames() []candidate {
	var found []candidate
	for column, header := range r.schema.Columns {
		if !r.taken[column] && !r.isAppended(column) && r.sample.of(column).areReversedNames() && !isAnothers(wordsOf(header)) {
			found = append(found, candidate{column: column, strength: noName})
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found
}

// giveLone gives a role to the only column with one of some simplified names.
func (r *recognition) giveLone(role Role, names string) {
	found := columnsWhere(r.schema, func(header string) bool {
		return slices.Contains(strings.Fields(names), simplify(header))
	})
	if len(found) == 1 && !r.taken[found[0]] && !r.sample.of(found[0]).disagrees(role) {
		r.give(role, found, Beside)
	}
}

// findHeld finds further columns with values of a field.
func (r *recognition) findHeld(own Role, held Held) {
	role := HeldRole(own)
	if columns, overridden := r.chosen[role]; overridden {
		r.give(role, columns, r.whyChosen(role))
		return
	}
	if _, alone := r.chosen[own]; alone || held == HeldNone {
		return
	}
	var found []int
	for column := range r.schema.Columns {
		if !r.taken[column] && r.isHeld(column, role, held) {
			found = append(found, column)
		}
	}
	r.give(role, found, ByCells)
}

// isAnothers reports whether the words of a header say that a column is not about the person of the row.
func isAnothers(words []string) bool { return contains(words, otherPersons) || isOfCompany(words) }

// isHeld reports whether a column holds values of a field that are the person's own.
func (r *recognition) isHeld(column int, role Role, held Held) bool {
	content, words := r.sample.of(column), wordsOf(r.schema.Columns[column])
	if isAnothers(words) || contains(words, notValues) || content.repeats() || content.areShared() {
		return false
	}
	if role == HeldEmail {
		return content.agrees(role) || has(words, emailParts) && (content.filled() == 0 || content.of(EmailAddress) > 0)
	}
	if held == HeldWork && isPrivateNumber(r.schema.Columns[column]) {
		return false
	}
	return has(words, phoneParts) && !content.disagrees(role)
}

// RecordIDs returns the columns whose headers say that they hold the id of a record, such as "Record ID": by it another
// program finds the row again.
func RecordIDs(schema table.Schema) []int {
	return columnsWhere(schema, func(header string) bool {
		return slices.ContainsFunc(spellings(header), func(name string) bool { return slices.Contains(strings.Fields(recordIDs), name) })
	})
}
