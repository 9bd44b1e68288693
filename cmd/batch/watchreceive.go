// This file has the commands about notifications of changes of watched companies: the receiver and the callback.

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"payonce/cmd/batch/jobs"
	"payonce/io/service/v2"
	"payonce/io/spool"
	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/provider/providerv2"
	"payonce/pipeline/report"
)

// receiveCommand is one call of batch watch receive.
type receiveCommand struct {
	*options
	listen, metrics string
	tlsCert, tlsKey string
	mostWaiting     int
	receiver        *spool.Receiver
	certificate     atomic.Pointer[tls.Certificate]
	told            int64 // how many requests the last line counted
}

func newWatchReceiveCommand(env environment) *cobra.Command {
	c := &receiveCommand{options: newOptions(env)}
	c.needs = "v2"
	cmd := &cobra.Command{
		Use:   "receive",
		Short: "Receive the service's notifications, and record which companies changed",
		Long: "Receive the notifications that the service posts when a watched company changes, until the process is\n" +
			"stopped. The receiver answers each after it is durable. Notifications are not signed, so it stores only the\n" +
			"identifier of the company and the time: the next batch watch poll asks the service for the changes. It sends\n" +
			"nothing and does not use the journal.\n\n" +
			"The path ends in a secret, which the first start creates; batch watch callback path prints it. Other paths are\n" +
			"answered with 404. Without --tls-cert only this machine can connect, such as a proxy that has the certificate.\n\n" +
			"SIGTERM lets requests in progress finish, and then ends the process. SIGHUP reads the certificate again." +
			exitHelp(exitDone, exitInternal, exitUsage),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	flags := cmd.Flags()
	c.addJournalFlags(flags)
	flags.StringVar(&c.listen, "listen", "127.0.0.1:9465", "the `ADDRESS` to listen on; without a host only for this machine")
	flags.StringVar(&c.tlsCert, "tls-cert", "", "use TLS with the certificate in this PEM `FILE`, followed by its intermediate certificates")
	flags.StringVar(&c.tlsKey, "tls-key", "", "the PEM `FILE` with the key of the certificate")
	flags.StringVar(&c.metrics, "metrics", "", "serve metrics at this `ADDRESS`, such as :9466; without a host only for this machine")
	flags.IntVar(&c.mostWaiting, "max-waiting", 100_000, "store at most `N` companies; for others the service is asked to send again later")
	return cmd
}

func (c *receiveCommand) run(cmd *cobra.Command) error {
	if err := c.load(cmd); err != nil {
		return err
	}
	dir, err := c.callbackDir()
	if err != nil {
		return err
	}
	address, err := c.address()
	if err != nil {
		return err
	}
	if c.tlsCert != "" {
		if err := c.readCertificate(); err != nil {
			return problem.AsUsage(err)
		}
	}
	c.receiver = &spool.Receiver{Company: v2.NotifiedCompany, Now: c.env.now}
	if c.receiver.Secret, err = secretIn(dir, false); err != nil {
		return err
	}
	spoolDir, err := c.workspace().SpoolDir(c.v2())
	if err != nil {
		return err
	}
	if c.receiver.Spool, err = spool.Open(spoolDir); err != nil {
		return problem.Coded("state_not_writable", "%w", err)
	}
	c.receiver.Spool.Limit = c.mostWaiting
	return c.serve(cmd.Context(), address)
}

// v2 returns the service with the notifications.
func (o *options) v2() provider.Service {
	of, _, _ := provider.Of[providerv2.Provider](o.workspace().Services)
	return of
}

func (o *options) callbackDir() (string, error) { return o.workspace().CallbackDir(o.v2()) }

// secretIn returns the secret of the receiver's path.
func secretIn(dir string, another bool) (string, error) {
	secret, err := spool.Secret(dir, another)
	if errors.Is(err, fs.ErrPermission) {
		return "", problem.Coded("secret_readable", "%w", err).With(spool.SecretFile(dir))
	}
	return secret, problem.AsUsage(err)
}

// address returns where to listen. An address that other machines reach needs TLS.
func (c *receiveCommand) address() (string, error) {
	host, port, err := net.SplitHostPort(c.listen)
	if err != nil {
		return "", problem.Usagef("--listen %s: write it like 127.0.0.1:9465", c.listen)
	}
	if (c.tlsCert == "") != (c.tlsKey == "") {
		return "", problem.Usagef("--tls-cert and --tls-key belong together; give both or neither")
	}
	if c.mostWaiting < 1 {
		return "", problem.Usagef("--max-waiting %d: choose 1 or more", c.mostWaiting)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); c.tlsCert == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", problem.Coded("listen_plain", "--listen %s: other machines reach this address, and without TLS they can read the secret path", c.listen)
	}
	return net.JoinHostPort(host, port), nil
}

