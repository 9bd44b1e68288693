package simulation_test

import (
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/output"
)

func TestChargesAreShownOnTheFirstOccurrenceOfTheOwnRunOnly(t *testing.T) {
	script := func(c call) reply {
		switch c.who {
		case "p1":
			return answersWith(0, email)
		case "p4":
			return loses(0, email)
		default:
			return answersWith(0, 0)
		}
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.run(append(people(2, email), people(4, email)[3:]...))
		list := profileList("p1", "p2", "p3", "p4", "p1")
		w := r.write(list, email)
		w.want(t, "enrich_charge_usd", "0.15", "0.00", "", "0.15", "")
		w.want(t, "enrich_status", "matched", "not_found", "not_attempted", "forfeited", "duplicate")
		other := r.writeAs(list, output.Output{Decoder: new(v1.AnswerDecoder), Scope: list.scope(t, email), Run: "another"}, r.journal)
		other.want(t, "enrich_charge_usd", "0.00", "0.00", "", "0.00", "")
		other.want(t, "work_email", "ada@co.example", "", "", "", "ada@co.example")
	})
}

// TestAForfeitedChargeIsShownWhenTheFieldIsBoughtAgain buys what was forfeited again,
// in the same run.
func TestAForfeitedChargeIsShownWhenTheFieldIsBoughtAgain(t *testing.T) {
	for end, want := range map[string]string{"answered": "0.30", "rejected": "0.15", "refused": "0.15", "lost": "0.15"} {
		t.Run(end, func(t *testing.T) {
			withRig(t, func(call) reply { return loses(0, email) }, func(t *testing.T, r *rig) {
				r.run(people(1, email))
				decision, err := r.journal.Begin(attempt.Request{
					Lookup: people(1, email)[0], Run: "run", Rates: v1.Tariff().At(prices), Reask: attempt.Reask{Forfeited: true},
				})
				if err != nil {
					t.Fatal(err)
				}
				ticket, err := decision.(attempt.Granted).Ticket()
				if err != nil {
					t.Fatal(err)
				}
				switch end {
				case "answered":
					_, err = r.journal.Settle(ticket.ID, v1.EncodeAnswer(found(email)))
				case "lost":
					err = r.journal.MarkInDoubt(ticket.ID, attempt.LostCall{Cause: "connection reset"})
				default:
					err = r.journal.Release(ticket.ID, attempt.Release{Reason: end, Reject: end == "rejected"})
				}
				if err != nil {
					t.Fatal(err)
				}
				list := profileList("p1", "p1")
				r.write(list, email).want(t, "enrich_charge_usd", want, "")
				r.writeAs(list, output.Output{Decoder: new(v1.AnswerDecoder), Scope: list.scope(t, email), Run: "another"}, r.journal).
					want(t, "enrich_charge_usd", map[string]string{"answered": "0.00", "refused": "0.00"}[end], "")
			})
		})
	}
}

