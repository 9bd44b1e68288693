package crm

import (
	"cmp"
	"context"
	"slices"
	"time"

	"payonce/enrich"
	"payonce/io/crm"
)

// Undo clears values that Push wrote. A field that now has another value keeps it.
type Undo struct {
	*CRM
	Hash func(string) enrich.Key // of a value
	Save func(*Item) error       // returns after the states of the cells are durable
	Now  func() time.Time
}

// WhyInDoubt says why an undo did not clear a value: it is not known whether its write or an earlier undo of it arrived.
const WhyInDoubt = "in_doubt"

// Clear clears those fields of a record that still have the written values. Other fields of the record may have
// changed. After an error no request is in progress.
func (u *Undo) Clear(ctx context.Context, item *Item) error {
	for range tries {
		now, err := u.read(ctx, item.Record)
		if err != nil {
			return err
		}
		before := item.states()
		clear := u.choose(item, now)
		switch {
		case len(clear) == 0 && slices.Equal(before, item.states()):
			return nil
		case len(clear) == 0:
			return u.Save(item)
		}
		change := crm.Change{ID: item.Record, Modified: now.Modified}
		for _, c := range clear {
			c.again = c.State == Clearing
			c.set(Clearing, u.Now())
			c.Modified = now.Modified
			change.Clear = append(change.Clear, c.Target)
		}
		if err := u.Save(item); err != nil { // from here on the change may have arrived
			return err
		}
		outcome, err := u.Update(ctx, change)
		if crm.ProblemOf(err) == crm.Invalid {
			outcome.Result, err = crm.Rejected, nil
		}
		again := outcome.Result == crm.Changed || outcome.Result == crm.Unknown
		for _, c := range clear {
			switch {
			case err == nil && outcome.Result == crm.Written:
				c.set(Cleared, u.Now())
				c.Modified, c.RequestID = outcome.Modified, outcome.RequestID
			case err == nil && outcome.Result == crm.Unknown, c.again:
				c.Kept = WhyInDoubt
			default:
				c.set(Written, u.Now())
				c.Kept = string(outcome.Result)
			}
		}
		if err := cmp.Or(u.Save(item), err); err != nil || !again {
			return err
		}
	}
	return nil
}

// choose returns the values to clear now. It notes values that are already cleared, and why the others stay.
func (u *Undo) choose(item *Item, now *crm.Record) (clear []*Cell) {
	for _, c := range item.Cells {
		c.Kept = ""
		inCRM := ""
		if now != nil {
			inCRM = now.Values[c.Target]
		}
		isOurs := inCRM != "" && u.Hash(inCRM) == c.Value
		switch {
		case now == nil:
			c.Kept = WhyGone
		case isOurs && now.Modified == "": // the record is being changed now
			c.Kept = WhyChanged
		case isOurs:
			clear = append(clear, c)
		case c.State == Sent:
			c.Kept = WhyInDoubt
		case inCRM == "":
			c.set(Cleared, u.Now())
		default:
			c.set(Written, c.At)
			c.Kept = WhyChanged
		}
	}
	return clear
}
