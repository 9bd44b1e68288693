package main

import (
	"testing"

	"payonce/cmd/batch/exit"
	"payonce/pipeline/dispatch"
)

// TestALimitOfOneModuleEndsAsACeilingDoes: the run can go on later, unlike one that the service refuses whole.
func TestALimitOfOneModuleEndsAsACeilingDoes(t *testing.T) {
	for module, want := range map[string]int{"contacts": exit.Ceiling, "": exit.Refused} {
		if got := exit.OfStop(dispatch.ServiceRefused{Code: "limits.daily", Module: module}); got != want {
			t.Errorf("the limit of the module %q ends with %d, want %d", module, got, want)
		}
	}
}
