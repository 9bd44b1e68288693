package iotest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// PostgresPassword is that of the user of the server.
const PostgresPassword = "s3cret-of-the-test"

// memoryDir is where Linux keeps files in memory. A server that syncs its files there does not wait for a disk.
const memoryDir = "/dev/shm"

// startTime is how long the server may take to start or to stop.
const startTime = time.Minute

// PostgresServer is a server that only this machine can connect to, through a socket.
type PostgresServer struct {
	t       testing.TB
	dir     string // of the socket
	bin     string // where its programs are
	options string // of its command line
}

// StartPostgres starts a server with an empty database, and stops it with the test. Settings are such as "fsync=on";
// without that one a power cut of the machine would lose its data. Where PostgreSQL is not installed, the test is
// skipped.
func StartPostgres(t testing.TB, settings ...string) *PostgresServer {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		t.Skip("PostgreSQL is not installed, so no query runs; install Debian's package postgresql")
	}
	slices.Sort(found)
	bin := found[len(found)-1]
	parent := ""
	if info, err := os.Stat(memoryDir); err == nil && info.IsDir() {
		parent = memoryDir
	}
	dir := userDirIn(t, parent)
	s := &PostgresServer{t: t, dir: dir, bin: bin}
	data := s.data()
	s.run("initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "-N")
	options := fmt.Sprintf("-c listen_addresses='' -c unix_socket_directories='%s' -c fsync=off -c shared_buffers=16MB", dir)
	for _, setting := range settings {
		options += " -c " + setting
	}
	s.options = options
	s.run("pg_ctl", s.starting()...)
	t.Cleanup(func() { s.run("pg_ctl", "stop", "-w", "-D", data, "-m", "immediate") })
	s.Exec("ALTER USER tester PASSWORD '" + PostgresPassword + "'")
	if err := os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte("local all all scram-sha-256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("pg_ctl", "restart", "-w", "-D", data, "-l", filepath.Join(dir, "log"), "-m", "fast")
	return s
}

// data returns the directory of the server's files.
func (s *PostgresServer) data() string { return filepath.Join(s.dir, "data") }

// starting returns the arguments that start the server.
func (s *PostgresServer) starting() []string {
	return []string{"start", "-w", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-o", s.options}
}

// Crash ends the server without a checkpoint and starts it again, which recovers what was committed. With killed, the main
// process is killed, as by "kill -9"; otherwise all processes are told to end at once ("pg_ctl stop -m immediate").
func (s *PostgresServer) Crash(killed bool) {
	s.t.Helper()
	if killed {
		text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
		if err != nil {
			s.t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), "\n")
		process, err := strconv.Atoi(first)
		if err != nil {
			s.t.Fatal(err)
		}
		if err := syscall.Kill(process, syscall.SIGKILL); err != nil {
			s.t.Fatal(err)
		}
	} else {
		s.run("pg_ctl", "stop", "-w", "-D", s.data(), "-m", "immediate")
	}
	// The other processes of a killed server end by themselves. Until then it does not start.
	deadline := time.Now().Add(startTime)
	for {
		err := s.try("pg_ctl", s.starting()...)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatal(err)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// run runs a program of the server.
func (s *PostgresServer) run(name string, args ...string) {
	s.t.Helper()
	if err := s.try(name, args...); err != nil {
		s.t.Fatal(err)
	}
}

// try runs a program of the server. As root it runs as another user, because the server refuses root.
func (s *PostgresServer) try(name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	command := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	command.Dir = s.dir
	command.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
	if info, err := os.Stat(s.dir); err == nil && os.Geteuid() == 0 {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Uid}}
		}
	}
	output, err := os.Create(filepath.Join(s.t.TempDir(), "output")) // a pipe would stay open while the server runs
	if err != nil {
		return err
	}
	defer output.Close()
	command.Stdout, command.Stderr = output, output
	if err := command.Run(); err != nil {
		text, _ := os.ReadFile(output.Name())
		return fmt.Errorf("%s: %w\n%s", name, err, text)
	}
	return nil
}

// URL returns how to connect.
func (s *PostgresServer) URL() string {
	return (&url.URL{
		Scheme: "postgres", User: url.UserPassword("tester", PostgresPassword), Path: "/postgres",
		RawQuery: url.Values{"host": {s.dir}}.Encode(),
	}).String()
}

// Exec runs statements.
func (s *PostgresServer) Exec(statements string) {
	s.t.Helper()
	if err := s.TryExec(statements); err != nil {
		s.t.Fatal(err)
	}
}

// TryExec runs statements on a server that may be away.
func (s *PostgresServer) TryExec(statements string) error {
	conn, err := pgconn.Connect(s.t.Context(), s.URL())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(s.t.Context(), statements).ReadAll()
	return err
}
