package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"payonce/pipeline/report"
	"payonce/pipeline/search"
)

// kindNamed returns a kind of searches.
func kindNamed(name string) search.Kind {
	kinds := search.Kinds()
	return kinds[slices.IndexFunc(kinds, func(k search.Kind) bool { return k.Name == name })]
}

// keysOf lists the filters of a kind of searches, for its help.
func keysOf(kind search.Kind) string {
	var text, line strings.Builder
	for _, key := range search.FilterKeys(kind.Operation) {
		if line.Len()+len(key)+len("  ,") > report.LineWidth {
			text.WriteString("  " + strings.TrimRight(line.String(), " ") + "\n")
			line.Reset()
		}
		line.WriteString(key + ", ")
	}
	return "\n\nFilters:\n" + text.String() + "  " + strings.TrimSuffix(line.String(), ", ")
}

// keysBeginning returns the keys that complete what was given of a filter.
func keysBeginning(kind search.Kind, given string) (keys []string) {
	for _, key := range search.FilterKeys(kind.Operation) {
		if strings.HasPrefix(key, given) {
			keys = append(keys, key+"=")
		}
	}
	return keys
}

func newCompanies(env environment) *cobra.Command {
	kind := kindNamed("companies")
	_, cmd := newSearch(env, kind, &cobra.Command{
		Use:   "companies -o OUT --max-units companies=N",
		Short: "Build a list of companies by filters",
		Long: "Build a list of the companies that meet all filters, with their company_id and company_name. The\n" +
			"service shows at most ten pages of a search. A longer one is split: by the places that it names, by the\n" +
			"ranges that it has, then by the year of incorporation and the number of employees. What could not be\n" +
			"reached is reported. Identifiers of statuses, places and industries are those of the service." + keysOf(kind),
	})
	return cmd
}

func newOverview(env environment) *cobra.Command {
	kind := kindNamed("overview")
	_, cmd := newSearch(env, kind, &cobra.Command{
		Use:   "overview -o OUT --max-units companies=N",
		Short: "Find companies by what names them: a name, number, phone, website or employee",
		Long: "Find the companies that all filters name, on all pages, with their company_id, name, status, country and\n" +
			"registration number. lei_number, phone_number and person (the full name of an employee) are filters of\n" +
			"this search alone. country_code takes the name of a country too. A page has at most five results." + keysOf(kind),
	})
	return cmd
}

func newEmployees(env environment) *cobra.Command {
	kind := kindNamed("employees")
	c, cmd := newSearch(env, kind, &cobra.Command{
		Use:   "employees [LIST...] -o OUT --max-units contacts=N",
		Short: "Build a list of the employees of companies",
		Long: "Build a list of the employees of each company of a list that meet all filters, with their names and\n" +
			"their company. The list has the service's identifiers in its column company_id, as the lists of\n" +
			"\"batch search companies\" have; --map company_id=COLUMN names another one. Each employee gets the cells of\n" +
			"the company's first row. Without a list, employees of all companies are searched by the filters." + keysOf(kind),
		Args: cobra.ArbitraryArgs,
	})
	flags := cmd.Flags()
	c.addListFlags(cmd, "`company_id=COLUMN`: the column with the identifiers, by its header or #number")
	flags.Var(&c.perOne, "per-company", "the most results of each company")
	c.stand(cmd, "seniority", "seniority", "only this `ID` of a seniority level")
	c.stand(cmd, "department", "department", "only this `ID` of a department")
	c.stand(cmd, "title", "job_title", "only job titles with this `TEXT`")
	return cmd
}

func newPeople(env environment) *cobra.Command {
	kind := kindNamed("people")
	c, cmd := newSearch(env, kind, &cobra.Command{
		Use:   "people -o OUT --max-units contacts=N",
		Short: "Build a list of people by domains, locations and seniorities",
		Long: "Build a list of the people who meet all filters, with their names, profiles, titles and companies.\n" +
			"Seniorities are owner, founder, c_suite, partner, vp, head, director, manager, senior, entry and intern." + keysOf(kind),
	})
	c.stand(cmd, "domain", "domain_list", "only people of the company with this `DOMAIN`")
	c.stand(cmd, "company-location", "company_locations", "only people of companies at this `PLACE`")
	c.stand(cmd, "employee-location", "employee_locations", "only people at this `PLACE`")
	c.stand(cmd, "seniority", "employee_seniorities", "only people of this `LEVEL`")
	return cmd
}

func newAutocomplete(env environment) *cobra.Command {
	kind := kindNamed("autocomplete")
	c, cmd := newSearch(env, kind, &cobra.Command{
		Use:   "autocomplete [LIST...] -o OUT --max-units companies=N",
		Short: "Let the service complete the companies of a list",
		Long: "Send what each row of a list says of its company (name, country, registration and VAT number, website,\n" +
			"email, profile), and write the record that the service finds best. Rows with a company_id are left out:\n" +
			"so the output of a run can be given for the companies that were not found. The service chooses, and may\n" +
			"choose wrongly. Each company gets the cells of its row. Without a list, the filters name one company." + keysOf(kind),
		Args: cobra.ArbitraryArgs,
	})
	c.readList = c.readPartial
	c.addListFlags(cmd, "`FIELD=COLUMN`: the column of a field such as company_name, vat_number or email, by its header or #number (repeatable)")
	return cmd
}

func newFigures(env environment) *cobra.Command {
	kind := kindNamed("figures")
	c, cmd := newSearch(env, kind, &cobra.Command{
		Use:   "figures [LIST] --year Y -o OUT --max-units financials=N",
		Short: "Get the financial figures of chosen years of companies",
		Long: "Write each figure of the chosen years of each company of a list: company_id, year, figure and value. Each\n" +
			"company and year is a call. \"batch run --fields financials --tables DIR\" gets all years of a company for\n" +
			"the same unit; what it has bought is not bought again here." + keysOf(kind),
		Args: cobra.ArbitraryArgs,
	})
	c.addListFlags(cmd, "`company_id=COLUMN`: the column with the identifiers, by its header or #number")
	c.stand(cmd, "year", "year", "only the figures of this `YEAR` or span of years")
	return cmd
}
