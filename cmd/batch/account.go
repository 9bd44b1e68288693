package main

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"payonce/cost"
	"payonce/enrich"
	"payonce/service/v1"
)

func newAccountCommand(env environment) *cobra.Command {
	s := newSettings(env)
	cmd := &cobra.Command{
		Use:   "account",
		Short: "Show the free account status",
		Long: "Read the account status and show it. This is free and sends no lookup. What the service\n" +
			"does not tell is shown as unknown." +
			exitCodes(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted),
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withSession(cmd, func(session *session) error { return session.showAccount(cmd.Context()) })
		},
	}
	s.addJournalFlags(cmd.Flags())
	s.addServiceFlags(cmd.Flags())
	return cmd
}

func (s *session) showAccount(ctx context.Context) error {
	client, err := s.openStatus()
	if err != nil {
		return err
	}
	account, err := client.Status(ctx)
	if err != nil {
		return asService(ctx, err)
	}
	view := viewAccount(account)
	if s.json {
		return printJSON(s.env.stdout, view)
	}
	return view.print(&printer{w: s.env.stdout})
}

// accountView is the account status as it is shown; null is unknown.
type accountView struct {
	KeyValid  *bool                    `json:"key_valid"`
	Free      map[string]*int64        `json:"free_allowance"`
	Available *cost.Money              `json:"available_usd"`
	Included  *cost.Money              `json:"included_usd"`
	Prepaid   *cost.Money              `json:"prepaid_usd"`
	Reserved  *cost.Money              `json:"reserved_usd"`
	Budget    budgetView               `json:"usage_budget"`
	Readiness map[string]readinessView `json:"readiness"`
}

type budgetView struct {
	Capped    *bool       `json:"capped"`
	Cap       *cost.Money `json:"cap_usd"`
	Spent     *cost.Money `json:"spent_usd"`
	Remaining *cost.Money `json:"remaining_usd"`
	ResetsAt  string      `json:"resets_at,omitempty"`
}

type readinessView struct {
	CanCall *bool       `json:"can_call"`
	Reason  string      `json:"reason,omitempty"`
	Maximum *cost.Money `json:"maximum_charge_usd"`
}

func pointer[T any](o cost.Optional[T]) *T {
	if !o.Known {
		return nil
	}
	return &o.Value
}

func viewAccount(a cost.Account) accountView {
	view := accountView{
		KeyValid: pointer(a.KeyValid), Free: map[string]*int64{}, Readiness: map[string]readinessView{},
		Available: pointer(a.Balance.Available), Included: pointer(a.Balance.Included),
		Prepaid: pointer(a.Balance.Prepaid), Reserved: pointer(a.Balance.Reserved),
	}
	for f, units := range a.Free {
		view.Free[enrich.Field(f).String()] = pointer(units)
	}
	if a.Budget.Known {
		view.Budget = budgetView{
			Capped: &a.Budget.Capped, Cap: pointer(a.Budget.Cap),
			Spent: pointer(a.Budget.Spent), Remaining: pointer(a.Budget.Remaining),
		}
		if !a.Budget.ResetsAt.IsZero() {
			view.Budget.ResetsAt = a.Budget.ResetsAt.UTC().Format(time.RFC3339)
		}
	}
	for name, r := range a.Readiness {
		view.Readiness[readinessKind(name)] = readinessView{CanCall: pointer(r.CanCall), Reason: r.Reason, Maximum: pointer(r.MaximumCharge)}
	}
	return view
}

// readinessKind returns the service's name for what an account says of an operation.
func readinessKind(name string) string {
	for _, operation := range enrich.Operations() {
		if operation.String() == name {
			return v1.ReadinessKind(operation)
		}
	}
	return name
}

func (v accountView) print(p *printer) error {
	p.entry("key", "%s", map[bool]string{true: "valid", false: "not known to be valid"}[v.KeyValid != nil && *v.KeyValid])
	for f := range enrich.AllFields.Each() {
		if units := v.Free[f.String()]; units != nil {
			p.entry("free "+f.String(), "%d left", *units)
		} else {
			p.entry("free "+f.String(), "unknown")
		}
	}
	p.entry("balance", "%s available (%s included, %s prepaid), %s reserved",
		dollars(v.Available), dollars(v.Included), dollars(v.Prepaid), dollars(v.Reserved))
	switch {
	case v.Budget.Capped == nil:
		p.entry("usage budget", "unknown")
	case !*v.Budget.Capped:
		p.entry("usage budget", "no cap")
	default:
		p.entry("usage budget", "%s remaining of %s; resets at %s", dollars(v.Budget.Remaining), dollars(v.Budget.Cap), v.Budget.ResetsAt)
	}
	for _, kind := range slices.Sorted(maps.Keys(v.Readiness)) {
		r := v.Readiness[kind]
		switch {
		case r.CanCall == nil:
			p.entry("lookup "+kind, "unknown")
		case *r.CanCall:
			p.entry("lookup "+kind, "ready, costs at most %s", dollars(r.Maximum))
		default:
			p.entry("lookup "+kind, "not ready: %s", r.Reason)
		}
	}
	return p.err
}

func dollars(amount *cost.Money) string {
	if amount == nil {
		return "unknown"
	}
	return "$" + amount.String()
}
