package configs_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payonce/configs"
	"payonce/cost"
	"payonce/io/service/v1"
)

func TestFormatRateCard(t *testing.T) {
	card := cost.RateCard{Options: []cost.Option{
		{Name: "payg", Title: `Pay "as you go"`, Prices: prices(15, 25)},
		{Name: "1e3", MonthlyIncluded: 49 * cost.Dollar, Prices: cost.Prices{v1.BusinessPhone: 0}},
		{Name: "none"},
	}}
	const want = `# In USD per returned field.
options:
  - name: "payg"
    title: "Pay \"as you go\""
    work_email_usd: "0.15"
    business_phone_usd: "0.25"
  - name: "1e3"
    monthly_included_usd: "49.00"
    business_phone_usd: "0.00"
  - name: "none"
`
	if diff := cmp.Diff(want, string(configs.FormatRateCard(card))); diff != "" {
		t.Error(diff)
	}
	if got := string(configs.FormatRateCard(cost.RateCard{})); !strings.HasSuffix(got, "\noptions: []\n") {
		t.Errorf("an empty card is written as %q", got)
	}
}

// anyText draws texts that YAML or Go may take for something else, too.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringOf(rapid.SampledFrom([]rune("\n\r\t\"'\\#:-{}[]&*!|>%@` \x00\x1b\u0085\u00a0\u2028\ufeff\uffff\U0001F600"))),
		rapid.SampledFrom([]string{"null", "~", "true", "0x10", "1_000", "2026-11-21", "<<", "- a", "---", "..."}),
	)
}

// TestRateCardRoundTrip shows that every rate card that can be read is read again as
// it was written.
func TestRateCardRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var card cost.RateCard
		taken := map[string]bool{}
		for i := range rapid.IntRange(1, 4).Draw(t, "options") {
			option := cost.Option{Name: anyText().Draw(t, "name"), Title: anyText().Draw(t, "title"), Prices: cost.Prices{}}
			if option.Name == "" || taken[option.Name] {
				option.Name += strconv.Itoa(i)
			}
			if taken[option.Name] {
				t.Skip("a name twice")
			}
			taken[option.Name] = true
			option.MonthlyIncluded = cost.Money(rapid.Int64Range(0, int64(1_000_000*cost.Dollar)).Draw(t, "monthly"))
			for f := range v1.AllFields.Each() {
				if rapid.Bool().Draw(t, "priced") {
					option.Prices[f] = cost.Money(rapid.Int64Range(0, int64(100*cost.Dollar)).Draw(t, "price"))
				}
			}
			card.Options = append(card.Options, option)
		}
		text := configs.FormatRateCard(card)
		got, err := configs.ParseRateCard("card.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(card, got); diff != "" {
			t.Errorf("%s\n%s", diff, text)
		}
	})
}

// TestFormatRateCardReplacesInvalidUTF8 shows that a name that is not text is written as one.
func TestFormatRateCardReplacesInvalidUTF8(t *testing.T) {
	card := cost.RateCard{Options: []cost.Option{{Name: "a\xffb", Title: "\xc0"}}}
	got, err := configs.ParseRateCard("card.yaml", configs.FormatRateCard(card))
	if err != nil {
		t.Fatal(err)
	}
	if got.Options[0].Name != "a\uFFFDb" || got.Options[0].Title != "\uFFFD" {
		t.Errorf("read as %+q", got.Options[0])
	}
}
