package app

import (
	"context"

	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/service/v1"
)

// Account reads the free account status.
func (w *Work) Account(ctx context.Context) (*report.Account, error) {
	return with(w, func(s *session) (*report.Account, error) {
		client, err := s.place.OpenStatus()
		if err != nil {
			return nil, err
		}
		account, err := client.Status(ctx)
		if err != nil {
			return nil, problem.AsRefused(ctx, err)
		}
		return report.AccountOf(account), nil
	})
}

// Document reads the OpenAPI document of the service.
func (w *Work) Document(ctx context.Context) (v1.Description, error) {
	return with(w, func(s *session) (v1.Description, error) {
		client, err := s.place.OpenStatus()
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
