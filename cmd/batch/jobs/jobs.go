// Package jobs has the commands for jobs: lists that are enriched at set times.
package jobs

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"payonce/io/notify"
	"payonce/pipeline/problem"
	"payonce/pipeline/report"
)

// Environment is what the commands need of the program.
type Environment struct {
	Stdout io.Writer
	Stderr io.Writer
	Now    func() time.Time
	Reader FileReader
	// Quiet is Reader for runs whose plans and summaries are not shown.
	Quiet FileReader
	// After returns a channel that receives when a time has passed.
	After   func(time.Duration) <-chan time.Time
	Version string
	// Hangups makes the hang-up signal tell the channel that it returns. It may be nil.
	Hangups func() <-chan struct{}
	Codes   Codes
	// EndWith returns the error that ends a command with an exit code; nil for 0.
	EndWith func(exit int) error
}

// Codes are the parts of help texts about the codes that commands can end with.
type Codes struct {
	Alert   string // the test of alerts
	File    string // commands that read the jobs file alone
	Look    string // commands that look at the journal or change the state of a job in it
	Run     string
	Serve   string
	Install string
}

// defaultFile is the jobs file where none is named.
const defaultFile = "jobs.yaml"

// NewCommand returns the command with its subcommands.
func NewCommand(env Environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "jobs",
		Short: "Enrich lists at set times: run jobs that are due, and show their results",
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCheckCommand(env), newListCommand(env), newSchemaCommand(env), newRunCommand(env), newServeCommand(env), newInstallCommand(env),
		newNextCommand(env),
		newHistoryCommand(env), newPauseCommand(env), newResumeCommand(env), newTestAlertCommand(env))
	return cmd
}

// read reads a jobs file.
func (env Environment) read(path string) (*File, error) {
	file, err := env.Reader.Read(path)
	return file, problem.AsUsage(err)
}

func newSchemaCommand(env Environment) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of jobs files",
		Long: "Print the JSON Schema of jobs files. An editor that knows it completes the keys and marks mistakes;\n" +
			"most take it from a first line such as\n" +
			"  # yaml-language-server: $schema=jobs.schema.json" + env.Codes.File,
		RunE: func(*cobra.Command, []string) error { return report.WriteJSON(env.Stdout, env.Reader.Schema()) },
	}
}

// listed is a job as it is listed.
type listed struct {
	Name     string `json:"name"`
	List     string `json:"list"`
	Output   string `json:"output"`
	Schedule string `json:"schedule,omitempty"`
	Zone     string `json:"time_zone"`
	// Next is when the schedule is due next. It is left out without a schedule.
	Next       time.Time `json:"next,omitzero"`
	Occurrence string    `json:"occurrence,omitempty"` // the local date and time of Next
	// Waits is when an occurrence goes on that reached a limit. It is left out when none waits.
	Waits  time.Time `json:"waits_until,omitzero"`
	Paused bool      `json:"paused,omitempty"`
}

func newListCommand(env Environment) *cobra.Command {
	var path string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the jobs of a jobs file, with their lists and schedules",
		Long: "List the jobs of a jobs file, with their lists, schedules and outputs. Where there is a journal\n" +
			"already, a job that is paused is marked, and one that waits for the end of a limit is shown with the time." + env.Codes.File,
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := env.read(path)
			if err != nil {
				return err
			}
			rows, failures := []listed{}, []notify.ChannelFailure(nil)
			for _, job := range file.Jobs {
				row := env.listed(job)
				// Without a service or a journal nothing waits, and jobs next shows what is wrong.
				if known, err := readKnown(cmd.Context(), job); err == nil {
					failures = append(failures, known.Failures...)
					if one, waits := known.Waiting(); waits {
						row.Waits = one.Until.In(job.Plan.Zone)
					}
					row.Paused = !known.Job.PausedAt.IsZero()
				}
				rows = append(rows, row)
			}
			if asJSON {
				return report.WriteJSON(env.Stdout, withFailures(failures, "jobs", rows))
			}
			if err := writeTable(env.Stdout, rows); err != nil {
				return err
			}
			return env.writeFailures(failures)
		},
	}
	addFileFlag(cmd, &path)
	addJSONFlag(cmd, &asJSON)
	return cmd
}

func addFileFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVarP(path, "file", "f", defaultFile, "the jobs `FILE`")
}

func addJSONFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print one JSON object on standard output")
}

// listed describes a job.
func (env Environment) listed(job *Job) listed {
	row := listed{
		Name: job.Name, List: job.List.String(), Output: job.Output(), Schedule: job.Plan.Times.String(), Zone: job.Plan.Zone.String(),
	}
	if next, due := job.Plan.NextAfter(env.Now()); !next.IsZero() {
		row.Next, row.Occurrence = due.In(job.Plan.Zone), next.String()
	}
	return row
}

// writeTable writes jobs in columns.
func writeTable(to io.Writer, rows []listed) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "JOB\tSCHEDULE\tNEXT\tLIST\tOUTPUT")
	for _, row := range rows {
		times, next := "by hand", "-"
		if row.Schedule != "" {
			times, next = row.Schedule+" "+row.Zone, row.Next.Format("2006-01-02 15:04 MST")
		}
		switch {
		case row.Paused && !row.Waits.IsZero():
			next = "paused; waits until " + row.Waits.Format("2006-01-02 15:04 MST")
		case row.Paused:
			next = "paused"
		case !row.Waits.IsZero():
			next = "waits until " + row.Waits.Format("2006-01-02 15:04 MST")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", row.Name, times, next, report.Printable(row.List), report.Printable(row.Output))
	}
	return w.Flush()
}
