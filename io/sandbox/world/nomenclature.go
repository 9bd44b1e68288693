package world

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Term is one value of a nomenclature.
type Term struct {
	ID   any    `json:"id"` // an integer or a string
	Name string `json:"name"`
}

// industry is what a company works in, with its codes.
type industry struct{ name, nace, isic, code string }

var industries = [...]industry{
	{"Freight transport", "H49.4", "4923", "4941"},
	{"Warehousing", "H52.1", "5210", "5210"},
	{"Software publishing", "J58.2", "5820", "5829"},
	{"Computer consulting", "J62.0", "6202", "6202"},
	{"Data hosting", "J63.1", "6311", "6311"},
	{"Food wholesale", "G46.3", "4630", "4639"},
	{"Bakery products", "C10.7", "1071", "1071"},
	{"Dairy products", "C10.5", "1050", "1051"},
	{"Beverages", "C11.0", "1104", "1107"},
	{"Management consulting", "M70.2", "7020", "7022"},
	{"Legal services", "M69.1", "6910", "6910"},
	{"Accounting", "M69.2", "6920", "6920"},
	{"Advertising", "M73.1", "7310", "7311"},
	{"Machinery", "C28.9", "2829", "2899"},
	{"Building construction", "F41.2", "4100", "4120"},
	{"Real estate", "L68.2", "6810", "6820"},
	{"Banking", "K64.1", "6419", "6419"},
	{"Insurance", "K65.1", "6512", "6512"},
	{"Restaurants", "I56.1", "5610", "5610"},
	{"Education", "P85.5", "8549", "8559"},
}

// The places of the two industries whose figures are of their own kind.
const (
	banking   = 16
	insurance = 17
)

var (
	statuses    = []string{"active", "dissolved", "in liquidation", "dormant"}
	activities  = []string{"production", "trade", "services", "holding"}
	kinds       = []string{"private", "public", "non-profit"}
	tradings    = []string{"Wholesale", "Retail", "Export"}
	seniorities = []string{
		"owner", "founder", "c_suite", "partner", "vp", "head", "director", "manager", "senior", "entry", "intern",
	}
	departments = []string{
		"Executive", "Finance", "Sales", "Marketing", "Engineering", "Operations", "Human Resources", "Legal",
		"Procurement", "Customer Service",
	}
	advanceCompanies = []string{"has_email", "has_phone", "has_vat_number", "has_financials", "has_insights", "has_ownership"}
	advanceContacts  = []string{"has_email", "has_phone"}
	visitBands       = []string{"0-1000", "1000-10000", "10000-100000", "100000-"}
)

// technologyKinds and technologyMakers together name more than 880 technologies.
var (
	technologyKinds = []string{
		"Analytics", "CMS", "CDN", "Payments", "Chat", "Mail", "Hosting", "Fonts", "Ads", "Tag Manager", "Maps", "Video",
		"Search", "Forms", "Monitoring", "Cache", "Store", "CRM", "Booking", "Consent", "Reviews", "Surveys", "Framework",
		"Server", "Database", "Proxy", "Firewall", "Login", "Backup", "Feeds",
	}
	technologyMakers = []string{
		"Amber", "Basalt", "Cobalt", "Drift", "Echo", "Flint", "Glade", "Heron", "Indigo", "Jasper", "Kite", "Lumen",
		"Moss", "Nimbus", "Onyx", "Pebble", "Quill", "Raven", "Slate", "Tern", "Umber", "Vale", "Wren", "Xenon", "Yarrow",
		"Zinc", "Auk", "Brook", "Cedar", "Dune",
	}
)

func technologyName(number int) string {
	return technologyMakers[number%len(technologyMakers)] + " " + technologyKinds[number/len(technologyMakers)]
}

const technologyCount = 900

// StatusName returns the name of a status.
func StatusName(status int) string { return statuses[status-1] }

// IndustryName returns the name of an industry.
func IndustryName(industry int) string { return industries[industry].name }