// TestRowsOfForgottenPersonsKeepTheirCharges has people whose charges are of all kinds.
func TestRowsOfForgottenPersonsKeepTheirCharges(t *testing.T) {
	withRig(t, everyOutcome, func(t *testing.T, r *rig) {
		r.run(lookupsOf(v1.AllFields, "matched", "forfeited"))
		r.leaveInDoubt(lookupsOf(v1.AllFields, "doubted"))
		who := []string{"matched", "forfeited", "doubted", "never-asked"}
		for _, name := range append(who, "matched") { // one of them twice
			if err := forget(r.journal, identity(name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := r.journal.Assume(true, r.journal.Doubts()[0].ID); err != nil {
			t.Fatal(err)
		}
		w := r.write(profileList(who...), v1.AllFields)
		w.want(t, "enrich_charge_usd", "0.40", "0.40", "0.40", "")
		const forgotten = "forgotten on request"
		w.want(t, "enrich_reason", forgotten, forgotten, forgotten, forgotten)
		w.want(t, "work_email", "", "", "", "")
		w.want(t, "full_name", "", "", "", "")
	})
}

func TestDuplicatesShareTheAnswer(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.run(people(1, v1.AllFields))
		w := r.write(`profile url,email,phone
https://pro.example/in/p1,full@co.example,1
https://pro.example/in/p1,own@co.example,
https://www.PRO.example/in/p1/,,1
`, v1.AllFields)
		w.want(t, "email", "full@co.example", "own@co.example", "ada@co.example")
		w.want(t, "phone", "1", "+1 555 0100", "1")
		w.want(t, "enrich_status", "filled", "matched", "duplicate")
		w.want(t, "enrich_reason", "", "", "same person as row 2")
		w.want(t, "enrich_request_id", "", "req-1", "req-1")
		w.want(t, "enrich_charge_usd", "", "0.40", "")
	})
}

func TestAPhoneTypeStandsBesideItsPhoneOnly(t *testing.T) {
	withRig(t, func(call) reply { return answers(0) }, func(t *testing.T, r *rig) {
		r.run(people(1, v1.AllFields))
		w := r.write(`profile url,email,phone
https://pro.example/in/p1,,
https://pro.example/in/p1,,1
`, v1.AllFields)
		w.want(t, "phone_type", "office", "")
	})
}

func TestAnswersOfTwoAttemptsAreCombined(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	script := func(c call) reply {
		if c.fields == email {
			return reply{verdict: v1.EncodeAnswer(v1.Answer{
				Status: enrich.Matched, FullName: "Ada Byron", WorkEmail: "ada@co.example", RequestID: "req-1",
				RetrievedAt: at.Add(time.Hour), Provenance: "first",
			})}
		}
		return reply{verdict: v1.EncodeAnswer(v1.Answer{
			Status: enrich.Matched, FullName: "Ada Lovelace", BusinessPhone: "+1", PhoneType: "office", RequestID: "req-2",
			RetrievedAt: at, Provenance: "second",
		})}
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.run(people(1, email))
		r.run(people(1, phone))
		w := r.write(profileList("p1"), v1.AllFields)
		w.want(t, "work_email", "ada@co.example")
		w.want(t, "business_phone", "+1")
		w.want(t, "phone_type", "office")
		w.want(t, "enrich_status", "matched")
		w.want(t, "enrich_request_id", "req-1 req-2")
		w.want(t, "enrich_charge_usd", "0.40")
		// The rest is the later answer's.
		w.want(t, "full_name", "Ada Byron")
		w.want(t, "enrich_retrieved_at", "2026-11-01T13:00:00Z")
		w.want(t, "enrich_provenance", "first")
	})
}

func TestALaterEmptyAnswerRemovesNoValue(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	script := func(c call) reply {
		if c.fields == email {
			answer := found(email)
			answer.RetrievedAt = at
			return reply{verdict: v1.EncodeAnswer(answer)}
		}
		return reply{verdict: v1.EncodeAnswer(v1.Answer{Status: enrich.NotFound, RetrievedAt: at.Add(time.Hour)})}
	}
	withRig(t, script, func(t *testing.T, r *rig) {
		r.run(people(1, email))
		r.run(people(1, phone))
		w := r.write(profileList("p1"), v1.AllFields)
		w.want(t, "enrich_status", "partial")
		w.want(t, "enrich_reason", "business_phone not found")
		w.want(t, "full_name", "Ada Example")
	})
}

// forget forgets a person.
func forget(journal *checkpoint.Journal, who enrich.Identity) error {
	found, err := journal.Find(checkpoint.Person{Identity: who}, func(_ string, answered enrich.Answered) (facts checkpoint.PersonFacts, err error) {
		facts.Name, facts.Email, facts.Phone, err = new(v1.AnswerDecoder).Person(answered)
		return facts, err
	})
	if err == nil {
		_, err = journal.Forget(found)
	}
	return err
}
