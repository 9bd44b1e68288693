package configs

import (
	"bytes"
	"fmt"
	"strings"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// FormatRateCard writes a rate card as ParseRateCard reads it. It checks nothing: what
// ParseRateCard refuses, it refuses here too. A byte of a name or a title that is not
// text becomes the replacement character.
func FormatRateCard(card cost.RateCard) []byte {
	var file bytes.Buffer
	file.WriteString("# In USD per returned field.\n")
	if len(card.Options) == 0 {
		file.WriteString("options: []\n")
		return file.Bytes()
	}
	file.WriteString("options:\n")
	for _, option := range card.Options {
		fmt.Fprintf(&file, "  - name: %s\n", quoted(option.Name))
		if option.Title != "" {
			fmt.Fprintf(&file, "    title: %s\n", quoted(option.Title))
		}
		if option.MonthlyIncluded != 0 {
			fmt.Fprintf(&file, "    monthly_included_usd: %s\n", quoted(option.MonthlyIncluded.String()))
		}
		for f := range v1.AllFields.Each() {
			if price, known := option.Prices.Of(f); known {
				fmt.Fprintf(&file, "    %s: %s\n", priceKeys[f], quoted(price.String()))
			}
		}
	}
	return file.Bytes()
}

// priceKeys are the keys of the prices by field.
var priceKeys = enrich.ByField[string]{v1.WorkEmail: "work_email_usd", v1.BusinessPhone: "business_phone_usd"}

// quoted writes a text in double quotes. YAML knows every escape that Go writes, and
// what Go does not escape is printable there too.
func quoted(text string) string { return fmt.Sprintf("%q", strings.ToValidUTF8(text, "\uFFFD")) }
