package registry

import "payonce/internal/baseurl"

// Service returns the form of a base URL in which base URLs of the same service are equal. A text that is not
// an absolute URL is a name, and stays as it is.
func Service(name string) string {
	if canonical, ok := baseurl.Canonical(name); ok {
		return canonical
	}
	return name
}
