package v2

import (
	"encoding/json"
	"slices"
	"testing"
)

// TestParametersOfOperationsAreThoseThatCallsSend compares the parameters of operations with the members of the bodies
// and the queries that calls send.
func TestParametersOfOperationsAreThoseThatCallsSend(t *testing.T) {
	reveal := RevealEverything()
	tried := map[Operation]bool{}
	for _, call := range []Call{
		ProspectingCall(CompanyFilters{URL: "x"}, Paging{1, 2}), EmployeesCall(EmployeeFilters{URL: "x"}, Paging{1, 2}),
		OverviewCall(CompanySearch{"a", "b", "c", "d", "e", "f", "g", "h", "i", []int64{1}, "j", Paging{1, 2}}),
		CompanyCall("1"), EmployeeCall("1"), InsightsCall("1"), OwnershipCall("1"), FinancialsCall("1", 2024), WatchStartCall("1", []string{"name"}),
		CompanyByURLCall("x"), CompanyByProfileCall("x"), CompanyByNumberCall(CompanyNumbers{"US", "1", "2", "CA"}),
		AutocompleteCall(PartialCompany{"a", "b", "c", "d", "e", "f", "g"}), ContactByEmailCall("x", true), ContactByProfileCall("x", reveal),
		ContactCall(PartialContact{"a", "b", "c", "d", "e", "f"}, reveal), InsightsSearchCall(NamedCompany{"a", "b"}), OwnershipSearchCall(NamedCompany{"a", "b"}),
		PeopleCall(PeopleSearch{[]string{"a"}, []string{"b"}, []string{"c"}, []string{"owner"}, Paging{1, 2}}),
	} {
		tried[call.Operation] = true
		members := map[string]json.RawMessage{}
		if len(call.Body) > 0 {
			if err := json.Unmarshal(call.Body, &members); err != nil {
				t.Fatal(err)
			}
		}
		var sent []string
		for name := range members {
			sent = append(sent, name)
		}
		for name := range call.Query {
			sent = append(sent, name)
		}
		if call.Operation.NeedsID() {
			sent = append(sent, "id")
		}
		want := slices.Sorted(slices.Values(parameters(call.Operation)))
		if slices.Sort(sent); !slices.Equal(sent, want) {
			t.Errorf("%s sends %q and takes %q", call.Operation, sent, want)
		}
		for _, name := range append(sent, "fields") {
			if !call.Takes(name) {
				t.Errorf("%s does not take %s", call.Operation, name)
			}
		}
		for _, name := range []string{"errors", "error", "message", "messages", "detail", "warnings", "status", "", "Name", "non_field_errors"} {
			if call.Takes(name) {
				t.Errorf("%s takes %q", call.Operation, name)
			}
		}
	}
	for _, o := range Operations() {
		if o.Paid() != tried[o] {
			t.Errorf("%s is tried: %t", o, tried[o])
		}
	}
	if filtered := ProspectingCall(CompanyFilters{}, Paging{}); !filtered.Takes("nace") || !filtered.Takes("company_status") || filtered.Takes("full_name") {
		t.Error("a search does not take its own filters alone")
	}
}

// TestMentionsFindsRequestValuesInATextOfTheService looks for values of requests in texts.
func TestMentionsFindsRequestValuesInATextOfTheService(t *testing.T) {
	for _, test := range []struct {
		call Call
		text string
		want bool
	}{
		{ContactByEmailCall("ada@acme.example", true), "mail to <ADA@acme.example> failed", true},
		{ContactByEmailCall("ada@acme.example", true), "upstream request timeout", false},
		{CompanyCall("4711"), "/v2/companies/4711 does not exist", true},
		{CompanyCall("1"), "1 of 2 servers failed", false},
		{FinancialsCall("4711", 2024), "no figures for 2024", true},
		{ProspectingCall(CompanyFilters{WebsiteKeywords: []string{"valves"}}, Paging{}), "nothing about Valves", true},
		{EmployeesCall(EmployeeFilters{FullName: "Ada Lovelace", CompanyID: "4711"}, Paging{}), "no ada lovelace here", true},
		{EmployeesCall(EmployeeFilters{CompanyID: "4711"}, Paging{}), "company 4711 has none", true},
		{ContactCall(PartialContact{FirstName: "Ada", LastName: "Lovelace"}, Reveal{}), "Lovelace?", true},
		{ContactCall(PartialContact{FirstName: "Ada"}, Reveal{}), "true", false},
	} {
		if got := test.call.Mentions(test.text); got != test.want {
			t.Errorf("%s %s: %q: %t", test.call.Operation, test.call.Body, test.text, got)
		}
	}
}
