package simulation

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"payonce/checkpoint/attempt"
)

// gateway makes the world one in which a gateway stands before the service, and nothing else goes wrong.
func gateway(fault string) func(*v2Scenario) {
	return func(s *v2Scenario) {
		s.of(0)
		s.Ceilings, s.Daily, s.Faults, s.Starts = nil, nil, []string{fault}, []stepsStart{{}}
	}
}

// rewritten returns a service of which the program understands the responses otherwise than they are.
func rewritten(service http.Handler, rewrite func(status *int, body string) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorded := httptest.NewRecorder()
		service.ServeHTTP(recorded, r)
		status := recorded.Code
		body := rewrite(&status, recorded.Body.String())
		maps.Copy(w.Header(), recorded.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
}

// refusingGateways makes every object of lists of messages the refusal of a request, whatever its status is.
func refusingGateways(service http.Handler) http.Handler {
	return rewritten(service, func(status *int, body string) string {
		var messages map[string][]string
		if json.Unmarshal([]byte(body), &messages) != nil || len(messages) == 0 {
			return body
		}
		*status = http.StatusBadRequest
		return `{"fields":["Invalid request."]}`
	})
}

// findingNothing makes every 404 with a detail the service's word that it found nothing.
func findingNothing(service http.Handler) http.Handler {
	return rewritten(service, func(status *int, body string) string {
		if *status == http.StatusNotFound {
			return `{"detail":"Not found."}`
		}
		return body
	})
}

// droppingMarks makes a body with a byte order mark one that cannot be read.
func droppingMarks(service http.Handler) http.Handler {
	return rewritten(service, func(_ *int, body string) string { return strings.Replace(body, "\uFEFF", "?", 1) })
}

// loses reports whether a response can be lost in the world, or the process that waits for it.
func (s *v2Scenario) loses() bool {
	return slices.ContainsFunc(s.Faults, func(fault string) bool {
		return !strings.HasPrefix(fault, "byte-order-mark:") && !strings.HasPrefix(fault, "rate_limited:")
	}) || slices.ContainsFunc(s.Starts, func(start stepsStart) bool { return start.Ending != toTheEnd })
}

// nothingLost checks that no answer is lost in a world in which every response comes whole.
func (c *v2Checker) nothingLost() {
	w := c.world
	if w.scenario.loses() {
		return
	}
	for _, in := range w.intents("") {
		if res, resolved := w.resolution(in.ID); !resolved || res.State == attempt.Forfeited {
			w.broken("P3: attempt %d has no answer, although every response came whole", in.ID)
		}
	}
}
