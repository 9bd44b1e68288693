package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"payonce/pipeline/workspace"

	"payonce/checkpoint"
	"payonce/checkpoint/record"
)

// TestJournalErrorsSayWhatToDo: a journal of another version is not to be restored from a
// backup, and a disk that filled needs room.
func TestJournalErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	unknown := record.Decode(record.IdentityKey, []byte{record.Version + 1}, &record.Journal{})
	if !errors.Is(unknown, checkpoint.ErrVersion) || errors.Is(unknown, checkpoint.ErrCorrupt) {
		t.Errorf("a record of an unknown version: %v", unknown)
	}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"another version": {workspace.OpenError(unknown), "open it with the program that wrote it"},
		"damage":          {fmt.Errorf("opening: %w", checkpoint.ErrCorrupt), "since the backup"},
		"full disk":       {fmt.Errorf("%w: %w", checkpoint.ErrFailed, syscall.ENOSPC), "; make room there and run the same command again"},
	} {
		if got := hintFlags("").After(test.err); !strings.Contains(got, test.want) || strings.Contains(got, "backup") != (name == "damage") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
