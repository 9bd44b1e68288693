package output

import (
	"cmp"
	"slices"
	"sync"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/enrich/fit"
	"payonce/pipeline/columns"
	"payonce/pipeline/scan"
)

// NamingAccount is an account whose answers name identities of companies.
type NamingAccount interface {
	scan.Recorder
	// Aliases returns the aliases of the identity with a key. They come from durable answers.
	Aliases(key enrich.Key) ([]attempt.Alias, error)
	Recall(memory int64, who bool) func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
}

// KnownCompanies finds out whether the company of a row is known by another identity than that of the row. It implements
// scan.Known: scan, dispatch and output use the same rules, so the output follows from the journal.
//
//   - By an id, or a number with its country, the company is that of the only answer that named it.
//   - By a website or a profile it is that of an answer that agrees with the row, and differs from it in nothing or only in
//     a wrong number: companies of a group share websites. Of several such answers, the one that agrees most counts.
//   - By a name it is that of the only company that agrees with the row, or else the one that a search by the name has
//     found, also when that one contradicts the row: to ask by the name again would say the same.
//
// An identity that was asked for keeps its own answer when something was found or may have been charged.
type KnownCompanies struct {
	Account   NamingAccount
	Catalogue enrich.Catalogue
	Decoder   Decoder
	Wanted    enrich.Fields // all of them have to be found
	// Matching are the fields whose answers say which single company has a name; none where nobody searches.
	Matching enrich.Fields

	once   sync.Once
	recall func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error)
}

// As implements scan.Known.
func (k *KnownCompanies) As(
	id enrich.Identity, key enrich.Key, describe func(*enrich.Described),
) (enrich.Identity, error) {
	aliases, err := k.Account.Aliases(key)
	if err != nil || len(aliases) == 0 && (k.Matching == 0 || id.Pattern() != enrich.ByCompanyName) {
		return id, err
	}
	own, err := k.Account.RecordOf(key, k.Wanted|k.Matching)
	if err != nil || !k.isOpen(&own) {
		return id, err
	}
	known, err := k.answered(aliases)
	if err != nil {
		return id, err
	}
	if !id.IsExact() {
		var row enrich.Described
		describe(&row)
		if known, err = k.fitting(id.Pattern(), &row, known); err != nil {
			return id, err
		}
	}
	if len(known) == 0 && id.Pattern() == enrich.ByCompanyName {
		known, err = k.searched(&own)
		if len(known) == 0 || err != nil {
			return id, err
		}
		return known[0].Who, nil
	}
	if len(known) == 0 || id.IsExact() && !attempt.OneCompany(aliases) {
		return id, nil
	}
	return known[0].Who, nil
}

// searched returns the company that a search by a name has found, when it is known. The record is that of the name.
func (k *KnownCompanies) searched(own *attempt.Record) (known []knownCompany, err error) {
	for f := range k.Matching.Each() {
		id := own.FoundBy(f)
		if id == 0 {
			continue
		}
		outcomes, err := k.recalled(id)
		if err != nil || len(outcomes) == 0 || outcomes[0].Ended.Erased || !outcomes[0].Ended.Answered() {
			return nil, err
		}
		var values enrich.Values
		if err := k.Decoder.Values(outcomes[0].Ended.Answer(), &values); err != nil {
			return nil, err
		}
		for d, detail := range k.Catalogue.Details[:len(values.Details)] {
			id, reason := enrich.Company{ID: values.Details[d]}.Identify(enrich.ByID)
			if columns.Role(detail.Role) != columns.CompanyID || !detail.Of.Has(f) || reason != "" {
				continue
			}
			key := k.Account.KeyOf([]byte(id.Canonical()))
			aliases, err := k.Account.Aliases(key)
			if err != nil {
				return nil, err
			}
			return k.answered(append([]attempt.Alias{{Subject: key, Company: key}}, aliases...))
		}
	}
	return nil, nil
}

// IsAlias implements scan.Known.
func (k *KnownCompanies) IsAlias(identity, subject enrich.Key) (bool, error) {
	aliases, err := k.Account.Aliases(identity)
	if err != nil || slices.ContainsFunc(aliases, func(a attempt.Alias) bool { return a.Subject == subject }) {
		return err == nil, err
	}
	own, err := k.Account.RecordOf(identity, k.Matching)
	if err != nil {
		return false, err
	}
	known, err := k.searched(&own)
	return slices.ContainsFunc(known, func(c knownCompany) bool { return c.Subject == subject }), err
}

