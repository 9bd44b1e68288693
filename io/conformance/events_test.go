package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"payonce/enrich"
	"payonce/io/sandbox"
)

// Pass lets time pass at the service.
type Pass time.Duration

func (s Pass) play(_ context.Context, p *play) error {
	p.clock.set(p.clock.now().Add(time.Duration(s)))
	return nil
}

// Reach lets time pass until a moment.
type Reach time.Time

func (s Reach) play(_ context.Context, p *play) error {
	p.clock.set(time.Time(s))
	return nil
}

// Owner does what the workspace's owner, the payment processor or somebody else in the
// workspace does.
type Owner struct {
	Does    string
	Do      func(*sandbox.Ledger) error
	Refused bool // the service has to refuse it
}

func (s Owner) play(_ context.Context, p *play) error {
	err := s.Do(p.sandbox.Workspace())
	switch {
	case s.Refused && errors.Is(err, sandbox.ErrInvalid):
		return nil
	case s.Refused:
		return fmt.Errorf("%s: %v, want it refused", s.Does, err)
	case err != nil:
		return fmt.Errorf("%s: %w", s.Does, err)
	}
	return nil
}

// Underway is a lookup of somebody else in the workspace that has arrived and reserved
// what it may cost, and does not end.
type Underway struct{ Fields enrich.Fields }

func (s Underway) play(_ context.Context, p *play) error {
	workspace := p.sandbox.Workspace()
	key, _ := workspace.Identify(p.keys[workspaceKey])
	admitted := workspace.Arrive(sandbox.LookupRequest{Transport: "rest", Key: key.ID, Identity: "somebody", Fields: s.Fields})
	p.arrived++
	if code := cmp.Or(admitted.Code, workspace.Reserve(admitted.Number, s.Fields)); code != "" {
		return fmt.Errorf("the lookup of somebody else is refused: %s", code)
	}
	p.underway = append(p.underway, admitted.Number)
	return nil
}

// Ended ends the oldest lookup under way, with these fields returned.
type Ended struct{ Returned enrich.Fields }

func (s Ended) play(_ context.Context, p *play) error {
	number := p.underway[0]
	p.underway = p.underway[1:]
	return p.sandbox.Workspace().Settle(number, "req_of_somebody", s.Returned)
}

// KeyMade creates a key, under a name for later steps.
type KeyMade struct {
	Name string
	Key  sandbox.NewKey
}

func (s KeyMade) play(_ context.Context, p *play) error {
	s.Key.Name = s.Name
	_, value, err := p.sandbox.Workspace().CreateKey(s.Key)
	p.keys[s.Name] = value
	return err
}

// KeyEnded revokes a key or sets when it expires.
type KeyEnded struct {
	Name    string
	Expires time.Duration // from now; zero revokes
}

func (s KeyEnded) play(_ context.Context, p *play) error {
	workspace := p.sandbox.Workspace()
	key, found := workspace.Identify(p.keys[s.Name])
	switch {
	case !found:
		return fmt.Errorf("the key %q is none", s.Name)
	case s.Expires > 0:
		return workspace.ExpireKey(key.ID, p.clock.now().Add(s.Expires))
	}
	return workspace.RevokeKey(key.ID)
}

// Faulty lets lookups go wrong from now on, in place of earlier faults; the zero value
// lets nothing go wrong.
type Faulty sandbox.Fault

func (s Faulty) play(_ context.Context, p *play) error {
	p.sandbox.ClearFaults()
	fault := sandbox.Fault(s)
	if fault.Answer == sandbox.Truthful {
		return nil
	}
	return p.sandbox.AddFault(fault)
}

// SessionsEnded ends every MCP session.
type SessionsEnded struct{}

func (SessionsEnded) play(_ context.Context, p *play) error {
	p.sandbox.EndSessions()
	return nil
}
