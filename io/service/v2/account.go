package v2

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// Usage is a snapshot of the counters of the account's modules (specification v2, "Usage metric").
//
// A counter grows with every call that the module counts, whoever made it, and never falls within
// a period of the account. When the period ends, which the service does not announce, or when its
// owner resets it, it falls. So a counter that fell between two snapshots proves nothing about the
// calls in between: any number of them may have been counted before the fall.
type Usage struct {
	ReadAt  time.Time // by the service's clock where it shows one
	Modules []Module  // in the order of the service
	enrich.CellProblems
}

// Module is the counter of one module.
type Module struct {
	Group    string // the name of the group that the service lists it in
	Name     string
	Codename string
	// Meter is the meter of the module, cost.USD for a module that no operation counts on.
	Meter cost.Meter
	// Used is what was used in the period, and Total the most that can be.
	Used, Total cost.Optional[int64]
}

// Left returns what is left of the module; not known when the service does not show it.
func (m Module) Left() cost.Optional[int64] {
	if !m.Used.Known || !m.Total.Known {
		return cost.Optional[int64]{}
	}
	return cost.Known(m.Total.Value - m.Used.Value)
}

// Usage reads the counters of the account.
func (c *StatusClient) Usage(ctx context.Context) (Usage, error) {
	asked := c.settings.Now()
	said, err := c.free(ctx, request{operation: OpMetrics})
	if err != nil {
		return Usage{}, err
	}
	groups, problems, err := decodeUsage(said.Body)
	if err != nil {
		return Usage{}, unreadable(OpMetrics, said.Status, err)
	}
	usage := Usage{ReadAt: sentAt(said, asked), CellProblems: problems}
	for _, group := range groups {
		for _, metric := range group.Metrics {
			module := Module{
				Group: c.settings.Plain(group.Name.Value, maxName), Name: c.settings.Plain(metric.Name.Value, maxName),
				Codename: c.settings.Plain(metric.Codename.Value, maxName), Used: metric.Used, Total: metric.Total,
			}
			module.Meter, _ = c.settings.modules.MeterOf(module.Codename)
			usage.Modules = append(usage.Modules, module)
		}
	}
	return usage, nil
}

func unreadable(o Operation, status int, err error) error {
	return &Error{Operation: o, HTTPStatus: status, Code: codeNoAnswer, Message: err.Error()}
}

// Of returns the counter of a meter; false when the service does not show it, or shows it twice.
func (u Usage) Of(meter cost.Meter) (module Module, found bool) {
	for _, m := range u.Modules {
		switch {
		case meter == cost.USD || m.Meter != meter:
		case found:
			return Module{}, false
		default:
			module, found = m, true
		}
	}
	return module, found
}

// Account returns the snapshot as the evidence of lost calls needs it. The service reserves
// nothing: a call is counted when it is answered.
func (u Usage) Account() cost.Account {
	account := cost.Account{ReadAt: u.ReadAt, KeyValid: cost.Known(true)}
	for _, meter := range Meters() {
		if module, found := u.Of(meter); found {
			account.Left[meter], account.Used[meter], account.Reserved[meter] = module.Left(), module.Used, cost.Known(int64(0))
		}
	}
	account.OtherUsed = u.others()
	return account
}

// others returns the counters that are those of no meter, by their codenames. A codename that is listed several times
// has the sum of its counters.
func (u Usage) others() map[string]int64 {
	used := map[string]int64{}
	for _, module := range u.Modules {
		if known, found := u.Of(module.Meter); module.Used.Known && (!found || known.Codename != module.Codename) {
			used[module.Codename] += module.Used.Value
		}
	}
	if len(used) == 0 {
		return nil
	}
	return used
}

