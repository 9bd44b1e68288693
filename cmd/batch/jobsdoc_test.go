package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"payonce/io/notify"
)

// The jobs file in the docs is right, and the docs have its keys.
func TestTheJobsFileOfTheDocsIsRight(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)<!-- jobs.yaml -->\n```yaml\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatal("there is no jobs file in docs/nightly.md")
	}
	path := filepath.Join(t.TempDir(), "jobs.yaml")
	if err := os.WriteFile(path, found[1], 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := quietEnvironment(nil).jobs().Reader.Read(path)
	if err != nil || len(file.Jobs) != 1 || file.Jobs[0].Name != "nightly" || file.Jobs[0].Keep != 14 {
		t.Errorf("%+v, %v", file, err)
	}
}

// The alerts in the docs are right beside the job of the docs, and the docs have every kind of alert.
func TestTheAlertsOfTheDocsAreRight(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	var file []byte
	for _, mark := range []string{"jobs.yaml", "alerts of jobs.yaml"} {
		found := regexp.MustCompile("(?s)<!-- " + mark + " -->\n```yaml\n(.*?)```").FindSubmatch(text)
		if found == nil {
			t.Fatalf("docs/nightly.md has no block %q", mark)
		}
		file = append(file, found[1]...)
	}
	vars := map[string]string{"SLACK_URL": "https://chat.example/x", "PING_URL": "https://ping.example/x", "SMTP_PASSWORD": "x"}
	read, err := quietEnvironment(vars).jobs().Reader.Parse("jobs.yaml", file)
	if err != nil || len(read.Jobs[0].Alerts) != 3 {
		t.Errorf("%+v, %v", read, err)
	}
	for _, kind := range notify.Alerts() {
		if row := fmt.Sprintf("\n| `%s` | %s | ", kind, notify.SeverityOf(kind)); !bytes.Contains(text, []byte(row)) {
			t.Errorf("the table of kinds has no row %q", row)
		}
	}
}

// blockOfNightly returns the block of docs/nightly.md that stands behind a mark.
func blockOfNightly(t *testing.T, mark string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)<!-- " + regexp.QuoteMeta(mark) + " -->\n```[a-z]*\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatalf("docs/nightly.md has no block %q", mark)
	}
	return string(found[1])
}

// The section of a configuration in the docs is right, and the docs have every key of it.
func TestTheAssumptionsOfTheDocsAreRight(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "batch.yaml")
	if err := os.WriteFile(path, []byte(blockOfNightly(t, "assumptions.yaml")), 0o600); err != nil {
		t.Fatal(err)
	}
	env := quietEnvironment(nil)
	if err := checkConfig(env, path); err != nil {
		t.Error(err)
	}
	read, err := readAssumptions(newRootCommand(env), path, env)
	if err != nil || read.requestNames().FindPhone != "contacts/phone" || !read.mcp.Sessions || read.modules.String() != "autocomplete=contacts" {
		t.Errorf("%+v, %v", read, err)
	}
	text, err := os.ReadFile("../../docs/nightly.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range flagNames(newAssumptions().keys) {
		if !strings.Contains(string(text), "\n| `"+key+"` | ") {
			t.Errorf("the table of the docs has no row for %s", key)
		}
	}
}

// The shell runs the line of the crontab in the docs: it starts a job in the directory of the jobs file, with the
// variables of batch.env.
func TestTheCrontabOfTheDocsStartsTheJob(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("batch.env", "SERVICE_API_KEY='a key'\n", 0o600)
	write("program", "#!/bin/sh\necho \"$PWD|$BATCH_STATE|$SERVICE_API_KEY|$*\"\n", 0o700)
	var environment []string
	var line string
	for one := range strings.Lines(blockOfNightly(t, "crontab")) {
		one = strings.TrimSpace(one)
		if name, _, is := strings.Cut(one, "="); is && !strings.Contains(name, " ") {
			environment = append(environment, one)
			continue
		}
		line = one
	}
	entry := regexp.MustCompile(`^\*/10 \* \* \* \* batch ([^%]*)$`).FindStringSubmatch(line)
	if entry == nil || !slices.Contains(environment, "SHELL=/bin/sh") {
		t.Fatalf("%q is not a line of /etc/cron.d", line)
	}
	command := strings.NewReplacer("/srv/lists", dir, "/usr/bin/batch", filepath.Join(dir, "program")).Replace(entry[1])
	shell := exec.Command("/bin/sh", "-c", command)
	shell.Env = environment
	output, err := shell.CombinedOutput()
	if want := dir + "|/var/lib/batch|a key|jobs run nightly --quiet\n"; err != nil || string(output) != want {
		t.Errorf("%q, %v, want %q", output, err, want)
	}
	checkArguments(t, "jobs", "run", "nightly", "--quiet")
}

