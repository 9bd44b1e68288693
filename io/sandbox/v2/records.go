package v2

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"payonce/io/sandbox/world"
)

// integerID returns an identifier as an integer.
func integerID(id string) any { return json.Number(id) }

// orNull returns a text, or null where there is none.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// companyRecord is a company in full (specification v2, "Company record").
type companyRecord struct {
	ID             any      `json:"id"`
	Name           string   `json:"name"`
	Registration   string   `json:"registration_number"`
	CountryCode    string   `json:"country_code"`
	Phones         []string `json:"company_phone"`
	Emails         []string `json:"company_email"`
	Fax            []string `json:"company_fax"`
	Website        string   `json:"company_website"`
	LegalForm      string   `json:"company_legal_form"`
	Status         string   `json:"status,omitempty"`
	Brands         string   `json:"brands"`
	Street         string   `json:"address_street"`
	Location       string   `json:"address_location"`
	City           string   `json:"address_city"`
	Region         *string  `json:"country_region"`
	ZipCode        string   `json:"zip_code"`
	CountryName    string   `json:"country_name"`
	Size           string   `json:"size"`
	VAT            *string  `json:"vat_number"`
	FoundingDate   string   `json:"founding_date"`
	Industry       []coded  `json:"industry"`
	SIC            []coded  `json:"sic"`
	Microblog      *string  `json:"microblog"`
	ProfessionalNW *string  `json:"pro_network"`
	Social         *string  `json:"social"`
}

