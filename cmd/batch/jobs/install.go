package jobs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"payonce/pipeline/problem"
)

// The directories in which systemd looks for units.
const (
	systemUnits = "/etc/systemd/system"
	userUnits   = "systemd/user" // below the configuration of the user
)

// installing are the flags of the command.
type installing struct {
	file              string
	systemd           bool
	user, write       bool
	dir, account, env string
}

func newInstallCommand(env Environment) *cobra.Command {
	var o installing
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Print or write what starts the jobs: units of systemd",
		Long: "Print what starts the jobs of a jobs file when they are due, or write it with --write.\n\n" +
			"  --systemd  a service and a timer for each job with a schedule\n\n" +
			"A file that was edited is not replaced: then nothing is written. Keys of services do not stand in these\n" +
			"files. They come from --env-file. For cron and Kubernetes see docs/nightly.md." + env.Codes.Install,
		RunE: func(*cobra.Command, []string) error { return env.install(&o) },
	}
	flags := cmd.Flags()
	addFileFlag(cmd, &o.file)
	flags.BoolVar(&o.systemd, "systemd", false, "services and timers of systemd")
	flags.BoolVar(&o.user, "user", false, "for the user who starts this, not for the system")
	flags.BoolVar(&o.write, "write", false, "write the files in place of printing them")
	flags.StringVar(&o.dir, "dir", "", "write into this `DIR` (default where systemd looks)")
	flags.StringVar(&o.account, "account", "", "the user `NAME` that jobs of the system run as (default the one who starts this)")
	flags.StringVar(&o.env, "env-file", "", "the `FILE` with variables such as SERVICE_API_KEY (default batch.env beside the jobs file)")
	return cmd
}

// install prints or writes the files.
func (env Environment) install(o *installing) error {
	if !o.systemd {
		return problem.Usagef("what starts the jobs? give --systemd; for cron and Kubernetes see docs/nightly.md")
	}
	file, err := env.Reader.Read(o.file)
	if err != nil {
		return problem.AsUsage(err)
	}
	setup, err := env.setup(o, file)
	if err != nil {
		return err
	}
	if len(setup.Jobs) == 0 {
		return problem.Usagef("%s has no job with a schedule", o.file)
	}
	for _, path := range setup.missing() {
		fmt.Fprintf(env.Stderr, "batch: warning: %s does not exist; make it before the units start, or they fail\n", path)
	}
	files := systemdUnits(*setup)
	if !o.write {
		for i, file := range files {
			if i > 0 {
				fmt.Fprintln(env.Stdout)
			}
			fmt.Fprintf(env.Stdout, "### %s\n", file.Name)
			if _, err := fmt.Fprint(env.Stdout, file.Text); err != nil {
				return err
			}
		}
		return nil
	}
	return env.writeUnits(o, files)
}

// setup returns what is started, with absolute paths.
func (env Environment) setup(o *installing, file *File) (s *unitSetup, err error) {
	s = &unitSetup{User: o.user, Account: o.account}
	if s.Program, err = os.Executable(); err != nil {
		return nil, err
	}
	if s.File, err = filepath.Abs(o.file); err != nil {
		return nil, err
	}
	s.Dir = filepath.Dir(s.File)
	if o.env == "" {
		o.env = filepath.Join(filepath.Dir(s.File), "batch.env")
	}
	if s.EnvFile, err = filepath.Abs(o.env); err != nil {
		return nil, err
	}
	if s.Account == "" {
		who, err := user.Current()
		if err != nil {
			return nil, err
		}
		s.Account = who.Username
	}
	for _, job := range file.Jobs {
		options, _, err := job.Run.Workspace()
		if err != nil {
			return nil, problem.AsUsage(err)
		}
		if s.State, err = filepath.Abs(options.Journal.State); err != nil {
			return nil, err
		}
		if job.Plan.Times.IsZero() {
			continue // a person starts it
		}
		unit := UnitJob{Name: job.Name, Times: job.Plan.Times, Zone: job.Plan.Zone.String()}
		if unit.Zone == "Local" {
			unit.Zone = ""
		}
		written := []string{job.Latest, job.Metrics}
		for _, key := range outputKeys { // a run makes the directory of the tables, so it writes to the one around it
			written = append(written, job.Run.Flags.Lookup(key).Value.String())
		}
		for _, path := range written {
			if path == "" {
				continue
			}
			if path, err = filepath.Abs(path); err != nil {
				return nil, err
			}
			unit.Write = append(unit.Write, filepath.Dir(path))
		}
		if job.Report != "" {
			if job.Report, err = filepath.Abs(job.Report); err != nil {
				return nil, err
			}
			unit.Write = append(unit.Write, job.Report)
		}
		s.Jobs = append(s.Jobs, unit)
	}
	return s, nil
}

// missing returns the paths of the units that do not exist, each once.
func (s *unitSetup) missing() (paths []string) {
	all := []string{s.EnvFile, s.State}
	for _, job := range s.Jobs {
		all = append(all, job.Write...)
	}
	slices.Sort(all)
	for _, path := range slices.Compact(all) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			paths = append(paths, path)
		}
	}
	return paths
}

// writeUnits writes the files where they are looked for, and prints what to do next.
func (env Environment) writeUnits(o *installing, files []unitFile) error {
	dir, next := o.dir, "systemctl daemon-reload, then systemctl enable --now"
	switch {
	case o.user:
		base, err := os.UserConfigDir()
		if err != nil && dir == "" {
			return problem.Usagef("there is no directory for the units; give --dir: %w", err)
		}
		if dir == "" {
			dir = filepath.Join(base, userUnits)
		}
		next = "systemctl --user daemon-reload, then systemctl --user enable --now"
	case dir == "":
		dir = systemUnits
	}
	changed, err := writeUnits(dir, files)
	if _, isEdited := errors.AsType[*EditedError](err); isEdited {
		return problem.AsUsage(err)
	}
	for _, path := range changed {
		fmt.Fprintf(env.Stdout, "wrote %s\n", path)
	}
	if err != nil {
		return err
	}
	if len(changed) == 0 {
		fmt.Fprintln(env.Stdout, "nothing to write: the files are as they should be")
	}
	for _, file := range files {
		if filepath.Ext(file.Name) == ".timer" {
			next += " " + file.Name
		}
	}
	fmt.Fprintf(env.Stdout, "next: %s\n", next)
	return nil
}
