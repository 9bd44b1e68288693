package watch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"payonce/io/service/v2"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// ListOptions say which companies are shown or changed, and where they are written.
type ListOptions struct {
	List   List            // without names and ids: all watched companies
	Output pipeline.Output // Path is "" when no file is written
}

// Entry is a watched company with its watched fields.
type Entry struct {
	ID     string   `json:"company_id"`
	Name   string   `json:"company_name"`
	Since  string   `json:"date"` // as the service has it
	Fields []string `json:"fields"`
}

// Entries are watched companies.
type Entries struct {
	Title     string               `json:"-"`
	Companies []Entry              `json:"companies"`
	Others    []string             `json:"not_watched"` // ids of companies of the list
	Unknown   []UnknownRow         `json:"unknown_rows"`
	Output    string               `json:"output,omitempty"`
	Kept      []output.KeptVersion `json:"kept,omitempty"`
	Problems  []string             `json:"problems"`
}

// shownEntries is how many companies or changes are shown to a person.
const shownEntries = 100

// Render writes the companies.
func (v *Entries) Render(page *report.Page) {
	page.Titlef("%s", v.Title)
	page.Gap()
	page.Entryf("companies", "%d", len(v.Companies))
	if len(v.Others) > 0 {
		page.Entryf("not watched", "%d", len(v.Others))
	}
	renderUnknown(page, v.Unknown)
	for _, text := range v.Problems {
		page.Alertf("problem", "%s", text)
	}
	if v.Output != "" {
		page.Entryf("written to", "%s", v.Output)
		report.RenderKept(page, v.Kept)
		return
	}
	var rows [][]string
	for _, e := range v.Companies[:min(len(v.Companies), shownEntries)] {
		rows = append(rows, []string{e.ID, e.Name, e.Since, strings.Join(e.Fields, ",")})
	}
	if len(rows) > 0 {
		page.Gap()
		page.Table(entryColumns(), rows)
	}
}

func entryColumns() []string { return []string{"company_id", "company_name", "date", "fields"} }

// chosen returns the watched companies of a list, or all watched companies, and the ids of the list's other companies.
func (s *session) chosen(ctx context.Context, l List) (v *Entries, err error) {
	v = &Entries{Companies: []Entry{}, Others: []string{}, Unknown: []UnknownRow{}, Problems: []string{}}
	watched, err := s.watched(ctx)
	if err != nil {
		return nil, err
	}
	entries := map[string]Entry{}
	var order []string
	for _, w := range watched {
		date := ""
		if w.Date.Known {
			date = w.Date.Value.UTC().Format(time.DateOnly)
		}
		entries[w.ID.Value] = Entry{w.ID.Value, w.Name.Value, date, append([]string{}, w.Fields...)}
		order = append(order, w.ID.Value)
	}
	if len(l.Names)+len(l.IDs) > 0 {
		companies, unknown, err := s.companies(ctx, l)
		if err != nil {
			return nil, err
		}
		order, v.Unknown = idsOf(companies), append(v.Unknown, unknown...)
	}
	for _, id := range order {
		if e, is := entries[id]; is {
			v.Companies = append(v.Companies, e)
		} else {
			v.Others = append(v.Others, id)
		}
	}
	return v, nil
}

// Show lists the watched companies.
func Show(ctx context.Context, w *pipeline.Work, o ListOptions) (*Entries, error) {
	return with(w, func(s *session) (*Entries, error) {
		if err := s.look(ctx, "watch list"); err != nil {
			return nil, err
		}
		v, err := s.chosen(ctx, o.List)
		if err != nil || o.Output.Path == "" {
			if v != nil {
				v.Title = "Watched companies"
			}
			return v, err
		}
		v.Title = "Watched companies"
		var rows [][]string
		for _, e := range v.Companies {
			rows = append(rows, []string{e.ID, e.Name, e.Since, strings.Join(e.Fields, ",")})
		}
		v.Output = o.Output.Path
		v.Kept, err = s.writeRows(ctx, o.Output, entryColumns(), rows)
		return v, err
	})
}

// writeRows writes rows to a new file. It keeps an earlier file with other bytes, because the command does not write to
// the journal, which would know that file.
func (s *session) writeRows(ctx context.Context, o pipeline.Output, names []string, rows [][]string) ([]output.KeptVersion, error) {
	if err := output.CheckTarget(o.Path, o.Sources); err != nil {
		return nil, err
	}
	for i := range rows {
		rows[i] = table.EscapeFormulas(rows[i], s.Work.Env.Raw)
	}
	kept, err := output.WriteNew(ctx, s.request(o), table.NewMemory(names, rows), output.Protection{
		Journal: output.NoJournal(), Now: s.Work.Env.Now(), Most: o.Keep, Rows: int64(len(rows)),
	})
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	return kept, nil
}

// Remove ends the watching of companies. It is free.
func Remove(ctx context.Context, w *pipeline.Work, o ListOptions) (*Entries, error) {
	return eachWatched(ctx, w, o, "watch remove", "Watching ended", func(s *session, e *Entry) error {
		_, err := ask(ctx, func() (struct{}, error) { return struct{}{}, s.free.WatchStop(ctx, e.ID) })
		if isNotFound(err) {
			return nil // it has been ended elsewhere
		}
		return err
	})
}

