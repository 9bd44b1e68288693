package conformance

import (
	"fmt"

	"payonce/enrich"
)

// describeVerdict returns a verdict in words.
func describeVerdict(v enrich.Verdict) string {
	switch v := v.(type) {
	case enrich.Answered:
		return fmt.Sprintf("an answer (%s)", v.Status)
	case enrich.Refused:
		return fmt.Sprintf("a refusal (HTTP %d %s: %s)", v.HTTPStatus, v.Code, v.Message)
	case enrich.NotSent:
		return fmt.Sprintf("a call that was not sent (%v)", v.Err)
	case enrich.Lost:
		return fmt.Sprintf("a lost response (%v)", v.Err)
	}
	return fmt.Sprintf("%T", v)
}
