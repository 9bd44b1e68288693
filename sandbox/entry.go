package sandbox

import (
	"fmt"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// entryKind says what an entry of the books records.
type entryKind string

// The kinds of entries. Reservations are not among them: one that was not settled
// when the process died is gone, and was not charged.
const (
	arrived     entryKind = "arrived"      // a lookup arrived: Number, Path, Identity, Fields, Code
	settled     entryKind = "settled"      // it was performed: Number, RequestID, Charges
	refused     entryKind = "refused"      // it was refused later than at its arrival: Number, Code
	creditSpent entryKind = "credit_spent" // by somebody else: Amount
	budgetSet   entryKind = "budget_set"   // the monthly cap is Amount from now on
	keyRevoked  entryKind = "key_revoked"
)

// entry is one line of the books. What a kind does not use is left out.
type entry struct {
	Kind      entryKind     `json:"kind"`
	At        time.Time     `json:"at"`
	Number    int           `json:"number,omitempty"`
	Path      string        `json:"path,omitempty"`
	Identity  string        `json:"identity,omitempty"`
	Fields    []fieldName   `json:"fields,omitempty"`
	RequestID string        `json:"request_id,omitempty"`
	Charges   []fieldCharge `json:"charges,omitempty"`
	Code      ErrorCode     `json:"code,omitempty"`
	Amount    cost.Money    `json:"amount,omitempty"`
}

// fieldCharge is what one returned field cost.
type fieldCharge struct {
	Field  fieldName  `json:"field"`
	Amount cost.Money `json:"amount,omitempty"`
	Free   bool       `json:"free,omitempty"`
}

// chargesOf lists a charge by its fields.
func chargesOf(charge cost.Charge, prices cost.Prices) []fieldCharge {
	var charges []fieldCharge
	for f := range (charge.Free | charge.Paid).Each() {
		if charge.Free.Has(f) {
			charges = append(charges, fieldCharge{Field: fieldName(f), Free: true})
			continue
		}
		charges = append(charges, fieldCharge{Field: fieldName(f), Amount: prices[f]})
	}
	return charges
}

// fieldName is a field that is written by its name.
type fieldName enrich.Field

// MarshalText writes the service's name of the field.
func (n fieldName) MarshalText() ([]byte, error) { return []byte(enrich.Field(n).String()), nil }

// UnmarshalText reads what MarshalText writes.
func (n *fieldName) UnmarshalText(text []byte) error {
	for f := range enrich.AllFields.Each() {
		if f.String() == string(text) {
			*n = fieldName(f)
			return nil
		}
	}
	return fmt.Errorf("there is no field %q", text)
}

func namesOf(fields enrich.Fields) []fieldName {
	var names []fieldName
	for f := range fields.Each() {
		names = append(names, fieldName(f))
	}
	return names
}

func fieldsOf(names []fieldName) enrich.Fields {
	var fields enrich.Fields
	for _, name := range names {
		fields = fields.With(enrich.Field(name))
	}
	return fields
}
