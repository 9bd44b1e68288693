package columns

import (
	"slices"
	"strings"

	"payonce/enrich"
)

// companyNames are header names of the roles that only companies have. In a list of persons the strong ones
// count alone: "country" is that of the person there.
//
// The id is that of the service. Lists have ids of their own under nearly every name, and the record of another
// company would be paid for. So only the header that this program writes is taken for it.
func companyNames() map[Role][noName]string {
	return map[Role][noName]string{
		CompanyWebsite: {
			usual: headerNames()[CompanyDomain][strong] + " " + headerNames()[CompanyDomain][usual],
			weak: headerNames()[CompanyDomain][weak] + ` homepageurl weburl siteurl webseiteurl companysite firmenhomepage firmenwebseite
				websiteadresse`,
			byContent: headerNames()[CompanyDomain][byContent] + ` url link lien enlace`,
		},
		CompanyProfileURL: {
			strong: `companylinkedin companylinkedinurl companylinkedinpage companylinkedinprofile linkedincompany linkedincompanyurl
				linkedincompanypage companyprofileurl companyprofile companypronetwork organizationlinkedin organizationlinkedinurl
				organizationlinkedinurl accountlinkedin accountlinkedinurl linkedinunternehmen unternehmenlinkedin linkedinfirma
				firmenlinkedin unternehmensprofil firmenprofil linkedinentreprise profilentreprise pagelinkedinentreprise linkedinempresa
				perfilempresa linkedinazienda profiloazienda paginaaziendale linkedinbedrijf bedrijfsprofiel bedrijfspagina`,
			usual: headerNames()[ProfileURL][strong] + " " + headerNames()[ProfileURL][usual] + ` linkedinpage linkedincompanypageurl
				paginalinkedin pagelinkedin linkedinpagina linkedinseite pronetwork`,
			byContent: headerNames()[ProfileURL][weak] + " " + headerNames()[ProfileURL][byContent],
		},
		CompanyCountry: {
			strong: `companycountry companycountrycode countryofcompany hqcountry headquarterscountry companyhqcountry accountcountry
				organizationcountry firmenland unternehmensland firmensitzland paysentreprise paysdelentreprise paysdusiege paisempresa
				paisdelaempresa paeseazienda nazioneazienda paisdaempresa landbedrijf bedrijfsland vestigingsland krajfirmy`,
			usual: `countrycode countryiso isocountry isocountrycode countryiso2 iso2 landescode landercode landerkennzeichen laendercode
				codepays codigopais codigodelpais codicepaese codigodopais landcode`,
			weak: `kraj zeme maa country land pays pais paese nazione nazionalita staatland countryname billingcountry registeredcountry
				countryofregistration countryregion nation nacion nacao natie countryofincorporation incorporationcountry
				registrationcountry domicile countryofdomicile sitzland jurisdiction jurisdictioncode jurisdiktion juridiction
				jurisdiccion giurisdizione jurisdicao jurisdictie`,
		},
		CompanyState: {
			strong: `companystate companystatecode companyregion hqstate headquartersstate accountstate companyhqstate`,
			usual:  `statecode usstate stateprovince stateregion bundesstaat`,
			weak:   `state etat estado stato staat province provincia provincie billingstate`,
		},
		RegistrationNumber: {
			strong: `registrationnumber registrationno registrationnr regnumber regno companynumber companyno companyregistrationnumber
				companyregistrationno companyregistration companyregno companyregnumber companieshousenumber registernumber registrynumber
				companyregistrationid handelsregisternummer handelsregisternr hrnummer hrnr hrb hrbnummer hrbnr registernummer registernr
				firmenbuchnummer unternehmensnummer siren numerosiren nsiren sirennumber sirenno numerorcs rcs numerodimmatriculation
				numerodentreprise numeroentreprise numeroderegistro numeroregistro registromercantil numeroregistromercantil
				numerorea numerodiregistrazione numeroregistroimprese registroimprese nipc numeroderegisto cnpj kvk kvknummer kvknr ondernemingsnummer registratienummer inschrijvingsnummer orgnumber organisationnumber
				organizationnumber orgnr cvr cvrnummer cvrnr krs numerkrs nrkrs organisationsnummer organisasjonsnummer ytunnus ico
				registeredno registerednumber registerednr registeredcompanynumber registeredcompanyno companyregistrationnr registrationnum
				regnum companyregnr companieshouseno companyhouseno companyhousenumber companynr entitynumber corporatenumber corporationnumber
				businessregistrationnumber businessregistrationno commercialregisternumber commercialregistrationnumber uen abn acn`,
			// Persons have some of these, too.
			usual: `crn immatriculation codicefiscale rea matricula`,
		},
		VATNumber: {
			strong: `vat vatnumber vatno vatnr vatid vatin vatcode vatregistrationnumber vatregno euvat euvatnumber companyvat
				companyvatnumber ustid ustidnr ustidnummer umsatzsteuerid umsatzsteueridnr umsatzsteueridentifikationsnummer uidnummer
				uidnr tva numerotva numerodetva ntva tvaintracommunautaire numerotvaintracommunautaire numerodetvaintracommunautaire
				tvaintra nifiva numeroiva numerodeiva ivaintracomunitario partitaiva piva partiva btw btwnummer btwnr btwid
				btwidentificatienummer`,
			usual: `nip numernip momsnummer momsregnr mvanummer alvnumero dic nif cif nifcif cifnif numerodecontribuinte contribuinte numerodeidentificacaofiscal`,
			weak:  `taxid taxnumber vattaxid`,
		},
	}
}