func (c *receiveCommand) readCertificate() error {
	pair, err := tls.LoadX509KeyPair(c.tlsCert, c.tlsKey)
	if err != nil {
		return fmt.Errorf("the certificate %s cannot be used: %w", c.tlsCert, err)
	}
	c.certificate.Store(&pair)
	return nil
}

func (c *receiveCommand) serve(ctx context.Context, address string) (err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return problem.Usagef("--listen %s: %w", c.listen, err)
	}
	defer listener.Close() // Serve has closed it, unless it was not reached
	if c.metrics != "" {
		metrics, err := jobs.ListenMetrics(c.metrics, version, c.collectors()...)
		if err != nil {
			return problem.Usagef("--metrics %s: %w", c.metrics, err)
		}
		defer func() { err = errors.Join(err, metrics.Close()) }()
		c.log().Note("metrics are served at http://" + metrics.Address() + "/metrics")
	}
	certificate, scheme := c.certificate.Load, "https"
	if c.tlsCert == "" {
		certificate, scheme = nil, "http"
	}
	ended := make(chan error, 1)
	go func() { ended <- c.receiver.Serve(ctx, listener, certificate) }()
	c.log().Note("notifications are received at " + scheme + "://" + listener.Addr().String() + "/, below the secret path")
	c.tellManager(daemon.SdNotifyReady)
	if err := c.wait(ctx, ended); err != nil {
		return err
	}
	c.tellCounts()
	return unlessUnread(c.show(c.env.stdout, c.received()))
}

// tellEvery is the time between two lines with counts.
const tellEvery = time.Minute

// wait returns when the receiver has ended.
func (c *receiveCommand) wait(ctx context.Context, ended <-chan error) error {
	var hangups <-chan struct{}
	if c.env.hangups != nil {
		hangups = c.env.hangups()
	}
	stopping := ctx.Done()
	for {
		select {
		case err := <-ended:
			return err
		case <-stopping:
			stopping = nil
			c.tellManager(daemon.SdNotifyStopping)
		case <-hangups:
			if c.tlsCert == "" {
				continue
			}
			if err := c.readCertificate(); err != nil {
				c.log().Fail(err.Error(), "; the earlier certificate stays in use")
				continue
			}
			c.log().Note("the new certificate is in use")
		case <-c.env.after(tellEvery):
			c.tellCounts()
		}
	}
}

func (c *receiveCommand) tellManager(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		c.log().Note(fmt.Sprintf("the service manager did not get the message %q: %v", state, err))
	}
}

// received returns the counts.
func (c *receiveCommand) received() *report.Received {
	counts := &report.Received{
		Accepted: c.receiver.Count(spool.Accepted), Repeated: c.receiver.Spool.Renewed(), Refused: map[string]int64{},
	}
	for _, o := range spool.Outcomes() {
		if n := c.receiver.Count(o); o != spool.Accepted && n > 0 {
			counts.Refused[o.String()] = n
		}
	}
	return counts
}

// tellCounts logs the counts when they have changed, and why the last notification could not be stored.
func (c *receiveCommand) tellCounts() {
	counts := c.received()
	all, refused := counts.Accepted, []string{}
	facts := []any{"accepted", counts.Accepted, "repeated", counts.Repeated}
	for _, o := range spool.Outcomes() {
		if n := counts.Refused[o.String()]; n > 0 {
			all += n
			refused = append(refused, fmt.Sprintf("%d %s", n, o))
			facts = append(facts, "refused_"+o.String(), n)
		}
	}
	if err := c.receiver.Failure(); err != nil {
		c.log().Fail(err.Error(), "; the service was asked to send again later")
	}
	if all == c.told {
		return
	}
	c.told = all
	text := fmt.Sprintf("notifications since the start: %d accepted, %d of them repeated", counts.Accepted, counts.Repeated)
	if len(refused) > 0 {
		text += "; refused: " + strings.Join(refused, ", ")
	}
	c.log().Note(text, facts...)
}

// collectors count the requests to the receiver.
func (c *receiveCommand) collectors() (all []prometheus.Collector) {
	for _, o := range spool.Outcomes() {
		all = append(all, prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "payonce_notifications_total", Help: "Requests to the receiver of notifications, by their outcome.",
			ConstLabels: prometheus.Labels{"outcome": o.String()},
		}, func() float64 { return float64(c.receiver.Count(o)) }))
	}
	return append(all, prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "payonce_notifications_repeated_total", Help: "Accepted notifications of companies that were already waiting.",
	}, func() float64 { return float64(c.receiver.Spool.Renewed()) }))
}

