package v2

import (
	"errors"
	"fmt"
	"net/http"

	"payonce/io/sandbox/kit"
)

// done is the answer of a call that has nothing else to say.
type done struct {
	Done bool `json:"done"`
}

// AdminCalls lists the calls of the admin interface that are about this interface.
func (s *Server) AdminCalls() []kit.AdminCall {
	call := kit.NewAdminCall
	return []kit.AdminCall{
		call("GET /v2/units", "what each module used of its total and today, and the keys", "", s.showUnits),
		call("GET /v2/log", "the calls, with what each used up or why it was refused", "", s.showLog),
		call("GET /v2/audit", "recompute the counters; an error when they do not equal the log", "", s.showAudit),
		call("PUT /v2/totals/{module}", "set the total of a module", `{"total":1000}`, s.setTotal),
		call("PUT /v2/daily/{module}", "set the daily limit of a module; null removes it", `{"limit":100}`, s.setDaily),
		call("POST /v2/day", "begin a new day: daily limits end", "", s.beginDay),
		call("DELETE /v2/counters", "begin a new period: what modules used is zero again", "", s.resetCounters),
		call("POST /v2/usage", "somebody else with the account uses up units", `{"module":"companies","units":3}`, s.useElsewhere),
		call("POST /v2/keys", "create a key; its value is shown once", "", s.createKey),
		call("DELETE /v2/keys/{id}", "revoke a key", "", s.revokeKey),
		call("PUT /v2/companies/{id}", "change a field of a company: an event and a notification when it is watched",
			`{"field":"company_email","value":"new@acme.example"}`, s.changeCompany),
		call("GET /v2/deliveries", "the last attempts to deliver notifications", "", s.showDeliveries),
	}
}

// IsUnknown reports whether an error of a call says that there is no such thing.
func IsUnknown(err error) bool { return errors.Is(err, kit.ErrUnknown) }

// IsInvalid reports whether an error of a call says what is wrong with it.
func IsInvalid(err error) bool {
	return errors.Is(err, kit.ErrInvalid) || errors.Is(err, ErrWatchField)
}

// unitsShown is what the ledger shows of the account.
type unitsShown struct {
	Modules []kit.ModuleUsage `json:"modules"`
	Keys    []kit.UnitKey     `json:"keys"`
}

func (s *Server) showUnits(*http.Request) (any, error) {
	return unitsShown{s.units.Usage(), s.units.Keys()}, nil
}

func (s *Server) showLog(*http.Request) (any, error) {
	return map[string][]kit.UnitRecord{"log": s.units.Records()}, nil
}

func (s *Server) showAudit(*http.Request) (any, error) {
	return map[string]bool{"balanced": true}, s.units.Audit()
}

func (s *Server) setTotal(r *http.Request) (any, error) {
	var input struct {
		Total *int64 `json:"total"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	if input.Total == nil {
		return nil, kit.BadInput("total is missing")
	}
	return done{true}, s.units.SetTotal(kit.Module(r.PathValue("module")), *input.Total)
}

func (s *Server) setDaily(r *http.Request) (any, error) {
	var input struct {
		Limit kit.Member[int64] `json:"limit"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	if err := input.Limit.Need("limit"); err != nil {
		return nil, err
	}
	return done{true}, s.units.SetDaily(kit.Module(r.PathValue("module")), input.Limit.Value)
}

func (s *Server) beginDay(*http.Request) (any, error) { return done{true}, s.units.BeginDay() }

func (s *Server) resetCounters(*http.Request) (any, error) { return done{true}, s.units.Reset() }

func (s *Server) useElsewhere(r *http.Request) (any, error) {
	var charge kit.UnitCharge
	if err := kit.ReadAdminBody(r, &charge); err != nil {
		return nil, err
	}
	return done{true}, s.units.UseElsewhere(charge)
}

func (s *Server) createKey(*http.Request) (any, error) {
	id, value, err := s.units.CreateKey()
	return map[string]string{"id": id, "value": value}, err
}

func (s *Server) revokeKey(r *http.Request) (any, error) {
	return done{true}, s.units.RevokeKey(r.PathValue("id"))
}

func (s *Server) changeCompany(r *http.Request) (any, error) {
	var input struct {
		Field string  `json:"field"`
		Value *string `json:"value"`
	}
	if err := kit.ReadAdminBody(r, &input); err != nil {
		return nil, err
	}
	if input.Value == nil {
		return nil, kit.BadInput("value is missing; an empty text stands for none")
	}
	c, found := s.world.ByID(r.PathValue("id"))
	if !found {
		return nil, fmt.Errorf("%w company %q", kit.ErrUnknown, r.PathValue("id"))
	}
	event, watched, err := s.Change(c, input.Field, *input.Value)
	return struct {
		Watched bool        `json:"watched"`
		Event   *WatchEvent `json:"event"`
	}{watched, eventOrNull(event, watched)}, err
}

func eventOrNull(event WatchEvent, watched bool) *WatchEvent {
	if !watched {
		return nil
	}
	return &event
}

func (s *Server) showDeliveries(*http.Request) (any, error) {
	return map[string][]Delivery{"deliveries": s.sender.Deliveries()}, nil
}
