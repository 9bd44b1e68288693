package report

import (
	"time"

	"payonce/checkpoint/attempt"
)

// ReachedLimit is a reached limit of a module. No call that can use the module is sent before the limit ends.
type ReachedLimit struct {
	Module string    `json:"module"` // as the service names it
	Code   string    `json:"code"`
	At     time.Time `json:"reached_at"`
	// Until is null for a limit that lasts until the account shows that it has more.
	Until *time.Time `json:"until"`
}

// LimitsOf shows the limits of an account.
func LimitsOf(limits []attempt.Limit) (shown []ReachedLimit) {
	for _, l := range limits {
		limit := ReachedLimit{Module: l.Module, Code: l.Code, At: l.At.UTC()}
		if !l.Until.IsZero() {
			until := l.Until.UTC()
			limit.Until = &until
		}
		shown = append(shown, limit)
	}
	return shown
}

// String says until when which module is limited.
func (l ReachedLimit) String() string {
	text := l.Module + " is limited (" + l.Code + ")"
	if l.Until == nil {
		return text + " until the account has more units of it"
	}
	return text + " until " + l.Until.Format("2006-01-02 15:04 UTC")
}
