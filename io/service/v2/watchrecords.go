package v2

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service"
)

// Watched is a company that the account watches.
type Watched struct {
	ID, Name, CountryCode, RegistrationNumber cost.Optional[string]
	Date                                      cost.Optional[time.Time]
	Fields                                    []string
}

func watched(m *members, w *Watched) {
	m.text("id", &w.ID)
	m.text("name", &w.Name)
	m.text("country_code", &w.CountryCode)
	m.text("registration_number", &w.RegistrationNumber)
	m.timestamp("date", &w.Date)
	m.texts("fields", &w.Fields)
}

// Event is a change of a watched company.
type Event struct {
	Status, Message, Type cost.Optional[string]
	Created               cost.Optional[time.Time]
	// Raw is the event as the service sent it, as compact JSON, with what this program does not know of it.
	Raw []byte
}

// ReadEvent returns the event that Event.Raw is. What of it cannot be read is not known.
func ReadEvent(raw []byte) Event {
	e := Event{Raw: raw}
	var problems enrich.CellProblems
	if m, isObject := reader(raw, &problems); isObject {
		event(m, &e)
	}
	return e
}

func event(m *members, e *Event) {
	m.text("status", &e.Status)
	m.text("message", &e.Message)
	m.timestamp("date_created", &e.Created)
	m.text("event_type", &e.Type)
}

// decodeWatched reads a page of watched companies.
func decodeWatched(body []byte) (Page[Watched], error) { return decodePage(body, watched) }

// decodeEvents reads a page of changes. Every element of its data is one of them, also one that cannot be read.
func decodeEvents(body []byte) (Page[Event], error) {
	page, err := decodePage(body, event)
	if err != nil {
		return page, err
	}
	page.Items = nil
	_ = service.EachMember(body, func(name, data []byte) bool {
		if string(name) == "data" {
			page.Items = nil // of members with one name the last one counts
			service.EachElement(data, func(element []byte) bool {
				if string(element) != "null" {
					page.Items = append(page.Items, ReadEvent(bytes.Clone(compact(element))))
				}
				return true
			})
		}
		return true
	})
	return page, nil
}

// WatchableFields returns the names of the fields that can be watched (specification v2, "Watch subscription"). The last
// three occur in its usage alone.
func WatchableFields() []string {
	return []string{
		"company_fax", "name", "vat_number", "company_address_street", "company_website", "company_phone", "company_email",
		"shareholder_name", "company_status", "company_name",
	}
}

// WatchedIn returns the field whose record has a watched field: the shareholders are in the ownership, and all others in
// the company record.
func WatchedIn(watched string) enrich.Field {
	if strings.HasPrefix(watched, "shareholder") {
		return FieldOwnership
	}
	return FieldCompany
}

// WatchedValue returns the value of a watched field in an answer to a call for WatchedIn, as a list shows it. It returns
// false when the answer has no such value.
func WatchedValue(answered enrich.Answered, watched string) (string, bool, error) {
	if WatchedIn(watched) == FieldOwnership {
		o, err := Read(answered, Answer.Ownership)
		var names []string
		for _, s := range o.Shareholders {
			names = append(names, s.Name.Value)
		}
		cell := enrich.Cell{Kind: enrich.TextsCell, Known: names != nil, Texts: names}
		return shownCell(cell), cell.Known, err
	}
	c, err := Read(answered, Answer.Company)
	if err != nil {
		return "", false, err
	}
	name := watched
	switch watched {
	case "company_name":
		name = "name"
	case "company_status":
		name = "status"
	case "company_address_street":
		name = "address_street"
	}
	cells := c.Cells()
	for i, column := range columnsOf(company) {
		if column.Name == name && i < len(cells) && cells[i].Known {
			return shownCell(cells[i]), true, nil
		}
	}
	return "", false, nil
}

// decodeFieldNames reads an array of names of watched fields.
func decodeFieldNames(body []byte) ([]string, enrich.CellProblems, error) {
	var raw json.RawMessage
	var problems enrich.CellProblems
	if json.Unmarshal(body, &raw) != nil || !isArray(raw) && string(raw) != "null" {
		return nil, problems, errors.New("the body is not a JSON array")
	}
	var names []string
	only("fields", raw, &problems).texts("fields", &names)
	return names, problems, nil
}

// decodeCallback reads the callback address; it is not known when none is set.
func decodeCallback(body []byte) (cost.Optional[string], error) {
	var problems enrich.CellProblems
	describe := func(m *members, url *cost.Optional[string]) { m.text("callback", url) }
	callback, err := decode(body, "a callback", &problems, describe)
	if err == nil && problems.Count > 0 {
		err = errors.New("the callback is not a text")
	}
	return callback, err
}

// UsageGroup is a group of counters of the account (specification v2, "Usage metric").
type UsageGroup struct {
	Name, Codename cost.Optional[string]
	Metrics        []UsageMetric
}

// UsageMetric is a counter of the account.
type UsageMetric struct {
	Name, Codename cost.Optional[string]
	Used, Total    cost.Optional[int64]
}

func usageGroup(m *members, g *UsageGroup) {
	m.text("name", &g.Name)
	m.text("codename", &g.Codename)
	records(m, "metrics", &g.Metrics, func(m *members, u *UsageMetric) {
		m.text("name", &u.Name)
		m.text("codename", &u.Codename)
		m.integer("used", &u.Used)
		m.integer("total", &u.Total)
	})
}

// decodeUsage reads the counters of the account.
func decodeUsage(body []byte) ([]UsageGroup, enrich.CellProblems, error) {
	return decodeArray(body, usageGroup)
}

// contactCounts are the emails and phones that the account was given in a time span.
type contactCounts struct{ Emails, Phones cost.Optional[int64] }

// decodeContactCounts reads the counts of emails and phones.
func decodeContactCounts(body []byte) (contactCounts, enrich.CellProblems, error) {
	var problems enrich.CellProblems
	counts, err := decode(body, "counts of contact data", &problems, func(m *members, c *contactCounts) {
		m.integer("email_count", &c.Emails)
		m.integer("phone_count", &c.Phones)
	})
	return counts, problems, err
}
