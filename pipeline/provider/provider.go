package provider

import (
	"context"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/report"
)

// Provider is what the program knows of one interface of a service. Each interface has one value, with its settings in
// it, and a package of its own; the list of all is in the package providers. Nothing else depends on which there are.
type Provider interface {
	// Interface returns what calls of the interface ask for and consume, and how their answers are read.
	Interface() Interface
	// Connect returns a connection of an account to its service. It is closed.
	Connect(ConnectOptions) Connection
	// Check makes the free calls to the service and checks what comes back. An error ends all checks.
	Check(ctx context.Context, at Endpoint, c *Checks) error
	// Show adds to a view what is free to know of an account. Its error is that of the service.
	Show(ctx context.Context, at Endpoint, known AccountReader, view *report.Account) error
}

// Service says where a provider's interface of a service is, and how fast it is called.
type Service struct {
	Provider
	BaseURL     string // "" where the interface is not configured
	Key         string
	Timeout     time.Duration
	Connections int
	Rate        checkpoint.Rate // of the service; the embedded one allows it
	Kept        checkpoint.Rate // the limit that the journal keeps; what is zero is as the interface has it
}

// Name returns the name of the interface.
func (s Service) Name() string { return s.Interface().Catalogue.Interface }

// KeptRate returns the limit that the journal keeps.
func (s Service) KeptRate() checkpoint.Rate {
	kept, usual := s.Kept, s.Interface().Rate
	if kept.Slots == 0 {
		kept.Slots = usual.Slots
	}
	if kept.Window == 0 {
		kept.Window = usual.Window
	}
	return kept
}

// Of returns the service of a provider among services, and the provider with its settings; false where there is none.
func Of[P Provider](services []Service) (Service, P, bool) {
	for _, s := range services {
		if p, is := s.Provider.(P); is {
			return s, p, true
		}
	}
	var none P
	return Service{}, none, false
}

// Change changes the settings of a provider in services.
func Change[P Provider](services []Service, change func(*P)) {
	for i, s := range services {
		if p, is := s.Provider.(P); is {
			change(&p)
			services[i].Provider = p
		}
	}
}

// Endpoint is where a service is called and how.
type Endpoint struct {
	BaseURL, Key string
	Timeout      time.Duration
	Connections  int
	UserAgent    string
	Now          func() time.Time
	// Embedded says that it is the embedded service, which is at no other address.
	Embedded bool
	// Profile says that lookups ask for what the interface returns on request.
	Profile bool
}

// ConnectOptions say what a connection has to know besides the endpoint, which is not known before it is opened.
type ConnectOptions struct {
	Prices  PriceOptions
	Profile bool // as in Endpoint
	// Unread hears why what the service publishes cannot be read.
	Unread func(error)
}

// Connection is how an account calls its service, and what the service says of its calls.
type Connection interface {
	// Open opens a client of what is free, and one that can pay where the use says so. Without that the Finder is nil.
	Open(at Endpoint, use Use) (dispatch.StatusReader, dispatch.Finder, error)
	// Close closes the clients.
	Close()
	// Look reads what the service publishes about the calls that are to be sent.
	Look(ctx context.Context, sent cost.Workload) error
	// Choose returns what fields cost. The account is zero where it was not read.
	Choose(fields enrich.Fields, account cost.Account) (PriceChoice, error)
	// Rates returns what fields consume at their prices.
	Rates(fields enrich.Fields, prices cost.Prices) cost.Rates
	// UnitPrice returns what each unit of a meter costs, so that a limit on money bounds it; zero for none.
	UnitPrice(m cost.Meter) cost.Money
	// Unavailable says which of the calls the service does not sell; nil where nothing is known against them.
	Unavailable(account cost.Account, sent cost.Workload) dispatch.Stop
	// Sent returns lookups as they are sent.
	Sent(lookups cost.Workload) cost.Workload
}

// AccountReader returns the journal as an account sees it, to look at; nil where there is none.
type AccountReader func(ctx context.Context) (*checkpoint.Journal, error)

// Workspace is the workspace of an account: where its service is, and its journal. The first service of a workspace has the
// account 0, which every journal has. The journal gets to know the other accounts when they are registered.
type Workspace interface {
	// Endpoint returns where a service is called. It starts the embedded service.
	Endpoint(of Service) (Endpoint, error)
	// AccountOf returns the journal as the account of a service sees it; nil before the journal is open, and where the
	// journal does not know the account.
	AccountOf(of Service) (*checkpoint.Journal, error)
	// CheckKey refuses an API key that is not known to belong to the account. Of such a key it first calls accepted,
	// which says whether the service accepts the key: one that it refuses belongs to no account.
	CheckKey(of Service, accepted func() error) error
	// Register returns the journal as the account sees it. Of an account that has to be registered it first calls
	// accepted, which says whether the service accepts the key.
	Register(of Service, accepted func() error) (*checkpoint.Journal, error)
	// RecordKey notes that the key which the service has accepted is that of the account.
	RecordKey(of Service) error
}

// Units is the part of a connection that services share which take no money and count units. A Connection embeds it.
type Units struct {
	Tariff cost.Tariff
	Source string // what a plan calls the source of the prices of fields, which are all 0
}

// Look implements Connection. The service publishes nothing about its calls.
func (Units) Look(context.Context, cost.Workload) error { return nil }

// Choose implements Connection. The service takes no money for a field.
func (u Units) Choose(fields enrich.Fields, _ cost.Account) (PriceChoice, error) {
	choice := PriceChoice{Quote: cost.Quote{Prices: cost.Prices{}, Sources: map[enrich.Field]string{}}}
	for f := range fields.Each() {
		choice.Quote.Prices[f], choice.Quote.Sources[f] = 0, u.Source
	}
	return choice, nil
}

// Rates implements Connection.
func (u Units) Rates(fields enrich.Fields, _ cost.Prices) cost.Rates {
	prices := cost.Prices{}
	for f := range fields.Each() {
		prices[f] = 0
	}
	return u.Tariff.At(prices)
}

// UnitPrice implements Connection.
func (Units) UnitPrice(cost.Meter) cost.Money { return 0 }

// Unavailable implements Connection.
func (Units) Unavailable(cost.Account, cost.Workload) dispatch.Stop { return nil }

// Sent implements Connection.
func (Units) Sent(lookups cost.Workload) cost.Workload { return lookups }

// UnitsByName returns the units among amounts of an interface by the names of their meters. Of an interface that takes
// money it returns nil.
func (i Interface) UnitsByName(amounts cost.Amounts) map[string]int64 {
	if len(i.Tariff.Meters) == 0 || !i.Tariff.Meters[cost.USD].Hidden {
		return nil
	}
	units := map[string]int64{}
	for m, info := range i.Tariff.Meters {
		if amounts[m] > 0 && m != int(cost.USD) {
			units[info.Name] = amounts[m]
		}
	}
	return units
}