// names of companies, besides those that lists of persons have for them.
const companyNameNames = `name nom naam nombre nome legalname tradingname businessname registeredname companylegalname
	bezeichnung handelsname firmierung raisonsociale denominationsociale denomination razonsocial denominacionsocial denominazione
	denominazionesociale razaosocial denominacaosocial handelsnaam statutairenaam
	nazwa namn navn nimi nazev`

// companyStrength returns the strength of a header for a role in a list of companies.
func (r *recognition) companyStrength(role Role, header string) (strength int, named bool) {
	switch {
	case role == CompanyID:
		return strong, header == string(CompanyID)
	case simplify(header) == "uid":
		return weak, role == RegistrationNumber || role == VATNumber
	case role == CompanyName:
		if strength, named = r.strength(role, header); named {
			return strength, true
		}
		return weak, slices.ContainsFunc(spellings(header), func(name string) bool {
			return slices.Contains(strings.Fields(companyNameNames), name)
		})
	}
	return r.strength(role, header)
}

// listsPersons reports whether the rows of the list are persons: it has columns of first and last names, of full
// names or of pages of persons.
func (r *recognition) listsPersons() bool {
	for _, role := range []Role{ProfileURL, FirstName, LastName, FullName} {
		if len(r.chosen[role]) > 0 {
			return true
		}
	}
	if r.isRecord() {
		return false
	}
	var has struct{ first, last bool }
	for column, header := range r.schema.Columns {
		content := r.sample.of(column)
		named := func(role Role, least int) bool {
			strength, found := r.strength(role, header)
			return found && strength <= least && !content.disagrees(role)
		}
		has.first = has.first || named(FirstName, usual)
		has.last = has.last || named(LastName, usual)
		if has.first && has.last || named(FullName, strong) {
			return true
		}
	}
	return len(r.personPages()) > 0
}

