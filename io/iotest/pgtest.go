package iotest

import (
	"bytes"
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

// PostgresServer is a server that only this machine can connect to, through a socket, with a user and a database.
type PostgresServer struct {
	t              testing.TB
	bin, dir       string   // of its programs; of the socket and its data
	settings       []string // such as "fsync=on"
	user, database string
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
	s := newPostgres(t, found[len(found)-1], settings)
	s.run("initdb", "-D", s.data(), "-U", s.user, "-A", "trust", "-E", "UTF8", "-N")
	s.Start()
	t.Cleanup(s.Stop)
	s.Exec("ALTER USER tester PASSWORD '" + PostgresPassword + "'")
	hba := "local all all scram-sha-256\nlocal replication tester trust\n"
	if err := os.WriteFile(filepath.Join(s.data(), "pg_hba.conf"), []byte(hba), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run("pg_ctl", "restart", "-w", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-m", "fast")
	return s
}

// newPostgres returns a server without data.
func newPostgres(t testing.TB, bin string, settings []string) *PostgresServer {
	t.Helper()
	parent := ""
	if info, err := os.Stat(memoryDir); err == nil && info.IsDir() {
		parent = memoryDir
	}
	return &PostgresServer{t: t, bin: bin, dir: userDirIn(t, parent), settings: settings, user: "tester", database: "postgres"}
}

func (s *PostgresServer) data() string { return filepath.Join(s.dir, "data") }

// Start starts the server again after Stop or Kill.
func (s *PostgresServer) Start() {
	s.t.Helper()
	options := fmt.Sprintf("-c listen_addresses='' -c unix_socket_directories='%s' -c fsync=off -c shared_buffers=16MB", s.dir)
	for _, setting := range s.settings {
		options += " -c " + setting
	}
	for deadline := time.Now().Add(startTime); ; {
		err := s.try(s.bin, "pg_ctl", "start", "-w", "-D", s.data(), "-l", filepath.Join(s.dir, "log"), "-o", options)
		if err == nil {
			return
		}
		if time.Now().After(deadline) { // until then other processes of a killed server may use its data
			s.t.Fatal(err)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// Kill ends the main process of the server, as "kill -9" does. The others then end by themselves.
func (s *PostgresServer) Kill() {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		s.t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	process, err := strconv.Atoi(first)
	if err == nil {
		err = syscall.Kill(process, syscall.SIGKILL)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// Stop ends the server as a crash would. A server that is not running stays so.
func (s *PostgresServer) Stop() {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.data(), "postmaster.pid")); err == nil {
		s.run("pg_ctl", "stop", "-w", "-D", s.data(), "-m", "immediate")
	}
}

// Standby starts a standby that replicates asynchronously, and stops it with the test.
func (s *PostgresServer) Standby() *PostgresServer {
	s.t.Helper()
	standby := newPostgres(s.t, s.bin, s.settings)
	s.run("pg_basebackup", "-h", s.dir, "-U", s.user, "-D", standby.data(), "-R", "-X", "stream", "-c", "fast", "-N")
	standby.Start()
	s.t.Cleanup(standby.Stop)
	return standby
}

// AwaitStandby waits until a standby has everything that the server has committed.
func (s *PostgresServer) AwaitStandby() {
	s.t.Helper()
	s.Exec(`DO $$ DECLARE at pg_lsn := pg_current_wal_flush_lsn(); BEGIN
		WHILE NOT EXISTS (SELECT FROM pg_stat_replication WHERE replay_lsn >= at) LOOP
			PERFORM pg_sleep(0.01); PERFORM pg_stat_clear_snapshot();
		END LOOP; END $$`)
}

// Disconnect ends the replication to a standby, which then receives nothing more.
func (s *PostgresServer) Disconnect() {
	s.t.Helper()
	s.Exec("ALTER SYSTEM SET primary_conninfo = ''")
	s.Exec("SELECT pg_reload_conf()")
	s.Exec(`DO $$ BEGIN
		WHILE EXISTS (SELECT FROM pg_stat_wal_receiver) LOOP PERFORM pg_sleep(0.01); PERFORM pg_stat_clear_snapshot(); END LOOP; END $$`)
}

// Promote makes a standby a server of its own.
func (s *PostgresServer) Promote() {
	s.t.Helper()
	s.run("pg_ctl", "promote", "-w", "-D", s.data())
}

// SaveData copies the data of a stopped server. RestoreData puts it back.
func (s *PostgresServer) SaveData() {
	s.t.Helper()
	s.copyData(s.data(), s.data()+".saved")
}

// RestoreData puts the data of a stopped server back as they were at SaveData.
func (s *PostgresServer) RestoreData() {
	s.t.Helper()
	s.copyData(s.data()+".saved", s.data())
}

func (s *PostgresServer) copyData(from, to string) {
	s.t.Helper()
	if err := os.RemoveAll(to); err != nil {
		s.t.Fatal(err)
	}
	s.command("/bin", "cp", "-a", from, to)
}

// As returns the server for another user, whose password is the same.
func (s *PostgresServer) As(user string) *PostgresServer {
	as := *s
	as.user = user
	return &as
}

// NewDatabase creates a database, and returns the server with it.
func (s *PostgresServer) NewDatabase(name string) *PostgresServer {
	s.t.Helper()
	s.Exec(`CREATE DATABASE "` + name + `"`)
	with := *s
	with.database = name
	return &with
}

func (s *PostgresServer) run(name string, args ...string) {
	s.t.Helper()
	s.command(s.bin, name, args...)
}

func (s *PostgresServer) command(bin, name string, args ...string) {
	s.t.Helper()
	if err := s.try(bin, name, args...); err != nil {
		s.t.Fatal(err)
	}
}

// try runs a program. As root it runs as another user, because the server refuses root.
func (s *PostgresServer) try(bin, name string, args ...string) error {
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
		Scheme: "postgres", User: url.UserPassword(s.user, PostgresPassword), Path: "/" + s.database,
		RawQuery: url.Values{"host": {s.dir}}.Encode(),
	}).String()
}

// Hold begins a transaction with a statement, and returns a function that ends it.
func (s *PostgresServer) Hold(statement string) (release func()) {
	s.t.Helper()
	conn, err := pgconn.Connect(s.t.Context(), s.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := conn.Exec(s.t.Context(), "BEGIN; "+statement).ReadAll(); err != nil {
		s.t.Fatal(err)
	}
	return func() { _ = conn.Close(context.Background()) }
}

// AwaitLock waits until a session of the server waits for a lock.
func (s *PostgresServer) AwaitLock() {
	s.t.Helper()
	s.Exec(`DO $$ BEGIN
		WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock') LOOP
			PERFORM pg_sleep(0.01); PERFORM pg_stat_clear_snapshot();
		END LOOP; END $$`)
}

// Exec runs statements.
func (s *PostgresServer) Exec(statements string) {
	s.t.Helper()
	if err := s.TryExec(statements); err != nil {
		s.t.Fatal(err)
	}
}

// Dump returns the rows of tables, with texts and byte strings as they are.
func (s *PostgresServer) Dump(tables ...string) []byte {
	s.t.Helper()
	conn, err := pgconn.Connect(s.t.Context(), s.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var rows bytes.Buffer
	for _, table := range tables {
		if _, err := conn.CopyTo(s.t.Context(), &rows, "COPY "+table+" TO STDOUT (FORMAT binary)"); err != nil {
			s.t.Fatal(err)
		}
	}
	return rows.Bytes()
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
