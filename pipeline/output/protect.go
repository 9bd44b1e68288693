package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"payonce/checkpoint/record"
	"payonce/io/atomicfile"
	"payonce/io/listfile"
)

// Journal remembers the files that were written.
type Journal interface {
	// File returns what is recorded of the file at an absolute path, and false when nothing is.
	File(path string) (record.File, bool, error)
	// SaveFile returns when the record is durable.
	SaveFile(file record.File) error
}

// JournalOf returns a journal, which is not told about files when it can only be read. A file that was
// not recorded counts as made by somebody else, so nothing is lost when it is replaced.
func JournalOf(j Journal, readOnly bool) Journal {
	if readOnly {
		return unrecorded{j}
	}
	return j
}

// unrecorded is a Journal that is not told about files.
type unrecorded struct{ Journal }

func (unrecorded) SaveFile(record.File) error { return nil }

// NoJournal returns a journal that knows no file, so that every other file is kept when it is replaced.
func NoJournal() Journal { return unrecorded{noFiles{}} }

type noFiles struct{ Journal }

func (noFiles) File(string) (record.File, bool, error) { return record.File{}, false, nil }

// Protection says how the files that outputs replace are protected.
type Protection struct {
	Journal Journal
	Run     string
	Now     time.Time
	Most    int   // earlier versions of a file that are kept; 0 for none
	Rows    int64 // of the list
	// Source identifies all that the files are made from; "" when that is not known.
	Source   string
	Outcomes map[string]int64 // rows by outcome
	// OfRun says that the files are about the run alone. A file that was written for another run is then kept, also one
	// whose values are all in the new file: they may stand for other records there.
	OfRun bool
}

// KeptVersion is an earlier version of a file that was kept beside the new one.
type KeptVersion struct {
	File   string `json:"file"`
	As     string `json:"kept_as"`
	Reason string `json:"reason"`
}

// replacement is a file that is about to replace another one.
type replacement struct {
	Protection
	file    *atomicfile.File
	list    *listfile.List // that is written
	columns []string       // of the new file that hold wanted values
	// Of tables that are written with the file: how many values could not be read, and the first of them.
	unread      int64
	firstUnread []UnreadCell
}

// keep keeps the file that is replaced when somebody edited it, when the journal did not write it,
// or when it holds values that the new file lacks. It returns nil when nothing is kept.
func (r *replacement) keep(ctx context.Context) (*KeptVersion, error) {
	target := r.file.Target()
	info, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil || r.Most == 0 || info.Size() == 0 {
		return nil, err
	}
	reason, err := r.reason(ctx, info)
	if err != nil || reason == "" {
		return nil, err
	}
	kept, err := atomicfile.KeepVersion(target, r.Most)
	if err != nil {
		return nil, fmt.Errorf("%s could not be kept before it is replaced: %w", target, err)
	}
	return &KeptVersion{File: target, As: kept, Reason: reason}, nil
}

// reason returns why the file is kept, and "" when it need not be.
func (r *replacement) reason(ctx context.Context, info fs.FileInfo) (string, error) {
	path, err := absolute(r.file.Target())
	if err != nil {
		return "", err
	}
	known, found, err := r.Journal.File(path)
	if err != nil {
		return "", err
	}
	// Size and time do not show an edit: a program that writes to the file can keep both. They decide only where the
	// record has no hash.
	hash := known.Hash
	if !found || known.Hash != "" || known.Size != info.Size() || !known.Changed.Equal(info.ModTime()) {
		if hash, err = atomicfile.SumOf(path); err != nil {
			return "", err
		}
	}
	switch {
	case hash == r.file.Sum():
		return "", nil
	case !found:
		return "it was not written with this journal", nil
	case hash != known.Hash:
		return "it was changed after it was written", nil
	case len(known.Columns) == 0:
		return "", nil
	case r.OfRun && known.Run != r.Run:
		return "it was written for the run " + known.Run, nil
	}
	lost, err := r.lost(ctx, path, known.Columns)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "it could not be compared with the new one: " + err.Error(), nil
	case lost == 1:
		return "it holds 1 value that the new one lacks", nil
	case lost > 1:
		return fmt.Sprintf("it holds %d values that the new one lacks", lost), nil
	}
	return "", nil
}

// lost counts the values of the file at path that the new file lacks.
func (r *replacement) lost(ctx context.Context, path string, columns []string) (int64, error) {
	old, err := r.list.Like(path)
	if err != nil {
		return 0, err
	}
	made, err := r.list.Like(r.file.Pending())
	if err != nil {
		return 0, err
	}
	return newComparison(columns, r.Rows).lost(ctx, old, made)
}

// record notes the new file in the journal, after Commit put it in place.
func (r *replacement) record() error {
	path, err := absolute(r.file.Target())
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	written := record.File{
		Path: path, Run: r.Run, Written: r.Now, Size: r.file.Size(), Changed: info.ModTime(), Hash: r.file.Sum(),
		Columns: r.columns,
	}
	if r.Source != "" {
		written.Source, written.Rows = sourceOf(r.Source, written.Hash), r.Outcomes
		written.Unread, written.FirstUnread = r.unread, r.firstUnread
	}
	return r.Journal.SaveFile(written)
}

// IsRecorded reports whether there is a file that was last written for a run.
func IsRecorded(journal Journal, path, run string) (bool, error) {
	path, err := absolute(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	known, found, err := journal.File(path)
	return found && known.Run == run, err
}

// absolute returns the absolute path of a file without links.
func absolute(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
