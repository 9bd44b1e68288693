// This file has the screens of runs: their progress, how they ended, and their results.

package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"payonce/checkpoint/remote"
	"payonce/io/listfile"
	"payonce/io/table"
	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
	"payonce/pipeline/workspace"
)

// ReadingPatience is how long a screen waits for a process that owns the journal and serves no readers, because it is
// still opening the journal, or is ending.
const ReadingPatience = 30 * time.Second

// reading returns where use cases read the journal.
func (s *Server) reading() (*pipeline.Work, error) {
	w, err := s.Program.Work()
	if err == nil {
		w.Workspace.Journal.Wait = ReadingPatience
	}
	return w, err
}

// hasJournal reports whether the workspace has a journal. Without one there are no runs yet.
func hasJournal(w *pipeline.Work) (bool, error) {
	_, exists, err := w.Workspace.Find()
	return exists, err
}

// runRow is a run in the list of runs.
type runRow struct {
	*report.Run
	Path, SpentText, LimitText, State string
}

func (s *Server) showRuns(w http.ResponseWriter, r *http.Request) error {
	work, err := s.reading()
	if err != nil {
		return err
	}
	var view struct {
		Runs []runRow
		More int64
	}
	exists, err := hasJournal(work)
	if err != nil {
		return err
	}
	if exists {
		limit := int64(50)
		if r.FormValue("all") != "" {
			limit = 0
		}
		runs, err := inspect.Runs(r.Context(), work, inspect.RunsOptions{Limit: limit})
		if err != nil {
			return err
		}
		view.More = runs.More
		for _, run := range runs.Runs {
			spent, most := run.Money()
			view.Runs = append(view.Runs, runRow{run, runPath(run.Run), spent, most, run.State()})
		}
	}
	s.show(w, r, http.StatusOK, "Runs", "runs", view)
	return nil
}

// runView is what the screen of a run shows.
type runView struct {
	Name, Path string
	Start      start
	Live       part // how it proceeds; "" while it does not
	Running    bool
	Elsewhere  bool // on another machine that shares the journal
	Stopping   bool
	InFlight   int64 // calls
	Run        part  // as the journal has it; "" before it does
	Output     string
	Failure    *report.Failure
	Shown      *report.Run
}

func (s *Server) showRun(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	view, err := s.viewRun(r.Context(), name)
	if err != nil {
		return err
	}
	s.show(w, r, http.StatusOK, "Run "+name, "run", view)
	return nil
}

// viewRun returns the state of a run, from its process, the owner of the journal, and the journal.
func (s *Server) viewRun(ctx context.Context, name string) (view runView, err error) {
	view = runView{Name: name, Path: runPath(name)}
	work, err := s.reading()
	if err != nil {
		return view, err
	}
	if view.Start, err = s.starts.last(name); err != nil {
		return view, err
	}
	active, owner, err := s.progress(ctx, work, name)
	if err != nil {
		return view, err
	}
	view.Running = owner.Process != 0 || view.Start.Running
	view.Stopping = view.Running && s.isTold(name, view.Start, owner)
	if active != nil {
		if view.Live, err = partOf(active); err != nil {
			return view, err
		}
		if run := active.Active[0].Run; run != nil {
			view.InFlight = run.InFlight
		}
	}
	if failure := view.Start.Failure; failure != nil && !view.Running {
		failure.Hint = s.Program.Hint(*failure)
		view.Failure = failure
	}
	if exists, err := hasJournal(work); err != nil || !exists {
		return view, s.unlessStarted(view.Start, err)
	}
	run, err := inspect.Show(ctx, work, name)
	if problem.IsUsage(err) || err == nil && run.Run != name { // Show finds a run by the beginning of its name, too
		return view, s.unlessStarted(view.Start, nil) // the run is not recorded yet, or it failed before that
	}
	if err != nil {
		return view, err
	}
	view.Shown = run
	if view.Run, err = partOf(run); err != nil {
		return view, err
	}
	if view.Elsewhere = run.Running && !view.Running; view.Elsewhere {
		return view, nil
	}
	if _, err := os.Stat(run.Output); err == nil && !view.Running {
		view.Output = run.Output
	}
	return view, nil
}

