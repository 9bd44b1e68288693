// This file writes approved values to the records of a CRM, each once. A write is durable in the journal before it is
// sent, and its outcome is durable before the next write is sent:
//
//	""  ─► sent ─► written ─► clearing ─► cleared
//	        │  └─► sent_back
//	        └────► ""          the record has not changed and no request can still arrive
//
// A value that is sent or clearing when the program starts is in doubt. Reading the record decides. A value that was
// sent back, or cleared, is open again and needs a new approval.

package crm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"payonce/checkpoint/record"
	"payonce/enrich"
	"payonce/io/crm"
	"payonce/pipeline/columns"
)

// The states of writing a value.
const (
	Sent     = "sent"      // the write is about to be sent, or its outcome is not known
	Written  = "written"   // the record has the value
	Returned = "sent_back" // nothing was written, and the value is reviewed again
	Clearing = "clearing"  // it is about to be cleared, or the outcome of clearing it is not known
	Cleared  = "cleared"   // an undo cleared it
)

// isFree reports whether a value in this state may be written, once it is approved.
func isFree(state string) bool { return state == "" || state == Returned || state == Cleared }

// Why nothing was written.
const (
	WhyChanged   = "changed" // the record was changed after the list was pulled
	WhyDuplicate = "duplicate"
	WhyLocked    = "locked"
	WhyRejected  = "rejected"
	WhyGone      = "gone"
	WhyOptedOut  = "opted_out"
	WhyTooLong   = "too_long"
	WhyClosed    = "closed" // the CRM's field does not accept such a value
	WhyUndone    = "undone"
)

// WhyText says why nothing was written. About is "" or a detail.
func WhyText(why, about string) string {
	texts := map[string]string{
		WhyChanged: "the record was changed in the CRM%s", WhyDuplicate: "another record has the value%s", WhyLocked: "the CRM has locked the record%s",
		WhyRejected: "the CRM does not accept the value%s", WhyGone: "the record is not in the CRM%s", WhyOptedOut: "the person has opted out%s",
		WhyInDoubt: "it is not known whether it was written%s", WhyTooLong: "the value is too long for the field%s", WhyClosed: "nothing is written to the field%s", WhyUndone: "it was written and undone%s",
	}
	if about != "" {
		about = " (" + about + ")"
	}
	return fmt.Sprintf(texts[why], about)
}

// SentBack says why the value was not written, or that it was undone; "" for every other value.
func (l *Line) SentBack() string {
	switch l.Write.State {
	case Returned:
		return WhyText(l.Write.Why, l.Write.About)
	case Cleared:
		return WhyText(WhyUndone, "")
	}
	return ""
}

// Restore sets the state of writing the value from the journal. Sees says that the list shows the record as it was when
// the state was recorded.
func (l *Line) Restore(w record.RecordWrite, sees bool) {
	if w.State == Returned && !sees {
		return // the reason was about an older state of the record
	}
	if l.Write = w; l.SentBack() != "" {
		l.differs("sent back: %s", l.SentBack())
	}
}

// Cell is one value of a record.
type Cell struct {
	Line     int    // of the review; -1 without one
	Text     string // the value
	Asked    bool   // it has to be written, or its doubt settled
	Approved bool   // it may be written; for other values only a doubt is settled
	Kept     string // why an undo did not clear the value; "" when it did
	record.RecordWrite

	again bool      // an earlier write of it may still arrive, or has arrived
	since time.Time // when the earlier write was last sent
}

// set changes the state.
func (c *Cell) set(state string, now time.Time) { c.State, c.At, c.Why, c.About = state, now, "", "" }

// sendBack says why the value was not written.
func (c *Cell) sendBack(now time.Time, why, about string) {
	c.set(Returned, now)
	c.Why, c.About, c.Approved = why, about, false
}

// Item is a record with its values.
type Item struct {
	Event  enrich.Key // used by Save
	Record string
	Row    int64             // of the list
	Was    map[string]string // the tracked columns of the list
	Cells  []*Cell
}

// states returns the states of the cells.
func (item *Item) states() (states []record.RecordWrite) {
	for _, c := range item.Cells {
		states = append(states, c.RecordWrite)
	}
	return states
}

