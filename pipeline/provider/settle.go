package provider

import (
	"context"

	"payonce/checkpoint/attempt"
	"payonce/cost"
	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
)

// SettleV1 decides about calls in doubt in the open journal of a workspace, by what the account of v1 shows.
func SettleV1(ctx context.Context, place *workspace.Session, account *Account) (found attempt.Findings, err error) {
	if err := account.Open(UseReading); err != nil {
		return found, err
	}
	if err := place.CheckKey(); err != nil {
		return found, err
	}
	account.Note("waiting for the account to settle")
	if found, err = account.Reconciler().Reconcile(ctx); err != nil {
		return found, problem.IfRefused(ctx, err)
	}
	if len(found.Cases) > 0 || found.Why == "" { // the account was read
		err = place.RememberKey()
	}
	return found, err
}

// SettleV2 is SettleV1 for the account of v2. The units are those that the account used and the journal has
// not booked. It finds nothing where there is no such account, or where that account shows nothing.
func SettleV2(
	ctx context.Context, place *workspace.Session, note func(string),
) (found attempt.Findings, units map[string]int64, err error) {
	if !place.Options.HasV2() {
		return found, nil, nil
	}
	journal, known, err := place.ReadV2()
	if err != nil || !known || !journal.AwaitsAccount() {
		return found, nil, err
	}
	account := NewV2Account(place, note)
	if err := account.Open(UseReading); err != nil {
		return found, nil, err
	}
	if err := place.CheckV2Key(); err != nil {
		return found, nil, err
	}
	if err := account.Service.Register(ctx, account); err != nil {
		return found, nil, err
	}
	note("waiting for the account of v2 to settle")
	found, err = account.Reconciler().Reconcile(ctx)
	return found, UnitsByName(place.Options, account.Catalogue.Interface, found.Unexplained), problem.IfRefused(ctx, err)
}

// UnitsByName returns amounts of an interface that are units of modules, by their names. Of an interface that charges
// money it returns none.
func UnitsByName(options workspace.Options, interfaceName string, amounts cost.Amounts) map[string]int64 {
	v2 := V2Interface(options.V2.Modules)
	if interfaceName != v2.Catalogue.Interface {
		return nil
	}
	units := map[string]int64{}
	for m, info := range v2.Tariff.Meters {
		if amounts[m] > 0 && m != int(cost.USD) {
			units[info.Name] = amounts[m]
		}
	}
	return units
}
