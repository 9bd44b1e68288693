package workspace

import (
	"path/filepath"

	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// callbackDir is the directory of what receivers of notifications keep, below that of all journals.
const callbackDir = "callbacks"

// CallbackDir returns the directory of the receiver of notifications of a service. It is beside the journal, so that
// a receiver works while any process owns the journal, and before there is one.
func (o Options) CallbackDir(of provider.Service) (string, error) {
	name := sandboxDir
	if !o.Sandbox {
		if of.BaseURL == "" {
			return "", problem.Coded(of.Name()+"_missing", "the %s interface has no address", of.Name())
		}
		names, ok := namesOf(of.BaseURL)
		if !ok {
			return "", o.badAddress(of)
		}
		name = names[0]
	}
	return filepath.Join(o.Journal.State, callbackDir, name, o.Journal.Name), nil
}

// SpoolDir returns the directory of the companies that notifications of a service have named (package spool).
func (o Options) SpoolDir(of provider.Service) (string, error) {
	dir, err := o.CallbackDir(of)
	return filepath.Join(dir, "spool"), err
}
