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
	"payonce/io/notify"
	"payonce/pipeline/problem"
)

// named puts the date and the time of an occurrence into a name.
func named(name string, at LocalTime) string {
	return strings.NewReplacer("{date}", at.Date(), "{time}", at.Clock()).Replace(name)
}

// resolve returns the file that an occurrence enriches. The output of a command is kept in dir, so that a
// second start of the occurrence reads the same list.
func resolve(ctx context.Context, list List, at LocalTime, spool string, stderr io.Writer) (string, error) {
	switch {
	case list.Newest != "":
		return newest(named(list.Newest, at))
	case list.Command != "":
		return outputOf(ctx, named(list.Command, at), spool, stderr)
	}
	return named(list.Path, at), nil
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
		return "", problem.Usagef("no file matches %s; correct list-newest, or add a file", pattern)
	}
	return newest, nil
}

// outputOf returns a file with the output of a command. When the file is there, the command does not run.
func outputOf(ctx context.Context, command, path string, stderr io.Writer) (string, error) {
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
	run := notify.ShellCommand(ctx, command)
	run.Stdout, run.Stderr = file, stderr
	if err := run.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", problem.Usagef("list-command failed: %w", err)
	}
	if file.Size() == 0 {
		return "", problem.Usagef("list-command wrote nothing; run the command by hand to see why")
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
		return "", problem.Usagef("list-query failed: %w", err)
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
