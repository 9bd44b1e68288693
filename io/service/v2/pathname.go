package v2

import "strconv"

// maxPathName is how much of a name that the service chose stands in a path, in bytes.
const maxPathName = 60

// pathName returns a name of the service as it stands in a path.
func pathName(name string) string {
	quoted := strconv.QuoteToASCII(name)
	plain := quoted[1 : len(quoted)-1]
	if plain == name && len(name) <= maxPathName {
		return name
	}
	if len(plain) > maxPathName {
		return strconv.Quote(plain[:maxPathName] + "…")
	}
	return quoted
}
