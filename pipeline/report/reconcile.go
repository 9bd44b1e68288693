// This file shows calls in doubt and their outcomes.

package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/cost"
)

// DoubtCase is one lost lookup as it is shown.
type DoubtCase struct {
	Attempt attempt.ID `json:"attempt"`
	Run     string     `json:"run"`
	Row     int64      `json:"row,omitempty"` // of the run's list; 0 when it is not there any more
	Person  string     `json:"person"`
	Fields  string     `json:"fields"`
	Words   string     `json:"-"` // for the fields in texts
	Sent    time.Time  `json:"sent"`
	Cause   string     `json:"cause"`
	Held    cost.Money `json:"held_usd"`
	// Units are the units of modules that it holds.
	Units map[string]int64 `json:"held_units,omitempty"`
	// Free are units of free allowances that it holds, by the names of fields.
	Free    Values[int64] `json:"held_free,omitempty"`
	Result  string        `json:"finding"`
	Decided bool          `json:"-"` // it is not in doubt any more
	// Undecidable says that no comparison with the account can decide it any more.
	Undecidable bool `json:"-"`
}

// Holds says what the call holds: money, units of modules, and free units.
func (c DoubtCase) Holds() string { return holding(c.Held, c.Units, c.Free...) }

// Reconciliation has the outcome of each lookup in doubt.
type Reconciliation struct {
	Evidence *DoubtEvidence `json:"evidence"` // null when the account was not looked at
	Why      string         `json:"why,omitempty"`
	Cases    []DoubtCase    `json:"cases"`
	InDoubt  int            `json:"in_doubt"` // afterwards
	Held     cost.Money     `json:"held_usd"`
	Vendor   string         `json:"vendor_file,omitempty"` // that was written for the service
	// Units are those of modules that were used and that the journal has not booked, and HeldUnits those that
	// are in doubt.
	Units     map[string]int64 `json:"unexplained_units,omitempty"`
	HeldUnits map[string]int64 `json:"held_units,omitempty"`
	// HeldFree are the units of free allowances that are in doubt.
	HeldFree Values[int64] `json:"held_free,omitempty"`
	// Options are what can be done about those that are still in doubt.
	Options []DoubtOption `json:"options,omitempty"`
	// Failover is the failover of the database that was accepted before; nil for none.
	Failover *Failover `json:"failover,omitempty"`
}

// Failover is what somebody should know before calls are made on a database that may lack commits.
type Failover struct {
	Why      string            `json:"why"`
	Attempts int64             `json:"attempts"` // that the database has
	InDoubt  int               `json:"in_doubt"`
	Held     cost.Money        `json:"held_usd"`
	Accounts []FailoverAccount `json:"accounts"`
	Unread   []string          `json:"not_compared,omitempty"` // the interfaces of accounts that are not configured
}

// FailoverAccount compares an account with the journal.
type FailoverAccount struct {
	Interface string    `json:"interface"`
	Lost      *Drift    `json:"unexplained"`    // what the journal does not explain; null for nothing
	Since     time.Time `json:"since,omitzero"` // of the earlier reading; zero when there was none
}

// Render shows what a failover may have lost.
func (v *Failover) Render(p *Page) {
	p.Alertf("failover", "%s", v.Why)
	p.Entryf("the journal has", "%s, %d in doubt", Lookups(v.Attempts), v.InDoubt)
	for _, a := range v.Accounts {
		switch {
		case a.Since.IsZero():
			p.Entryf("account "+a.Interface, "no earlier reading is in the journal")
		case a.Lost == nil:
			p.Entryf("account "+a.Interface, "the journal explains all that it lost since %s", a.Since.UTC().Format(time.DateTime))
		default:
			p.Alertf("account "+a.Interface, "since %s it lost %s that the journal does not explain", a.Since.UTC().Format(time.DateTime), a.Lost)
		}
	}
	for _, name := range v.Unread {
		p.Alertf("account "+name, "not compared, because it is not configured")
	}
	p.Linef("Lookups that the database has lost are bought again, and their cost is in no sum of the journal.")
}

// DoubtEvidence is what the account lost that the journal has not booked.
type DoubtEvidence struct {
	Free  Values[int64] `json:"unexplained_free"`
	Money cost.Money    `json:"unexplained_usd"`
}

