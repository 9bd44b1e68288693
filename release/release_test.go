package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// copySource copies the files that git knows, with other times than those of the checkout.
func copySource(t *testing.T, to string) {
	t.Helper()
	listed, err := exec.Command("git", "-C", "..", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(strings.TrimRight(string(listed), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join("..", name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(to, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// build builds the release for this machine's processor from a copy of the source, and returns its files.
func build(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	source, out := filepath.Join(t.TempDir(), folder), filepath.Join(t.TempDir(), "out")
	copySource(t, source)
	r := Release{
		Source: source, Out: out, Version: "1.2.3", Targets: []Target{{"linux", runtime.GOARCH}},
		Time: time.Unix(1_700_000_000, 0).UTC(),
	}
	if err := r.Make(context.Background()); err != nil {
		t.Fatal(err)
	}
	made := map[string][]byte{}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if made[entry.Name()], err = os.ReadFile(filepath.Join(out, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return made
}

// TestMakeCompilesWithTheFlagsOfTheRelease asks make what it sets for "go build".
func TestMakeCompilesWithTheFlagsOfTheRelease(t *testing.T) {
	t.Parallel()
	ask := exec.Command("make", "-s", "-C", "..", "-f", "Makefile", "-f", "-", "printed")
	ask.Stdin = strings.NewReader("printed:\n\t@echo CGO_ENABLED=$$CGO_ENABLED $$GOFLAGS\n")
	ask.Env = append(os.Environ(), "GOFLAGS=", "MAKEFLAGS=")
	printed, err := ask.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	set, profile, _ := strings.Cut(string(printed), " '-pgo=") // the path may have blanks
	if !strings.HasSuffix(profile, "/cmd/batch/default.pgo'\n") {
		t.Errorf("the Makefile names the profile %s", profile)
	}
	if diff := cmp.Diff(append([]string{"CGO_ENABLED=0"}, flags...), strings.Fields(set)); diff != "" {
		t.Errorf("the Makefile sets other flags (-release +Makefile): %s", diff)
	}
}

// TestReleaseIsReproducible builds twice, in folders of different names, and looks into what was built.
func TestReleaseIsReproducible(t *testing.T) {
	first := build(t, "first")
	second := build(t, "the second one")
	names := func(made map[string][]byte) (names []string) {
		for name := range made {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	stem := "batch_1.2.3_linux_" + runtime.GOARCH
	want := []string{"SHA256SUMS", stem + ".cdx.json", stem + ".deb", stem + ".rpm", stem + ".tar.gz"}
	if diff := cmp.Diff(want, names(first)); diff != "" {
		t.Error("files:", diff)
	}
	for name, content := range first {
		if !bytes.Equal(content, second[name]) {
			t.Errorf("%s: %d and %d bytes, which are not the same", name, len(content), len(second[name]))
		}
	}
	t.Run("archive", func(t *testing.T) { checkArchive(t, first[stem+".tar.gz"], stem) })
	t.Run("package", func(t *testing.T) { checkPackage(t, first[stem+".deb"]) })
	t.Run("names in the rpm", func(t *testing.T) { checkNames(t, first[stem+".rpm"]) })
	t.Run("sums", func(t *testing.T) { checkSums(t, first) })
}

// checkArchive runs the program of the archive, and compares its modules with the list of them.
func checkArchive(t *testing.T, archive []byte, stem string) {
	compressed, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files, built := tar.NewReader(compressed), filepath.Join(t.TempDir(), "batch")
	found := map[string]bool{}
	for {
		header, err := files.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		name, inside := strings.CutPrefix(header.Name, stem+"/")
		if !inside || header.Uid != 0 || header.Uname != "" || header.ModTime.Unix() != 1_700_000_000 {
			t.Errorf("the archive has %s of %q from %s", header.Name, header.Uname, header.ModTime)
		}
		found[name] = true
		if name == program {
			content, err := io.ReadAll(files)
			if err != nil || os.WriteFile(built, content, 0o755) != nil {
				t.Fatal("the program cannot be unpacked", err)
			}
		}
	}
	for _, name := range []string{"batch", "README.md", "man/batch.1", "man/batch-run.1", "completions/batch.zsh"} {
		if !found[name] {
			t.Errorf("the archive has no %s", name)
		}
	}
	checkVersion(t, built)
	modules, err := modulesOf(built, "1.2.3", time.Unix(1_700_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(built)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Components []struct {
			PackageURL string `json:"purl"`
		}
	}
	if err := json.Unmarshal(modules, &list); err != nil || len(list.Components) != len(info.Deps)+1 || len(info.Deps) < 10 {
		t.Errorf("the list names %d modules and Go, the program has %d (%v)", len(list.Components)-1, len(info.Deps), err)
	}
}

func checkVersion(t *testing.T, built string) {
	printed, err := exec.Command(built, "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(printed), "batch 1.2.3 go") {
		t.Errorf("the program prints %q (%v)", printed, err)
	}
}

// checkPackage unpacks the Debian package and runs its program.
func checkPackage(t *testing.T, made []byte) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	path, root := filepath.Join(t.TempDir(), "payonce.deb"), t.TempDir()
	if err := os.WriteFile(path, made, 0o600); err != nil {
		t.Fatal(err)
	}
	if printed, err := exec.Command("dpkg-deb", "-x", path, root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	checkVersion(t, filepath.Join(root, "usr/bin/batch"))
	for _, name := range []string{
		"usr/share/man/man1/batch-plan.1", "usr/share/bash-completion/completions/batch",
		"usr/share/zsh/vendor-completions/_batch", "usr/share/fish/vendor_completions.d/batch.fish", "usr/share/doc/payonce/README.md",
		"usr/lib/systemd/system/payonce-job@.service", "usr/lib/systemd/system/payonce-job@.timer", "usr/lib/sysusers.d/payonce.conf",
	} {
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Size() == 0 {
			t.Errorf("the package has no %s: %v", name, err)
		}
	}
}

// checkNames looks for the names of files in the header of the other package, which is not compressed.
func checkNames(t *testing.T, made []byte) {
	for _, name := range []string{"batch", "batch-plan.1", "_batch", "payonce-job@.service", "payonce-job@.timer", "payonce.conf"} {
		if !bytes.Contains(made, []byte("\x00"+name+"\x00")) {
			t.Errorf("the package has no %s", name)
		}
	}
}

// TestSystemdAcceptsTheUnitsOfThePackage lets systemd-analyze read a job's units. It looks for the program and the
// user too, which only an installed package has.
func TestSystemdAcceptsTheUnitsOfThePackage(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	dir := t.TempDir()
	var paths []string
	for _, kind := range []string{"service", "timer"} {
		text, err := os.ReadFile(filepath.Join("units", "payonce-job@."+kind))
		if err != nil {
			t.Fatal(err)
		}
		there := strings.NewReplacer("/usr/bin/batch", "/bin/true", "User=payonce", "User=root", "Documentation=man:batch-jobs-run(1)\n", "").Replace(string(text))
		path := filepath.Join(dir, "payonce-job@nightly-list."+kind)
		if err := os.WriteFile(path, []byte(there), 0o644); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	command := exec.Command(analyze, append([]string{"verify", "--system", "--man=no", "--recursive-errors=no"}, paths...)...)
	command.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir, "SYSTEMD_LOG_LEVEL=warning")
	printed, err := command.CombinedOutput()
	if err != nil || strings.Contains(string(printed), "Unknown") || strings.Contains(string(printed), "ignoring") {
		t.Errorf("%v\n%s", err, printed)
	}
}

// checkSums lets sha256sum check the files.
func checkSums(t *testing.T, made map[string][]byte) {
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skip("sha256sum is not installed")
	}
	dir := t.TempDir()
	for name, content := range made {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	check.Dir = dir
	if printed, err := check.CombinedOutput(); err != nil || strings.Count(string(printed), ": OK") != len(made)-1 {
		t.Errorf("%v: %s", err, printed)
	}
}

// TestReleaseReportsMissingOptions gives the command too little.
func TestReleaseReportsMissingOptions(t *testing.T) {
	for want, args := range map[string][]string{
		"-version is missing": {}, `"linux" is not a system and a processor`: {"-version", "1.2.3", "-targets", "linux"},
	} {
		if err := run(context.Background(), args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if _, err := sourceTime(context.Background(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Error(err)
	}
}
