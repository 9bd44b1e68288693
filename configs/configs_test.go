package configs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/configs"
	"payonce/cost"
	"payonce/io/service/v1"
)

// prices returns the prices of an email and a phone, in cents.
func prices(email, phone int64) cost.Prices {
	return cost.Prices{v1.WorkEmail: cost.Cents(email), v1.BusinessPhone: cost.Cents(phone)}
}

func TestRateCard(t *testing.T) {
	got, err := configs.RateCard()
	if err != nil {
		t.Fatal(err)
	}
	want := cost.RateCard{Options: []cost.Option{
		{Name: "payg", Title: "Pay as you go", Prices: prices(15, 25)},
		{Name: "core", Title: "Core", MonthlyIncluded: 49 * cost.Dollar, Prices: prices(15, 25)},
		{Name: "growth", Title: "Growth", MonthlyIncluded: 149 * cost.Dollar, Prices: prices(12, 20)},
		{Name: "scale", Title: "Scale", MonthlyIncluded: 399 * cost.Dollar, Prices: prices(9, 16)},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseRateCard(t *testing.T) {
	tests := []struct{ name, yaml string }{
		{"texts", `options: [{name: a, work_email_usd: "0.1", business_phone_usd: '0.300001'}]`},
		{"plain decimals", `options: [{name: a, work_email_usd: 0.1, business_phone_usd: 0.300001}]`},
		{"trailing zeros and a currency sign", `options: [{name: a, work_email_usd: 0.100000, business_phone_usd: $0.300001}]`},
		{"an anchor", "options:\n- name: a\n  work_email_usd: &price 0.1\n  business_phone_usd: 0.300001\n  monthly_included_usd: 0"},
		{"a merge", "options:\n- name: a\n  <<: {work_email_usd: 0.1, business_phone_usd: 0.300001}"},
	}
	want := cost.RateCard{Options: []cost.Option{{
		Name:   "a",
		Prices: cost.Prices{v1.WorkEmail: 100_000, v1.BusinessPhone: 300_001},
	}}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := configs.ParseRateCard("card.yaml", []byte(tt.yaml))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMissingPriceIsUnknown(t *testing.T) {
	for _, text := range []string{
		"options:\n- name: a\n  work_email_usd: 0",
		"options:\n- name: a\n  work_email_usd: 0\n  business_phone_usd: null",
	} {
		card, err := configs.ParseRateCard("card.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		price := card.Options[0].Prices
		if got, known := price.Of(v1.WorkEmail); got != 0 || !known {
			t.Errorf("%q: the price of an email is %s, %t", text, got, known)
		}
		if _, known := price.Of(v1.BusinessPhone); known {
			t.Errorf("%q: the price of a phone is known", text)
		}
	}
}

func TestParseRateCardErrors(t *testing.T) {
	const head = "options:\n- name: a\n  "
	tests := []struct {
		name, yaml string
		want       []string // the beginning of each line of the error
	}{
		{"unknown key of an option", head + "work_mail_usd: 1", []string{`card.yaml:3: unknown key "work_mail_usd"; an option has name,`}},
		{"unknown key of the card", "optoins: []", []string{`card.yaml:1: unknown key "optoins"; a rate card has options`}},
		{
			"two of them", head + "email: 1\n  title: A\n  phone: 1",
			[]string{`card.yaml:3: unknown key "email"`, `card.yaml:5: unknown key "phone"`},
		},
		{"negative", head + "work_email_usd: -0.15", []string{`card.yaml:3: "-0.15": not an amount in USD`}},
		{"negative text", head + `work_email_usd: "-0.15"`, []string{`card.yaml:3: "-0.15": not an amount in USD`}},
		{"exponent", head + "work_email_usd: 1e-1", []string{`card.yaml:3: "1e-1": not an amount in USD`}},
		{"hexadecimal", head + "work_email_usd: 0x10", []string{`card.yaml:3: "0x10": not an amount in USD`}},
		{"infinite", head + "work_email_usd: .inf", []string{`card.yaml:3: ".inf": not an amount in USD`}},
		{"too fine", head + "monthly_included_usd: 0.0000001", []string{`card.yaml:3: "0.0000001": not an amount in USD`}},
		{"empty amount", head + `work_email_usd: ""`, []string{`card.yaml:3: "": not an amount in USD`}},
		{"an amount that is a truth value", head + "work_email_usd: true", []string{"card.yaml:3: not an amount in USD"}},
		{"an amount that is a list", head + "work_email_usd: [1]", []string{"card.yaml:3: not an amount in USD"}},
		{"an amount that is a mapping", head + "work_email_usd: {usd: 1}", []string{"card.yaml:3: not an amount in USD"}},
		{"a name that is a number", "options:\n- name: 1", []string{"card.yaml:2: not a text"}},
		{"a title that is a list", head + "title: [A]", []string{"card.yaml:3: not a text"}},
		{"options that are no list", "options: core", []string{"card.yaml:1: options are a list"}},
		{"a card that is a list", "- options", []string{"card.yaml:1: a rate card holds names and values"}},
		{"a key twice", head + "title: A\n  title: B", []string{`card.yaml:4: mapping key "title" already defined`}},
		{"a name twice", head + "title: A\n- name: b\n- name: a", []string{`card.yaml:5: option "a" is on line 2 already`}},
		{"no name", head + "title: A\n- title: B", []string{"card.yaml:4: the option has no name"}},
		{"an empty name", `options: [{name: ""}]`, []string{"card.yaml:1: the option's name is empty"}},
		{"an option that is a text", "options:\n- name: a\n- core", []string{"card.yaml:3: an option holds names and values"}},
		{"an option that is empty", "options:\n- name: a\n-\n", []string{"card.yaml:3: the option is empty"}},
		{"a price in cents", head + "work_email_usd: 101", []string{"card.yaml:3: $101.00 for one field is more than $100.00"}},
		{"a price of a phone in cents", head + "business_phone_usd: 100.01", []string{"card.yaml:3: $100.01 for one field"}},
		{"a fee that lost its point", head + `monthly_included_usd: "4900000"`, []string{"card.yaml:3: $4900000.00 a month"}},
		{
			"all kinds of it at once",
			"options:\n- name: a\n  work_mail_usd: 1\n  work_email_usd: -3\n- name: a\n  title: 3\n- business_phone_usd: 25\n- name: b\n  work_email_usd: 250\n",
			[]string{
				`card.yaml:3: unknown key "work_mail_usd"`, `card.yaml:4: "-3": not an amount`, `card.yaml:5: option "a" is on line 2 already`,
				"card.yaml:6: not a text", "card.yaml:7: the option has no name", "card.yaml:9: $250.00 for one field",
			},
		},
		{"a name that is a list, and one like it", "options:\n- name: [a]\n- title: B\n", []string{"card.yaml:2: not a text", "card.yaml:3: the option has no name"}},
		{"no options", "options: []", []string{"card.yaml:1: the rate card has no options"}},
		{"no options below a comment", "# in USD\noptions: []", []string{"card.yaml:2: the rate card has no options"}},
		{"options without a value", "options:", []string{"card.yaml:1: the rate card has no options"}},
		{"no key", "{}", []string{"card.yaml:1: the rate card has no options"}},
		{"a comment only", "# nothing", []string{"card.yaml:1: no documents"}},
		{"nothing", "", []string{"card.yaml:1: "}},
		{"two documents", "options: []\n---\noptions: []", []string{"card.yaml:1: expected single document"}},
		{"no YAML", "options:\n- {name: a\n", []string{"card.yaml:3: "}},
		{"no text", "\xff", []string{"card.yaml:1: "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			card, err := configs.ParseRateCard("card.yaml", []byte(tt.yaml))
			if err == nil {
				t.Fatalf("read as %+v", card)
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(tt.want) {
				t.Fatalf("%d lines, want %d:\n%v", len(lines), len(tt.want), err)
			}
			for i, want := range tt.want {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("%q does not begin with %q", lines[i], want)
				}
			}
		})
	}
}

func FuzzParseRateCard(f *testing.F) {
	f.Add([]byte("options:\n- name: a\n  title: A\n  monthly_included_usd: 49\n  work_email_usd: 0.15\n"))
	f.Add([]byte("options: [{name: a, business_phone_usd: \"0.25\"}, {name: b}]"))
	f.Add([]byte("options:\n- &o {name: a}\n- <<: *o\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		card, err := configs.ParseRateCard("card.yaml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "card.yaml:") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for _, option := range card.Options {
			if _, err := card.Option(option.Name); err != nil || option.Name == "" {
				t.Errorf("%q is not found: %v", option.Name, err)
			}
			for field, price := range option.Prices {
				if price < 0 || price > cost.MaxMoney {
					t.Errorf("%s costs %d", field, price)
				}
			}
		}
		again, err := configs.ParseRateCard("again.yaml", configs.FormatRateCard(card))
		if diff := cmp.Diff(card, again); err != nil || diff != "" {
			t.Errorf("written and read again: %v\n%s", err, diff)
		}
	})
}
