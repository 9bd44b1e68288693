// Package providerv2 is what the program knows of the interface v2, which counts units of modules.
package providerv2

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"payonce/checkpoint"
	"payonce/cost"
	"payonce/enrich"
	"payonce/io/service/v2"
	"payonce/pipeline/dispatch"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// Provider is the interface v2 with its settings.
type Provider struct {
	Modules  v2.Modules // what is known of the modules of operations
	NotFound string     // what the service says when it finds nothing; "" for what is assumed
	Prices   v2.Prices  // what units of modules cost the user
}

// assumedRate is the limit of one key.
func assumedRate() checkpoint.Rate {
	pace := v2.KeyPace()
	return checkpoint.Rate{Slots: int(pace.Calls), Window: pace.Window}
}

// Interface implements provider.Provider. The modules say on what its operations count.
func (p Provider) Interface() provider.Interface {
	i := provider.Interface{
		Catalogue: v2.Catalogue(), Tariff: v2.Tariff(p.Modules), Rate: assumedRate(), WantsMoney: func(string) bool { return false },
		NewDecoder: func() output.Decoder { return v2.Decoder{} },
		NewReader:  func() provider.AnswerReader { return reader{} },
		Tables:     v2.Tables{},
	}
	i.Identifying = enrich.FieldsOf(v2.FieldCompany)
	i.Matching, i.Patterns, i.Whole = enrich.FieldsOf(v2.FieldMatch), v2.Patterns, v2.Whole()
	i.Together = []enrich.Fields{v2.FieldContactData, i.Matching}
	for f := range v2.AllFields.Without(v2.FieldContactData | i.Matching).Each() {
		i.Together = append(i.Together, enrich.FieldsOf(f))
	}
	i.Operations = i.Together
	for _, figure := range v2.Figures() {
		i.Figures = append(i.Figures, figure.Name)
	}
	i.FiguresOf = enrich.FieldsOf(v2.FieldFinancials)
	i.Showing = func(figures []string, years []int) (provider.Interface, error) {
		chosen, shown := v2.Chosen{Figures: figures, Years: years}, i
		shown.Catalogue, shown.NewDecoder = chosen.Catalogue(), func() output.Decoder { return chosen.Decoder() }
		return shown, chosen.Check()
	}
	i.Searching = enrich.FieldsOf(v2.FieldInsights, v2.FieldOwnership)
	i.With[v2.FieldContact] = v2.FieldContactData
	return i
}

// Config returns how the service is called at an endpoint.
func (p Provider) Config(at provider.Endpoint) v2.Config {
	return v2.Config{
		BaseURL: at.BaseURL, Key: at.Key, Modules: p.Modules, NotFound: p.NotFound, Timeout: at.Timeout,
		MaxConnections: at.Connections, UserAgent: at.UserAgent, Now: at.Now,
	}
}

// connection is how an account calls the service.
type connection struct {
	provider.Units
	provider Provider
	paying   *v2.Client // nil where nothing may be used up
}

// Connect implements provider.Provider.
func (p Provider) Connect(provider.ConnectOptions) provider.Connection {
	units := provider.Units{Tariff: p.Modules.Tariff(), Source: "the units of modules"}
	return &connection{Units: units, provider: p}
}

// Open implements provider.Connection.
func (s *connection) Open(at provider.Endpoint, use provider.Use) (dispatch.StatusReader, dispatch.Finder, error) {
	config := s.provider.Config(at)
	if use != provider.UsePaying {
		client, err := v2.NewStatusClient(config)
		return client, nil, problem.AsUsage(err)
	}
	var err error
	if s.paying, err = v2.NewClient(config); err != nil {
		return nil, nil, problem.AsUsage(err)
	}
	return s.paying, v2.Finder{Client: s.paying, Prices: s.provider.Prices}, nil
}

// Close implements provider.Connection.
func (s *connection) Close() {
	if s.paying != nil {
		s.paying.Close()
	}
}

// Rates implements provider.Connection, with what units cost.
func (s *connection) Rates(fields enrich.Fields, prices cost.Prices) cost.Rates {
	return s.provider.Prices.Rates(s.Units.Rates(fields, prices))
}

// UnitPrice implements provider.Connection.
func (s *connection) UnitPrice(m cost.Meter) cost.Money { return s.provider.Prices[m] }

// reader reads the answers of v2.
type reader struct{ v2.Decoder }

// Facts implements provider.AnswerReader.
func (r reader) Facts(answered enrich.Answered) (facts checkpoint.PersonFacts, err error) {
	found, err := v2.DecodeAnswer(answered)
	if err != nil || len(found.Body) == 0 {
		return facts, err
	}
	facts.Read = func() ([]checkpoint.Mention, error) { return provider.MentionsOf(v2.Parts(answered)) }
	facts.Without = func(mentions map[int]bool) (string, error) { return v2.WithoutParts(answered, mentions) }
	if f, isRecord := found.Operation.Field(); !isRecord || f != v2.FieldContact {
		return facts, nil
	}
	e, err := found.Employee()
	facts.Name = cmp.Or(e.FullName.Value, strings.TrimSpace(e.FirstName.Value+" "+e.LastName.Value))
	facts.Email, facts.Phone, facts.CompanyName = e.Email.Value, e.Phone.Value, e.CompanyName.Value
	for _, page := range []string{e.ProNetwork.Value, e.Microblog.Value, e.Social.Value} {
		if page != "" {
			facts.Pages = append(facts.Pages, page)
		}
	}
	return facts, err
}

// Export implements provider.AnswerReader.
func (r reader) Export(answered enrich.Answered) (facts checkpoint.PersonFacts, profile string, err error) {
	facts, err = r.Facts(answered)
	return facts, "", err
}

// answer is an answer of v2 as it is shown.
type answer struct {
	Operation   string          `json:"operation"`
	RetrievedAt time.Time       `json:"retrieved_at,omitzero"`
	LeftOut     []string        `json:"left_out,omitempty"`
	Body        json.RawMessage `json:"body,omitempty"`
}

// Show implements provider.AnswerReader.
func (reader) Show(answered enrich.Answered) (any, error) {
	found, err := v2.DecodeAnswer(answered)
	return answer{found.Operation.String(), found.RetrievedAt, found.LeftOut, found.Body}, err
}