// Refuses implements scan.Known.
func (k *KnownCompanies) Refuses(id enrich.Identity, key enrich.Key) (bool, error) {
	aliases, err := k.Account.Aliases(key)
	if err != nil {
		return false, err
	}
	for _, other := range attempt.SameSubjects(id, key, aliases) {
		record, err := k.Account.RecordOf(other, k.Wanted)
		if err != nil {
			return false, err
		}
		if !k.isOpen(&record) {
			return true, nil
		}
	}
	return false, nil
}

// isOpen reports whether nothing was found under an identity, and nothing can have been charged for it.
func (k *KnownCompanies) isOpen(own *attempt.Record) bool {
	for f := range k.Wanted.Each() {
		switch own.States[f] {
		case attempt.Unasked, attempt.Missing, attempt.Rejected:
		default:
			return false
		}
	}
	return true
}

// knownCompany is a company of which all wanted fields are known.
type knownCompany struct {
	attempt.Alias
	attempt.Outcome // of the attempt of the alias
	result          fit.Result
}

// answered returns the subjects of aliases of which all wanted fields were found, in the order of the answers. A field
// that is asked for again, and whose call is lost, counts as found: another identity must not pay for it once more.
func (k *KnownCompanies) answered(aliases []attempt.Alias) (known []knownCompany, err error) {
	for _, alias := range aliases {
		record, err := k.Account.RecordOf(alias.Subject, k.Wanted)
		if err != nil {
			return nil, err
		}
		found := true
		for f := range k.Wanted.Each() {
			switch record.States[f] {
			case attempt.Found, attempt.OutcomeUnknown, attempt.PaidAndGone:
			default:
				found = false
			}
		}
		if !found {
			continue
		}
		for f := range k.Wanted.Each() {
			alias.Attempt = cmp.Or(alias.Attempt, record.Attempts[f])
		}
		outcomes, err := k.recalled(alias.Attempt)
		if err != nil {
			return nil, err
		}
		if len(outcomes) == 1 && outcomes[0].Who != (enrich.Identity{}) {
			known = append(known, knownCompany{Alias: alias, Outcome: outcomes[0]})
		}
	}
	return known, nil
}

// recalled returns what became of an attempt.
func (k *KnownCompanies) recalled(id attempt.ID) ([]attempt.Outcome, error) {
	k.once.Do(func() { k.recall = k.Account.Recall(nothingKept, true) })
	return k.recall([]attempt.ID{id}, nil)
}

// isWrongNumber reports whether an answer agrees with a row in the name, the country and the website. Then a number that
// differs is taken for a wrong one. Rows that are asked for by another identity than a number often have such a number.
func isWrongNumber(result fit.Result) bool { return result.Verdict == fit.Unclear && result.Agreed > 2 }

// fitting returns the companies that agree with a row. The row names its company by a pattern. The best one comes first.
func (k *KnownCompanies) fitting(
	by enrich.Pattern, row *enrich.Described, known []knownCompany,
) (fitting []knownCompany, err error) {
	var values enrich.Values
	var answer enrich.Described
	for _, company := range known {
		if company.Ended.Erased || !company.Ended.Answered() {
			continue
		}
		if err := k.Decoder.Values(company.Ended.Answer(), &values); err != nil {
			return nil, err
		}
		if !k.Catalogue.Describe(&values, &answer) {
			continue
		}
		company.result = fit.Compare(by, row, &answer)
		if company.result.Verdict == fit.Fits || by != enrich.ByCompanyName && isWrongNumber(company.result) {
			fitting = append(fitting, company)
		}
	}
	isOther := func(company knownCompany) bool { return company.Company != fitting[0].Company }
	if by == enrich.ByCompanyName && slices.ContainsFunc(fitting, isOther) {
		return nil, nil
	}
	slices.SortStableFunc(fitting, func(a, b knownCompany) int { return b.result.Agreed - a.result.Agreed })
	return fitting, nil
}
