// Package web is the web interface of the program: screens to choose a list, see how its columns are read, plan,
// approve, and watch a run. It shows the values of the use cases and calculates nothing. It starts runs as separate
// processes, so that a run continues when the server is killed, and it owns no journal.
package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"payonce/checkpoint/attempt"
	"payonce/checkpoint/remote"
	"payonce/cmd/batch/jobs"
	"payonce/pipeline"
	"payonce/pipeline/report"
)

// Flag is a flag of a command with its value.
type Flag struct{ Name, Value string }

// Choices are what the form of a plan offers.
type Choices struct {
	Fields     []string
	Interfaces [][]string // each is an order in which interfaces can be asked
	Units      []string   // the names of meters that can be limited
}

// Program is what the page needs of the program. Its methods may be called concurrently.
type Program interface {
	Choices() Choices
	// Dir returns the directory of the workspace's journal, which need not exist.
	Dir() (string, error)
	// Work returns where use cases work.
	Work() (*pipeline.Work, error)
	// Mapping opens how the columns of a list are read.
	Mapping(ctx context.Context, list string, flags []Flag) (*pipeline.Mapping, error)
	// Plan plans a list as "batch plan" does with these flags. It keeps the plan in a file unless the file is "".
	Plan(ctx context.Context, list string, flags []Flag, keepIn string) (*report.Plan, error)
	// RunArguments returns the arguments of the program for a run of a kept plan that is approved.
	RunArguments(plan *pipeline.PlanFile, path, output string) []string
	// Doubts returns the calls in doubt, with what is known of them.
	Doubts(ctx context.Context) (*report.Reconciliation, error)
	// Reconcile compares calls in doubt with the account, or decides the attempts as assume says.
	Reconcile(ctx context.Context, assume string, attempts []attempt.ID) (*report.Reconciliation, error)
	// Failure returns the message, the hint and the exit code of an error.
	Failure(err error) report.Failure
	// Hint returns what a reader of the page does next about a failure of a command.
	Hint(failure report.Failure) string
}

// Jobs are the jobs that the process serves.
type Jobs interface {
	View(ctx context.Context) (*jobs.BoardView, error)
	Pause(ctx context.Context, name, note string) error
	Resume(ctx context.Context, name, note string) (text string, err error)
}

// Options configure a Server.
type Options struct {
	Program Program
	Jobs    Jobs   // nil for none
	Lists   string // the directory of lists
	// Executable is the file of the program, for runs.
	Executable string
	// Hosts reports whether a host name, without a port, is one of this server. Requests to other hosts are refused.
	Hosts func(host string) bool
	// Secure says that the server uses TLS.
	Secure bool
	// Password opens the page besides the one-time addresses; "" for none.
	Password string
	// Metrics serves metrics; nil for none. Requests need MetricsToken unless it is "".
	Metrics      http.Handler
	MetricsToken string
	// MaxUpload is the largest upload, in bytes.
	MaxUpload int64
	Now       func() time.Time
	// HeaderTime is how long a client may take to send the headers of a request, and then a form.
	HeaderTime time.Duration
}

// Server is the page.
type Server struct {
	Options
	files   files
	starts  *starts
	gate    *gate
	tasks   *tasks
	taken   sync.Map // the paths of uploads that are written
	handler http.Handler
	ending  context.Context // cancelled when the server ends
	end     context.CancelFunc
}

// files are the directories of the page, in the directory of the journal.
type files struct {
	page    string // the key of logins, kept plans, starts of runs
	uploads string // lists; erasing a person removes those that name the person
	results string // of runs of uploads
}

// New returns the server of a workspace, and creates its directories.
func New(o Options) (*Server, error) {
	dir, err := o.Program.Dir()
	if err != nil {
		return nil, err
	}
	s := &Server{Options: o, files: files{
		page: filepath.Join(dir, "page"), uploads: filepath.Join(dir, "lists", "uploads"), results: filepath.Join(dir, "results"),
	}}
	for _, path := range []string{s.files.page, s.files.plans(), s.files.uploads, s.files.results} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, err
		}
	}
	if s.gate, err = newGate(filepath.Join(s.files.page, "key"), o); err != nil {
		return nil, err
	}
	s.ending, s.end = context.WithCancel(context.Background())
	s.starts = &starts{dir: filepath.Join(s.files.page, "runs"), executable: o.Executable, now: o.Now}
	s.tasks = newTasks(o.Now, s.ending)
	s.handler = s.guarded(s.routes())
	return s, nil
}

