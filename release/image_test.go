package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// image is a stage of a Dockerfile that was built without Docker. The steps of a stage with a base run on a copy of
// this machine's files instead of that base: an overlay, whose changes are in a folder.
type image struct {
	t        *testing.T
	root     string // what the stage wrote
	from     string // the base; "scratch" for none
	dir      string
	env      []string
	user     string
	volumes  []string
	commands []string // of the entry point
}

// mask are folders of this machine that are empty in an image.
var mask = []string{"/tmp"}

// buildImage builds the last stage of a Dockerfile from a folder.
func buildImage(t *testing.T, dockerfile, context string) *image {
	t.Helper()
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, warning := range parsed.Warnings {
		t.Errorf("the Dockerfile: %s", warning.Short)
	}
	stages, arguments, err := instructions.Parse(parsed.AST, nil)
	if err != nil || len(arguments) > 0 {
		t.Fatalf("the Dockerfile: %v; this test knows no arguments", err)
	}
	built := map[string]*image{}
	var last *image
	for _, stage := range stages {
		last = &image{t: t, root: t.TempDir(), from: stage.BaseName, dir: "/"}
		built[stage.Name] = last
		for _, command := range stage.Commands {
			last.apply(command, context, built)
		}
	}
	return last
}

func (m *image) check(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *image) apply(command instructions.Command, context string, built map[string]*image) {
	m.t.Helper()
	switch c := command.(type) {
	case *instructions.WorkdirCommand:
		m.dir = path.Join(m.dir, c.Path)
		m.check(os.MkdirAll(filepath.Join(m.root, m.dir), 0o755))
	case *instructions.CopyCommand:
		for _, source := range c.SourcePaths {
			from := filepath.Join(context, source)
			if c.From != "" {
				from = built[c.From].place(source)
			}
			m.copy(from, c, len(c.SourcePaths) > 1)
		}
	case *instructions.RunCommand:
		m.run(c.CmdLine[0])
	case *instructions.UserCommand:
		m.user = c.User
	case *instructions.EnvCommand:
		for _, pair := range c.Env {
			m.env = append(m.env, pair.Key+"="+pair.Value)
		}
	case *instructions.VolumeCommand:
		m.volumes = append(m.volumes, c.Volumes...)
	case *instructions.EntrypointCommand:
		m.commands = c.CmdLine
	default:
		m.t.Fatalf("this test does not know %s", command)
	}
}

// place returns where a file of the stage is: among what the stage wrote, or else in its base.
func (m *image) place(name string) string {
	changed := filepath.Join(m.root, name)
	if _, err := os.Lstat(changed); err == nil || m.from == "scratch" || slices.Contains(mask, name) {
		return changed
	}
	return name
}

// copy copies a file, or what is in a folder, as COPY does.
func (m *image) copy(from string, c *instructions.CopyCommand, several bool) {
	m.t.Helper()
	to := c.DestPath
	if !path.IsAbs(to) {
		to = m.dir + "/" + to
	}
	info, err := os.Stat(from)
	m.check(err)
	to = filepath.Join(m.root, to) + strings.Repeat("/", strings.Count(to, "/")-strings.Count(strings.TrimRight(to, "/"), "/"))
	if !info.IsDir() && (several || strings.HasSuffix(to, "/")) {
		to = filepath.Join(to, filepath.Base(from))
	}
	m.check(filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, name)
		target := filepath.Join(to, inside)
		if err = errors.Join(err, os.MkdirAll(filepath.Dir(target), 0o755)); err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			err = os.MkdirAll(target, 0o755)
		case info.Mode()&fs.ModeSymlink != 0 && name != from:
			var link string
			if link, err = os.Readlink(name); err == nil {
				return os.Symlink(link, target)
			}
		default:
			var content []byte
			if content, err = os.ReadFile(name); err == nil {
				err = os.WriteFile(target, content, info.Mode().Perm())
			}
		}
		return errors.Join(err, m.own(target, info, c))
	}))
}

// own gives a copied file the owner and the mode that COPY says.
func (m *image) own(target string, info fs.FileInfo, c *instructions.CopyCommand) error {
	mode := info.Mode().Perm()
	if c.Chmod != "" {
		bits, err := strconv.ParseUint(c.Chmod, 8, 32)
		if err != nil {
			return err
		}
		if err := syscall.Chmod(target, uint32(bits)); err != nil {
			return err
		}
	} else if err := os.Chmod(target, mode); err != nil {
		return err
	}
	if c.Chown == "" {
		return nil
	}
	user, group := ids(c.Chown)
	return os.Chown(target, user, group)
}

// ids reads a user and a group such as 65532:65532; -1 for what is not a number.
func ids(text string) (user, group int) {
	first, second, _ := strings.Cut(text, ":")
	number := func(text string) int {
		id, err := strconv.Atoi(text)
		if err != nil {
			return -1
		}
		return id
	}
	return number(first), number(second)
}

