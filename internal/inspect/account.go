// Package inspect holds the use cases that look at a workspace and look after its journal: they
// enrich nothing.
package inspect

import (
	"context"

	"payonce/internal/app"
	"payonce/internal/interfaces"
	"payonce/internal/problem"
	"payonce/internal/report/accountview"
	"payonce/internal/workspace"
	v1 "payonce/service/v1"
)

// Account reads the free account status of every interface of the workspace.
func Account(ctx context.Context, w *app.Work) (*accountview.Account, error) {
	return app.With(w, func(s *workspace.Session) (*accountview.Account, error) {
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
func accountOf(ctx context.Context, s *workspace.Session) (account *accountview.Account, err error) {
	if s.Options.Service.Known() || !s.Options.HasV2() {
		client, err := s.OpenStatus()
		if err != nil {
			return nil, err
		}
		status, err := client.Status(ctx)
		if err != nil {
			return nil, err
		}
		account = accountview.AccountOf(interfaces.V1().Catalogue, status)
	}
	if !s.Options.HasV2() {
		return account, nil
	}
	second, err := accountV2Of(ctx, s)
	if err != nil {
		return nil, err
	}
	if account == nil {
		return &accountview.Account{Second: second}, nil
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