// Items returns the records that have something to write, or a doubt to settle, in the order of the list.
func (r *Review) Items(to *CRM) (items []*Item) {
	var item *Item
	for i := range r.Lines {
		line := &r.Lines[i]
		if line.State == NoRecord {
			continue
		}
		if item == nil || item.Row != line.Row {
			item = &Item{Record: line.Record, Row: line.Row, Was: line.was}
			items = append(items, item)
		}
		c := &Cell{Line: i, Text: line.Found, RecordWrite: line.Write}
		c.Approved = r.Writable(line) || line.Write.State == Sent && r.isApproved(line)
		c.Asked = c.Approved || c.State == Sent
		if c.State != Sent {
			c.Target = to.targets()[r.Targets[line.Target].Header]
		}
		item.Cells = append(item.Cells, c)
	}
	return slices.DeleteFunc(items, func(item *Item) bool {
		return !slices.ContainsFunc(item.Cells, func(c *Cell) bool { return c.Asked })
	})
}

// Push writes values.
type Push struct {
	*CRM
	Run     string
	Fields  []crm.Field
	Trigger bool                    // start workflows of the CRM
	Hash    func(string) enrich.Key // of a value
	Save    func(*Item) error       // returns after the states of the cells are durable
	Now     func() time.Time
}

const (
	// settleAfter is the time for which a sent write may still arrive.
	settleAfter = 10 * time.Minute
	// tries is how often a record is read and changed when responses are lost, or others change it at the same time.
	tries = 3
)

// Look reads a record, settles doubts about its values, and returns the values that may be written now. It sends the
// other approved values back to review. It changes nothing in the CRM.
func (p *Push) Look(ctx context.Context, item *Item) (now *crm.Record, send []*Cell, err error) {
	now, err = p.read(ctx, item.Record)
	if crm.ProblemOf(err) == crm.Invalid {
		p.sendBack(item.Cells, WhyRejected, "")
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	p.settle(item.Cells, now)
	return now, p.choose(item, now), nil
}

// Write writes the approved values of a record that may be written. After an error no request is in progress.
func (p *Push) Write(ctx context.Context, item *Item) error {
	for range tries {
		before := item.states()
		now, send, err := p.Look(ctx, item)
		switch {
		case err != nil:
			return err
		case len(send) == 0 && slices.Equal(before, item.states()):
			return nil
		case len(send) == 0:
			return p.Save(item)
		}
		again := slices.ContainsFunc(send, func(c *Cell) bool { return c.again })
		change := crm.Change{ID: item.Record, Modified: now.Modified, Values: map[string]string{}, Trigger: p.Trigger}
		for _, c := range send {
			c.since = c.At
			c.set(Sent, p.Now())
			c.Run, c.Value, c.Modified, c.RequestID = p.Run, p.Hash(c.Text), now.Modified, ""
			change.Values[c.Target] = c.Text
		}
		if err := p.Save(item); err != nil { // from here on the write may have arrived
			return err
		}
		outcome, err := p.Update(ctx, change)
		if err != nil {
			return p.notSent(item, send, again, err)
		}
		for _, c := range send {
			c.RequestID = outcome.RequestID
		}
		if outcome.Result == crm.Unknown {
			continue // the record says whether it arrived
		}
		if outcome.Result != crm.Written && again { // an earlier write may have made the difference
			if now, err = p.read(ctx, item.Record); err != nil {
				return err
			}
			send = p.unwritten(send, now)
		}
		left := p.conclude(send, outcome, now)
		if err := p.Save(item); err != nil || !left {
			return err
		}
	}
	return nil
}

// notSent ends a write that was not sent.
func (p *Push) notSent(item *Item, send []*Cell, again bool, err error) error {
	invalid := crm.ProblemOf(err) == crm.Invalid
	for _, c := range send {
		switch {
		case invalid:
			c.sendBack(p.Now(), WhyRejected, "")
		case !again:
			c.set("", p.Now())
		}
	}
	if invalid {
		err = nil
	}
	return cmp.Or(p.Save(item), err)
}

// conclude notes the outcome of a write. Now is the record as it was last read. It reports whether values are left that
// can be written without the others.
func (p *Push) conclude(send []*Cell, outcome crm.Outcome, now *crm.Record) (left bool) {
	why := map[crm.Result]string{
		crm.Changed: WhyChanged, crm.Duplicate: WhyDuplicate, crm.Locked: WhyLocked, crm.Rejected: WhyRejected, crm.Gone: WhyGone,
	}[outcome.Result]
	isOne := slices.ContainsFunc(send, func(c *Cell) bool { return c.Target == outcome.Field })
	for _, c := range send {
		switch {
		case outcome.Result == crm.Written:
			c.set(Written, p.Now())
			c.Modified = outcome.Modified
		case c.again && now != nil && sameTime(now.Modified, c.Modified): // the earlier write may still arrive
			c.set(Sent, c.since)
		case (outcome.Result == crm.Duplicate || outcome.Result == crm.Rejected) && isOne && c.Target != outcome.Field:
			c.set("", p.Now())
			left = true
		default:
			c.sendBack(p.Now(), why, cmp.Or(outcome.Other, outcome.Code))
		}
	}
	return left
}

// read reads one record; nil when the CRM does not have it.
func (c *CRM) read(ctx context.Context, id string) (*crm.Record, error) {
	found, err := c.Read(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].ID == id {
			return &found[i], nil
		}
	}
	return nil, nil
}

