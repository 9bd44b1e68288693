package checkpoint

// serviceOf returns the form of a base URL in which base URLs of the same service are equal. A text that is not
// an absolute URL is a name, and stays as it is.
func serviceOf(name string) string {
	if canonical, ok := CanonicalBaseURL(name); ok {
		return canonical
	}
	return name
}