// checkArguments checks that a command line has a command with these flags.
func checkArguments(t *testing.T, args ...string) {
	t.Helper()
	cmd, rest, err := newRootCommand(quietEnvironment(nil)).Find(args)
	if err != nil || !cmd.Runnable() {
		t.Fatalf("%v: %v", args, err)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Errorf("%v: %v", args, err)
	}
}

// The manifest in the docs has a jobs file that is right, arguments that the program has, and a volume for what it keeps.
func TestTheManifestOfTheDocsIsRight(t *testing.T) {
	t.Parallel()
	type volume struct {
		Name, MountPath       string
		PersistentVolumeClaim struct{ ClaimName string }
		ConfigMap             struct{ Name string }
		EmptyDir              map[string]any
	}
	type object struct {
		Kind     string
		Metadata struct{ Name string }
		Data     map[string]string
		Spec     struct {
			Replicas int
			Selector struct{ MatchLabels map[string]string }
			Strategy struct{ Type string }
			Template struct {
				Metadata struct{ Labels map[string]string }
				Spec     struct {
					Volumes    []volume
					Containers []struct {
						WorkingDir   string
						Args         []string
						Ports        []struct{ ContainerPort int }
						Env          []struct{ Name, Value string }
						VolumeMounts []volume
					}
				}
			}
		}
	}
	objects := map[string]object{}
	decoder := yaml.NewDecoder(strings.NewReader(blockOfNightly(t, "batch-jobs.yaml")))
	for {
		// The keys are those of JSON, in camel case.
		var document any
		if err := decoder.Decode(&document); err != nil {
			break
		}
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		var one object
		if err := json.Unmarshal(text, &one); err != nil {
			t.Fatal(err)
		}
		objects[one.Kind] = one
	}
	config, claim, deployment := objects["ConfigMap"], objects["PersistentVolumeClaim"], objects["Deployment"].Spec
	if len(objects) != 3 || claim.Metadata.Name == "" || len(deployment.Template.Spec.Containers) != 1 {
		t.Fatalf("%+v", objects)
	}
	file, err := quietEnvironment(nil).jobs().Reader.Parse("jobs.yaml", []byte(config.Data["jobs.yaml"]))
	if err != nil || len(file.Jobs) != 1 || file.Jobs[0].Plan.Times.IsZero() {
		t.Errorf("%+v, %v", file, err)
	}
	if deployment.Replicas != 1 || deployment.Strategy.Type != "Recreate" || deployment.Selector.MatchLabels["app"] != deployment.Template.Metadata.Labels["app"] {
		t.Errorf("two processes could own the journal, or the labels differ: %+v", deployment)
	}
	container := deployment.Template.Spec.Containers[0]
	checkArguments(t, container.Args...)
	places := map[string]volume{} // volumes by where they are
	for _, mount := range container.VolumeMounts {
		for _, one := range deployment.Template.Spec.Volumes {
			if one.Name == mount.Name {
				places[mount.MountPath] = one
			}
		}
	}
	state := container.Env[0]
	if places[container.WorkingDir].PersistentVolumeClaim.ClaimName != claim.Metadata.Name || places["/etc/batch"].ConfigMap.Name != config.Metadata.Name ||
		places["/tmp"].EmptyDir == nil || state.Name != stateVariable || !strings.HasPrefix(state.Value, container.WorkingDir+"/") {
		t.Errorf("%+v, %+v", places, state)
	}
	if !slices.Contains(container.Args, "/etc/batch/jobs.yaml") || !slices.Contains(container.Args, fmt.Sprintf("0.0.0.0:%d", container.Ports[0].ContainerPort)) {
		t.Errorf("%q", container.Args)
	}
}
