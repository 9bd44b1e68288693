package v2

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/world"
)

// watchable returns the fields of a body, which have to be ones that can be watched.
func (in *input) watchable(required bool) []string {
	fields := in.strs("fields")
	if required && len(fields) == 0 && in.problems == nil {
		in.wrong("fields", isRequired)
	}
	for _, field := range fields {
		if !slices.Contains(watchFields(), field) {
			in.wrong("fields", "The field "+field+" cannot be watched.")
		}
	}
	return fields
}

// failed turns an error of the watches into a refusal.
func failed(err error) *refusal {
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrWatchField) {
		return invalid("fields", err.Error())
	}
	return &refusal{code: kit.InternalError, detail: err.Error()}
}

// startWatch watches a company. A company that is watched already uses up nothing more; its fields are added.
func (s *Server) startWatch(in *input) (answer, *refusal) {
	fields := in.watchable(false)
	if no := in.end(); no != nil {
		return answer{}, no
	}
	c, found := s.world.ByID(in.id)
	if !found {
		return answer{}, notFound()
	}
	if len(fields) == 0 {
		fields = watchFields()
	}
	commit := func(number int) (kit.Code, error) {
		s.watching.Lock()
		defer s.watching.Unlock()
		if !s.watches.IsWatched(c.ID()) {
			code, err := s.units.Count(number, kit.UnitCharge{Module: kit.Watch, Units: 1})
			if code != "" || err != nil {
				return code, err
			}
		}
		_, err := s.watches.Add(c.ID(), fields)
		return "", err
	}
	return answer{status: http.StatusCreated, body: map[string]any{"id": integerID(c.ID()), "fields": fields}, commit: commit}, nil
}

func (s *Server) stopWatch(in *input) (answer, *refusal) {
	if no := in.end(); no != nil {
		return answer{}, no
	}
	s.watching.Lock()
	defer s.watching.Unlock()
	stopped, err := s.watches.Stop(in.id)
	if err != nil {
		return answer{}, failed(err)
	}
	if !stopped {
		return answer{}, notFound()
	}
	err = s.units.Return(in.path, in.id, kit.UnitCharge{Module: kit.Watch, Units: 1})
	return answer{body: map[string]any{}}, failed(err)
}

// watchedItem is a watched company.
type watchedItem struct {
	reference
	Date   string   `json:"date"`
	Fields []string `json:"fields"`
}

// watchList is a page of watched companies or of events.
type watchList[T any] struct {
	Data         []T `json:"data"`
	TotalResults int `json:"total_results"`
	Pages        int `json:"pages"`
}

func listed[T any](page pages, all []T) answer {
	from, to, count := page.of(len(all))
	return answer{body: watchList[T]{append([]T{}, all[from:to]...), len(all), count}}
}

// shareAny reports whether two lists have a value in common.
func shareAny(a, b []string) bool {
	return slices.ContainsFunc(a, func(value string) bool { return slices.Contains(b, value) })
}

// watched lists the watched companies: those since a day, and those with one of some fields.
func (s *Server) watched(in *input) (answer, *refusal) {
	day, onDay := in.queryTime("date", time.DateOnly, false)
	fields := in.queryList("fields")
	page := in.queryPaging()
	if no := in.end(); no != nil {
		return answer{}, no
	}
	var items []watchedItem
	for _, subscription := range s.watches.Watched() {
		c, found := s.world.ByID(subscription.Company)
		since := subscription.Since.UTC()
		if !found || onDay && since.Format(time.DateOnly) != day.Format(time.DateOnly) ||
			len(fields) > 0 && !shareAny(fields, subscription.Fields) {
			continue
		}
		items = append(items, watchedItem{s.reference(c), since.Format(time.DateOnly), append([]string{}, subscription.Fields...)})
	}
	return listed(page, items), nil
}

// eventItem is a change of a watched field.
type eventItem struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Created string `json:"date_created"`
	Type    string `json:"event_type"`
}

