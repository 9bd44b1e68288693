package crm

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/io/sandbox/kit"
)

// The views of contacts.
const (
	ViewAll          = "4876876000000087501"
	ViewWithoutEmail = "4876876000000087503"
	ViewIncomplete   = "4876876000000087505" // without email or without phone
)

// firstID is the id of the first contact. Accounts have ids below it.
const firstID = 4876876000000600000

// zone is that of the CRM's user.
var zone = time.FixedZone("", int((5*time.Hour+30*time.Minute)/time.Second))

// record is a contact or an account. An empty value is not in the map.
type record struct {
	id       string
	modified time.Time
	values   map[string]string
	account  *record // of a contact
	locked   bool
	edited   bool // the editor has changed it
}

func (r *record) time() string { return r.modified.In(zone).Format("2006-01-02T15:04:05-07:00") }

// metadata is a field of contacts as the interface describes it.
type metadata struct {
	Name      string         `json:"api_name"`
	Label     string         `json:"field_label"`
	Type      string         `json:"data_type"`
	Length    int            `json:"length"`
	ReadOnly  bool           `json:"read_only"`
	Unique    map[string]any `json:"unique"`
	Operation map[string]any `json:"operation_type"`
}

// contactFields are the fields of contacts.
var contactFields = parseFields()

func parseFields() []metadata {
	var fields []metadata
	for line := range strings.SplitSeq(`First_Name,First Name,text,40
Last_Name,Last Name,text,80
Full_Name,Full Name,text,120,read only
Email,Email,email,100,unique
Secondary_Email,Secondary Email,email,100
Phone,Phone,phone,30
Mobile,Mobile,phone,30
Title,Title,text,100
Account_Name,Account Name,lookup,120
Email_Opt_Out,Email Opt Out,boolean,5
Modified_Time,Modified Time,datetime,120,read only
Mailing_City,Mailing City,text,100
Mailing_Country,Mailing Country,text,100
LinkedIn_Profile,LinkedIn Profile,website,450
Description,Description,textarea,32000`, "\n") {
		part := append(strings.Split(line, ","), "")
		length, _ := strconv.Atoi(part[3])
		field := metadata{
			Name: part[0], Label: part[1], Type: part[2], Length: length, ReadOnly: part[4] == "read only",
			Unique: map[string]any{}, Operation: map[string]any{"api_update": part[4] != "read only"},
		}
		if part[4] == "unique" {
			field.Unique["casesensitive"] = false
		}
		fields = append(fields, field)
	}
	return fields
}

func fieldNamed(name string) (metadata, bool) {
	at := slices.IndexFunc(contactFields, func(f metadata) bool { return f.Name == name })
	if at < 0 {
		return metadata{}, false
	}
	return contactFields[at], true
}

func (s *Server) fields(r *http.Request) answer {
	if r.URL.Query().Get("module") != "Contacts" {
		return problem("INVALID_MODULE", nil)
	}
	return answer{reply: kit.JSONReply(http.StatusOK, map[string]any{"fields": contactFields})}
}

// fill makes the contacts: people of the world, with some of their values. Some are complete, some have opted out, some
// have values as long as their field, and some are there twice.
func (s *Server) fill() {
	s.contacts, s.accounts, s.emails = map[string]*record{}, map[string]*record{}, map[string]string{}
	modified := s.config.Now().Add(-24 * time.Hour)
	for company := range s.config.World.Listed() {
		account := &record{id: strconv.Itoa(firstID - 1 - len(s.accounts)), modified: modified, values: map[string]string{
			"Account_Name": company.Name(), "Website": company.Website(),
		}}
		if s.roll("website", account.id) < 0.1 {
			delete(account.values, "Website")
		}
		s.accounts[account.id] = account
		for place := range min(company.Staff(), 3) {
			person, ok := s.config.World.Employee(company, place)
			if !ok {
				continue
			}
			copies := 1
			if s.roll("twice", person.ID) < 0.04 {
				copies = 2
			}
			for range copies {
				if len(s.ids) == s.config.Contacts {
					return
				}
				id := strconv.Itoa(firstID + len(s.ids))
				values := map[string]string{
					"First_Name": person.First, "Last_Name": person.Last, "Full_Name": person.First + " " + person.Last,
					"Title": person.Title(), "Mailing_City": company.Place().City, "Mailing_Country": company.Country().Name,
				}
				sometimes := func(field string, share float64, value string) {
					if value != "" && s.roll(field, id) < share {
						values[field] = value
					}
				}
				sometimes("Email", 0.4, person.Email())
				sometimes("Phone", 0.3, person.Phone())
				sometimes("Mobile", 0.3, fmt.Sprintf("+1555%07d", len(s.ids)))
				sometimes("LinkedIn_Profile", 0.3, person.Profile())
				sometimes("Email_Opt_Out", 0.1, "true")
				sometimes("Description", 0.02, strings.Repeat("A long remark. ", 200))
				if s.emails[strings.ToLower(values["Email"])] != "" {
					delete(values, "Email")
				}
				s.contacts[id] = &record{id: id, modified: modified, values: values, account: account}
				s.index(id, values["Email"])
				s.ids = append(s.ids, id)
				modified = modified.Add(time.Second)
			}
		}
	}
}

