package columns

import (
	"fmt"
	"slices"
	"strings"

	"payonce/io/table"
)

// The values of Options.Preset besides names of presets.
const (
	AutoPreset = "auto" // by the headers
	NoPreset   = "none"
)

// preset says how the export of a program is read. Each role has headers, and the first one that the list has
// counts. Marks are the headers by which the export is known. The list has to have all of them.
type preset struct {
	name  string
	marks []string
	roles map[Role][]string
}

// presets lists the presets. Of those that fit a list, the one with the most marks counts, then the first.
func presets() []preset {
	return []preset{
		{"hubspot", []string{"Record ID", "First Name", "Last Name", "Email"}, map[Role][]string{
			FirstName: {"First Name"}, LastName: {"Last Name"}, Email: {"Email", "Work email"},
			Phone:         {"Phone Number"},
			CompanyName:   {"Associated Company", "Company Name", "Associated Company (Primary)"},
			CompanyDomain: {"Associated Company Domain", "Company Domain Name", "Website URL", "Email Domain"},
			ProfileURL:    {"LinkedIn URL", "LinkedIn Profile URL", "hs_linkedin_url"},
			RecordID:      {"Record ID"}, RecordModified: {"Last Modified Date", "Last modified date"},
		}},
		{"salesforce", []string{"Contact ID", "Account Name", "Last Name"}, map[Role][]string{
			FirstName: {"First Name"}, LastName: {"Last Name"}, Email: {"Email"}, Phone: {"Phone", "Business Phone"},
			CompanyName: {"Account Name"}, CompanyDomain: {"Website", "Account Website"}, ProfileURL: {"LinkedIn", "LinkedIn URL"},
			RecordID: {"Contact ID"}, RecordModified: {"Last Modified Date"},
		}},
		{"salesforce", []string{"Lead ID", "Company / Account", "Last Name"}, map[Role][]string{
			FirstName: {"First Name"}, LastName: {"Last Name"}, Email: {"Email"}, Phone: {"Phone"},
			CompanyName: {"Company / Account"}, CompanyDomain: {"Website"},
			RecordID: {"Lead ID"}, RecordModified: {"Last Modified Date", "Last Modified"},
		}},
		{"apollo", []string{"Company Name for Emails", "Person Linkedin Url"}, map[Role][]string{
			FirstName: {"First Name"}, LastName: {"Last Name"}, Email: {"Email"}, Phone: {"Work Direct Phone"},
			CompanyName: {"Company Name", "Company", "Company Name for Emails"}, CompanyDomain: {"Website"},
			ProfileURL: {"Person Linkedin Url"},
		}},
		{"salesnavigator", []string{"vmid", "fullName"}, salesNavigator()},
		{"salesnavigator", []string{"defaultProfileUrl", "companyName"}, salesNavigator()},
		{"linkedin", []string{"First Name", "Last Name", "URL", "Email Address", "Connected On"}, map[Role][]string{
			FirstName: {"First Name"}, LastName: {"Last Name"}, Email: {"Email Address"}, CompanyName: {"Company"}, ProfileURL: {"URL"},
		}},
		{"google", []string{"First Name", "Last Name", "E-mail 1 - Value"}, google()},
		{"google", []string{"Given Name", "Family Name", "E-mail 1 - Value"}, google()},
		{"outlook", []string{"E-mail Address", "E-mail Display Name"}, map[Role][]string{
			FirstName: {"First Name"}, LastName: {"Last Name"}, Email: {"E-mail Address"}, Phone: {"Business Phone"},
			CompanyName: {"Company"}, CompanyDomain: {"Web Page", "Business Home Page"},
		}},
		{"zoho", []string{"Record Id", "Contact Owner", "Last Name", "Email"}, map[Role][]string{
			FirstName: {"First Name"}, LastName: {"Last Name"}, Email: {"Email"}, Phone: {"Phone"},
			CompanyName: {"Account Name"}, CompanyDomain: {"Website"},
			RecordID: {"Record Id"}, RecordModified: {"Modified Time"},
		}},
		{"pipedrive", []string{"Name", "Organization", "Email - Work"}, map[Role][]string{
			FullName: {"Name"}, FirstName: {"First name"}, LastName: {"Last name"}, Email: {"Email - Work"}, Phone: {"Phone - Work"},
			CompanyName: {"Organization"}, ProfileURL: {"LinkedIn", "LinkedIn profile"},
			RecordID: {"ID"}, RecordModified: {"Update time"},
		}},
	}
}

// salesNavigator reads what scrapers take from the search results of Sales Navigator. "companyUrl" is the
// page of a company in the network.
func salesNavigator() map[Role][]string {
	return map[Role][]string{
		FirstName: {"firstName"}, LastName: {"lastName"}, FullName: {"fullName", "name"}, CompanyName: {"companyName"},
		CompanyDomain: {"companyWebsite", "companyDomain"}, Email: {"email", "professionalEmail"}, Phone: {"phone"},
		ProfileURL: {"linkedInProfileUrl", "defaultProfileUrl", "linkedinProfileUrl", "profileUrl"},
	}
}

// google reads Google Contacts. It has no role for emails and phones, so nothing is written to their columns:
// their cells can hold several values with separators between them.
func google() map[Role][]string {
	return map[Role][]string{
		FirstName: {"First Name", "Given Name"}, LastName: {"Last Name", "Family Name"},
		CompanyName: {"Organization Name", "Organization 1 - Name"}, CompanyDomain: {"Website 1 - Value"},
	}
}

// PresetNames returns the names of the presets, each once.
func PresetNames() []string {
	var names []string
	for _, p := range presets() {
		if !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// choosePreset returns the preset of a list; nil for none. The list has to have a column of a
// preset that the user names.
func choosePreset(schema table.Schema, name string) (*preset, error) {
	if name == NoPreset {
		return nil, nil
	}
	count := func(headers []string) (n int) {
		for _, header := range headers {
			if slices.Contains(schema.Columns, header) {
				n++
			}
		}
		return n
	}
	var best *preset
	most := 0
	named := name != "" && name != AutoPreset
	for _, p := range presets() {
		found := count(p.marks)
		if named {
			found = 0
			for _, headers := range p.roles {
				found += min(count(headers), 1)
			}
		}
		if named && p.name != name || !named && found < len(p.marks) || found <= most {
			continue
		}
		best, most = &p, found
	}
	if named && best == nil {
		if !slices.Contains(PresetNames(), name) {
			return nil, &PresetError{name, fmt.Sprintf("there is no such preset; write %s, %s or one of %s",
				AutoPreset, NoPreset, strings.Join(PresetNames(), ", "))}
		}
		return nil, &PresetError{name, "the list has none of its columns; they are " + List(schema)}
	}
	return best, nil
}

// PresetError says why a preset cannot be used.
type PresetError struct{ Preset, Reason string }

func (e *PresetError) Error() string { return "the preset " + e.Preset + ": " + e.Reason }

// byPreset gives a role to the column that the preset names, and reports whether it did. A header that stands
// over several columns, or whose cells hold something else, is recognised without the preset.
func (r *recognition) byPreset(role Role) bool {
	if r.preset == nil {
		return false
	}
	for _, name := range r.preset.roles[role] {
		found := columnsWhere(r.schema, func(header string) bool { return header == name })
		if len(found) != 1 || r.taken[found[0]] || r.isAppended(found[0]) {
			continue
		}
		content := r.sample.of(found[0])
		if content.disagrees(role) || role == Email && content.areShared() || content.filled() == 0 && role != Email && role != Phone {
			continue
		}
		r.give(role, found, ByPreset)
		return true
	}
	return false
}
