// This file has the command that serves the page.

package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"payonce/cmd/batch/jobs"
	"payonce/cmd/batch/web"
	"payonce/configs"
	"payonce/io/atomicfile"
	"payonce/pipeline/problem"
)

// pageCommand is one invocation of the command.
type pageCommand struct {
	*options
	lists, file, listen string
	tlsCert, tlsKey     string
	password, token     string // files
	maxUpload           configs.SizeFlag
	noBrowser           bool
	certificate         *certificate // nil without TLS
}

// certificate is a certificate with its key. It is read again when its files have changed, because certificates are
// renewed while the page is served.
type certificate struct {
	cert, key string // the files
	log       hostLog
	mu        sync.Mutex
	changed   [2]time.Time // the files
	pair      *tls.Certificate
}

// current returns the certificate. When the changed files cannot be used, it returns the earlier certificate.
func (c *certificate) current() (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var changed [2]time.Time
	for i, path := range []string{c.cert, c.key} {
		if info, err := os.Stat(path); err == nil {
			changed[i] = info.ModTime()
		}
	}
	if c.pair != nil && changed == c.changed {
		return c.pair, nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	switch {
	case err == nil:
		c.pair = &pair
	case c.pair == nil:
		return nil, problem.Usagef("the certificate %s cannot be used: %w", c.cert, err)
	default:
		c.log.Note("the certificate " + c.cert + " has changed and cannot be used, so the earlier one stays in use: " + err.Error())
	}
	c.changed = changed
	return c.pair, nil
}

// leaf returns the certificate without its chain.
func (c *certificate) leaf() (*x509.Certificate, error) {
	pair, err := c.current()
	if err != nil {
		return nil, err
	}
	return pair.Leaf, nil
}

// usualAddress is where the page is unless that port is in use.
const usualAddress = "127.0.0.1:8322"

func newServeCommand(env environment) *cobra.Command {
	c := &pageCommand{options: newOptions(env), maxUpload: configs.SizeFlag{Bytes: 1 << 30}}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show a page to choose lists, plan, approve and watch runs",
		Long: "Serve a page in the browser: choose or upload a list, see how its columns are read, see what a run would\n" +
			"cost at most, approve it, watch it, stop it, and get the result. A run that the page starts is a process\n" +
			"of its own: it goes on when the page is killed. While no run is in progress, the journal is free for other\n" +
			"commands.\n\n" +
			"The page is for this machine alone. The address that is printed signs a browser in, once; the browser\n" +
			"stays signed in after a restart. Another address needs TLS and a password. Without --listen the port is\n" +
			"8322, or another one when that is in use.\n\n" +
			"With --file it also runs the jobs of that file when they are due, as batch jobs serve does. Metrics are at\n" +
			"/metrics: on this machine without a token unless --metrics-token-file is given, elsewhere only with it.\n\n" +
			"After SIGTERM nothing else is sent. Runs of the page and jobs drain, and then the process ends." +
			exitHelp(exitDone, exitInternal, exitUsage),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	flags := cmd.Flags()
	c.addBasicFlags(flags)
	c.service.AddJournal(flags)
	c.service.AddService(flags)
	c.service.AddPace(flags)
	flags.StringVar(&c.lists, "lists", ".", "offer the lists in this `DIR`")
	flags.StringVarP(&c.file, "file", "f", "", "also run the jobs of this jobs `FILE`")
	flags.StringVar(&c.listen, "listen", "", "serve at this `ADDRESS`, such as :8080; without a host only for this machine (default "+usualAddress+", or another port when it is in use)")
	flags.StringVar(&c.tlsCert, "tls-cert", "", "use TLS with the certificate in this PEM `FILE`, followed by its intermediate certificates; its names are those of the page")
	flags.StringVar(&c.tlsKey, "tls-key", "", "the PEM `FILE` with the key of the certificate")
	flags.StringVar(&c.password, "password-file", "", "a browser can also sign in with the password in the first line of this `FILE`")
	flags.StringVar(&c.token, "metrics-token-file", "", "serve metrics only to whoever has the token in the first line of this `FILE`")
	flags.Var(&c.maxUpload, "max-upload", "refuse uploads larger than this SIZE (default 1GB)")
	flags.BoolVar(&c.noBrowser, "no-browser", false, "do not open a browser")
	return cmd
}

func (c *pageCommand) run(cmd *cobra.Command) error {
	if err := c.load(cmd); err != nil {
		return err
	}
	listener, err := c.open()
	if err != nil {
		return err
	}
	defer listener.Close()
	page, board, err := c.page(cmd)
	if err != nil {
		return err
	}
	scheme, address := "http://", listener.Addr().String()
	if c.certificate != nil {
		scheme = "https://"
		leaf, err := c.certificate.leaf()
		if err != nil {
			return err
		}
		if host := certificateName(leaf); host != "" {
			_, port, _ := net.SplitHostPort(address)
			address = net.JoinHostPort(host, port)
		}
	}
	invitation := scheme + address + page.Invite()
	if _, err := fmt.Fprintf(c.env.stdout, "The page is at %s%s/\nTo sign a browser in, open this address. It works once:\n%s\n", scheme, address, invitation); err != nil {
		return err
	}
	if c.opensBrowser() {
		if err := c.openBrowser(invitation); err != nil {
			c.log().Note("no browser was opened: " + err.Error())
		}
	}
	return c.serve(cmd.Context(), page, board, listener)
}

// serve serves the page and the jobs until ctx is cancelled and both have drained.
func (c *pageCommand) serve(ctx context.Context, page *web.Server, board *jobs.Board, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if board == nil {
		c.tellManager(daemon.SdNotifyReady)
		defer context.AfterFunc(ctx, func() { c.tellManager(daemon.SdNotifyStopping) })()
		return page.Serve(ctx, listener)
	}
	served := make(chan error, 1)
	go func() {
		served <- board.Run(ctx)
		cancel() // when the jobs file cannot be read, the page ends, too
	}()
	err := page.Serve(ctx, listener)
	cancel()
	return errors.Join(err, <-served)
}

// tellManager notifies the service manager of a state, if it asked for notifications (NOTIFY_SOCKET).
func (c *pageCommand) tellManager(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		c.log().Note("the service manager was not told: " + err.Error())
	}
}

