package v2

import (
	"fmt"
	"slices"

	"payonce/enrich"
)

// CompanyOf returns the company record of an answer, zero when nothing was found.
func CompanyOf(answered enrich.Answered) (Company, error) {
	return recordIn(answered, FieldCompany, decodeCompany)
}

// EmployeeOf returns the employee record of an answer, zero when nothing was found.
func EmployeeOf(answered enrich.Answered) (Employee, error) {
	return recordIn(answered, FieldContact, decodeEmployee)
}

// FinancialsOf returns the financial figures of an answer, zero when nothing was found.
func FinancialsOf(answered enrich.Answered) (Financials, error) {
	return recordIn(answered, FieldFinancials, decodeFinancials)
}

// InsightsOf returns the digital insights of an answer, zero when nothing was found.
func InsightsOf(answered enrich.Answered) (Insights, error) {
	return recordIn(answered, FieldInsights, decodeInsights)
}

// OwnershipOf returns the ownership record of an answer, zero when nothing was found.
func OwnershipOf(answered enrich.Answered) (Ownership, error) {
	return recordIn(answered, FieldOwnership, decodeOwnership)
}

// noted is a value that lists what is wrong with it.
type noted[T any] interface {
	*T
	Add(path, want string)
}

// recordIn reads the record of a field.
func recordIn[T any, P noted[T]](
	answered enrich.Answered, f enrich.Field, decode func([]byte) (T, error),
) (value T, err error) {
	a, err := DecodeAnswer(answered)
	if err != nil || len(a.Body) == 0 {
		return value, err
	}
	if of, isRecord := a.Operation.Field(); !isRecord || of != f {
		return value, fmt.Errorf("the answer to %s has no record of %s", a.Operation, Catalogue().Name(f))
	}
	return decodeBody[T, P](a, decode)
}

// decodeBody reads a body, and notes the members that were left out of it.
func decodeBody[T any, P noted[T]](a Answer, decode func([]byte) (T, error)) (T, error) {
	value, err := decode(a.Body)
	if err != nil && len(a.LeftOut) == 0 {
		return value, fmt.Errorf("an answer in the journal: %w", err)
	}
	for _, name := range a.LeftOut {
		P(&value).Add(name, "short enough to be kept")
	}
	return value, nil
}

// CompaniesOf returns the page of companies of an answer.
func CompaniesOf(answered enrich.Answered) (Page[CompanyItem], error) {
	return page(answered, decodeCompanies, OpProspecting, OpOverview)
}

// CandidatesOf returns the companies of an answer to a search for insights or ownership.
func CandidatesOf(answered enrich.Answered) (Page[CompanyItem], error) {
	return page(answered, decodeCandidates, OpInsightsSearch, OpOwnershipSearch)
}

// EmployeesOf returns the page of employees of an answer.
func EmployeesOf(answered enrich.Answered) (Page[EmployeeItem], error) {
	return page(answered, decodeEmployees, OpEmployees)
}

// PeopleOf returns the page of people of an answer.
func PeopleOf(answered enrich.Answered) (Page[Person], error) {
	return page(answered, decodePeople, OpEnrichEmployeeSearch)
}

// page reads the page of an answer to one of some operations.
func page[T any](
	answered enrich.Answered, decode func([]byte) (Page[T], error), of ...Operation,
) (Page[T], error) {
	a, err := DecodeAnswer(answered)
	if err != nil || len(a.Body) == 0 {
		return Page[T]{}, err
	}
	if !slices.Contains(of, a.Operation) {
		return Page[T]{}, fmt.Errorf("the answer to %s is no such page of results", a.Operation)
	}
	return decodeBody(a, decode)
}
