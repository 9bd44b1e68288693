package crm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"payonce/io/sandbox/world"
)

// client calls a CRM whose clock stands still until the test moves it.
type client struct {
	*testing.T
	*Server
	token string
	now   time.Time
}

func begin(t *testing.T, change func(*Config)) *client {
	c := &client{T: t, now: time.Date(2026, 11, 28, 10, 0, 0, 300e6, time.UTC)}
	config := DefaultConfig()
	config.World.People = world.People{Seed: 3}
	config.Now = func() time.Time { return c.now }
	if change != nil {
		change(&config)
	}
	c.Server = New(config)
	c.token = c.newToken()
	return c
}

func (c *client) newToken() string {
	form := url.Values{
		"grant_type": {"refresh_token"}, "client_id": {DefaultClientID}, "client_secret": {DefaultClientSecret}, "refresh_token": {DefaultRefreshToken},
	}
	r := httptest.NewRequest("POST", TokenPath, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, r)
	var said struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil {
		c.Error(err)
	}
	return said.Token
}

// call returns the status and the body of a call below Path.
func (c *client) call(method, path, body string, header ...string) (int, string) {
	r := httptest.NewRequest(method, Path+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Zoho-oauthtoken "+c.token)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func (c *client) query(condition string) (ids []string, code string) {
	body, _ := json.Marshal(map[string]string{"select_query": "select Email from Contacts where " + condition + " order by id limit 2000"})
	_, text := c.call("POST", "coql", string(body))
	var said struct {
		Code string
		Data []struct{ ID string }
	}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &said); err != nil {
			c.Fatal(err)
		}
	}
	for _, found := range said.Data {
		ids = append(ids, found.ID)
	}
	return ids, said.Code
}

// TestConditionsSelectWhatTheySay compares queries with the same conditions in Go.
func TestConditionsSelectWhatTheySay(t *testing.T) {
	c := begin(t, nil)
	contacts := c.Contacts()
	middle := contacts[len(contacts)/2].ID
	for condition, fits := range map[string]func(Contact) bool{
		"Email is null":                               func(c Contact) bool { return c.Values["Email"] == "" },
		"(Email is not null and Phone is null)":       func(c Contact) bool { return c.Values["Email"] != "" && c.Values["Phone"] == "" },
		"((Email is null) and (id > " + middle + "))": func(c Contact) bool { return c.Values["Email"] == "" && c.ID > middle },
		"id = '" + middle + "' or id < " + middle:     func(c Contact) bool { return c.ID <= middle },
		"id in ('" + middle + "', 1)":                 func(c Contact) bool { return c.ID == middle },
		"id not in (" + middle + ")":                  func(c Contact) bool { return c.ID != middle },
		"Email_Opt_Out = true":                        func(c Contact) bool { return c.Values["Email_Opt_Out"] == "true" },
		"Email_Opt_Out != true":                       func(c Contact) bool { return c.Values["Email_Opt_Out"] == "" },
		"Last_Name like 'a%'":                         func(c Contact) bool { return strings.HasPrefix(strings.ToLower(c.Values["Last_Name"]), "a") },
		"Account_Name.Website is null":                func(c Contact) bool { return c.Website == "" },
		"Modified_Time >= '" + contacts[9].Modified + "' and Modified_Time <= '" + contacts[11].Modified + "'": func(c Contact) bool {
			return c.Modified >= contacts[9].Modified && c.Modified <= contacts[11].Modified
		},
	} {
		var want []string
		for _, contact := range contacts {
			if fits(contact) {
				want = append(want, contact.ID)
			}
		}
		got, code := c.query(condition)
		if !slices.Equal(got, want) || code != "" || len(want) == 0 || len(want) == len(contacts) {
			t.Errorf("%s: %d records, want %d; %s", condition, len(got), len(want), code)
		}
	}
	for condition, want := range map[string]string{
		"Email is": "SYNTAX_ERROR", "(Email is null": "SYNTAX_ERROR", "Email is null)": "SYNTAX_ERROR", "Nowhere is null": "INVALID_QUERY",
		"": "INVALID_QUERY", "Email ~ 'a'": "SYNTAX_ERROR", strings.Repeat("(", 5000): "SYNTAX_ERROR",
	} {
		if _, code := c.query(condition); code != want {
			t.Errorf("%.40s: %q, want %q", condition, code, want)
		}
	}
}