func (f files) plans() string { return filepath.Join(f.page, "plans") }

// ServeHTTP serves one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Invite returns the path and query of a URL that signs one browser in, once.
func (s *Server) Invite() string { return "/login?token=" + s.gate.invite() }

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range map[string]screen{
		"GET /{$}":                   s.showLists,
		"POST /lists":                s.upload,
		"GET /columns":               s.showColumns,
		"POST /columns":              s.saveColumns,
		"GET /plan":                  s.showPlan,
		"GET /plans/{sum}":           s.showKept,
		"POST /plans/{sum}":          s.approve,
		"GET /runs":                  s.showRuns,
		"GET /runs/{name}":           s.showRun,
		"GET /runs/{name}/events":    s.sendEvents,
		"POST /runs/{name}/stop":     s.stop,
		"GET /runs/{name}/result":    s.showResult,
		"GET /runs/{name}/download":  s.download,
		"GET /doubts":                s.showDoubts,
		"POST /doubts":               s.decideDoubts,
		"GET /budget":                s.showBudget,
		"GET /report":                s.showReport,
		"GET /jobs":                  s.showJobs,
		"POST /jobs/{name}/{change}": s.changeJob,
		"GET /browsers":              s.showBrowsers,
		"POST /browsers":             s.changeBrowsers,
		"GET /login":                 s.logIn,
		"POST /login":                s.checkPassword,
		"GET /static/{name}":         s.sendStatic,
		"GET /healthz":               s.health,
		"GET /metrics":               s.sendMetrics,
		"GET /{anything...}":         func(http.ResponseWriter, *http.Request) error { return notFound("There is no such screen.") },
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			err := serve(w, r)
			for looks := 1; looks < maxLooks && r.Method == http.MethodGet && errors.Is(err, remote.ErrLost); looks++ {
				err = serve(w, r) // the owner of the journal has just ended, so the journal is free now
			}
			if err != nil {
				s.fail(w, r, err)
			}
		})
	}
	return mux
}

// maxLooks is how often a screen is tried while owners of the journal end.
const maxLooks = 5

// screen serves a request. It returns an error before it has written anything.
type screen func(http.ResponseWriter, *http.Request) error

// Serve serves the page on a listener until ctx is cancelled. Then runs that this process started drain; Serve returns
// when they have ended.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := http.Server{
		Handler: s, ReadHeaderTimeout: s.HeaderTime, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return s.ending },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		s.end()
		return err
	case <-ctx.Done():
	}
	s.starts.drain() // meanwhile requests are served, so that a screen can show the calls in flight
	s.end()
	closing, cancel := context.WithTimeout(context.Background(), s.HeaderTime)
	defer cancel()
	err := server.Shutdown(closing)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close() // a client that reads slowly
	}
	s.tasks.working.Wait()
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// refusal is an error of a request with its status.
type refusal struct {
	status int
	text   string
}

func (p *refusal) Error() string { return p.text }

func notFound(text string) error   { return &refusal{http.StatusNotFound, text} }
func badRequest(text string) error { return &refusal{http.StatusBadRequest, text} }

// fail shows an error.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	view := struct {
		Message, Hint string
		Columns       string
	}{}
	status := http.StatusUnprocessableEntity
	if known, is := errors.AsType[*refusal](err); is {
		status, view.Message = known.status, known.text
	} else {
		failure := s.Program.Failure(err)
		view.Message, view.Hint = failure.Message, failure.Hint
		switch failure.Exit {
		case 1:
			status = http.StatusInternalServerError
		case 4, 11:
			status = http.StatusServiceUnavailable
		}
	}
	// Only the address is looked at: reading a form would take in an upload that was refused.
	if list := r.URL.Query().Get("list"); r.Method == http.MethodGet && list != "" && r.URL.Path == "/plan" {
		view.Columns = "/columns?" + s.formOf(r.URL.Query()).Query()
	}
	s.show(w, r, status, "This did not work", "failure", view)
}
