package sandbox

import (
	"encoding/json"
	"time"

	"payonce/cost"
	"payonce/enrich"
)

// LedgerEntryKind says what an entry of the ledger records.
type LedgerEntryKind string

// The kinds of entries. Reservations are not among them: one that was not settled
// when the process died is gone, and was not charged.
const (
	arrived LedgerEntryKind = "arrived" // a lookup arrived: Number, Path, Transport, Key, Identity, Fields, Code
	settled LedgerEntryKind = "settled" // it was performed: Number, RequestID, Charges
	refused LedgerEntryKind = "refused" // it was refused later than at its arrival: Number, Code

	// By time alone.
	renewed   LedgerEntryKind = "included_renewed"  // the included balance expired; Amount is the new one
	confirmed LedgerEntryKind = "payment_confirmed" // Payment; by the owner's call as well

	// By somebody else in the workspace.
	creditSpent LedgerEntryKind = "credit_spent" // Amount, From
	usageTaken  LedgerEntryKind = "usage_taken"  // Charges

	// By the owner.
	budgetSet         LedgerEntryKind = "budget_set"     // the monthly cap is Amount from now on
	budgetRemoved     LedgerEntryKind = "budget_removed" // there is no cap
	keyCreated        LedgerEntryKind = "key_created"    // Key, Name, Hash, Legacy, Until
	keyRevoked        LedgerEntryKind = "key_revoked"    // Key; the configured one when empty
	keyExpirySet      LedgerEntryKind = "key_expiry_set" // Key, Until; without Until it never expires
	stateSet          LedgerEntryKind = "workspace_set"  // State
	attemptLimitSet   LedgerEntryKind = "attempt_limit_set"
	priceSet          LedgerEntryKind = "price_set"           // Fields, Amount
	priceRemoved      LedgerEntryKind = "price_removed"       // Fields
	conditionSet      LedgerEntryKind = "input_condition_set" // Operation, Condition; removed without one
	checkedOut        LedgerEntryKind = "checkout"            // Payment, Amount, Plan, Until
	subscriptionEnded LedgerEntryKind = "subscription_ended"
)

// LedgerEntry is one line of the ledger. What a kind does not use is left out.
type LedgerEntry struct {
	Kind      LedgerEntryKind `json:"kind"`
	At        time.Time       `json:"at"`
	Number    int             `json:"number,omitempty"`
	Path      string          `json:"path,omitempty"`
	Transport string          `json:"transport,omitempty"`
	Identity  string          `json:"identity,omitempty"`
	Fields    []enrich.Field  `json:"fields,omitempty"`
	RequestID string          `json:"request_id,omitempty"`
	Charges   []fieldCharge   `json:"charges,omitempty"`
	Code      ErrorCode       `json:"code,omitempty"`
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
