package search

import (
	"testing"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
	"payonce/io/service/v2"
)

// journalOf is a journal that knows the states of figures: those of one year, and those of all years.
type journalOf struct{ year, all attempt.FieldState }

const (
	yearAttempt attempt.ID = 1
	allAttempt  attempt.ID = 2
)

func (j journalOf) Record(id enrich.Identity) (r attempt.Record, err error) {
	state, number := j.all, allAttempt
	if id.Subject() == enrich.Searches {
		state, number = j.year, yearAttempt
	}
	r.States[v2.FieldFinancials], r.Attempts[v2.FieldFinancials], r.At[v2.FieldFinancials] = state, number, time.Now()
	return r, nil
}

// Resolution says that the figures of the year were answered, and those of all years were erased.
func (journalOf) Resolution(id attempt.ID) (attempt.Resolution, bool, error) {
	if id == allAttempt {
		return attempt.Resolution{Erased: true}, true, nil
	}
	answered, err := v2.ReadAnswer(v2.OpGetFinancials, []byte(`{"2023":{"Turnover":1}}`), time.Now(), v2.Reveal{}, v2.Modules{}, enrich.Company{})
	return attempt.Resolution{Status: answered.Status, Returned: answered.Returned, Data: string(answered.Data)}, true, err
}

// TestFiguresThatARunBoughtAreNotAskedForAfterTheyWereErased: what may have been paid for is not bought again, and an
// answer to the year itself counts first.
func TestFiguresThatARunBoughtAreNotAskedForAfterTheyWereErased(t *testing.T) {
	for _, test := range []struct {
		journal journalOf
		want    PageState
	}{
		{journalOf{}, Unasked},
		{journalOf{all: attempt.Missing}, Unasked},
		{journalOf{all: attempt.Found}, Erased},
		{journalOf{all: attempt.Forgotten}, Erased},
		{journalOf{all: attempt.OutcomeUnknown}, InDoubt},
		{journalOf{all: attempt.PaidAndGone}, Forfeited},
		{journalOf{year: attempt.Found}, Answered},
		{journalOf{year: attempt.Found, all: attempt.Found}, Answered},
		{journalOf{year: attempt.Forgotten, all: attempt.Found}, Erased},
		{journalOf{year: attempt.OutcomeUnknown, all: attempt.Forgotten}, InDoubt},
	} {
		page, err := newKnownPages(test.journal, attempt.Reask{}).Page(v2.FinancialsCall("101", 2023))
		if err != nil || page.State != test.want {
			t.Errorf("%+v: state %d, want %d; error %v", test.journal, page.State, test.want, err)
		}
	}
}
