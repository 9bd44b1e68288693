// Package providerv1 is what the program knows of the interface v1, which sells by a rate card.
package providerv1

import (
	"cmp"
	"context"
	"time"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/io/service/v1"
	"payonce/pipeline/output"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

// Provider is the interface v1 with its settings.
type Provider struct {
	Transport v1.Transport // REST when empty
	MCPURL    string       // of the MCP endpoint; "" for the usual one
	Names     v1.Names     // that requests use
}

func (p Provider) transport() v1.Transport { return cmp.Or(p.Transport, v1.REST) }

// documentedRate is the rate limit of specification v1, "Limits".
var documentedRate = checkpoint.Rate{Slots: 30, Window: time.Minute}

// Interface implements provider.Provider.
func (Provider) Interface() provider.Interface {
	i := provider.Interface{
		Catalogue: v1.Catalogue(), Tariff: v1.Tariff(), Rate: documentedRate, WantsMoney: v1.WantsMoney,
		Together:   []enrich.Fields{v1.AllFields},
		NewDecoder: func() output.Decoder { return new(v1.AnswerDecoder) },
		NewReader:  func() provider.AnswerReader { return new(reader) },
		MailHosts:  enrich.FieldsOf(v1.WorkEmail), FallbackOnRequest: true,
	}
	for _, operation := range v1.Operations() {
		i.Operations = append(i.Operations, operation.Fields())
	}
	return i
}

// Config returns how the service is called at an endpoint.
func (p Provider) Config(at provider.Endpoint) v1.Config {
	config := v1.Config{
		BaseURL: at.BaseURL, Transport: p.transport(), MCPURL: p.MCPURL, Key: at.Key, Names: p.Names,
		IncludeProfile: at.Profile, Timeout: at.Timeout, MaxConnections: at.Connections, UserAgent: at.UserAgent, Now: at.Now,
	}
	if at.Embedded {
		config.MCPURL = ""
	}
	return config
}

// Connect implements provider.Provider.
func (p Provider) Connect(o provider.ConnectOptions) provider.Connection {
	return &connection{provider: p, options: o}
}

// Show implements provider.Provider.
func (p Provider) Show(ctx context.Context, at provider.Endpoint, _ provider.AccountReader, view *report.Account) error {
	client, err := v1.NewStatusClient(p.Config(at))
	if err != nil {
		return problem.AsUsage(err)
	}
	status, err := client.Status(ctx)
	if err != nil {
		return err
	}
	second, others := view.Second, view.Others
	*view = *report.AccountOf(v1.Catalogue(), status)
	view.Second, view.Others = second, others
	return nil
}

// reader reads the answers of v1.
type reader struct{ v1.AnswerDecoder }

// Facts implements provider.AnswerReader.
func (r *reader) Facts(answered enrich.Answered) (facts checkpoint.PersonFacts, err error) {
	facts.Name, facts.Email, facts.Phone, err = r.Person(answered)
	if err != nil {
		return facts, err
	}
	if has, err := r.HasProfile(answered); has || err != nil {
		facts.Read = func() ([]checkpoint.Mention, error) { return provider.MentionsOf(r.Parts(answered)) }
		facts.Without = func(mentions map[int]bool) (string, error) { return v1.WithoutParts(answered, mentions) }
		return facts, err
	}
	return facts, nil
}

// Export implements provider.AnswerReader.
func (r *reader) Export(answered enrich.Answered) (facts checkpoint.PersonFacts, profile string, err error) {
	found, err := r.Decode(answered)
	return checkpoint.PersonFacts{Name: found.FullName, Email: found.WorkEmail, Phone: found.BusinessPhone}, found.Profile, err
}

// Show implements provider.AnswerReader.
func (r *reader) Show(answered enrich.Answered) (any, error) { return r.Decode(answered) }
