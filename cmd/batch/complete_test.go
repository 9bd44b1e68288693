package main

import (
	"testing"
	"time"

	"github.com/spf13/cobra"

	"payonce/checkpoint/badgerstore"
	"payonce/pipeline"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv1"
	"payonce/pipeline/workspace"
)

// A journal whose owner does not answer is not waited for, and nothing about it changes.
func TestCompletionDoesNotWaitForAHeldJournal(t *testing.T) {
	t.Parallel()
	w := &pipeline.Work{Env: workspace.Environment{Now: time.Now, Program: "batch"}, Workspace: workspace.Options{
		Journal: workspace.Journal{State: t.TempDir(), Name: "default", Wait: time.Hour}, Sandbox: true,
		Services: []provider.Service{{Provider: providerv1.Provider{}}},
	}}
	dir, err := w.Workspace.Dir()
	if err != nil {
		t.Fatal(err)
	}
	s, err := badgerstore.Open(dir, badgerstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Opened("0123"); err != nil {
		t.Fatal(err)
	}
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	if names := (completion{func(*cobra.Command) (*pipeline.Work, error) { return w, nil }, completionWait}).runs(cmd); len(names) > 0 {
		t.Errorf("%v", names)
	}
}
