package inspect

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"payonce/checkpoint"
	"payonce/checkpoint/badgerstore"
	"payonce/checkpoint/record"
	"payonce/io/notify"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// checkState checks the place of the journal, and the journal when there is one. It
// leaves nothing behind.
func (d *checks) checkState(ctx context.Context) {
	const check = "state directory"
	dir, err := d.place.Options.Dir()
	if err != nil {
		d.Failed(check, err)
		return
	}
	place := existingPart(dir)
	if err := tryToWrite(place); err != nil {
		d.Problem(problem.Usage, check, "give_state", "%s cannot be written: %v", place, err)
		return
	}
	d.OK(check, "%s can be written", dir)
	d.checkPermissions(place)
	if err := badgerstore.CheckSpace(place); err != nil {
		d.Problem(0, "disk", "", "%v", err)
	} else {
		d.OK("disk", "there is room for the journal")
	}
	if d.checkEncryption() && ctx.Err() == nil {
		d.checkAlerts(ctx, dir)
		d.checkJournal(ctx)
	}
}

// failingTime is how long a channel may not accept alerts before there is a warning.
const failingTime = 24 * time.Hour

// checkAlerts warns of channels that have not accepted alerts of jobs for long. Whether the journal can be opened is
// another check.
func (d *checks) checkAlerts(ctx context.Context, dir string) {
	const check = "alerts"
	if _, exists, err := d.place.Options.Find(); err != nil || !exists {
		return
	}
	opening, err := d.place.Options.Opening(d.place.Env, "doctor", ctx.Err)
	if err != nil {
		return
	}
	var open []record.Alert
	err = workspace.ReadStore(ctx, dir, opening, func(s record.Store) (err error) {
		open, err = checkpoint.OpenAlerts(s, "")
		return err
	})
	if err != nil {
		return
	}
	for _, f := range notify.ChannelFailures(open) {
		if d.place.Env.Now().Sub(f.Since) > failingTime {
			d.Warn(check, "look_at_channel", "the channel %s has not accepted alerts of the job %s since %s (%d so far): %s", f.Channel, f.Job,
				f.Since.UTC().Format("2006-01-02 15:04 MST"), f.Alerts, report.Printable(f.Error))
		}
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
func (d *checks) checkPermissions(dir string) {
	const check = "permissions"
	for _, part := range []string{d.place.Options.Journal.State, dir} {
		info, err := os.Stat(part)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			d.OK(check, "the directory will be made for you alone")
			return
		case err != nil:
			d.Warn(check, "make_readable", "%v", err)
			return
		case info.Mode().Perm()&0o077 != 0:
			d.Advise(check, d.Hints("chmod", part), "others of this machine can look into %s", part)
			return
		}
	}
	d.OK(check, "only its owner can read the directory")
}

// checkEncryption checks the key that encrypts the journal, and reports whether it
// can be used.
func (d *checks) checkEncryption() bool {
	const check = "encryption key"
	key, err := d.place.Options.Journal.Key.Parse()
	switch {
	case err != nil:
		d.Failed(check, err)
	case key == nil:
		d.OK(check, "%s is not set: the journal is not encrypted on the disk", d.place.Options.Journal.Key.From)
	default:
		d.OK(check, "%s is a key", d.place.Options.Journal.Key.From)
	}
	return err == nil
}

// checkJournal opens the journal, unless there is none yet.
func (d *checks) checkJournal(ctx context.Context) {
	const check = "journal"
	exists, err := d.place.OpenExisting(ctx, "doctor")
	var held *badgerstore.LockedError
	switch {
	case err == nil && !exists:
		d.OK(check, "none yet; it begins with the first run")
		return
	case errors.As(err, &held):
		d.Warn(check, "journal_in_use", "%v", err)
		return
	case err != nil:
		d.Failed(check, err)
		return
	}
	for _, of := range d.place.Options.Used() {
		if !d.accepted(of.Name()) {
			continue
		}
		if err := d.place.CheckKey(of, func() error { return nil }); err != nil {
			d.Failed(check, err)
			return
		}
	}
	if count, held := d.place.Journal.InDoubt(""); count > 0 {
		d.Warn(check, "look_at_doubts", "it opens; %s in doubt, holding $%s", report.Lookups(int64(count)), held)
		return
	}
	d.OK(check, "it opens, and nothing in it is in doubt")
}
