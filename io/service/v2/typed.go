package v2

import (
	"fmt"
	"slices"

	"payonce/enrich"
)

// CompanyOf returns the company record of an answer, zero when nothing was found.
func CompanyOf(answered enrich.Answered) (Company, error) { return decoded(answered, Answer.company) }

// EmployeeOf returns the employee record of an answer, zero when nothing was found.
func EmployeeOf(answered enrich.Answered) (Employee, error) {
	return decoded(answered, Answer.Employee)
}

// FinancialsOf returns the financial figures of an answer, zero when nothing was found.
func FinancialsOf(answered enrich.Answered) (Financials, error) {
	return decoded(answered, Answer.financials)
}

// InsightsOf returns the digital insights of an answer, zero when nothing was found.
func InsightsOf(answered enrich.Answered) (Insights, error) {
	return decoded(answered, Answer.insights)
}

// OwnershipOf returns the ownership record of an answer, zero when nothing was found.
func OwnershipOf(answered enrich.Answered) (Ownership, error) {
	return decoded(answered, Answer.ownership)
}

// CompaniesOf returns the page of companies of an answer.
func CompaniesOf(answered enrich.Answered) (Page[CompanyItem], error) {
	return decoded(answered, Answer.companies)
}

// CandidatesOf returns the companies of an answer to a search for insights or ownership.
func CandidatesOf(answered enrich.Answered) (Page[CompanyItem], error) {
	return decoded(answered, Answer.candidates)
}

// EmployeesOf returns the page of employees of an answer.
func EmployeesOf(answered enrich.Answered) (Page[EmployeeItem], error) {
	return decoded(answered, func(a Answer) (Page[EmployeeItem], error) { return page(a, decodeEmployees, OpEmployees) })
}

// PeopleOf returns the page of people of an answer.
func PeopleOf(answered enrich.Answered) (Page[Person], error) {
	return decoded(answered, func(a Answer) (Page[Person], error) { return page(a, decodePeople, OpEnrichEmployeeSearch) })
}

// decoded decodes an answer and reads it.
func decoded[T any](answered enrich.Answered, read func(Answer) (T, error)) (value T, err error) {
	a, err := DecodeAnswer(answered)
	if err != nil {
		return value, err
	}
	return read(a)
}

func (a Answer) company() (Company, error) { return recordIn(a, FieldCompany, decodeCompany) }

// Employee returns the employee record, zero when nothing was found.
func (a Answer) Employee() (Employee, error) { return recordIn(a, FieldContact, decodeEmployee) }

func (a Answer) financials() (Financials, error) {
	return recordIn(a, FieldFinancials, decodeFinancials)
}

func (a Answer) insights() (Insights, error) { return recordIn(a, FieldInsights, decodeInsights) }

func (a Answer) ownership() (Ownership, error) { return recordIn(a, FieldOwnership, decodeOwnership) }

func (a Answer) companies() (Page[CompanyItem], error) {
	return page(a, decodeCompanies, OpProspecting, OpOverview)
}

func (a Answer) candidates() (Page[CompanyItem], error) {
	return page(a, decodeCandidates, OpInsightsSearch, OpOwnershipSearch)
}

// noted is a value that lists what is wrong with it.
type noted[T any] interface {
	*T
	Add(path, want string)
}

// recordIn reads the record of a field.
func recordIn[T any, P noted[T]](a Answer, f enrich.Field, decode func([]byte) (T, error)) (value T, err error) {
	if len(a.Body) == 0 {
		return value, nil
	}
	if of, isRecord := a.Operation.Field(); !isRecord || of != f {
		return value, fmt.Errorf("the answer to %s has no record of %s", a.Operation, Catalogue().Name(f))
	}
	return decodeBody[T, P](a, decode)
}

// page reads the page of an answer to one of some operations.
func page[T any](a Answer, decode func([]byte) (Page[T], error), of ...Operation) (Page[T], error) {
	if len(a.Body) == 0 {
		return Page[T]{}, nil
	}
	if !slices.Contains(of, a.Operation) {
		return Page[T]{}, fmt.Errorf("the answer to %s is no such page of results", a.Operation)
	}
	return decodeBody(a, decode)
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
