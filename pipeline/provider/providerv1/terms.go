package providerv1

import (
	"context"
	"fmt"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// connection is how an account calls the service.
type connection struct {
	provider  Provider
	options   provider.ConnectOptions
	client    *v1.StatusClient // nil where the service is not called
	paying    *v1.Client       // nil where nothing may be spent
	published publications
}

// Open implements provider.Connection.
func (s *connection) Open(at provider.Endpoint, use provider.Use) (dispatch.StatusReader, dispatch.Finder, error) {
	config := s.provider.Config(at)
	var err error
	if use != provider.UsePaying {
		s.client, err = v1.NewStatusClient(config)
		return s.client, nil, problem.AsUsage(err)
	}
	if s.paying, err = v1.NewClient(config); err != nil {
		return nil, nil, problem.AsUsage(err)
	}
	s.client = s.paying.StatusClient
	return s.paying, s.paying, nil
}

// Rates implements provider.Connection.
func (s *connection) Rates(_ enrich.Fields, prices cost.Prices) cost.Rates {
	return v1.Tariff().At(prices)
}

// UnitPrice implements provider.Connection. Units of the free allowance need no limit.
func (s *connection) UnitPrice(cost.Meter) cost.Money { return 0 }

// Close implements provider.Connection.
func (s *connection) Close() {
	if s.paying != nil {
		s.paying.Close()
	}
}

// Look reads what the service publishes.
func (s *connection) Look(ctx context.Context, sent cost.Workload) (err error) {
	check := func(p publication) error { return p.checkNames(s.provider.Names, s.provider.transport(), sent) }
	s.published, err = readPublications(ctx, s.client, s.provider.Transport, check, s.options.Unread)
	return err
}

// Choose returns the prices of fields from the first source that has them.
func (s *connection) Choose(fields enrich.Fields, account cost.Account) (provider.PriceChoice, error) {
	return choosePrices(s.options.Prices, fields, s.published, account)
}

// Unavailable refuses lookups that the service does not sell, as far as the account and its publications tell. It
// returns nil when neither says so. Where the account says something about an operation, that decides.
func (s *connection) Unavailable(account cost.Account, sent cost.Workload) dispatch.Stop {
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
func (s *connection) Sent(lookups cost.Workload) cost.Workload {
	if !s.options.Profile {
		return lookups
	}
	return cost.Workload{v1.EnrichContact.Fields(): lookups.Lookups()}
}
