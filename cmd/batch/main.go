// Command batch finds the missing work emails and business phones of a contact
// list through a paid service, and never pays twice for one.
package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"payonce/pipeline/provider"
)

// version is what "batch version" prints; the build may set it.
var version = "0.1.0"

// environment is all that the commands need of the world around them.
type environment struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	canAsk         bool                // stdin and stderr are terminals: somebody can be asked
	showsProgress  bool                // stderr is a terminal
	showsText      bool                // stdout is a terminal
	columns        func() int          // of that terminal; nil, or not above 0, without one
	fileMode       fs.FileMode         // of new files outside the journal; zero for 0600
	build          func() string       // identifies the program's code, as buildHash does; nil when that is not known
	providers      []provider.Provider // of all interfaces that the program knows; nil for those of the package providers
	start          *startingRecord
	typed          typedLine      // the command line; nil where nobody typed it
	unread         chan os.Signal // for the signal that nobody reads; nil leaves signals alone
	after          func(time.Duration) <-chan time.Time
	// hangups makes SIGHUP tell the channel that it returns, in place of interrupting. It may be nil.
	hangups func() <-chan struct{}
	// completionWait is how long a completion waits for the journal; zero for the usual time.
	completionWait time.Duration
	// lease is how long a process may send calls without reaching the database of a shared journal; zero for the usual time.
	lease time.Duration
}

func main() { os.Exit(runProgram(environment{now: time.Now, after: time.After})) }

// runProgram runs the command line of the process with a clock and times of an environment.
func runProgram(given environment) (code int) {
	// The journal's files, temporary files among them, are for this user alone. Files that the user
	// asks for follow the umask.
	umask := syscall.Umask(0o077)
	ctx, hangups, stop := interruptible()
	unread := make(chan os.Signal, 1)
	env := environment{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, now: given.now, after: given.after, hangups: hangups,
		completionWait: given.completionWait, lease: given.lease,
		fileMode:      0o666 &^ fs.FileMode(umask),
		build:         buildHash,
		unread:        unread,
		canAsk:        term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
		showsText:     term.IsTerminal(int(os.Stdout.Fd())),
		showsProgress: term.IsTerminal(int(os.Stderr.Fd())),
		columns:       func() int { columns, _, _ := term.GetSize(int(os.Stderr.Fd())); return columns },
	}
	code = execute(ctx, env, os.Args[1:])
	signal.Stop(unread)
	stop()
	return code
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, env environment, args []string) int {
	printed := &counted{Writer: env.stdout}
	env.stdout, env.start, env.typed = printed, &startingRecord{}, args
	root := newRootCommand(env)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	env.start.End(exitCode(err), exitWord(err))
	if failed, telling := failureOf(err, hintFlagsOf(cmd.Flags())); telling {
		if failed.Command = hintCommand(err, args, cmd.Flags()); failed.Command == "" {
			next := env.typed.afterFailure(err, cmd)
			failed.Lead, failed.Command = next.Lead, next.Command
		}
		tell(env, failed, cmd.Flags(), printed.bytes == 0 && asksForJSON(cmd, args))
	}
	return exitCode(err)
}

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP cancels: the
// command then drains. A second one ends the process at once, and what is in flight then
// is in doubt; but no SIGHUP does: of a terminal that closes come two, one from the shell
// and one from the system when the shell ends. One that is ignored, as under nohup, stays so.
// After hangups was called, SIGHUP tells the channel that it returned, and does not interrupt.
func interruptible() (ctx context.Context, hangups func() <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	var reloads atomic.Bool
	reload := make(chan struct{}, 1)
	go func() {
		for received := range signals {
			switch {
			case received == syscall.SIGHUP && reloads.Load():
				select {
				case reload <- struct{}{}:
				default: // one is waiting, and a second one changes nothing
				}
			case ctx.Err() == nil:
				cancel()
			case received != syscall.SIGHUP:
				fmt.Fprintln(os.Stderr, "\nbatch: stopped at once; lookups in flight, if any, are in doubt, and the next run looks into them")
				os.Exit(exitInterrupted)
			}
		}
	}()
	return ctx, func() <-chan struct{} { reloads.Store(true); return reload }, func() {
		signal.Stop(signals)
		close(signals)
		cancel()
	}
}

// outliveReaders keeps the process from ending when nobody reads what it writes any more: in
// "batch run … 2>&1 | tee log" Ctrl-C ends tee too, and the exit code is owed all the same.
func (env environment) outliveReaders() {
	if env.unread != nil {
		signal.Notify(env.unread, syscall.SIGPIPE) // nobody receives: the write fails, and that is all
	}
}