// FuzzQueries runs queries of any text.
func FuzzQueries(f *testing.F) {
	f.Add("select Email, Account_Name.Website from Contacts where (Email is null and id > 5) or Title like 'a%' order by id limit 7")
	f.Add("select id from Contacts where id in ('1', 2) and Modified_Time >= '2026-11-28T10:00:00+05:30'")
	f.Add("select from where ((( '")
	contact := &record{id: "1", values: map[string]string{"Title": "x"}, account: &record{id: "2", values: map[string]string{}}}
	f.Fuzz(func(t *testing.T, text string) {
		p := &parser{words: tokens(text)}
		names, where, limit := p.selection()
		if p.code == "" {
			where(contact)
			if len(names) == 0 || limit < 1 {
				t.Errorf("%q selects %v up to %d", text, names, limit)
			}
		}
	})
}

// TestTheCallsAnswerAsDocumented has a call for each status.
func TestTheCallsAnswerAsDocumented(t *testing.T) {
	c := begin(t, nil)
	id := c.Contacts()[0].ID
	many := strings.Repeat(id+",", 100) + id
	set := func(field, value string) string { return fmt.Sprintf(`{"data":[{%q:%s}],"trigger":[]}`, field, value) }
	for _, call := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "settings/fields?module=Contacts", "", 200, ""},
		{"GET", "settings/fields?module=Deals", "", 400, "INVALID_MODULE"},
		{"GET", "Contacts?fields=Email&ids=" + id, "", 200, ""},
		{"GET", "Contacts?fields=Email&ids=1", "", 204, ""},
		{"GET", "Contacts?ids=" + id, "", 400, "REQUIRED_PARAM_MISSING"},
		{"GET", "Contacts?fields=Email&ids=" + many, "", 400, "INVALID_DATA"},
		{"GET", "Contacts?fields=Email&cvid=" + ViewAll + "&per_page=201", "", 400, "INVALID_DATA"},
		{"GET", "Contacts?fields=Email&cvid=1", "", 400, "INVALID_DATA"},
		{"GET", "Contacts?fields=Email&cvid=" + ViewAll + "&page_token=%21", "", 400, "INVALID_DATA"},
		{"GET", "Deals?fields=Email", "", 400, "INVALID_MODULE"},
		{"POST", "coql", `{"select_query":"select id from Contacts limit 2001"}`, 400, "INVALID_QUERY"},
		{"POST", "coql", `{`, 400, "INVALID_QUERY"},
		{"PUT", "Contacts/1", set("Title", `"x"`), 400, "INVALID_DATA"},
		{"PUT", "Contacts/" + id, set("Title", `7`), 400, "INVALID_DATA"},
		{"PUT", "Contacts/" + id, set("Phone", `"call me"`), 400, "INVALID_DATA"},
		{"PUT", "Contacts/" + id, set("Last_Name", `null`), 400, "MANDATORY_NOT_FOUND"},
		{"PUT", "Contacts/" + id, `{"data":[]}`, 400, "INVALID_DATA"},
		{"DELETE", "Contacts/" + id, "", 404, "INVALID_URL_PATTERN"},
	} {
		status, said := c.call(call.method, call.path, call.body)
		if status != call.status || call.code != "" && !strings.Contains(said, `"code":"`+call.code+`"`) {
			t.Errorf("%s %s: %d %s", call.method, call.path, status, said)
		}
	}
	if writes := c.Audit().Writes; len(writes) > 0 {
		t.Errorf("refused changes wrote %v", writes)
	}
	c.token = "1000.another"
	if status, said := c.call("GET", "settings/fields?module=Contacts", ""); status != 401 || !strings.Contains(said, "INVALID_TOKEN") {
		t.Errorf("%d %s", status, said)
	}
	c.token = c.newToken()
	c.now = c.now.Add(time.Hour)
	if status, _ := c.call("GET", "settings/fields?module=Contacts", ""); status != 401 {
		t.Errorf("an expired token: %d", status)
	}
}

