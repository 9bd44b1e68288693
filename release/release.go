package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Target is a system and a processor that programs are built for, by their names in Go.
type Target struct{ System, Processor string }

// Release says what is built.
type Release struct {
	Source  string // the folder of the module
	Out     string // the folder of the files
	Version string
	Targets []Target
	Time    time.Time // of all files
}

// File is a file of an archive or a package.
type File struct {
	Path    string // in an archive, with slashes
	Mode    os.FileMode
	Content []byte
}

// program is the name of the program.
const program = "batch"

// Make builds all files.
func (r Release) Make(ctx context.Context) (err error) {
	if err := os.RemoveAll(r.Out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.Out, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()

	shared, err := r.shared(ctx, scratch)
	if err != nil {
		return err
	}
	for _, target := range r.Targets {
		built := filepath.Join(scratch, target.System+"-"+target.Processor)
		if err := r.build(ctx, target, built); err != nil {
			return err
		}
		if err := r.pack(target, built, shared); err != nil {
			return fmt.Errorf("%s/%s: %w", target.System, target.Processor, err)
		}
	}
	return r.sum()
}

// flags are those of a build. The Makefile compiles with the same ones, so that a release only links what the tests
// have compiled before. The Makefile also names the profile, which "go build" of the program finds without a flag.
var flags = []string{
	"-trimpath", "-buildvcs=false", "-tags=arrow_json_stdlib",
	"-gcflags=github.com/apache/arrow-go/v18/arrow/compute/...=-l",
}

// build compiles the program for a target.
func (r Release) build(ctx context.Context, target Target, path string) error {
	compile := exec.CommandContext(
		ctx, "go", "build", "-ldflags", "-s -w -buildid= -X main.version="+r.Version, "-o", path, "./cmd/"+program,
	)
	compile.Dir = r.Source
	compile.Env = append(os.Environ(),
		"CGO_ENABLED=0", "GOFLAGS="+strings.Join(flags, " "), "GOOS="+target.System, "GOARCH="+target.Processor)
	return output(compile)
}

// shared returns the files that are the same for all targets: documents, manual pages and completions. The
// program itself writes them, so it is built for this machine first.
func (r Release) shared(ctx context.Context, scratch string) (files []File, err error) {
	own := filepath.Join(scratch, program)
	if err := r.build(ctx, Target{runtime.GOOS, runtime.GOARCH}, own); err != nil {
		return nil, err
	}
	for _, name := range []string{"README.md", "CHANGELOG.md"} {
		content, err := os.ReadFile(filepath.Join(r.Source, name))
		if err != nil {
			return nil, err
		}
		files = append(files, File{name, 0o644, content})
	}
	if files, err = r.units(files); err != nil {
		return nil, err
	}
	pages := filepath.Join(scratch, "man")
	if err := os.Mkdir(pages, 0o755); err != nil {
		return nil, err
	}
	manual := exec.CommandContext(ctx, own, "man", pages)
	manual.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.Time.Unix()))
	if err := output(manual); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(pages)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(pages, entry.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, File{"man/" + entry.Name(), 0o644, content})
	}
	for _, shell := range []string{"bash", "fish", "zsh"} {
		script, err := exec.CommandContext(ctx, own, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("completion of %s: %w", shell, err)
		}
		files = append(files, File{"completions/" + program + "." + shell, 0o644, script})
	}
	return files, nil
}

// units adds the systemd units, and the file that names their user.
func (r Release) units(files []File) ([]File, error) {
	for _, name := range []string{"units/payonce-job@.service", "units/payonce-job@.timer", "sysusers/payonce.conf"} {
		content, err := os.ReadFile(filepath.Join(r.Source, "release", name))
		if err != nil {
			return nil, err
		}
		files = append(files, File{name, 0o644, content})
	}
	return files, nil
}

// pack writes the archive and the packages of a target, and the list of its modules.
func (r Release) pack(target Target, built string, shared []File) error {
	content, err := os.ReadFile(built)
	if err != nil {
		return err
	}
	name := strings.Join([]string{program, r.Version, target.System, target.Processor}, "_")
	files := append([]File{{program, 0o755, content}}, shared...)
	archive, err := pack(name, files, r.Time)
	if err != nil {
		return err
	}
	if err := r.write(name+".tar.gz", archive); err != nil {
		return err
	}
	modules, err := modulesOf(built, r.Version, r.Time)
	if err != nil {
		return err
	}
	if err := r.write(name+".cdx.json", modules); err != nil || target.System != "linux" {
		return err
	}
	for _, format := range []string{"deb", "rpm"} {
		made, err := r.packageOf(format, target, files)
		if err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
		if err := r.write(name+"."+format, made); err != nil {
			return err
		}
	}
	return nil
}

func (r Release) write(name string, content []byte) error {
	return os.WriteFile(filepath.Join(r.Out, name), content, 0o644)
}

// sum writes the checksums of the files, as sha256sum checks them.
func (r Release) sum() error {
	entries, err := os.ReadDir(r.Out)
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	var sums bytes.Buffer
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(r.Out, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), entry.Name())
	}
	return r.write("SHA256SUMS", sums.Bytes())
}

// output runs a command. Its error has what the command printed.
func output(command *exec.Cmd) error {
	printed, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, printed)
	}
	return nil
}
