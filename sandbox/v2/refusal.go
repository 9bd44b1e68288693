package v2

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"payonce/sandbox/fault"
	"payonce/sandbox/reply"
	"payonce/sandbox/units"
)

// refusal is the service's no.
type refusal struct {
	code       fault.Code
	problems   map[string][]string // of an invalid request, by field
	detail     string              // of an internal error
	retryAfter time.Duration
	asDate     bool
}

func notFound() *refusal { return &refusal{code: units.NotFound} }

// invalid refuses a request for one field.
func invalid(field, message string) *refusal {
	return &refusal{code: units.InvalidRequest, problems: map[string][]string{field: {message}}}
}

// detail is the body of most refusals.
type detail struct {
	Detail string `json:"detail"`
}

// limitError is the body of a refusal for a limit (specification v2, "Errors").
type limitError struct {
	Access  access `json:"access"`
	Guard   string `json:"error_guard"`
	Message string `json:"message_guard"`
}

type access struct {
	Permission     string `json:"permission"`
	PermissionName string `json:"permission_name"`
	Module         string `json:"module"`
	ModuleName     string `json:"module_name"`
	App            string `json:"app"`
	AppName        string `json:"app_name"`
}

// moduleName returns a module's name as it is shown.
func moduleName(m units.Module) string {
	words := strings.ReplaceAll(string(m), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// message words a refusal of an operation of a module (assumptions, "Status codes and errors").
func (r refusal) message(m units.Module) reply.Message {
	switch r.code {
	case units.InvalidToken:
		return reply.JSON(http.StatusUnauthorized, detail{"Invalid token."})
	case units.NotFound:
		return reply.JSON(http.StatusNotFound, detail{"Not found."})
	case units.RateLimited:
		return reply.JSON(http.StatusTooManyRequests, detail{fmt.Sprintf(
			"Request was throttled. Expected available in %d seconds.", reply.WholeSeconds(r.retryAfter))})
	case units.InvalidRequest:
		if r.problems == nil {
			return reply.JSON(http.StatusBadRequest, map[string][]string{"fields": {"Invalid request."}})
		}
		return reply.JSON(http.StatusBadRequest, r.problems)
	case units.Limit, units.DailyLimit:
		period := "total"
		if r.code == units.DailyLimit {
			period = "daily"
		}
		return reply.JSON(http.StatusTooManyRequests, limitError{
			access{"use_" + string(m), "Use " + moduleName(m), string(m), moduleName(m), "data", "Data"},
			string(r.code), fmt.Sprintf("The %s limit of %s is reached.", period, moduleName(m)),
		})
	}
	said := "A server error occurred."
	if r.detail != "" {
		said += " " + r.detail
	}
	return reply.JSON(http.StatusInternalServerError, detail{said})
}
