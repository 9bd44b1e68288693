package verify

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"payonce/enrich"
)

// TestEveryValueOfAnIdentityIsMasked draws values for every member of the identities of persons and companies.
func TestEveryValueOfAnIdentityIsMasked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.Make[enrich.Identity]().Draw(t, "identity")
		text, err := json.Marshal(maskIdentity(id))
		var shown map[string]any
		if err != nil || json.Unmarshal(text, &shown) != nil {
			t.Fatalf("%s, %v", text, err)
		}
		if company, is := shown["company"].(map[string]any); is {
			delete(shown, "company")
			for name, value := range company {
				shown["company's "+name] = value
			}
		}
		for name, value := range shown {
			if value != masked {
				t.Errorf("%s is shown as %q", name, value)
			}
		}
	})
}
