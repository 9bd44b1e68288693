package sandbox

import (
	"payonce/io/sandbox/v2"
	servicev1 "payonce/io/service/v1"
	servicev2 "payonce/io/service/v2"
)

// Interface is an interface that the embedded service has.
type Interface struct {
	Path string // behind the address of the service
	Key  string // of DefaultConfig
}

// InterfaceNamed returns the interface with a name; false where the embedded service has none.
func InterfaceNamed(name string) (Interface, bool) {
	switch name {
	case servicev1.Catalogue().Interface:
		return Interface{restPath, DefaultKey}, true
	case servicev2.Catalogue().Interface:
		return Interface{"/v2", v2.DefaultKey}, true
	}
	return Interface{}, false
}

// SetWindow sets the rate that an interface allows.
func (c *Config) SetWindow(name string, allowed Window) {
	switch name {
	case servicev1.Catalogue().Interface:
		c.Window = allowed
	case servicev2.Catalogue().Interface:
		c.V2.Window = allowed
	}
}
