package conformance

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// Subject is the service as a client shows it.
type Subject interface {
	// Find sends a lookup at most once and says what became of it. It is paid for.
	Find(ctx context.Context, lookup enrich.Lookup) enrich.Verdict
	// The others are free.
	Status(ctx context.Context) (cost.Account, error)
	OpenAPI(ctx context.Context) (v1.Description, error)
	Tools(ctx context.Context) (v1.Description, error)
}

// Stage is where cases are played.
type Stage interface {
	// Open returns a sandbox and what serves it.
	Open(config sandbox.Config) (*sandbox.Server, http.Handler, error)
	// Listen puts a handler on the network, at an address without a path, until stop
	// is called. Calls may come at any time from any goroutine.
	Listen(handler http.Handler) (address string, stop func())
	// Connect returns a client, to be closed when it is not used any more.
	Connect(config v1.Config) (subject Subject, hangUp func(), err error)
	// Send sends one request as it stands, once, and returns the whole response.
	Send(ctx context.Context, request Request) (Response, error)
}

// Request is an HTTP request without a client's care.
type Request struct {
	Method, URL string
	Header      map[string]string
	Body        string
}

// Response is what came back.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Way is how client and service speak.
type Way struct {
	Name      string
	Transport v1.Transport
	MCP       sandbox.MCP // the choices of an MCP server
}

// Ways returns the ways in which every case is played.
func Ways() []Way {
	return []Way{
		{Name: "REST", Transport: v1.REST},
		{Name: "MCP", Transport: v1.MCP},
		{Name: "MCP events in sessions", Transport: v1.MCP, MCP: sandbox.MCP{Sessions: true, EventStream: true}},
	}
}

// Workspace returns the sandbox that cases begin with, unless they change it: the Core
// plan with its free allowance, where everything is known of everybody, in the middle
// of a month.
func Workspace() sandbox.Config {
	config := sandbox.DefaultConfig()
	config.UnknownRate = 0
	config.MatchRates = enrich.ByField[float64]{1, 1}
	return config
}

// noon is when cases begin.
func noon() time.Time { return time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC) }

// clock is the service's time, which the case moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// ada is who cases ask for when it does not matter.
func ada() enrich.Identity {
	return enrich.Identity{FirstName: "Ada", LastName: "Lovelace", CompanyDomain: "acme.example"}
}

// someone returns one of many people.
func someone(number int) enrich.Identity {
	return enrich.Identity{FirstName: "Grace", LastName: fmt.Sprintf("Hopper%d", number), CompanyName: "Acme"}
}
