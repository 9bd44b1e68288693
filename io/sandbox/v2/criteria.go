// This file reads the filters of prospecting and of the employee search (specification v2,
// "Prospecting" and "Employees"), and says which companies and employees of the world meet them.

package v2

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/io/sandbox/world"
)

// filters are criteria by key. Reading a key remembers what is wrong with its value.
type filters struct {
	Source   string // the JSON object as it was given
	values   map[string]json.RawMessage
	problems []string
}

// parseFilters reads filters from a JSON object. The problem is what is wrong with its form; empty when nothing is.
func parseFilters(text string) (f *filters, problem string) {
	f = &filters{Source: text}
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&f.values); err != nil || f.values == nil {
		return f, "The string holds no JSON object."
	}
	if _, err := decoder.Token(); err != io.EOF {
		return f, "The string goes on after its JSON object."
	}
	return f, ""
}

// Seat is one place in the staff of a company.
type Seat struct {
	Company world.Company
	Place   int
}

func (f *filters) wrong(key, message string) { f.problems = append(f.problems, key+": "+message) }

// wrongs returns what is wrong with the filters, in order.
func (f *filters) wrongs() []string {
	slices.Sort(f.problems)
	return f.problems
}

// texts reads a list whose elements are strings or integers.
func (f *filters) texts(key string) []string {
	var elements []any
	decoder := json.NewDecoder(bytes.NewReader(f.values[key]))
	decoder.UseNumber()
	if decoder.Decode(&elements) != nil {
		f.wrong(key, "Expected a list.")
		return nil
	}
	texts := []string{}
	for _, element := range elements {
		switch value := element.(type) {
		case string:
			texts = append(texts, strings.TrimSpace(value))
		case json.Number:
			texts = append(texts, value.String())
		default:
			f.wrong(key, "Expected a list of strings or integers.")
		}
	}
	return texts
}

// numbers reads a list of integers.
func (f *filters) numbers(key string) []int {
	numbers := []int{}
	for _, text := range f.texts(key) {
		number, err := strconv.Atoi(text)
		if err != nil {
			f.wrong(key, "Expected a list of integers.")
			break
		}
		numbers = append(numbers, number)
	}
	return numbers
}

// text reads a string.
func (f *filters) text(key string) string {
	var value string
	if json.Unmarshal(f.values[key], &value) != nil {
		f.wrong(key, "Expected a string.")
	}
	return strings.TrimSpace(value)
}

// span is a range whose ends belong to it; nil stands for no end.
type span struct {
	GTE, LTE *bound
}

// bound is an end of a range: a number, or a day.
type bound struct {
	number float64
	day    time.Time // zero for a number
}

// UnmarshalJSON reads a number, a number in a string, or a day.
func (b *bound) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(raw), `"`)
	var err error
	if b.number, err = strconv.ParseFloat(text, 64); err == nil {
		return nil
	}
	b.day, err = time.Parse(time.DateOnly, text)
	return err
}

func (f *filters) span(key string) span {
	var members map[string]*bound
	if json.Unmarshal(f.values[key], &members) != nil {
		f.wrong(key, "Expected a range with gte and lte.")
		return span{}
	}
	for name := range members {
		if name != "gte" && name != "lte" {
			f.wrong(key, "A range has gte and lte.")
		}
	}
	return span{members["gte"], members["lte"]}
}

func (s span) holds(number float64) bool {
	return (s.GTE == nil || number >= s.GTE.number) && (s.LTE == nil || number <= s.LTE.number)
}

// holdsDay compares days, and years where an end is a number.
func (s span) holdsDay(day time.Time) bool {
	return (s.GTE == nil || !s.GTE.isAfter(day)) && (s.LTE == nil || !s.LTE.isBefore(day))
}

func (b *bound) isAfter(day time.Time) bool {
	if b.day.IsZero() {
		return float64(day.Year()) < b.number
	}
	return day.Before(b.day)
}

func (b *bound) isBefore(day time.Time) bool {
	if b.day.IsZero() {
		return float64(day.Year()) > b.number
	}
	return day.After(b.day)
}

// Condition is what a company has to meet.
type Condition = func(world.Company) bool

