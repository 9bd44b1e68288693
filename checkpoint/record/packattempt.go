package record

import (
	"payonce/attempt"
	"payonce/cost"
	"payonce/enrich"
)

// The packed forms of the records of attempts.

// pack begins with what about.unpack reads.
func (in *Intent) pack(data []byte) []byte {
	data = appendFlags(data, in.Erased)
	data = append(data, in.Key[:]...)
	for _, text := range []string{
		in.Identity.ProfileURL, in.Identity.FirstName, in.Identity.LastName, in.Identity.CompanyDomain, in.Identity.CompanyName,
		in.Pattern, in.Run, in.Job,
	} {
		data = appendText(data, text)
	}
	data = appendTime(data, in.At)
	data = append(data, byte(in.Hold.Fields), byte(in.Hold.Free))
	data = appendPrices(data, in.Hold.Prices)
	for f := range enrich.AllFields.Each() {
		data = appendIDs(data, in.Earlier[f])
	}
	return data
}

func (in *Intent) unpack(from *Packet) {
	var who About
	who.unpackHead(from)
	in.Erased, in.Key, in.Identity = who.Erased, who.Key, who.Identity
	in.Pattern, in.Run, in.Job = from.text(), from.text(), from.text()
	in.At = from.time()
	in.Hold = cost.Hold{Fields: from.fields(), Free: from.fields(), Prices: from.prices()}
	for f := range enrich.AllFields.Each() {
		ids := from.ids()
		if len(ids) == 0 {
			continue
		}
		if in.Earlier == nil {
			in.Earlier = map[enrich.Field][]attempt.ID{}
		}
		in.Earlier[f] = ids
	}
}

// About is the part of an intent that says who it is about.
type About struct {
	Key      enrich.Key      `json:"key"`
	Identity enrich.Identity `json:"identity"`
	Erased   bool            `json:"erased"`
}

func (a *About) unpack(from *Packet) {
	a.unpackHead(from)
	from.skipRest()
}

// unpackHead reads the part, which is the first of an intent.
func (a *About) unpackHead(from *Packet) {
	from.flags(&a.Erased)
	from.bytes(a.Key[:])
	a.Identity = enrich.Identity{
		ProfileURL: from.text(), FirstName: from.text(), LastName: from.text(), CompanyDomain: from.text(), CompanyName: from.text(),
	}
}

func (d *Doubt) pack(data []byte) []byte {
	return appendText(appendTime(appendFlags(data, d.Crash), d.At), d.Cause)
}

func (d *Doubt) unpack(from *Packet) {
	from.flags(&d.Crash)
	d.At, d.Cause = from.time(), from.text()
}

func (*OpenMark) pack(data []byte) []byte { return data }

func (*OpenMark) unpack(*Packet) {}

func (f *FieldEntry) pack(data []byte) []byte {
	data = appendTime(appendNumber(append(data, byte(f.State)), f.Attempt), f.At)
	return appendIDs(data, f.Earlier)
}

func (f *FieldEntry) unpack(from *Packet) {
	f.State, f.Attempt = attempt.FieldState(from.byte()), attempt.ID(from.number())
	f.At, f.Earlier = from.time(), from.ids()
}

// resolution is an attempt.Resolution in its packed form.
type resolution attempt.Resolution

func (r *resolution) pack(data []byte) []byte {
	data = append(data, byte(r.State))
	data = appendFlags(data, r.Answer != nil, r.Erased, r.Rejected, r.Sent)
	data = appendText(appendTime(data, r.At), r.Run)
	data = append(appendSigned(data, r.Charge.Amount), byte(r.Charge.Free), byte(r.Charge.Paid), byte(r.Returned))
	data = appendText(appendText(data, r.Reason), r.RequestID)
	if r.Answer != nil {
		data = packAnswer(data, r.Answer)
	}
	return data
}

func (r *resolution) unpack(from *Packet) {
	answered := r.unpackHead(from)
	r.Run = from.text()
	r.Charge = cost.Charge{Amount: cost.Money(from.signed()), Free: from.fields(), Paid: from.fields()}
	r.Returned = from.fields()
	r.Reason, r.RequestID = from.text(), from.text()
	if answered {
		r.Answer = unpackAnswer(from)
	}
}

// unpackHead reads the first parts, and reports whether an answer is the last.
func (r *resolution) unpackHead(from *Packet) (answered bool) {
	r.State = attempt.State(from.byte())
	from.flags(&answered, &r.Erased, &r.Rejected, &r.Sent)
	r.At = from.time()
	return answered
}

// Ending is a resolution of which only the state, the flags and the time are read.
type Ending attempt.Resolution

func (e *Ending) unpack(from *Packet) {
	(*resolution)(e).unpackHead(from)
	from.skipRest()
}

func packAnswer(data []byte, a *enrich.Answer) []byte {
	data = appendText(data, a.Status)
	for _, text := range []string{a.Operation, a.RequestID, a.FullName, a.WorkEmail, a.BusinessPhone, a.PhoneType, a.Provenance, a.Profile} {
		data = appendText(data, text)
	}
	data = appendTime(data, a.RetrievedAt)
	data = appendNumber(data, uint64(len(a.Unresolved)))
	for _, field := range a.Unresolved {
		data = appendText(data, field)
	}
	return data
}

func unpackAnswer(from *Packet) *enrich.Answer {
	a := from.newAnswer()
	a.Status = enrich.Status(from.text())
	a.Operation, a.RequestID, a.FullName, a.WorkEmail = from.text(), from.text(), from.text(), from.text()
	a.BusinessPhone, a.PhoneType, a.Provenance, a.Profile = from.text(), from.text(), from.text(), from.text()
	a.RetrievedAt = from.time()
	if count := from.count(); count > 0 {
		a.Unresolved = make([]string, count)
		for i := range a.Unresolved {
			a.Unresolved[i] = from.text()
		}
	}
	return a
}

// ReserveAnswers takes memory for many answers when there is none left.
func (p *Packet) ReserveAnswers(count int) {
	if len(p.answers) == cap(p.answers) {
		p.answers = make([]enrich.Answer, 0, count)
	}
}

// newAnswer returns an answer in the room for many, while there is some.
func (p *Packet) newAnswer() *enrich.Answer {
	if len(p.answers) == cap(p.answers) {
		return new(enrich.Answer)
	}
	p.answers = p.answers[:len(p.answers)+1]
	return &p.answers[len(p.answers)-1]
}

// appendPrices appends the fields that have a price, and the prices.
func appendPrices(data []byte, prices cost.Prices) []byte {
	var known enrich.Fields
	for f := range enrich.AllFields.Each() {
		if _, ok := prices.Of(f); ok {
			known = known.With(f)
		}
	}
	data = append(data, byte(known))
	for f := range known.Each() {
		data = appendSigned(data, prices[f])
	}
	return data
}

func (p *Packet) prices() cost.Prices {
	prices := cost.Prices{}
	for f := range p.fields().Each() {
		prices[f] = cost.Money(p.signed())
	}
	return prices
}

func appendIDs(data []byte, ids []attempt.ID) []byte {
	data = appendNumber(data, uint64(len(ids)))
	for _, id := range ids {
		data = appendNumber(data, id)
	}
	return data
}

func (p *Packet) ids() []attempt.ID {
	count := p.count()
	if count == 0 {
		return nil
	}
	ids := make([]attempt.ID, count)
	for i := range ids {
		ids[i] = attempt.ID(p.number())
	}
	return ids
}
