package v2

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"payonce/io/sandbox/kit"
)

// FuzzOperations: no request breaks an operation, and every answer of a data operation with a status of 200 was
// counted once, with what it shows.
func FuzzOperations(f *testing.F) {
	s := opened(f, func(c *Config) { c.KeepRecords = 20 })
	all := operations()
	for i, x := range exchanges(s) {
		path, query, _ := strings.Cut(x.path, "?")
		f.Add(i, strings.TrimPrefix(path, "/"), query, x.body)
	}
	for i := range all {
		f.Add(i, "1", "page=0", `{"filters":"{\"nace\":7}","page":-1,"fields":null}`)
		f.Add(i, "99999999999999999999", "year=2024", `[]`)
	}
	f.Fuzz(func(t *testing.T, number int, id, query, body string) {
		o := all[uint(number)%uint(len(all))]
		method, path, _ := strings.Cut(o.route, " ")
		path = strings.NewReplacer("{id}", url.PathEscape(id), "{name}", url.PathEscape(id)).Replace(path)
		if (id == "" || id == "." || id == "..") && path != o.route {
			return // the path has another form
		}
		r, err := http.NewRequest(method, Path+path, strings.NewReader(body))
		if err != nil {
			return
		}
		r.URL.RawQuery = query
		r.Header.Set("Authorization", "Token "+DefaultKey)
		r.Header.Set("Content-Type", "application/json")
		before := lastNumber(s.Units().Records())
		got := recorded(s.Handler(), r)
		if got.broken || got.status >= 500 || got.header.Get("X-Sandbox") != "true" || got.status != 301 && got.status != 307 && !json.Valid([]byte(got.text)) {
			t.Fatalf("%s %s?%s %s: %d %s", method, path, query, body, got.status, got.text)
		}
		records := slices.DeleteFunc(s.Units().Records(), func(r kit.UnitRecord) bool { return r.Number <= before })
		if err := s.Units().Audit(); err != nil {
			t.Fatal(err)
		}
		if o.module == "" || o.module == kit.Watch || got.status > 299 {
			return
		}
		if len(records) != 1 || records[0].Units != 1 || records[0].Module != o.module || records[0].Code != "" {
			t.Fatalf("%s %s: %d, counted %+v", method, path, got.status, records)
		}
		var shown struct{ Email, Phone *string }
		_ = json.Unmarshal([]byte(got.text), &shown) // a list has neither
		if (shown.Email != nil) != (records[0].Emails == 1) || (shown.Phone != nil) != (records[0].Phones == 1) {
			t.Fatalf("%s shows another contact than was counted: %+v", got.text, records[0])
		}
	})
}

// lastNumber returns the number of the newest call.
func lastNumber(records []kit.UnitRecord) int {
	last := 0
	for _, r := range records {
		last = max(last, r.Number)
	}
	return last
}
