package v1_test

import (
	"testing"
	"time"

	"payonce/enrich"
	"payonce/io/service/v1"
)

// BenchmarkDecodeAnswer reads the answer of a person with an email and a phone.
func BenchmarkDecodeAnswer(b *testing.B) {
	answered := v1.EncodeAnswer(v1.Answer{
		Status: enrich.Matched, Operation: "contact_enrichment", FullName: "Ann Lee", WorkEmail: "ann@acme.example",
		BusinessPhone: "+15550100", PhoneType: "direct", RetrievedAt: time.Unix(1_800_000_000, 0), Provenance: "provider-a",
	})
	b.Run("one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := v1.DecodeAnswer(answered); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("many", func(b *testing.B) {
		var answers v1.AnswerDecoder
		b.ReportAllocs()
		for b.Loop() {
			if _, err := answers.Decode(answered); err != nil {
				b.Fatal(err)
			}
		}
	})
}