// Companies returns the conditions of filters of prospecting, and what is wrong with those.
func (f *filters) Companies(w world.World) ([]Condition, []string) {
	known := companyFilters(w)
	var conditions []Condition
	for key := range f.values {
		read, found := known[key]
		if !found {
			f.wrong(key, "There is no such filter.")
			continue
		}
		if string(f.values[key]) != "null" {
			conditions = append(conditions, read(f, key))
		}
	}
	return conditions, f.wrongs()
}

// companyFilters returns what each key means (specification v2, "Prospecting").
func companyFilters(w world.World) map[string]func(*filters, string) Condition {
	known := map[string]func(*filters, string) Condition{
		"company_status": byNumbers(world.Company.Status),
		"activity_type":  byNumbers(func(c world.Company) int { activity, _, _ := c.Activity(); return activity + 1 }),
		"company_type":   byNumbers(func(c world.Company) int { _, kind, _ := c.Activity(); return kind + 1 }),
		"legal_form": byNumbers(func(c world.Company) int {
			return slices.Index(world.LegalForms(), c.LegalForm()) + 1
		}),
		"trading_activity": byTexts(func(c world.Company) []string {
			_, _, trading := c.Activity()
			return []string{strconv.Itoa(trading + 1), world.TradingNames()[trading]}
		}),
		"industry_focus":   byTexts(func(c world.Company) []string { return []string{world.IndustryName(c.Industry())} }),
		"website_keywords": byWords(func(c world.Company) string { return c.Name() + " " + world.IndustryName(c.Industry()) }),
		"nace":             byTexts(func(c world.Company) []string { nace, _, _ := world.Codes(c.Industry()); return []string{nace} }),
		"isic":             byTexts(func(c world.Company) []string { _, isic, _ := world.Codes(c.Industry()); return []string{isic} }),
		"location_zip":     byTexts(func(c world.Company) []string { return []string{c.Place().Zip} }),
		"location_type": byTexts(func(c world.Company) []string {
			return []string{c.Place().City, c.Place().Region, c.Place().RegionCode}
		}),
		"location_regions":      byTexts(func(c world.Company) []string { return []string{c.Country().RegionID(c.Place())} }),
		"location_countries":    byTexts(func(c world.Company) []string { return []string{c.Country().CountryID()} }),
		"financial_currency":    byTexts(func(c world.Company) []string { return []string{c.Country().Currency} }),
		"advance_companies":     byAll(advances),
		"insights_visits":       byVisits,
		"insights_technologies": byTexts(technologies),
		"number_of_employees":   bySpan(func(c world.Company) float64 { return float64(c.Employees()) }),
		"company_incorporation": func(f *filters, key string) Condition {
			wanted := f.span(key)
			return func(c world.Company) bool { return wanted.holdsDay(c.Founded()) }
		},
		"insights_ranking": bySpan(func(c world.Company) float64 { _, rank := c.Traffic(); return float64(rank) }),
		"financial_directors": byNumbers(func(c world.Company) int {
			return payBand(lastResults(c).DirectorsPay)
		}),
		"foreign_parents":    byChoice("yes", "no", w.HasForeignParent),
		"ownership_accounts": byChoice("group", "single", func(c world.Company) bool { return len(w.OwnershipOf(c).Group) > 0 }),
		"url":                byURL(w),
	}
	for key, figure := range financialFilters() {
		known[key] = byFigure(figure)
	}
	for _, list := range world.CodeLists() {
		known[list] = byTexts(func(c world.Company) []string {
			_, _, code := world.Codes(c.Industry())
			if c.Country().Codes != list {
				return nil
			}
			return []string{code}
		})
	}
	return known
}

// lastResults returns the results of the last year that is known; zero for none.
func lastResults(c world.Company) world.Results {
	if years := c.Years(); len(years) > 0 {
		return c.Results(years[len(years)-1])
	}
	return world.Results{}
}

