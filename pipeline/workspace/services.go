// This file has the accounts of a workspace at its services.

package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/io/sandbox"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// IsConfigured reports whether a service can be called.
func (o Options) IsConfigured(of provider.Service) bool {
	if o.Sandbox {
		_, has := sandbox.InterfaceNamed(of.Name())
		return has
	}
	return of.BaseURL != ""
}

// Known reports whether there is a service, and so a journal.
func (o Options) Known() bool { return slices.ContainsFunc(o.Services, o.IsConfigured) }

// Used returns the services that are used: those that are configured. Without any, as for a plan that is made offline,
// the first one is taken for configured.
func (o Options) Used() (used []provider.Service) {
	for i, s := range o.Services {
		if o.IsConfigured(s) || i == 0 && !o.Known() {
			used = append(used, s)
		}
	}
	return used
}

// Service returns the service of an interface.
func (o Options) Service(name string) (provider.Service, bool) {
	if i := slices.IndexFunc(o.Services, func(s provider.Service) bool { return s.Name() == name }); i >= 0 {
		return o.Services[i], true
	}
	return provider.Service{}, false
}

// Interfaces returns the interfaces that there are, and which of them are used.
func (o Options) Interfaces() provider.Set {
	var set provider.Set
	for _, s := range o.Services {
		set.All = append(set.All, s.Interface())
	}
	used := o.Used()
	set.Configured = func(name string) bool {
		return slices.ContainsFunc(used, func(s provider.Service) bool { return s.Name() == name })
	}
	return set
}

// AnswerReaders returns a reader for each interface by its name, which is "" for that of the account 0.
func (o Options) AnswerReaders() map[string]provider.AnswerReader {
	readers := map[string]provider.AnswerReader{}
	for i, of := range o.Interfaces().All {
		readers[of.Catalogue.Interface] = of.NewReader()
		if i == 0 {
			readers[""] = of.NewReader()
		}
	}
	return readers
}

// isFirst reports whether the account of a service is the account 0 of the journal.
func (o Options) isFirst(of provider.Service) bool { return of.Name() == o.Services[0].Name() }

// nameInJournal returns the address of a service as journals have it; "" where it has none. Dir checks it. The port of
// the embedded service changes with every start.
func (o Options) nameInJournal(of provider.Service) string {
	if o.Sandbox {
		embedded, _ := sandbox.InterfaceNamed(of.Name())
		return "sandbox" + embedded.Path
	}
	name, _ := checkpoint.CanonicalBaseURL(of.BaseURL)
	return name
}

// keyOf returns the API key of a service.
func (o Options) keyOf(of provider.Service) string {
	if o.Sandbox {
		embedded, _ := sandbox.InterfaceNamed(of.Name())
		return embedded.Key
	}
	return of.Key
}

// idOf returns how journals identify the account of a service that is not the first.
func (o Options) idOf(of provider.Service) (checkpoint.AccountID, error) {
	id := checkpoint.AccountID{Interface: of.Name(), Service: o.nameInJournal(of), Key: o.keyOf(of)}
	if id.Service == "" {
		return id, o.badAddress(of)
	}
	return id, nil
}

// badAddress says that the address of a service cannot be used.
func (o Options) badAddress(of provider.Service) error {
	code, what := "base_url", "the service's address"
	if !o.isFirst(of) {
		code, what = "base_url_"+of.Name(), "the address of the "+of.Name()+" interface"
	}
	return problem.Coded(code, "%s is not an absolute http or https address", what)
}

// Account returns the account of a service. Note hears what happens to it, and unread why what the service publishes
// cannot be read.
func (s *Session) Account(of provider.Service, note func(string), unread func(error)) *provider.Account {
	connect := provider.ConnectOptions{Prices: s.Options.Prices, Profile: s.Options.Profile, Unread: unread}
	account := &provider.Account{
		Interface: of.Interface(), Of: of, Workspace: s, Connection: of.Connect(connect), Rate: of.KeptRate(),
		SettleDelay: s.Options.SettleDelay, Exclusive: s.Options.Exclusive, Now: s.Now, Note: note,
	}
	if s.Options.isFirst(of) {
		account.Journal = s.Journal
	}
	return account
}

