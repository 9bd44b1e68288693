package v2rules

import (
	"context"
	"net/url"
	"strings"
	"time"

	"payonce/conformance/rules"
	"payonce/cost"
	"payonce/enrich"
	v2 "payonce/service/v2"
	"payonce/service/v2/answers"
	"payonce/service/v2/calls"
	"payonce/service/v2/units"
	"payonce/service/v2/v2fields"
)

// Reader sends free requests.
type Reader interface {
	Inspect(ctx context.Context, o v2fields.Operation, query url.Values) (v2.Shown, error)
	InspectNowhere(ctx context.Context) (shown v2.Shown, isNotFound bool, err error)
	Usage(ctx context.Context) (v2.Usage, error)
}

// Sender sends calls that use units: each at most once, ever, and within the limits that the user has set.
type Sender interface {
	// Send sends the call of a lookup, or says why it is not sent. The error is the program's own.
	Send(ctx context.Context, lookup enrich.Lookup) (Sent, error)
}

// Sent is what became of a call.
type Sent struct {
	Operation v2fields.Operation
	Verdict   enrich.Verdict // nil when nothing was sent
	Booked    cost.Amounts   // by the Sender's own record
	// Used is what the counters show of the time of the call, by the service's codenames. Read says that they
	// were read before and after.
	Used map[string]int64
	Read bool
	Why  string // nothing was sent, or nothing more will be
	Last bool   // nothing more will be sent
}

// Live is a service to be compared with the specification. Only the Sender sends calls that use units.
type Live struct {
	Client     Reader
	UnknownKey Reader // with a key that the service does not know
	Now        func() time.Time
	Modules    units.Modules
	Shared     bool   // others may use the account, and so may move its counters
	Sender     Sender // nil: nothing that may use units is sent
	Why        string // there is no Sender
}

// shown is a response to a free request, or why there is none.
type shown struct {
	v2.Shown
	err error
}

// evidence is everything that a service has shown.
type evidence struct {
	*Live
	metrics, contacts, undated, watched, callback, unknownKey shown
	nowhere                                                   shown
	nowhereIsNotFound                                         bool
	before, after                                             v2.Usage
	beforeErr, afterErr                                       error
	sent                                                      []Sent
	why                                                       map[v2fields.Operation]string // it was not sent
}

