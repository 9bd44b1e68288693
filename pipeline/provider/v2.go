package provider

import (
	"context"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
)

// v2Service is the service of v2, which counts units of modules.
type v2Service struct {
	place  *workspace.Session
	paying *v2.Client // nil where nothing may be used up
}

// NewV2Account returns the account of v2 in a workspace.
func NewV2Account(place *workspace.Session, note func(string)) *Account {
	service, second := place.Options.Service, place.Options.V2
	rate := second.Kept
	if rate.Slots == 0 {
		rate = workspace.DefaultRateV2()
	}
	return &Account{
		Interface: V2Interface(second.Modules), Rate: rate, SettleDelay: service.SettleDelay,
		Exclusive: service.Exclusive, Now: place.Env.Now, Note: note, Service: &v2Service{place: place},
		RememberKey: func() error { return nil }, // Register does
	}
}

// Open implements Service. The journal is nil until the account is registered.
func (s *v2Service) Open(a *Account, use Use) (err error) {
	if s.place.Journal != nil {
		journal, found, err := s.place.ReadV2()
		if err != nil {
			return err
		}
		if found {
			a.Journal = journal
		}
	}
	switch use {
	case UseReading:
		a.Status, err = s.place.OpenV2Status()
	case UsePaying:
		if s.paying, err = s.place.OpenV2Client(); err == nil {
			a.Status, a.Finder = s.paying, v2.Finder{Client: s.paying, Prices: s.place.Options.V2.Prices}
		}
	}
	return err
}

// Register implements Service. The journal gets to know the account once the service has accepted its key.
func (s *v2Service) Register(ctx context.Context, a *Account) error {
	if _, err := a.Status.Status(ctx); err != nil {
		return problem.AsRefused(ctx, err)
	}
	var err error
	a.Journal, err = s.place.RegisterV2()
	return err
}

// Close implements Service.
func (s *v2Service) Close() {
	if s.paying != nil {
		s.paying.Close()
	}
}

// Look implements Service. The service publishes nothing about its calls.
func (s *v2Service) Look(context.Context, cost.Workload) error { return nil }

// Choose implements Service. The service takes no money for a field. Rates has what its units cost.
func (s *v2Service) Choose(fields enrich.Fields, _ cost.Account) (workspace.PriceChoice, error) {
	choice := workspace.PriceChoice{Quote: cost.Quote{Prices: cost.Prices{}, Sources: map[enrich.Field]string{}}}
	for f := range fields.Each() {
		choice.Quote.Prices[f], choice.Quote.Sources[f] = 0, "the units of modules"
	}
	return choice, nil
}

// Rates implements Service.
func (s *v2Service) Rates(fields enrich.Fields, _ cost.Prices) cost.Rates {
	prices := cost.Prices{}
	for f := range fields.Each() {
		prices[f] = 0
	}
	second := s.place.Options.V2
	return second.Prices.Rates(second.Modules.Tariff().At(prices))
}

// UnitPrice implements Service.
func (s *v2Service) UnitPrice(m cost.Meter) cost.Money { return s.place.Options.V2.Prices[m] }

// Unavailable implements Service.
func (s *v2Service) Unavailable(cost.Account, cost.Workload) dispatch.Stop { return nil }

// Sent implements Service.
func (s *v2Service) Sent(lookups cost.Workload) cost.Workload { return lookups }