// coded is a value of a classification.
type coded struct {
	ID    int    `json:"id"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

// record returns a company in full, with the changes that were made to it.
func (s *Server) record(c world.Company) companyRecord {
	country, place := c.Country(), c.Place()
	microblog, social := c.SocialPages()
	_, _, code := world.Codes(c.Industry())
	industry := world.IndustryName(c.Industry())
	r := companyRecord{
		ID: c.ID(), Name: c.Name(), Registration: c.Registration(), CountryCode: country.Code, Phones: c.Phones(),
		Emails: c.Emails(), Fax: c.Fax(), Website: c.Website(), LegalForm: c.LegalForm(), Status: world.StatusName(c.Status()),
		Brands: strings.TrimSuffix(c.Name(), " "+c.LegalForm()), Street: c.Street(), City: place.City,
		Location: c.Street() + ", " + place.City, Region: orNull(place.Region), ZipCode: place.Zip, CountryName: country.Name,
		Size: strconv.Itoa(c.Employees()), VAT: orNull(c.VAT()), FoundingDate: c.Founded().Format(time.DateOnly),
		Industry:  []coded{{c.Industry() + 1, "industry_focus", industry}},
		SIC:       []coded{{c.Industry() + 1001, country.Codes, code + " " + industry}},
		Microblog: orNull(microblog), Social: orNull(social), ProfessionalNW: orNull(c.Profile()),
	}
	s.change(&r, c.ID())
	return r
}

// change applies the changes that were made to a company.
func (s *Server) change(r *companyRecord, id string) {
	for field, set := range map[string]func(string){
		"name": func(v string) { r.Name = v }, "company_name": func(v string) { r.Name = v },
		"vat_number": func(v string) { r.VAT = orNull(v) }, "company_address_street": func(v string) { r.Street = v },
		"company_website": func(v string) { r.Website = v }, "company_status": func(v string) { r.Status = v },
		"company_phone": func(v string) { r.Phones = listOf(v) }, "company_email": func(v string) { r.Emails = listOf(v) },
		"company_fax": func(v string) { r.Fax = listOf(v) },
	} {
		if value, changed := s.watches.Value(id, field); changed {
			set(value)
		}
	}
}

// listOf returns a list with a text, an empty one where there is none.
func listOf(text string) []string {
	if text == "" {
		return []string{}
	}
	return []string{text}
}

// fieldOf returns the value of a field that can be watched.
func (s *Server) fieldOf(c world.Company, field string) string {
	if value, changed := s.watches.Value(c.ID(), field); changed {
		return value
	}
	r := s.record(c)
	switch field {
	case "name", "company_name":
		return r.Name
	case "vat_number":
		return textOrNone(r.VAT)
	case "company_address_street":
		return r.Street
	case "company_website":
		return r.Website
	case "company_status":
		return r.Status
	case "company_phone":
		return strings.Join(r.Phones, ", ")
	case "company_email":
		return strings.Join(r.Emails, ", ")
	case "company_fax":
		return strings.Join(r.Fax, ", ")
	}
	if owners := s.world.OwnershipOf(c).Shareholders; len(owners) > 0 {
		return owners[0].Name
	}
	return ""
}

func textOrNone(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// searchItem is a company in the results of a search.
type searchItem struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	Status       string `json:"status"`
	CountryCode  string `json:"country_code"`
	Registration string `json:"registration_number"`
}

func (s *Server) item(c world.Company) searchItem {
	r := s.record(c)
	return searchItem{c.ID(), r.Name, r.Status, r.CountryCode, r.Registration}
}

// reference is a company in a list that leads to further data.
type reference struct {
	ID           any    `json:"id"`
	Name         string `json:"name"`
	CountryCode  string `json:"country_code"`
	Registration string `json:"registration_number"`
}

func (s *Server) reference(c world.Company) reference {
	r := s.record(c)
	return reference{integerID(c.ID()), r.Name, r.CountryCode, r.Registration}
}

// employeeRecord is a person in full (specification v2, "Employee record").
type employeeRecord struct {
	ID             string    `json:"id"`
	FullName       string    `json:"full_name"`
	FirstName      string    `json:"first_name"`
	LastName       string    `json:"last_name"`
	Patronime      *string   `json:"patronime_name"`
	Gender         string    `json:"gender"`
	Seniority      []string  `json:"seniority_level"`
	Department     *[]string `json:"department,omitempty"`
	Function       string    `json:"function_original_name"`
	Phone          *string   `json:"phone,omitempty"`
	Email          *string   `json:"email,omitempty"`
	Nationality    *string   `json:"nationality"`
	CompanyID      string    `json:"company_id,omitempty"`
	CompanyName    string    `json:"company_name"`
	Microblog      *string   `json:"microblog"`
	ProfessionalNW *string   `json:"pro_network"`
	Social         *string   `json:"social"`
}

// contact answers with a person in full, and with what of the contact is asked for and known.
func contact(e world.Employee, email, phone bool) answer {
	r := employeeRecord{
		ID: e.ID, FullName: e.First + " " + e.Last, FirstName: e.First, LastName: e.Last, Gender: gender(e),
		Seniority: []string{e.SeniorityName()}, Function: e.Title(), CompanyID: e.Company.ID(), CompanyName: e.Company.Name(),
		ProfessionalNW: orNull(e.Profile()),
	}
	said := answer{}
	if email {
		if r.Email = orNull(e.Email()); r.Email != nil {
			said.emails = 1
		}
	}
	if phone {
		if r.Phone = orNull(e.Phone()); r.Phone != nil {
			said.phones = 1
		}
	}
	said.body = r
	return said
}

func gender(e world.Employee) string {
	if e.Female {
		return "f"
	}
	return "m"
}

// employeeItem is a person in the results of a search by company.
type employeeItem struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	CompanyID   string `json:"company_id"`
	CompanyName string `json:"company_name"`
}

// peopleItem is a person in the results of the enrichment search.
type peopleItem struct {
	ID             string  `json:"id"`
	FirstName      string  `json:"first_name"`
	LastName       string  `json:"last_name"`
	Name           string  `json:"name"`
	Seniority      string  `json:"seniority_level"`
	JobTitle       string  `json:"job_title"`
	Microblog      *string `json:"microblog"`
	Social         *string `json:"social"`
	ProfessionalNW *string `json:"pro_network"`
	Country        string  `json:"country"`
	State          string  `json:"state"`
	City           string  `json:"city"`
	Company        struct {
		Name           string  `json:"name"`
		Website        string  `json:"website"`
		Incorporation  int     `json:"incorporation_date"`
		Country        string  `json:"country"`
		State          string  `json:"state"`
		City           string  `json:"city"`
		PostalCode     string  `json:"postal_code"`
		Phone          *string `json:"phone"`
		Microblog      *string `json:"microblog"`
		Social         *string `json:"social"`
		ProfessionalNW *string `json:"pro_network"`
		StreetAddress  string  `json:"street_address"`
	} `json:"company"`
}

func peopleItemOf(e world.Employee) peopleItem {
	c := e.Company
	place := c.Place()
	item := peopleItem{
		ID: e.ID, FirstName: e.First, LastName: e.Last, Name: e.First + " " + e.Last, Seniority: e.SeniorityName(),
		JobTitle: e.Title(), ProfessionalNW: orNull(e.Profile()), Country: c.Country().Name, State: place.Region, City: place.City,
	}
	to := &item.Company
	microblog, social := c.SocialPages()
	to.Name, to.Website, to.Incorporation = c.Name(), c.Website(), c.Founded().Year()
	to.Country, to.State, to.City, to.PostalCode = c.Country().Name, place.Region, place.City, place.Zip
	to.StreetAddress, to.Microblog, to.Social, to.ProfessionalNW = c.Street(), orNull(microblog), orNull(social), orNull(c.Profile())
	if phones := c.Phones(); len(phones) > 0 {
		to.Phone = &phones[0]
	}
	return item
}
