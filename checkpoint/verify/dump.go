package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/enrich"
)

// line is one record as Dump writes it.
type line struct {
	Record  string     `json:"record"`
	ID      attempt.ID `json:"id,omitempty"`
	Name    string     `json:"name,omitempty"`
	Key     string     `json:"key,omitempty"`
	Field   string     `json:"field,omitempty"`
	Value   any        `json:"value,omitempty"`
	Problem string     `json:"problem,omitempty"`
}

// Dump writes every record in the order of the keys, one JSON object to a line.
// Fields have the names that the journal knows them by. Identities and answers are masked when show is nil;
// the journal's secret always is. A record that cannot be read is written as such; the error after the last
// line wraps record.ErrCorrupt then. Stop is called before every record, and may be nil.
func Dump(s record.Store, stop func() error, w io.Writer, show Show) error {
	if err := record.MustHoldItsJournal(s); err != nil {
		return err
	}
	interfaces, err := record.Interfaces(s)
	if err != nil {
		return err
	}
	shown := shower{s, interfaces, show, namesOf(s)}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	unread := 0
	err = record.WithStop(s, stop).Scan(nil, nil, func(key, value []byte) (bool, error) {
		l := describe(key, value, shown)
		if l.Problem != "" {
			unread++
		}
		return true, lines.Encode(l)
	})
	if err == nil && unread > 0 {
		err = fmt.Errorf("%w: %d records cannot be read", record.ErrCorrupt, unread)
	}
	return err
}

// Show returns what Dump writes of an answer of an interface. That of the account 0 is "".
type Show func(of string, answered enrich.Answered) (any, error)

// shower shows answers, each as those of its interface.
type shower struct {
	store      record.Store
	interfaces []string // of the accounts
	show       Show     // nil masks
	names      *names
}

// answer returns what Dump writes of the answer of an attempt.
func (s shower) answer(id attempt.ID, answered enrich.Answered) (any, error) {
	var payer record.Payer
	var err error
	if len(s.interfaces) > 1 {
		payer, _, err = record.Load[record.Payer](s.store, record.IDKey(record.IntentPrefix, id))
	}
	if err != nil {
		return nil, err
	}
	of, err := record.InterfaceOf(payer.Account, s.interfaces)
	if err != nil {
		return nil, err
	}
	return s.show(of, answered)
}

// describe returns the line of a record.
func describe(key, value []byte, show shower) line {
	l := line{Record: record.KindOf(key[0])}
	if l.Record == "" {
		return line{Record: "unknown", Name: fmt.Sprintf("%q", key), Problem: "is of no known kind"}
	}
	var err error
	if l.Value, err = view(key, value, show); err != nil {
		l.Value, l.Problem = nil, unreadable(value)
	}
	field, isField := record.FieldOf(key)
	switch key[0] {
	case record.IntentPrefix, record.DoubtPrefix, record.ResolutionPrefix, record.OpenPrefix:
		if len(key) != record.IDKeyLength {
			return line{Record: l.Record, Name: fmt.Sprintf("%q", key), Problem: "has no ID"}
		}
		l.ID = record.IDOf(key)
	case record.FieldPrefix:
		if !isField {
			return line{Record: l.Record, Problem: "has a key that names no field"}
		}
		l.Key, l.Field = field.Key.String(), show.names.ofEntry(field.Field, l.Value)
	case record.FormerPrefix:
		id, former, ok := record.FormerOf(key)
		if !ok {
			return line{Record: l.Record, Problem: "has a key that names no identity"}
		}
		l.Key, l.Name = id.String(), former.String()
	case record.ForgottenPrefix, record.AliasesPrefix, record.EventPrefix:
		l.Key = fmt.Sprintf("%x", key[1:])
	case record.ObservedPrefix:
		company, _, ok := record.ObservedOf(key)
		if !ok {
			return line{Record: l.Record, Problem: "has a key that names no company"}
		}
		l.Key = company.String()
	default:
		l.Name = string(key[1:])
	}
	return l
}

