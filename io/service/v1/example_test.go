package v1_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

func ExampleClient_Find() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(r.Method, r.URL.Path, string(body))
		fmt.Fprint(w, `{"object": "enrichment_result", "status": "matched", "request_id": "req_1",
			"data": {"full_name": "Ada Lovelace", "work_email": "ada@example.com"}, "unresolved_fields": []}`)
	}))
	defer server.Close()

	client, err := v1.NewClient(v1.Config{BaseURL: server.URL + "/api/v1", Key: "sk_example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	lookup := enrich.Lookup{
		Identity: enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "example.com"},
		Fields:   enrich.FieldsOf(v1.WorkEmail),
	}
	switch verdict := client.Find(context.Background(), lookup).(type) {
	case enrich.Answered:
		if answer, err := v1.DecodeAnswer(verdict); err == nil {
			fmt.Println(answer.Status, answer.WorkEmail)
		}
	case enrich.Refused:
		fmt.Println("not charged:", verdict.Class, verdict.Code)
	case enrich.NotSent:
		fmt.Println("not charged:", verdict.Err)
	case enrich.Lost:
		fmt.Println("perhaps charged, do not send it again:", verdict.Err)
	}
	// Output:
	// POST /api/v1/contacts/find-work-email {"company_domain":"example.com","first_name":"Ada","last_name":"Lovelace"}
	// matched ada@example.com
}

// startSandbox starts the embedded service, whose people and money are made up.
func startSandbox() (baseURL string, stop func()) {
	box, err := sandbox.New(sandbox.DefaultConfig())
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(box.Handler())
	return server.URL + "/api/v1", func() {
		_ = box.Close()
		server.Close()
	}
}

// Over MCP the same code finds the same person, here with the profile.
func ExampleClient_Find_mcp() {
	baseURL, stop := startSandbox()
	defer stop()

	for _, transport := range []v1.Transport{v1.REST, v1.MCP} {
		client, err := v1.NewClient(v1.Config{
			BaseURL: baseURL, Key: sandbox.DefaultKey, Transport: transport, IncludeProfile: true,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		verdict := client.Find(context.Background(), enrich.Lookup{
			Identity: enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "example.com"},
			Fields:   enrich.FieldsOf(v1.WorkEmail),
		})
		if answered, ok := verdict.(enrich.Answered); ok {
			if answer, err := v1.DecodeAnswer(answered); err == nil {
				fmt.Println(answer.Status, answer.FullName, "with a profile:", answer.Profile != "")
			}
		}
		client.Close()
	}
	// Output:
	// matched Ada Lovelace with a profile: true
	// matched Ada Lovelace with a profile: true
}

func ExampleStatusClient_Status() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"key_valid": true, "free_allowance": {"work_emails_remaining": 20},
			"paid_balance": {"available_cents": 4900}, "usage_budget": null}`)
	}))
	defer server.Close()

	client, err := v1.NewStatusClient(v1.Config{BaseURL: server.URL + "/api/v1", Key: "sk_example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	account, err := client.Status(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("balance", account.Balance.Available.Value, "USD, capped:", account.Budget.Capped)
	fmt.Println("free emails", account.Free[v1.WorkEmail].Value)
	fmt.Println("free phones known:", account.Free[v1.BusinessPhone].Known)
	// Output:
	// balance 49.00 USD, capped: false
	// free emails 20
	// free phones known: false
}

// The rate card and the prices in force, without a lookup.
func ExampleStatusClient_OpenAPI() {
	baseURL, stop := startSandbox()
	defer stop()

	client, err := v1.NewStatusClient(v1.Config{BaseURL: baseURL, Key: sandbox.DefaultKey})
	if err != nil {
		fmt.Println(err)
		return
	}
	description, err := client.OpenAPI(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, option := range description.Card.Options {
		fmt.Println(option.Title, option.MonthlyIncluded, "a month, an email", option.Prices[v1.WorkEmail])
	}
	fmt.Println("now, a phone:", description.Operations[v1.FindPhone].Prices[v1.BusinessPhone])
	// Output:
	// Pay as you go 0.00 a month, an email 0.15
	// Core 49.00 a month, an email 0.15
	// Growth 149.00 a month, an email 0.12
	// Scale 399.00 a month, an email 0.09
	// now, a phone: 0.25
}

// Where the service uses other names than are assumed, they can be given, and looked
// for in what it publishes.
func ExampleDescription_Check() {
	baseURL, stop := startSandbox()
	defer stop()

	client, err := v1.NewStatusClient(v1.Config{BaseURL: baseURL, Key: sandbox.DefaultKey})
	if err != nil {
		fmt.Println(err)
		return
	}
	tools, err := client.Tools(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, assumed := range tools.Check(v1.Names{FirstName: "given_name"}) {
		if !assumed.Found {
			fmt.Println(assumed.Name, "is not in", assumed.Where)
		}
	}
	// Output:
	// given_name is not in the input of service_find_work_email
	// given_name is not in the input of service_find_phone
	// given_name is not in the input of service_enrich_contact
}

// Inspect says what the account status has and what it lacks.
func ExampleStatusClient_Inspect() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"key_valid": true, "usage_budget": null, "paid_balance": {"available_cents": 4900},
			"operations": {"contact_enrichment": {"input_condition": {"required": ["company_domain"]}}}}`)
	}))
	defer server.Close()

	client, err := v1.NewStatusClient(v1.Config{BaseURL: server.URL + "/api/v1", Key: "sk_example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	inspection, err := client.Inspect(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, member := range inspection.Members[:7] {
		fmt.Println(member.Found, member.Name)
	}
	fmt.Println(client.Accepts(enrich.Lookup{
		Identity: enrich.Identity{ProfileURL: "https://network.example/in/ada"},
		Fields:   v1.AllFields,
	}))
	// Output:
	// true key_valid
	// false free_allowance.work_emails_remaining
	// false free_allowance.business_phones_remaining
	// false free_allowance.work_emails_reserved
	// false free_allowance.business_phones_reserved
	// true paid_balance.available_cents
	// false paid_balance.included_cents
	// the account's condition on the input of enrich is not met: it does not fulfil required
}
