package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"payonce/checkpoint/badgerstore"
	"payonce/internal/report"
)

// checkState checks the place of the journal, and the journal when there is one. It
// leaves nothing behind.
func (d *doctor) checkState(ctx context.Context) {
	const check = "state directory"
	dir, err := d.workspaceDir()
	if err != nil {
		d.problem(exitUsage, check, "", "%v", err)
		return
	}
	place := existingPart(dir)
	if err := tryToWrite(place); err != nil {
		d.problem(exitUsage, check, "Give --state DIR or set BATCH_STATE to a directory that can be written", "%s cannot be written: %v", place, err)
		return
	}
	d.ok(check, "%s can be written", dir)
	d.checkPermissions(place)
	if err := badgerstore.CheckSpace(place); err != nil {
		d.problem(exitInternal, "disk", "", "%v", err)
	} else {
		d.ok("disk", "there is room for the journal")
	}
	if d.checkEncryption() && ctx.Err() == nil {
		d.checkJournal(ctx)
	}
}

// existingPart returns the directory itself, or that of those above it that is there.
func existingPart(dir string) string {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

func tryToWrite(dir string) error {
	file, err := os.CreateTemp(dir, ".batch-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// checkPermissions warns of a directory of the journal that others can look into.
func (d *doctor) checkPermissions(dir string) {
	const check = "permissions"
	for _, part := range []string{d.state, dir} {
		info, err := os.Stat(part)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			d.ok(check, "the directory will be made for you alone")
			return
		case err != nil:
			d.warn(check, "See to it that the directory can be read", "%v", err)
			return
		case info.Mode().Perm()&0o077 != 0:
			d.warn(check, "It holds people's data: chmod 700 "+shellWord(part), "others of this machine can look into %s", part)
			return
		}
	}
	d.ok(check, "nobody else can look into the directory")
}

// checkEncryption checks the key that encrypts the journal, and reports whether it
// can be used.
func (d *doctor) checkEncryption() bool {
	const check = "encryption key"
	key, err := d.journalKey(journalKeyName)
	switch {
	case err != nil:
		d.problem(exitUsage, check, "", "%v", err)
	case key == nil:
		d.ok(check, "%s is not set: the journal is not encrypted on the disk", journalKeyName)
	default:
		d.ok(check, "%s is a key", journalKeyName)
	}
	return err == nil
}

// checkJournal opens the journal, unless there is none yet.
func (d *doctor) checkJournal(ctx context.Context) {
	const check = "journal"
	exists, err := d.openExisting(ctx, "doctor")
	var held *badgerstore.LockedError
	switch {
	case err == nil && !exists:
		d.ok(check, "none yet; it begins with the first run")
		return
	case errors.As(err, &held):
		d.warn(check, "Wait until it ends, or use another --workspace", "%v", err)
		return
	case err != nil && exitCode(err) == exitUsage:
		d.problem(exitUsage, check, "", "%v", err)
		return
	case err != nil:
		d.problem(exitInternal, check, "", "%v", err)
		return
	}
	if err := d.journal.CheckAPIKey(d.apiKey, d.sameWorkspace); err != nil && d.accepted {
		d.problem(exitCode(err), check, "", "%s", errorText(err))
		return
	}
	if count, held := d.journal.InDoubt(""); count > 0 {
		d.warn(check, "Look at them with batch reconcile", "it opens; %s in doubt, holding $%s", report.Lookups(int64(count)), held)
		return
	}
	d.ok(check, "it opens, and nothing in it is in doubt")
}
