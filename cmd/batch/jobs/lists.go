package jobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"payonce/io/atomicfile"
	"payonce/io/listfile"
	"payonce/io/notify"
	"payonce/pipeline/problem"
)

// named puts the date and the time of an occurrence into a name.
func named(name string, at LocalTime) string {
	return strings.NewReplacer("{date}", at.Date(), "{time}", at.Clock()).Replace(name)
}

// listError says that an occurrence has no list.
type listError struct {
	// Cause says in one sentence what is wrong, without anything of a list. Errors of one kind have the same cause.
	cause, kind string
	err         error
}

func (e *listError) Error() string { return e.err.Error() }
func (e *listError) Unwrap() error { return e.err }

// noList says that there is no file with a name, or that matches a pattern.
func noList(name, hint string) error {
	cause := "there is no list " + name
	return &listError{cause, "list_missing", problem.Usagef("%s; %s", cause, hint)}
}

// listOf returns the file that an occurrence enriches. What a command or a query wrote is kept beside the journal, so
// that a second start of the occurrence reads the same list.
func (r Runner) listOf(ctx context.Context, job *Job, at LocalTime, spool string) (string, error) {
	list := job.List
	switch {
	case list.Newest != "":
		return newest(named(list.Newest, at))
	case list.Command != "":
		return outputOf(ctx, notify.CommandLine{Line: named(list.Command, at), Words: namedAll(list.Words, at), Dir: job.Dir}, spool, r.Stderr)
	case list.Query.SQL != "":
		return r.rowsOf(ctx, job, at, spool)
	}
	path := named(list.Path, at)
	if _, err := listfile.ExpandPatterns(path); errors.Is(err, fs.ErrNotExist) {
		return "", noList(path, "add the file, or correct list")
	}
	return path, nil // what else is wrong, the run says
}

// namedAll is named for several words.
func namedAll(words []string, at LocalTime) []string {
	var all []string
	for _, word := range words {
		all = append(all, named(word, at))
	}
	return all
}

// newest returns the file that was changed last of those that match a pattern.
func newest(pattern string) (string, error) {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return "", problem.Usagef("the pattern %s cannot be read: %w", pattern, err)
	}
	newest, changed := "", time.Time{}
	for _, path := range found {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue // it was removed since, or is not a list
		}
		if at := info.ModTime(); newest == "" || at.After(changed) || at.Equal(changed) && path > newest {
			newest, changed = path, at
		}
	}
	if newest == "" {
		return "", noList(pattern, "add a file that matches, or correct list-newest")
	}
	return newest, nil
}

// outputOf returns a file with the output of a command. When the file is there, the command does not run.
func outputOf(ctx context.Context, command notify.CommandLine, path string, stderr io.Writer) (string, error) {
	switch _, err := os.Stat(path); {
	case err == nil:
		return path, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	file, err := atomicfile.Create(path, 0o600)
	if err != nil {
		return "", err
	}
	defer file.Discard()
	run := command.Start(ctx)
	run.Stdout, run.Stderr = file, stderr
	if err := run.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		err = fmt.Errorf("list-command failed: %w", err)
		return "", &listError{err.Error(), "list_command", problem.AsUsage(err)}
	}
	if file.Size() == 0 {
		return "", &listError{"list-command wrote nothing", "list_command", problem.Usagef("list-command wrote nothing; run the command by hand to see why")}
	}
	return path, file.Commit()
}

// The endings of lists that are kept until their occurrences have ended.
const (
	commandEnding = ".csv"
	queryEnding   = ".parquet"
)

// prefixOf returns what the names of all lists of an occurrence begin with.
func prefixOf(spool string) string { return strings.TrimSuffix(spool, commandEnding) }

// rowsOf returns a file with the rows of the query of a job. When the file is there and whole, the query does not run.
func (r Runner) rowsOf(ctx context.Context, job *Job, at LocalTime, spool string) (string, error) {
	prefix := prefixOf(spool)
	if path, found, err := keptSpool(prefix); found || err != nil {
		return path, err
	}
	query := job.List.Query
	query.SQL = named(query.SQL, at)
	spooled, err := query.Spool(ctx, prefix)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", &listError{"list-query failed", "list_query", problem.Usagef("list-query failed: %w", err)}
	}
	r.Note(fmt.Sprintf("%s: the query has %d rows, with the hash %s", job.Name, spooled.Rows, spooled.Hash))
	return spooled.Path, nil
}

// link makes a symbolic link to an output, in place of an earlier one.
func link(output, latest string) error {
	if info, err := os.Lstat(latest); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("%s is not a symbolic link, so it was not replaced; remove it or change latest", latest)
	}
	to, err := filepath.Abs(output)
	if err != nil {
		return err
	}
	from, err := filepath.Abs(filepath.Dir(latest))
	if err != nil {
		return err
	}
	if relative, err := filepath.Rel(from, to); err == nil {
		to = relative
	}
	pending := filepath.Join(from, fmt.Sprintf(".%s.%d", filepath.Base(latest), os.Getpid()))
	if err := os.Symlink(to, pending); err != nil {
		return err
	}
	if err := os.Rename(pending, latest); err != nil {
		return errors.Join(err, os.Remove(pending))
	}
	return nil
}
