package jobs

import (
	"path/filepath"
	"strings"

	"payonce/checkpoint/record"
	"payonce/cost"
	"payonce/io/notify"
	"payonce/pipeline/report"
)

// Commands returns command lines about jobs that a person can paste.
type Commands struct {
	File      string   // the jobs file; "" for the one that a command reads by itself
	Workspace []string // the flags that say where the journal and the service are
}

// fileOf returns the jobs file for commands. A command finds the default one by itself, in the directory in which the
// jobs start. Another one has its absolute path, so that the command works in every directory.
func fileOf(path string) string {
	if filepath.Clean(path) == defaultFile {
		return ""
	}
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return path
}

// Commands returns the commands about a job.
func (j *Job) Commands() Commands {
	c := Commands{File: j.File}
	if j.Run.Flags == nil {
		return c
	}
	for _, name := range []string{"workspace", "state", "sandbox", "base-url", "base-url-v2"} {
		flag := j.Run.Flags.Lookup(name)
		switch {
		case flag == nil || !flag.Changed && name != "workspace":
		case name == "sandbox":
			c.Workspace = append(c.Workspace, "--sandbox="+flag.Value.String())
		case strings.Contains(flag.Value.String(), "@") || strings.HasPrefix(name, "base-url") && strings.ContainsAny(flag.Value.String(), "?#"):
			// A user or a query of an address may be a secret.
		default:
			c.Workspace = append(c.Workspace, "--"+name, flag.Value.String())
		}
	}
	return c
}

// line returns a command of batch jobs.
func (c Commands) line(words ...string) string {
	if c.File != "" {
		words = append(words, "--file", c.File)
	}
	return report.ShellLine(append([]string{"batch", "jobs"}, words...)...)
}

// Run runs an occurrence again, or for the first time.
func (c Commands) Run(job, at string) string { return c.line("run", job, "--occurrence", at) }

// Plan shows the plan of an occurrence.
func (c Commands) Plan(job, at string) string {
	return c.line("run", job, "--occurrence", at, "--dry-run")
}

// Now lets an occurrence that waits go on at once.
func (c Commands) Now(job string) string { return c.line("run", job, "--now") }

// Approve approves an amount for an occurrence; zero stands for an amount that is not known.
func (c Commands) Approve(job, at string, amount cost.Money) string {
	text := "USD"
	if amount > 0 {
		text = amount.String()
	}
	return c.line("run", job, "--occurrence", at, "--approve", text)
}

// Resume lets a paused job start again.
func (c Commands) Resume(job string) string { return c.line("resume", job) }

// History shows the past occurrences of a job.
func (c Commands) History(job string) string { return c.line("history", job) }

// About returns the commands about an occurrence.
func (c Commands) About(one record.Occurrence) notify.Commands {
	job, at := one.Job, one.At
	work := func(words ...string) string {
		return report.ShellLine(append(append([]string{"batch"}, words...), c.Workspace...)...)
	}
	return notify.Commands{
		Run: c.Run(job, at), Plan: c.Plan(job, at), Now: c.Now(job), Resume: c.Resume(job), History: c.History(job),
		Approve: c.Approve(job, at, one.Possible), Reconcile: work("reconcile"), Account: work("account"),
	}
}
