package accounts

import (
	"context"

	"payonce/cost"
	"payonce/enrich"
	"payonce/internal/pricing"
	"payonce/internal/workspace"
	"payonce/pipeline/dispatch"
	v1 "payonce/service/v1"
)

// V1 sells the calls of v1 by a rate card.
type V1 struct {
	Client  *v1.StatusClient // nil where the service is not called
	Service workspace.Service
	Prices  pricing.Options
	// Unread hears why what the service publishes cannot be read.
	Unread func(error)

	Published pricing.Publications // by the service; none before Look
}

// Look reads what the service publishes.
func (s *V1) Look(ctx context.Context, sent cost.Workload) (err error) {
	check := func(p pricing.Publication) error { return p.CheckNames(s.Service.Names, s.Service.Transport, sent) }
	s.Published, err = pricing.ReadPublications(ctx, s.Client, s.Service.Transport, check, s.Unread)
	return err
}

// Choose returns the prices of fields from the first source that tells them.
func (s *V1) Choose(fields enrich.Fields, account cost.Account) (pricing.Choice, error) {
	return pricing.Choose(s.Prices, fields, s.Published, account)
}

// Unavailable says which of the lookups the account or what is published does not offer.
func (s *V1) Unavailable(account cost.Account, sent cost.Workload) dispatch.Stop {
	return s.Published.Unavailable(account, sent)
}

// Sent returns the lookups as they are sent: with profiles all of them ask for contacts to be enriched.
func (s *V1) Sent(lookups cost.Workload) cost.Workload {
	return pricing.Sent(lookups, s.Service.Profile)
}