// page returns the page and the board of its jobs, nil for none.
func (c *pageCommand) page(cmd *cobra.Command) (*web.Server, *jobs.Board, error) {
	lists, err := filepath.Abs(c.lists)
	if err != nil {
		return nil, nil, err
	}
	if info, err := os.Stat(lists); err != nil || !info.IsDir() {
		return nil, nil, problem.Usagef("--lists %s is not a directory", c.lists)
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	o := web.Options{
		Program: newPageProgram(c.env, cmd.Flags()), Lists: lists, Executable: executable, Hosts: c.isOwnName, Secure: c.certificate != nil,
		MaxUpload: c.maxUpload.Bytes, Now: c.env.now, HeaderTime: 5 * time.Second,
	}
	if o.Password, err = lineOfSecret(c.password, minPassword); err != nil {
		return nil, nil, err
	}
	if o.MetricsToken, err = lineOfSecret(c.token, minPassword); err != nil {
		return nil, nil, err
	}
	var board *jobs.Board
	var measured []prometheus.Collector
	if c.file != "" {
		env := c.env.jobs()
		if _, err := env.Reader.Read(c.file); err != nil {
			return nil, nil, problem.AsUsage(err)
		}
		board = jobs.NewBoard(env, c.file)
		o.Jobs, measured = board, append(measured, board.Metrics())
	}
	if c.isLocal() || o.MetricsToken != "" {
		if o.Metrics, err = jobs.MetricsHandler(version, measured...); err != nil {
			return nil, nil, err
		}
	}
	page, err := web.New(o)
	return page, board, err
}

// address returns where the page is served.
func (c *pageCommand) address() (host, port string, err error) {
	host, port, err = net.SplitHostPort(cmp.Or(c.listen, usualAddress))
	if err != nil {
		return "", "", problem.Usagef("--listen %s: %w", c.listen, err)
	}
	return cmp.Or(host, "127.0.0.1"), port, nil
}

// isLocal reports whether only this machine can connect.
func (c *pageCommand) isLocal() bool {
	host, _, err := c.address()
	return err == nil && isLoopback(host)
}

// isLoopback reports whether a host is a loopback address, which only this machine can reach.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// isOwnName reports whether a name is one of the page's: a loopback address, or a name of the certificate.
func (c *pageCommand) isOwnName(host string) bool {
	if c.isLocal() && isLoopback(host) {
		return true
	}
	if c.certificate == nil {
		return false
	}
	leaf, err := c.certificate.leaf()
	return err == nil && leaf.VerifyHostname(host) == nil
}

// open listens. Without --listen, a port that is in use is not an error: it takes another one.
func (c *pageCommand) open() (net.Listener, error) {
	host, port, err := c.address()
	switch {
	case err != nil:
		return nil, err
	case (c.tlsCert == "") != (c.tlsKey == ""):
		return nil, problem.Usagef("--tls-cert and --tls-key belong together; give both or neither")
	case !isLoopback(host) && (c.tlsCert == "" || c.password == ""):
		return nil, problem.Usagef("--listen %s: others could connect, so it needs --tls-cert, --tls-key and --password-file; without a host only this machine can", c.listen)
	}
	if c.tlsCert != "" {
		c.certificate = &certificate{cert: c.tlsCert, key: c.tlsKey, log: c.log()}
		if _, err := c.certificate.current(); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil && c.listen == "" {
		listener, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, problem.Usagef("--listen %s: %w", cmp.Or(c.listen, usualAddress), err)
	}
	if c.certificate != nil {
		listener = tls.NewListener(listener, &tls.Config{
			MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.certificate.current() },
		})
	}
	return listener, nil
}

// certificateName returns a name under which a browser can reach the page; "" when the certificate has only wildcards.
func certificateName(leaf *x509.Certificate) string {
	for _, name := range leaf.DNSNames {
		if !strings.HasPrefix(name, "*") {
			return name
		}
	}
	for _, ip := range leaf.IPAddresses {
		return ip.String()
	}
	return ""
}

// minPassword is the least length of a password or a token, in bytes.
const minPassword = 12

// lineOfSecret returns the first line of a file that only its owner can read; "" without a file.
func lineOfSecret(path string, shortest int) (string, error) {
	if path == "" {
		return "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", problem.AsUsage(err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", problem.Usagef("%s can be read by others: run chmod 600 on it", path)
	}
	text, err := atomicfile.ReadSmall(path)
	if err != nil {
		return "", problem.AsUsage(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSpace(line); len(line) < shortest {
		return "", problem.Usagef("the first line of %s has to have at least %d characters", path, shortest)
	}
	return line, nil
}

// opensBrowser reports whether to open a browser: not under a service manager, over SSH or without a display.
func (c *pageCommand) opensBrowser() bool {
	for _, name := range []string{"NOTIFY_SOCKET", "INVOCATION_ID", "JOURNAL_STREAM", "SSH_CONNECTION"} {
		if c.env.getenv(name) != "" {
			return false
		}
	}
	hasScreen := runtime.GOOS == "darwin" || c.env.getenv("DISPLAY") != "" || c.env.getenv("WAYLAND_DISPLAY") != ""
	return !c.noBrowser && c.env.canAsk && hasScreen
}

// openBrowser opens an address. It passes the address in a file that only its owner can read, because other users can
// see the command lines of processes.
func (c *pageCommand) openBrowser(address string) error {
	dir, err := c.workspace().Dir()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "page", "open.html")
	err = atomicfile.Replace(path, 0o600, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "<!doctype html>\n<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n", html.EscapeString(address))
		return err
	})
	if err != nil {
		return err
	}
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	opening := exec.Command(program, path)
	if err := opening.Start(); err != nil {
		return err
	}
	go func() { _ = opening.Wait() }() // an error is ignored, because the address was printed, too
	return nil
}
