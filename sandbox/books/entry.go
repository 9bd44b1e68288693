package books

import (
	"encoding/json"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// EntryKind says what an entry of the books records.
type EntryKind string

// The kinds of entries. Reservations are not among them: one that was not settled
// when the process died is gone, and was not charged.
const (
	arrived EntryKind = "arrived" // a lookup arrived: Number, Path, Transport, Key, Identity, Fields, Code
	settled EntryKind = "settled" // it was performed: Number, RequestID, Charges
	refused EntryKind = "refused" // it was refused later than at its arrival: Number, Code

	// By time alone.
	renewed   EntryKind = "included_renewed"  // the included balance expired; Amount is the new one
	confirmed EntryKind = "payment_confirmed" // Payment; by the owner's call as well

	// By somebody else in the workspace.
	creditSpent EntryKind = "credit_spent" // Amount, From
	usageTaken  EntryKind = "usage_taken"  // Charges

	// By the owner.
	budgetSet         EntryKind = "budget_set"     // the monthly cap is Amount from now on
	budgetRemoved     EntryKind = "budget_removed" // there is no cap
	keyCreated        EntryKind = "key_created"    // Key, Name, Hash, Legacy, Until
	keyRevoked        EntryKind = "key_revoked"    // Key; the configured one when empty
	keyExpirySet      EntryKind = "key_expiry_set" // Key, Until; without Until it never expires
	stateSet          EntryKind = "workspace_set"  // State
	attemptLimitSet   EntryKind = "attempt_limit_set"
	priceSet          EntryKind = "price_set"           // Fields, Amount
	priceRemoved      EntryKind = "price_removed"       // Fields
	conditionSet      EntryKind = "input_condition_set" // Operation, Condition; removed without one
	checkedOut        EntryKind = "checkout"            // Payment, Amount, Plan, Until
	subscriptionEnded EntryKind = "subscription_ended"
)

// Entry is one line of the books. What a kind does not use is left out.
type Entry struct {
	Kind      EntryKind       `json:"kind"`
	At        time.Time       `json:"at"`
	Number    int             `json:"number,omitempty"`
	Path      string          `json:"path,omitempty"`
	Transport string          `json:"transport,omitempty"`
	Identity  string          `json:"identity,omitempty"`
	Fields    []enrich.Field  `json:"fields,omitempty"`
	RequestID string          `json:"request_id,omitempty"`
	Charges   []fieldCharge   `json:"charges,omitempty"`
	Code      Code            `json:"code,omitempty"`
	Amount    cost.Money      `json:"amount,omitempty"`
	From      *Source         `json:"from,omitempty"`
	Key       string          `json:"key,omitempty"`
	Name      string          `json:"name,omitempty"`
	Hash      string          `json:"hash,omitempty"` // SHA-256 of a key's value, which stands nowhere
	Legacy    bool            `json:"legacy,omitempty"`
	Until     time.Time       `json:"until,omitzero"`
	State     State           `json:"state,omitempty"`
	Limit     int             `json:"limit,omitempty"`
	Operation string          `json:"operation,omitempty"`
	Condition json.RawMessage `json:"condition,omitempty"`
	Payment   string          `json:"payment,omitempty"`
	Plan      string          `json:"plan,omitempty"`
}

// fieldCharge is what one returned field cost.
type fieldCharge struct {
	Field  enrich.Field `json:"field"`
	Amount cost.Money   `json:"amount,omitempty"`
	Free   bool         `json:"free,omitempty"`
	From   *Source      `json:"from,omitempty"` // of a paid one
}

// charges lists what the fields of a charge cost, and draws it from the balance,
// after what expired while it was reserved.
func charges(charge cost.Charge, prices cost.Prices, expired cost.Money, left balance) []fieldCharge {
	var list []fieldCharge
	for f := range (charge.Free | charge.Paid).Each() {
		if charge.Free.Has(f) {
			list = append(list, fieldCharge{Field: f, Free: true})
			continue
		}
		used := min(expired, prices[f])
		expired -= used
		from := left.draw(prices[f] - used)
		from.Expired = used
		list = append(list, fieldCharge{Field: f, Amount: prices[f], From: &from})
	}
	return list
}

func fieldList(fields enrich.Fields) []enrich.Field {
	var list []enrich.Field
	for f := range fields.Each() {
		list = append(list, f)
	}
	return list
}
