package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"payonce/cost"
	"payonce/enrich"
	"payonce/io/sandbox/kit"
	"payonce/io/sandbox/v2"
	"payonce/io/service/v1"
)

// done is the answer of a call that has nothing else to say.
type done struct {
	Done bool `json:"done"`
}

// AdminHandler returns an interface for what the workspace's owner does in the
// dashboard, and for letting things go wrong. It belongs on a separate address.
func (s *Server) AdminHandler(token string) http.Handler {
	return kit.AdminInterface{
		Token: token, Calls: slices.Concat(s.adminCalls(), s.second.AdminCalls(), s.crm.AdminCalls()),
		NotFound: func(err error) bool { return errors.Is(err, ErrUnknown) || v2.IsUnknown(err) },
		Invalid:  func(err error) bool { return errors.Is(err, ErrInvalid) || v2.IsInvalid(err) },
	}.Handler()
}

// adminCalls lists the calls of the admin interface, in the order in which they are
// shown.
func (s *Server) adminCalls() []kit.AdminCall {
	call := kit.NewAdminCall
	return []kit.AdminCall{
		call("GET /books", "arrivals, charges, movements and sums", "", s.showLedger),
		call("GET /audit", "recompute the ledger; an error when it does not balance", "", s.showAudit),
		call("GET /log", "what the owner did, what others used and what time brought about", "", s.showLog),

		call("GET /keys", "the keys, without their values", "", s.showKeys),
		call("POST /keys", "create a key; its value is shown once", `{"name":"agent","legacy":false,"expires_at":null}`, s.createKey),
		call("DELETE /keys/{id}", "revoke a key", "", s.revokeKey),
		call("PUT /keys/{id}/expiry", "set when a key expires", `{"expires_at":"2030-01-01T00:00:00Z"}`, s.expireKey),
		call("PUT /workspace", "active, inactive (no lookups) or restricted (no status either)", `{"state":"inactive"}`, s.setState),

		call("PUT /budget", "set the monthly cap; null removes it", `{"usd":"100.00"}`, s.setBudget),
		call("PUT /attempt-limit", "the most lookups of a month; 0 for no limit", `{"limit":1000}`, s.setAttemptLimit),
		call("PUT /prices", "prices until the plan changes; null for none", `{"work_email_usd":"0.15","business_phone_usd":null}`, s.setPrices),
		call("PUT /conditions/{operation}", "a JSON Schema that the requests of find-work-email, find-phone or enrich have to fulfil", `{"required":["company_domain"]}`, s.setCondition),
		call("DELETE /conditions/{operation}", "take an input condition away", "", s.removeCondition),

		call("GET /checkouts", "the payments, pending ones as well", "", s.showCheckouts),
		call("POST /checkouts", "begin a payment: deposit_usd or plan; without confirm_after it stays pending", `{"deposit_usd":"25.00","confirm_after":"5s"}`, s.checkOut),
		call("POST /checkouts/{id}/confirm", "confirm a payment", "", s.confirmPayment),
		call("DELETE /subscription", "end the plan: its included balance expires", "", s.endSubscription),
		call("POST /usage", "somebody else in the workspace gets returned fields, or spends usd", `{"work_emails":2,"business_phones":1}`, s.useElsewhere),

		call("GET /faults", "the faults in force, and how often each struck", "", s.showFaults),
		call("POST /faults", "add faults", `{"faults":["lost-after:p=0.02","rate_limited:max=1,retry-after=5s"]}`, s.addFaults),
		call("DELETE /faults", "remove every fault", "", s.removeFaults),
		call("DELETE /sessions", "end every MCP session", "", s.endSessions),
	}
}

func (s *Server) showLedger(*http.Request) (any, error) { return s.Ledger(), nil }

func (s *Server) showAudit(*http.Request) (any, error) {
	return map[string]bool{"balanced": true}, s.Audit()
}

func (s *Server) showLog(*http.Request) (any, error) {
	return map[string]any{"log": s.ledger.Log()}, nil
}

func (s *Server) showKeys(*http.Request) (any, error) {
	return map[string]any{"keys": s.ledger.Keys()}, nil
}

