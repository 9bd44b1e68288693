package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providers"
)

// both returns both interfaces, of which some are configured.
func both(configured ...string) provider.Set {
	return provider.Set{
		All: provider.All(providers.All()).All,
		Configured: func(name string) bool {
			return len(configured) == 0 || strings.Contains(strings.Join(configured, " "), name)
		},
	}
}

// shown writes steps, each as the interface, the fields and how companies are named.
func shown(steps []provider.Step) (texts []string) {
	for _, s := range steps {
		text := s.Interface.Catalogue.Interface + " " + s.Interface.Catalogue.Words(s.Fields)
		if s.Subject == enrich.Companies {
			text += " of companies"
		}
		if s.ByID {
			text += " by id"
		}
		if s.Searches() {
			text += " by search"
		}
		if s.WithoutID {
			text += " without ids"
		}
		if s.Fallback > 0 {
			text += fmt.Sprint(" by identity ", s.Fallback+1)
		}
		if s.Resolves {
			text += " by the service's choice"
		}
		if s.Searched.Patterns != 0 {
			text += " after a search"
		}
		texts = append(texts, text)
	}
	return texts
}

// TestNamesOfFieldsDecideTheSteps goes through what users ask for.
func TestNamesOfFieldsDecideTheSteps(t *testing.T) {
	persons, companies := provider.ListFacts{Companies: true}, provider.ListFacts{Subject: enrich.Companies, Companies: true, Exact: true}
	named := provider.ListFacts{Subject: enrich.Companies, Companies: true, Names: true, Exact: true}
	names := provider.ListFacts{Subject: enrich.Companies, Names: true}
	numbers := provider.ListFacts{Subject: enrich.Companies, Companies: true, Numbers: true}
	resolved := provider.ListFacts{Subject: enrich.Companies, Names: true, Resolve: true}
	withIDs := provider.ListFacts{Subject: enrich.Companies, Companies: true, CompanyIDs: true}
	fallingBack := provider.ListFacts{Subject: enrich.Companies, Companies: true, Exact: true, Fallbacks: provider.Fallbacks{Identities: map[enrich.Pattern]int{
		enrich.ByID: 1, enrich.ByRegistration: 1, enrich.ByWebsite: 1,
	}}}
	for _, test := range []struct {
		list   provider.ListFacts
		fields string
		from   string
		want   []string
	}{
		{persons, "email,phone", "", []string{"v1 email,phone"}},
		{persons, "contact", "", []string{"v2 contact,email,phone"}},
		{persons, "contact,-email,-phone", "", []string{"v2 contact"}},
		{persons, "contact,-phone", "", []string{"v2 contact,email"}},
		{persons, "email,phone", "v2", []string{"v2 email,phone"}},
		{persons, "email,phone", "v2,v1", []string{"v2 email,phone", "v1 email,phone"}},
		{persons, "phone", "v1,v2", []string{"v1 phone", "v2 phone"}},
		{persons, "email,company", "v2,v1", []string{"v2 email", "v1 email", "v2 company of companies by id"}},
		{named, "company", "", []string{"v2 match of companies by search", "v2 company of companies after a search"}},
		{named, "insights", "", []string{
			"v2 insights of companies by search", "v2 company of companies without ids after a search",
			"v2 insights of companies by id after a search",
		}},
		{names, "ownership,insights", "", []string{
			"v2 insights of companies by search", "v2 insights of companies by id after a search",
			"v2 ownership of companies by id after a search",
		}},
		{numbers, "ownership", "", []string{
			"v2 ownership of companies by search", "v2 ownership of companies by id after a search",
		}},
		{names, "financials", "", []string{
			"v2 match of companies by search", "v2 financials of companies by id after a search",
		}},
		{names, "insights,company", "", []string{
			"v2 match of companies by search", "v2 company of companies after a search",
			"v2 insights of companies by id after a search",
		}},
		{numbers, "financials", "", []string{"v2 company of companies", "v2 financials of companies by id"}},
		{resolved, "company", "", []string{
			"v2 match of companies by search", "v2 company of companies by the service's choice after a search",
			"v2 company of companies after a search",
		}},
		{persons, "email,contact", "", []string{"v1 email", "v2 contact,email,phone"}},
		{persons, "contact,company", "", []string{"v2 contact,email,phone", "v2 company of companies by id"}},
		{persons, "company", "", []string{"v2 company of companies"}},
		{provider.ListFacts{}, "company", "", []string{"v2 contact", "v2 company of companies by id"}},
		{persons, "email,contact,company,insights", "", []string{
			"v1 email", "v2 contact,email,phone", "v2 company of companies by id", "v2 insights of companies by id",
		}},
		{companies, "company,financials,insights,ownership", "", []string{
			"v2 company of companies", "v2 financials of companies by id", "v2 insights of companies by id",
			"v2 ownership of companies by id",
		}},
		{companies, "financials", "", []string{"v2 company of companies", "v2 financials of companies by id"}},
		{withIDs, "financials", "", []string{"v2 financials of companies by id"}},
		{fallingBack, "company,financials", "", []string{
			"v2 company of companies", "v2 company of companies by identity 2", "v2 company of companies by identity 3",
			"v2 financials of companies by id",
		}},
	} {
		wanted := provider.Wanted{Fields: strings.Split(test.fields, ",")}
		if test.from != "" {
			wanted.From = strings.Split(test.from, ",")
		}
		asked, err := both().Of(wanted)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := test.list.Steps(asked)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, shown(steps)); diff != "" {
			t.Errorf("%s of %+v from %q (-want +got):\n%s", test.fields, test.list, test.from, diff)
		}
	}
}

// TestFieldsThatNobodyCanBeAskedForAreRefused says what is wrong, and which interface is missing.
func TestFieldsThatNobodyCanBeAskedForAreRefused(t *testing.T) {
	for _, test := range []struct {
		set          provider.Set
		fields, from string
		want         string
	}{
		{both("v1"), "company", "", "*provider.NotConfiguredError"},
		{both("v1"), "email", "v2,v1", "*provider.NotConfiguredError"},
		{both(), "company", "v1", "*provider.NotFromError"},
		{both(), "fax", "", "*provider.UnknownFieldError"},
		{both(), "email", "v3", "*errors.errorString"},
		{both(), "email", "v1,v1", "*fmt.wrapError"},
	} {
		wanted := provider.Wanted{Fields: []string{test.fields}}
		if test.from != "" {
			wanted.From = strings.Split(test.from, ",")
		}
		_, err := test.set.Of(wanted)
		if got := fmt.Sprintf("%T", err); err == nil || strings.HasPrefix(test.want, "*interfaces") && got != test.want {
			t.Errorf("%s from %q: %s %v, want %s", test.fields, test.from, got, err, test.want)
		}
	}
	asked, err := both().Of(provider.Wanted{Fields: []string{"email"}})
	if err != nil {
		t.Fatal(err)
	}
	if steps, err := (provider.ListFacts{Subject: enrich.Companies}).Steps(asked); err == nil {
		t.Errorf("a list of companies is asked for emails: %v", shown(steps))
	}
}
