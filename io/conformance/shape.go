package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/io/service"
)

// shapeTable describes the objects of the interface: a name, and the members with the types that each may have
// (specification v2, "Resources and their fields" and "Endpoints"). A member with a question mark may be
// absent. A type in brackets is that of each element of an array, and one with a star is an object of this
// table.
const shapeTable = `
group = name:string codename:string metrics:[*metric]
metric = name:string codename:string used:int total:int
counts = email_count:int phone_count:int
company = id:int|string name:string registration_number:string country_code:string company_phone:[string] company_email:[string] company_fax:[string]|null company_website:string company_legal_form:string status?:string brands:string address_street:string address_location:string address_city:string country_region:string|null zip_code:string country_name:string size:string vat_number:string|null founding_date:date industry:[*code] sic:[*code] microblog:string|null pro_network:string|null social:string|null
code = id:int type:string value:string
prospects = total_companies:int total_pages:int data:[*prospect]
prospect = id:int name:string
overview = total_results:int total_pages:int data:[*overview-item]
overview-item = id:string name:string status:string country_code:string registration_number:string
employees = total_employees:int total_pages:int data:[*employees-item]
employees-item = id:string name:string company_id:string company_name:string
people = total_employees:int total_pages:int data:[*person]
person = id:string first_name:string last_name:string name:string seniority_level:string job_title:string microblog:string|null social:string|null pro_network:string|null country:string state:string|null city:string company:*employer
employer = name:string website:string incorporation_date:int country:string state:string|null city:string postal_code:string phone:string|null microblog:string|null social:string|null pro_network:string|null street_address:string
employee = id:string full_name:string first_name:string last_name:string patronime_name:string|null gender:string seniority_level:[string] department?:array function_original_name:string phone?:string|null email?:string|null nationality:string|null company_id?:string company_name:string microblog:string|null pro_network:string|null social:string|null
candidate = id:int|string name:string country_code:string registration_number:string
insights = domain:string|null domain_name:string|null nameservers:string|null ip:string|null isp_name:string|null isp_country:string|null raw:string|null redirect_url:string|null icon_url:string|null id:int mx_list:[string] contact_city:string|null contact_country:string|null contact_email:string|null contact_name:string|null contact_phone:string|null contact_postalcode:string|null contact_state:string|null contact_street:string|null contact_organization:string|null expiration_date:localtime created_at:localtime traffic_date:localtime domain_creation_date:date engagement_bounce_rate:decimal engagement_page_views:number engagement_time_on_site:clock engagement_total_visits:int engagement_total_relative_change:number|null global_rank_change:number|null category_rank_change:number|null country_rank_change:number|null global_rank:int category_rank:int country_rank:int legacy_rank:int total_traffic:int top_country_shares:[*share] referrals:array keywords:array referrals_destination:array visits:[*visit] stat_organic_search:int stat_direct:int stat_referral:int stat_organic_search_percent:number stat_direct_percent:number stat_referral_percent:number technologies:[*technologies] graph:*graph up_visits:bool
share = id:int traffic_country_id:int share_percent:number share_change:number|null name:string traffic_data_id:int
visit = id:int traffic_data_id:int date_value:date value:int
technologies = id:int name:string parent_id:int|null important:bool list:[*technology]
technology = id:int name:string image_path:string description:string category:string
graph = visits:*graph-visits sources:*graph-sources
graph-visits = categories:array data:array
graph-sources = organic:array direct:array referral:array
ownership = shareholders:[*shareholder] data:array group_structure:[*member]
shareholder = id:int name:string quantity:int currency:string share_value:string created_at:datetime share_type:string share_price:number
member = id:int
watched = data:[*watched-item] total_results:int pages:int
watched-item = id:int|string name:string country_code:string registration_number:string date:date fields:[string]
events = data:[*event] total_results:int pages:int
event = status:string message:string date_created:datetime event_type:string
callback = callback:string
detail = detail:string
limit = access:*access error_guard:string message_guard:string
access = permission:string permission_name:string module:string module_name:string app:string app_name:string
notification = company_data:*notified field:string status:string new_value:string old_value:string
notified = id:int name:string registration_number:string country_code:string date:datetime
`

// member is one member of a shape.
type member struct {
	name     string
	types    []string
	optional bool
}

// shapeOf returns the members of a shape of the table.
func shapeOf(name string) (members []member) {
	for line := range strings.Lines(shapeTable) {
		found, text, _ := strings.Cut(strings.TrimSpace(line), " = ")
		if found != name {
			continue
		}
		for part := range strings.FieldsSeq(text) {
			name, types, _ := strings.Cut(part, ":")
			name, optional := strings.CutSuffix(name, "?")
			members = append(members, member{name, strings.Split(types, "|"), optional})
		}
	}
	return members
}

// mostBreaches is the most breaches of a shape that are reported.
const mostBreaches = 3

