package provider

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"payonce/enrich"
	"payonce/pipeline/columns"
	"payonce/pipeline/problem"
	"payonce/pipeline/scan"
)

// Step says what one step of a run asks, and which interface it asks.
type Step struct {
	Interface Interface
	Fields    enrich.Fields
	Subject   enrich.Subject
	// ByID says that the subjects are companies that answers of an earlier step name by their ids.
	ByID bool
	// Search says which companies the step searches for. The answers give their ids.
	Search scan.SearchScope
	// Searched is the search of an earlier step.
	Searched scan.SearchScope
	// WithoutID says that the step is for companies whose ids are not known.
	WithoutID bool
	// Resolves says that the step lets the service choose where that search could not decide.
	Resolves bool
	// Fallback says by which further identity of a row the step asks for what the steps before it did not find: 1 for the
	// second one, and so on; 0 for a step that asks by the first one.
	Fallback int
}

// Patterns returns the patterns by which the step asks.
func (s Step) Patterns() enrich.Patterns {
	switch can := s.Interface.Patterns; {
	case s.ByID:
		return enrich.PatternsOf(enrich.ByID)
	case s.Resolves:
		return enrich.PatternsOf(enrich.ByCompanyName)
	case s.Searches():
		return s.Search.Patterns
	case can == nil:
		return enrich.UsualPatterns()
	case s.Fallback > 0:
		return can(s.Fields)
	case s.Subject == enrich.Companies:
		return can(s.Fields) & enrich.UsualPatterns()
	default:
		return can(s.Fields)
	}
}

// Scope returns which rows of a list the step asks for what.
func (s Step) Scope(mapping columns.Mapping) scan.Scope {
	return scan.Scope{
		Catalogue: s.Interface.Catalogue, Subject: s.Subject, Mapping: mapping, Wanted: s.Fields, Patterns: s.Patterns(),
		Search: s.Search, Searched: s.Searched, Resolves: s.Resolves, WithoutID: s.WithoutID, Whole: s.Interface.Whole,
		Fallback: s.Fallback,
	}
}

// Names reports whether the answers of the step name companies by their ids.
func (s Step) Names() bool {
	if s.Subject == enrich.Companies {
		return s.Searches() || s.Fields&s.Interface.Identifying != 0
	}
	return s.Fields&s.Interface.naming() != 0
}

// Searches reports whether the step searches for companies by a name or number that several may have.
func (s Step) Searches() bool { return s.Search.Patterns != 0 }

// ListFacts is what the steps of a run depend on.
type ListFacts struct {
	Subject enrich.Subject // what its rows are
	// Companies says that its columns name companies, CompanyIDs that one has their ids, Names that one has their
	// names, Numbers that one has registration numbers, and Exact that others name companies exactly.
	Companies, CompanyIDs, Names, Numbers, Exact bool
	// Resolve says that the service chooses where a search cannot decide.
	Resolve bool
	// Fallbacks says which further identities subjects are asked for by.
	Fallbacks Fallbacks
}

// Fallbacks says by which identities subjects are asked for that their first identity does not find. The zero value is
// none.
type Fallbacks struct {
	// Identities is how many identities the columns of the list can make by each pattern.
	Identities map[enrich.Pattern]int
	// Persons says that persons are asked for by them, too, and OnRequest that interfaces are asked which do so only when
	// the user wants it.
	Persons, OnRequest bool
}

// FallbacksOf returns how many identities of companies and persons the columns of a list can make.
func FallbacksOf(mapping columns.Mapping) Fallbacks {
	identities := map[enrich.Pattern]int{}
	for p := range enrich.NumPatterns {
		pattern := enrich.Pattern(p)
		whole := mapping.Identifies(enrich.PatternsOf(pattern))
		switch {
		case !whole || pattern == enrich.ByCompanyName && len(mapping[columns.CompanyCountry]) == 0:
		case pattern == enrich.ByName && len(mapping[columns.CompanyDomain]) > 0 && len(mapping[columns.CompanyName]) > 0:
			identities[pattern] = 2 // with the domain, and with the name of the company
		default:
			identities[pattern] = 1
		}
	}
	return Fallbacks{Identities: identities, Persons: true}
}

// of returns the steps that ask again for what a step did not find, by other identities.
func (f Fallbacks) of(step Step) (steps []Step) {
	if step.Subject == enrich.Persons && (!f.Persons || step.Interface.FallbackOnRequest && !f.OnRequest) {
		return nil
	}
	step.Fallback = 1 // because a fallback asks by more patterns than the step itself
	for range f.Further(step.Subject, step.Patterns()) {
		steps = append(steps, step)
		step.Fallback++
	}
	return steps
}

