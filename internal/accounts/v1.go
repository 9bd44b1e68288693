package accounts

import (
	"context"
	"fmt"

	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/interfaces"
	"payonce/internal/pricing"
	"payonce/internal/workspace"
	"payonce/pipeline/dispatch"
	v1 "payonce/service/v1"
	"payonce/service/v1/v1fields"
)

// V1 is the service of v1, which sells by a rate card.
type V1 struct {
	place *workspace.Session
	// unread hears why what the service publishes cannot be read.
	unread    func(error)
	client    *v1.StatusClient // nil where the service is not called
	paying    *v1.Client       // nil where nothing may be spent
	published pricing.Publications
}

// NewV1 returns the account of v1 in a workspace. Unread hears why what the service publishes cannot be read.
func NewV1(place *workspace.Session, note func(string), unread func(error)) *Account {
	service := place.Options.Service
	return &Account{
		Interface: interfaces.V1(), Journal: place.Journal, Rate: place.Options.Journal.Rate,
		SettleDelay: service.SettleDelay, Exclusive: service.Exclusive, Now: place.Env.Now, Note: note,
		RememberKey: place.RememberKey, Service: &V1{place: place, unread: unread},
	}
}

// Open implements Service.
func (s *V1) Open(a *Account, use Use) (err error) {
	a.Journal = s.place.Journal
	switch use {
	case Reading:
		s.client, err = s.place.OpenStatus()
		a.Status = s.client
	case Paying:
		var client *v1.Client
		if client, err = s.place.OpenClient(); err == nil {
			s.Use(a, client)
		}
	}
	return err
}

// Use lets the account use an open client, which Close closes.
func (s *V1) Use(a *Account, client *v1.Client) {
	s.paying, s.client, a.Status, a.Finder = client, client.StatusClient, client, client
}

// Register implements Service. The account is the first of the journal.
func (s *V1) Register(context.Context, *Account) error { return nil }

// Rates implements Service.
func (s *V1) Rates(_ enrich.Fields, prices cost.Prices) cost.Rates { return v1.Tariff().At(prices) }

// UnitPrice implements Service. Units of the free allowance need no limit.
func (s *V1) UnitPrice(cost.Meter) cost.Money { return 0 }

// Close implements Service.
func (s *V1) Close() {
	if s.paying != nil {
		s.paying.Close()
	}
}

// Look reads what the service publishes.
func (s *V1) Look(ctx context.Context, sent cost.Workload) (err error) {
	service := s.place.Options.Service
	check := func(p pricing.Publication) error { return p.CheckNames(service.Names, service.Transport, sent) }
	s.published, err = pricing.ReadPublications(ctx, s.client, service.Transport, check, s.unread)
	return err
}

// Choose returns the prices of fields from the first source that tells them.
func (s *V1) Choose(fields enrich.Fields, account cost.Account) (pricing.Choice, error) {
	return pricing.Choose(s.place.Options.Prices, fields, s.published, account)
}

// Unavailable refuses lookups that the service does not sell, as far as the account and its publications tell. It
// returns nil when neither says so. Where the account says something about an operation, that decides.
func (s *V1) Unavailable(account cost.Account, sent cost.Workload) dispatch.Stop {
	if offered := account.Offers(v1fields.EnrichContact.String()); sent[v1fields.EnrichContact.Fields()] > 0 && offered.Known && !offered.Value {
		return dispatch.ServiceRefused{Code: v1.CodePricingUnavailable, Message: "the workspace's plan does not offer enrich, which profiles need"}
	}
	for _, p := range s.published {
		for _, operation := range v1fields.Operations() {
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
func (s *V1) Sent(lookups cost.Workload) cost.Workload {
	if !s.place.Options.Service.Profile {
		return lookups
	}
	return cost.Workload{v1fields.EnrichContact.Fields(): lookups.Lookups()}
}