// Status reads the counters of the account as a snapshot for the evidence: those of its modules, and how many
// emails and phones it was given. A service that does not answer the question about the latter leaves
// them unknown.
func (c *StatusClient) Status(ctx context.Context) (cost.Account, error) {
	usage, err := c.Usage(ctx)
	if err != nil {
		return cost.Account{}, err
	}
	account := usage.Account()
	contacts, err := c.ContactUsage(ctx, contactsFrom(), account.ReadAt.Add(contactsAhead))
	if failure, is := errors.AsType[*Error](err); is && !failure.Refused() && !failure.MayPass() {
		return account, nil
	}
	if err != nil {
		return cost.Account{}, err
	}
	for meter, count := range map[cost.Meter]cost.Optional[int64]{MeterEmails: contacts.Emails, MeterPhones: contacts.Phones} {
		if account.Used[meter] = count; count.Known {
			account.Reserved[meter] = cost.Known(int64(0))
		}
	}
	return account, nil
}

// contactsFrom is when the span begins of which snapshots count emails and phones. It is the same for all
// snapshots, and before any call. So the difference of two counts is what was returned between them, and
// no call is at the edge of a span.
func contactsFrom() time.Time { return time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC) }

// contactsAhead is how far after the snapshot its span ends. The service may count in another time zone or
// have a clock of its own, and nothing in the future is counted yet.
const contactsAhead = 48 * time.Hour

// Change is what the counters of an account show between two snapshots.
type Change struct {
	// Used is what was used of each meter, by anybody.
	Used cost.Amounts
	// Known are the meters whose use is known. Nothing is known of the others: a snapshot does not show
	// them, or the counter fell.
	Known cost.Meters
	// Fell are the meters whose counter fell. A new period has begun, or somebody reset it.
	Fell cost.Meters
}

// Since compares the snapshot with an earlier one.
func (u Usage) Since(earlier Usage) Change {
	var change Change
	for _, meter := range Meters() {
		before, shown := earlier.Of(meter)
		after, stillShown := u.Of(meter)
		switch {
		case !shown || !stillShown || !before.Used.Known || !after.Used.Known:
		case after.Used.Value < before.Used.Value:
			change.Fell |= cost.MetersOf(meter)
		default:
			change.Used[meter] = after.Used.Value - before.Used.Value
			change.Known |= cost.MetersOf(meter)
		}
	}
	return change
}

// ContactUsage is how many emails and phones the account was given in a time span. The counts of
// one span only grow, until the span lies in the past.
type ContactUsage struct {
	ReadAt         time.Time // by the service's clock where it shows one
	From, To       time.Time
	Emails, Phones cost.Optional[int64]
}

// ContactUsage reads how many emails and phones the account was given in a time span. The service
// counts in whole seconds, so the span begins and ends at one.
func (c *StatusClient) ContactUsage(ctx context.Context, from, to time.Time) (ContactUsage, error) {
	from, to = from.UTC().Truncate(time.Second), to.UTC().Truncate(time.Second)
	if to.Before(from) {
		return ContactUsage{}, fmt.Errorf("%s: the span ends before it begins", OpContactMetrics)
	}
	asked := c.settings.Now()
	said, err := c.free(ctx, request{operation: OpContactMetrics, query: url.Values{
		"date_from": {from.Format(time.DateTime)}, "date_to": {to.Format(time.DateTime)},
	}})
	if err != nil {
		return ContactUsage{}, err
	}
	counts, _, err := decodeContactCounts(said.Body)
	if err != nil {
		return ContactUsage{}, unreadable(OpContactMetrics, said.Status, err)
	}
	return ContactUsage{
		ReadAt: sentAt(said, asked), From: from, To: to, Emails: counts.Emails, Phones: counts.Phones,
	}, nil
}

// Since returns what was returned between two readings of spans that begin at the same time. It is
// not known when a reading does not show it, when the spans begin at different times, or when a count
// fell.
func (u ContactUsage) Since(earlier ContactUsage) (emails, phones cost.Optional[int64]) {
	if !u.From.Equal(earlier.From) || u.To.Before(earlier.To) {
		return emails, phones
	}
	return grown(earlier.Emails, u.Emails), grown(earlier.Phones, u.Phones)
}

func grown(before, after cost.Optional[int64]) cost.Optional[int64] {
	if !before.Known || !after.Known || after.Value < before.Value {
		return cost.Optional[int64]{}
	}
	return cost.Known(after.Value - before.Value)
}