// Further returns how many identities the columns can make by the patterns, besides the first one.
func (f Fallbacks) Further(subject enrich.Subject, patterns enrich.Patterns) int {
	all := 0
	for pattern, identities := range f.Identities {
		if pattern.Subject() == subject && patterns.Has(pattern) {
			all += identities
		}
	}
	return max(all-1, 0)
}

// Wanted is what a user asks for: the names of fields, and the interfaces that are asked for them. A name after
// LeftOut is that of a field which is not asked for together with another one.
type Wanted struct {
	Fields []string
	From   []string // the names of interfaces in the order in which they are asked; none for the usual one
}

// LeftOut stands before the name of a field that is left out.
const LeftOut = "-"

// LeaveOut returns the names of fields with those that use units of which the user allows none, as LeftOut has them. A
// field that is named itself stays.
func (s Set) LeaveOut(fields []string, budget Budget) []string {
	for _, of := range s.All {
		for m, info := range of.Tariff.Meters {
			if !budget.allowsNone(info.Name) {
				continue
			}
			for f := range of.Catalogue.All().Each() {
				name := of.Catalogue.Word(f)
				if of.Tariff.Rates[f].Uses[m] > 0 && !slices.Contains(fields, name) && !slices.Contains(fields, LeftOut+name) {
					fields = append(slices.Clone(fields), LeftOut+name)
				}
			}
		}
	}
	return fields
}

// WithFigures returns the names of fields with those whose answers have figures, when figures are to be shown and no
// such field is among them.
func (s Set) WithFigures(fields, figures []string) []string {
	if len(figures) == 0 {
		return fields
	}
	has := func(words []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(fields, word) })
	}
	for _, of := range s.All {
		if words := of.Catalogue.WordsOf(of.FiguresOf); len(words) > 0 && !has(words) {
			all := s.Fields()
			fields = slices.Concat(fields, words)
			slices.SortStableFunc(fields, func(a, b string) int { return slices.Index(all, a) - slices.Index(all, b) })
		}
	}
	return fields
}

// ListOf returns what the columns of a list say of its rows.
func ListOf(subject enrich.Subject, mapping columns.Mapping) ListFacts {
	return ListFacts{
		Subject: subject, Companies: mapping.Identifies(PatternsOf(enrich.Companies)),
		CompanyIDs: mapping.Identifies(enrich.PatternsOf(enrich.ByID)),
		Names:      mapping.Identifies(enrich.PatternsOf(enrich.ByCompanyName)),
		Numbers:    len(mapping[columns.RegistrationNumber]) > 0,
		Exact: mapping.Identifies(enrich.PatternsOf(enrich.ByWebsite, enrich.ByCompanyProfile)) ||
			len(mapping[columns.VATNumber]) > 0,
	}
}

// Catalogues returns the catalogue of the first interface that is asked, and those of the others.
func Catalogues(asked []Asked) (first enrich.Catalogue, others []enrich.Catalogue) {
	for _, a := range asked[1:] {
		others = append(others, a.Interface.Catalogue)
	}
	return asked[0].Interface.Catalogue, others
}

// StepNames returns the names of steps: each is named after its interface, and after its fields too where several ask
// the same interface.
func StepNames(steps []Step) (names []string) {
	asking := map[string]int{}
	for _, s := range steps {
		if s.Subject == enrich.Companies || s.Fallback == 0 { // further steps about persons change no name
			asking[s.Interface.Catalogue.Interface]++
		}
	}
	for _, s := range steps {
		c := s.Interface.Catalogue
		name := c.Interface
		if asking[name] > 1 {
			name += "_" + strings.ReplaceAll(c.Words(s.Interface.Leading(s.Fields)), ",", "_")
		}
		switch { // fields that are asked for by their ids, too
		case s.Resolves:
			name += "_resolve"
		case s.Search.Patterns.Has(enrich.ByRegistration):
			name += "_search"
		case s.Fallback > 0:
			name += fmt.Sprintf("_fallback_%d", s.Fallback)
		}
		names = append(names, name)
	}
	return names
}

// UnknownFieldError says that no interface has a field.
type UnknownFieldError struct {
	Field string
	Known []string
}

func (e *UnknownFieldError) Error() string {
	return fmt.Sprintf("%q is not a field; the fields are %s", e.Field, strings.Join(e.Known, ", "))
}

// NotConfiguredError says that an interface is not configured, and which field needs it.
type NotConfiguredError struct {
	Field     string // "" when the user names the interface
	Interface string
}