// Compare asks the service and reports rule by rule. The error is that of ctx or the Sender's.
func (l *Live) Compare(ctx context.Context) (rules.Report, error) {
	e := &evidence{Live: l, why: map[v2fields.Operation]string{}}
	e.askFree(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err := e.askPaid(ctx)
	return e.report(), err
}

func (e *evidence) askFree(ctx context.Context) {
	ask := func(from Reader, o v2fields.Operation, query url.Values) (s shown) {
		s.Shown, s.err = from.Inspect(ctx, o, query)
		return s
	}
	e.before, e.beforeErr = e.Client.Usage(ctx)
	now := e.Now().UTC()
	span := url.Values{
		"date_from": {now.AddDate(0, 0, -1).Format(time.DateTime)}, "date_to": {now.Format(time.DateTime)},
	}
	e.metrics = ask(e.Client, v2fields.Metrics, nil)
	e.unknownKey = ask(e.UnknownKey, v2fields.Metrics, nil)
	e.contacts = ask(e.Client, v2fields.ContactMetrics, span)
	e.undated = ask(e.Client, v2fields.ContactMetrics, nil)
	e.watched = ask(e.Client, v2fields.Watched, url.Values{"per_page": {"1"}})
	e.callback = ask(e.Client, v2fields.GetCallback, nil)
	e.nowhere.Shown, e.nowhereIsNotFound, e.nowhere.err = e.Client.InspectNowhere(ctx)
	e.after, e.afterErr = e.Client.Usage(ctx)
}

// FirstPage returns the call for the first company that the service lists.
func FirstPage() calls.Call {
	return calls.Prospecting(calls.CompanyFilters{}, calls.Paging{Page: 1, PerPage: 1})
}

// FirstPerson returns the call for the first person that the service lists.
func FirstPerson() calls.Call {
	return calls.People(calls.PeopleSearch{Paging: calls.Paging{Page: 1, PerPage: 1}})
}

// ofCompany returns the lookup of a field of a company.
func ofCompany(id string, f enrich.Field) enrich.Lookup {
	return enrich.Lookup{Identity: enrich.Identity{Company: enrich.Company{ID: id}}, Fields: enrich.FieldsOf(f)}
}

// askPaid sends what may use units, one call after the other: the first company and its records, and one of its
// people.
func (e *evidence) askPaid(ctx context.Context) error {
	if e.Sender == nil || e.beforeErr != nil {
		return nil
	}
	website, more, err := e.askCompany(ctx)
	if err != nil || !more {
		return err
	}
	return e.askPerson(ctx, website)
}

// askCompany sends the calls about the first company that the service lists. It returns the company's website, ""
// when that is not known, and whether more may be sent.
func (e *evidence) askCompany(ctx context.Context) (website string, more bool, err error) {
	page, err := FirstPage().Lookup()
	if err != nil {
		return "", false, err
	}
	answered, more, err := e.send(ctx, page)
	if err != nil || !more {
		return "", false, err
	}
	found, problem := answers.Companies(answered)
	if problem != nil || len(found.Items) == 0 {
		return "", true, nil
	}
	for _, f := range []enrich.Field{v2fields.Company, v2fields.Financials, v2fields.Insights, v2fields.Ownership} {
		if answered, more, err = e.send(ctx, ofCompany(found.Items[0].ID.Value, f)); err != nil || !more {
			return "", false, err
		}
		if company, problem := answers.Company(answered); f == v2fields.Company && problem == nil {
			website = company.Website.Value
		}
	}
	return website, true, nil
}

// askPerson sends the calls about the first person that the service lists, of the company with a website where
// that is known.
func (e *evidence) askPerson(ctx context.Context, website string) error {
	call := FirstPerson()
	if address, err := url.Parse(website); err == nil && address.Host != "" {
		domain := strings.TrimPrefix(address.Hostname(), "www.")
		call = calls.People(calls.PeopleSearch{Domains: []string{domain}, Paging: calls.Paging{Page: 1, PerPage: 1}})
	}
	page, err := call.Lookup()
	if err != nil {
		return err
	}
	answered, more, err := e.send(ctx, page)
	if err != nil || !more {
		return err
	}
	if found, problem := answers.People(answered); problem == nil && len(found.Items) > 0 {
		who, reason := enrich.Contact{ProfileURL: found.Items[0].ProNetwork.Value}.Identify(enrich.ByProfile)
		if reason == "" {
			_, _, err = e.send(ctx, enrich.Lookup{Identity: who, Fields: enrich.FieldsOf(v2fields.Contact)})
		}
	}
	return err
}

// send sends a call. It reports whether another one may be sent.
func (e *evidence) send(ctx context.Context, lookup enrich.Lookup) (answered enrich.Answered, more bool, err error) {
	o := calls.Of(lookup).Operation
	sent, err := e.Sender.Send(ctx, lookup)
	if err != nil {
		return answered, false, err
	}
	if sent.Operation = o; sent.Verdict == nil {
		e.why[o] = sent.Why
	} else {
		e.sent = append(e.sent, sent)
		answered, _ = sent.Verdict.(enrich.Answered)
	}
	return answered, !sent.Last && ctx.Err() == nil, nil
}

// report compares the evidence with every rule.
func (e *evidence) report() rules.Report {
	var report rules.Report
	for _, c := range append(freeChecks(), paidChecks()...) {
		report = append(report, c.Finding(c.look(e)))
	}
	for _, r := range caseRules() {
		report = append(report, r.Finding(rules.Untested("the rule needs a service that is set up for it; the tests try it on the sandbox")))
	}
	return report
}
