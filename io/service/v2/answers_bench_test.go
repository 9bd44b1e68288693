package v2_test

import (
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox/world"
	"payonce/io/service/v2"
)

// BenchmarkAnswers does what a run does with the answer about each field of a company of the sandbox: it reads the body
// of the response, the values for the list, and the rows for the tables.
func BenchmarkAnswers(b *testing.B) {
	client := newClient(b, nil)
	var company string
	for c := range (world.World{}).Listed() {
		found, ok := client.Send(b.Context(), v2.CompanyByURLCall(c.Website())).(enrich.Answered)
		record, err := v2.Read(found, v2.Answer.Company)
		if !ok || err != nil {
			b.Fatal(found, err)
		}
		company = record.ID.Value
		if hasAll(b, client, company) {
			break
		}
	}
	for _, call := range callsAbout(company) {
		answered := client.Send(b.Context(), call).(enrich.Answered)
		answer, err := v2.DecodeAnswer(answered)
		if err != nil {
			b.Fatal(err)
		}
		field, _ := call.Operation.Field()
		name, at := v2.Catalogue().Name(field), time.Now()
		b.Run(name+"/read", func(b *testing.B) {
			b.SetBytes(int64(len(answer.Body)))
			for b.Loop() {
				if _, err := v2.ReadAnswer(call.Operation, answer.Body, at, v2.Reveal{}, v2.Modules{}, enrich.Company{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/values", func(b *testing.B) {
			var values enrich.Values
			for b.Loop() {
				if err := (v2.Decoder{}).Values(answered, &values); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/rows", func(b *testing.B) {
			for b.Loop() {
				if _, _, err := (v2.Tables{}).Rows(field, answered); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// callsAbout returns the calls for all fields of a company.
func callsAbout(id string) []v2.Call {
	return []v2.Call{v2.CompanyCall(id), v2.FinancialsCall(id, 0), v2.InsightsCall(id), v2.OwnershipCall(id)}
}

// hasAll reports whether the service has data for each field of a company.
func hasAll(b *testing.B, client *v2.Client, id string) bool {
	for _, call := range callsAbout(id) {
		if answered, ok := client.Send(b.Context(), call).(enrich.Answered); !ok || answered.Status != enrich.Matched {
			return false
		}
	}
	return true
}
