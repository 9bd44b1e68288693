package report

import (
	"strings"
	"time"
)

// Expiring says what is about to be erased.
type Expiring struct {
	Before   time.Time     `json:"before"`
	Lookups  int64         `json:"lookups"` // with an identity or with values
	Answers  int64         `json:"answers"` // with values
	Runs     []ExpiringRun `json:"runs"`
	Exported string        `json:"exported,omitempty"` // the file that gets them first
}

// ExpiringRun is a run with answers that are about to be erased.
type ExpiringRun struct {
	Run     string   `json:"run"`
	Answers int64    `json:"answers"`
	Outputs []string `json:"outputs"` // that would lack them when they are written again
}

func (v *Expiring) Render(p *Page) {
	p.Entryf("lookups to erase", "%d, from before %s", v.Lookups, Time(v.Before))
	p.Entryf("answers to erase", "%d", v.Answers)
	for _, run := range v.Runs {
		p.Entryf("  of run "+run.Run, "%d", run.Answers)
		if len(run.Outputs) > 0 {
			p.Entryf("    outputs", "%s", strings.Join(run.Outputs, ", "))
		}
	}
	if v.Exported != "" {
		p.Entryf("export to", "%s", v.Exported)
	}
	if v.Answers > 0 {
		p.Linef("An output that is written again afterwards lacks these values.")
	}
}
