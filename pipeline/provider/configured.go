package provider

import (
	"errors"

	"payonce/pipeline/problem"
	"payonce/pipeline/workspace"
)

// ConfiguredInterfaces returns the interfaces that there are, and which of them are configured. Without any service, as
// for a plan that is made offline, the first one is taken for configured.
func ConfiguredInterfaces(options workspace.Options) Set {
	v1, v2 := V1Interface(), V2Interface(options.V2.Modules)
	return Set{All: []Interface{v1, v2}, Configured: func(name string) bool {
		if name == v2.Catalogue.Interface {
			return options.HasV2()
		}
		return options.Service.Known() || !options.HasV2()
	}}
}

// AsUnasked words an error about what is asked of which interface.
func AsUnasked(err error) error {
	if missing, is := errors.AsType[*NotConfiguredError](err); is {
		return problem.Coded("not_configured_"+missing.Interface, "%w", err)
	}
	return problem.AsUsage(err)
}