func (s *Server) unlessStarted(last start, err error) error {
	if err == nil && last.Number == 0 {
		return notFound("There is no such run.")
	}
	return err
}

// progress returns the progress of a run, and its process on this machine. Without such a process it does not open the
// journal, because other commands would have to wait meanwhile.
func (s *Server) progress(ctx context.Context, work *pipeline.Work, name string) (*report.Status, workspace.Owner, error) {
	owner, err := processOf(work, name)
	if err != nil || owner.Process == 0 {
		return nil, owner, err
	}
	status, err := inspect.Status(ctx, work)
	if err != nil {
		return nil, owner, err
	}
	status.Active = slices.DeleteFunc(status.Active, func(active *report.Active) bool { return active.Command != runCommand(name) })
	if len(status.Active) == 0 {
		return nil, workspace.Owner{}, nil // it has ended just now
	}
	status.Active, status.Processes, status.Last = status.Active[:1], nil, nil
	return status, owner, nil
}

// runCommand is what the process of a run says that it does.
func runCommand(name string) string { return "run " + name }

// processOf returns the process of a run on this machine that has opened the journal; the zero Owner for none.
func processOf(work *pipeline.Work, name string) (workspace.Owner, error) {
	return pipeline.WithSession(work, func(session *workspace.Session) (workspace.Owner, error) {
		owners, err := session.Owners()
		if errors.Is(err, remote.ErrNoOwner) || errors.Is(err, remote.ErrLost) {
			err = nil
		}
		for _, owner := range owners {
			if !owner.Reading && owner.Command == runCommand(name) {
				return owner, nil
			}
		}
		return workspace.Owner{}, err
	})
}

// eventTime is the time between two reads of a run's progress.
const eventTime = time.Second

