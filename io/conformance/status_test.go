package conformance

import (
	"context"
	"errors"
	"fmt"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v1"
)

// Status reads the account status through a client, and says what it has to show. The
// call is free: it moves nothing and counts towards no limit.
type Status struct {
	As    string       // the name of the key
	Over  v1.Transport // another one than the case is played over
	Shows members      // of the status object
	// Refused is the code with which it has to be refused, and HTTP the status; "" for
	// none.
	Refused string
	HTTP    int
}

func (s Status) play(ctx context.Context, p *play) error {
	subject, err := p.client(access{key: s.As, over: s.Over})
	if err != nil {
		return err
	}
	before := p.sandbox.Ledger()
	wired := p.tap.count()
	account, err := subject.Status(ctx)
	problems := []error{}
	if s.Refused != "" {
		problems = append(problems, s.checkRefusal(err))
	} else if err != nil {
		return fmt.Errorf("account status: %w", err)
	} else {
		problems = append(problems, s.checkShown(p.tap.since(wired), account))
	}
	after := p.sandbox.Ledger()
	if len(after.Arrivals) != len(before.Arrivals) || after.Available != before.Available || after.FreeLeft != before.FreeLeft {
		problems = append(problems, errors.New("reading the status moved the account"))
	}
	return errors.Join(problems...)
}

func (s Status) checkRefusal(err error) error {
	var refused *v1.StatusError
	if !errors.As(err, &refused) || refused.Code != s.Refused || refused.HTTPStatus != s.HTTP {
		return fmt.Errorf("account status: %v, want HTTP %d %s", err, s.HTTP, s.Refused)
	}
	return nil
}

// checkShown compares the status as it was sent, and as the client reads it.
func (s Status) checkShown(exchanges []exchange, account cost.Account) error {
	status := lastStatus(exchanges)
	if status == nil {
		return errors.New("no account status went over the wire")
	}
	return errors.Join(s.Shows.check(status), read(account).check(status))
}

// lastStatus returns the status object that came last, over whichever transport.
func lastStatus(exchanges []exchange) objectV1 {
	var status objectV1
	for _, e := range exchanges {
		body := said(e.answerHeader, e.answer)
		if inner := body.object("result.structuredContent"); inner != nil {
			body = inner
		}
		if _, is := body["key_valid"]; is {
			status = body
		}
	}
	return status
}

// read returns what a client made of a status, as the members that it stood in.
func read(account cost.Account) members {
	shown := members{}
	add := func(name string, amount cost.Optional[cost.Money]) {
		if amount.Known {
			shown[name] = int64(amount.Value / cost.Cent)
		}
	}
	if account.KeyValid.Known {
		shown["key_valid"] = account.KeyValid.Value
	}
	for f, names := range map[enrich.Field]string{v1.WorkEmail: "work_emails_", v1.BusinessPhone: "business_phones_"} {
		if account.Free[f].Known {
			shown["free_allowance."+names+"remaining"] = account.Free[f].Value
		}
		if account.FreeReserved[f].Known {
			shown["free_allowance."+names+"reserved"] = account.FreeReserved[f].Value
		}
	}
	add("paid_balance.available_cents", account.Balance.Available)
	add("paid_balance.included_cents", account.Balance.Included)
	add("paid_balance.prepaid_cents", account.Balance.Prepaid)
	add("paid_balance.reserved_cents", account.Balance.Reserved)
	add("usage_budget.cap_cents", account.Budget.Cap)
	add("usage_budget.spent_cents", account.Budget.Spent)
	add("usage_budget.reserved_cents", account.Budget.Reserved)
	add("usage_budget.remaining_cents", account.Budget.Remaining)
	if account.Budget.Known && !account.Budget.Capped {
		shown["usage_budget"] = nil
	}
	for _, operation := range v1.Operations() {
		ready, kind := account.Readiness[operation.String()], "lookup_readiness."+v1.ReadinessKind(operation)
		if ready.CanCall.Known {
			shown[kind+".can_call"] = ready.CanCall.Value
		}
		add(kind+".maximum_paid_charge_cents", ready.MaximumCharge)
		if offers := account.Offers(operation.String()); offers.Known {
			shown["operations."+operation.ResultName()+".available_on_plan"] = offers.Value
		}
	}
	return shown
}
