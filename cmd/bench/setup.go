package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// duckDBFolder is where the peer's script and its pinned packages are, from the root of
// the module.
const duckDBFolder = "bench/duckdb"

// programs are what is measured, each by its path.
type programs struct {
	batch string
	self  string // this program
	peer  string // the script for DuckDB
}

// setup is what everything is measured with.
type setup struct {
	options
	programs
	log io.Writer
}

// newSetup builds the program and installs DuckDB in the cache.
func newSetup(ctx context.Context, o options, log io.Writer) (*setup, error) {
	s := &setup{options: o, log: log}
	s.batch, s.peer = s.cached("batch"), s.cached("duckdb", "peer.mjs")
	var err error
	if s.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(s.cached("duckdb"), 0o700); err != nil {
		return nil, err
	}
	if err := s.do(ctx, "building batch", command{"go", "build", "-trimpath", "-o", s.batch, "./cmd/batch"}); err != nil {
		return nil, err
	}
	for _, name := range []string{"package.json", "package-lock.json", "peer.mjs"} {
		text, err := os.ReadFile(filepath.Join(duckDBFolder, name))
		if err == nil {
			err = os.WriteFile(s.cached("duckdb", name), text, 0o600)
		}
		if err != nil {
			return nil, fmt.Errorf("%w; run it in the root of the module", err)
		}
	}
	// Not "npm ci": the lock holds the packages of one system, and another one needs others,
	// which the package pins by itself.
	return s, s.do(ctx, "installing DuckDB", command{"npm", "install", "--no-audit", "--no-fund", "--prefix", s.cached("duckdb")})
}

// cached returns the path of something in the cache.
func (s *setup) cached(names ...string) string {
	return filepath.Join(append([]string{s.cache}, names...)...)
}

// list returns the path of the list with that number of rows. The ending tells its format.
func (s *setup) list(rows int, ending string) string {
	return s.cached(fmt.Sprintf("%d-list%s", rows, ending))
}

// makeLists makes the lists that are not in the cache.
func (s *setup) makeLists(ctx context.Context) error {
	for _, list := range []struct {
		rows   int
		ending string
	}{{s.rows, ".csv"}, {s.rows, ".parquet"}, {s.rows / 10, ".csv"}} {
		path := s.list(list.rows, list.ending)
		_, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = s.do(ctx, "making "+path, command{s.batch, "lists", "-o", path, "--rows", strconv.Itoa(list.rows)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// warm reads the lists once, so that nobody pays for the disk.
func (s *setup) warm(lists ...string) error {
	for _, path := range lists {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// state is the directory of the journal that is written from.
func (s *setup) state() string { return s.cached(fmt.Sprintf("%d-state", s.rows)) }

// answered makes the journal of the run whose output is written from this list.
func (s *setup) answered(list string) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.do(ctx, "answering a tenth of "+list, command{s.self, "answer", list, s.state()})
	}
}

// do runs a command that is not measured.
func (s *setup) do(ctx context.Context, doing string, c command) error {
	took, _, err := c.run(ctx, s.threads)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	fmt.Fprintf(s.log, "%s took %s\n", doing, seconds(took.wall))
	return nil
}