// sendEvents sends the progress of a run, or its end, as one server-sent event. The browser asks for the next one: a
// response without an end would occupy a connection, and browsers open six to a host, so a seventh tab would wait.
func (s *Server) sendEvents(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	work, err := s.reading()
	if err != nil {
		return err
	}
	last, err := s.starts.last(name)
	var live part
	var owner workspace.Owner
	if err == nil {
		var active *report.Status
		if active, owner, err = s.progress(r.Context(), work, name); err == nil && active != nil {
			live, err = partOf(active)
		}
	}
	text := ": waiting\n\n"
	switch {
	case err != nil: // the journal may be changing its owner; a lasting error is shown when the page is loaded
	case owner.Process == 0 && !last.Running:
		text = "event: end\ndata: \n\n"
	case live != "":
		text = fmt.Sprintf("event: progress\ndata: %s\n\n", strings.ReplaceAll(string(live), "\n", "\ndata: "))
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprintf(w, "retry: %d\n%s", eventTime.Milliseconds(), text) // the browser has gone
	return nil
}

// stop drains a run: it sends nothing more, its calls in flight end and are recorded, and the result is written.
func (s *Server) stop(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	known, err := s.starts.stop(name)
	if err == nil && !known {
		err = s.stopOwner(name)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, runPath(name), http.StatusSeeOther)
	return nil
}

// stopOwner drains a run that was not started from the page.
func (s *Server) stopOwner(name string) error {
	work, err := s.reading()
	if err != nil {
		return err
	}
	owner, err := processOf(work, name)
	switch {
	case err != nil || owner.Process == 0:
		return err // it has ended
	case owner.Process == os.Getpid():
		return badRequest("This run belongs to a job of this process. It ends by itself; pause the job to keep it from starting again.")
	}
	dir := s.starts.directory(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return interrupt(owner.Process, filepath.Join(dir, toldOwner(owner)))
}

// toldOwner is the name of the file that says that a process which the page did not start was told to stop.
func toldOwner(owner workspace.Owner) string {
	return fmt.Sprintf("process-%d-%d.stop", owner.Process, owner.Since.UnixNano())
}

// isTold reports whether a run that is alive was told to stop.
func (s *Server) isTold(name string, last start, owner workspace.Owner) bool {
	file := toldOwner(owner)
	if last.Process != 0 { // the page started it
		file = strconv.Itoa(last.Number) + ".stop"
	}
	_, err := os.Stat(filepath.Join(s.starts.directory(name), file))
	return err == nil
}

// resultOf returns the file with the result of a run.
func (s *Server) resultOf(ctx context.Context, name string) (string, error) {
	work, err := s.reading()
	if err != nil {
		return "", err
	}
	run, err := inspect.Show(ctx, work, name)
	switch {
	case err != nil:
		return "", err
	case run.Run != name || run.Output == "":
		return "", notFound("There is no result of this run.")
	}
	if filepath.Dir(run.Output) == s.Lists {
		if err := staysIn(run.Output); err != nil {
			return "", err
		}
	}
	if info, err := os.Stat(run.Output); err != nil || !info.Mode().IsRegular() {
		return "", notFound("The file with the result was moved or removed. Run the plan again: nothing is paid twice.")
	}
	return run.Output, nil
}

func (s *Server) download(w http.ResponseWriter, r *http.Request) error {
	path, err := s.resultOf(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": filepath.Base(path)}))
	http.ServeContent(w, r, "", info.ModTime(), file)
	return nil
}

// shownRows is how many rows of a result a page shows.
const shownRows = 100

// resultView is a page of a result.
type resultView struct {
	Name, Path, Outcome string
	Outcomes            []string
	Header              []string
	Rows                []resultRow
	Next                int64 // the row from which the next page begins; 0 for none
	File                string
}

// resultRow is one row of a result.
type resultRow struct {
	Number int64
	Cells  []string
}

// errEnough ends the reading of a result.
var errEnough = errors.New("enough rows")

// showResult shows rows of a result, by their outcome.
func (s *Server) showResult(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	path, err := s.resultOf(r.Context(), name)
	if err != nil {
		return err
	}
	from, _ := strconv.ParseInt(r.FormValue("from"), 10, 64) // without a number, from the first row
	view := &resultView{Name: name, Path: runPath(name), Outcome: r.FormValue("outcome"), File: filepath.Base(path)}
	work, err := s.reading()
	if err != nil {
		return err
	}
	run, err := inspect.Show(r.Context(), work, name)
	if err != nil {
		return err
	}
	view.Outcomes = report.OutcomesOf(run.Rows)
	if err := view.read(r.Context(), path, from); err != nil {
		return err
	}
	s.show(w, r, http.StatusOK, "Result of "+name, "result", view)
	return nil
}

// outcomeColumn is the column of a result with the outcomes of its rows.
const outcomeColumn = "enrich_status"

// read reads the rows of a page.
func (v *resultView) read(ctx context.Context, path string, from int64) (err error) {
	list, err := listfile.New(listfile.Options{}, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	reader, err := list.Whole().Open(nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	v.Header = reader.Schema().Columns
	outcome := len(v.Header) - 1
	for ; outcome >= 0 && v.Header[outcome] != outcomeColumn; outcome-- {
	}
	visit := func(row table.Row) error {
		switch {
		case row.Number() < from || v.Outcome != "" && (outcome < 0 || string(row.Cell(outcome)) != v.Outcome):
			return nil
		case len(v.Rows) == shownRows:
			v.Next = row.Number()
			return errEnough
		}
		shown := resultRow{Number: row.Number()}
		for i := range v.Header {
			shown.Cells = append(shown.Cells, report.Printable(strings.Join(strings.Fields(string(row.Cell(i))), " ")))
		}
		v.Rows = append(v.Rows, shown)
		return nil
	}
	for {
		block, err := reader.Next()
		if err == nil {
			err = ctx.Err()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = block.Each(visit)
		block.Release()
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
