package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/io/service/v2"
)

// TestWatchableFieldsAreTheOnlyOnesThatAreAccepted: a wrong name is refused before anything is sent.
func TestWatchableFieldsAreTheOnlyOnesThatAreAccepted(t *testing.T) {
	if err := CheckFields(v2.WatchableFields()); err != nil {
		t.Error(err)
	}
	if err := CheckFields([]string{"name", "Name"}); err == nil || !strings.Contains(err.Error(), `"Name"`) {
		t.Errorf("error %v", err)
	}
}

// TestAllPagesAreReadAndEveryElementIsKept serves pages of changes with elements that nobody knows. The service says how
// many pages there are, or does not.
func TestAllPagesAreReadAndEveryElementIsKept(t *testing.T) {
	elements := []string{
		`{"status":"UPDATED","message":"a","date_created":"2026-11-03T10:00:00Z","event_type":"name","later":{"x":[1.0]}}`,
		`{"status":"GONE","date_created":17,"event_type":["colour"]}`, `"a text"`, `7`, `{"status":"UPDATED","message":"a"}`,
	}
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprint(told), func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var page int
				fmt.Sscan(r.URL.Query().Get("page"), &page)
				from, to := min(2*(page-1), len(elements)), min(2*page, len(elements))
				body := map[string]any{"data": rawOf(elements[from:to]), "total_results": len(elements)}
				if told {
					body["pages"] = 3
				}
				_ = json.NewEncoder(w).Encode(body)
			}))
			defer server.Close()
			client, err := v2.NewWatchClient(v2.Config{BaseURL: server.URL + "/v2", Key: "key"})
			if err != nil {
				t.Fatal(err)
			}
			s := &session{free: client}
			events, err := s.events(t.Context(), "7", time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range events {
				got = append(got, string(e.Raw))
			}
			if diff := cmp.Diff(elements, got); diff != "" {
				t.Errorf("(-sent +kept):\n%s", diff)
			}
			if first := events[0]; first.Type.Value != "name" || !first.Created.Known || events[1].Created.Known {
				t.Errorf("%+v", events[:2])
			}
		})
	}
}

func rawOf(texts []string) (all []json.RawMessage) {
	for _, text := range texts {
		all = append(all, json.RawMessage(text))
	}
	return all
}

// TestAnIdentifierThatIsNoneIsNotAskedFor: somebody who knows the callback can name anything.
func TestAnIdentifierThatIsNoneIsNotAskedFor(t *testing.T) {
	asked := 0
	_, err := ask(t.Context(), func() (int, error) { asked++; return 0, fmt.Errorf("of %q: %w", "../..", v2.ErrID) })
	if asked != 1 || !isNotFound(err) {
		t.Errorf("asked %d times, error %v", asked, err)
	}
}

// TestAskingStopsWithTheContext and does not wait for the next try.
func TestAskingStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := ask(ctx, func() (int, error) { cancel(); return 0, &v2.Error{HTTPStatus: 503} })
	if err == nil || ctx.Err() == nil {
		t.Errorf("error %v", err)
	}
}

// TestChangesArePendingUntilALaterAnswer: an observation after the last answer asks for one more, and none before it
// does.
func TestChangesArePendingUntilALaterAnswer(t *testing.T) {
	of := func(after ...uint64) (all []observation) {
		for _, id := range after {
			all = append(all, observation{v2.Event{}, checkpoint.Observation{After: attempt.ID(id)}})
		}
		return all
	}
	for _, c := range []struct {
		answers []uint64
		changes []uint64
		want    int
	}{
		{[]uint64{3}, []uint64{2}, 0}, {[]uint64{3}, []uint64{3}, 1}, {[]uint64{3}, []uint64{2, 3, 9}, 2}, {[]uint64{3, 10}, []uint64{2, 3, 9}, 0},
	} {
		p := &part{changes: of(c.changes...)}
		for _, id := range c.answers {
			p.answers = append(p.answers, attempt.ID(id))
		}
		if got := p.pending(); len(got) != c.want || !slices.IsSortedFunc(got, func(a, b observation) int { return int(a.After) - int(b.After) }) {
			t.Errorf("answers %v, changes after %v: %d are pending, want %d", c.answers, c.changes, len(got), c.want)
		}
	}
}
