package report

import (
	"maps"
	"slices"
)

// Callback is the address to which the service posts notifications.
type Callback struct {
	Callback *string `json:"callback"`           // null for none
	Previous *string `json:"previous,omitempty"` // the address before the change
	Changed  bool    `json:"changed"`
	// Waiting is the number of companies in the spool of this workspace's receiver.
	Waiting int `json:"companies_waiting"`
}

func (v *Callback) Render(p *Page) {
	state := ""
	if v.Changed {
		state = " (set, and read back from the service)"
	}
	p.Entryf("callback", "%s%s", orNone(v.Callback), state)
	if v.Previous != nil {
		p.Entryf("before", "%s", *v.Previous)
	}
	p.Entryf("companies waiting", "%d", v.Waiting)
}

func orNone(text *string) string {
	if text == nil {
		return "none"
	}
	return *text
}

// CallbackPath is the secret path of a receiver.
type CallbackPath struct {
	Path string `json:"path"` // after the address of the receiver
	File string `json:"file"` // which has the secret
}

func (v *CallbackPath) Render(p *Page) { p.Linef("%s", v.Path) }

// Received counts the requests to a receiver of notifications.
type Received struct {
	Accepted int64            `json:"accepted"`
	Repeated int64            `json:"repeated"` // of these, those of companies that were already waiting
	Refused  map[string]int64 `json:"refused"`  // by the reason
}

func (v *Received) Render(p *Page) {
	p.Entryf("accepted", "%d", v.Accepted)
	p.Entryf("repeated", "%d", v.Repeated)
	for _, reason := range slices.Sorted(maps.Keys(v.Refused)) {
		p.Entryf("refused: "+reason, "%d", v.Refused[reason])
	}
}
