package v1

import (
	"payonce/enrich"
)

// The fields of the interface, in the order in which they are reported.
const (
	WorkEmail enrich.Field = iota
	BusinessPhone
)

// AllFields is the set of every field of the interface.
const AllFields enrich.Fields = 1<<WorkEmail | 1<<BusinessPhone

// Operation is one of the interface's three lookups.
type Operation uint8

// The lookups of the interface (specification v1, "Operation choice").
const (
	FindWorkEmail Operation = iota
	FindPhone
	EnrichContact
)

// Operations returns the lookups in the order in which they are reported.
func Operations() []Operation { return []Operation{FindWorkEmail, FindPhone, EnrichContact} }

// OperationOf returns the narrowest lookup that asks for exactly the fields of a set that is not empty.
func OperationOf(fields enrich.Fields) Operation {
	switch fields {
	case enrich.FieldsOf(WorkEmail):
		return FindWorkEmail
	case enrich.FieldsOf(BusinessPhone):
		return FindPhone
	default:
		return EnrichContact
	}
}

// String returns the operation's name as it stands in the service's paths.
func (o Operation) String() string {
	switch o {
	case FindWorkEmail:
		return "find-work-email"
	case FindPhone:
		return "find-phone"
	case EnrichContact:
		return "enrich"
	}
	return "unknown-operation"
}

// ResultName returns the operation's name as it stands in results and in the account
// status. The specification gives that of enrich; the others are assumptions.
func (o Operation) ResultName() string {
	switch o {
	case FindWorkEmail:
		return "work_email_lookup"
	case FindPhone:
		return "business_phone_lookup"
	case EnrichContact:
		return "contact_enrichment"
	}
	return "unknown_operation"
}

// Fields returns the fields that the operation asks for.
func (o Operation) Fields() enrich.Fields {
	switch o {
	case FindWorkEmail:
		return enrich.FieldsOf(WorkEmail)
	case FindPhone:
		return enrich.FieldsOf(BusinessPhone)
	case EnrichContact:
		return AllFields
	}
	return 0
}

// Catalogue returns the catalogue of the interface.
func Catalogue() enrich.Catalogue {
	operations := map[enrich.Fields]string{}
	for _, o := range Operations() {
		operations[o.Fields()] = o.String()
	}
	return enrich.Catalogue{
		Interface: "v1",
		Fields: []enrich.Description{
			WorkEmail:     {Name: "work_email", Word: "email", Role: "email"},
			BusinessPhone: {Name: "business_phone", Word: "phone", Role: "phone"},
		},
		Details: []enrich.Detail{
			{Name: "full_name", Says: enrich.PartFullName},
			{Name: "phone_type", Of: enrich.FieldsOf(BusinessPhone)},
			{Name: "profile", Optional: true},
		},
		Operations: operations,
	}
}
