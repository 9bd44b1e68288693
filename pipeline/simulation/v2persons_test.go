package simulation

import (
	"slices"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/enrich/fit"
	"payonce/io/service/v2"
)

// namedRow is a row of a list whose persons have several identities.
type namedRow struct {
	says       enrich.Described
	identities []enrich.Identity // in the order in which the person is asked for by them
}

// namedRows reads the list without the code of the program.
func (w *v2World) namedRows() (rows []namedRow) {
	for _, cells := range readRows(w.scenario.list)[1:] {
		c := enrich.Contact{
			ProfileURL: cells[0], Email: cells[1], FirstName: cells[3], LastName: cells[4], CompanyDomain: cells[5], CompanyName: cells[6],
		}
		row := namedRow{}
		row.says[enrich.PartProfile], row.says[enrich.PartFirstName], row.says[enrich.PartLastName] = c.ProfileURL, c.FirstName, c.LastName
		row.says[enrich.PartWebsite], row.says[enrich.PartCompanyName] = c.CompanyDomain, c.CompanyName
		named := enrich.Contact{FirstName: c.FirstName, LastName: c.LastName, CompanyDomain: c.CompanyDomain}
		byCompany := enrich.Contact{FirstName: c.FirstName, LastName: c.LastName, CompanyName: c.CompanyName}
		for _, one := range []enrich.Contact{c, {Email: c.Email}, {ProfileURL: c.ProfileURL}, named, byCompany} {
			id, reason := one.Identify(enrich.ByProfile)
			if reason == "" && !slices.ContainsFunc(row.identities, func(other enrich.Identity) bool { return other.Canonical() == id.Canonical() }) {
				row.identities = append(row.identities, id)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// personsOnce checks that v2 was not asked for a person by a further identity when an earlier identity of the row found
// the person, or may have found it. The rows of the list may need a further identity of one row as the first one of
// another.
func (c *v2Checker) personsOnce() {
	w := c.world
	if !w.scenario.Named {
		return
	}
	asked := map[string][]intent{}
	for _, in := range w.intents("") {
		if int(in.Account) == accountV2 && in.Identity.Subject() == enrich.Persons {
			form := in.Identity.Canonical()
			asked[form] = append(asked[form], in)
		}
	}
	rows := w.namedRows()
	for form, all := range asked {
		needed := slices.ContainsFunc(rows, func(row namedRow) bool {
			for _, id := range row.identities {
				if id.Canonical() == form {
					return true
				}
				if slices.ContainsFunc(asked[id.Canonical()], func(in intent) bool { return c.mayHaveFound(in, &row) }) {
					return false
				}
			}
			return false
		})
		if !needed && slices.ContainsFunc(all, func(in intent) bool { return c.wasSent(in) }) {
			w.broken("P1: %s is asked for by attempt %d, and another identity of each row has found the person", all[0].Identity, all[0].ID)
		}
	}
}

// wasSent reports whether an attempt was charged, or may have been.
func (c *v2Checker) wasSent(in intent) bool {
	res, resolved := c.world.resolution(in.ID)
	return !resolved || res.State != attempt.Released
}

// mayHaveFound reports whether an attempt has found the person of a row, or may have.
func (c *v2Checker) mayHaveFound(in intent, row *namedRow) bool {
	res, resolved := c.world.resolution(in.ID)
	switch {
	case !resolved || res.State == attempt.Forfeited:
		return true
	case res.State == attempt.Released || res.Status == enrich.NotFound:
		return false
	}
	var values enrich.Values
	var answer enrich.Described
	if err := (v2.Decoder{}).Values(res.Answer(), &values); err != nil {
		c.world.broken("P3: attempt %d cannot be read: %v", in.ID, err)
	}
	catalogue := v2.Catalogue()
	return !catalogue.Describe(&values, &answer) || fit.Compare(in.Identity.Pattern(), &row.says, &answer).Verdict != fit.Contradicts
}

// intentsOf returns the attempts about the person of a row of the output.
func (w *v2World) intentsOf(row int, cells []string) (all []intent) {
	if !w.scenario.Named {
		return w.intents(cells[0])
	}
	identities := w.namedRows()[row].identities
	for _, in := range w.intents("") {
		if slices.ContainsFunc(identities, func(id enrich.Identity) bool { return id.Canonical() == in.Identity.Canonical() }) {
			all = append(all, in)
		}
	}
	return all
}

// wentToV1Early reports whether v1 was answered about the person of a row for which v2 was not asked by all identities,
// because of a limit: v2 is not asked by the others afterwards.
func (w *v2World) wentToV1Early(row int, intents []intent) bool {
	answered, asked := false, map[string]bool{}
	for _, in := range intents {
		res, _ := w.resolution(in.ID)
		answered = answered || int(in.Account) == accountV1 && res.State == attempt.Settled
		asked[in.Identity.Canonical()] = asked[in.Identity.Canonical()] || int(in.Account) == accountV2 && res.State != attempt.Released
	}
	return answered && slices.ContainsFunc(w.namedRows()[row].identities, func(id enrich.Identity) bool { return !asked[id.Canonical()] })
}
