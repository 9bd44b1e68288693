package pipeline

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payonce/cost"
	"payonce/pipeline/report"
)

// keptText returns a plan as a file holds it.
func keptText(t testing.TB, change func(*PlanFile)) []byte {
	t.Helper()
	kept := &PlanFile{
		Version: PlanFileVersion, Kept: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
		List:    PlannedList{Paths: []string{"/lists/list.csv"}, SHA256: strings.Repeat("0a", 32)},
		Service: "https://service.example/api/v1", Options: map[string]string{"fields": "email", "max-spend": "3.00"},
		Map: []string{"email=E-mail"},
		Plan: &report.Plan{
			Version: report.PlanVersion, PlanList: report.PlanList{Columns: map[string]string{"email": "E-mail"}},
			PlanSpend: report.PlanSpend{
				Maximum: 3 * cost.Dollar,
				Prices:  report.Prices{Source: "<card> & more", USD: report.Values[cost.Money]{{Name: "work_email", Value: 15 * cost.Cent}}},
			},
		},
	}
	var err error
	if kept.Checksum, err = kept.Sum(); err != nil {
		t.Fatal(err)
	}
	change(kept)
	var text bytes.Buffer
	if err := report.WriteJSON(&text, kept); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// Any member that is edited by hand is noticed.
func TestAnEditedPlanFileIsRefused(t *testing.T) {
	if _, err := parse(keptText(t, func(*PlanFile) {})); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*PlanFile){
		"the list":    func(k *PlanFile) { k.List.SHA256 = strings.Repeat("0b", 32) },
		"an option":   func(k *PlanFile) { k.Options["max-spend"] = "30.00" },
		"an addition": func(k *PlanFile) { k.Options["strict"] = "true" },
		"the mapping": func(k *PlanFile) { k.Map = nil },
		"the service": func(k *PlanFile) { k.Service += "/other" },
		"the maximum": func(k *PlanFile) { k.Plan.Maximum++ },
		"a price":     func(k *PlanFile) { k.Plan.Prices.USD[0].Value++ },
		"the sum":     func(k *PlanFile) { k.Checksum = "" },
	} {
		if _, err := parse(keptText(t, change)); err == nil || !strings.Contains(err.Error(), "was changed after it was made") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzParse shows that a file is read as a plan only when it is one to the last
// member: what is read and written again is read as the same.
func FuzzParse(f *testing.F) {
	f.Add(keptText(f, func(*PlanFile) {}))
	f.Add(keptText(f, func(k *PlanFile) { k.Plan = nil }))
	f.Add([]byte(`{"version": 1, "service": "sandbox", "plan": {}, "sha256": ""}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		kept, err := parse(data)
		if err != nil {
			if kept != nil || err.Error() == "" {
				t.Fatalf("%v with the error %q", kept, err)
			}
			return
		}
		var text bytes.Buffer
		if err := report.WriteJSON(&text, kept); err != nil {
			t.Fatal(err)
		}
		again, err := parse(text.Bytes())
		if err != nil {
			t.Fatalf("%v after it was written again as\n%s", err, &text)
		}
		if diff := cmp.Diff(kept, again, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

// A plan of a workspace that has the second interface alone names that service.
func TestAPlanForTheSecondInterfaceAloneIsRead(t *testing.T) {
	const address = "https://service.example/v2"
	text := keptText(t, func(k *PlanFile) {
		k.Service, k.ServiceV2 = "", address
		var err error
		if k.Checksum, err = k.Sum(); err != nil {
			t.Fatal(err)
		}
	})
	if kept, err := parse(text); err != nil || kept.ServiceV2 != address {
		t.Errorf("%+v, %v", kept, err)
	}
	if _, err := parse(keptText(t, func(k *PlanFile) { k.Service = "" })); err == nil {
		t.Error("a plan without a service is read")
	}
}
