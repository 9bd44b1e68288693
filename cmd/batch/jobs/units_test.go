package jobs

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// setup returns jobs whose names and paths need care.
func setup(t *testing.T, user bool) unitSetup {
	t.Helper()
	job := func(name, times, zone string, write ...string) UnitJob {
		parsed, err := parseTimes(times)
		if err != nil {
			t.Fatal(err)
		}
		return UnitJob{Name: name, Times: parsed, Zone: zone, Write: write}
	}
	return unitSetup{
		Program: "/usr/bin/batch", File: "/srv/lists/jobs.yaml", Dir: "/srv/lists", State: "/var/lib/batch", EnvFile: "/srv/lists/batch.env",
		Account: "batch", User: user,
		Jobs: []UnitJob{
			job("nightly", "daily at 02:30", "Europe/Berlin", "/srv/lists/out"),
			job("Office-hours_2", "*/20 8-18 1 * 1-5", "", "/srv/100% done/it's here", "/srv/lists"),
		},
	}
}

// matches compares files with the golden ones of a directory.
func matches(t *testing.T, dir string, files []unitFile) {
	t.Helper()
	for _, file := range files {
		path := filepath.Join("testdata", dir, file.Name)
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(file.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), file.Text); diff != "" {
			t.Errorf("%s (-want +got), refresh it with -update:\n%s", path, diff)
		}
	}
}

func TestSystemdUnitsInTheRepositoryAreTheGeneratedOnes(t *testing.T) {
	matches(t, "system", systemdUnits(setup(t, false)))
	matches(t, "user", systemdUnits(setup(t, true)))
}

// TestSystemdAcceptsTheUnits runs systemd-analyze, which looks for the program and the account too.
func TestSystemdAcceptsTheUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	for name, user := range map[string]bool{"--system": false, "--user": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := setup(t, user)
			s.Program, s.Account, s.Dir = "/bin/true", "root", "/"
			var services []string
			for _, file := range systemdUnits(s) {
				path := filepath.Join(dir, file.Name)
				if err := os.WriteFile(path, []byte(file.Text), 0o644); err != nil {
					t.Fatal(err)
				}
				services = append(services, path)
			}
			command := exec.Command(analyze, append([]string{"verify", name, "--man=no", "--recursive-errors=no"}, services...)...)
			command.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "SYSTEMD_LOG_LEVEL=warning")
			output, err := command.CombinedOutput()
			if err != nil || strings.Contains(string(output), "Unknown") || strings.Contains(string(output), "ignoring") {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

func TestAnEditedFileIsNotReplaced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "units")
	old, current := systemdUnits(setup(t, true)), systemdUnits(setup(t, false))
	if changed, err := writeUnits(dir, old); err != nil || len(changed) != len(old) {
		t.Fatalf("%v changed, %v", changed, err)
	}
	if changed, err := writeUnits(dir, old); err != nil || len(changed) != 0 {
		t.Errorf("a second time %v changed, %v", changed, err)
	}
	if changed, err := writeUnits(dir, current); err != nil || len(changed) != 2 { // the timers are the same
		t.Errorf("other files: %v changed, %v", changed, err)
	}
	edited := filepath.Join(dir, current[len(current)-1].Name)
	kept, err := os.ReadFile(edited)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(edited, append(kept, "OnBootSec=5m\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	changed, err := writeUnits(dir, old)
	if err == nil || !strings.Contains(err.Error(), edited) || len(changed) != 0 {
		t.Errorf("after an edit %v changed, %v", changed, err)
	}
	first, err := os.ReadFile(filepath.Join(dir, current[0].Name))
	if err != nil || string(first) != current[0].Text {
		t.Errorf("another file was replaced: %v", err)
	}
}
