package v1

import (
	"time"

	"payonce/enrich"
)

// askedToWait is the verdict on a lookup that is not sent before a wait is over.
func askedToWait(code string, wait time.Duration) enrich.Refused {
	return enrich.Refused{
		Class: enrich.SlowDown, Unsent: true, Code: code, RetryAfter: wait,
		Message: "a gateway of the service asks to wait",
	}
}
