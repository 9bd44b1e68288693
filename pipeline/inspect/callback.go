package inspect

import (
	"context"
	"errors"
	"net"
	"net/url"

	"payonce/cost"
	"payonce/io/service/v2"
	"payonce/io/spool"
	"payonce/pipeline"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// ReadCallback reads the address to which the service posts notifications. It is free.
func ReadCallback(ctx context.Context, w *pipeline.Work) (*report.Callback, error) {
	return withCallback(ctx, w, func(*v2.WatchClient, *report.Callback) error { return nil })
}

// SetCallback sets the address to which the service posts notifications, and reads it back. It is free. It calls
// confirm before it replaces another address, and changes nothing when confirm returns an error. After an error of the
// service the address may have been set; SetCallback with the same address then shows it.
func SetCallback(ctx context.Context, w *pipeline.Work, address string, confirm func(present string) error) (*report.Callback, error) {
	if err := checkCallback(address); err != nil {
		return nil, err
	}
	return withCallback(ctx, w, func(client *v2.WatchClient, now *report.Callback) error {
		if now.Callback != nil {
			if *now.Callback == address {
				return nil
			}
			if err := confirm(*now.Callback); err != nil {
				return err
			}
		}
		if err := client.SetCallback(ctx, address); err != nil {
			return problem.AsRefused(ctx, err)
		}
		set, err := client.Callback(ctx)
		if err != nil {
			return problem.AsRefused(ctx, err)
		}
		if set != cost.Known(address) {
			return &problem.Error{Kind: problem.Refused, Code: "callback_differs", Err: errors.New("the service shows another callback than the one that was set")}
		}
		now.Previous, now.Callback, now.Changed = now.Callback, &address, true
		return nil
	})
}

// checkCallback returns an error for an address that is not absolute, or not encrypted. The path has a secret, so http
// is only for this machine.
func checkCallback(address string) error {
	at, err := url.Parse(address)
	if err != nil || at.Hostname() == "" || at.Fragment != "" || at.Scheme != "https" && at.Scheme != "http" {
		return problem.Coded("callback_address", "the address of the callback is not an absolute URL")
	}
	if ip := net.ParseIP(at.Hostname()); at.Scheme == "http" && at.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return problem.Coded("callback_address", "the address of the callback begins with http, so others could read its secret path")
	}
	return nil
}

// withCallback reads the callback address and calls do with it.
func withCallback(ctx context.Context, w *pipeline.Work, do func(*v2.WatchClient, *report.Callback) error) (*report.Callback, error) {
	return pipeline.WithSession(w, func(s *workspace.Session) (*report.Callback, error) {
		of, p, _ := provider.Of[providerv2.Provider](s.Options.Services)
		dir, err := s.Options.SpoolDir(of)
		if err != nil {
			return nil, err
		}
		at, err := s.Endpoint(of)
		if err != nil {
			return nil, err
		}
		client, err := v2.NewWatchClient(p.Config(at))
		if err != nil {
			return nil, problem.AsUsage(err)
		}
		address, err := client.Callback(ctx)
		if err != nil {
			return nil, problem.AsRefused(ctx, err)
		}
		view := &report.Callback{}
		if address.Known && address.Value != "" {
			view.Callback = &address.Value
		}
		if view.Waiting, err = spool.Waiting(dir); err != nil {
			return nil, err
		}
		return view, do(client, view)
	})
}