// watchEvents lists the changes of a company, newest first. Both days belong to the span.
func (s *Server) watchEvents(in *input) (answer, *refusal) {
	from, hasFrom := in.queryTime("from_date", time.DateOnly, false)
	to, hasTo := in.queryTime("to_date", time.DateOnly, false)
	fields := in.queryList("fields")
	page := in.queryPaging()
	if no := in.end(); no != nil {
		return answer{}, no
	}
	if _, found := s.world.ByID(in.id); !found {
		return answer{}, notFound()
	}
	var items []eventItem
	for _, e := range s.watches.Events(in.id) {
		if hasFrom && e.At.Before(from) || hasTo && !e.At.Before(to.AddDate(0, 0, 1)) ||
			len(fields) > 0 && !slices.Contains(fields, e.Field) {
			continue
		}
		items = append(items, eventItem{
			"UPDATED", e.Field + " changed from " + e.Old + " to " + e.New, e.At.UTC().Format(time.RFC3339Nano), e.Field,
		})
	}
	return listed(page, items), nil
}

func (s *Server) watchFields(in *input) (answer, *refusal) {
	if no := in.end(); no != nil {
		return answer{}, no
	}
	for _, subscription := range s.watches.Watched() {
		if subscription.Company == in.id {
			return answer{body: append([]string{}, subscription.Fields...)}, nil
		}
	}
	return answer{}, notFound()
}

func (s *Server) addWatchFields(in *input) (answer, *refusal) {
	fields := in.watchable(true)
	if no := in.end(); no != nil {
		return answer{}, no
	}
	s.watching.Lock()
	defer s.watching.Unlock()
	if !s.watches.IsWatched(in.id) {
		return answer{}, notFound()
	}
	now, err := s.watches.Add(in.id, fields)
	return answer{body: now}, failed(err)
}

func (s *Server) removeWatchFields(in *input) (answer, *refusal) {
	fields := in.watchable(true)
	if no := in.end(); no != nil {
		return answer{}, no
	}
	left, watched, err := s.watches.Remove(in.id, fields)
	if err == nil && !watched {
		return answer{}, notFound()
	}
	return answer{body: append([]string{}, left...)}, failed(err)
}

func (s *Server) setCallback(in *input) (answer, *refusal) {
	address := in.needed("callback")
	if address != "" && !isCallback(address) {
		in.wrong("callback", "Enter a valid URL.")
	}
	if no := in.end(); no != nil {
		return answer{}, no
	}
	return answer{body: callbackBody{address}}, failed(s.watches.SetCallback(address))
}

type callbackBody struct {
	Callback string `json:"callback"`
}

func (s *Server) callback(in *input) (answer, *refusal) {
	if no := in.end(); no != nil {
		return answer{}, no
	}
	return answer{body: callbackBody{s.watches.Callback()}}, nil
}

// notification is what is posted to the callback URL (specification v2, "Events").
type notification struct {
	Company struct {
		ID           any    `json:"id"`
		Name         string `json:"name"`
		Registration string `json:"registration_number"`
		CountryCode  string `json:"country_code"`
		Date         string `json:"date"`
	} `json:"company_data"`
	Field  string `json:"field"`
	Status string `json:"status"`
	New    string `json:"new_value"`
	Old    string `json:"old_value"`
}

// Change changes a field of a company. When it is watched, an event is recorded and the callback URL is
// notified, in the background.
func (s *Server) Change(c world.Company, field, value string) (WatchEvent, bool, error) {
	e, watched, err := s.watches.Change(c.ID(), field, s.fieldOf(c, field), value)
	if err != nil || !watched {
		return e, false, err
	}
	if address := s.watches.Callback(); address != "" {
		s.sender.Send(address, s.notificationOf(c, e))
	}
	return e, true, nil
}

func (s *Server) notificationOf(c world.Company, e WatchEvent) json.RawMessage {
	n := notification{Field: e.Field, Status: "UPDATE", New: e.New, Old: e.Old}
	known := s.reference(c)
	n.Company.ID, n.Company.Name, n.Company.Registration = known.ID, known.Name, known.Registration
	n.Company.CountryCode, n.Company.Date = known.CountryCode, e.At.UTC().Format(time.RFC3339Nano)
	return kit.EncodeBody(n)
}
