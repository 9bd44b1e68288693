package sandbox

import (
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"payonce/cost"
)

// AdminHandler returns an interface for what the workspace's owner does in the
// dashboard, and for letting things go wrong. It needs the token as a bearer and
// belongs on an address of its own:
//
//	GET    /books        the books, as JSON
//	GET    /audit        204 when the books balance
//	POST   /faults       add the faults in the body, one a line as ParseFault reads them
//	DELETE /faults       remove every fault
//	POST   /revoke-key   refuse every request from now on
//	POST   /spend        ?usd=AMOUNT: somebody else in the workspace spends
//	POST   /budget       ?usd=AMOUNT: set the monthly cap
//
// What cannot be done is answered with 400 and a line that says why.
func (s *Server) AdminHandler(token string) http.Handler {
	calls := http.NewServeMux()
	calls.HandleFunc("GET /books", s.showBooks)
	calls.HandleFunc("GET /audit", do(func(*http.Request) error { return s.Audit() }))
	calls.HandleFunc("POST /faults", do(s.addFaults))
	calls.HandleFunc("DELETE /faults", do(func(*http.Request) error { s.ClearFaults(); return nil }))
	calls.HandleFunc("POST /revoke-key", do(func(*http.Request) error { return s.RevokeKey() }))
	calls.HandleFunc("POST /spend", do(withAmount(func(amount cost.Money) error {
		_, err := s.SpendCredit(amount)
		return err
	})))
	calls.HandleFunc("POST /budget", do(withAmount(s.SetBudgetCap)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Sandbox", "true")
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer || token == "" || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "the admin token is missing or wrong", http.StatusUnauthorized)
			return
		}
		calls.ServeHTTP(w, r)
	})
}

func (s *Server) showBooks(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	// A client that went away is no matter of ours.
	_ = json.NewEncoder(w).Encode(s.Books())
}

func (s *Server) addFaults(r *http.Request) error {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return err
	}
	var faults []Fault
	for line := range strings.Lines(string(body)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		fault, err := ParseFault(line)
		if err != nil {
			return err
		}
		faults = append(faults, fault)
	}
	if len(faults) == 0 {
		return errors.New("no fault in the body; write one a line, such as lost-after:p=0.02")
	}
	for _, fault := range faults {
		if err := s.AddFault(fault); err != nil {
			return err
		}
	}
	return nil
}

// do answers a call that returns nothing but an error.
func do(call func(*http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := call(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// withAmount reads the amount that a call is given.
func withAmount(call func(cost.Money) error) func(*http.Request) error {
	return func(r *http.Request) error {
		amount, err := cost.ParseMoney(r.URL.Query().Get("usd"))
		if err != nil {
			return fmt.Errorf("usd: %w", err)
		}
		return call(amount)
	}
}
