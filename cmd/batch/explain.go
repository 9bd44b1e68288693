package main

import (
	"errors"
	"net/http"
	"syscall"

	"payonce/checkpoint"
	"payonce/checkpoint/pgstore"
	"payonce/io/service"
	"payonce/io/service/v1"
	"payonce/io/service/v2"
	"payonce/pipeline/problem"
)

// Explain returns the text of an error, and what to do about it where the service or its
// configuration is at fault.
func (h hintFlags) Explain(err error) string { return err.Error() + h.After(err) }

// After returns what to do about an error as it continues the error's text; "" for nothing.
func (h hintFlags) After(err error) string {
	if found, ok := errors.AsType[*problem.Error](err); ok && found.Code != "" {
		if hint := h.For(found.Code, found.Values...); hint != "" {
			return hint
		}
	}
	if errors.Is(err, checkpoint.ErrVersion) {
		return h.For("journal_version")
	}
	if errors.Is(err, checkpoint.ErrCorrupt) {
		return h.For("journal_damaged")
	}
	if errors.Is(err, pgstore.ErrFailedOver) {
		return h.For("journal_failed_over")
	}
	if errors.Is(err, checkpoint.ErrFailed) && errors.Is(err, syscall.ENOSPC) {
		return h.For("disk_filled")
	}
	if errors.Is(err, checkpoint.ErrFailed) || errors.Is(err, pgstore.ErrUnreachable) {
		return h.For("journal_failed")
	}
	if advice := advise(err); advice != "" {
		return "; " + advice
	}
	return listHint(err)
}

func advise(err error) string {
	var (
		unreachable *service.UnreachableError
		status      *v1.StatusError
		document    *v1.DocumentError
		session     *service.MCPOpenError
		metrics     *v2.Error
	)
	switch {
	case errors.Is(err, v2.ErrNoKey):
		return "set SERVICE_V2_API_KEY"
	case errors.Is(err, service.ErrNoKey):
		return "set SERVICE_API_KEY"
	case errors.Is(err, v2.ErrBadKey):
		return "set SERVICE_V2_API_KEY to exactly what the account's profile showed"
	case errors.Is(err, service.ErrBadKey):
		return "set SERVICE_API_KEY to exactly what the dashboard showed"
	case errors.As(err, &unreachable):
		return "check the network and " + addressFlag(unreachable.Address.Name)
	case errors.As(err, &status):
		return adviseOnStatus(status)
	case errors.As(err, &metrics) && metrics.Code == v2.CodeInvalidKey:
		return "set SERVICE_V2_API_KEY to a valid key"
	case errors.As(err, &document):
		return "the service may not publish one, or --base-url is wrong"
	case errors.As(err, &session) && session.Code == service.CodeMCPVersion:
		return "use --transport rest"
	case errors.As(err, &session):
		return "check --mcp-url"
	}
	return ""
}

func adviseOnStatus(e *v1.StatusError) string {
	switch status := e.HTTPStatus; {
	case status == http.StatusUnauthorized:
		return "set SERVICE_API_KEY to a valid key"
	case status == http.StatusForbidden:
		return "the workspace's owner has to restore access"
	case status >= 300 && status <= 399:
		return "if the service has moved, give its address with " + addressFlag(e.Address)
	case status == http.StatusOK, status == http.StatusNotFound:
		return "check " + addressFlag(e.Address)
	case status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return "try again later"
	}
	return ""
}

// addressFlag returns the flag that gives an address of the service.
func addressFlag(name string) string {
	switch name {
	case v1.MCPURL:
		return "--mcp-url"
	case v2.BaseURL:
		return "--base-url-v2"
	}
	return "--base-url"
}
