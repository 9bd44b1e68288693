package notify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
)

// deliveryChannel is a channel that keeps what it got, and answers as a function says.
type deliveryChannel struct {
	mutex  sync.Mutex
	got    []Message
	answer func(context.Context, Message) error
}

func (c *deliveryChannel) Send(ctx context.Context, m Message) error {
	c.mutex.Lock()
	c.got = append(c.got, m)
	c.mutex.Unlock()
	if c.answer == nil {
		return nil
	}
	return c.answer(ctx, m)
}

// ids returns the IDs of what a channel got.
func (c *deliveryChannel) ids() string {
	var ids []string
	for _, m := range c.got {
		ids = append(ids, m.ID)
	}
	return strings.Join(ids, " ")
}

// fails returns a channel that fails with an error.
func fails(err error) *deliveryChannel {
	return &deliveryChannel{answer: func(context.Context, Message) error { return err }}
}

// alerts returns alerts to channels.
func alerts(n int, channels ...string) (open []record.Alert) {
	for i := range n {
		a := record.Alert{ID: fmt.Sprint("a", i), Job: "nightly", Kind: string(Failure), Text: "It failed.", Figures: []record.Figure{{Name: "exit", Value: "4"}}}
		for _, name := range channels {
			a.Deliveries = append(a.Deliveries, record.Delivery{Channel: name})
		}
		open = append(open, a)
	}
	return open
}

// sender returns a sender to channels, by their names.
func sender(channels map[string]*deliveryChannel) AlertSender {
	s := AlertSender{Channels: map[string]Channel{}, Now: time.Now}
	for name, c := range channels {
		s.Channels[name] = c
	}
	return s
}

// pass lets time pass.
func pass(span time.Duration) { <-time.After(span) }

// described returns results in words, in the order of channels and IDs.
func described(results []checkpoint.AlertResult) string {
	var words []string
	for _, r := range results {
		word := fmt.Sprintf("%s-%s delivered", r.Channel, r.ID)
		if r.Delivered.IsZero() {
			word = fmt.Sprintf("%s-%s tries:%d again after %s", r.Channel, r.ID, r.Tries, r.Next.Sub(r.Tried))
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func TestAFailingChannelDoesNotDelayOtherChannels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := &deliveryChannel{answer: func(ctx context.Context, _ Message) error {
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Second):
			}
			return context.DeadlineExceeded
		}}
		channels := map[string]*deliveryChannel{"good": {}, "hangs": hangs, "broken": fails(errors.New("the receiver answered 500")), "gone": fails(ErrGone)}
		s := sender(channels)
		open := alerts(2, "good", "hangs", "broken", "gone", "removed")
		began := time.Now()
		results := s.Send(t.Context(), open)
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it took %s", took)
		}
		const want = "broken-a0 tries:1 again after 1m0s, gone-a0 tries:1 again after 24h0m0s, " +
			"good-a0 delivered, good-a1 delivered, hangs-a0 tries:1 again after 1m0s"
		if got := described(results); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		left, next := s.After(open, results)
		if len(left) != 2 || time.Until(next) != firstPause {
			t.Errorf("%d are left, the next is due after %s", len(left), time.Until(next))
		}
		if m := channels["good"].got[0]; m.ID != "a0" || m.Kind != Failure || m.Severity != Error || m.Figures[0].Value != "4" {
			t.Errorf("%+v", m)
		}
	})
}

// TestAFailingChannelIsTriedLessAndLessOften lets days pass.
func TestAFailingChannelIsTriedLessAndLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := fails(errors.New("the receiver answered 500"))
		s := sender(map[string]*deliveryChannel{"broken": broken})
		open := alerts(1, "broken")
		var pauses []string
		for range 12 {
			results := s.Send(t.Context(), open)
			var next time.Time
			open, next = s.After(open, results)
			pauses = append(pauses, time.Until(next).String())
			pass(time.Until(next) - 1)
			if early := s.Send(t.Context(), open); len(early) > 0 {
				t.Fatalf("it is tried too early: %+v", early)
			}
			pass(time.Nanosecond)
		}
		if got, want := strings.Join(pauses, " "), "1m0s 2m0s 4m0s 8m0s 16m0s 32m0s 1h4m0s 2h8m0s 4h16m0s 6h0m0s 6h0m0s 6h0m0s"; got != want {
			t.Errorf("pauses %s", got)
		}
		broken.answer = nil
		if results := s.Send(t.Context(), open); len(results) != 1 || results[0].Delivered.IsZero() || results[0].Tries != 13 {
			t.Errorf("%+v", results)
		}
		for _, m := range broken.got {
			if m.ID != "a0" {
				t.Errorf("an attempt has the ID %s", m.ID)
			}
		}
	})
}

func TestAnAlertThatAChannelNeverAcceptsKeepsNoOtherBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		picky := &deliveryChannel{answer: func(_ context.Context, m Message) error {
			if m.ID == "a0" {
				return errors.New("the receiver answered 400 Bad Request")
			}
			return nil
		}}
		s := sender(map[string]*deliveryChannel{"picky": picky})
		open := alerts(3, "picky")
		for range 2 {
			open, _ = s.After(open, s.Send(t.Context(), open))
			pass(firstPause)
		}
		if got := picky.ids(); got != "a0 a1 a2 a0" || len(open) != 1 {
			t.Errorf("it got %s, %d are left", got, len(open))
		}
	})
}

func TestARoundTakesALimitedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &deliveryChannel{answer: func(context.Context, Message) error { pass(9 * time.Second); return nil }}
		s := sender(map[string]*deliveryChannel{"slow": slow})
		began := time.Now()
		results := s.Send(t.Context(), alerts(100, "slow"))
		if took := time.Since(began); took != 36*time.Second || len(results) != 4 {
			t.Errorf("%d were sent in %s", len(results), took)
		}
	})
}

func TestAnInterruptedDeliveryIsNotCountedAsAFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := &deliveryChannel{answer: func(ctx context.Context, _ Message) error { cancel(); return ctx.Err() }}
	if results := sender(map[string]*deliveryChannel{"c": c}).Send(ctx, alerts(2, "c")); len(results) != 0 || len(c.got) != 1 {
		t.Errorf("%+v after %d attempts", results, len(c.got))
	}
}

func TestErrorsAreKeptShortAndWithoutAddresses(t *testing.T) {
	c := fails(fmt.Errorf("550 <ann@acme.example> is unknown; tell \"bob@acme.example\" %s", strings.Repeat("ä", 300)))
	results := sender(map[string]*deliveryChannel{"c": c}).Send(t.Context(), alerts(1, "c"))
	text := results[0].Error
	if !strings.HasPrefix(text, `550 <(address)> is unknown; tell "(address)" ä`) || len([]rune(text)) != 200 {
		t.Errorf("%d characters: %s", len([]rune(text)), text)
	}
}

func TestAnAlertToARemovedChannelIsNotScheduledAgain(t *testing.T) {
	s := sender(map[string]*deliveryChannel{"good": {}})
	open := alerts(1, "good", "removed")
	left, next := s.After(open, s.Send(t.Context(), open))
	if len(left) != 1 || !next.IsZero() {
		t.Errorf("%+v, next at %s", left, next)
	}
}

func TestChannelFailuresAreListedByJobAndChannel(t *testing.T) {
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	open := alerts(3, "fresh", "broken", "good")
	for i := range open {
		open[i].At = noon.Add(time.Duration(-i) * time.Hour)
		open[i].Deliveries[1].Tries, open[i].Deliveries[1].Tried = 1, noon.Add(time.Duration(i)*time.Minute)
		open[i].Deliveries[1].Error = fmt.Sprint("error ", i)
		open[i].Deliveries[2].Tries, open[i].Deliveries[2].Delivered = 1, noon
	}
	open[1].Job = "weekly"
	want := []ChannelFailure{
		{"nightly", "broken", 2, noon.Add(-2 * time.Hour), "error 2", noon.Add(2 * time.Minute)},
		{"weekly", "broken", 1, noon.Add(-time.Hour), "error 1", noon.Add(time.Minute)},
	}
	if diff := cmp.Diff(want, ChannelFailures(open)); diff != "" {
		t.Error(diff)
	}
}

// TestAnOlderAlertNeverArrivesAfterANewerOneAtAnOrderedChannel: the receiver of pings does not answer when the job
// fails. When the job has succeeded, it gets the failure first, without a further pause.
func TestAnOlderAlertNeverArrivesAfterANewerOneAtAnOrderedChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := true
		ping := &deliveryChannel{answer: func(context.Context, Message) error {
			if down {
				return errors.New("the receiver answered 503")
			}
			return nil
		}}
		s := sender(map[string]*deliveryChannel{"ping": ping})
		s.Ordered = map[string]bool{"ping": true}
		open := alerts(2, "ping")
		open[0].At = time.Now()
		results := s.Send(t.Context(), open[:1])
		left, next := s.After(open[:1], results)
		if want := time.Now().Add(time.Minute); !next.Equal(want) {
			t.Fatalf("the next attempt is at %s, want %s", next, want)
		}
		pass(10 * time.Second)
		open[1].At = time.Now()
		results = s.Send(t.Context(), append(left, open[1]))
		if got, want := described(results), "ping-a0 tries:2 again after 2m0s"; got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		left, next = s.After(append(left, open[1]), results)
		if want := time.Now().Add(2 * time.Minute); !next.Equal(want) {
			t.Errorf("the newer alert waits until %s, want the time of the older one, %s", next, want)
		}
		pass(time.Minute)
		if results := s.Send(t.Context(), left); len(results) > 0 {
			t.Errorf("before that: %s", described(results))
		}
		down = false
		pass(time.Minute)
		s.Send(t.Context(), left)
		if got, want := ping.ids(), "a0 a0 a0 a1"; got != want {
			t.Errorf("it got %s, want %s", got, want)
		}
	})
}

// TestARefusedAlertDoesNotBlockAnOrderedChannel: the receiver of pings knows no address for failures.
func TestARefusedAlertDoesNotBlockAnOrderedChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ping := &deliveryChannel{answer: func(_ context.Context, m Message) error {
			if m.ID == "a0" {
				return &RefusedError{Status: 404}
			}
			return nil
		}}
		s := sender(map[string]*deliveryChannel{"ping": ping})
		s.Ordered = map[string]bool{"ping": true}
		open := alerts(2, "ping")
		open[0].At, open[1].At = time.Now(), time.Now()
		results := s.Send(t.Context(), open)
		if got, want := ping.ids(), "a0 a1"; got != want {
			t.Errorf("it got %s, want %s", got, want)
		}
		if left, next := s.After(open, results); len(left) != 1 || left[0].ID != "a0" || next.IsZero() {
			t.Errorf("%v are left until %s", left, next)
		}
	})
}
