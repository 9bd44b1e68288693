package v2

import (
	"slices"
	"strings"
	"sync"

	"payonce/enrich"
)

// Figures returns the figures of a financial year, in the order of the columns of a table
// (specification v2, "Financial figures").
func Figures() []enrich.TableColumn { return slices.Clone(figures().columns) }

// figureTable has the figures.
type figureTable struct {
	columns []enrich.TableColumn
	places  map[string]int // by their names
	unknown []enrich.Cell  // of a year without any
}

// figures returns the figures, always the same table.
var figures = sync.OnceValue(func() *figureTable {
	t := &figureTable{columns: figureColumns(), places: map[string]int{}}
	for i, column := range t.columns {
		t.places[column.Name] = i
		t.unknown = append(t.unknown, enrich.Cell{Kind: column.Kind})
	}
	return t
})

func figureColumns() []enrich.TableColumn {
	all := []enrich.TableColumn{
		{Name: "Reported-Date", Kind: enrich.DateCell},
		{Name: "Currency", Kind: enrich.TextCell},
		{Name: "Company-Accounts-Status", Kind: enrich.TextCell},
		{Name: "Consolidated-Accounts", Kind: enrich.TextCell},
		{Name: "Share-of-Profit-in-Associates-or-Joint-Ventures", Kind: enrich.TextCell},
		{Name: "Accounting-From-Date", Kind: enrich.IntegerCell},
		{Name: "Employee-Numbers", Kind: enrich.IntegerCell},
	}
	for _, name := range strings.Fields(numberFigures) {
		all = append(all, enrich.TableColumn{Name: name, Kind: enrich.NumberCell})
	}
	return all
}

