// This file writes a page about each run of a job, and an index of the runs.

package jobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"payonce/checkpoint/record"
	"payonce/io/notify"
	"payonce/pipeline"
	"payonce/pipeline/inspect"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// indexName is the name of the index without its ending. No run has it: names of runs have dates.
const indexName = "index"

// forms are the endings of pages, and how each is rendered.
var forms = []struct {
	ending string
	render func(io.Writer, report.Report, report.Hints) error
}{{".html", report.WriteHTML}, {".md", report.WriteMarkdown}}

// pages are the pages of a job. As a report they are the index.
type pages struct {
	job     *Job
	work    *pipeline.Work
	history []record.Occurrence // that started, the newest first
	note    func(string)
}

// writePages writes the pages of occurrences that a start of a job ran, removes those that the job does not keep, and
// writes the index. A file that somebody changed, or that something else wrote, stays as it is.
func writePages(ctx context.Context, job *Job, ran []record.Occurrence, note func(string)) error {
	options, env, err := job.Run.Workspace()
	if err != nil {
		return err
	}
	options.Journal.Wait = readingPatience
	known, err := readKnown(ctx, job)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(job.Report, 0o777); err != nil {
		return err
	}
	p := &pages{job: job, work: &pipeline.Work{Env: env, Workspace: options}, note: note}
	p.history = slices.DeleteFunc(known.History, func(one record.Occurrence) bool { return one.Starts == 0 })
	slices.SortStableFunc(p.history, func(a, b record.Occurrence) int { return b.Began.Compare(a.Began) })
	for i, one := range p.history {
		is := slices.ContainsFunc(ran, func(other record.Occurrence) bool { return other.At == one.At })
		// The process of the occurrence before may have been killed before it wrote its page.
		if is || i <= len(ran) && !p.exists(p.name(one)+forms[0].ending) {
			if err := p.writeRun(ctx, one); err != nil {
				return err
			}
		}
	}
	p.remove()
	return p.write(indexName, p, nil)
}

// name returns the name of the page of an occurrence without its ending, which is that of the run.
func (p *pages) name(one record.Occurrence) string {
	at, err := parseLocalTime(one.At)
	if err != nil {
		return p.job.Name + "-unknown" // which the journal does not record
	}
	return runName(p.job.Name, at)
}

func (p *pages) path(name string) string { return filepath.Join(p.job.Report, name) }

func (p *pages) exists(name string) bool {
	info, err := os.Lstat(p.path(name))
	return err == nil && info.Mode().IsRegular()
}

// writeRun writes the pages of an occurrence. One that failed before its run began has none.
func (p *pages) writeRun(ctx context.Context, one record.Occurrence) error {
	view, err := inspect.ReadReport(ctx, p.work, inspect.ReportOptions{Scope: report.ReportScope{Run: p.name(one)}})
	if unknown, ok := errors.AsType[*problem.Error](err); ok && unknown.Code == "no_such_run" {
		return nil
	}
	if err != nil {
		return err
	}
	return p.write(p.name(one), view, p.hints(one))
}

// hints word the next steps about an occurrence.
func (p *pages) hints(one record.Occurrence) report.Hints {
	commands := p.job.Commands().About(one)
	return func(code string, _ ...any) string {
		switch {
		case code == "reconcile_command":
			return commands.Reconcile
		case code == "again_command":
			return commands.Run
		case code == "goes_on" && !one.Until.IsZero():
			return "Nothing has to be done: the job goes on by itself at " + p.time(one.Until) + "."
		}
		return ""
	}
}

// write writes a report in each form, unless a file is in its place that is not sealed.
func (p *pages) write(name string, r report.Report, hints report.Hints) error {
	for _, form := range forms {
		path := p.path(name + form.ending)
		if sealed, err := isSealed(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		} else if err == nil && !sealed {
			p.note(path + " was changed, or something else wrote it, so it was kept; remove it to get a new page")
			continue
		}
		var text bytes.Buffer
		if err := form.render(&text, r, hints); err != nil {
			return err
		}
		if err := writeSealed(path, text.Bytes(), p.work.Env.FileMode); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the pages of the oldest runs, as the outputs of the job are removed: the pages of the last runs that
// did not fail stay.
func (p *pages) remove() {
	if p.job.Keep == 0 {
		return
	}
	good := int64(0)
	for _, one := range p.history {
		name := p.name(one)
		if succeeded(one) && p.exists(name+forms[0].ending) {
			good++
		}
		for _, form := range forms {
			path := p.path(name + form.ending)
			if good <= p.job.Keep || !p.exists(name+form.ending) {
				continue
			}
			sealed, err := isSealed(path)
			if err == nil && sealed {
				err = os.Remove(path)
			} else if err == nil {
				err = fmt.Errorf("%s was changed after it was written, so it was kept; remove it if you do not need it", path)
			}
			if err != nil {
				p.note(err.Error())
			}
		}
	}
}

// Render writes the index.
func (p *pages) Render(page *report.Page) {
	page.Titlef("Runs of job %s", p.job.Name)
	page.Gap()
	if len(p.history) == 0 {
		page.Linef("The job has not run yet.")
		return
	}
	header := []string{"occurrence", "began", "ended", "exit", "found", "lookups", "spent", "reason", "to act, run"}
	var rows [][]string
	var links []string
	for _, one := range p.history {
		ended, exit, link := "-", "-", ""
		if !one.Ended.IsZero() {
			ended, exit = p.time(one.Ended), fmt.Sprint(one.Exit)
		}
		if name := p.name(one) + forms[0].ending; p.exists(name) {
			link = name
		}
		reason := report.Printable(notify.CauseOf(one))
		if !one.Until.IsZero() {
			reason += ", waits until " + p.time(one.Until)
		}
		_, command := notify.Advice(one, p.job.Commands().About(one))
		rows = append(rows, []string{
			one.At, p.time(one.Began), ended, exit, report.Number(one.Found), report.Number(one.Lookups), report.USD(one.Spent), reason, command,
		})
		links = append(links, link)
	}
	page.LinkedTable(header, rows, links)
}

func (p *pages) time(at time.Time) string {
	return at.In(p.job.Plan.Zone).Format("2006-01-02 15:04:05 MST")
}
