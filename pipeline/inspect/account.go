// Package inspect holds the use cases that look at a workspace and look after its journal: they
// enrich nothing.
package inspect

import (
	"context"

	"payonce/io/service/v1"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// Account reads the free account status of every interface of the workspace.
func Account(ctx context.Context, w *pipeline.Work) (*report.Account, error) {
	return pipeline.WithSession(w, func(s *workspace.Session) (*report.Account, error) {
		account, err := accountOf(ctx, s)
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
func accountOf(ctx context.Context, s *workspace.Session) (account *report.Account, err error) {
	if s.Options.Service.Known() || !s.Options.HasV2() {
		client, err := s.OpenStatus()
		if err != nil {
			return nil, err
		}
		status, err := client.Status(ctx)
		if err != nil {
			return nil, err
		}
		account = report.AccountOf(provider.V1Interface().Catalogue, status)
	}
	if !s.Options.HasV2() {
		return account, nil
	}
	second, err := accountV2Of(ctx, s)
	if err != nil {
		return nil, err
	}
	if account == nil {
		return &report.Account{Second: second}, nil
	}
	account.Second = second
	return account, nil
}

// Document reads the OpenAPI document of the service.
func Document(ctx context.Context, w *pipeline.Work) (v1.Description, error) {
	return pipeline.WithSession(w, func(s *workspace.Session) (v1.Description, error) {
		client, err := s.OpenStatus()
		if err != nil {
			return v1.Description{}, err
		}
		description, err := client.OpenAPI(ctx)
		if err != nil {
			return v1.Description{}, problem.AsRefused(ctx, err)
		}
		return description, nil
	})
}
