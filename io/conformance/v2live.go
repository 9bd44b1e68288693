package conformance

import (
	"context"
	"net/url"
	"strings"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
)

// ReaderV2 sends free requests.
type ReaderV2 interface {
	Inspect(ctx context.Context, o v2.Operation, query url.Values) (v2.Shown, error)
	InspectNowhere(ctx context.Context) (shown v2.Shown, isNotFound bool, err error)
	Usage(ctx context.Context) (v2.Usage, error)
}

// SenderV2 sends calls that use units: each at most once, ever, and within the limits that the user has set.
type SenderV2 interface {
	// Send sends the call of a lookup, or says why it is not sent. The error is the program's own.
	Send(ctx context.Context, lookup enrich.Lookup) (SentV2, error)
}

// SentV2 is what became of a call.
type SentV2 struct {
	Operation v2.Operation
	Verdict   enrich.Verdict // nil when nothing was sent
	Booked    cost.Amounts   // by the Sender's own record
	// Used is what the counters show of the time of the call, by the service's codenames. Read says that they
	// were read before and after.
	Used map[string]int64
	Read bool
	Why  string // nothing was sent, or nothing more will be
	Last bool   // nothing more will be sent
}

// LiveV2 is a service to be compared with the specification. Only the Sender sends calls that use units.
type LiveV2 struct {
	Client     ReaderV2
	UnknownKey ReaderV2 // with a key that the service does not know
	Now        func() time.Time
	Modules    v2.Modules
	Shared     bool     // others may use the account, and so may move its counters
	Sender     SenderV2 // nil: nothing that may use units is sent
	Why        string   // there is no Sender
}

// shownV2 is a response to a free request, or why there is none.
type shownV2 struct {
	v2.Shown
	err error
}

// evidenceV2 is everything that a service has shown.
type evidenceV2 struct {
	*LiveV2
	metrics, contacts, undated, watched, callback, unknownKey shownV2
	nowhere                                                   shownV2
	nowhereIsNotFound                                         bool
	before, after                                             v2.Usage
	beforeErr, afterErr                                       error
	sent                                                      []SentV2
	why                                                       map[v2.Operation]string // it was not sent
}

// Compare asks the service and reports rule by rule. The error is that of ctx or the Sender's.
func (l *LiveV2) Compare(ctx context.Context) (Report, error) {
	e := &evidenceV2{LiveV2: l, why: map[v2.Operation]string{}}
	e.askFree(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err := e.askPaid(ctx)
	return e.report(), err
}

func (e *evidenceV2) askFree(ctx context.Context) {
	ask := func(from ReaderV2, o v2.Operation, query url.Values) (s shownV2) {
		s.Shown, s.err = from.Inspect(ctx, o, query)
		return s
	}
	e.before, e.beforeErr = e.Client.Usage(ctx)
	now := e.Now().UTC()
	span := url.Values{
		"date_from": {now.AddDate(0, 0, -1).Format(time.DateTime)}, "date_to": {now.Format(time.DateTime)},
	}
	e.metrics = ask(e.Client, v2.OpMetrics, nil)
	e.unknownKey = ask(e.UnknownKey, v2.OpMetrics, nil)
	e.contacts = ask(e.Client, v2.OpContactMetrics, span)
	e.undated = ask(e.Client, v2.OpContactMetrics, nil)
	e.watched = ask(e.Client, v2.OpWatched, url.Values{"per_page": {"1"}})
	e.callback = ask(e.Client, v2.OpGetCallback, nil)
	e.nowhere.Shown, e.nowhereIsNotFound, e.nowhere.err = e.Client.InspectNowhere(ctx)
	e.after, e.afterErr = e.Client.Usage(ctx)
}

// FirstPage returns the call for the first company that the service lists.
func FirstPage() v2.Call {
	return v2.ProspectingCall(v2.CompanyFilters{}, v2.Paging{Page: 1, PerPage: 1})
}

// FirstPerson returns the call for the first person that the service lists.
func FirstPerson() v2.Call {
	return v2.PeopleCall(v2.PeopleSearch{Paging: v2.Paging{Page: 1, PerPage: 1}})
}

// ofCompany returns the lookup of a field of a company.
func ofCompany(id string, f enrich.Field) enrich.Lookup {
	return enrich.Lookup{Identity: enrich.Identity{Company: enrich.Company{ID: id}}, Fields: enrich.FieldsOf(f)}
}

// askPaid sends what may use units, one call after the other: the first company and its records, and one of its
// people.
func (e *evidenceV2) askPaid(ctx context.Context) error {
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
func (e *evidenceV2) askCompany(ctx context.Context) (website string, more bool, err error) {
	page, err := FirstPage().Lookup()
	if err != nil {
		return "", false, err
	}
	answered, more, err := e.send(ctx, page)
	if err != nil || !more {
		return "", false, err
	}
	found, problem := v2.Read(answered, v2.Answer.Companies)
	if problem != nil || len(found.Items) == 0 {
		return "", true, nil
	}
	for _, f := range []enrich.Field{v2.FieldCompany, v2.FieldFinancials, v2.FieldInsights, v2.FieldOwnership} {
		if answered, more, err = e.send(ctx, ofCompany(found.Items[0].ID.Value, f)); err != nil || !more {
			return "", false, err
		}
		if company, problem := v2.Read(answered, v2.Answer.Company); f == v2.FieldCompany && problem == nil {
			website = company.Website.Value
		}
	}
	return website, true, nil
}

// askPerson sends the calls about the first person that the service lists, of the company with a website where
// that is known.
func (e *evidenceV2) askPerson(ctx context.Context, website string) error {
	call := FirstPerson()
	if address, err := url.Parse(website); err == nil && address.Host != "" {
		domain := strings.TrimPrefix(address.Hostname(), "www.")
		call = v2.PeopleCall(v2.PeopleSearch{Domains: []string{domain}, Paging: v2.Paging{Page: 1, PerPage: 1}})
	}
	page, err := call.Lookup()
	if err != nil {
		return err
	}
	answered, more, err := e.send(ctx, page)
	if err != nil || !more {
		return err
	}
	if found, problem := v2.Read(answered, v2.Answer.People); problem == nil && len(found.Items) > 0 {
		who, reason := enrich.Contact{ProfileURL: found.Items[0].ProNetwork.Value}.Identify(enrich.ByProfile)
		if reason == "" {
			_, _, err = e.send(ctx, enrich.Lookup{Identity: who, Fields: enrich.FieldsOf(v2.FieldContact)})
		}
	}
	return err
}

// send sends a call. It reports whether another one may be sent.
func (e *evidenceV2) send(ctx context.Context, lookup enrich.Lookup) (answered enrich.Answered, more bool, err error) {
	o := v2.CallOf(lookup).Operation
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
func (e *evidenceV2) report() Report {
	var report Report
	for _, c := range append(freeChecksV2(), paidChecksV2()...) {
		report = append(report, c.result(c.look(e)))
	}
	for _, r := range caseRulesV2() {
		report = append(report, r.result(untested("the rule needs a service that is set up for it; the tests try it on the sandbox")))
	}
	return report
}
