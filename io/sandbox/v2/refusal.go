package v2

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"payonce/io/sandbox/kit"
)

// refusal is the service's no.
type refusal struct {
	code       kit.Code
	problems   map[string][]string // of an invalid request, by field
	detail     string              // of an internal error
	retryAfter time.Duration
	asDate     bool
}

func notFound() *refusal { return &refusal{code: kit.NotFound} }

// invalid refuses a request for one field.
func invalid(field, message string) *refusal {
	return &refusal{code: kit.InvalidRequest, problems: map[string][]string{field: {message}}}
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
func moduleName(m kit.Module) string {
	words := strings.ReplaceAll(string(m), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// message words a refusal of an operation of a module (assumptions, "Status codes and errors").
func (r refusal) message(m kit.Module) kit.Reply {
	switch r.code {
	case kit.InvalidToken:
		return kit.JSONReply(http.StatusUnauthorized, detail{"Invalid token."})
	case kit.NotFound:
		return kit.JSONReply(http.StatusNotFound, detail{"Not found."})
	case kit.RateLimited:
		return kit.JSONReply(http.StatusTooManyRequests, detail{fmt.Sprintf(
			"Request was throttled. Expected available in %d seconds.", kit.WholeSeconds(r.retryAfter))})
	case kit.InvalidRequest:
		if r.problems == nil {
			return kit.JSONReply(http.StatusBadRequest, map[string][]string{"fields": {"Invalid request."}})
		}
		return kit.JSONReply(http.StatusBadRequest, r.problems)
	case kit.Limit, kit.DailyLimit:
		period := "total"
		if r.code == kit.DailyLimit {
			period = "daily"
		}
		return kit.JSONReply(http.StatusTooManyRequests, limitError{
			access{"use_" + string(m), "Use " + moduleName(m), string(m), moduleName(m), "data", "Data"},
			string(r.code), fmt.Sprintf("The %s limit of %s is reached.", period, moduleName(m)),
		})
	}
	said := "A server error occurred."
	if r.detail != "" {
		said += " " + r.detail
	}
	return kit.JSONReply(http.StatusInternalServerError, detail{said})
}
