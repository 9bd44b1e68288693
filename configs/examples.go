package configs

import (
	"embed"
	"path"
	"strings"
)

// The example configuration files of "batch plan" and "batch run". Their keys are the
// long names of flags.
//
//go:embed one-off.yaml nightly.yaml dry-run.yaml
var examples embed.FS

// Example is a configuration file to begin with.
type Example struct {
	Name string // as its file is called, without the ending
	Text []byte
}

// Examples returns the example configuration files, by name.
func Examples() ([]Example, error) {
	entries, err := examples.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var found []Example
	for _, entry := range entries {
		text, err := examples.ReadFile(entry.Name())
		if err != nil {
			return nil, err
		}
		found = append(found, Example{Name: strings.TrimSuffix(entry.Name(), path.Ext(entry.Name())), Text: text})
	}
	return found, nil
}
