package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payonce/enrich"
	"payonce/io/sandbox/kit"
	sandboxv2 "payonce/io/sandbox/v2"
	"payonce/io/sandbox/world"
	"payonce/io/service/v2"
)

// rulesCase tries one rule.
type rulesCase struct {
	rule string
	// begin changes the account that account returns; nil for nothing.
	begin func(*sandboxv2.Config)
	try   func(p *trial)
}

// mutant is a service that breaks a rule.
type mutant struct {
	does   string
	caught string // the rule whose case must fail
	config func(*sandboxv2.Config)
	breaks func(*sandboxv2.Server, http.Handler) http.Handler
}

// account returns the account that cases begin with.
func account() sandboxv2.Config {
	config := sandboxv2.DefaultConfig()
	config.World = world.World{People: world.People{Seed: 7, MatchRates: enrich.ByField[float64]{1, 1}}}
	config.RepeatAfter = []time.Duration{0}
	return config
}

// response is the response to one request, and what was counted meanwhile.
type response struct {
	p       *trial
	asked   string
	status  int
	header  http.Header
	body    []byte
	verdict enrich.Verdict // of the client; nil for a request of raw
	counted kit.UnitCharge
	wanted  kit.UnitCharge
}

// trial is a case that is being tried.
type trial struct {
	ctx     context.Context
	server  *sandboxv2.Server
	world   world.World
	address string
	key     string
	client  *v2.Client
	last    *response
	arrived int // paid calls that the case knows of

	mu   sync.Mutex // guards what follows
	at   time.Time
	seen []*response // the requests that were sent
}

// broken is the panic of a case in which the rule does not hold.
type broken struct{ err error }

func (p *trial) fail(format string, args ...any) { panic(broken{fmt.Errorf(format, args...)}) }

func (p *trial) check(ok bool, format string, args ...any) {
	if !ok {
		p.fail(format, args...)
	}
}

func (p *trial) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

func (p *trial) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = p.at.Add(d)
}

// ServeHTTP records each request and its response.
func (p *trial) tap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		exchange := &response{asked: r.Method + " " + r.URL.RequestURI(), header: r.Header.Clone(), body: body}
		p.mu.Lock()
		p.seen = append(p.seen, exchange)
		p.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// playCase plays a case and returns how the service breaks the rule, nil when it keeps it.
func playCase(ctx context.Context, c rulesCase, m mutant) (err error) {
	p := &trial{ctx: ctx, at: time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC), key: sandboxv2.DefaultKey}
	config := account()
	config.Now = p.now
	if c.begin != nil {
		c.begin(&config)
	}
	if m.config != nil {
		m.config(&config)
	}
	p.world = config.World
	if p.server, err = sandboxv2.New(config); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.server.Close()) }()
	handler := p.server.Handler()
	if m.breaks != nil {
		handler = m.breaks(p.server, handler)
	}
	network := httptest.NewServer(p.tap(handler))
	defer network.Close()
	p.address = network.URL
	if p.client, err = v2.NewClient(v2.Config{BaseURL: p.address + sandboxv2.Path, Key: p.key, Now: p.now}); err != nil {
		return err
	}
	defer p.client.Close()
	defer func() {
		if problem := recover(); problem != nil {
			failure, expected := problem.(broken)
			if !expected {
				panic(problem)
			}
			err = failure.err
		}
	}()
	c.try(p)
	p.settle()
	p.audit()
	return nil
}

// counters returns what was counted so far.
func (p *trial) counters() map[kit.Module]int64 {
	used := map[kit.Module]int64{}
	for _, usage := range p.server.Units().Usage() {
		used[usage.Module] = usage.Used
	}
	return used
}

func (p *trial) found() (emails, phones int64) {
	return p.server.Units().Found(time.Unix(0, 0), p.now().Add(time.Hour))
}

// measured calls do and keeps what was counted meanwhile.
func (p *trial) measured(asked string, do func(*response)) *response {
	p.settle()
	s := &response{p: p, asked: asked}
	before := p.counters()
	emails, phones := p.found()
	do(s)
	for module, used := range p.counters() {
		if moved := used - before[module]; moved != 0 {
			p.check(s.counted.Module == "", "%s: the counters of %s and %s moved", asked, s.counted.Module, module)
			s.counted.Module, s.counted.Units = module, moved
		}
	}
	after, later := p.found()
	s.counted.Emails, s.counted.Phones = after-emails, later-phones
	p.last = s
	return s
}

