package v2

import (
	"context"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"payonce/io/sandbox/kit"
)

// maxBody is the longest body that is read, in bytes.
const maxBody = 64 << 10

// answer is what an operation returns when it does not refuse.
type answer struct {
	status         int // 0 for 200
	body           any
	emails, phones int64 // that the body shows
	// commit makes the answer true and counts it; nil counts one unit and what the body shows.
	commit func(number int) (kit.Code, error)
}

// operation is one operation of the interface. Serving it changes nothing.
type operation struct {
	route  string     // method and path, without the prefix
	module kit.Module // that it uses up units of; empty when it is free
	serve  func(*Server, *input) (answer, *refusal)
}

// operations lists those of the specification, and the nomenclatures of the sandbox.
func operations() []operation {
	return []operation{
		{"GET /metrics", "", (*Server).metrics},
		{"GET /metrics/contacts", "", (*Server).contactMetrics},
		{"GET /nomenclature", "", (*Server).nomenclatures},
		{"GET /nomenclature/{name}", "", (*Server).nomenclature},

		{"POST /prospecting", kit.Companies, (*Server).prospecting},
		{"POST /overview", kit.Companies, (*Server).overview},
		{"GET /companies/{id}", kit.Companies, (*Server).companyDetails},
		{"POST /enrichment/url", kit.Companies, (*Server).companyByWebsite},
		{"POST /enrichment/company/linkedin", kit.Companies, (*Server).companyByProfile},
		{"POST /enrichment/company", kit.Companies, (*Server).companyByNumber},
		{"POST /autocomplete", kit.Companies, (*Server).autocomplete},

		{"POST /employees", kit.Contacts, (*Server).searchEmployees},
		{"GET /employees/{id}", kit.Contacts, (*Server).employeeDetails},
		{"POST /enrichment/email", kit.Contacts, (*Server).contactByEmail},
		{"POST /enrichment/employee/linkedin", kit.Contacts, (*Server).contactByProfile},
		{"POST /enrichment/employee/contacts", kit.Contacts, (*Server).contactByName},
		{"POST /enrichment/employee/search", kit.Contacts, (*Server).searchPeople},

		{"GET /financial/{id}", kit.Financials, (*Server).financials},
		{"POST /digital-insights", kit.Insights, (*Server).findCompanies},
		{"GET /digital-insights/{id}", kit.Insights, (*Server).insights},
		{"POST /ownership", kit.Ownership, (*Server).findCompanies},
		{"GET /ownership/{id}", kit.Ownership, (*Server).ownership},

		{"POST /companies/{id}/watch/start", kit.Watch, (*Server).startWatch},
		{"DELETE /companies/{id}/watch/stop", "", (*Server).stopWatch},
		{"GET /companies/watch", "", (*Server).watched},
		{"GET /companies/{id}/watch/events", "", (*Server).watchEvents},
		{"GET /companies/{id}/watch/fields", "", (*Server).watchFields},
		{"PUT /companies/{id}/watch/fields/add", "", (*Server).addWatchFields},
		{"PUT /companies/{id}/watch/fields/remove", "", (*Server).removeWatchFields},
		{"PUT /companies/watch/callback", "", (*Server).setCallback},
		{"GET /companies/watch/callback", "", (*Server).callback},
	}
}

// routes returns the operations by their paths.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, o := range operations() {
		method, path, _ := strings.Cut(o.route, " ")
		if module, moved := s.config.Modules[o.route]; moved {
			o.module = module
		}
		mux.HandleFunc(method+" "+Path+path, func(w http.ResponseWriter, r *http.Request) { s.serveOperation(w, r, o) })
	}
	// An address that the service does not have is answered by its framework, in other words than "nothing found".
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		kit.JSONReply(http.StatusNotFound, detail{"Not Found"}).Write(w)
	})
	return mux
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Sandbox", "true")
	w.Header().Set("Date", s.config.Now().UTC().Format(http.TimeFormat))
	if s.isClosed() {
		panic(http.ErrAbortHandler)
	}
	s.mux.ServeHTTP(w, r)
}

// keyOf returns the ID of the key that a request carries, "" when it carries no valid one.
func (s *Server) keyOf(r *http.Request) string {
	value, isToken := strings.CutPrefix(r.Header.Get("Authorization"), "Token ")
	if !isToken {
		return ""
	}
	id, _ := s.units.Identify(value)
	return id
}

func (s *Server) serveOperation(w http.ResponseWriter, r *http.Request, o operation) {
	key := s.keyOf(r)
	if key == "" && o.module == "" {
		(&refusal{code: kit.InvalidToken}).message(o.module).Write(w)
		return
	}
	in, problem := readInput(w, r)
	if o.module == "" {
		said, no := answer{}, problem
		if no == nil {
			said, no = o.serve(s, in)
		}
		s.word(w, o, said, no).Write(w)
		return
	}
	said, no, struck := s.ask(r, o, key, in, problem)
	s.word(w, o, said, no).Spoil(w, r, s.closed, struck)
}

