package conformance

import (
	"context"
	"errors"
	"fmt"

	"payonce/cost"
	"payonce/io/sandbox"
	"payonce/io/service/v1"
)

// The names by which steps speak of keys. Others are those of keys that a step made.
const (
	workspaceKey = ""        // the one that there is from the beginning
	unknownKey   = "unknown" // one that the sandbox does not know
	noKey        = "none"    // no key at all; for messages only
)

// play is a case being played.
type play struct {
	stage   Stage
	way     Way
	clock   *clock
	sandbox *sandbox.Server
	tap     *tap
	address string
	keys    map[string]string // values by name
	session string            // the MCP session that messages are sent in

	observer Subject // reads the account with its own key, over REST
	clients  map[access]Subject
	closing  []func()
	arrived  int   // arrivals that steps have accounted for
	underway []int // lookups of others, by their numbers
}

// access is what makes clients different from each other.
type access struct {
	key     string // by name
	over    v1.Transport
	profile bool
}

// raise puts the workspace of a case on the network.
func raise(stage Stage, way Way, c Case) (*play, error) {
	p := &play{
		stage: stage, way: way, clock: &clock{at: noon()}, clients: map[access]Subject{},
		keys: map[string]string{workspaceKey: sandbox.DefaultKey, unknownKey: "no-key-of-this-workspace"},
	}
	config := Workspace()
	config.MCP, config.Now = way.MCP, p.clock.now
	if c.Begin != nil {
		c.Begin(&config)
	}
	server, handler, err := stage.Open(config)
	if err != nil {
		return nil, err
	}
	p.sandbox, p.tap = server, &tap{next: handler}
	address, stop := stage.Listen(p.tap)
	p.address = address
	p.closing = append(p.closing, stop, func() { server.Close() })
	if p.observer, err = p.observe(); err != nil {
		p.fall()
		return nil, err
	}
	return p, nil
}

// observe returns a client for looking at the account beside the case.
func (p *play) observe() (Subject, error) {
	_, value, err := p.sandbox.Workspace().CreateKey(sandbox.NewKey{Name: "observer"})
	if err != nil {
		return nil, err
	}
	p.keys["observer"] = value
	return p.client(access{key: "observer", over: v1.REST})
}

// fall ends the clients, the service and its place on the network, in this order.
func (p *play) fall() {
	for len(p.closing) > 0 {
		last := len(p.closing) - 1
		p.closing[last]()
		p.closing = p.closing[:last]
	}
}

// client returns the client of an access, always the same one.
func (p *play) client(a access) (Subject, error) {
	if a.over == "" {
		a.over = p.way.Transport
	}
	if p.clients[a] != nil {
		return p.clients[a], nil
	}
	key, made := p.keys[a.key]
	if !made {
		return nil, fmt.Errorf("the case has no key %q", a.key)
	}
	subject, hangUp, err := p.stage.Connect(v1.Config{
		BaseURL: p.address + "/api/v1", Transport: a.over, Key: key, IncludeProfile: a.profile, Now: p.clock.now,
	})
	if err != nil {
		return nil, err
	}
	p.clients[a] = subject
	p.closing = append(p.closing, hangUp)
	return subject, nil
}

// look is the workspace at one moment.
type look struct {
	ledger  sandbox.Snapshot
	account cost.Account
	err     error // why the account cannot be read
}

func (p *play) look(ctx context.Context) look {
	l := look{ledger: p.sandbox.Ledger()}
	l.account, l.err = p.observer.Status(ctx)
	return l
}

// balanced audits the ledger after the last step: it adds up, and nothing arrived of
// which no step knows, such as a request that was sent again.
func (p *play) balanced() error {
	err := p.sandbox.Audit()
	if arrivals := len(p.sandbox.Ledger().Arrivals); arrivals != p.arrived {
		err = errors.Join(err, fmt.Errorf("%d lookups arrived, want %d", arrivals, p.arrived))
	}
	return err
}
