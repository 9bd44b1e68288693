package doctor

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"payonce/checkpoint"
	"payonce/internal/problem"
	"payonce/internal/report"
	"payonce/internal/workspace"
	"payonce/sandbox"
	v1 "payonce/service/v1"
)

// codes stands for the words of a command: it returns the code itself.
func codes(code string, _ ...any) string { return code }

// optionsFor returns options for a service at an address, with a journal below a directory.
func optionsFor(address, state string) workspace.Options {
	rate := checkpoint.Rate{Slots: 30, Window: time.Minute}
	return workspace.Options{
		Journal: workspace.Journal{State: state, Name: "default", Rate: rate, Key: workspace.Key{From: "THE_KEY"}},
		Service: workspace.Service{
			BaseURL: address, Key: sandbox.DefaultKey, Transport: v1.REST, Timeout: time.Minute, Connections: 2, Rate: rate,
		},
	}
}

// diagnose runs all checks.
func diagnose(t *testing.T, options workspace.Options) *Diagnosis {
	t.Helper()
	env := workspace.Environment{Now: time.Now, Program: "batch", Version: "0"}
	found, err := Diagnose(t.Context(), env, options, codes, error.Error)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// of returns the findings of one check with a result.
func of(d *report.Diagnosis, check, result string) []report.Finding {
	var found []report.Finding
	for _, f := range d.Checks {
		if f.Check == check && f.Result == result {
			found = append(found, f)
		}
	}
	return found
}

func serve(t *testing.T) *workspace.Embedded {
	t.Helper()
	service, err := workspace.Serve(sandbox.DefaultConfig(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close() })
	return service
}

func TestAServiceThatIsSoundIsUsableAndNothingIsSentOrLeft(t *testing.T) {
	t.Parallel()
	service, state := serve(t), filepath.Join(t.TempDir(), "state")
	found := diagnose(t, optionsFor(service.BaseURL, state))
	if !found.Report.Usable || found.Kind != 0 || found.Report.Problems > 0 {
		t.Errorf("%+v", found.Report)
	}
	for _, check := range []string{"base URL", "key", "state directory", "disk", "encryption key", "journal"} {
		if len(of(found.Report, check, report.CheckOK)) == 0 {
			t.Errorf("%s is not found to be well", check)
		}
	}
	for operation, posts := range service.Service.Books().Posts {
		if posts > 0 {
			t.Errorf("%d requests to %s", posts, operation)
		}
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("the place of the journals was made")
	}
}

func TestWhatKeepsARunFromStartingSaysWhoHasToAct(t *testing.T) {
	t.Parallel()
	service := serve(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change func(*workspace.Options)
		check  string
		kind   problem.Kind
	}{
		"no address":            {func(o *workspace.Options) { o.Service.BaseURL = "" }, "base URL", problem.Usage},
		"a key of nobody":       {func(o *workspace.Options) { o.Service.Key = "wrong" }, "key", problem.Refused},
		"no key":                {func(o *workspace.Options) { o.Service.Key = "" }, "key", problem.Usage},
		"half a journal's key":  {func(o *workspace.Options) { o.Journal.Key.Text = "0a0a" }, "encryption key", problem.Usage},
		"a file in place of it": {func(o *workspace.Options) { o.Journal.State = blocked }, "state directory", problem.Usage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := optionsFor(service.BaseURL, t.TempDir())
			test.change(&options)
			found := diagnose(t, options)
			if found.Report.Usable || found.Kind != test.kind || len(of(found.Report, test.check, report.CheckProblem)) != 1 {
				t.Errorf("kind %d, %+v", found.Kind, found.Report)
			}
		})
	}
}

// A journal that another command holds does not keep a later run from starting.
func TestAJournalInUseIsAWarning(t *testing.T) {
	t.Parallel()
	service := serve(t)
	options := optionsFor(service.BaseURL, t.TempDir())
	holder := &workspace.Session{Options: options, Env: workspace.Environment{Now: time.Now, Program: "batch"}}
	if err := holder.OpenJournal(t.Context(), "run leads"); err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	found := diagnose(t, options)
	warnings := of(found.Report, "journal", report.CheckWarning)
	if !found.Report.Usable || len(warnings) != 1 || warnings[0].Advice != "journal_in_use" {
		t.Errorf("%+v", found.Report)
	}
}
