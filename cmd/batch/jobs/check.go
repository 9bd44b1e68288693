// This file checks by day what a job needs at night. It writes nothing and sends nothing.

package jobs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"payonce/configs"
	"payonce/cost"
	"payonce/io/listfile"
	"payonce/pipeline/problem"
	"payonce/pipeline/provider"
	"payonce/pipeline/report"
)

func newCheckCommand(env Environment) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check a jobs file, and what its jobs need at night, without doing anything",
		Long: "Check a jobs file: unknown keys, wrong values, secrets and variables that are not set are reported with\n" +
			"their lines and columns. Then check what each job needs: its list, the directories that it writes to, the\n" +
			"keys of the services, its ceilings and its channels of alerts.\n\n" +
			"What cannot work is an error, and the exit code is 2. What may be in order is a warning: a list that is\n" +
			"made later, such as one of a day, of a command or of a query. Run the check as the user of the jobs, with\n" +
			"their variables of the environment. It sends nothing, and runs no command and no query.\n" +
			"\"batch jobs run NAME --dry-run\" shows the plan of the next occurrence." + env.Codes.File,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 { // as it was before all commands had --file
				if cmd.Flags().Changed("file") {
					return problem.Usagef("the jobs file is named twice; give --file alone")
				}
				path = args[0]
			}
			file, err := env.read(path)
			if err != nil {
				return err
			}
			return env.check(file)
		},
	}
	addFileFlag(cmd, &path)
	return cmd
}

// check prints what may be wrong with the jobs of a file, and returns an error for what is wrong.
func (env Environment) check(file *File) error {
	found := checkResults{made: map[string]string{}}
	for _, job := range file.Jobs {
		at, _ := job.next(env.Now())
		found.made[named(job.Output(), at)] = job.Name
		if job.Latest != "" {
			found.made[job.Latest] = job.Name
		}
	}
	for _, job := range file.Jobs {
		found.job = job
		found.check(env.Now())
	}
	for _, warning := range found.warnings {
		fmt.Fprintf(env.Stderr, "batch: warning: %s\n", report.Printable(warning))
	}
	if len(found.wrong) > 0 {
		return problem.Usagef("%s: %s", file.Path, strings.Join(found.wrong, "\n"+file.Path+": "))
	}
	_, err := fmt.Fprintf(env.Stdout, "%s has %s\n", file.Path, report.Counted(len(file.Jobs), "job"))
	return err
}

// checkResults are what a check found.
type checkResults struct {
	job             *Job              // that is checked
	made            map[string]string // jobs by the files that they write for the next occurrence
	wrong, warnings []string
}

func (r *checkResults) error(key, format string, args ...any) {
	r.wrong = append(r.wrong, fmt.Sprintf("%s: %s: ", r.job.Name, key)+fmt.Sprintf(format, args...))
}

func (r *checkResults) warn(key, format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf("%s: %s: ", r.job.Name, key)+fmt.Sprintf(format, args...))
}

// check checks the job for its next occurrence.
func (r *checkResults) check(now time.Time) {
	at, due := r.job.next(now)
	r.checkList(at, due)
	r.checkDirectories(at)
	r.checkService()
	r.checkCeilings(at, due)
	if len(r.job.Alerts) == 0 {
		r.warn("alerts", "the job has no channel for alerts, so its failures are not reported; add one under the key alerts of the file")
	}
}

// next returns the next occurrence of the job, and when it is due. A job that a person starts has one now.
func (j *Job) next(now time.Time) (at LocalTime, due time.Time) {
	if at, due = j.Plan.NextAfter(now); at.IsZero() {
		return localTimeOf(now.In(j.Plan.Zone)), now
	}
	return at, due
}

// checkList looks for the list of the next occurrence.
func (r *checkResults) checkList(at LocalTime, due time.Time) {
	list := r.job.List
	switch {
	case list.Command != "":
		r.warn("list-command", "the list is made when the job starts; to try the command, run: %s", r.job.Commands().line("run", r.job.Name, "--dry-run"))
		return
	case list.Query.SQL != "":
		r.warn("list-query", "the list is made when the job starts; to try the query, run: %s", r.job.Commands().line("run", r.job.Name, "--dry-run"))
		return
	}
	key, written := "list", list.Path
	if list.Newest != "" {
		key, written = "list-newest", list.Newest
	}
	name := named(written, at)
	if found, err := listfile.ExpandPatterns(name); err == nil {
		for _, one := range found {
			if file, err := one.Open(); err != nil {
				r.error(key, "%v", err)
			} else {
				_ = file.Close() // nothing was written to it
			}
		}
		return
	} else if !errors.Is(err, fs.ErrNotExist) {
		r.error(key, "%v", err)
		return
	}
	dir := filepath.Dir(written)
	isFixed := !strings.ContainsAny(dir, "*?[") && named(dir, at) == dir
	switch _, err := os.Stat(dir); {
	case r.made[name] != "" && r.made[name] != r.job.Name:
		r.warn(key, "there is no list %s yet; the job %s writes it", name, r.made[name])
	case isFixed && err != nil:
		r.error(key, "there is no list %s, and no directory %s; correct the name, or make the directory", name, dir)
	case name != written: // it has the date of the occurrence
		r.warn(key, "there is no list %s yet; it has to be there at %s", name, due.In(r.job.Plan.Zone).Format("2006-01-02 15:04 MST"))
	default:
		r.error(key, "there is no list %s; correct the name, or add the file", name)
	}
}

