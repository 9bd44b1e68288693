package output

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"payonce/checkpoint/attempt"
	"payonce/enrich"
)

// statusDecoder reads nothing but the status of an answer.
type statusDecoder struct{}

func (statusDecoder) Values(answered enrich.Answered, values *enrich.Values) error {
	*values = enrich.Values{Status: answered.Status}
	return nil
}

// TestSmallAnswersDoNotKeepLargeOnes reads attempts whose texts are parts of one text, as those that the journal reads
// together are. Most of the answers are large, and some are small.
func TestSmallAnswersDoNotKeepLargeOnes(t *testing.T) {
	const attempts, large = 100, 8 << 10
	var texts weak.Pointer[byte]
	e := &evaluator{StepOutput: &StepOutput{}}
	e.decode = statusDecoder{}.Values
	e.recallAll = func(ids []attempt.ID, known []attempt.Outcome) ([]attempt.Outcome, error) {
		const beside = "matchedrun7request"
		memory := []byte(strings.Repeat(beside+strings.Repeat("x", large), len(ids)))
		texts = weak.Make(&memory[0])
		text := unsafe.String(&memory[0], len(memory))
		for i, id := range ids {
			own := text[i*(len(beside)+large):]
			answer := own[len(beside) : len(beside)+large]
			if i%4 == 0 {
				answer = answer[:10] // nothing was found
			}
			known = append(known, attempt.Outcome{ID: id, Ended: attempt.Resolution{
				Status: enrich.Status(own[:7]), Run: own[7:11], RequestID: own[11:18], Data: answer,
			}})
		}
		return known, nil
	}
	ids := make([]attempt.ID, attempts)
	for i := range ids {
		ids[i] = attempt.ID(i + 1)
	}
	e.attempts = loadedAttempts{ids: ids, values: make([]enrich.Values, 0, attempts)}
	if err := e.recall(ids); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	if texts.Value() != nil {
		t.Error("the answers are still in memory")
	}
	for i, known := range e.attempts.known {
		ended := known.Ended
		if ended.Status != enrich.Matched || ended.Run != "run7" || ended.RequestID != "request" || e.attempts.values[i].Status != enrich.Matched {
			t.Fatalf("attempt %d: %+v", known.ID, ended)
		}
	}
}