// settle settles the doubts about values. Now is nil when the CRM does not have the record.
func (p *Push) settle(cells []*Cell, now *crm.Record) {
	for _, c := range p.unwritten(cells, now) {
		switch {
		case c.State != Sent:
		case now == nil:
			c.sendBack(p.Now(), WhyGone, "")
		case !sameTime(now.Modified, c.Modified):
			c.sendBack(p.Now(), WhyChanged, "")
		case c.Approved:
			c.again = p.Now().Sub(c.At) <= settleAfter // then the CRM takes one of the two writes
		case p.Now().Sub(c.At) > settleAfter:
			c.set("", p.Now())
		}
	}
}

// unwritten returns the values that the record does not show as written. It notes the others as written.
func (p *Push) unwritten(cells []*Cell, now *crm.Record) (others []*Cell) {
	for _, c := range cells {
		if c.State == Sent && now != nil && now.Values[c.Target] != "" && p.Hash(now.Values[c.Target]) == c.Value {
			c.set(Written, p.Now())
			c.Modified, c.Approved = now.Modified, false
		} else {
			others = append(others, c)
		}
	}
	return others
}

// sameTime reports whether two modified times are the same.
func sameTime(a, b string) bool {
	one, errA := time.Parse(time.RFC3339, a)
	other, errB := time.Parse(time.RFC3339, b)
	return errA == nil && errB == nil && one.Equal(other)
}

// choose returns the approved values that may be written to a record as it is now. It sends the others back to review.
func (p *Push) choose(item *Item, now *crm.Record) (send []*Cell) {
	own := func(name, value string) bool {
		return slices.ContainsFunc(item.Cells, func(c *Cell) bool { return c.State == Written && c.Target == name && c.Value == p.Hash(value) })
	}
	for _, c := range item.Cells {
		if !c.Approved {
			continue
		}
		if why, about := p.whyNot(c); why != "" {
			c.sendBack(p.Now(), why, about)
		} else {
			send = append(send, c)
		}
	}
	switch {
	case now == nil:
		p.sendBack(send, WhyGone, "")
	case p.HasOptedOut(now):
		p.sendBack(send, WhyOptedOut, "")
	case now.Modified == "":
		p.sendBack(send, WhyChanged, "it is being changed now")
	default:
		if changed := p.changed(item.Was, now, own); len(changed) > 0 {
			p.sendBack(send, WhyChanged, strings.Join(changed, ", "))
		}
		for _, c := range send {
			if strings.TrimSpace(now.Values[c.Target]) != "" { // also when the list shows the same value
				p.sendBack(send, WhyChanged, c.Target)
			}
		}
	}
	return slices.DeleteFunc(send, func(c *Cell) bool { return !c.Approved })
}

func (p *Push) sendBack(cells []*Cell, why, about string) {
	for _, c := range cells {
		if c.Approved {
			c.sendBack(p.Now(), why, about)
		}
	}
}

// whyNot says why a value cannot be written to its field in any record; "" when it can.
func (p *Push) whyNot(c *Cell) (why, about string) {
	at := slices.IndexFunc(p.Fields, func(f crm.Field) bool { return f.Name == c.Target })
	if c.Target == "" || at < 0 {
		return WhyClosed, "the CRM has no such field"
	}
	switch field := p.Fields[at]; {
	case field.ReadOnly:
		return WhyClosed, "read only"
	case field.Mobile, columns.WhyNotBusinessPhone(field.Label) != "" && field.Type == crm.Phone:
		return WhyClosed, "mobile numbers"
	case field.Type == crm.Other:
		return WhyClosed, "another type"
	case field.MaxLength > 0 && utf8.RuneCountInString(c.Text) > field.MaxLength:
		return WhyTooLong, fmt.Sprintf("%d characters", field.MaxLength)
	}
	return "", ""
}

// Take sets the state of a value of the review. A value that was sent back loses its decision.
func (r *Review) Take(c *Cell) {
	line := &r.Lines[c.Line]
	if line.Write = c.RecordWrite; c.State == Returned {
		line.decide(Undecided, "")
	}
}