// TestConditionsOfChangesCompareWholeSeconds changes a contact twice in one second and once in the next.
func TestConditionsOfChangesCompareWholeSeconds(t *testing.T) {
	c := begin(t, nil)
	id := c.Contacts()[0].ID
	if err := c.Edit(id, map[string]string{"Title": "first"}); err != nil {
		t.Fatal(err)
	}
	read := c.Contacts()[0].Modified
	put := func(title string) int {
		status, _ := c.call("PUT", "Contacts/"+id, fmt.Sprintf(`{"data":[{"Title":%q}],"trigger":[]}`, title), "If-Unmodified-Since", read)
		return status
	}
	c.now = c.now.Add(500 * time.Millisecond)
	if err := c.Edit(id, map[string]string{"Title": "second"}); err != nil {
		t.Fatal(err)
	}
	if status := put("not seen"); status != http.StatusOK {
		t.Errorf("in the same second: %d", status)
	}
	c.now = c.now.Add(500 * time.Millisecond)
	if err := c.Edit(id, map[string]string{"Title": "third"}); err != nil {
		t.Fatal(err)
	}
	if status := put("seen"); status != http.StatusPreconditionFailed {
		t.Errorf("in the next second: %d", status)
	}
	if problems := c.Audit().Problems; len(problems) != 1 || !strings.Contains(problems[0], "overwritten") {
		t.Errorf("the edit that was lost is not noted: %q", problems)
	}
}

// TestTheAuditNamesWhatAClientMustNotDo makes each mistake, and fills and clears a field as a client may.
func TestTheAuditNamesWhatAClientMustNotDo(t *testing.T) {
	c := begin(t, nil)
	at := slices.IndexFunc(c.Contacts(), func(c Contact) bool { return c.Values["Phone"] == "" && c.Values["Mobile"] == "" })
	id := c.Contacts()[at].ID
	problems := 0
	for _, write := range []struct{ field, value, want string }{
		{"Phone", `"+1 555 1"`, ""},
		{"Phone", `"+1 555 1"`, "a value was written twice"},
		{"Phone", `"+1 555 2"`, "a value was overwritten"},
		{"Phone", `null`, ""},
		{"Mobile", `"+1 555 3"`, "a field of mobile numbers was changed"},
		{"Title", `null`, "a value was cleared that the client did not write"},
	} {
		if status, said := c.call("PUT", "Contacts/"+id, fmt.Sprintf(`{"data":[{%q:%s}]}`, write.field, write.value)); status != 200 {
			t.Fatal(said)
		}
		audit := c.Audit()
		if grew := len(audit.Problems) > problems; grew != (write.want != "") || grew && !strings.HasSuffix(audit.Problems[problems], write.want) {
			t.Errorf("%+v: %q", write, audit.Problems[problems:])
		}
		problems = len(audit.Problems)
		if last := audit.Writes[len(audit.Writes)-1]; last.By != "client" || !last.Trigger || last.Field != write.field {
			t.Errorf("%+v", last)
		}
	}
	if err := c.Edit("1", nil); err == nil {
		t.Error("a contact is edited that there is none of")
	}
}

// TestContactsAreOfEveryKind counts them. The same seed makes the same contacts.
func TestContactsAreOfEveryKind(t *testing.T) {
	contacts := begin(t, nil).Contacts()
	if again := begin(t, nil).Contacts(); !reflect.DeepEqual(again, contacts) || len(contacts) != DefaultConfig().Contacts {
		t.Errorf("there are %d contacts, and they differ for the same seed", len(contacts))
	}
	names := map[string]bool{}
	kinds := map[string]int{}
	for _, c := range contacts {
		v := c.Values
		for kind, is := range map[string]bool{
			"complete": v["Email"] != "" && v["Phone"] != "", "without email": v["Email"] == "", "without phone": v["Phone"] == "",
			"mobile": v["Mobile"] != "", "opted out": v["Email_Opt_Out"] != "", "long": len(v["Description"]) > 2000,
			"there twice": names[v["Full_Name"]+c.Website], "without website": c.Website == "",
		} {
			if is {
				kinds[kind]++
			}
		}
		names[v["Full_Name"]+c.Website] = true
	}
	if len(kinds) != 8 {
		t.Errorf("the kinds are %v", kinds)
	}
}

// TestTheEditorFollowsFromTheSeed reads all contacts one by one, and compares the edits.
func TestTheEditorFollowsFromTheSeed(t *testing.T) {
	play := func() []Write {
		c := begin(t, func(config *Config) { config.Editing = 0.4 })
		for _, contact := range c.Contacts() {
			for range 2 {
				c.call("GET", "Contacts?fields=Email&ids="+contact.ID, "")
			}
		}
		return c.Audit().Writes
	}
	writes := play()
	edits, same := map[string]int{}, 0
	for _, w := range writes {
		if edits[w.Record]++; edits[w.Record] == 2 {
			same++
		}
	}
	if share := float64(len(edits)) / 300; share < 0.3 || share > 0.5 || same < len(edits)/4 || !reflect.DeepEqual(play(), writes) {
		t.Errorf("%d contacts were edited, %d of them twice in a second", len(edits), same)
	}
}
