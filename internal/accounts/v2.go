package accounts

import (
	"context"

	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/interfaces"
	"payonce/internal/pricing"
	"payonce/internal/problem"
	"payonce/internal/workspace"
	"payonce/pipeline/dispatch"
	v2 "payonce/service/v2"
)

// V2 is the service of v2, which counts units of modules.
type V2 struct {
	place  *workspace.Session
	paying *v2.Client // nil where nothing may be used up
}

// NewV2 returns the account of v2 in a workspace.
func NewV2(place *workspace.Session, note func(string)) *Account {
	service, second := place.Options.Service, place.Options.V2
	rate := second.Kept
	if rate.Slots == 0 {
		rate = workspace.DefaultRateV2()
	}
	return &Account{
		Interface: interfaces.V2(second.Modules), Rate: rate, SettleDelay: service.SettleDelay,
		Exclusive: service.Exclusive, Now: place.Env.Now, Note: note, Service: &V2{place: place},
		RememberKey: func() error { return nil }, // Register does
	}
}

// Open implements Service. The journal is nil until the account is registered.
func (s *V2) Open(a *Account, use Use) (err error) {
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
	case Reading:
		a.Status, err = s.place.OpenV2Status()
	case Paying:
		if s.paying, err = s.place.OpenV2Client(); err == nil {
			a.Status, a.Finder = s.paying, v2.Finder{Client: s.paying, Prices: s.place.Options.V2.Prices}
		}
	}
	return err
}

// Register implements Service. The journal gets to know the account once the service has accepted its key.
func (s *V2) Register(ctx context.Context, a *Account) error {
	if _, err := a.Status.Status(ctx); err != nil {
		return problem.AsRefused(ctx, err)
	}
	var err error
	a.Journal, err = s.place.RegisterV2()
	return err
}

// Close implements Service.
func (s *V2) Close() {
	if s.paying != nil {
		s.paying.Close()
	}
}

// Look implements Service. The service publishes nothing about its calls.
func (s *V2) Look(context.Context, cost.Workload) error { return nil }

// Choose implements Service. The service takes no money for a field. Rates has what its units cost.
func (s *V2) Choose(fields enrich.Fields, _ cost.Account) (pricing.Choice, error) {
	choice := pricing.Choice{Quote: cost.Quote{Prices: cost.Prices{}, Sources: map[enrich.Field]string{}}}
	for f := range fields.Each() {
		choice.Quote.Prices[f], choice.Quote.Sources[f] = 0, "the units of modules"
	}
	return choice, nil
}

// Rates implements Service.
func (s *V2) Rates(fields enrich.Fields, _ cost.Prices) cost.Rates {
	prices := cost.Prices{}
	for f := range fields.Each() {
		prices[f] = 0
	}
	second := s.place.Options.V2
	return second.Prices.Rates(second.Modules.Tariff().At(prices))
}

// UnitPrice implements Service.
func (s *V2) UnitPrice(m cost.Meter) cost.Money { return s.place.Options.V2.Prices[m] }

// Unavailable implements Service.
func (s *V2) Unavailable(cost.Account, cost.Workload) dispatch.Stop { return nil }

// Sent implements Service.
func (s *V2) Sent(lookups cost.Workload) cost.Workload { return lookups }