// Codes returns the codes of an industry: of Europe, of the world, and of the countries.
func Codes(industry int) (nace, isic, national string) {
	i := industries[industry]
	return i.nace, i.isic, i.code
}

// numberedTerms gives names the numbers from 1.
func numberedTerms(names []string) []Term {
	terms := make([]Term, len(names))
	for i, name := range names {
		terms[i] = Term{i + 1, name}
	}
	return terms
}

// codeTerms lists a code of each industry.
func codeTerms(code func(industry) string) []Term {
	terms := make([]Term, len(industries))
	for i, industry := range industries {
		terms[i] = Term{code(industry), code(industry) + " " + industry.name}
	}
	return terms
}

// CountryID and RegionID are the identifiers of places, of several parts.
func (c Country) CountryID() string { return "country_" + c.Code }

// RegionID returns the identifier of a region of the country.
func (c Country) RegionID(p Place) string { return "region_" + c.Code + "_" + p.RegionCode }

// LegalForms lists the legal forms of all countries.
func LegalForms() []string {
	var forms []string
	for _, country := range countries {
		forms = append(forms, country.Forms...)
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// Bands lists ranges of yearly pay of directors; the last has no upper end.
func Bands() []int { return []int{0, 50_000, 100_000, 250_000, 1_000_000} }

// Nomenclatures returns every nomenclature by its name.
func Nomenclatures() map[string][]Term {
	all := map[string][]Term{
		"company_status": numberedTerms(statuses), "activity_type": numberedTerms(activities),
		"company_type": numberedTerms(kinds), "legal_form": numberedTerms(LegalForms()),
		"trading_activity": numberedTerms(tradings), "seniority_level": numberedTerms(seniorities),
		"departments": numberedTerms(departments), "location_type": {{"city", "City"}, {"state", "State"}},
		"nace": codeTerms(func(i industry) string { return i.nace }),
		"isic": codeTerms(func(i industry) string { return i.isic }),
	}
	for name, values := range map[string][]string{
		"advance_companies": advanceCompanies, "advance-contacts": advanceContacts, "insights_visits": visitBands,
		"foreign_parents": {"yes", "no"}, "ownership_accounts": {"group", "single"}, "financial_currency": currencies(),
	} {
		for _, value := range values {
			all[name] = append(all[name], Term{value, strings.ReplaceAll(value, "_", " ")})
		}
	}
	for _, industry := range industries {
		all["industry_focus"] = append(all["industry_focus"], Term{industry.name, industry.name})
	}
	for number := range technologyCount {
		all["insights_technologies"] = append(all["insights_technologies"], Term{number + 1, technologyName(number)})
	}
	for i, least := range Bands() {
		all["financial_directors"] = append(all["financial_directors"], Term{i + 1, "from " + strconv.Itoa(least)})
	}
	for _, country := range countries {
		all["location_countries"] = append(all["location_countries"], Term{country.CountryID(), country.Name})
		for _, place := range country.Places {
			all["location_regions"] = append(all["location_regions"], Term{country.RegionID(place), fmt.Sprintf("%s, %s", place.Region, country.Name)})
		}
		all[country.Codes] = codeTerms(func(i industry) string { return i.code })
	}
	return all
}

// CodeLists returns the names of the national classifications, in order.
func CodeLists() []string {
	var names []string
	for country := range strings.FieldsSeq("be de dk fr gb ie it lu nl no se sg us ca mx anz") {
		names = append(names, "sic_code_"+country)
	}
	return names
}

func currencies() []string {
	set := map[string]bool{}
	for _, country := range countries {
		set[country.Currency] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// SeniorityNames returns the names of ranks, in the order of the nomenclature.
func SeniorityNames() []string { return slices.Clone(seniorities) }

// TradingNames returns the names of trading activities, in the order of the nomenclature.
func TradingNames() []string { return slices.Clone(tradings) }

// TechnologyName returns the name of a technology, as the nomenclature numbers it.
func TechnologyName(id int) string { return technologyName(id - 1) }