func (e *NotConfiguredError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("the %s interface is not configured", e.Interface)
	}
	return fmt.Sprintf("the field %s needs the %s interface, which is not configured", e.Field, e.Interface)
}

// NotFromError says that no interface that the user names has a field.
type NotFromError struct {
	Field string
	From  []string
}

func (e *NotFromError) Error() string {
	return fmt.Sprintf("%s has no field %s", strings.Join(e.From, " and "), e.Field)
}

// AsUnasked words an error about what is asked of which interface.
func AsUnasked(err error) error {
	if missing, is := errors.AsType[*NotConfiguredError](err); is {
		return problem.Coded("not_configured_"+missing.Interface, "%w", err)
	}
	return problem.AsUsage(err)
}

// Set is the interfaces that there are, in the order in which they are asked when the user names none.
type Set struct {
	All        []Interface
	Configured func(name string) bool
}

// All returns all interfaces, as if each were configured.
func All(providers []Provider) Set {
	set := Set{Configured: func(string) bool { return true }}
	for _, p := range providers {
		set.All = append(set.All, p.Interface())
	}
	return set
}

// Asked are the fields that a run asks of an interface.
type Asked struct {
	Interface Interface
	Fields    enrich.Fields
}

// Of returns which fields each interface is asked for, in the order of the interfaces. Without an order of the
// user, each field is asked of the first configured interface that has it.
func (s Set) Of(wanted Wanted) (asked []Asked, err error) {
	order := s.All
	if len(wanted.From) > 0 {
		if order, err = s.named(wanted.From); err != nil {
			return nil, err
		}
	}
	fields := make([]enrich.Fields, len(order))
	var leftOut []string
	for _, name := range wanted.Fields {
		if out, is := strings.CutPrefix(name, LeftOut); is {
			leftOut = append(leftOut, out)
			continue
		}
		if err := s.place(name, wanted.From, order, fields); err != nil {
			return nil, err
		}
	}
	for i, of := range order {
		for _, name := range leftOut {
			if f, has := of.Catalogue.Lookup(name); has {
				fields[i] = fields[i].Without(enrich.FieldsOf(f))
			}
		}
		if fields[i] != 0 {
			asked = append(asked, Asked{of, fields[i]})
		}
	}
	return asked, nil
}

// place adds a field to those of the interfaces that are asked for it.
func (s Set) place(name string, from []string, order []Interface, fields []enrich.Fields) error {
	found, lacking := false, ""
	for i, of := range order {
		f, has := of.Catalogue.Lookup(name)
		switch {
		case !has || found && len(from) == 0:
		case !s.Configured(of.Catalogue.Interface):
			lacking = of.Catalogue.Interface
		default:
			fields[i], found = fields[i].With(f)|of.With[f], true
		}
	}
	switch {
	case found:
		return nil
	case lacking != "":
		return &NotConfiguredError{name, lacking}
	case s.known(name):
		return &NotFromError{name, from}
	}
	return &UnknownFieldError{name, s.Fields()}
}

// named returns the interfaces with names.
func (s Set) named(names []string) (order []Interface, err error) {
	for _, name := range names {
		i := slices.IndexFunc(s.All, func(of Interface) bool { return of.Catalogue.Interface == name })
		if i < 0 {
			return nil, fmt.Errorf("%q is not an interface; the interfaces are %s", name, strings.Join(s.Names(), ", "))
		}
		if slices.ContainsFunc(order, func(of Interface) bool { return of.Catalogue.Interface == name }) {
			return nil, fmt.Errorf("the interface %s is named twice", name)
		}
		if !s.Configured(name) {
			return nil, &NotConfiguredError{Interface: name}
		}
		order = append(order, s.All[i])
	}
	return order, nil
}

// Named returns the interface with a name; an empty one for none.
func (s Set) Named(name string) Interface {
	if i := slices.IndexFunc(s.All, func(of Interface) bool { return of.Catalogue.Interface == name }); i >= 0 {
		return s.All[i]
	}
	return Interface{}
}

// Names returns the names of the interfaces.
func (s Set) Names() (names []string) {
	for _, of := range s.All {
		names = append(names, of.Catalogue.Interface)
	}
	return names
}