func newWatchCallbackCommand(env environment) *cobra.Command {
	cmd := newCallbackShowCommand(env, "callback")
	cmd.AddCommand(newCallbackShowCommand(env, "show"), newCallbackSetCommand(env), newCallbackPathCommand(env))
	return cmd
}

// newCallbackShowCommand returns a command that shows the callback. Its name can be left out.
func newCallbackShowCommand(env environment, name string) *cobra.Command {
	o := newOptions(env)
	cmd := &cobra.Command{
		Use:   name,
		Short: "Show where the service sends notifications",
		Long: "Show the callback: the address to which the service posts notifications. Also show how many companies wait in\n" +
			"the spool of this workspace's receiver. An account has one callback. The command is free." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted),
		RunE: o.command(func(cmd *cobra.Command, w *pipeline.Work, _ []string) (report.Report, error) {
			return inspect.ReadCallback(cmd.Context(), w)
		}),
	}
	o.addCallbackFlags(cmd)
	return cmd
}

func (o *options) addCallbackFlags(cmd *cobra.Command) {
	o.needs = "v2"
	o.addJournalFlags(cmd.Flags())
	cmd.Flags().DurationVar(&o.service.Timeout, "timeout", o.service.Timeout, "give a request up after this time")
}

func newCallbackSetCommand(env environment) *cobra.Command {
	o := newOptions(env)
	var secretPath bool
	cmd := &cobra.Command{
		Use:   "set URL",
		Short: "Change where the service sends notifications",
		Long: "Set the callback: the address to which the service posts notifications. Then read it back. The command asks\n" +
			"before it replaces another address. --secret-path adds the secret path of this workspace's receiver to the\n" +
			"URL, so that the secret is not in the history of the shell. The command is free." +
			exitHelp(exitDone, exitInternal, exitUsage, exitRefused, exitInterrupted, exitApproval),
		Args: cobra.ExactArgs(1),
		RunE: o.command(func(cmd *cobra.Command, w *pipeline.Work, args []string) (report.Report, error) {
			address := args[0]
			if secretPath {
				base, err := url.Parse(address)
				if err != nil || base.RawQuery != "" || base.Fragment != "" {
					return nil, problem.Coded("callback_address", "the URL has a query or a fragment, or cannot be read, so the secret path cannot be added")
				}
				dir, err := o.callbackDir()
				if err != nil {
					return nil, err
				}
				secret, err := secretIn(dir, false)
				if err != nil {
					return nil, err
				}
				address = base.JoinPath(secret).String()
			}
			return inspect.SetCallback(cmd.Context(), w, address, func(present string) error {
				if o.yes {
					return nil
				}
				return env.askToReplace(cmd.Context(), present)
			})
		}),
	}
	o.addCallbackFlags(cmd)
	cmd.Flags().BoolVar(&secretPath, "secret-path", false, "add the secret path of this workspace's receiver to the URL")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask before another address is replaced")
	return cmd
}

// askToReplace returns nil when the person agrees to replace the present callback address.
func (env environment) askToReplace(ctx context.Context, present string) error {
	switch {
	case !env.canAsk:
		return problem.Unapproved("cannot_ask_callback", "the command asks before it replaces another callback, and this is not a terminal; nothing was changed")
	case env.confirm(ctx, "The service sends notifications to "+report.Printable(present)+". Replace it? [y/N] "):
		return nil
	case ctx.Err() != nil:
		return ifInterrupted(ctx.Err(), "the callback was not changed")
	}
	return problem.Unapproved("", "not confirmed; the callback was not changed")
}

func newCallbackPathCommand(env environment) *cobra.Command {
	o := newOptions(env)
	o.needs = "v2"
	var another bool
	cmd := &cobra.Command{
		Use:   "path",
		Short: "Print the secret path of the receiver",
		Long: "Print the path at which batch watch receive of this workspace accepts notifications. The path is secret: anyone\n" +
			"who knows it can send notifications. It is in the state directory, and the command creates it if it is missing.\n" +
			"--new replaces the secret: then start the receiver again and set the callback." +
			exitHelp(exitDone, exitInternal, exitUsage),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.load(cmd); err != nil {
				return err
			}
			dir, err := o.callbackDir()
			if err != nil {
				return err
			}
			secret, err := secretIn(dir, another)
			if err != nil {
				return err
			}
			return o.show(env.stdout, &report.CallbackPath{Path: "/" + secret, File: spool.SecretFile(dir)})
		},
	}
	o.addJournalFlags(cmd.Flags())
	cmd.Flags().BoolVar(&another, "new", false, "replace the secret")
	return cmd
}
