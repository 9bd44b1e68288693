package v2

import (
	"fmt"
	"slices"

	"payonce/enrich"
)

// Read decodes an answer and reads it, such as Read(answered, Answer.Company).
func Read[T any](answered enrich.Answered, read func(Answer) (T, error)) (value T, err error) {
	a, err := DecodeAnswer(answered)
	if err != nil {
		return value, err
	}
	return read(a)
}

// Company returns the company record, zero when nothing was found.
func (a Answer) Company() (Company, error) { return recordIn(a, FieldCompany, decodeCompany) }

// Employee returns the employee record, zero when nothing was found.
func (a Answer) Employee() (Employee, error) { return recordIn(a, FieldContact, decodeEmployee) }

// Financials returns the financial figures, zero when nothing was found.
func (a Answer) Financials() (Financials, error) {
	return recordIn(a, FieldFinancials, decodeFinancials)
}

// Insights returns the digital insights, zero when nothing was found.
func (a Answer) Insights() (Insights, error) { return recordIn(a, FieldInsights, decodeInsights) }

// Ownership returns the ownership record, zero when nothing was found.
func (a Answer) Ownership() (Ownership, error) { return recordIn(a, FieldOwnership, decodeOwnership) }

// Companies returns the page of companies.
func (a Answer) Companies() (Page[CompanyItem], error) {
	return page(a, decodeCompanies, OpProspecting, OpOverview)
}

// Candidates returns the companies that a search for insights or ownership found.
func (a Answer) Candidates() (Page[CompanyItem], error) {
	return page(a, decodeCandidates, OpInsightsSearch, OpOwnershipSearch)
}

// Employees returns the page of employees.
func (a Answer) Employees() (Page[EmployeeItem], error) { return page(a, decodeEmployees, OpEmployees) }

// People returns the page of people.
func (a Answer) People() (Page[Person], error) {
	return page(a, decodePeople, OpEnrichEmployeeSearch)
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
		return Page[T]{}, fmt.Errorf("the answer to %s is not such a page of results", a.Operation)
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
