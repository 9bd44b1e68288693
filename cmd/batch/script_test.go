package main

import (
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"payonce/checkpoint"
	"payonce/enrich"
	"payonce/sandbox"
)

// scriptWorld is what the commands of one script have set up around the program.
type scriptWorld struct {
	service *sandbox.Server
	journal *checkpoint.Journal
}

type scriptKey struct{}

func worldOf(ts *testscript.TestScript) *scriptWorld {
	return ts.Value(scriptKey{}).(*scriptWorld)
}

func plain(ts *testscript.TestScript, neg bool, args []string, least int, usage string) {
	if neg || len(args) < least {
		ts.Fatalf("usage: %s", usage)
	}
}

// exitsCommand runs a program that has to end with an exit code.
func exitsCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "exits CODE PROGRAM [ARGUMENT...]")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("the program ended with exit code %d, not %d", got, want)
	}
}

// serviceCommand starts a service of its own and lets SERVICE_BASE_URL and
// SERVICE_API_KEY speak of it. Its arguments are faults, or attempts=N.
func serviceCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "service [FAULT|attempts=N|free=N]...")
	config := sandbox.DefaultConfig()
	config.Window = sandbox.Window{Limit: 1000, Per: time.Second}
	for _, arg := range args {
		name, number, _ := strings.Cut(arg, "=")
		n, err := strconv.Atoi(number)
		switch {
		case err == nil && name == "attempts":
			config.AttemptLimit = n
		case err == nil && name == "free":
			config.Free = [enrich.NumFields]int64{int64(n), int64(n)}
		default:
			fault, err := sandbox.ParseFault(arg)
			ts.Check(err)
			config.Faults = append(config.Faults, fault)
		}
	}
	service, err := sandbox.New(config)
	ts.Check(err)
	server := httptest.NewServer(service.Handler())
	ts.Defer(func() {
		service.Close()
		server.Close()
	})
	worldOf(ts).service = service
	ts.Setenv("SERVICE_BASE_URL", server.URL+"/api/v1")
	ts.Setenv("SERVICE_API_KEY", sandbox.DefaultKey)
}

// serveCommand starts "batch sandbox" as a process of its own, which has to end
// well when it is interrupted at the script's end.
func serveCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "serve [FLAG...]")
	process := exec.Command("batch", append([]string{"sandbox", "--listen", "127.0.0.1:0"}, args...)...)
	process.Dir = ts.MkAbs(".")
	baseURL, err := startAndReadURL(process)
	ts.Check(err)
	ts.Defer(func() {
		process.Process.Signal(os.Interrupt)
		if err := process.Wait(); err != nil {
			ts.Fatalf("the sandbox ended with %v", err)
		}
	})
	ts.Setenv("SERVICE_BASE_URL", baseURL)
	ts.Setenv("SERVICE_API_KEY", sandbox.DefaultKey)
}

// faultCommand replaces the faults of the service.
func faultCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "fault [FAULT...]")
	service := worldOf(ts).service
	service.ClearFaults()
	for _, arg := range args {
		fault, err := sandbox.ParseFault(arg)
		ts.Check(err)
		ts.Check(service.AddFault(fault))
	}
}

// revokeCommand revokes the service's key.
func revokeCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "revoke")
	ts.Check(worldOf(ts).service.RevokeKey())
}

// booksCommand checks what the service counted, and always that it balances and
// charged nothing twice. FILE is the books of an embedded sandbox.
func booksCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 2, "books posts|charged VALUE [FILE]")
	service := worldOf(ts).service
	if len(args) == 3 {
		config := sandbox.DefaultConfig()
		config.BooksPath = filepath.Join(ts.MkAbs("tmp"), "books-copy.jsonl")
		ts.Check(copyFile(ts.MkAbs(args[2]), config.BooksPath))
		var err error
		service, err = sandbox.New(config)
		ts.Check(err)
		defer service.Close()
	}
	books := service.Books()
	ts.Check(errors.Join(service.Audit(), chargedOnce(books.Charges)))
	got := map[string]string{"posts": strconv.Itoa(len(books.Arrivals)), "charged": books.Charged.String()}[args[0]]
	if got != args[1] {
		ts.Fatalf("%s: %s, not %s", args[0], got, args[1])
	}
}

// holdCommand holds a journal as another process would.
func holdCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 1, "hold DIR")
	journal, err := checkpoint.Open(ts.MkAbs(args[0]), checkpoint.Options{
		Rate: checkpoint.Rate{Slots: 30, Window: time.Minute}, Now: time.Now, Holder: "process 4711 (batch run other)",
	})
	ts.Check(err)
	worldOf(ts).journal = journal
	ts.Defer(func() { worldOf(ts).release() })
}

// releaseCommand gives the held journal back.
func releaseCommand(ts *testscript.TestScript, neg bool, args []string) {
	plain(ts, neg, args, 0, "release")
	ts.Check(worldOf(ts).release())
}

func (w *scriptWorld) release() error {
	journal := w.journal
	w.journal = nil
	if journal == nil {
		return nil
	}
	return journal.Close()
}

// chargedOnce returns an error when a field of an identity was charged twice.
func chargedOnce(charges []sandbox.Charge) error {
	type paid struct {
		identity string
		field    enrich.Field
	}
	first := map[paid]sandbox.Charge{}
	for _, charge := range charges {
		this := paid{charge.Identity, charge.Field}
		if earlier, found := first[this]; found {
			return errors.New("charged twice: " + this.field.String() + " in " + earlier.RequestID + " and " + charge.RequestID)
		}
		first[this] = charge
	}
	return nil
}
