package workspace

import (
	"path/filepath"

	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
)

// callbackDir is the directory with the data of receivers of notifications, in the state directory.
const callbackDir = "callbacks"

// CallbackDir returns the directory of the receiver of notifications of a service. It is outside the journal, so a
// receiver works while another process owns the journal, and before the journal exists.
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

// SpoolDir returns the directory of the spool of a service's notifications (package spool).
func (o Options) SpoolDir(of provider.Service) (string, error) {
	dir, err := o.CallbackDir(of)
	return filepath.Join(dir, "spool"), err
}
