// Package inspect holds the use cases that look at a workspace and look after its journal: they
// enrich nothing.
package inspect

import (
	"context"

	"payonce/internal/app"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/internal/workspace"
	v1 "payonce/service/v1"
)

// Account reads the free account status of every interface of the workspace.
func Account(ctx context.Context, w *app.Work) (*report.Account, error) {
	return app.With(w, func(s *workspace.Session) (*report.Account, error) {
		account, err := accountOf(ctx, s)
		if err != nil {
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
		account = report.AccountOf(status)
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
func Document(ctx context.Context, w *app.Work) (v1.Description, error) {
	return app.With(w, func(s *workspace.Session) (v1.Description, error) {
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
