package interfaces_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/internal/interfaces"
	"payonce/service/v2/units"
)

// both returns both interfaces, of which some are configured.
func both(configured ...string) interfaces.Set {
	return interfaces.Set{
		All: []interfaces.Interface{interfaces.V1(), interfaces.V2(units.Modules{})},
		Configured: func(name string) bool {
			return len(configured) == 0 || strings.Contains(strings.Join(configured, " "), name)
		},
	}
}

// shown writes steps, each as the interface, the fields and how companies are named.
func shown(steps []interfaces.Step) (texts []string) {
	for _, s := range steps {
		text := s.Interface.Catalogue.Interface + " " + s.Interface.Catalogue.Words(s.Fields)
		if s.Subject == enrich.Companies {
			text += " of companies"
		}
		if s.ByID {
			text += " by id"
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
	persons, companies := interfaces.List{Companies: true}, interfaces.List{Subject: enrich.Companies, Companies: true}
	named := interfaces.List{Subject: enrich.Companies, Companies: true, Names: true}
	withIDs := interfaces.List{Subject: enrich.Companies, Companies: true, CompanyIDs: true}
	for _, test := range []struct {
		list   interfaces.List
		fields string
		from   string
		want   []string
	}{
		{persons, "email,phone", "", []string{"v1 email,phone"}},
		{persons, "contact", "", []string{"v2 contact"}},
		{persons, "email,phone", "v2", []string{"v2 email,phone"}},
		{persons, "email,phone", "v2,v1", []string{"v2 email,phone", "v1 email,phone"}},
		{persons, "phone", "v1,v2", []string{"v1 phone", "v2 phone"}},
		{persons, "email,company", "v2,v1", []string{"v2 email", "v1 email", "v2 company of companies by id"}},
		{named, "company", "", []string{"v2 match of companies", "v2 company of companies after a search"}},
		{persons, "email,contact", "", []string{"v1 email", "v2 contact"}},
		{persons, "contact,company", "", []string{"v2 contact", "v2 company of companies by id"}},
		{persons, "company", "", []string{"v2 company of companies"}},
		{interfaces.List{}, "company", "", []string{"v2 contact", "v2 company of companies by id"}},
		{persons, "email,contact,company,insights", "", []string{
			"v1 email", "v2 contact", "v2 company of companies by id", "v2 insights of companies by id",
		}},
		{companies, "company,financials,insights,ownership", "", []string{
			"v2 company of companies", "v2 financials of companies by id", "v2 insights of companies by id",
			"v2 ownership of companies by id",
		}},
		{companies, "financials", "", []string{"v2 company of companies", "v2 financials of companies by id"}},
		{withIDs, "financials", "", []string{"v2 financials of companies by id"}},
	} {
		wanted := interfaces.Wanted{Fields: strings.Split(test.fields, ",")}
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
		set          interfaces.Set
		fields, from string
		want         string
	}{
		{both("v1"), "company", "", "*interfaces.NotConfiguredError"},
		{both("v1"), "email", "v2,v1", "*interfaces.NotConfiguredError"},
		{both(), "company", "v1", "*interfaces.NotFromError"},
		{both(), "fax", "", "*interfaces.UnknownFieldError"},
		{both(), "email", "v3", "*errors.errorString"},
		{both(), "email", "v1,v1", "*fmt.wrapError"},
	} {
		wanted := interfaces.Wanted{Fields: []string{test.fields}}
		if test.from != "" {
			wanted.From = strings.Split(test.from, ",")
		}
		_, err := test.set.Of(wanted)
		if got := fmt.Sprintf("%T", err); err == nil || strings.HasPrefix(test.want, "*interfaces") && got != test.want {
			t.Errorf("%s from %q: %s %v, want %s", test.fields, test.from, got, err, test.want)
		}
	}
	asked, err := both().Of(interfaces.Wanted{Fields: []string{"email"}})
	if err != nil {
		t.Fatal(err)
	}
	if steps, err := (interfaces.List{Subject: enrich.Companies}).Steps(asked); err == nil {
		t.Errorf("a list of companies is asked for emails: %v", shown(steps))
	}
}
