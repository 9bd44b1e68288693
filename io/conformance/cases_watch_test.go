package conformance

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"payonce/io/sandbox/kit"
)

// start watches fields of a company.
func (p *trial) start(id string, fields ...string) *response {
	return p.post("/companies/"+id+"/watch/start", objectV2{"fields": fields}).is(http.StatusCreated)
}

// change changes a field of a company.
func (p *trial) change(id, field, value string) {
	p.settle()
	c, _ := p.world.ByID(id)
	_, _, err := p.server.Change(c, field, value)
	p.check(err == nil, "%v", err)
}

// names checks an answer that is a list of names.
func (s *response) names(want ...string) *response {
	var names []string
	s.decode(&names)
	slices.Sort(names)
	slices.Sort(want)
	s.p.check(slices.Equal(names, want), "%s: %q, want %q", s.asked, names, want)
	return s
}

func watchCases() []rulesCase {
	return []rulesCase{
		{rule: "v2-watch/start", try: func(p *trial) {
			p.start("1", "name").uses(kit.Watch)
			p.raw("GET", "/companies/watch", "").ok().has("total_results", "1")
		}},
		{rule: "v2-watch/start-again", try: func(p *trial) {
			p.start("1", "name").uses(kit.Watch)
			p.start("1", "company_fax")
			p.raw("GET", "/companies/watch", "").ok().has("total_results", "1")
		}},
		{rule: "v2-watch/start-without-fields", try: func(p *trial) {
			p.raw("POST", "/companies/1/watch/start", "").is(http.StatusCreated).uses(kit.Watch)
			p.post("/companies/2/watch/start", objectV2{}).is(http.StatusCreated).uses(kit.Watch)
		}},
		{rule: "v2-watch/stop", try: func(p *trial) {
			p.start("1", "name").uses(kit.Watch)
			stopped := p.raw("DELETE", "/companies/1/watch/stop", "").ok()
			stopped.wanted = kit.UnitCharge{Module: kit.Watch, Units: -1}
			p.raw("GET", "/companies/watch", "").ok().has("total_results", "0")
		}},
		{rule: "v2-watch/list", try: func(p *trial) {
			p.start("1", "name").uses(kit.Watch)
			p.start("2", "company_fax").uses(kit.Watch)
			p.raw("GET", "/companies/watch", "").ok().shaped("watched").has("total_results", "2").has("pages", "1")
		}},
		{rule: "v2-watch/list-fields", try: func(p *trial) {
			p.start("1", "name").uses(kit.Watch)
			p.start("2", "company_fax").uses(kit.Watch)
			got := p.raw("GET", "/companies/watch?fields=company_fax", "").ok().has("total_results", "1")
			p.check(slices.Equal(got.list("id"), []string{"2"}), "%s", got.body)
		}},
		{rule: "v2-watch/list-date", try: func(p *trial) {
			p.start("1", "name").uses(kit.Watch)
			p.settle()
			p.pass(24 * time.Hour)
			p.start("2", "name").uses(kit.Watch)
			got := p.raw("GET", "/companies/watch?date=2026-11-11", "").ok()
			p.check(slices.Equal(got.list("id"), []string{"2"}), "%s", got.body)
		}},
		{rule: "v2-watch/list-pages", try: func(p *trial) {
			for _, id := range []string{"1", "2", "3"} {
				p.start(id, "name").uses(kit.Watch)
			}
			first := p.raw("GET", "/companies/watch?per_page=2", "").ok().has("pages", "2").has("total_results", "3")
			second := p.raw("GET", "/companies/watch?per_page=2&page=2", "").ok()
			all := append(first.list("id"), second.list("id")...)
			slices.Sort(all)
			p.check(len(first.list("id")) == 2 && slices.Equal(all, []string{"1", "2", "3"}), "%q", all)
		}},
		{rule: "v2-watch/fields", try: func(p *trial) {
			p.start("1", "name", "company_fax").uses(kit.Watch)
			p.raw("GET", "/companies/1/watch/fields", "").ok().names("name", "company_fax")
		}},
		{rule: "v2-watch/fields-add", try: func(p *trial) {
			p.start("1", "name").uses(kit.Watch)
			p.raw("PUT", "/companies/1/watch/fields/add", `{"fields":["company_fax"]}`).ok().names("name", "company_fax")
			p.raw("PUT", "/companies/1/watch/fields/add", `{}`).invalid("fields")
		}},
		{rule: "v2-watch/fields-remove", try: func(p *trial) {
			p.start("1", "name", "company_fax").uses(kit.Watch)
			p.raw("PUT", "/companies/1/watch/fields/remove", `{"fields":["company_fax"]}`).ok().names("name")
			p.raw("GET", "/companies/1/watch/fields", "").ok().names("name")
		}},
		{rule: "v2-watch/field-names", try: func(p *trial) {
			p.start("1", strings.Fields("company_fax name vat_number company_address_street company_website company_phone company_email shareholder_name company_status company_name")...).uses(kit.Watch)
			p.post("/companies/2/watch/start", objectV2{"fields": []string{"mood"}}).invalid("fields")
		}},
	}
}

