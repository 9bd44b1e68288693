// This file has the screens about the journal and the jobs: calls in doubt, budget, reports, jobs.

package web

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"payonce/checkpoint/attempt"
	"payonce/cmd/batch/jobs"
	"payonce/pipeline/inspect"
	"payonce/pipeline/report"
)

// doubtsView is what the screen of calls in doubt shows.
type doubtsView struct {
	*report.Reconciliation
	Shown   []report.DoubtCase // those that are still in doubt
	More    int64
	Decided []report.DoubtCase // by the comparison or the decision just now
	Said    bool               // that the comparison or the decision has ended
}

// shownDoubts is how many calls in doubt a screen shows.
const shownDoubts = 100

func newDoubtsView(found *report.Reconciliation, said bool) doubtsView {
	view := doubtsView{Reconciliation: found, Shown: found.Open(), Said: said}
	for _, one := range found.Cases {
		if one.Decided {
			view.Decided = append(view.Decided, one)
		}
	}
	if len(view.Shown) > shownDoubts {
		view.Shown, view.More = view.Shown[:shownDoubts], int64(len(view.Shown)-shownDoubts)
	}
	return view
}

// The keys of the tasks that find the rows of calls in doubt, which reads the lists of their runs, and that decide
// calls, which waits until the account has settled.
const (
	doubtsTask = "doubts"
	decideTask = "decide"
)

// showDoubts shows the calls in doubt, or what a comparison or a decision found that has not been shown yet.
func (s *Server) showDoubts(w http.ResponseWriter, r *http.Request) error {
	of, title, what := s.tasks.find(decideTask), "Reading the account", "What the account shows"
	if of == nil {
		of, _ = s.tasks.begin(doubtsTask, func(ctx context.Context) (any, error) { return s.Program.Doubts(ctx) })
		title, what = "Reading the lists of the runs", "What is known of the calls in doubt"
	}
	ready, err := s.await(w, r, of, title, what)
	if err != nil || !ready {
		return err
	}
	s.show(w, r, http.StatusOK, "In doubt", "doubts", newDoubtsView(of.value.(*report.Reconciliation), of.key == decideTask))
	return nil
}

// decideDoubts compares the calls in doubt with the account, or decides chosen ones.
func (s *Server) decideDoubts(w http.ResponseWriter, r *http.Request) error {
	assume := r.PostFormValue("assume")
	var ids []attempt.ID
	switch assume {
	case "":
	case "charged", "not-charged":
		for _, text := range r.PostForm["attempt"] {
			n, err := strconv.ParseUint(text, 10, 64)
			if err != nil || n == 0 {
				return badRequest("This is not a call.")
			}
			ids = append(ids, attempt.ID(n))
		}
		if len(ids) == 0 {
			return badRequest("Choose the calls first. Nothing was decided.")
		}
		if assume == "not-charged" && r.PostFormValue("understood") == "" {
			return badRequest("Confirm first that these calls may be paid twice. Nothing was decided.")
		}
	default:
		return badRequest("This is not a decision.")
	}
	_, began := s.tasks.begin(decideTask, func(ctx context.Context) (any, error) { return s.Program.Reconcile(ctx, assume, ids) })
	if !began {
		return &refusal{http.StatusConflict, "The calls in doubt are being compared or decided already, so nothing was decided. Look at the result first."}
	}
	http.Redirect(w, r, "/doubts", http.StatusSeeOther)
	return nil
}

// showBudget shows the ceilings, and the spend of each day of this month with its forecast.
func (s *Server) showBudget(w http.ResponseWriter, r *http.Request) error {
	work, err := s.reading()
	if err != nil {
		return err
	}
	var view struct {
		Budget, Month part
		Link          string
	}
	exists, err := hasJournal(work)
	if err != nil {
		return err
	}
	if exists {
		budget, err := inspect.Budget(r.Context(), work, inspect.BudgetOptions{})
		if err != nil {
			return err
		}
		if view.Budget, err = partOf(budget); err != nil {
			return err
		}
		month := s.Now().UTC().Format("2006-01")
		spent, err := inspect.ReadReport(r.Context(), work, inspect.ReportOptions{Scope: report.ReportScope{Month: month}})
		if err != nil {
			return err
		}
		if view.Month, err = partOf(spent.Spending()); err != nil {
			return err
		}
		view.Link = "/report?" + queryOf("month", month)
	}
	s.show(w, r, http.StatusOK, "Budget", "budget", view)
	return nil
}

var months = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])$`)

// showReport shows the report on a run, a job or a month. Without any of them it is on this month.
func (s *Server) showReport(w http.ResponseWriter, r *http.Request) error {
	work, err := s.reading()
	if err != nil {
		return err
	}
	scope := report.ReportScope{Run: r.FormValue("run"), Job: r.FormValue("job"), Month: r.FormValue("month")}
	switch {
	case scope == report.ReportScope{}:
		scope.Month = s.Now().UTC().Format("2006-01")
	case scope.Month != "" && !months.MatchString(scope.Month):
		return badRequest("Write a month such as 2026-11.")
	case scope.Run != "" && (scope.Job != "" || scope.Month != ""):
		return badRequest("Report on a run alone, or on a job and a month.")
	}
	var view struct {
		Report part
		Of     report.ReportScope
	}
	view.Of = scope
	exists, err := hasJournal(work)
	if err != nil {
		return err
	}
	if exists {
		found, err := inspect.ReadReport(r.Context(), work, inspect.ReportOptions{Scope: scope})
		if err != nil {
			return err
		}
		if view.Report, err = partOf(found); err != nil {
			return err
		}
	}
	s.show(w, r, http.StatusOK, "Report", "report", view)
	return nil
}

// jobsView is what the screen of jobs shows. Without a BoardView the process serves no jobs.
type jobsView struct {
	*jobs.BoardView
	Said string
}

func (s *Server) showJobs(w http.ResponseWriter, r *http.Request) error { return s.sayJobs(w, r, "") }

// sayJobs shows the jobs, and what a change of one did.
func (s *Server) sayJobs(w http.ResponseWriter, r *http.Request, said string) (err error) {
	view := jobsView{Said: said}
	if s.Jobs != nil {
		if view.BoardView, err = s.Jobs.View(r.Context()); err != nil {
			return err
		}
	}
	s.show(w, r, http.StatusOK, "Jobs", "jobs", view)
	return nil
}

// changeJob pauses or resumes a job.
func (s *Server) changeJob(w http.ResponseWriter, r *http.Request) error {
	name, note := r.PathValue("name"), report.Printable(r.PostFormValue("note"))
	switch change := r.PathValue("change"); {
	case s.Jobs == nil || change != "pause" && change != "resume":
		return notFound("There is no such job.")
	case change == "pause":
		if err := s.Jobs.Pause(r.Context(), name, note); err != nil {
			return err
		}
		http.Redirect(w, r, "/jobs", http.StatusSeeOther)
		return nil
	}
	said, err := s.Jobs.Resume(r.Context(), name, note)
	if err != nil {
		return err
	}
	return s.sayJobs(w, r, said)
}

// jobPath returns the address of a change of a job.
func jobPath(name, change string) string { return "/jobs/" + url.PathEscape(name) + "/" + change }