// financialFilters returns the figure that each range is about, from the results of a year and the year before.
func financialFilters() map[string]func(now, before world.Results) float64 {
	type results = world.Results
	return map[string]func(now, before results) float64{
		"financial_turnover":        func(now, _ results) float64 { return now.Turnover },
		"financial_profit":          func(now, _ results) float64 { return now.Profit },
		"financial_liabilities":     func(now, _ results) float64 { return now.Liabilities },
		"financial_employee_profit": func(now, _ results) float64 { return now.Profit / float64(max(1, now.Employees)) },
		"financial_exports":         func(now, _ results) float64 { return now.Exports },
		"yoy_exports":               func(now, before results) float64 { return world.Change(before.Exports, now.Exports) },
		"yoy_liabilities":           func(now, before results) float64 { return world.Change(before.Liabilities, now.Liabilities) },
		"yoy_staff": func(now, before results) float64 {
			return world.Change(float64(before.Employees), float64(now.Employees))
		},
		"yoy_turnover": func(now, before results) float64 { return world.Change(before.Turnover, now.Turnover) },
		"yoy_ebitda":   func(now, before results) float64 { return world.Change(before.EBITDA, now.EBITDA) },
		"yoy_profit":   func(now, before results) float64 { return world.Change(before.Profit, now.Profit) },
	}
}

// byFigure demands a figure of the last year. A company without figures does not meet it.
func byFigure(figure func(now, before world.Results) float64) func(*filters, string) Condition {
	return func(f *filters, key string) Condition {
		wanted := f.span(key)
		return func(c world.Company) bool {
			years := c.Years()
			if len(years) == 0 {
				return false
			}
			last := years[len(years)-1]
			return wanted.holds(figure(c.Results(last), c.Results(last-1)))
		}
	}
}

func bySpan(value func(world.Company) float64) func(*filters, string) Condition {
	return func(f *filters, key string) Condition {
		wanted := f.span(key)
		return func(c world.Company) bool { return wanted.holds(value(c)) }
	}
}

func byNumbers(value func(world.Company) int) func(*filters, string) Condition {
	return func(f *filters, key string) Condition {
		wanted := f.numbers(key)
		return func(c world.Company) bool { return slices.Contains(wanted, value(c)) }
	}
}

// byTexts demands that one of a company's values is one of those in the list, in any case.
func byTexts(values func(world.Company) []string) func(*filters, string) Condition {
	return func(f *filters, key string) Condition {
		wanted := f.texts(key)
		return func(c world.Company) bool {
			return slices.ContainsFunc(values(c), func(value string) bool {
				return slices.ContainsFunc(wanted, func(text string) bool { return strings.EqualFold(value, text) })
			})
		}
	}
}

// byAll demands that a company has everything in the list.
func byAll(values func(world.Company) []string) func(*filters, string) Condition {
	return func(f *filters, key string) Condition {
		wanted := f.texts(key)
		return func(c world.Company) bool {
			has := values(c)
			return !slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(has, name) })
		}
	}
}

// byWords demands that a text holds one of the words in the list.
func byWords(text func(world.Company) string) func(*filters, string) Condition {
	return func(f *filters, key string) Condition {
		wanted := f.texts(key)
		return func(c world.Company) bool {
			return slices.ContainsFunc(wanted, func(word string) bool {
				return strings.Contains(strings.ToLower(text(c)), strings.ToLower(word))
			})
		}
	}
}

// byChoice demands one of two values.
func byChoice(yes, no string, holds func(world.Company) bool) func(*filters, string) Condition {
	return func(f *filters, key string) Condition {
		wanted := f.text(key)
		return func(c world.Company) bool { return wanted == yes && holds(c) || wanted == no && !holds(c) }
	}
}

// byVisits demands a number of visits in one of the bands.
func byVisits(f *filters, key string) Condition {
	var bands [][2]int
	for _, text := range f.texts(key) {
		least, most, isBand := strings.Cut(text, "-")
		from, err := strconv.Atoi(least)
		to, open := 1<<62, most == ""
		if !open && err == nil {
			to, err = strconv.Atoi(most)
		}
		if err != nil || !isBand {
			f.wrong(key, fmt.Sprintf("%q is no band of the nomenclature.", text))
		}
		bands = append(bands, [2]int{from, to})
	}
	return func(c world.Company) bool {
		visits, _ := c.Traffic()
		return c.HasInsights() && slices.ContainsFunc(bands, func(b [2]int) bool { return visits >= b[0] && visits < b[1] })
	}
}