// word words an answer or a refusal.
func (s *Server) word(w http.ResponseWriter, o operation, said answer, no *refusal) kit.Reply {
	if no != nil {
		kit.SetRetryAfter(w, s.config.Now(), no.retryAfter, no.asDate)
		return no.message(o.module)
	}
	status := said.status
	if status == 0 {
		status = http.StatusOK
	}
	return kit.JSONReply(status, said.body)
}

// readInput reads what a request asks. The problem is what is wrong with its form, if anything.
func readInput(w http.ResponseWriter, r *http.Request) (*input, *refusal) {
	in := &input{path: r.URL.Path, id: r.PathValue("id"), name: r.PathValue("name"), query: r.URL.Query()}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return in, invalid("non_field_errors", "The body cannot be read, or is too long.")
	}
	in.text = string(body)
	if len(body) == 0 {
		return in, nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return in, invalid("non_field_errors", "The Content-Type must be application/json.")
	}
	return in, in.parse(body)
}

// fits reports whether a fault can happen to a call of this interface, which has no money.
func fits(f kit.Fault) bool {
	if f.Effect == kit.CreditSpent || f.Effect == kit.BudgetSet {
		return false
	}
	for _, code := range kit.UnitCodes() {
		if f.Code == code {
			return true
		}
	}
	return f.Answer != kit.Refused
}

// ask takes a call through the whole service: it is let in, answered, spoiled and counted. A call that was let
// in counts against the rate limit, whatever becomes of it.
func (s *Server) ask(
	r *http.Request, o operation, key string, in *input, problem *refusal,
) (answer, *refusal, kit.Fault) {
	admitted := s.units.Arrive(kit.UnitCall{Key: key, Path: in.path, About: in.about()})
	if admitted.Code != "" {
		no := &refusal{code: admitted.Code, retryAfter: admitted.Wait}
		if admitted.Err != nil {
			no.detail = admitted.Err.Error()
		}
		return answer{}, no, kit.Fault{}
	}
	number := admitted.Number
	said, no := answer{}, problem
	if no == nil {
		said, no = o.serve(s, in)
	}
	if no != nil && no.code == kit.InvalidRequest {
		return answer{}, s.refused(number, no), kit.Fault{}
	}
	struck, delay := s.strike(key, number, in)
	switch {
	case struck.Performs():
		if ended := s.perform(r.Context(), number, o, &said, &no, delay); ended {
			struck = kit.Fault{Answer: kit.Dropped}
		}
	case !kit.Pause(s.closed, nil, delay):
		struck = kit.Fault{Answer: kit.Dropped}
	}
	if struck.Answer == kit.Refused {
		no = s.refused(number, &refusal{code: struck.Code, retryAfter: struck.RetryAfter, asDate: struck.RetryDate})
	}
	return said, no, struck
}

// perform takes its time and counts the call. The client's leaving makes it shorter but never undoes it. It
// reports whether the service was closed meanwhile.
func (s *Server) perform(
	ctx context.Context, number int, o operation, said *answer, no **refusal, delay time.Duration,
) bool {
	if code := s.units.Allowed(o.module); code != "" && said.commit == nil {
		*no = s.refused(number, &refusal{code: code})
		return false
	}
	if !kit.Pause(s.closed, ctx.Done(), s.latency(number)) || !kit.Pause(s.closed, nil, delay) {
		return true
	}
	if *no != nil {
		*no = s.refused(number, *no)
		return false
	}
	count := said.commit
	if count == nil {
		charge := kit.UnitCharge{Module: o.module, Units: 1, Emails: said.emails, Phones: said.phones}
		count = func(number int) (kit.Code, error) { return s.units.Count(number, charge) }
	}
	code, err := count(number)
	switch {
	case err != nil:
		*no = &refusal{code: kit.InternalError, detail: err.Error()}
	case code != "":
		*no = s.refused(number, &refusal{code: code})
	}
	return false
}

// refused notes a refusal in the ledger. What it cannot note is refused because it cannot.
func (s *Server) refused(number int, no *refusal) *refusal {
	if err := s.units.Refuse(number, no.code); err != nil {
		return &refusal{code: kit.InternalError, detail: err.Error()}
	}
	return no
}

// strike applies the effects of the faults that strike a call. It returns the one that decides the answer, and
// the sum of their delays.
func (s *Server) strike(key string, number int, in *input) (decisive kit.Fault, delay time.Duration) {
	arrival := kit.Arrival{Series: "v2", Number: number, Path: in.path, About: in.about(), Fits: fits}
	for _, f := range s.faults.Strike(arrival) {
		delay += f.Delay
		if decisive.Answer == kit.Truthful {
			decisive = f
		}
		if f.Effect == kit.KeyRevoked {
			if err := s.units.RevokeKey(key); err != nil {
				return kit.Fault{Answer: kit.Refused, Code: kit.InternalError}, delay
			}
		}
	}
	return decisive, delay
}

// latency draws how long a call takes.
func (s *Server) latency(number int) time.Duration {
	span := s.config.Latency.Max - s.config.Latency.Min
	drawn := kit.Roll(s.config.World.People.Seed, "latency v2", strconv.Itoa(number)).Float64()
	return s.config.Latency.Min + time.Duration(drawn*float64(span))
}
