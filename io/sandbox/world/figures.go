package world

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
)

//go:embed figures.txt
var figureNames string

// FigureNames returns the names of all figures that are numbers, as the specification lists them.
func FigureNames() []string { return strings.Fields(figureNames) }

const lastYear = 2025

// Years returns the years whose figures are known, oldest first.
func (c Company) Years() []int {
	if !c.HasFinancials() {
		return nil
	}
	last := lastYear
	if c.Status() == Dissolved {
		last = max(c.Founded().Year(), lastYear-2-int(c.draw(ofYears, 1)%5))
	}
	first := max(c.Founded().Year(), last-int(c.draw(ofYears)%6))
	years := make([]int, 0, 6)
	for year := first; year <= last; year++ {
		years = append(years, year)
	}
	return years
}

// Results are the figures of a year from which others follow.
type Results struct {
	Employees                                             int
	Turnover, CostOfSales, EBITDA, Profit                 float64
	Assets, Liabilities, Exports, DirectorsPay, NetMargin float64
}

// cents rounds an amount.
func cents(amount float64) float64 { return math.Round(amount*100) / 100 }

// Results returns the results of a year.
func (c Company) Results(year int) Results {
	y := uint64(year)
	grown := math.Pow(0.95+0.15*c.share(ofTurnover, 1), float64(year-lastYear)) * (0.9 + 0.2*c.share(ofTurnover, y))
	turnover := cents(float64(c.Employees()) * (60_000 + 200_000*c.share(ofTurnover)) * grown)
	margin := -0.05 + 0.3*c.share(ofMargin, y)
	return Results{
		Employees:    max(1, int(float64(c.Employees())*grown)),
		Turnover:     turnover,
		CostOfSales:  cents(turnover * (0.4 + 0.3*c.share(ofMargin))),
		EBITDA:       cents(turnover * (margin + 0.05)),
		Profit:       cents(turnover * margin),
		NetMargin:    math.Round(margin*1e4) / 1e4,
		Assets:       cents(turnover * (0.4 + c.share(ofBalance, y))),
		Liabilities:  cents(turnover * (0.2 + 0.2*c.share(ofBalance, y, 1))),
		Exports:      cents(turnover * 0.5 * max(0, c.share(ofExports)-0.3)),
		DirectorsPay: cents(turnover * 0.02 * c.share(ofDirectors)),
	}
}

// Change returns by how many percent a figure grew, rounded.
func Change(before, after float64) float64 {
	if before == 0 {
		return 0
	}
	return math.Round((after-before)/math.Abs(before)*1e4) / 100
}

// Figures returns the figures of a year by their names.
func (c Company) Figures(year int) map[string]any {
	r, before := c.Results(year), c.Results(year-1)
	figures := map[string]any{
		"Reported-Date": fmt.Sprintf("%d-12-31", year), "Currency": c.Country().Currency,
		"Company-Accounts-Status": pickBy(c.draw(ofFigure, 1), "Full", "Small", "Group"),
		"Consolidated-Accounts":   pickBy(c.draw(ofFigure, 2), "Yes", "No"),
		"Accounting-From-Date":    year*10_000 + 101, "Employee-Numbers": r.Employees,
	}
	if c.draw(ofFigure, 3)%4 == 0 {
		figures["Share-of-Profit-in-Associates-or-Joint-Ventures"] = fmt.Sprintf("%.2f", r.Profit/10)
	}
	for i, name := range FigureNames() {
		if c.reports(i, name) {
			figures[name] = c.otherFigure(i, name, year, r.Turnover)
		}
	}
	for name, value := range map[string]float64{
		"Turnover": r.Turnover, "Cost-of-Sales": r.CostOfSales, "Gross-Profit": cents(r.Turnover - r.CostOfSales),
		"EBITDA": r.EBITDA, "Profit-after-Tax": r.Profit, "Total-Assets": r.Assets, "Total-Liabilities": r.Liabilities,
		"Net-Worth": cents(r.Assets - r.Liabilities), "Net-Margin": r.NetMargin, "Directors-Remuneration": r.DirectorsPay,
		"Turnover-Yoy": Change(before.Turnover, r.Turnover), "EBITDA-Yoy": Change(before.EBITDA, r.EBITDA),
		"Profit-after-Tax-Yoy":  Change(before.Profit, r.Profit),
		"Total-Liabilities-Yoy": Change(before.Liabilities, r.Liabilities), "Exports-Yoy": Change(before.Exports, r.Exports),
		"Employee-Numbers-Yoy": Change(float64(before.Employees), float64(r.Employees)),
		"Revenue-Per-Employee": cents(r.Turnover / float64(r.Employees)), "Reporting-period": 12,
	} {
		figures[name] = value
	}
	return figures
}

// insuranceWords and bankWords mark figures that only companies of these industries report.
var (
	insuranceWords = []string{"nsurance", "Premium", "Policyholders", "Technical-", "Reinsur"}
	bankWords      = []string{"Bank", "banks", "Customer-Accounts", "Loans-and-Advances", "Debt-Securities", "Treasury", "Fees-and-Commission"}
)

func mentions(name string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// reports reports whether the company publishes a figure. Large companies publish more.
func (c Company) reports(figure int, name string) bool {
	switch percent := c.draw(ofFigure, 10, uint64(figure)) % 100; {
	case mentions(name, insuranceWords):
		return c.Industry() == insurance && percent < 90
	case mentions(name, bankWords):
		return c.Industry() == banking && percent < 90
	case c.Employees() < 50:
		return percent < 25
	default:
		return percent < 70
	}
}

// otherFigure returns a figure that does not follow from the results.
func (c Company) otherFigure(figure int, name string, year int, turnover float64) float64 {
	share := c.share(ofFigure, 20, uint64(figure), uint64(year))
	switch {
	case mentions(name, []string{"Ratio", "Margin", "Return-On", "Gearing", "-To-", "Yoy"}):
		return math.Round((share*2-0.3)*1e4) / 1e4
	case mentions(name, []string{"Days-", "Cycle"}):
		return math.Round(share * 120)
	case mentions(name, []string{"Increase", "Change", "Net-Cash", "change"}):
		return cents(turnover * 0.1 * (share - 0.5))
	}
	return cents(turnover * 0.2 * share * share)
}

func pickBy(drawn uint64, choices ...string) string { return choices[drawn%uint64(len(choices))] }
