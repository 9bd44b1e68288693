package iotest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// StartPooler starts PgBouncer, which gives every transaction another one of two connections, and returns the URL of the
// database behind it. Where PgBouncer is not installed, the test is skipped.
func StartPooler(t testing.TB, serverURL string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("PgBouncer is not installed, so no pooler stands in between; install Debian's package pgbouncer")
	}
	at, err := url.Parse(serverURL)
	if err != nil {
		t.Fatal(err)
	}
	dir := UserDir(t)
	password, _ := at.User.Password()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	users := write("users", fmt.Sprintf("%q %q\n", at.User.Username(), password))
	config := write("config", fmt.Sprintf(`[databases]
postgres = host=%s dbname=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = %s
listen_port = 5432
auth_type = plain
auth_file = %s
pool_mode = transaction
default_pool_size = 2
server_round_robin = 1
server_login_retry = 1
log_connections = 0
log_disconnections = 0
`, at.Query().Get("host"), dir, users))
	command := exec.Command(program, config)
	if info, err := os.Stat(dir); err == nil && os.Geteuid() == 0 {
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Uid}}
		}
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // it was killed
		log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("pgbouncer: %s", text)
		}
	})
	socket := filepath.Join(dir, postgresSocket)
	deadline := time.Now().Add(time.Minute)
	for {
		if _, err := os.Stat(socket); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("PgBouncer did not start")
		}
		<-time.After(10 * time.Millisecond)
	}
	at.RawQuery = url.Values{"host": {dir}}.Encode()
	return at.String()
}
