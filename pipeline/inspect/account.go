// Package inspect holds the use cases that look at a workspace and look after its journal: they
// enrich nothing.
package inspect

import (
	"context"

	"payonce/checkpoint"
	"payonce/io/service/v1"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// Account reads the free account status of every interface of the workspace, with the emails and phones of a time.
func Account(ctx context.Context, w *pipeline.Work, counted report.TimeSpan) (*report.Account, error) {
	return pipeline.WithSession(w, func(s *workspace.Session) (*report.Account, error) {
		account, err := accountOf(ctx, s, counted)
		switch {
		case problem.IsUsage(err):
			return nil, err
		case err != nil:
			return nil, problem.AsRefused(ctx, err)
		}
		return account, nil
	})
}

// accountOf reads the accounts of the interfaces that the workspace has.
func accountOf(ctx context.Context, s *workspace.Session, counted report.TimeSpan) (account *report.Account, err error) {
	account = &report.Account{Counted: counted}
	for _, of := range s.Options.Used() {
		at, err := s.Endpoint(of)
		if err != nil {
			return nil, err
		}
		account.Counted = counted // a provider may write the whole account
		if err := of.Show(ctx, at, readerOf(s, of), account); err != nil {
			return nil, err
		}
	}
	return account, nil
}

// readerOf returns what reads the journal as the account of a service sees it. A journal that cannot be read now is
// left out: the account itself needs none.
func readerOf(s *workspace.Session, of provider.Service) provider.AccountReader {
	return func(ctx context.Context) (*checkpoint.Journal, error) {
		if s.Journal == nil {
			if exists, err := s.ReadExisting(ctx, "account"); err != nil || !exists {
				return nil, ctx.Err()
			}
		}
		return s.AccountOf(of)
	}
}

// Document reads the OpenAPI document of the service, which v1 alone has.
func Document(ctx context.Context, w *pipeline.Work) (v1.Description, error) {
	return pipeline.WithSession(w, func(s *workspace.Session) (v1.Description, error) {
		of, p, _ := provider.Of[providerv1.Provider](s.Options.Services) // every workspace has it
		at, err := s.Endpoint(of)
		if err != nil {
			return v1.Description{}, err
		}
		client, err := v1.NewStatusClient(p.Config(at))
		if err != nil {
			return v1.Description{}, problem.AsUsage(err)
		}
		description, err := client.OpenAPI(ctx)
		if err != nil {
			return v1.Description{}, problem.AsRefused(ctx, err)
		}
		return description, nil
	})
}
