package v2

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// receiver is a transport that answers attempts in the order of its answers; 0 stands for no answer at all.
type receiver struct {
	mu      sync.Mutex
	answers []int
	times   []time.Duration // of the attempts
	start   time.Time
	bodies  []string
}

func (r *receiver) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.times = append(r.times, time.Since(r.start))
	r.bodies = append(r.bodies, string(body))
	status := r.answers[min(len(r.times), len(r.answers))-1]
	r.mu.Unlock()
	if status == 0 {
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	return &http.Response{StatusCode: status, Body: http.NoBody}, nil
}

// attempts returns when the attempts were made.
func (r *receiver) attempts() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.times)
}

// TestRepeats: a notification is repeated until it is accepted, at most five times within an hour.
func TestRepeats(t *testing.T) {
	minutes := func(numbers ...time.Duration) (times []time.Duration) {
		for _, number := range numbers {
			times = append(times, number*time.Minute)
		}
		return times
	}
	tests := []struct {
		name    string
		answers []int
		want    []time.Duration
	}{
		{"accepted", []int{204}, minutes(0)},
		{"accepted after two refusals", []int{500, 302, 200}, minutes(0, 1, 5)},
		{"never accepted", []int{503}, minutes(0, 1, 5, 15, 30, 60)},
		{"not answered", []int{0, 200}, []time.Duration{0, 70 * time.Second}},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			to := &receiver{answers: test.answers, start: time.Now()}
			s := newNotifier(to, retryWaits(), time.Now)
			defer s.Close()
			s.Send("http://127.0.0.1/hook", []byte("{}"))
			<-time.After(3 * time.Hour)
			if diff := cmp.Diff(test.want, to.attempts()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
			deliveries := s.Deliveries()
			if len(deliveries) != len(test.want) || deliveries[len(deliveries)-1].Attempt != len(test.want) || to.bodies[0] != "{}" {
				t.Errorf("%s: %+v", test.name, deliveries)
			}
		})
	}
}

// TestCloseEndsWaitsAndAttemptsOfTheNotifier: closing ends a wait and an attempt under way.
func TestCloseEndsWaitsAndAttemptsOfTheNotifier(t *testing.T) {
	for _, answer := range []int{500, 0} {
		synctest.Test(t, func(t *testing.T) {
			to := &receiver{answers: []int{answer}, start: time.Now()}
			s := newNotifier(to, retryWaits(), time.Now)
			s.Send("http://127.0.0.1/hook", nil)
			synctest.Wait()
			s.Close()
			if n := len(to.attempts()); n != 1 {
				t.Errorf("%d attempts", n)
			}
		})
	}
}

// TestTheSandboxNotifiesOnlyLoopbackAddresses: an address that is not of this machine is not connected to.
func TestTheSandboxNotifiesOnlyLoopbackAddresses(t *testing.T) {
	for _, address := range []string{"192.0.2.1:80", "example.com:80"} {
		if _, err := dialLoopback(t.Context(), "tcp", address); err == nil || !strings.Contains(err.Error(), "loopback addresses alone") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := dialLoopback(t.Context(), "tcp", "127.0.0.1:1"); err == nil || errors.Is(err, io.EOF) || strings.Contains(err.Error(), "alone") {
		t.Errorf("this machine: %v", err)
	}
}

func TestIsCallbackAcceptsOnlyHTTPAddresses(t *testing.T) {
	for text, want := range map[string]bool{
		"http://127.0.0.1:1/hook": true, "https://me.example/x": true, "": false, "hook": false, "ftp://a/b": false, "http:///x": false,
	} {
		if isCallback(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}
