// Package pgtest starts a PostgreSQL server for a test.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"payonce/internal/testuser"
)

// Password is that of the user of the server.
const Password = "s3cret-of-the-test"

// startTime is how long the server may take to start or to stop.
const startTime = time.Minute

// Server is a server that only this machine can connect to, through a socket.
type Server struct {
	t   testing.TB
	dir string // of the socket
}

// Start starts a server with an empty database, and stops it with the test. Where PostgreSQL is not installed, the test
// is skipped.
func Start(t testing.TB) *Server {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		t.Skip("PostgreSQL is not installed, so no query runs; install Debian's package postgresql")
	}
	slices.Sort(found)
	bin := found[len(found)-1]
	dir := testuser.Dir(t)
	s := &Server{t: t, dir: dir}
	data := filepath.Join(dir, "data")
	s.run(bin, "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "-N")
	options := fmt.Sprintf("-c listen_addresses='' -c unix_socket_directories='%s' -c fsync=off -c shared_buffers=16MB", dir)
	s.run(bin, "pg_ctl", "start", "-w", "-D", data, "-l", filepath.Join(dir, "log"), "-o", options)
	t.Cleanup(func() { s.run(bin, "pg_ctl", "stop", "-w", "-D", data, "-m", "immediate") })
	s.Exec("ALTER USER tester PASSWORD '" + Password + "'")
	if err := os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte("local all all scram-sha-256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run(bin, "pg_ctl", "restart", "-w", "-D", data, "-l", filepath.Join(dir, "log"), "-m", "fast")
	return s
}

// run runs a program of the server. As root it runs as another user, because the server refuses root.
func (s *Server) run(bin, name string, args ...string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	command := exec.CommandContext(ctx, filepath.Join(bin, name), args...)
	command.Dir = s.dir
	command.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
	if info, err := os.Stat(s.dir); err == nil && os.Geteuid() == 0 {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Uid}}
		}
	}
	output, err := os.Create(filepath.Join(s.t.TempDir(), "output")) // a pipe would stay open while the server runs
	if err != nil {
		s.t.Fatal(err)
	}
	defer output.Close()
	command.Stdout, command.Stderr = output, output
	if err := command.Run(); err != nil {
		text, _ := os.ReadFile(output.Name())
		s.t.Fatalf("%s: %v\n%s", name, err, text)
	}
}

// URL returns how to connect.
func (s *Server) URL() string {
	return (&url.URL{
		Scheme: "postgres", User: url.UserPassword("tester", Password), Path: "/postgres",
		RawQuery: url.Values{"host": {s.dir}}.Encode(),
	}).String()
}

// Exec runs statements.
func (s *Server) Exec(statements string) {
	s.t.Helper()
	conn, err := pgconn.Connect(s.t.Context(), s.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if _, err := conn.Exec(s.t.Context(), statements).ReadAll(); err != nil {
		s.t.Fatal(err)
	}
}
