package steps

import (
	"testing"

	"payonce/pipeline/dispatch"
)

// TestALimitDoesNotHideWhatSomebodyHasToActOn combines the stops of two steps.
func TestALimitDoesNotHideWhatSomebodyHasToActOn(t *testing.T) {
	ceiling := dispatch.CeilingReached{}
	module := dispatch.ServiceRefused{Code: "daily_limit", Module: "companies"}
	key := dispatch.ServiceRefused{Code: "invalid_key"}
	interrupt := dispatch.Interrupted{}
	for name, c := range map[string]struct{ earlier, later, want dispatch.Stop }{
		"none":                        {nil, nil, nil},
		"the later one alone":         {nil, ceiling, ceiling},
		"the earlier one alone":       {module, nil, module},
		"two limits":                  {ceiling, module, ceiling},
		"a key after a ceiling":       {ceiling, key, key},
		"a key after a module":        {module, key, key},
		"a ceiling after a key":       {key, ceiling, key},
		"an interrupt after a limit":  {module, interrupt, interrupt},
		"a key after an interruption": {interrupt, key, interrupt},
	} {
		if got := reason(c.earlier, c.later); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