// byURL demands the page of a company: one address, or a list of them.
func byURL(w world.World) func(*filters, string) Condition {
	return func(f *filters, key string) Condition { return f.byURL(w, key) }
}

func (f *filters) byURL(w world.World, key string) Condition {
	var addresses []string
	if raw := f.values[key]; len(raw) > 0 && raw[0] == '"' {
		addresses = []string{f.text(key)}
	} else {
		addresses = f.texts(key)
	}
	wanted := map[string]bool{}
	for _, address := range addresses {
		if c, found := w.ByProfile(address); found {
			wanted[c.ID()] = true
		}
	}
	return func(c world.Company) bool { return wanted[c.ID()] }
}

// technologies returns the numbers and names of what a website uses.
func technologies(c world.Company) []string {
	if !c.HasInsights() {
		return nil
	}
	var values []string
	for _, id := range c.TechnologyIDs() {
		values = append(values, strconv.Itoa(id), world.TechnologyName(id))
	}
	return values
}

// advances returns what is known of a company, as the nomenclature names it.
func advances(c world.Company) []string {
	var has []string
	for name, known := range map[string]bool{
		"has_email": len(c.Emails()) > 0, "has_phone": len(c.Phones()) > 0, "has_vat_number": c.VAT() != "",
		"has_financials": c.HasFinancials(), "has_insights": c.HasInsights(), "has_ownership": c.HasOwnership(),
	} {
		if known {
			has = append(has, name)
		}
	}
	return has
}

// payBand returns in which band of the nomenclature a pay is.
func payBand(pay float64) int {
	band := 0
	for _, least := range world.Bands() {
		if pay >= float64(least) {
			band++
		}
	}
	return band
}

// Employees returns the companies whose employees are looked at, the conditions of filters of the employee
// search, and what is wrong with those.
func (f *filters) Employees(w world.World) (iter.Seq[world.Company], []func(Seat) bool, []string) {
	companies := w.Listed()
	var conditions []func(Seat) bool
	for key := range f.values {
		switch key {
		case "company_id":
			var id json.Number
			if json.Unmarshal(f.values[key], &id) != nil {
				f.wrong(key, "A valid integer is required.")
			}
			companies = func(yield func(world.Company) bool) {
				if c, found := w.ByID(id.String()); found {
					yield(c)
				}
			}
		case "full_name":
			name := f.text(key)
			conditions = append(conditions, func(at Seat) bool { return at.Company.IsNamed(at.Place, name) })
		case "seniority":
			wanted := f.numbers(key)
			conditions = append(conditions, func(at Seat) bool {
				rank, _ := at.Company.Role(at.Place)
				return slices.Contains(wanted, rank+1)
			})
		case "department":
			wanted := f.numbers(key)
			conditions = append(conditions, func(at Seat) bool {
				_, department := at.Company.Role(at.Place)
				return slices.Contains(wanted, department+1)
			})
		case "advance", "job_title", "url":
			conditions = append(conditions, personCondition(w, key, f.personTexts(key)))
		default:
			f.wrong(key, "There is no such filter.")
		}
	}
	return companies, conditions, f.wrongs()
}

// personTexts reads a list of strings, or one string for url, whose type the specification leaves open.
func (f *filters) personTexts(key string) []string {
	if raw := f.values[key]; key == "url" && len(raw) > 0 && raw[0] == '"' {
		return []string{f.text(key)}
	}
	return f.texts(key)
}

// personCondition demands something of the person in a seat.
func personCondition(w world.World, key string, wanted []string) func(Seat) bool {
	return func(at Seat) bool {
		e, found := w.Employee(at.Company, at.Place)
		if !found {
			return false
		}
		return slices.ContainsFunc(wanted, func(text string) bool {
			switch key {
			case "job_title":
				return strings.Contains(strings.ToLower(e.Title()), strings.ToLower(text))
			case "url":
				return strings.EqualFold(e.Profile(), strings.TrimRight(text, "/"))
			}
			return text == "has_email" && e.HasEmail() || text == "has_phone" && e.HasPhone()
		})
	}
}
