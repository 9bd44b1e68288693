package v2

import (
	"testing"
)

func TestCorrectionNamesTheModuleThatTheCountersShow(t *testing.T) {
	for name, test := range map[string]struct {
		operations, codenames map[string]string
		moved                 map[string]int64
		line                  string
		known                 bool
	}{
		"it fits":              {moved: map[string]int64{"companies": 1}, known: true},
		"another module":       {moved: map[string]int64{"contacts": 1}, line: "service-assumptions: {modules: {overview: contacts}}", known: true},
		"nothing is counted":   {},
		"an unknown codename":  {moved: map[string]int64{"firms": 1}, line: "service-assumptions: {module-codenames: {companies: firms}}", known: true},
		"none was expected":    {operations: map[string]string{"overview": "none"}, known: true},
		"but one was counted":  {operations: map[string]string{"overview": "none"}, moved: map[string]int64{"companies": 1}, line: "service-assumptions: {modules: {overview: companies}}", known: true},
		"it has this codename": {codenames: map[string]string{"companies": "firms"}, moved: map[string]int64{"firms": 1}, known: true},
		"two counters":         {moved: map[string]int64{"companies": 1, "contacts": 1}},
		"two units":            {moved: map[string]int64{"companies": 2}},
	} {
		modules, err := ParseModules(test.operations, test.codenames)
		if err != nil {
			t.Fatal(err)
		}
		if line, known := modules.Correction(OpOverview, test.moved); line != test.line || known != test.known {
			t.Errorf("%s: %q %t, want %q %t", name, line, known, test.line, test.known)
		}
	}
}