// masked replaces a value that is not shown.
const masked = "(masked)"

// view decodes a record and masks it.
func view(key, value []byte, show shower) (any, error) {
	switch key[0] {
	case record.IntentPrefix:
		var in record.Intent
		err := record.Decode(key, value, &in)
		if show.show == nil {
			in.Identity = maskIdentity(in.Identity)
		}
		return show.names.intent(in), err
	case record.ResolutionPrefix:
		return viewResolution(key, value, show)
	case record.DoubtPrefix:
		return decoded[record.Doubt](key, value)
	case record.FieldPrefix:
		return decoded[record.FieldEntry](key, value)
	case record.TotalsPrefix:
		return decoded[cost.Totals](key, value)
	case record.DayPrefix:
		return decoded[record.Span](key, value)
	case record.RunPrefix:
		return decoded[record.Run](key, value)
	case record.FilePrefix:
		return decoded[record.File](key, value)
	case record.AccountPrefix:
		return decoded[record.Registration](key, value)
	case record.JobPrefix:
		return decoded[record.Job](key, value)
	case record.OccurrencePrefix:
		return decoded[record.Occurrence](key, value)
	case record.AlertPrefix:
		return decoded[record.Alert](key, value)
	case record.AliasesPrefix:
		return decoded[record.Aliases](key, value)
	case record.EventPrefix:
		return decoded[record.Event](key, value)
	case record.ObservedPrefix:
		o, err := decoded[record.Observation](key, value)
		if show.show == nil && o.Content != "" {
			o.Content = masked
		}
		return o, err
	case record.OpenPrefix, record.ForgottenPrefix, record.FormerPrefix:
		return decoded[record.OpenMark](key, value)
	}
	return show.names.viewMeta(key, value)
}

func viewResolution(key, value []byte, show shower) (any, error) {
	var res attempt.Resolution
	err := record.Decode(key, value, &res)
	if len(key) != record.IDKeyLength {
		return nil, err // describe says so
	}
	shown := show.names.resolution(record.IDOf(key), res)
	switch {
	case err != nil || res.Data == "":
	case show.show == nil:
		shown.Answer = masked
	default:
		shown.Answer, err = show.answer(record.IDOf(key), res.Answer())
	}
	return shown, err
}

func (n *names) viewMeta(key, value []byte) (any, error) {
	switch string(key) {
	case string(record.StateKey):
		s, err := decoded[record.State](key, value)
		return n.state(s), err
	case string(record.IdentityKey):
		identity, err := decoded[record.Journal](key, value)
		return map[string]string{"id": identity.ID, "secret": masked}, err
	case string(record.FieldsKey):
		return decoded[record.FieldNames](key, value)
	case string(record.FirstAccountKey):
		return decoded[record.FirstAccount](key, value)
	case string(record.PrunedKey):
		return decoded[record.Pruned](key, value)
	case string(record.FormsKey):
		return decoded[record.Forms](key, value)
	case string(record.FingerprintKey):
		return masked, nil
	case string(record.ChangeKey):
		return decoded[[]byte](key, value)
	}
	if record.IsPolledKey(key) {
		return decoded[record.Polled](key, value)
	}
	return nil, errors.New("no such record")
}

func decoded[T record.Record](key, value []byte) (into T, err error) {
	err = record.Decode(key, value, &into)
	return into, err
}

func mask(values ...*string) {
	for _, value := range values {
		if *value != "" {
			*value = masked
		}
	}
}

func maskIdentity(id enrich.Identity) enrich.Identity {
	mask(&id.ProfileURL, &id.FirstName, &id.LastName, &id.CompanyDomain, &id.CompanyName, &id.Email, &id.ContactID, &id.Search)
	c := &id.Company
	mask(&c.ID, &c.Country, &c.State, &c.RegistrationNumber, &c.VATNumber, &c.Website, &c.ProfileURL, &c.Name)
	return id
}
