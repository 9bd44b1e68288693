package crm_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"payonce/io/crm"
)

// TestAnErrorNamesWhatItIsAbout has an error with all details and one with none.
func TestAnErrorNamesWhatItIsAbout(t *testing.T) {
	whole := &crm.Error{
		Problem: crm.Refused, Code: "NO_PERMISSION", Status: 403, Record: "12", RequestID: "r-7", Err: errors.New("the CRM refuses the call"),
	}
	if got, want := whole.Error(), "record 12: the CRM refuses the call (HTTP 403, NO_PERMISSION, request r-7)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	ends := &crm.Error{Problem: crm.Exhausted, Until: time.Date(2026, 12, 1, 9, 30, 0, 0, time.FixedZone("", 3600)), Err: errors.New("a limit is reached")}
	if got, want := ends.Error(), "a limit is reached (until 2026-12-01 08:30:00 UTC)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	plain := &crm.Error{Problem: crm.Unreachable, Err: io.ErrUnexpectedEOF}
	if got := plain.Error(); got != io.ErrUnexpectedEOF.Error() {
		t.Errorf("got %q", got)
	}
	if wrapped := fmt.Errorf("push: %w", plain); crm.ProblemOf(wrapped) != crm.Unreachable || !errors.Is(wrapped, io.ErrUnexpectedEOF) || crm.ProblemOf(io.EOF) != "" {
		t.Error("the problem of an error is not found")
	}
}
