package v2

import (
	"encoding/json"
	"errors"
	"time"

	"payonce/cost"
	"payonce/enrich"
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
}

func event(m *members, e *Event) {
	m.text("status", &e.Status)
	m.text("message", &e.Message)
	m.timestamp("date_created", &e.Created)
	m.text("event_type", &e.Type)
}

// decodeWatched reads a page of watched companies.
func decodeWatched(body []byte) (Page[Watched], error) { return decodePage(body, watched) }

// decodeEvents reads a page of changes.
func decodeEvents(body []byte) (Page[Event], error) { return decodePage(body, event) }

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