func (s *Server) createKey(r *http.Request) (any, error) {
	var input struct {
		Name    string     `json:"name"`
		Legacy  bool       `json:"legacy"`
		Expires *time.Time `json:"expires_at"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	wanted := NewKey{Name: input.Name, Legacy: input.Legacy}
	if input.Expires != nil {
		wanted.Expires = *input.Expires
	}
	key, value, err := s.ledger.CreateKey(wanted)
	return struct {
		Key
		Value string `json:"value"`
	}{key, value}, err
}

func (s *Server) revokeKey(r *http.Request) (any, error) {
	return done{true}, s.ledger.RevokeKey(r.PathValue("id"))
}

func (s *Server) expireKey(r *http.Request) (any, error) {
	var input struct {
		Expires kit.Member[time.Time] `json:"expires_at"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	if err := input.Expires.Need("expires_at"); err != nil {
		return nil, err
	}
	var at time.Time
	if input.Expires.Value != nil {
		at = *input.Expires.Value
	}
	return done{true}, s.ledger.ExpireKey(r.PathValue("id"), at)
}

func (s *Server) setState(r *http.Request) (any, error) {
	var input struct {
		State State `json:"state"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	return done{true}, s.ledger.SetState(input.State)
}

func (s *Server) setBudget(r *http.Request) (any, error) {
	var input struct {
		USD kit.Member[cost.Money] `json:"usd"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	if err := input.USD.Need("usd"); err != nil {
		return nil, err
	}
	return done{true}, s.ledger.SetBudget(input.USD.Value)
}

func (s *Server) setAttemptLimit(r *http.Request) (any, error) {
	var input struct {
		Limit *int `json:"limit"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	if input.Limit == nil {
		return nil, kit.BadInput("limit is missing; 0 stands for none")
	}
	return done{true}, s.ledger.SetAttemptLimit(*input.Limit)
}

func (s *Server) setPrices(r *http.Request) (any, error) {
	var input struct {
		WorkEmail     kit.Member[cost.Money] `json:"work_email_usd"`
		BusinessPhone kit.Member[cost.Money] `json:"business_phone_usd"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	if !input.WorkEmail.Given && !input.BusinessPhone.Given {
		return nil, kit.BadInput("no price is given; name work_email_usd, business_phone_usd or both")
	}
	prices := enrich.ByField[kit.Member[cost.Money]]{v1.WorkEmail: input.WorkEmail, v1.BusinessPhone: input.BusinessPhone}
	for field, price := range prices {
		if !price.Given {
			continue
		}
		if err := s.ledger.SetPrice(enrich.Field(field), price.Value); err != nil {
			return nil, err
		}
	}
	return s.terms().Pricing(), nil
}

// operationOf returns the operation that a call's path names.
func operationOf(r *http.Request) (v1.Operation, error) {
	name := r.PathValue("operation")
	for _, o := range v1.Operations() {
		if o.String() == name {
			return o, nil
		}
	}
	return 0, fmt.Errorf("%w operation %q; there are %s", ErrUnknown, name, v1.Operations())
}

func (s *Server) setCondition(r *http.Request) (any, error) {
	operation, err := operationOf(r)
	if err != nil {
		return nil, err
	}
	condition, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, kit.BadInput(fmt.Sprintf("the schema cannot be read, or is longer than %d bytes", maxBody))
	}
	if _, err := compileCondition(condition); err != nil {
		return nil, kit.BadInput(err.Error())
	}
	return done{true}, s.ledger.SetInputCondition(operation, condition)
}

func (s *Server) removeCondition(r *http.Request) (any, error) {
	operation, err := operationOf(r)
	if err != nil {
		return nil, err
	}
	return done{true}, s.ledger.SetInputCondition(operation, nil)
}

func (s *Server) showCheckouts(*http.Request) (any, error) {
	return map[string]any{"checkouts": s.ledger.Payments()}, nil
}

func (s *Server) checkOut(r *http.Request) (any, error) {
	var input struct {
		Deposit      cost.Money `json:"deposit_usd"`
		Plan         string     `json:"plan"`
		ConfirmAfter string     `json:"confirm_after"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	order := Order{Deposit: input.Deposit, Plan: input.Plan}
	if input.ConfirmAfter != "" {
		delay, err := time.ParseDuration(input.ConfirmAfter)
		if err != nil {
			return nil, kit.BadInput(fmt.Sprintf("confirm_after: %q is not a duration; write it like 5s", input.ConfirmAfter))
		}
		order.ConfirmAfter = &delay
	}
	return answerOf(s.ledger.Checkout(order))
}

func (s *Server) confirmPayment(r *http.Request) (any, error) {
	return answerOf(s.ledger.Confirm(r.PathValue("id")))
}

// answerOf hands on what a function of the ledger returned.
func answerOf[T any](value T, err error) (any, error) { return value, err }

func (s *Server) endSubscription(*http.Request) (any, error) {
	return done{true}, s.ledger.EndSubscription()
}

func (s *Server) useElsewhere(r *http.Request) (any, error) {
	var input struct {
		WorkEmails     int64       `json:"work_emails"`
		BusinessPhones int64       `json:"business_phones"`
		USD            *cost.Money `json:"usd"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	units := FieldUnits{v1.WorkEmail: input.WorkEmails, v1.BusinessPhone: input.BusinessPhones}
	switch nothing := units == (FieldUnits{}); {
	case input.USD != nil && nothing:
		spent, err := s.ledger.SpendElsewhere(*input.USD)
		return Usage{USD: spent}, err
	case input.USD == nil && !nothing:
		return answerOf(s.ledger.UseElsewhere(units))
	}
	return nil, kit.BadInput("give work_emails and business_phones, or usd")
}

func (s *Server) showFaults(*http.Request) (any, error) {
	return map[string]any{"faults": s.faults.List()}, nil
}

func (s *Server) addFaults(r *http.Request) (any, error) {
	var input struct {
		Faults []string `json:"faults"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	if len(input.Faults) == 0 {
		return nil, kit.BadInput(`no faults are given; write them like "lost-after:p=0.02"`)
	}
	var faults []Fault
	for _, text := range input.Faults {
		fault, err := ParseFault(text)
		if err != nil {
			return nil, kit.BadInput(err.Error())
		}
		faults = append(faults, fault)
	}
	for _, fault := range faults {
		s.faults.Add(fault)
	}
	return s.showFaults(r)
}

func (s *Server) removeFaults(*http.Request) (any, error) {
	s.ClearFaults()
	return done{true}, nil
}

func (s *Server) endSessions(*http.Request) (any, error) {
	s.EndSessions()
	return done{true}, nil
}
