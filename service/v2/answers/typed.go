package answers

import (
	"fmt"
	"slices"

	"payonce/enrich"
	"payonce/service/v2/records"
	"payonce/service/v2/v2fields"
)

// Company returns the company record of an answer, zero when nothing was found.
func Company(answered enrich.Answered) (records.Company, error) {
	return record(answered, v2fields.Company, records.DecodeCompany)
}

// Employee returns the employee record of an answer, zero when nothing was found.
func Employee(answered enrich.Answered) (records.Employee, error) {
	return record(answered, v2fields.Contact, records.DecodeEmployee)
}

// Financials returns the financial figures of an answer, zero when nothing was found.
func Financials(answered enrich.Answered) (records.Financials, error) {
	return record(answered, v2fields.Financials, records.DecodeFinancials)
}

// Insights returns the digital insights of an answer, zero when nothing was found.
func Insights(answered enrich.Answered) (records.Insights, error) {
	return record(answered, v2fields.Insights, records.DecodeInsights)
}

// Ownership returns the ownership record of an answer, zero when nothing was found.
func Ownership(answered enrich.Answered) (records.Ownership, error) {
	return record(answered, v2fields.Ownership, records.DecodeOwnership)
}

// noted is a value that lists what is wrong with it.
type noted[T any] interface {
	*T
	Add(path, want string)
}

// record reads the record of a field.
func record[T any, P noted[T]](
	answered enrich.Answered, f enrich.Field, decode func([]byte) (T, error),
) (value T, err error) {
	a, err := Decode(answered)
	if err != nil || len(a.Body) == 0 {
		return value, err
	}
	if of, isRecord := a.Operation.Field(); !isRecord || of != f {
		return value, fmt.Errorf("the answer to %s has no record of %s", a.Operation, v2fields.Catalogue().Name(f))
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

// Companies returns the page of companies of an answer.
func Companies(answered enrich.Answered) (records.Page[records.CompanyItem], error) {
	return page(answered, records.DecodeCompanies, v2fields.Prospecting, v2fields.Overview)
}

// Candidates returns the companies of an answer to a search for insights or ownership.
func Candidates(answered enrich.Answered) (records.Page[records.CompanyItem], error) {
	return page(answered, records.DecodeCandidates, v2fields.InsightsSearch, v2fields.OwnershipSearch)
}

// Employees returns the page of employees of an answer.
func Employees(answered enrich.Answered) (records.Page[records.EmployeeItem], error) {
	return page(answered, records.DecodeEmployees, v2fields.Employees)
}

// People returns the page of people of an answer.
func People(answered enrich.Answered) (records.Page[records.Person], error) {
	return page(answered, records.DecodePeople, v2fields.EnrichEmployeeSearch)
}

// page reads the page of an answer to one of some operations.
func page[T any](
	answered enrich.Answered, decode func([]byte) (records.Page[T], error), of ...v2fields.Operation,
) (records.Page[T], error) {
	a, err := Decode(answered)
	if err != nil || len(a.Body) == 0 {
		return records.Page[T]{}, err
	}
	if !slices.Contains(of, a.Operation) {
		return records.Page[T]{}, fmt.Errorf("the answer to %s is no such page of results", a.Operation)
	}
	return decodeBody(a, decode)
}