// settle compares what the last request counted with what it should count.
func (p *trial) settle() {
	if p.last == nil {
		return
	}
	diff := cmp.Diff(p.last.wanted, p.last.counted)
	p.check(diff == "", "%s (-wanted +counted):\n%s", p.last.asked, diff)
	p.last = nil
}

// audit compares the counters over HTTP with those of the sandbox, and both with its log. A request that was sent
// again would be in the log.
func (p *trial) audit() {
	if err := p.server.Units().Audit(); err != nil {
		p.fail("%v", err)
	}
	calls := 0
	for _, r := range p.server.Units().Records() {
		if r.Number > 0 {
			calls++
		}
	}
	p.check(calls == p.arrived, "%d calls arrived, want %d", calls, p.arrived)
	_, key, err := p.server.Units().CreateKey()
	p.check(err == nil, "%v", err)
	p.key = key
	var groups []struct {
		Metrics []struct {
			Codename kit.Module
			Used     int64
		}
	}
	p.raw("GET", "/metrics", "").ok().decode(&groups)
	shown := map[kit.Module]int64{}
	for _, group := range groups {
		for _, metric := range group.Metrics {
			shown[metric.Codename] = metric.Used
		}
	}
	diff := cmp.Diff(p.counters(), shown)
	p.check(diff == "", "GET /metrics (-sandbox +shown):\n%s", diff)
	p.settle()
}

// isPaid reports whether the sandbox numbers a request.
func isPaid(method, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	free := strings.HasPrefix(path, "/metrics") || strings.Contains(path, "watch") && !strings.HasSuffix(path, "/watch/start")
	return !free && method != "" && !strings.HasPrefix(path, "/nomenclature")
}

// raw sends a request unchanged, with the key of the trial.
func (p *trial) raw(method, path, body string, header ...string) *response {
	return p.measured(method+" "+path, func(s *response) {
		r, err := http.NewRequestWithContext(p.ctx, method, p.address+sandboxv2.Path+path, strings.NewReader(body))
		p.check(err == nil, "%v", err)
		r.Header.Set("Authorization", "Token "+p.key)
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
			if header[i+1] == "" {
				r.Header.Del(header[i])
			}
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		p.check(err == nil, "%s: %v", s.asked, err)
		defer response.Body.Close()
		s.status, s.header = response.StatusCode, response.Header
		s.body, err = io.ReadAll(response.Body)
		p.check(err == nil, "%s: %v", s.asked, err)
		if isPaid(method, path) {
			p.arrived++
		}
	})
}

// post sends a body with members.
func (p *trial) post(path string, members map[string]any) *response {
	return p.raw("POST", path, encoded(members))
}

// call sends a call of the client and checks the request.
func (p *trial) call(call v2.Call) *response {
	return p.measured(call.Operation.String(), func(s *response) {
		p.mu.Lock()
		before := len(p.seen)
		p.mu.Unlock()
		s.verdict = p.client.Send(p.ctx, call)
		p.mu.Lock()
		sent := slices.Clone(p.seen[before:])
		p.mu.Unlock()
		p.check(len(sent) == 1, "%s: %d requests were sent, want 1", s.asked, len(sent))
		p.arrived++
		want := call.Operation.Method() + " " + sandboxv2.Path + "/" + call.Path()
		if len(call.Query) > 0 {
			want += "?" + call.Query.Encode()
		}
		p.check(sent[0].asked == want, "%s on the wire, want %s", sent[0].asked, want)
		p.check(sent[0].header.Get("Authorization") == "Token "+sandboxv2.DefaultKey, "%s: the key is not in the header", s.asked)
	})
}