// findCompanies finds the columns that name companies: those of the rows of a list of companies, or the ones
// that say in their headers that they are about the company of a person.
func (r *recognition) findCompanies() {
	found := []Role{CompanyID, VATNumber, RegistrationNumber, CompanyProfileURL, CompanyCountry, CompanyState}
	if r.reading.Lists == enrich.Companies {
		found = []Role{
			CompanyID, VATNumber, RegistrationNumber, CompanyProfileURL, CompanyWebsite, CompanyName, CompanyCountry, CompanyState,
		}
	}
	r.giveChosen(Roles())
	for _, role := range found {
		if _, overridden := r.chosen[role]; !overridden && !r.isRecord() {
			r.recogniseCompany(role)
		}
	}
}

// isRecord reports whether the overrides name every role of a list of persons, as those that a run records do.
// Such a list has no further columns. Runs of earlier versions do not name the roles that were added later,
// and did not read such columns.
func (r *recognition) isRecord() bool {
	later := []Role{ContactID, RecordID, RecordModified}
	return !slices.ContainsFunc(RolesOf(enrich.Persons), func(role Role) bool {
		_, chosen := r.chosen[role]
		return !chosen && !slices.Contains(later, role)
	})
}

// returnsContactIDs reports whether answers of one of the interfaces have ids of persons.
func (r *recognition) returnsContactIDs() bool {
	return slices.ContainsFunc(r.catalogues, func(c enrich.Catalogue) bool {
		return slices.ContainsFunc(c.Details, func(d enrich.Detail) bool { return d.Says == enrich.PartContactID })
	})
}

// findContactID finds the column of the ids of persons: the one that a search of this program wrote. Lists have ids of
// their own under nearly every other name, and the record of another person would be paid for.
func (r *recognition) findContactID() {
	if columns, overridden := r.chosen[ContactID]; overridden {
		r.give(ContactID, columns, r.whyChosen(ContactID))
		return
	}
	found := columnsWhere(r.schema, func(header string) bool { return header == string(ContactID) })
	if len(found) == 1 && !r.taken[found[0]] && !r.isResult(found[0]) && !r.isRecord() && r.returnsContactIDs() {
		r.give(ContactID, found, ByHeader)
	}
}

// recogniseCompany finds the column of a role of companies by the headers, then by the cells.
func (r *recognition) recogniseCompany(role Role) {
	var found []candidate
	for column, header := range r.schema.Columns {
		strength, named := r.companyStrength(role, header)
		if !named || r.taken[column] || r.isResult(column) || r.reading.Lists == enrich.Persons && strength > strong {
			continue
		}
		content := r.sample.of(column)
		isPage := role != CompanyProfileURL || 2*content.of(CompanyPage) >= content.filled()
		switch {
		case simplify(header) == "uid" && !content.areUIDs(role): // lists have ids of their own under this name
		case strength == byContent && !(content.agrees(role) && isPage):
		case strength < byContent && content.disagrees(role):
			r.reading.Unused = append(r.reading.Unused, Unused{column, role, content.most().describe()})
		default:
			found = append(found, candidate{column, strength, content.filled() == 0})
		}
	}
	if len(found) == 0 && r.reading.Lists == enrich.Companies {
		found = r.companyPages(role)
	}
	r.choose(role, found)
}

// companyPages returns the column of companies' websites or profiles whose header says nothing, when there is
// one alone.
func (r *recognition) companyPages(role Role) []candidate {
	kind, wanted := map[Role]Kind{CompanyWebsite: Website, CompanyProfileURL: CompanyPage}[role]
	if !wanted {
		return nil
	}
	var found []candidate
	for column := range r.schema.Columns {
		content := r.sample.of(column)
		if !r.taken[column] && !r.isResult(column) && content.filled() > 0 && 5*content.of(kind) >= 4*content.filled() && !content.repeats() {
			found = append(found, candidate{column: column, strength: noName})
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found
}

// isResult reports whether an earlier output of this program appended a column. A list that a search of this
// program wrote has columns of these names too, but no columns about the outcome of a row.
func (r *recognition) isResult(column int) bool {
	return r.isAppended(column) && slices.Contains(r.schema.Columns[column:], Outcomes()[0].Name)
}
