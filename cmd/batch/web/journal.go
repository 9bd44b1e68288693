// This file has the screens about the journal and the jobs: calls in doubt, budget, reports, jobs.

package web

import (
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
	Doubts  []doubtRow
	More    int64
	Held    string
	Decided part // what a comparison or a decision found
	Options []report.DoubtOption
}

// doubtRow is a call in doubt.
type doubtRow struct {
	report.ReportDoubt
	HeldText string
}

func (s *Server) viewDoubts(r *http.Request) (view doubtsView, err error) {
	work, err := s.reading()
	if err != nil {
		return view, err
	}
	if exists, err := hasJournal(work); err != nil || !exists {
		return view, err
	}
	all, err := inspect.ReadReport(r.Context(), work, inspect.ReportOptions{})
	if err != nil {
		return view, err
	}
	for _, doubt := range all.Doubts {
		view.Doubts = append(view.Doubts, doubtRow{doubt, doubt.HeldText()})
	}
	view.More, view.Held = all.MoreDoubts, report.USD(all.Held)
	return view, nil
}

func (s *Server) showDoubts(w http.ResponseWriter, r *http.Request) error {
	view, err := s.viewDoubts(r)
	if err != nil {
		return err
	}
	s.show(w, r, http.StatusOK, "In doubt", "doubts", view)
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
	found, err := s.Program.Reconcile(r.Context(), assume, ids)
	if err != nil {
		return err
	}
	shown, err := partOf(found)
	if err != nil {
		return err
	}
	view, err := s.viewDoubts(r)
	if err != nil {
		return err
	}
	view.Decided = shown
	s.show(w, r, http.StatusOK, "In doubt", "doubts", view)
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
