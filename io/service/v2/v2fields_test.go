package v2_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/io/service/v2"
)

// TestOperationsAreThoseOfTheSpecification lists the operations a second time. Their names stand
// in journals, so they never change.
func TestOperationsAreThoseOfTheSpecification(t *testing.T) {
	want := []string{
		"free metrics GET metrics", "free contact-metrics GET metrics/contacts",
		"paid prospecting POST prospecting", "paid overview POST overview", "paid company GET companies/7",
		"paid employees POST employees", "paid employee GET employees/7",
		"paid watch-start POST companies/7/watch/start", "free watch-stop DELETE companies/7/watch/stop",
		"free watched GET companies/watch", "free watch-events GET companies/7/watch/events",
		"free watch-fields GET companies/7/watch/fields", "free watch-fields-add PUT companies/7/watch/fields/add",
		"free watch-fields-remove PUT companies/7/watch/fields/remove", "free set-callback PUT companies/watch/callback",
		"free callback GET companies/watch/callback", "paid enrich-url POST enrichment/url",
		"paid enrich-company-profile POST enrichment/company/linkedin", "paid enrich-company POST enrichment/company",
		"paid enrich-email POST enrichment/email", "paid enrich-employee-profile POST enrichment/employee/linkedin",
		"paid enrich-employee POST enrichment/employee/contacts", "paid enrich-employee-search POST enrichment/employee/search",
		"paid autocomplete POST autocomplete", "paid financials GET financial/7", "paid insights-search POST digital-insights",
		"paid insights GET digital-insights/7", "paid ownership-search POST ownership", "paid ownership GET ownership/7",
	}
	var got []string
	for _, o := range v2.Operations() {
		kind := map[bool]string{true: "paid", false: "free"}[o.Paid()]
		got = append(got, kind+" "+o.String()+" "+o.Method()+" "+o.Path("7"))
		if named, found := v2.OperationNamed(o.String()); !found || named != o {
			t.Errorf("the operation named %s is %s", o, named)
		}
		if o.NeedsID() != (o.Path("7") != o.Path("8")) {
			t.Errorf("%s: an identifier is needed: %t", o, o.NeedsID())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 29 {
		t.Errorf("%d operations (-want +got):\n%s", len(got), diff)
	}
	if _, found := v2.OperationNamed("unknown-operation"); found {
		t.Error("an unknown operation is found")
	}
}

// TestFieldsHaveOperationsThatArePaidFor goes through the operations that return records.
func TestFieldsHaveOperationsThatArePaidFor(t *testing.T) {
	got := map[string][]string{}
	for _, o := range v2.Operations() {
		if f, found := o.Field(); found {
			name := v2.Catalogue().Name(f)
			got[name] = append(got[name], o.String())
			if !o.Paid() {
				t.Errorf("%s returns %s and is free", o, name)
			}
		}
	}
	want := map[string][]string{
		"contact":    {"employee", "enrich-email", "enrich-employee-profile", "enrich-employee"},
		"company":    {"company", "enrich-url", "enrich-company-profile", "enrich-company", "autocomplete"},
		"financials": {"financials"}, "insights": {"insights"}, "ownership": {"ownership"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operations by field (-want +got):\n%s", diff)
	}
}

// TestColumnsHaveTheNameOfTheirField looks at the names of the details.
func TestColumnsHaveTheNameOfTheirField(t *testing.T) {
	c := v2.Catalogue()
	if c.All() != v2.AllFields || c.Interface != "v2" {
		t.Errorf("the catalogue of %s has the fields %s", c.Interface, c.Names(c.All()))
	}
	seen := map[string]enrich.Fields{}
	for _, detail := range c.Details {
		if _, twice := seen[detail.Name]; twice {
			t.Errorf("%s is the name of two columns", detail.Name)
		}
		seen[detail.Name] = detail.Of
		if namesCompany := detail.Name == "company_id" || detail.Name == "contact_company_id"; (detail.Role == "company_id") != namesCompany {
			t.Errorf("column %s has the role %q", detail.Name, detail.Role)
		}
	}
	company := enrich.FieldsOf(v2.FieldCompany)
	for name, fields := range map[string]enrich.Fields{
		"company_id": company.With(v2.FieldMatch), "company_phone": company, "company_sic": company, "contact_company_id": v2.FieldContactData,
		"contact_email": v2.FieldContactData, "financials_turnover": enrich.FieldsOf(v2.FieldFinancials),
	} {
		if seen[name] != fields {
			t.Errorf("column %s is of the fields %s, want %s", name, c.Names(seen[name]), c.Names(fields))
		}
	}
}

// TestFieldsAreAboutPersonsOrCompanies tells which steps a run needs: one for each kind of subject at least.
func TestFieldsAreAboutPersonsOrCompanies(t *testing.T) {
	c := v2.Catalogue()
	if got := c.About(enrich.Persons, c.All()); got != v2.FieldContactData {
		t.Errorf("%s are fields of persons", c.Names(got))
	}
	if got := c.About(enrich.Companies, c.All()); got != v2.AllFields.Without(v2.FieldContactData) {
		t.Errorf("%s are fields of companies", c.Names(got))
	}
	if c.Fields[v2.FieldEmail].Role != "email" || c.Fields[v2.FieldPhone].Role != "phone" {
		t.Error("email and phone do not fill the columns of a list")
	}
}

// TestEveryFieldCanBeAskedForByAPattern looks for fields that no subject has.
func TestEveryFieldCanBeAskedForByAPattern(t *testing.T) {
	c := v2.Catalogue()
	for f := range v2.AllFields.Each() {
		patterns := v2.Patterns(enrich.FieldsOf(f))
		if patterns == 0 {
			t.Errorf("%s cannot be asked for", c.Name(f))
		}
		for p := range enrich.Pattern(enrich.NumPatterns) {
			if patterns.Has(p) && p.Subject() != c.Fields[f].About {
				t.Errorf("%s of a %s can be asked for by %s", c.Name(f), c.Fields[f].About, p)
			}
		}
	}
	if v2.Patterns(enrich.FieldsOf(v2.FieldContact, v2.FieldCompany)) != 0 {
		t.Error("a contact and a company are asked for in one call")
	}
}
