package zoho

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/io/crm"
	"payonce/io/service"
)

// The sizes of pages ("Get Records", "Query API - Limitations").
const (
	viewPage  = 200
	idsPage   = 100
	queryPage = 2000
	maxPages  = 10_000
)

// Find visits the selected contacts with their accounts. The condition of a selection is that of a COQL query, such as
// "Email is null".
func (c *Connector) Find(ctx context.Context, s crm.Selection, visit func(crm.Record) error) error {
	if err := s.Check(); err != nil {
		return err
	}
	fields, err := c.selected(ctx)
	if err != nil {
		return err
	}
	seen := map[string]bool{} // a record that changes during the reading moves to another page
	websites := map[string]crm.Account{}
	visitPage := func(records []crm.Record) error {
		records = slices.DeleteFunc(records, func(r crm.Record) bool { return seen[r.ID] })
		if err := c.join(ctx, records, websites); err != nil {
			return err
		}
		for _, record := range records {
			if seen[record.ID] {
				continue
			}
			seen[record.ID] = true
			if err := visit(record); err != nil {
				return err
			}
		}
		return nil
	}
	switch {
	case s.View != "":
		return c.findInView(ctx, s.View, fields, visitPage)
	case s.Condition != "":
		return c.findByCondition(ctx, s.Condition, fields, visitPage)
	}
	for ids := range slices.Chunk(s.IDs, idsPage) {
		records, _, err := c.byID(ctx, contacts, ids, fields)
		if err != nil {
			return err
		}
		if err := visitPage(records); err != nil {
			return err
		}
	}
	return nil
}

// viewOf returns the id of a view ("Custom Views Metadata"), which is given by its id or its name.
func (c *Connector) viewOf(ctx context.Context, given string) (string, error) {
	if plainID(given) != "" {
		return given, nil
	}
	var ids, names []string
	for number, more := 1, true; more && number <= maxPages; number++ {
		said, err := c.read(ctx, service.Request{Method: http.MethodGet, Path: "crm/v8/settings/custom_views", Query: url.Values{
			"module": {contacts}, "page": {strconv.Itoa(number)},
		}})
		if err != nil {
			return "", err
		}
		body, _ := service.ParseObject(said.Body)
		if !service.EachElement(body["custom_views"], func(element []byte) bool {
			view, _ := service.ParseObject(element)
			name, shown := view.Text("name"), view.Text("display_value")
			if strings.EqualFold(name, given) || strings.EqualFold(shown, given) {
				ids = append(ids, plainID(scalar(view["id"])))
			}
			names = append(names, strconv.Quote(service.PlainText(cmp.Or(shown, name), 100)))
			return true
		}) {
			return "", said.unreadable(errors.New("it has no list of views"))
		}
		info, _ := body.Object("info")
		more = info.Bool("more_records").Value
	}
	if len(ids) != 1 || ids[0] == "" {
		return "", &crm.Error{Problem: crm.Invalid, Err: fmt.Errorf("%d views of contacts are called %q; the views are %s",
			len(ids), service.PlainText(given, 100), strings.Join(names, ", "))}
	}
	return ids[0], nil
}

func (c *Connector) findInView(ctx context.Context, view string, fields []string, visit func([]crm.Record) error) error {
	view, err := c.viewOf(ctx, view)
	if err != nil {
		return err
	}
	ask := url.Values{"cvid": {view}, "fields": {strings.Join(fields, ",")}, "per_page": {strconv.Itoa(viewPage)}}
	for range maxPages {
		page, _, err := c.records(ctx, service.Request{Method: http.MethodGet, Path: "crm/v8/" + contacts, Query: ask}, fields)
		if err != nil {
			return err
		}
		if err := visit(page.records); err != nil || !page.more {
			return err
		}
		if page.next == "" || page.next == ask.Get("page_token") {
			return &crm.Error{Problem: crm.Unreachable, Err: errors.New("the CRM has more records, but gives no next page")}
		}
		ask.Set("page_token", page.next)
	}
	return &crm.Error{Problem: crm.Unreachable, Err: fmt.Errorf("the view does not end after %d pages", maxPages)}
}

