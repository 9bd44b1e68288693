package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"payonce/attempt"
	"payonce/checkpoint/store"
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
// Identities and answers are masked unless values is set; the journal's secret
// always is. A record that cannot be read is written as such; the error after the
// last line wraps ErrCorrupt then. Stop is called before every record, and may be nil.
func Dump(s Store, stop func() error, w io.Writer, values bool) error {
	if err := mustHoldItsJournal(s); err != nil {
		return err
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	unread := 0
	err := store.WithStop(s, stop).Scan(nil, nil, func(key, value []byte) (bool, error) {
		l := describe(key, value, values)
		if l.Problem != "" {
			unread++
		}
		return true, lines.Encode(l)
	})
	if err == nil && unread > 0 {
		err = fmt.Errorf("%w: %d records cannot be read", ErrCorrupt, unread)
	}
	return err
}

// describe returns the line of a record.
func describe(key, value []byte, values bool) line {
	l := line{Record: kindOf(key[0])}
	if l.Record == "" {
		return line{Record: "unknown", Name: fmt.Sprintf("%q", key), Problem: "is of no known kind"}
	}
	var err error
	if l.Value, err = view(key, value, values); err != nil {
		l.Value, l.Problem = nil, unreadable(value)
	}
	field, isField := fieldOf(key)
	switch key[0] {
	case intentPrefix, doubtPrefix, resolutionPrefix, openPrefix:
		if len(key) != idKeyLength {
			return line{Record: l.Record, Name: fmt.Sprintf("%q", key), Problem: "has no ID"}
		}
		l.ID = idOf(key)
	case fieldPrefix:
		if !isField {
			return line{Record: l.Record, Problem: "has a key that names no field"}
		}
		l.Key, l.Field = field.key.String(), field.field.String()
	default:
		l.Name = string(key[1:])
	}
	return l
}

// masked stands for a value that is not shown.
const masked = "(masked)"

// view decodes a record and masks it.
func view(key, value []byte, values bool) (any, error) {
	switch key[0] {
	case intentPrefix:
		var in intent
		err := decode(key, value, &in)
		if !values {
			in.Identity = maskIdentity(in.Identity)
		}
		return in, err
	case resolutionPrefix:
		var res attempt.Resolution
		err := decode(key, value, &res)
		if res.Answer != nil && !values {
			res.Answer = maskAnswer(*res.Answer)
		}
		return res, err
	case doubtPrefix:
		return decoded[doubt](key, value)
	case fieldPrefix:
		return decoded[fieldEntry](key, value)
	case totalsPrefix:
		return decoded[cost.Totals](key, value)
	case dayPrefix:
		return decoded[span](key, value)
	case runPrefix:
		return decoded[Run](key, value)
	case openPrefix:
		return decoded[openMark](key, value)
	}
	return viewMeta(key, value)
}

func viewMeta(key, value []byte) (any, error) {
	switch string(key) {
	case string(booksKey):
		return decoded[persistedBooks](key, value)
	case string(identityKey):
		identity, err := decoded[identityRecord](key, value)
		return map[string]string{"id": identity.ID, "secret": masked}, err
	case string(fingerprintKey):
		return masked, nil
	case string(openingKey):
		return decoded[[]byte](key, value)
	}
	return nil, errors.New("no such record")
}

func decoded[T any](key, value []byte) (record T, err error) {
	err = decode(key, value, &record)
	return record, err
}

func mask(values ...*string) {
	for _, value := range values {
		if *value != "" {
			*value = masked
		}
	}
}

func maskIdentity(id enrich.Identity) enrich.Identity {
	mask(&id.ProfileURL, &id.FirstName, &id.LastName, &id.CompanyDomain, &id.CompanyName)
	return id
}

func maskAnswer(answer enrich.Answer) *enrich.Answer {
	mask(&answer.FullName, &answer.WorkEmail, &answer.BusinessPhone, &answer.Profile)
	return &answer
}