// index notes which contact has an email.
func (s *Server) index(id, email string) {
	if email != "" {
		s.emails[strings.ToLower(email)] = id
	}
}

// list serves GET on a module, by ids or as a view.
func (s *Server) list(r *http.Request) answer {
	q := r.URL.Query()
	records := s.contacts
	switch r.PathValue("module") {
	case "Contacts":
	case "Accounts":
		records = s.accounts
	default:
		return problem("INVALID_MODULE", nil)
	}
	perPage := 200
	if text := q.Get("per_page"); text != "" {
		perPage, _ = strconv.Atoi(text)
	}
	switch {
	case q.Get("fields") == "":
		return problem("REQUIRED_PARAM_MISSING", map[string]any{"param_name": "fields"})
	case perPage < 1 || perPage > 200:
		return problem("INVALID_DATA", map[string]any{"param_name": "per_page"})
	}
	names := strings.Split(q.Get("fields"), ",")
	if q.Has("ids") {
		ids := strings.Split(q.Get("ids"), ",")
		if len(ids) > 100 {
			return problem("INVALID_DATA", map[string]any{"param_name": "ids"})
		}
		var found []*record
		for _, id := range ids {
			if record := records[id]; record != nil {
				found = append(found, record)
			}
		}
		if r.PathValue("module") == "Contacts" {
			s.editBefore(found)
		}
		said := pageOf(found, names, map[string]any{"more_records": false})
		if r.PathValue("module") == "Contacts" {
			said.read = found
		}
		return said
	}
	fits, known := views[q.Get("cvid")]
	if !known || r.PathValue("module") != "Contacts" {
		return problem("INVALID_DATA", map[string]any{"param_name": "cvid"})
	}
	var found []*record
	for _, id := range s.ids {
		if record := s.contacts[id]; record != nil && fits(record) {
			found = append(found, record)
		}
	}
	text, _ := base64.RawURLEncoding.DecodeString(q.Get("page_token"))
	begin, err := strconv.Atoi(string(text))
	if q.Has("page_token") && (err != nil || begin > len(found)) {
		return problem("INVALID_DATA", map[string]any{"param_name": "page_token"})
	}
	end := min(begin+perPage, len(found))
	info := map[string]any{"more_records": end < len(found), "next_page_token": nil, "per_page": perPage, "count": end - begin}
	if end < len(found) {
		info["next_page_token"] = base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(end)))
	}
	return pageOf(found[begin:end], names, info)
}

var views = map[string]func(*record) bool{
	ViewAll:          func(*record) bool { return true },
	ViewWithoutEmail: func(r *record) bool { return r.values["Email"] == "" },
	ViewIncomplete:   func(r *record) bool { return r.values["Email"] == "" || r.values["Phone"] == "" },
}

// customViews lists the views, two on a page.
func (s *Server) customViews(r *http.Request) answer {
	if r.URL.Query().Get("module") != "Contacts" {
		return problem("INVALID_MODULE", nil)
	}
	all := []map[string]string{
		{"id": ViewAll, "name": "All Contacts", "display_value": "All Contacts"},
		{"id": ViewWithoutEmail, "name": "No Email", "display_value": "Contacts without Email"},
		{"id": ViewIncomplete, "name": "Incomplete", "display_value": "Incomplete Contacts"},
	}
	if r.URL.Query().Get("page") == "2" {
		return answer{reply: kit.JSONReply(http.StatusOK, map[string]any{"custom_views": all[2:], "info": map[string]any{"more_records": false}})}
	}
	return answer{reply: kit.JSONReply(http.StatusOK, map[string]any{"custom_views": all[:2], "info": map[string]any{"more_records": true}})}
}

func pageOf(records []*record, names []string, info map[string]any) answer {
	if len(records) == 0 {
		return answer{reply: kit.Reply{Status: http.StatusNoContent}}
	}
	data := []map[string]any{}
	for _, r := range records {
		shown := map[string]any{"id": r.id}
		for _, name := range names {
			shown[name] = r.shown(name)
		}
		data = append(data, shown)
	}
	return answer{reply: kit.JSONReply(http.StatusOK, map[string]any{"data": data, "info": info})}
}

// shown returns a value as the interface shows it.
func (r *record) shown(name string) any {
	switch value := r.values[name]; {
	case name == "Modified_Time":
		return r.time()
	case name == "Account_Name" && r.account != nil:
		return map[string]string{"id": r.account.id, "name": r.account.values["Account_Name"]}
	case name == "Email_Opt_Out":
		return value == "true"
	case value == "":
		return nil
	default:
		return value
	}
}