// run runs a line of the shell in the stage.
func (m *image) run(line string) {
	m.t.Helper()
	script := `set -e
mount -t overlay overlay -o "lowerdir=/,upperdir=$1,workdir=$2" "$3"
mount --rbind /dev "$3/dev"
mount -t proc proc "$3/proc"
for empty in $4; do mount --bind "$1$empty" "$3$empty"; done
shift 4
exec chroot "$@"
`
	merged := m.t.TempDir()
	for _, empty := range mask {
		m.check(os.MkdirAll(filepath.Join(m.root, empty), 0o755))
	}
	command := exec.Command(
		"unshare", "--mount", "sh", "-c", script, "sh", m.root, m.t.TempDir(), merged,
		strings.Join(mask, " "), merged, "/bin/sh", "-c", "cd "+m.dir+" && "+line,
	)
	command.Env = append(os.Environ(), m.env...)
	if printed, err := command.CombinedOutput(); err != nil {
		m.t.Fatalf("RUN %s: %v\n%s", line, err, printed)
	}
}

// start runs the program of the image as a container does, with arguments, in a folder of the image.
func (m *image) start(dir string, args ...string) string {
	m.t.Helper()
	user, group := ids(m.user)
	command := exec.Command(m.commands[0], append(m.commands[1:len(m.commands):len(m.commands)], args...)...)
	command.Path, command.Dir, command.Env = m.commands[0], dir, m.env
	command.SysProcAttr = &syscall.SysProcAttr{
		Chroot: m.root, Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(group)},
	}
	printed, err := command.CombinedOutput()
	if err != nil {
		m.t.Errorf("%q: %v\n%s", args, err, printed)
	}
	return string(printed)
}

// contextOf copies the files that docker sends: those that git knows, without what .dockerignore leaves out.
func contextOf(t *testing.T) string {
	t.Helper()
	all := filepath.Join(t.TempDir(), "context")
	copySource(t, all)
	file, err := os.Open(filepath.Join(all, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	patterns, err := ignorefile.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(all, func(name string, entry fs.DirEntry, err error) error {
		inside, relErr := filepath.Rel(all, name)
		if err = errors.Join(err, relErr); err != nil || inside == "." || entry.IsDir() {
			return err
		}
		ignored, err := matcher.MatchesOrParentMatches(inside)
		if err == nil && ignored {
			err = os.Remove(name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestTheImageRunsTheProgram builds the image and runs what the docs show: as its user, without the tools of a base.
func TestTheImageRunsTheProgram(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount and change the root folder of a process")
	}
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Skip("unshare is not installed")
	}
	context := contextOf(t)
	m := buildImage(t, filepath.Join(context, "Dockerfile"), context)
	if len(m.commands) == 0 || len(m.volumes) != 1 || !slices.Contains(m.env, "BATCH_STATE="+m.volumes[0]) {
		t.Fatalf("the image has the entry point %q, the volumes %q and the environment %q", m.commands, m.volumes, m.env)
	}
	if user, _ := ids(m.user); user <= 0 {
		t.Errorf("the program runs as %q", m.user)
	}
	if printed := m.start("/", "version"); !strings.HasPrefix(printed, "batch ") {
		t.Errorf("it prints %q", printed)
	}
	work := filepath.Join(m.root, "work")
	m.check(os.Mkdir(work, 0o777))
	m.check(os.Chmod(work, 0o777))
	list, err := os.ReadFile("../testdata/demo.csv")
	m.check(errors.Join(err, os.WriteFile(filepath.Join(work, "list.csv"), list, 0o644)))
	for _, args := range shown(t, m.volumes[0], context) {
		m.start("/work", args...)
	}
	jobs := "jobs:\n  nightly: {list: list.csv, output: out.csv, schedule: daily at 02:30, time-zone: Europe/Berlin, max-spend: 40, " +
		"sandbox: true, rate: 1000/1s}\n"
	m.check(os.WriteFile(filepath.Join(work, "jobs.yaml"), []byte(jobs), 0o644))
	m.start("/work", "jobs", "run", "nightly", "--now")
	out, err := os.ReadFile(filepath.Join(work, "out.csv"))
	if err != nil || bytes.Count(out, []byte("\n")) < bytes.Count(list, []byte("\n")) {
		t.Errorf("the job wrote %d bytes: %v", len(out), err)
	}
	if written, err := os.ReadDir(filepath.Join(m.root, m.volumes[0])); err != nil || len(written) == 0 {
		t.Errorf("the journal is not in the volume: %v", err)
	}
}

// shown returns the arguments of the commands with docker run that the docs show. A service that they name is replaced
// by --offline.
func shown(t *testing.T, volume, context string) (commands [][]string) {
	t.Helper()
	for _, name := range []string{"Dockerfile", "docs/install.md"} {
		text, err := os.ReadFile(filepath.Join(context, name))
		if err != nil {
			t.Fatal(err)
		}
		joined := strings.ReplaceAll(string(text), "\\\n", " ")
		for _, line := range regexp.MustCompile(`docker run .*`).FindAllString(joined, -1) {
			flags, after, found := strings.Cut(line, " payonce ")
			if !found {
				t.Errorf("%s: %q does not name the image payonce", name, line)
				continue
			}
			if strings.Contains(flags, "-v payonce:") && !strings.Contains(flags, "-v payonce:"+volume+" ") {
				t.Errorf("%s: %q mounts its volume elsewhere than %s", name, line, volume)
			}
			args := strings.Fields(after)
			if strings.Contains(flags, "SERVICE_BASE_URL") {
				args = append(args, "--offline")
			}
			commands = append(commands, args)
		}
	}
	if len(commands) != 2 {
		t.Errorf("the docs show %q", commands)
	}
	return commands
}