// Endpoint implements provider.Workspace.
func (s *Session) Endpoint(of provider.Service) (provider.Endpoint, error) {
	at := provider.Endpoint{
		BaseURL: of.BaseURL, Key: s.Options.keyOf(of), Timeout: of.Timeout, Connections: of.Connections,
		UserAgent: "payonce/" + s.Env.Version, Now: s.Now, Profile: s.Options.Profile, Embedded: s.Options.Sandbox,
	}
	if !at.Embedded {
		return at, nil
	}
	address, err := s.SandboxAddress()
	embedded, _ := sandbox.InterfaceNamed(of.Name())
	at.BaseURL = address + embedded.Path
	return at, err
}

// AccountOf implements provider.Workspace.
func (s *Session) AccountOf(of provider.Service) (*checkpoint.Journal, error) {
	if s.Journal == nil || s.Options.isFirst(of) {
		return s.Journal, nil
	}
	id, err := s.Options.idOf(of)
	if err != nil {
		return nil, err
	}
	number, found, err := s.Journal.AccountAt(id.Interface, id.Service)
	if err != nil || !found {
		return nil, err
	}
	return s.Journal.For(number)
}

// CheckKey implements provider.Workspace.
func (s *Session) CheckKey(of provider.Service, accepted func() error) error {
	journal, err := s.AccountOf(of)
	switch {
	case err != nil:
		return err
	case journal == nil:
		return s.noOther(of)
	}
	err = journal.CheckAPIKey(s.Options.keyOf(of), s.Options.SameWorkspace)
	switch {
	case errors.Is(err, checkpoint.ErrOtherService):
		return problem.Coded("other_service", "%w", err)
	case !errors.Is(err, checkpoint.ErrOtherKey):
		return err
	}
	if !s.Options.isFirst(of) {
		err = fmt.Errorf("the %s interface: %w", of.Name(), err)
	}
	return otherKey(err, accepted())
}

// otherKey says what is wrong with a key that the journal does not know: the service refuses it, or accepts it, or did
// not say. Answer is the service's answer, nil when it accepts the key.
func otherKey(other, answer error) error {
	var refusal interface{ Refused() bool }
	switch {
	case answer == nil:
		return problem.Coded("other_key", "%w", other)
	case errors.Is(answer, context.Canceled), errors.As(answer, &refusal) && refusal.Refused():
		return answer
	}
	return problem.Coded("other_key_unchecked", "%w, and whether the service accepts this one could not be checked: %w; nothing was sent", other, answer)
}

// noOther refuses the account of a service when the journal has one of its interface at another address: everything
// that was bought there would be bought again.
func (s *Session) noOther(of provider.Service) error {
	id, err := s.Options.idOf(of)
	if err != nil {
		return err
	}
	for number, catalogue := range s.Journal.Catalogues() {
		if number > 0 && catalogue.Interface == id.Interface {
			return problem.Coded("other_service_"+id.Interface,
				"this journal was made with a %s interface at another address than %s", id.Interface, id.Service)
		}
	}
	return nil
}

// Register implements provider.Workspace. The first time, it records the account.
func (s *Session) Register(of provider.Service, accepted func() error) (*checkpoint.Journal, error) {
	if s.Options.isFirst(of) {
		return s.Journal, nil
	}
	if err := accepted(); err != nil {
		return nil, err
	}
	if err := s.CheckKey(of, func() error { return nil }); err != nil {
		return nil, err
	}
	id, err := s.Options.idOf(of)
	if err != nil {
		return nil, err
	}
	known, err := s.AccountOf(of)
	if err != nil {
		return nil, err
	}
	if known != nil {
		if err := known.RecordAPIKey(id.Key); err != nil {
			return nil, err
		}
	}
	about := of.Interface()
	var number attempt.Account
	number, err = s.Journal.Account(id, checkpoint.AccountOptions{Rate: of.KeptRate(), Catalogue: about.Catalogue, Tariff: about.Tariff})
	if err != nil {
		return nil, err
	}
	return s.Journal.For(number)
}

// RecordKey implements provider.Workspace. Register records those of other accounts than the first.
func (s *Session) RecordKey(of provider.Service) error {
	if !s.Options.isFirst(of) {
		return nil
	}
	return s.Journal.RecordAPIKey(s.Options.keyOf(of))
}
