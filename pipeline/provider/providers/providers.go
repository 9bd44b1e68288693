// Package providers is the list of the interfaces of services that the program knows.
package providers

import (
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/provider/providerv2"
)

// All returns a provider for each interface, in the order in which they are asked when the user names none. The
// account 0 of every journal is one of the first; so no other is ever put before it.
func All() []provider.Provider {
	return []provider.Provider{
		providerv1.Provider{},
		providerv2.Provider{},
	}
}