// Fields adds and removes watched fields of companies, and shows the result. It is free.
func Fields(ctx context.Context, w *pipeline.Work, o ListOptions, add, remove []string) (*Entries, error) {
	if err := CheckFields(slices.Concat(add, remove)); err != nil {
		return nil, err
	}
	return eachWatched(ctx, w, o, "watch fields", "Watched fields", func(s *session, e *Entry) (err error) {
		missing := slices.DeleteFunc(slices.Clone(add), func(f string) bool { return slices.Contains(e.Fields, f) })
		if len(missing) > 0 {
			if e.Fields, err = ask(ctx, func() ([]string, error) { return s.free.AddWatchFields(ctx, e.ID, missing) }); err != nil {
				return err
			}
		}
		there := slices.DeleteFunc(slices.Clone(remove), func(f string) bool { return !slices.Contains(e.Fields, f) })
		if len(there) > 0 {
			e.Fields, err = ask(ctx, func() ([]string, error) { return s.free.RemoveWatchFields(ctx, e.ID, there) })
		}
		return err
	})
}

// eachWatched calls do for each watched company of a list. An error for one company is noted and does not stop the
// others.
func eachWatched(
	ctx context.Context, w *pipeline.Work, o ListOptions, doing, title string, do func(*session, *Entry) error,
) (*Entries, error) {
	return with(w, func(s *session) (*Entries, error) {
		if err := s.look(ctx, doing); err != nil {
			return nil, err
		}
		v, err := s.chosen(ctx, o.List)
		if err != nil {
			return nil, err
		}
		v.Title = title
		for i := range v.Companies {
			err := do(s, &v.Companies[i])
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				v.Problems = append(v.Problems, fmt.Sprintf("company %s: %v", v.Companies[i].ID, err))
			}
		}
		return v, nil
	})
}

// EventOptions say which changes are shown.
type EventOptions struct {
	ListOptions
	From, To time.Time // days, both of which count; zero for no bound
}

// Change is a change of a company.
type Change struct {
	ID      string `json:"company_id"`
	Changed string `json:"date_created"`
	Field   string `json:"event_type"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

// Changes are the changes of companies as the service lists them.
type Changes struct {
	Companies int64                `json:"companies"`
	Changes   []Change             `json:"events"`
	Unknown   []UnknownRow         `json:"unknown_rows"`
	Output    string               `json:"output,omitempty"`
	Kept      []output.KeptVersion `json:"kept,omitempty"`
}

func changeNames() []string {
	return []string{"company_id", "date_created", "event_type", "status", "message"}
}

func (c Change) cells() []string { return []string{c.ID, c.Changed, c.Field, c.Status, c.Message} }

// Render writes the changes.
func (v *Changes) Render(page *report.Page) {
	page.Titlef("Changes of companies")
	page.Gap()
	page.Entryf("companies", "%d", v.Companies)
	page.Entryf("changes", "%d", len(v.Changes))
	renderUnknown(page, v.Unknown)
	if v.Output != "" {
		page.Entryf("written to", "%s", v.Output)
		report.RenderKept(page, v.Kept)
		return
	}
	var rows [][]string
	for _, c := range v.Changes[:min(len(v.Changes), shownEntries)] {
		rows = append(rows, c.cells())
	}
	if len(rows) > 0 {
		page.Gap()
		page.Table(changeNames(), rows)
	}
}

// Events lists the changes of companies, the newest of each first. It records nothing.
func Events(ctx context.Context, w *pipeline.Work, o EventOptions) (*Changes, error) {
	if len(o.List.Names)+len(o.List.IDs) == 0 {
		return nil, problem.Usagef("the command needs companies; give a list or the id of a company")
	}
	return with(w, func(s *session) (*Changes, error) {
		if err := s.look(ctx, "watch events"); err != nil {
			return nil, err
		}
		companies, unknown, err := s.companies(ctx, o.List)
		if err != nil {
			return nil, err
		}
		v := &Changes{Companies: int64(len(companies)), Changes: []Change{}, Unknown: append([]UnknownRow{}, unknown...)}
		for _, c := range companies {
			events, err := s.events(ctx, c.id, o.From)
			if err != nil {
				return nil, err
			}
			for _, e := range events {
				if !o.To.IsZero() && e.Created.Known && !e.Created.Value.Before(o.To.AddDate(0, 0, 1)) {
					continue
				}
				v.Changes = append(v.Changes, changeOf(c.id, e))
			}
		}
		if o.Output.Path == "" {
			return v, nil
		}
		rows := make([][]string, len(v.Changes))
		for i, c := range v.Changes {
			rows[i] = c.cells()
		}
		v.Output = o.Output.Path
		v.Kept, err = s.writeRows(ctx, o.Output, changeNames(), rows)
		return v, err
	})
}

func changeOf(id string, e v2.Event) Change {
	c := Change{ID: id, Field: e.Type.Value, Status: e.Status.Value, Message: e.Message.Value}
	if e.Created.Known {
		c.Changed = e.Created.Value.UTC().Format(time.RFC3339)
	}
	return c
}
