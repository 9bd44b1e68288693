package crm_test

import (
	"context"
	"testing"
	"time"

	"payonce/checkpoint/record"
	iocrm "payonce/io/crm"
	"payonce/pipeline/crm"
)

// said is a CRM that gives the states and the outcomes of the test, one after the other. The last state stays.
type said struct {
	model
	states   []iocrm.Record
	outcomes []iocrm.Outcome
	changes  int
}

func (s *said) Read(context.Context, []string) ([]iocrm.Record, error) {
	now := s.states[0]
	if len(s.states) > 1 {
		s.states = s.states[1:]
	}
	return []iocrm.Record{now}, nil
}

func (s *said) Update(context.Context, iocrm.Change) (iocrm.Outcome, error) {
	s.changes++
	if s.changes > len(s.outcomes) {
		return iocrm.Outcome{Result: iocrm.Written}, nil
	}
	return s.outcomes[s.changes-1], nil
}

// TestTheRecordDecidesADoubt settles values whose write may have arrived. A value that the record does not have is
// written again only while nobody has modified the record since, and only if it is approved. While an earlier write may
// still arrive, it stays in doubt.
func TestTheRecordDecidesADoubt(t *testing.T) {
	now := time.Unix(100_000, 0)
	state := func(modified int, email string) iocrm.Record {
		r := iocrm.Record{ID: "1", Modified: timeOf(modified), Values: map[string]string{}}
		if email != "" {
			r.Values["Email"] = email
		}
		return r
	}
	as, later, ours := state(1, ""), state(2, ""), state(2, "ann@acme.example")
	sent := record.RecordWrite{State: crm.Sent, At: now.Add(-time.Minute), Modified: timeOf(1), Target: "Email", Value: hashOf("ann@acme.example")}
	old := sent
	old.At = now.Add(-time.Hour)
	lost, locked, changed := iocrm.Outcome{Result: iocrm.Unknown}, iocrm.Outcome{Result: iocrm.Locked}, iocrm.Outcome{Result: iocrm.Changed}
	for name, c := range map[string]struct {
		was      record.RecordWrite
		approved bool
		states   []iocrm.Record
		outcomes []iocrm.Outcome
		want     string
		why      string
		changes  int
	}{
		"it arrived":                                     {sent, true, []iocrm.Record{ours}, nil, crm.Written, "", 0},
		"it arrived, and is approved no more":            {sent, false, []iocrm.Record{ours}, nil, crm.Written, "", 0},
		"it arrived, and somebody removed it":            {sent, true, []iocrm.Record{later}, nil, crm.Returned, crm.WhyChanged, 0},
		"its answer is lost, and somebody removed it":    {record.RecordWrite{}, true, []iocrm.Record{as, later}, []iocrm.Outcome{lost}, crm.Returned, crm.WhyChanged, 1},
		"its answer is lost, and it arrived":             {record.RecordWrite{}, true, []iocrm.Record{as, ours}, []iocrm.Outcome{lost}, crm.Written, "", 1},
		"nobody modified the record":                     {sent, true, []iocrm.Record{as}, nil, crm.Written, "", 1},
		"the first write arrives before the second":      {sent, true, []iocrm.Record{as, ours}, []iocrm.Outcome{changed}, crm.Written, "", 1},
		"somebody is faster than both":                   {sent, true, []iocrm.Record{as, later}, []iocrm.Outcome{changed}, crm.Returned, crm.WhyChanged, 1},
		"locked while the first may arrive":              {sent, true, []iocrm.Record{as}, []iocrm.Outcome{locked}, crm.Sent, "", 1},
		"locked when none can arrive any more":           {old, true, []iocrm.Record{as}, []iocrm.Outcome{locked}, crm.Returned, crm.WhyLocked, 1},
		"all answers are lost":                           {record.RecordWrite{}, true, []iocrm.Record{as}, []iocrm.Outcome{lost, lost, lost}, crm.Sent, "", 3},
		"not approved any more, and it may arrive":       {sent, false, []iocrm.Record{as}, nil, crm.Sent, "", 0},
		"not approved any more, and it arrives no more":  {old, false, []iocrm.Record{as}, nil, "", "", 0},
		"locked and modified while the first may arrive": {sent, true, []iocrm.Record{as, later}, []iocrm.Outcome{locked}, crm.Returned, crm.WhyLocked, 1},
	} {
		t.Run(name, func(t *testing.T) {
			at := &said{states: c.states, outcomes: c.outcomes}
			fields, _ := at.Fields(t.Context())
			cell := &crm.Cell{Text: "ann@acme.example", Asked: true, Approved: c.approved, RecordWrite: c.was}
			cell.Target = "Email"
			durable := c.was.State
			p := &crm.Push{
				CRM: &crm.CRM{Connector: at, Names: crm.Names{Email: "Email", Phone: "Phone", OptOut: "Email_Opt_Out"}}, Fields: fields,
				Hash: hashOf, Now: func() time.Time { return now },
				Save: func(item *crm.Item) error { durable = item.Cells[0].State; return nil },
			}
			if err := p.Write(t.Context(), &crm.Item{Record: "1", Was: map[string]string{}, Cells: []*crm.Cell{cell}}); err != nil {
				t.Fatal(err)
			}
			if cell.State != c.want || durable != c.want || cell.Why != c.why || at.changes != c.changes {
				t.Errorf("the value is %q (%q), durable is %q, after %d changes; want %q (%q) after %d",
					cell.State, cell.Why, durable, at.changes, c.want, c.why, c.changes)
			}
		})
	}
}
