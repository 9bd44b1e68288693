package main

import (
	"testing"

	"payonce/pipeline/dispatch"
)

// TestALimitOfOneModuleEndsAsACeilingDoes: the run can go on later, unlike one that the service refuses whole.
func TestALimitOfOneModuleEndsAsACeilingDoes(t *testing.T) {
	for module, want := range map[string]int{"contacts": exitCeiling, "": exitRefused} {
		if got := exitOfStop(dispatch.ServiceRefused{Code: "limits.daily", Module: module}); got != want {
			t.Errorf("the limit of the module %q ends with %d, want %d", module, got, want)
		}
	}
}