// findByCondition continues after the last id of a page. So the CRM's limit of 100,000 records for offsets does not
// apply, and a record that changes during the reading moves no other record.
func (c *Connector) findByCondition(ctx context.Context, condition string, fields []string, visit func([]crm.Record) error) error {
	where := "(" + condition + ")"
	for range maxPages {
		query := fmt.Sprintf("select %s from %s where %s order by id limit %d", strings.Join(fields, ", "), contacts, where, queryPage)
		body, err := json.Marshal(map[string]string{"select_query": query})
		if err != nil {
			return err
		}
		page, _, err := c.records(ctx, service.Request{Method: http.MethodPost, Path: "crm/v8/coql", Body: body}, fields)
		if err != nil {
			return err
		}
		if err := visit(page.records); err != nil || !page.more || len(page.records) == 0 {
			return err
		}
		last := page.records[len(page.records)-1].ID
		next := fmt.Sprintf("((%s) and (id > %s))", condition, last)
		if next == where || plainID(last) == "" {
			return &crm.Error{Problem: crm.Unreachable, Err: errors.New("the CRM has more records, but the next page does not continue after the last id")}
		}
		where = next
	}
	return &crm.Error{Problem: crm.Unreachable, Err: fmt.Errorf("the query does not end after %d pages", maxPages)}
}

const (
	// settleSpan is how long after a record's modified time a read shows every change of that second. The CRM compares
	// modified times in whole seconds.
	settleSpan  = 2 * time.Second
	maxSettling = 5
)

