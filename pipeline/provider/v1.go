package provider

import (
	"context"
	"fmt"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/workspace"
)

// V1Service is the service of v1, which sells by a rate card.
type V1Service struct {
	place *workspace.Session
	// unread hears why what the service publishes cannot be read.
	unread    func(error)
	client    *v1.StatusClient // nil where the service is not called
	paying    *v1.Client       // nil where nothing may be spent
	published workspace.Publications
}

// NewV1Account returns the account of v1 in a workspace. Unread hears why what the service publishes cannot be read.
func NewV1Account(place *workspace.Session, note func(string), unread func(error)) *Account {
	service := place.Options.Service
	return &Account{
		Interface: V1Interface(), Journal: place.Journal, Rate: place.Options.Journal.Rate,
		SettleDelay: service.SettleDelay, Exclusive: service.Exclusive, Now: place.Env.Now, Note: note,
		RememberKey: place.RememberKey, Service: &V1Service{place: place, unread: unread},
	}
}

// Open implements Service.
func (s *V1Service) Open(a *Account, use Use) (err error) {
	a.Journal = s.place.Journal
	switch use {
	case UseReading:
		s.client, err = s.place.OpenStatus()
		a.Status = s.client
	case UsePaying:
		var client *v1.Client
		if client, err = s.place.OpenClient(); err == nil {
			s.Use(a, client)
		}
	}
	return err
}

// Use lets the account use an open client, which Close closes.
func (s *V1Service) Use(a *Account, client *v1.Client) {
	s.paying, s.client, a.Status, a.Finder = client, client.StatusClient, client, client
}

// Register implements Service. The account is the first of the journal.
func (s *V1Service) Register(context.Context, *Account) error { return nil }

// Rates implements Service.
func (s *V1Service) Rates(_ enrich.Fields, prices cost.Prices) cost.Rates {
	return v1.Tariff().At(prices)
}

// UnitPrice implements Service. Units of the free allowance need no limit.
func (s *V1Service) UnitPrice(cost.Meter) cost.Money { return 0 }

// Close implements Service.
func (s *V1Service) Close() {
	if s.paying != nil {
		s.paying.Close()
	}
}

// Look reads what the service publishes.
func (s *V1Service) Look(ctx context.Context, sent cost.Workload) (err error) {
	service := s.place.Options.Service
	check := func(p workspace.Publication) error { return p.CheckNames(service.Names, service.Transport, sent) }
	s.published, err = workspace.ReadPublications(ctx, s.client, service.Transport, check, s.unread)
	return err
}

// Choose returns the prices of fields from the first source that has them.
func (s *V1Service) Choose(fields enrich.Fields, account cost.Account) (workspace.PriceChoice, error) {
	return workspace.ChoosePrices(s.place.Options.Prices, fields, s.published, account)
}

// Unavailable refuses lookups that the service does not sell, as far as the account and its publications tell. It
// returns nil when neither says so. Where the account says something about an operation, that decides.
func (s *V1Service) Unavailable(account cost.Account, sent cost.Workload) dispatch.Stop {
	if offered := account.Offers(v1.EnrichContact.String()); sent[v1.EnrichContact.Fields()] > 0 && offered.Known && !offered.Value {
		return dispatch.ServiceRefused{Code: v1.CodePricingUnavailable, Message: "the workspace's plan does not offer enrich, which profiles need"}
	}
	for _, p := range s.published {
		for _, operation := range v1.Operations() {
			offer := p.Operations[operation]
			refused := offer.Access.Available.Known && !offer.Access.Available.Value
			if refused && sent[operation.Fields()] > 0 && !account.Offers(operation.String()).Known {
				return dispatch.ServiceRefused{
					Code: v1.CodePricingUnavailable, Message: fmt.Sprintf("%s calls %s unavailable", p.Name, operation),
				}
			}
		}
	}
	return nil
}

// Sent returns the lookups as they are sent. With profiles, all of them ask for enriched contacts.
func (s *V1Service) Sent(lookups cost.Workload) cost.Workload {
	if !s.place.Options.Service.Profile {
		return lookups
	}
	return cost.Workload{v1.EnrichContact.Fields(): lookups.Lookups()}
}