// checkDirectories checks that the job can write to its directories.
func (r *checkResults) checkDirectories(at LocalTime) {
	for _, key := range []string{"output", "rejects", "new-values", "candidates", "tables"} {
		flag := r.job.Run.Flags.Lookup(key)
		if flag == nil || flag.Value.String() == "" {
			continue
		}
		dir := filepath.Dir(flag.Value.String())
		if name := named(dir, at); name != dir {
			if wrong := unwritable(name); wrong != "" {
				r.warn(key, "%s", wrong)
			}
			continue
		}
		r.checkDirectory(key, dir)
	}
	for key, path := range map[string]string{"latest": r.job.Latest, "metrics": r.job.Metrics} {
		if path != "" {
			r.checkDirectory(key, filepath.Dir(path))
		}
	}
	if info, err := os.Lstat(r.job.Latest); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		r.error("latest", "%s is not a symbolic link, so it will not be replaced; remove it or change latest", r.job.Latest)
	}
	if r.job.Report != "" {
		r.checkDirectory("report", existing(r.job.Report))
	}
}

// checkDirectory checks that files can be written to a directory.
func (r *checkResults) checkDirectory(key, dir string) {
	if wrong := unwritable(dir); wrong != "" {
		r.error(key, "%s", wrong)
	}
}

// unwritable says what keeps this user from writing files to a directory, and what to do; "" for nothing.
func unwritable(dir string) string {
	const writeAndSearch = 2 | 1
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("there is no directory %s; to make it, run: %s", dir, report.ShellLine("mkdir", "-p", dir))
	case err != nil:
		return err.Error()
	case !info.IsDir():
		return dir + " is not a directory; choose another name"
	case syscall.Access(dir, writeAndSearch) != nil:
		return fmt.Sprintf("the directory %s cannot be written to by this user; change its permissions, or choose another one", dir)
	}
	return ""
}

// existing returns a directory, or the nearest one above it that exists: what is missing is made.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// checkService looks whether the keys of the services are set, and whether there can be a journal.
func (r *checkResults) checkService() {
	options, _, err := r.job.Run.Workspace()
	if err != nil {
		variables := "SERVICE_BASE_URL and SERVICE_API_KEY"
		if found, is := errors.AsType[*problem.Error](err); is {
			if name, isNamed := strings.CutPrefix(found.Code, "job_not_connected_"); isNamed {
				variables = strings.ReplaceAll("SERVICE_{NAME}_BASE_URL and SERVICE_{NAME}_API_KEY", "{NAME}", strings.ToUpper(name))
			}
		}
		r.error("service", "%s: set %s, or write sandbox: true to rehearse", strings.ToLower(err.Error()), variables)
		return
	}
	r.checkDirectory("state", existing(options.Journal.State))
	if options.Sandbox {
		return
	}
	used := options.Used()
	for i, of := range options.Services {
		if !options.IsConfigured(of) || of.Key != "" {
			continue
		}
		variable := "SERVICE_API_KEY"
		if i > 0 {
			variable = "SERVICE_" + strings.ToUpper(of.Name()) + "_API_KEY"
		}
		if len(used) > 1 {
			r.warn("service", "%s is not set; a job that asks this interface needs it", variable)
		} else {
			r.error("service", "%s is not set; set it here, and where the job starts", variable)
		}
	}
}

// checkCeilings looks for ceilings that stop every run, or that do not limit anything.
func (r *checkResults) checkCeilings(at LocalTime, due time.Time) {
	amount := func(key string) (cost.Money, bool) {
		flag := r.job.Run.Flags.Lookup(key)
		if flag == nil {
			return 0, false
		}
		money, ok := flag.Value.(*configs.MoneyFlag)
		return money.OrZero(), ok && money.Amount != nil
	}
	for _, key := range []string{"max-spend", "daily", "monthly", "workspace-monthly"} {
		if limit, given := amount(key); given && limit <= 0 {
			r.warn(key, "a ceiling of $%s allows no paid lookup; give an amount above 0 unless that is intended", limit)
		}
	}
	for _, pair := range [][2]string{{"daily", "monthly"}, {"max-spend", "monthly"}, {"monthly", "workspace-monthly"}} {
		smaller, given := amount(pair[0])
		larger, also := amount(pair[1])
		if given && also && smaller > larger {
			r.warn(pair[0], "$%s is more than %s ($%s), which stops the job first; correct one of them", smaller, pair[1], larger)
		}
	}
	if _, given := amount("daily"); given && !r.job.Plan.Times.IsZero() && !r.job.Plan.Waits(at, provider.Renewal(cost.Day, due)) {
		r.warn("daily", "an occurrence that reaches it does not go on the next day: its catch-up window of %s ends before 00:00 UTC; give a longer catch-up",
			span(r.job.Plan.CatchUp))
	}
}

// span writes a time span in whole hours where it has no minutes.
func span(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return d.String()
}
