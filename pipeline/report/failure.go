package report

import "cmp"

// Failed is what a program reads in place of a report when a command failed before it had one.
type Failed struct {
	Error Failure `json:"error"`
}

// Failure says why a command failed and what to do next.
type Failure struct {
	Code    string `json:"code"` // names the kind of failure; it does not change with the words
	Message string `json:"message"`
	Hint    string `json:"hint"`              // what to do next; "" when the message says all
	Exit    int    `json:"exit"`              // the exit code
	Command string `json:"command,omitempty"` // a whole command that helps
	Lead    string `json:"-"`                 // what a person reads before the command; "" for an example
}

// LeadText returns what a person reads before the command.
func (f Failure) LeadText() string { return cmp.Or(f.Lead, "For example") }

func (v *Failed) Render(p *Page) {
	p.Prosef("error", "%s", v.Error.Message)
	if v.Error.Hint != "" {
		p.Prosef("", "%s", v.Error.Hint)
	}
	if v.Error.Command != "" {
		p.Linef("%s: %s", v.Error.LeadText(), v.Error.Command)
	}
}