func encoded(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// uses sets what the request should count.
func (s *response) uses(m kit.Module, revealed ...int64) *response {
	s.wanted = kit.UnitCharge{Module: m, Units: 1}
	if len(revealed) == 2 {
		s.wanted.Emails, s.wanted.Phones = revealed[0], revealed[1]
	}
	return s
}

func (s *response) is(status int) *response {
	s.p.check(s.status == status, "%s: HTTP %d %.300s, want %d", s.asked, s.status, s.body, status)
	return s
}

func (s *response) ok() *response { return s.is(http.StatusOK) }

// answered checks that the client reads the response as an answer that is not empty.
func (s *response) answered() *response {
	answer, is := s.verdict.(enrich.Answered)
	s.p.check(is && answer.Status != enrich.NotFound, "%s: %T %v", s.asked, s.verdict, s.verdict)
	return s
}

// invalid checks a refusal of a field.
func (s *response) invalid(field string) *response {
	s.is(http.StatusBadRequest)
	var fields map[string][]string
	s.decode(&fields)
	s.p.check(len(fields[field]) > 0 && fields[field][0] != "", "%s: %s, want messages about %s", s.asked, s.body, field)
	return s
}

// detail checks a refusal with a detail.
func (s *response) detail(status int) *response { return s.is(status).shaped("detail") }

// limited checks a refusal for a limit.
func (s *response) limited(guard string, m kit.Module) *response {
	s.is(http.StatusTooManyRequests).shaped("limit")
	s.p.check(s.text("error_guard") == guard && s.text("access.module") == string(m), "%s: %s, want %s of %s", s.asked, s.body, guard, m)
	return s
}

func (s *response) shaped(name string) *response {
	breach := checkShape(name, s.body)
	s.p.check(breach == "", "%s: %s", s.asked, breach)
	return s
}

func (s *response) arrayOf(name string) *response {
	breach := checkShapes(name, s.body)
	s.p.check(breach == "", "%s: %s", s.asked, breach)
	return s
}

func (s *response) decode(into any) *response {
	decoder := json.NewDecoder(bytes.NewReader(s.body))
	decoder.UseNumber()
	err := decoder.Decode(into)
	s.p.check(err == nil, "%s: %v in %.300s", s.asked, err, s.body)
	return s
}

// member returns a member by its path; nil when there is none.
func (s *response) member(path string) any {
	var value any
	s.decode(&value)
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func (s *response) text(path string) string {
	if value := s.member(path); value != nil {
		return fmt.Sprint(value)
	}
	return ""
}

// list returns a member of each item of data.
func (s *response) list(name string) (values []string) {
	var page struct{ Data []map[string]any }
	s.decode(&page)
	for _, item := range page.Data {
		values = append(values, fmt.Sprint(item[name]))
	}
	return values
}

// has compares a member with a text.
func (s *response) has(path, want string) *response {
	s.p.check(s.text(path) == want, "%s: %s is %q, want %q", s.asked, path, s.text(path), want)
	return s
}

// company returns a listed company of which everything is known.
func (p *trial) company() world.Company {
	return p.oneOf(func(c world.Company) bool { return true })
}

func (p *trial) oneOf(meets func(world.Company) bool) world.Company {
	for c := range p.world.Listed() {
		e, _ := p.world.Employee(c, 0)
		whole := c.HasFinancials() && c.HasInsights() && c.HasOwnership() && c.VAT() != "" && c.Staff() > 1 && len(c.Years()) > 1
		if whole && c.Status() == world.Active && e.HasEmail() && e.HasPhone() && meets(c) {
			return c
		}
	}
	p.fail("no company meets the condition")
	return world.Company{}
}

// contact returns an employee of the company.
func (p *trial) contact() world.Employee {
	e, _ := p.world.Employee(p.company(), 0)
	return e
}

// within limits the calls in any minute.
func within(limit int) func(*sandboxv2.Config) {
	return func(c *sandboxv2.Config) { c.Window = kit.Window{Limit: limit, Per: time.Minute} }
}

// TestEveryRuleHasOneCase compares the rules that are reported with the cases, in their order.
func TestEveryRuleHasOneCase(t *testing.T) {
	var reported, tried []string
	for _, rule := range caseRulesV2() {
		reported = append(reported, rule.Name)
	}
	for _, c := range cases() {
		tried = append(tried, c.rule)
	}
	slices.Sort(reported)
	slices.Sort(tried)
	if diff := cmp.Diff(reported, tried); diff != "" {
		t.Errorf("rules (-reported +tried):\n%s", diff)
	}
}

// TestConformance plays each case over HTTP against the sandbox.
func TestConformance(t *testing.T) {
	texts := map[string]Rule{}
	for _, rule := range caseRulesV2() {
		texts[rule.Name] = rule
	}
	for _, c := range cases() {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if err := playCase(t.Context(), c, mutant{}); err != nil {
				t.Errorf("%s: %s:\n%v", texts[c.rule].Section, texts[c.rule].Text, err)
			}
		})
	}
}