// update serves PUT on a contact.
func (s *Server) update(r *http.Request) answer {
	var body struct {
		Data    []map[string]any `json:"data"`
		Trigger *[]string        `json:"trigger"`
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil || json.Unmarshal(text, &body) != nil || len(body.Data) != 1 {
		return problem("INVALID_DATA", map[string]any{"api_name": "data"})
	}
	id := r.PathValue("id")
	contact := s.contacts[id]
	if contact == nil {
		return ofRecord(errorOf("INVALID_DATA", map[string]any{"id": id}))
	}
	if since := r.Header.Get("If-Unmodified-Since"); since != "" {
		at, err := time.Parse(time.RFC3339, since)
		if err != nil {
			return problem("INVALID_DATA", map[string]any{"param_name": "If-Unmodified-Since"})
		}
		if contact.modified.Truncate(time.Second).After(at) {
			return problem("ALREADY_MODIFIED", nil)
		}
	}
	if contact.locked {
		return ofRecord(errorOf("RECORD_LOCKED", map[string]any{"id": id}))
	}
	change := map[string]string{}
	for name, value := range body.Data[0] {
		field, known := fieldNamed(name)
		if !known || field.ReadOnly {
			continue // as the service does
		}
		given, isText := value.(string)
		if value != nil && !isText {
			return ofRecord(errorOf("INVALID_DATA", map[string]any{"api_name": name, "expected_data_type": field.Type}))
		}
		if no := s.check(field, given, id); no != nil {
			return ofRecord(*no)
		}
		change[name] = given
	}
	s.write(contact, change, "client", body.Trigger == nil || len(*body.Trigger) > 0)
	return answer{reply: kit.JSONReply(http.StatusOK, map[string]any{"data": []any{map[string]any{
		"code": "SUCCESS", "message": "record updated", "status": "success",
		"details": map[string]any{"id": id, "Modified_Time": contact.time()},
	}}})}
}

// ofRecord refuses the change of one record.
func ofRecord(no errorBody) answer {
	return answer{reply: kit.JSONReply(statuses[no.Code].status, map[string]any{"data": []any{no}})}
}

// check returns why a field does not accept a value; nil when it does.
func (s *Server) check(field metadata, value, id string) *errorBody {
	no := func(code kit.Code, details map[string]any) *errorBody {
		details["api_name"] = field.Name
		body := errorOf(code, details)
		return &body
	}
	before, domain, isEmail := strings.Cut(value, "@")
	switch {
	case value == "" && field.Name == "Last_Name":
		return no("MANDATORY_NOT_FOUND", map[string]any{})
	case value == "":
		return nil
	case len([]rune(value)) > field.Length:
		return no("INVALID_DATA", map[string]any{"maximum_length": field.Length})
	case field.Type == "email" && (!isEmail || before == "" || !strings.Contains(domain, ".")):
		return no("INVALID_DATA", map[string]any{"expected_data_type": "email"})
	case field.Type == "phone" && strings.Trim(value, "+0123456789 ()-./x") != "":
		return no("INVALID_DATA", map[string]any{"expected_data_type": "phone"})
	}
	if holder := s.emails[strings.ToLower(value)]; field.Name == "Email" && holder != "" && holder != id {
		return no("DUPLICATE_DATA", map[string]any{"duplicate_record": map[string]any{
			"id": holder, "module": map[string]string{"api_name": "Contacts"},
		}})
	}
	return nil
}

// Write is one value that was written.
type Write struct {
	At      time.Time `json:"at"`
	Record  string    `json:"record"`
	Field   string    `json:"field"`
	Before  string    `json:"before"`
	After   string    `json:"after"`
	By      string    `json:"by"`       // client or editor
	Trigger bool      `json:"triggers"` // workflows were started
}

// write changes a contact, and notes forbidden writes of a client.
func (s *Server) write(contact *record, change map[string]string, by string, triggers bool) {
	now := s.config.Now()
	for _, field := range slices.Sorted(maps.Keys(change)) {
		w := Write{now, contact.id, field, contact.values[field], change[field], by, triggers}
		if why := s.wrong(w); by == "client" && why != "" {
			s.problems = append(s.problems, fmt.Sprintf("contact %s, field %s, write %d: %s", w.Record, w.Field, len(s.writes)+1, why))
		}
		s.writes = append(s.writes, w)
		if field == "Email" {
			delete(s.emails, strings.ToLower(w.Before))
			s.index(contact.id, w.After)
		}
		if contact.values[field] = w.After; w.After == "" {
			delete(contact.values, field)
		}
	}
	contact.modified = now
}

// wrong says why a write of a client is forbidden. A client may fill an empty field, and clear a field that it filled.
func (s *Server) wrong(w Write) string {
	switch {
	case w.Field == "Mobile":
		return "a field of mobile numbers was changed"
	case w.After == w.Before:
		return "a value was written twice"
	case w.Before == "":
		return ""
	case w.After != "":
		return "a value was overwritten"
	}
	for _, earlier := range slices.Backward(s.writes) {
		if earlier.Record == w.Record && earlier.Field == w.Field {
			if earlier.By == "client" {
				return ""
			}
			break
		}
	}
	return "a value was cleared that the client did not write"
}
