// This file renders screens.

package web

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"net/http"
	"strings"
	"sync"

	"payonce/pipeline/report"
)

//go:embed assets
var assets embed.FS

// part is a report as HTML in a page. Package report has escaped its values.
type part = template.HTML

// partOf renders a report without hints that name commands, because the page has buttons for them.
func partOf(r report.Report) (part, error) {
	var text bytes.Buffer
	err := report.WriteHTMLPart(&text, r, nil)
	return part(text.String()), err
}

// templates are parsed once.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"usd": report.USD, "number": report.Number, "printable": report.Printable, "query": func(pairs ...string) template.URL { return template.URL(queryOf(pairs...)) }, "jobPath": jobPath, "size": sizeText,
		"time": report.Time, "join": strings.Join, "runPath": runPath, "message": messageText,
	}).ParseFS(assets, "assets/*.html"))
})

// messageText returns a message of several lines as it can be shown.
func messageText(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = report.Printable(line)
	}
	return strings.Join(lines, "\n")
}

// navigation are the screens that every page links to.
var navigation = []struct{ Path, Name string }{
	{"/", "Lists"}, {"/runs", "Runs"}, {"/budget", "Budget"}, {"/doubts", "In doubt"}, {"/report", "Report"}, {"/jobs", "Jobs"}, {"/browsers", "Browsers"},
}

// page is a screen with the title and the navigation around it.
type page struct {
	Title      string
	SignedIn   bool
	Path       string
	Navigation any
	Body       template.HTML
	Live       bool // the screen follows a run; without the script it is loaded again and again
}

// show renders a screen in a page.
func (s *Server) show(w http.ResponseWriter, r *http.Request, status int, title, screen string, view any) {
	var body, text bytes.Buffer
	err := templates().ExecuteTemplate(&body, screen, view)
	if err == nil {
		run, is := view.(runView)
		err = templates().ExecuteTemplate(&text, "page", page{
			Title: report.Printable(title), SignedIn: s.gate.knows(r) && s.Hosts(hostOf(r.Host)), Path: r.URL.Path, Navigation: navigation,
			Body: template.HTML(body.String()), Live: is && run.Running,
		})
	}
	if err != nil {
		http.Error(w, "The screen cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // the browser has gone
}

func (s *Server) sendStatic(w http.ResponseWriter, r *http.Request) error {
	var text, kind string
	switch name := r.PathValue("name"); name {
	case "page.css", "page.js":
		own, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return err
		}
		text, kind = string(own), "text/javascript; charset=utf-8"
		if name == "page.css" {
			text, kind = report.CSS()+text, "text/css; charset=utf-8"
		}
	default:
		return notFound("There is no such file.")
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = io.WriteString(w, text) // the browser has gone
	return nil
}