// Read returns contacts as they are now. A record that was modified less than two seconds before is read again until it
// is older: another change within the same second would not show in its modified time, and so a conditional change
// would overwrite it. A record that changes all the time has an empty Modified, and cannot be changed.
func (c *Connector) Read(ctx context.Context, ids []string) ([]crm.Record, error) {
	fields, err := c.selected(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]crm.Record{}
	for some := range slices.Chunk(ids, idsPage) {
		for range maxSettling {
			records, at, err := c.byID(ctx, contacts, some, fields)
			if err != nil {
				return nil, err
			}
			for _, id := range some {
				delete(found, id) // it may have been deleted
			}
			some = nil
			for _, record := range records {
				if !settled(record.Modified, at) {
					some = append(some, record.ID)
					record.Modified = ""
				}
				found[record.ID] = record
			}
			if some == nil {
				break
			}
			if err := sleep(ctx, settleSpan); err != nil {
				return nil, err
			}
		}
	}
	records := slices.Collect(maps.Values(found))
	slices.SortFunc(records, func(a, b crm.Record) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	return records, c.join(ctx, records, map[string]crm.Account{})
}

// settled reports whether a record that was read at a time of the CRM's clock can have no other state with the same
// modified time.
func settled(modified string, at time.Time) bool {
	t, err := time.Parse(time.RFC3339, modified)
	return err == nil && !at.Before(t.Truncate(time.Second).Add(settleSpan))
}

// byID reads records of a module, of which ids has at most idsPage. It returns the time on the clock of the CRM.
func (c *Connector) byID(ctx context.Context, module string, ids, fields []string) ([]crm.Record, time.Time, error) {
	asked := map[string]string{} // by plain id
	for _, id := range ids {
		if plain := plainID(id); plain != "" {
			asked[plain] = id
		}
	}
	if len(asked) == 0 {
		return nil, c.config.Now(), nil
	}
	page, at, err := c.records(ctx, service.Request{Method: http.MethodGet, Path: "crm/v8/" + module, Query: url.Values{
		"ids": {strings.Join(slices.Sorted(maps.Keys(asked)), ",")}, "fields": {strings.Join(fields, ",")},
	}}, fields)
	records := slices.DeleteFunc(page.records, func(r crm.Record) bool { return asked[r.ID] == "" })
	for i := range records {
		records[i].ID = asked[records[i].ID]
	}
	return records, at, err
}

// plainID returns the id of a record as the interface has it: without the "zcrm_" of exported lists. It returns "" for
// other texts.
func plainID(id string) string {
	id = strings.TrimPrefix(id, "zcrm_")
	if id == "" || len(id) > 20 || strings.Trim(id, "0123456789") != "" {
		return ""
	}
	return id
}

// records reads a page of records. The answer 204 is an empty page. The time is one on the clock of the CRM that is not
// later than the read: its answer has the time at which it was sent, which can be a while later.
func (c *Connector) records(ctx context.Context, ask service.Request, fields []string) (page, time.Time, error) {
	at := c.config.Now()
	said, err := c.read(ctx, ask)
	if err != nil {
		return page{}, time.Time{}, err
	}
	if date, err := http.ParseTime(said.Header.Get("Date")); err == nil {
		at = date.Add(-c.config.Now().Sub(at))
	}
	if said.Status == http.StatusNoContent {
		return page{}, at, nil
	}
	p, err := decodePage(said.Body, fields)
	if err != nil {
		return page{}, at, said.unreadable(err)
	}
	return p, at, nil
}

// join adds the accounts to records. Known has the accounts that were already read.
func (c *Connector) join(ctx context.Context, records []crm.Record, known map[string]crm.Account) error {
	var missing []string
	for _, record := range records {
		if id := record.Account.ID; id != "" {
			if _, is := known[id]; !is {
				known[id] = record.Account
				missing = append(missing, id)
			}
		}
	}
	for ids := range slices.Chunk(missing, idsPage) {
		found, _, err := c.byID(ctx, accounts, ids, []string{accountField, "Website"})
		if err != nil {
			return err
		}
		for _, account := range found {
			known[account.ID] = crm.Account{ID: account.ID, Name: account.Values[accountField], Website: account.Values["Website"]}
		}
	}
	for i, record := range records {
		if record.Account.ID != "" {
			records[i].Account = known[record.Account.ID]
			if name := records[i].Account.Name; name != "" {
				records[i].Values[accountField] = name
			}
		}
	}
	return nil
}

// page is one page of records.
type page struct {
	records []crm.Record
	more    bool
	next    string // the token of the next page
}

// decodePage decodes records with their non-empty fields. Errors contain no values.
func decodePage(body []byte, fields []string) (page, error) {
	said, ok := service.ParseObject(body)
	if !ok {
		return page{}, errors.New("it is not a JSON object")
	}
	var p page
	bad := -1
	whole := service.EachElement(said["data"], func(element []byte) bool {
		object, ok := service.ParseObject(element)
		record := crm.Record{ID: scalar(object["id"]), Modified: object.Text(modifiedField), Values: map[string]string{}}
		if !ok || plainID(record.ID) == "" {
			bad = len(p.records)
			return false
		}
		for _, name := range fields {
			if value := scalar(object[name]); value != "" && name != modifiedField {
				record.Values[name] = value
			}
		}
		if account, is := object.Object(accountField); is {
			record.Account = crm.Account{ID: plainID(scalar(account["id"])), Name: account.Text("name")}
		}
		p.records = append(p.records, record)
		return true
	})
	switch {
	case bad >= 0:
		return page{}, fmt.Errorf("record %d has no id", bad+1)
	case !whole:
		return page{}, errors.New("it has no list of records")
	}
	if info, has := said.Object("info"); has {
		p.more, p.next = info.Bool("more_records").Value, info.Text("next_page_token")
	}
	return p, nil
}

// scalar returns a JSON value as text: "" for null, false for false, and the name of a lookup. Lists have no text.
func scalar(value json.RawMessage) string {
	switch {
	case len(value) == 0 || string(value) == "null" || value[0] == '[':
		return ""
	case value[0] == '{':
		lookup, _ := service.ParseObject(value)
		return lookup.Text("name")
	case value[0] == '"':
		return service.Literal(value).Text()
	}
	return string(value)
}

// decodeFields reads the metadata of fields ("Fields Meta Data").
func decodeFields(body []byte) ([]crm.Field, error) {
	said, ok := service.ParseObject(body)
	if !ok {
		return nil, errors.New("it is not a JSON object")
	}
	fields := []crm.Field{}
	whole := service.EachElement(said["fields"], func(element []byte) bool {
		object, _ := service.ParseObject(element)
		f := crm.Field{Name: object.Text("api_name"), Label: object.Text("field_label"), Type: typeOf(object.Text("data_type"))}
		if f.Name == "" {
			return true
		}
		if length := object.Integer("length"); length.Known && length.Value > 0 && length.Value < 1<<31 {
			f.MaxLength = int(length.Value)
		}
		operations, _ := object.Object("operation_type")
		update := operations.Bool("api_update")
		f.ReadOnly = object.Bool("read_only").Value || object.Bool("field_read_only").Value || update.Known && !update.Value
		f.Mobile = f.Type == crm.Phone && isMobile(f.Name+" "+f.Label)
		fields = append(fields, f)
		return true
	})
	if !whole || len(fields) == 0 {
		return nil, errors.New("it has no list of fields")
	}
	return fields, nil
}

func typeOf(dataType string) crm.Type {
	switch dataType {
	case "text", "textarea":
		return crm.Text
	case "email":
		return crm.Email
	case "phone":
		return crm.Phone
	case "website":
		return crm.Website
	}
	return crm.Other
}

// isMobile reports whether a phone field with these names holds mobile numbers. The CRM has no type for them. Callers
// that know more words for mobile phones compare the label too.
func isMobile(names string) bool {
	names = strings.ToLower(names)
	return strings.Contains(names, "mobil") || strings.Contains(names, "cell") || strings.Contains(names, "handy")
}
