package workspace

import (
	"cmp"
	"errors"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/attempt"
	"payonce/cost"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/service/v2"
	"payonce/pipeline/problem"
)

// V2 says where the second interface of the service is and how it is called. Service.Sandbox replaces it,
// too, by the embedded one.
type V2 struct {
	BaseURL     string
	Key         string
	Modules     v2.Modules // what is known of the modules of operations
	NotFound    string     // what the service says when it finds nothing; "" for what is assumed
	Prices      v2.Prices  // what their units cost the user
	Timeout     time.Duration
	Connections int
	Rate        checkpoint.Rate // that the embedded service allows
	Kept        checkpoint.Rate // the limit that the journal keeps
}

// The names of the embedded service's accounts in journals. Its port changes with every start.
const (
	sandboxV1 = "sandbox/api/v1"
	sandboxV2 = "sandbox/v2"
)

// HasV2 reports whether the second interface can be called.
func (o Options) HasV2() bool { return o.Service.Sandbox || o.V2.BaseURL != "" }

// serviceName returns the address of the first interface as journals have it; "" where it has none.
func (o Options) serviceName() string {
	if o.Service.Sandbox {
		return sandboxV1
	}
	name, _ := checkpoint.CanonicalBaseURL(o.Service.BaseURL) // Dir checks it
	return name
}

// v2ID returns how journals identify the account of the second interface.
func (o Options) v2ID() (checkpoint.AccountID, error) {
	id := checkpoint.AccountID{Interface: v2.Catalogue().Interface, Service: sandboxV2, Key: sandboxv2.DefaultKey}
	if o.Service.Sandbox {
		return id, nil
	}
	name, ok := checkpoint.CanonicalBaseURL(o.V2.BaseURL)
	if !ok {
		return id, problem.Coded("base_url_v2", "the address of the v2 interface is not an absolute http or https address")
	}
	id.Service, id.Key = name, o.V2.Key
	return id, nil
}

// V2Config returns how the second interface is called, and starts the embedded service when that is the
// service.
func (s *Session) V2Config() (v2.Config, error) {
	second := s.Options.V2
	config := v2.Config{
		BaseURL: second.BaseURL, Key: second.Key, Modules: second.Modules, NotFound: second.NotFound, Timeout: second.Timeout,
		MaxConnections: second.Connections, UserAgent: "payonce/" + s.Env.Version, Now: s.Env.Now,
	}
	if s.Options.Service.Sandbox {
		embedded, err := s.sandboxURLs()
		if err != nil {
			return config, err
		}
		config.BaseURL, config.Key = embedded.v2, sandboxv2.DefaultKey
	}
	return config, nil
}

// OpenV2Status returns a client of the second interface that can read what is free and nothing else.
func (s *Session) OpenV2Status() (*v2.StatusClient, error) {
	config, err := s.V2Config()
	if err != nil {
		return nil, err
	}
	client, err := v2.NewStatusClient(config)
	return client, problem.AsUsage(err)
}

// OpenV2Client returns a client of the second interface that can use up units, for the workspace of the
// journal. It refuses an API key that is not known to belong to it.
func (s *Session) OpenV2Client() (*v2.Client, error) {
	config, err := s.V2Config()
	if err != nil {
		return nil, err
	}
	client, err := v2.NewClient(config)
	if err != nil {
		return nil, problem.AsUsage(err)
	}
	_, _, err = s.knownV2()
	return client, err
}

// RegisterV2 returns the journal as the account of the second interface sees it. The first time, it records
// the account. Call it once the service has accepted the key, which is then known to belong to the
// workspace.
func (s *Session) RegisterV2() (*checkpoint.Journal, error) {
	known, number, err := s.knownV2()
	if err != nil {
		return nil, err
	}
	id, err := s.Options.v2ID()
	if err != nil {
		return nil, err
	}
	if known {
		journal, err := s.Journal.For(number)
		if err != nil {
			return nil, err
		}
		if err := journal.RememberAPIKey(id.Key); err != nil {
			return nil, err
		}
	}
	rate := s.Options.V2.Kept
	number, err = s.Journal.Account(id, checkpoint.AccountOptions{
		Rate:      checkpoint.Rate{Slots: cmp.Or(rate.Slots, DefaultRateV2().Slots), Window: cmp.Or(rate.Window, DefaultRateV2().Window)},
		Catalogue: v2.Catalogue(), Tariff: v2.Tariff(s.Options.V2.Modules),
	})
	if err != nil {
		return nil, err
	}
	return s.Journal.For(number)
}

// DefaultRateV2 is the limit that is assumed of the second interface.
func DefaultRateV2() checkpoint.Rate {
	pace := v2.KeyPace()
	return checkpoint.Rate{Slots: int(pace.Calls), Window: pace.Window}
}

// ReadV2 returns the journal as the account of the second interface sees it, to look at. It returns false
// when the journal does not know the account.
func (s *Session) ReadV2() (*checkpoint.Journal, bool, error) {
	id, err := s.Options.v2ID()
	if err != nil {
		return nil, false, err
	}
	number, found, err := s.Journal.AccountAt(id.Interface, id.Service)
	if err != nil || !found {
		return nil, false, err
	}
	journal, err := s.Journal.For(number)
	return journal, err == nil, err
}

// DriftV2 compares a reading of the account of the second interface with what its journal booked since the base.
func (s *Session) DriftV2(journal *checkpoint.Journal, now cost.Account) cost.Drift {
	totals := journal.Totals(checkpoint.ScopeAccount)
	return cost.DriftOf(journal.Base(), now, totals, totals, s.Options.V2.Modules.Tariff(), false)
}

// CheckV2Key refuses an API key of the second interface that is not known to belong to the journal's
// workspace.
func (s *Session) CheckV2Key() error {
	_, _, err := s.knownV2()
	return err
}

// knownV2 returns the number of the account of the second interface, when the journal knows it. It refuses
// another API key than the account's.
func (s *Session) knownV2() (known bool, number attempt.Account, err error) {
	journal, known, err := s.ReadV2()
	if err != nil {
		return false, 0, err
	}
	id, err := s.Options.v2ID()
	if err != nil {
		return false, 0, err
	}
	if !known {
		return false, 0, s.noOtherV2(id)
	}
	err = journal.CheckAPIKey(id.Key, s.Options.Service.SameWorkspace)
	if errors.Is(err, checkpoint.ErrOtherKey) {
		err = problem.Coded("other_key", "the v2 interface: %w", err)
	}
	return true, journal.Number(), err
}

// noOtherV2 refuses an account of the second interface when the journal has one at another address: everything
// that was bought there would be bought again.
func (s *Session) noOtherV2(id checkpoint.AccountID) error {
	for number, catalogue := range s.Journal.Catalogues() {
		if number > 0 && catalogue.Interface == id.Interface {
			return problem.Coded("other_service_v2", "this journal was made with a v2 interface at another address than %s", id.Service)
		}
	}
	return nil
}