// receiver is where notifications arrive.
type receiver struct {
	*httptest.Server
	bodies chan string
}

// receive answers notifications with the statuses, and with 200 after them.
func receive(statuses ...int) *receiver {
	r := &receiver{bodies: make(chan string, 10)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		if len(statuses) > 0 {
			w.WriteHeader(statuses[0])
			statuses = statuses[1:]
		}
		r.bodies <- request.Header.Get("Content-Type") + "\n" + string(body)
	}))
	return r
}

// next returns the next notification.
func (r *receiver) next(p *trial) *response {
	select {
	case text := <-r.bodies:
		kind, body, _ := strings.Cut(text, "\n")
		p.check(kind == "application/json", "a notification is announced as %q", kind)
		return &response{p: p, asked: "notification", body: []byte(body)}
	case <-time.After(2 * time.Second):
		p.fail("no notification arrived")
		return nil
	}
}

func eventCases() []rulesCase {
	changed := func(p *trial) string {
		id := p.company().ID()
		p.start(id, "company_email").uses(kit.Watch)
		p.change(id, "company_email", "new@acme.example")
		return "/companies/" + id + "/watch/events"
	}
	return []rulesCase{
		{rule: "v2-watch/event", try: func(p *trial) {
			got := p.raw("GET", changed(p), "").ok().shaped("events").has("total_results", "1")
			p.check(got.list("status")[0] == "UPDATED" && got.list("event_type")[0] == "company_email" && strings.HasSuffix(got.list("date_created")[0], "Z"), "%s", got.body)
		}},
		{rule: "v2-watch/no-event", try: func(p *trial) {
			path := changed(p)
			p.change(p.company().ID(), "company_fax", "1")
			p.raw("GET", path, "").ok().has("total_results", "1")
		}},
		{rule: "v2-watch/events-order", try: func(p *trial) {
			path := changed(p)
			p.pass(time.Hour)
			p.change(p.company().ID(), "company_email", "newer@acme.example")
			times := p.raw("GET", path, "").ok().list("date_created")
			p.check(len(times) == 2 && times[0] > times[1], "%q", times)
		}},
		{rule: "v2-watch/events-dates", try: func(p *trial) {
			path := changed(p)
			p.pass(12*time.Hour - time.Second)
			p.change(p.company().ID(), "company_email", "late@acme.example")
			p.pass(time.Second)
			p.change(p.company().ID(), "company_email", "next@acme.example")
			p.raw("GET", path+"?from_date=2026-11-10&to_date=2026-11-10", "").ok().has("total_results", "2")
			p.raw("GET", path+"?from_date=2026-11-11", "").ok().has("total_results", "1")
			p.raw("GET", path+"?to_date=2026-11-09", "").ok().has("total_results", "0")
		}},
		{rule: "v2-watch/callback", try: func(p *trial) {
			p.raw("PUT", "/companies/watch/callback", `{"callback":"http://127.0.0.1:1/secret"}`).ok()
			p.raw("GET", "/companies/watch/callback", "").ok().shaped("callback").has("callback", "http://127.0.0.1:1/secret")
		}},
		{rule: "v2-watch/callback-required", try: func(p *trial) {
			p.raw("PUT", "/companies/watch/callback", `{}`).invalid("callback")
			p.raw("PUT", "/companies/watch/callback", `{"callback":"here"}`).invalid("callback")
		}},
		{rule: "v2-watch/notification", try: func(p *trial) {
			r := receive()
			defer r.Close()
			p.raw("PUT", "/companies/watch/callback", encoded(objectV2{"callback": r.URL})).ok()
			changed(p)
			got := r.next(p).shaped("notification").has("field", "company_email").has("status", "UPDATE").has("new_value", "new@acme.example")
			got.has("company_data.id", p.company().ID())
		}},
		{rule: "v2-watch/notification-repeated", try: func(p *trial) {
			r := receive(http.StatusServiceUnavailable)
			defer r.Close()
			p.raw("PUT", "/companies/watch/callback", encoded(objectV2{"callback": r.URL})).ok()
			changed(p)
			first, second := r.next(p), r.next(p)
			p.check(string(first.body) == string(second.body), "%s, repeated as %s", first.body, second.body)
		}},
	}
}
