package sandbox

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"

	"payonce/io/sandbox/kit"
)

//go:embed home.html
var homePage string

// serveHome shows a page that says what this is.
func (s *Server) serveHome(w http.ResponseWriter, r *http.Request) {
	if !s.isRead(w, r) {
		return
	}
	page, err := template.New("home").Parse(homePage)
	if err != nil {
		panic(err) // the page is part of the program
	}
	var text bytes.Buffer
	err = page.Execute(&text, struct{ Host, Version, DefaultKey string }{r.Host, protocolVersion, DefaultKey})
	if err != nil {
		s.refuseOther(w, ServiceMisconfigured)
		return
	}
	kit.Reply{Status: http.StatusOK, ContentType: "text/html; charset=utf-8", Body: text.Bytes()}.Write(w)
}