// numberFigures are the figures that are numbers, in the order of their names.
const numberFigures = `
	Accrued-interest-and-rent All-Other-Income Amortisation-of-Intangibles
	Amounts-owed-to-credit-institutions Amounts-owed-to-group-undertakings Assets-Held-for-Resale
	Audit-Fees Auditor-Fees Available-for-sale-financial-assets Bank-Loan Bank-Overdraft
	Bank-Overdraft-And-LTL Borrowings Borrowings-due-after-one-year Borrowings-due-within-one-year
	Capital-Employed Cash Cash-and-balances-at-central-banks Cash-Conversion-Cycle
	Cash-To-Current-Liabilities-Ratio Cash-To-Total-Assets Cash-To-Turnover
	Cashflow-from-Returns-on-Investments Cashflow-from-ROI CFO-To-Sales-Ratio Contingent-Liability
	Cost-of-Sales Current-Financial-Liabilities Current-Grants Current-Hire-Purchase-Commitments
	Current-Liabilities-held-for-resale Current-Ratio Current-Tax-Recoverable Customer-accounts
	Customer-Accounts-due-after-1-year Customer-Accounts-due-within-1-year Days-Inventory-Outstanding
	Days-Payable-Outstanding Days-Sales-Outstanding Debt-Securities-Due-after-1-year
	Debt-Securities-Due-within-1-year Debt-Securities-in-Issue
	Debt-Securities-in-issue-due-after-1-year Debt-Securities-in-issue-due-within-1-year
	Debt-To-Capital Debtors-arising-out-of-group-undertakings
	Debtors-arising-out-of-insurance-operations Deferred-Acquisition-Costs Deposits-by-banks
	Deposits-by-banks-due-after-1-year Deposits-by-banks-due-within-1-year
	Deposits-received-from-reinsurers Depreciation-of-Tangibles Derivative-financial-instruments
	Derivatives Derivatives-Due-after-1-year Derivatives-Due-within-1-year Direct-insurance-operations
	Directors-Remuneration Dividends-Payable EBITDA EBITDA-Margin EBITDA-Yoy Employee-Numbers-Yoy
	Employee-Remuneration Equity-Paid-Up Equity-Shares Exports-Yoy Fees-and-Commission-Expense Finance
	Finance-Costs Financial-Assets-Current Financial-Assets-Due-after-1-year
	Financial-Assets-Due-within-1-year Financial-Investments-after-12-months
	Financial-Investments-within-12-months Financial-Liabilities Financial-Liabilities-due-after-1-year
	Financial-Liabilities-due-within-1-year Finished-Goods Gearing-Gross-Debt-Basis
	Gearing-Liability-Basis Gearing-Net-Debt-Basis Goodwill Gross-Margin Gross-Profit
	Gross-Written-Premiums Group-Accounts-Payable Hire-Purchase-Commitments Human-Capital-Value-Added
	Increase-In-Cash Insurance-debtors-and-assets
	Insurance-debtors-And-assets-to-be-settled-after-12-months
	Insurance-debtors-And-assets-to-be-settled-within-12-months
	Insurance-Liabilities-to-be-settled-after-12-months
	Insurance-Liabilities-to-be-settled-within-12-months Intangible-Assets Interest-and-Similar-Expense
	Interest-and-Similar-Income Interest-Bearing-Loans Interest-Coverage-Ratio Interest-Payable
	Interest-Receivable Inventory-Turnover-Ratio Investment-And-Other Investment-Expenses-and-Charges
	Investment-Income Investment-Liabilities Investment-Liabilities-to-be-settled-after-12-months
	Investment-Liabilities-to-be-settled-within-12-months Investments Investments-in-Group-Undertakings
	Items-in-the-course-of-collection-from-other-banks
	Items-in-the-course-of-transmission-to-other-banks Land-And-Buildings Lease-Commitments
	Less-Income-Tax-Attributable-to-Policyholders-Returns Liabilities-held-for-sale Liquidity-Ratio
	Loans-after-12-months Loans-and-advances-to-banks Loans-and-Advances-to-Banks-Due-after-1-year
	Loans-and-Advances-to-Banks-Due-within-1-year Loans-and-advances-to-customers
	Loans-and-Advances-to-Customers-Due-after-1-year Loans-and-Advances-to-Customers-Due-within-1-year
	Loans-And-Deposits-with-Credit-Institutions Loans-within-12-months
	Long-Term-Hire-Purchase-Commitments Long-Term-Lease-Commitments Miscellaneous-Current-Assets
	Miscellaneous-Current-Liabilities Miscellaneous-Liabilities Net-Assets
	Net-Cash-Flow-before-Financing Net-Cash-Flow-from-Financing Net-Cash-Flow-from-Operations
	Net-Cashflow-before-Financing Net-Change-In-Cash Net-change-in-provision-for-unearned-premiums
	Net-Debt-To-EBITDA-Ratio Net-Fees-and-Commission-Income Net-Interest-Income Net-Margin
	Net-Operating-Expenses Net-Premiums-Earned Net-Tax-Paid Net-trading-Income Net-Worth
	Non-Current-Directors-Loans Non-Current-Financial-Liabilities Non-Current-Grants
	Non-Current-Group-Accounts-Payable Non-Current-Group-Loans Non-Current-Liabilities-held-for-resale
	Non-Current-Other-Payables Non-Current-Trade-Payables Operating-Expenses Operating-Profit
	Operating-Profit-Margin Other-Assets-due-after-1-year Other-Assets-due-within-1-year
	Other-Audit-Costs Other-creditors Other-Current-Financial-Liabilities Other-debtors
	Other-Investments Other-Investments-after-12-months Other-Investments-within-12-months
	Other-Liabilities-due-after-1-year Other-Liabilities-due-within-1-year Other-Long-Term-Financing
	Other-Non-Current-Assets Other-Non-Current-Financial-Liabilities Other-Non-Insurance-Liabilities
	Other-Operating-Income Other-Payables Other-prepayments-and-accrued-income
	Other-Short-Term-Financing Other-Short-Term-Loans Other-Technical-Income
	Outward-reinsurance-premiums P-And-L-Account-Reserve Pension-Liabilities Pensions
	Plant-And-Equipment Pre-Tax-Profit Pretax-Profit-Margin Profit-after-Tax Profit-after-Tax-Yoy
	Profit-Before-Tax-attributable-to-shareholders Profit-from-Continuing-Operations-After-Tax Property
	Provisions-And-Charges Provisions-for-other-risks-and-charges Raw-Materials
	Reinsurance-debtors-and-assets Reinsurance-debtors-And-assets-to-be-settled-after-12-months
	Reinsurance-debtors-And-assets-to-be-settled-within-12-months Reinsurance-Liabilities
	Reinsurance-Liabilities-to-be-settled-after-12-months
	Reinsurance-Liabilities-to-be-settled-within-12-months Reinsurance-operations
	Reinsurers-Share-of-Technical-Provisions Reporting-period Retained-Profit Return-On-Assets
	Return-On-Capital-Employed Return-On-Equity Revaluation-Reserve Revenue-Per-Employee Share-Capital
	Share-Premium Share-Premium-Account Shareholder-Funds Shares-and-other-Variable-Yield-Securities
	Stocks-And-Work-in-Progress Subordinated-Borrowings Subordinated-Liabilities
	Subordinated-Liabilities-due-after-1-year Subordinated-Liabilities-due-within-1-year
	Sundry-Reserves Tangible-Assets Tax-Attributable-to-Policyholders-Returns
	Tax-Attributable-to-Shareholders-Profits Tax-Expense Taxation Technical-Provisions Total-Assets
	Total-Capital-And-Reserves Total-Current-Assets Total-Current-Liabilities Total-Equity-And-Reserves
	Total-Fixed-Assets Total-Liabilities Total-Liabilities-Yoy Total-Long-Term-HP-And-Lease-Commitments
	Total-Long-Term-Liabilities Total-Long-Term-Loans Total-Non-Current-Assets
	Total-Non-Current-HP-And-Lease-Commitments Total-Non-Current-Liabilities Total-Operating-Income
	Total-Other-Creditors Total-Other-Long-Term-Liabilities Trade-And-Other-Payables
	Trade-And-Other-Receivables Trade-Creditors Trade-Creditors-or-Trade-Payables Trade-Debtors
	Trading-Assets Trading-Liabilities Treasury-bills-and-other-eligible-bills Turnover Turnover-Yoy
	Wages-And-Salaries Work-in-Progress Working-Capital World-Turnover
`
