// This file delivers the notifications of the sandbox to a callback URL, and repeats those that are not accepted. It
// sends to loopback addresses alone, because everything in them is made up.

package v2

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// answerWithin is how long a receiver may take.
const answerWithin = 10 * time.Second

// keptDeliveries is how many deliveries are listed.
const keptDeliveries = 1000

// Delivery is one attempt to deliver a notification.
type Delivery struct {
	Notification int       `json:"notification"` // counted from 1
	Attempt      int       `json:"attempt"`      // counted from 1
	At           time.Time `json:"at"`
	Status       int       `json:"status,omitempty"` // that the receiver answered
	Problem      string    `json:"problem,omitempty"`
}

// retryWaits are the times between the attempts of one notification: five repeats within an hour.
func retryWaits() []time.Duration {
	return []time.Duration{time.Minute, 4 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute}
}

// notifier sends notifications. Its methods may be called from any goroutine.
type notifier struct {
	client *http.Client
	waits  []time.Duration
	now    func() time.Time
	closed chan struct{}
	under  sync.WaitGroup

	mu            sync.Mutex // guards what follows
	notifications int
	deliveries    []Delivery
}

// newNotifier returns a sender over a transport; nil stands for the system's network. It repeats after the waits.
func newNotifier(transport http.RoundTripper, waits []time.Duration, now func() time.Time) *notifier {
	if transport == nil {
		transport = &http.Transport{DialContext: dialLoopback, DisableKeepAlives: true}
	}
	s := &notifier{waits: waits, now: now, closed: make(chan struct{}), client: &http.Client{
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a redirect is not an acceptance
		},
	}}
	return s
}

// dialLoopback connects to addresses of this machine alone.
func dialLoopback(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, &net.AddrError{Err: "the sandbox notifies loopback addresses alone", Addr: address}
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// isCallback reports whether a text can be a callback URL.
func isCallback(text string) bool {
	address, err := url.Parse(text)
	return err == nil && (address.Scheme == "http" || address.Scheme == "https") && address.Host != ""
}

// Send delivers a body to an address, in the background.
func (s *notifier) Send(address string, body []byte) {
	s.mu.Lock()
	s.notifications++
	number := s.notifications
	s.mu.Unlock()
	s.under.Go(func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() {
			select {
			case <-s.closed:
				cancel()
			case <-ctx.Done():
			}
		}()
		for attempt := 1; !s.deliver(ctx, address, body, number, attempt) && attempt <= len(s.waits); attempt++ {
			timer := time.NewTimer(s.waits[attempt-1])
			select {
			case <-ctx.Done():
				timer.Stop()
				return
			case <-timer.C:
			}
		}
	})
}

// deliver makes one attempt. It reports whether the receiver accepted the notification.
func (s *notifier) deliver(ctx context.Context, address string, body []byte, number, attempt int) bool {
	d := Delivery{Notification: number, Attempt: attempt, At: s.now().UTC()}
	var err error
	d.Status, err = s.post(ctx, address, body)
	if err != nil {
		d.Problem = err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deliveries = append(s.deliveries, d)
	if len(s.deliveries) > keptDeliveries {
		s.deliveries = slices.Delete(s.deliveries, 0, 1)
	}
	return err == nil && d.Status >= 200 && d.Status <= 299
}

func (s *notifier) post(ctx context.Context, address string, body []byte) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// Deliveries returns the last attempts, oldest first.
func (s *notifier) Deliveries() []Delivery {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Delivery{}, s.deliveries...)
}

// Close gives up what is not delivered yet. It is called once.
func (s *notifier) Close() {
	close(s.closed)
	s.under.Wait()
}