// DoubtOption is something that can be done about lookups in doubt.
type DoubtOption struct {
	Name     string   `json:"name"`
	Effect   string   `json:"effect"`
	Commands []string `json:"commands,omitempty"` // complete ones; the user chooses
}

// Open returns the cases that are still in doubt.
func (v *Reconciliation) Open() (open []DoubtCase) {
	for _, c := range v.Cases {
		if !c.Decided {
			open = append(open, c)
		}
	}
	return open
}

// HoldUnits adds units that are held by calls that are still in doubt.
func (v *Reconciliation) HoldUnits(units map[string]int64) {
	for name, n := range units {
		if v.HeldUnits == nil {
			v.HeldUnits = map[string]int64{}
		}
		v.HeldUnits[name] += n
	}
}

// Holding says what calls that are still in doubt hold.
func (v *Reconciliation) Holding() string { return holding(v.Held, v.HeldUnits, v.HeldFree...) }

// AddWhy adds why an account shows no more; "" for nothing.
func (v *Reconciliation) AddWhy(why string) {
	if v.Why != "" && why != "" {
		why = v.Why + "; " + why
	}
	v.Why = cmp.Or(why, v.Why)
}

// holding says what is held: money, units of modules, and free units.
func holding(money cost.Money, units map[string]int64, free ...Value[int64]) string {
	var parts []string
	if money != 0 || len(units)+len(free) == 0 {
		parts = append(parts, "$"+money.String())
	}
	for _, name := range slices.Sorted(maps.Keys(units)) {
		parts = append(parts, Textf("%d %s", units[name], name))
	}
	for _, one := range free {
		parts = append(parts, Textf("%d free %s", one.Value, one.Name))
	}
	return strings.Join(parts, ", ")
}

// shownCases is how many cases in doubt the text shows. The text then fits a screen of 24 lines.
const shownCases = 4

func (v *Reconciliation) Render(p *Page) {
	if len(v.Cases) == 0 {
		p.Linef("nothing is in doubt")
		v.renderVendor(p)
		return
	}
	for _, c := range v.Cases {
		if c.Decided {
			p.Linef("attempt %d: %s, %s", c.Attempt, c.Person, c.Result)
		}
	}
	v.renderOpen(p)
	if v.Evidence != nil {
		p.Entryf("unexplained", "$%s, %s", v.Evidence.Money, Counts(v.Evidence.Free))
	}
	if len(v.Units) > 0 {
		p.Entryf("unexplained units", "%s", holding(0, v.Units))
	}
	if v.Why != "" {
		p.Prosef("why no more is known", "%s", v.Why)
	}
	p.Alertf("still in doubt", "%d, holding %s", v.InDoubt, v.Holding())
	v.renderVendor(p)
	if len(v.Options) > 0 {
		p.Gap()
		p.Linef("What you can do:")
	}
	for _, option := range v.Options {
		p.Prosef("  "+option.Name, "%s", option.Effect)
		for _, command := range option.Commands {
			p.Itemf("    %s", command)
		}
	}
}

// renderOpen writes the first cases that are still in doubt, and how their responses were lost.
func (v *Reconciliation) renderOpen(p *Page) {
	open := v.Open()
	if len(open) == 0 {
		return
	}
	rows, causes := [][]string{}, map[string]int{}
	for i, c := range open {
		causes[" of run "+c.Run+": "+c.Cause]++
		if i >= shownCases {
			continue
		}
		row := ""
		if c.Row > 0 {
			row = strconv.FormatInt(c.Row, 10)
		}
		rows = append(rows, []string{
			fmt.Sprint(c.Attempt), c.Sent.Format("01-02 15:04:05"), c.Holds(), cmp.Or(c.Words, c.Fields), row, Cut(c.Person, 26),
		})
	}
	p.Table([]string{"attempt", "sent (UTC)", "holds", "asked", "row", "person"}, rows)
	if more := len(open) - len(rows); more > 0 {
		p.Itemf("and %d more; the JSON has them all", more)
	}
	for _, cause := range slices.Sorted(maps.Keys(causes)) {
		p.Prosef("lost", "%s%s", Lookups(int64(causes[cause])), cause)
	}
}

func (v *Reconciliation) renderVendor(p *Page) {
	if v.Vendor != "" {
		p.Entryf("file for the service", "%s", v.Vendor)
	}
}
