package v2

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Range is a range of numbers or dates. An empty bound is none.
type Range struct {
	GTE Bound `json:"gte,omitempty"`
	LTE Bound `json:"lte,omitempty"`
}

// Bound is a bound of a range: a number, or a text such as a date.
type Bound string

// MarshalJSON writes a number as one.
func (b Bound) MarshalJSON() ([]byte, error) {
	if json.Unmarshal([]byte(b), new(float64)) == nil && b != "null" {
		return []byte(b), nil
	}
	return json.Marshal(string(b))
}

// UnmarshalJSON reads a number or a text.
func (b *Bound) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, new(float64)) == nil && string(data) != "null" {
		*b = Bound(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(b))
}

// CompanyFilters are the filters of prospecting (specification v2, "Prospecting"). Numbers are
// identifiers of nomenclature lists. A filter that is empty is left out.
type CompanyFilters struct {
	CompanyStatus []int64 `json:"company_status,omitempty"`
	ActivityType  []int64 `json:"activity_type,omitempty"`
	CompanyType   []int64 `json:"company_type,omitempty"`
	LegalForm     []int64 `json:"legal_form,omitempty"`

	NumberOfEmployees       Range `json:"number_of_employees,omitzero"`
	CompanyIncorporation    Range `json:"company_incorporation,omitzero"`
	FinancialTurnover       Range `json:"financial_turnover,omitzero"`
	FinancialProfit         Range `json:"financial_profit,omitzero"`
	FinancialLiabilities    Range `json:"financial_liabilities,omitzero"`
	FinancialEmployeeProfit Range `json:"financial_employee_profit,omitzero"`
	FinancialExports        Range `json:"financial_exports,omitzero"`
	YoyExports              Range `json:"yoy_exports,omitzero"`
	YoyLiabilities          Range `json:"yoy_liabilities,omitzero"`
	YoyStaff                Range `json:"yoy_staff,omitzero"`
	YoyTurnover             Range `json:"yoy_turnover,omitzero"`
	YoyEBITDA               Range `json:"yoy_ebitda,omitzero"`
	YoyProfit               Range `json:"yoy_profit,omitzero"`

	TradingActivity      []string `json:"trading_activity,omitempty"`
	IndustryFocus        []string `json:"industry_focus,omitempty"`
	WebsiteKeywords      []string `json:"website_keywords,omitempty"`
	NACE                 []string `json:"nace,omitempty"`
	ISIC                 []string `json:"isic,omitempty"`
	LocationZIP          []string `json:"location_zip,omitempty"`
	LocationType         []string `json:"location_type,omitempty"`
	FinancialCurrency    []string `json:"financial_currency,omitempty"`
	InsightsVisits       []string `json:"insights_visits,omitempty"`
	InsightsTechnologies []string `json:"insights_technologies,omitempty"`
	AdvanceCompanies     []string `json:"advance_companies,omitempty"`

	SICBelgium       []string `json:"sic_code_be,omitempty"`
	SICGermany       []string `json:"sic_code_de,omitempty"`
	SICDenmark       []string `json:"sic_code_dk,omitempty"`
	SICFrance        []string `json:"sic_code_fr,omitempty"`
	SICUnitedKingdom []string `json:"sic_code_gb,omitempty"`
	SICIreland       []string `json:"sic_code_ie,omitempty"`
	SICItaly         []string `json:"sic_code_it,omitempty"`
	SICLuxembourg    []string `json:"sic_code_lu,omitempty"`
	SICNetherlands   []string `json:"sic_code_nl,omitempty"`
	SICNorway        []string `json:"sic_code_no,omitempty"`
	SICSweden        []string `json:"sic_code_se,omitempty"`
	SICSingapore     []string `json:"sic_code_sg,omitempty"`
	SICUnitedStates  []string `json:"sic_code_us,omitempty"`
	SICCanada        []string `json:"sic_code_ca,omitempty"`
	SICMexico        []string `json:"sic_code_mx,omitempty"`
	SICAustralia     []string `json:"sic_code_anz,omitempty"` // and New Zealand

	// The identifiers of regions and countries are composite texts.
	LocationRegions   []string `json:"location_regions,omitempty"`
	LocationCountries []string `json:"location_countries,omitempty"`

	FinancialDirectors []int64 `json:"financial_directors,omitempty"`
	ForeignParents     string  `json:"foreign_parents,omitempty"`
	OwnershipAccounts  string  `json:"ownership_accounts,omitempty"`
	InsightsRanking    Range   `json:"insights_ranking,omitzero"`
	URL                string  `json:"url,omitempty"` // the profile URL of a company
}

// EmployeeFilters are the filters of an employee search (specification v2, "Employees").
type EmployeeFilters struct {
	FullName   string   `json:"full_name,omitempty"`
	Advance    []string `json:"advance,omitempty"`
	Seniority  []int64  `json:"seniority,omitempty"`
	Department []int64  `json:"department,omitempty"`
	JobTitle   []string `json:"job_title,omitempty"`
	CompanyID  ID       `json:"company_id,omitempty"`
	URL        string   `json:"url,omitempty"` // the profile URL of a contact
}

// FilterKind is the type of the value of a filter.
type FilterKind uint8

// The kinds of filters.
const (
	TextsFilter   FilterKind = iota // a list of texts
	NumbersFilter                   // a list of identifiers that are numbers
	TextFilter                      // one text
	SpanFilter                      // a Range
	OneIDFilter                     // one identifier
)

// FinancialsFilters choose financial figures: those of a company in some years.
type FinancialsFilters struct {
	CompanyID ID      `json:"company_id,omitempty"`
	Year      []int64 `json:"year,omitempty"`
}

// FilterKinds returns the filters of a search by their keys. It returns nil for another operation.
func FilterKinds(o Operation) map[string]FilterKind {
	switch o {
	case OpProspecting:
		return kindsOf(reflect.TypeFor[CompanyFilters]())
	case OpOverview:
		return kindsOf(reflect.TypeFor[CompanySearch]())
	case OpAutocomplete:
		return kindsOf(reflect.TypeFor[PartialCompany]())
	case OpGetFinancials:
		return kindsOf(reflect.TypeFor[FinancialsFilters]())
	case OpEmployees:
		return kindsOf(reflect.TypeFor[EmployeeFilters]())
	case OpEnrichEmployeeSearch:
		return kindsOf(reflect.TypeFor[PeopleSearch]())
	}
	return nil
}

// kindsOf returns the kinds of the members of a struct, without those of structs in it.
func kindsOf(filters reflect.Type) map[string]FilterKind {
	kinds := map[string]FilterKind{}
	for i := range filters.NumField() {
		field := filters.Field(i)
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch field.Type {
		case reflect.TypeFor[[]string]():
			kinds[key] = TextsFilter
		case reflect.TypeFor[[]int64]():
			kinds[key] = NumbersFilter
		case reflect.TypeFor[string]():
			kinds[key] = TextFilter
		case reflect.TypeFor[Range]():
			kinds[key] = SpanFilter
		case reflect.TypeFor[ID]():
			kinds[key] = OneIDFilter
		}
	}
	return kinds
}