// checkShape returns how an object breaks a shape, "" when it does not.
func checkShape(name string, raw []byte) string { return firstBreaches(shapeBreaches(name, "", raw)) }

func firstBreaches(breaches []string) string {
	if more := len(breaches) - mostBreaches; more > 0 {
		return fmt.Sprintf("%s, and %d more", strings.Join(breaches[:mostBreaches], "; "), more)
	}
	return strings.Join(breaches, "; ")
}

// checkShapes returns how the objects of an array break a shape.
func checkShapes(name string, raw []byte) string {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil || elements == nil {
		return "the answer is not an array"
	}
	var breaches []string
	for i, element := range elements {
		breaches = append(breaches, shapeBreaches(name, fmt.Sprintf("[%d].", i), element)...)
	}
	return firstBreaches(breaches)
}

func shapeBreaches(name, path string, raw []byte) (breaches []string) {
	object, isObject := service.ParseObject(raw)
	if !isObject {
		return []string{strings.TrimSuffix(path, ".") + " is not an object"}
	}
	for _, m := range shapeOf(name) {
		value, there := object[m.name]
		switch {
		case !there && !m.optional:
			breaches = append(breaches, path+m.name+" is missing")
		case there:
			breaches = append(breaches, m.breaches(path+m.name, value)...)
		}
	}
	return breaches
}

// breaches returns why a value has none of the types.
func (m member) breaches(path string, value []byte) []string {
	var within []string
	for _, kind := range m.types {
		found := typeBreaches(kind, path, value)
		if len(found) == 0 {
			return nil
		}
		if strings.Contains(kind, "*") {
			within = found
		}
	}
	if within != nil {
		return within
	}
	return []string{fmt.Sprintf("%s is %.40s, want %s", path, value, strings.Join(m.types, " or "))}
}

// typeBreaches returns why a value does not have a type.
func typeBreaches(kind, path string, value []byte) []string {
	if element, isArray := strings.CutPrefix(kind, "["); isArray {
		return arrayBreaches(strings.TrimSuffix(element, "]"), path, value)
	}
	if name, isShape := strings.CutPrefix(kind, "*"); isShape {
		return shapeBreaches(name, path+".", value)
	}
	if !hasType(kind, value) {
		return []string{path}
	}
	return nil
}

func arrayBreaches(kind, path string, value []byte) (breaches []string) {
	var elements []json.RawMessage
	if json.Unmarshal(value, &elements) != nil || elements == nil {
		return []string{path + " is not an array"}
	}
	for i, element := range elements {
		breaches = append(breaches, typeBreaches(kind, fmt.Sprintf("%s[%d]", path, i), element)...)
	}
	return breaches
}

// hasType reports whether a JSON value has a type of the table.
func hasType(kind string, value []byte) bool {
	if string(value) == "null" {
		return kind == "null"
	}
	switch kind {
	case "int":
		_, err := strconv.ParseInt(string(value), 10, 64)
		return err == nil
	case "number":
		return json.Unmarshal(value, new(float64)) == nil
	case "bool":
		return json.Unmarshal(value, new(bool)) == nil
	case "array":
		return json.Unmarshal(value, new([]json.RawMessage)) == nil
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return false
	}
	if kind == "decimal" {
		_, err := strconv.ParseFloat(text, 64)
		return err == nil
	}
	layouts := map[string][]string{
		"date": {time.DateOnly}, "clock": {time.TimeOnly}, "datetime": {time.RFC3339Nano},
		"localtime": {"2006-01-02T15:04:05.999999999"},
	}[kind]
	return layouts == nil && kind == "string" || slices.ContainsFunc(layouts, func(layout string) bool {
		_, err := time.Parse(layout, text)
		return err == nil
	})
}

// checkFigures returns how figures by year break their shape (specification v2, "Financial figures").
func checkFigures(raw []byte) string {
	years, _ := service.ParseObject(raw)
	if len(years) == 0 {
		return "the answer is not an object of years"
	}
	var breaches []string
	for year, value := range years {
		if _, err := time.Parse("2006", year); err != nil {
			breaches = append(breaches, fmt.Sprintf("%.20q is not a year", year))
		}
		figures, isObject := service.ParseObject(value)
		if !isObject {
			breaches = append(breaches, year+" is not an object")
		}
		for name, figure := range figures {
			if kind := figureType(name); string(figure) != "null" && !hasType(kind, figure) {
				breaches = append(breaches, fmt.Sprintf("%s of %s is %.40s, want %s", name, year, figure, kind))
			}
		}
	}
	slices.Sort(breaches)
	return firstBreaches(breaches)
}

func figureType(name string) string {
	switch name {
	case "Reported-Date":
		return "date"
	case "Currency", "Company-Accounts-Status", "Consolidated-Accounts", "Share-of-Profit-in-Associates-or-Joint-Ventures":
		return "string"
	case "Accounting-From-Date", "Employee-Numbers":
		return "int"
	}
	return "number"
}