// Fields returns the words for all fields, each once.
func (s Set) Fields() (words []string) {
	for _, of := range s.All {
		for _, word := range of.Catalogue.WordsOf(of.Catalogue.All()) {
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

func (s Set) known(name string) bool {
	return slices.ContainsFunc(s.All, func(of Interface) bool {
		_, has := of.Catalogue.Lookup(name)
		return has
	})
}

// Subjects returns the kinds of subjects that fields are about.
func Subjects(asked []Asked) (kinds []enrich.Subject) {
	for _, a := range asked {
		for f := range a.Fields.Each() {
			if about := a.Interface.About(f); !slices.Contains(kinds, about) {
				kinds = append(kinds, about)
			}
		}
	}
	return kinds
}

// PersonsError says that a list of companies has no persons to ask for a field.
type PersonsError struct{ Fields string }

func (e *PersonsError) Error() string {
	return "the list is one of companies and names no persons to look up for " + e.Fields
}

// Steps returns the steps that ask a list for fields. Persons are asked about first. Then each company is asked
// about once, by the id that answers about persons or companies give, where some earlier step asks for it.
func (l ListFacts) Steps(asked []Asked) (steps []Step, err error) {
	found := l.CompanyIDs
	for _, a := range asked {
		persons := a.about(enrich.Persons)
		if persons != 0 && l.Subject == enrich.Companies {
			return nil, &PersonsError{a.Interface.Catalogue.Words(persons)}
		}
		if l.Subject == enrich.Persons && persons == 0 && a.about(enrich.Companies) != 0 && !l.Companies {
			persons = firstOf(a.Interface.naming())
		}
		if persons != 0 {
			step := Step{Interface: a.Interface, Fields: persons}
			steps = append(append(steps, step), l.Fallbacks.of(step)...)
			found = found || persons&a.Interface.naming() != 0
		}
	}
	byPersons := l.Subject == enrich.Persons && found
	for _, a := range asked {
		steps = append(steps, l.companySteps(a, found, byPersons)...)
	}
	return steps, nil
}

// companySteps returns the steps that ask an interface about companies. Found says that the list or earlier steps
// give ids, and byPersons that answers about persons do.
func (l ListFacts) companySteps(a Asked, found, byPersons bool) (steps []Step) {
	companies := a.about(enrich.Companies)
	if companies == 0 {
		return nil
	}
	var searched scan.SearchScope
	if fields, search := l.search(a, companies, found); search.Patterns != 0 {
		step := Step{Interface: a.Interface, Fields: fields, Subject: enrich.Companies, Search: search}
		steps, searched, found = append(steps, step), search, found || !l.Exact
		if fields == a.Interface.Matching {
			found = found && !l.Numbers
		}
		if l.Resolve {
			steps = append(steps, Step{
				Interface: a.Interface, Fields: a.Interface.Identifying, Subject: enrich.Companies, Searched: searched,
				Resolves: true,
			})
		}
	}
	withoutID := enrich.Fields(0) // fields that are asked for to get ids
	if !found {
		withoutID = a.Interface.Identifying &^ companies
		companies |= withoutID
	}
	for _, together := range a.Interface.Together {
		if fields := companies & together; fields != 0 {
			steps = append(steps, Step{
				Interface: a.Interface, Fields: fields, Subject: enrich.Companies, Searched: searched,
				ByID:      byPersons || fields&a.Interface.Identifying == 0,
				WithoutID: fields == withoutID && searched.Patterns != 0,
			})
			if fields&a.Interface.Identifying == fields && !byPersons {
				steps = append(steps, l.Fallbacks.of(steps[len(steps)-1])...)
			}
		}
	}
	return steps
}

// search returns the fields of a step that searches for companies, and which companies it searches for. A field with
// its own search is found by that search, unless the record of the company is wanted.
func (l ListFacts) search(a Asked, companies enrich.Fields, found bool) (enrich.Fields, scan.SearchScope) {
	if l.Subject != enrich.Companies {
		return 0, scan.SearchScope{}
	}
	if own := firstOf(companies & a.Interface.Searching); own != 0 && companies&a.Interface.Identifying == 0 {
		if l.Names || l.Numbers {
			return own, scan.SearchScope{
				Patterns: enrich.PatternsOf(enrich.ByRegistration, enrich.ByCompanyName),
				LeftOut:  enrich.PatternsOf(enrich.ByID, enrich.ByWebsite, enrich.ByCompanyProfile),
			}
		}
		return 0, scan.SearchScope{}
	}
	if !l.Names || a.Interface.Matching == 0 {
		return 0, scan.SearchScope{}
	}
	return a.Interface.Matching, scan.SearchScope{
		Patterns: enrich.PatternsOf(enrich.ByCompanyName), LeftOut: enrich.UsualPatterns(),
	}
}

// firstOf returns the set of the first of some fields.
func firstOf(fields enrich.Fields) enrich.Fields { return fields & -fields }

// about returns the fields that are about a kind of subjects.
func (a Asked) about(subject enrich.Subject) enrich.Fields {
	return a.Interface.Catalogue.About(subject, a.Fields)
}
