package service_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"payonce/enrich"
	"payonce/service"
)

func ExampleClient_Find() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(r.Method, r.URL.Path, string(body))
		fmt.Fprint(w, `{"object": "enrichment_result", "status": "matched", "request_id": "req_1",
			"data": {"full_name": "Ada Lovelace", "work_email": "ada@example.com"}, "unresolved_fields": []}`)
	}))
	defer server.Close()

	client, err := service.NewClient(service.Config{BaseURL: server.URL + "/api/v1", Key: "sk_example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	lookup := enrich.Lookup{
		Identity: enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "example.com"},
		Fields:   enrich.FieldsOf(enrich.WorkEmail),
	}
	switch verdict := client.Find(context.Background(), lookup).(type) {
	case enrich.Answered:
		fmt.Println(verdict.Answer.Status, verdict.Answer.WorkEmail)
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

func ExampleStatusClient_Status() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"key_valid": true, "free_allowance": {"work_emails_remaining": 20},
			"paid_balance": {"available_cents": 4900}, "usage_budget": null}`)
	}))
	defer server.Close()

	client, err := service.NewStatusClient(service.Config{BaseURL: server.URL + "/api/v1", Key: "sk_example"})
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
	fmt.Println("free emails", account.Free[enrich.WorkEmail].Value)
	fmt.Println("free phones known:", account.Free[enrich.BusinessPhone].Known)
	// Output:
	// balance 49.00 USD, capped: false
	// free emails 20
	// free phones known: false
}
