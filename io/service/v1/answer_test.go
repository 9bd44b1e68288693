package v1_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/io/service/v1"
)

// TestAnAnswerDecoderMixesNoAnswers decodes answers of which each has members that the one before
// lacks, in many goroutines, and an answer between them that cannot be read.
func TestAnAnswerDecoderMixesNoAnswers(t *testing.T) {
	var answers v1.AnswerDecoder
	t.Run("together", func(t *testing.T) {
		for n := range 8 {
			want := v1.Answer{Status: enrich.Matched, FullName: fmt.Sprint("person ", n), RequestID: fmt.Sprint(n)}
			if n%2 == 0 {
				want.WorkEmail, want.Unresolved = fmt.Sprintf("p%d@b.example", n), []string{"title"}
			} else {
				want.BusinessPhone = fmt.Sprint("+1555010", n)
			}
			answered := v1.EncodeAnswer(want)
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				for range 100 {
					if _, err := answers.Decode(enrich.Answered{Data: "\xff"}); err == nil {
						t.Fatal("what is no answer was read")
					}
					got, err := answers.Decode(answered)
					if diff := cmp.Diff(want, got); diff != "" || err != nil {
						t.Fatalf("error %v, answer (-want +got):\n%s", err, diff)
					}
				}
			})
		}
	})
}

func TestReturnedListsTheFieldsOfAnAnswer(t *testing.T) {
	tests := []struct {
		answer v1.Answer
		want   enrich.Fields
	}{
		{v1.Answer{FullName: "Jane Doe"}, 0},
		{v1.Answer{WorkEmail: "jane@acme.example"}, enrich.FieldsOf(v1.WorkEmail)},
		{v1.Answer{BusinessPhone: "+1 202 555 0100"}, enrich.FieldsOf(v1.BusinessPhone)},
		{v1.Answer{WorkEmail: "jane@acme.example", BusinessPhone: "+1 202 555 0100"}, v1.AllFields},
	}
	for _, tt := range tests {
		if got := tt.answer.Returned(); got != tt.want {
			t.Errorf("%+v returned %q, want %q", tt.answer, got, tt.want)
		}
	}
}

// TestAProfileLosesAnotherPerson takes somebody out of the profile of another person.
func TestAProfileLosesAnotherPerson(t *testing.T) {
	was := v1.Answer{
		Status: enrich.Matched, FullName: "Bob Ray", WorkEmail: "bob@x.example",
		Profile: `{"full_name":"Bob Ray","note":"x","manager":{"name":"Ann Lee"},"peers":[{"name":"Cy Lee"}]}`,
	}
	answered := v1.EncodeAnswer(was)
	parts, err := new(v1.AnswerDecoder).Parts(answered)
	if err != nil {
		t.Fatal(err)
	}
	drop := map[int]bool{}
	for i, part := range parts {
		if part.Path == "full_name" {
			t.Error("the person's own name is a part")
		}
		if part.Path == "manager" {
			drop[i] = true
		}
	}
	rest := answered
	if rest.Data, err = v1.WithoutParts(answered, drop); err != nil || len(drop) != 1 {
		t.Fatalf("%+v, error %v", parts, err)
	}
	want := was
	want.Profile = `{"full_name":"Bob Ray","note":"x","manager":null,"peers":[{"name":"Cy Lee"}]}`
	got, err := v1.DecodeAnswer(rest)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("the answer (-want +got):\n%s error %v", diff, err)
	}
	if parts, err := new(v1.AnswerDecoder).Parts(v1.EncodeAnswer(v1.Answer{FullName: "Bob Ray"})); len(parts) > 0 || err != nil {
		t.Errorf("without a profile: %+v, error %v", parts, err)
	}
}
