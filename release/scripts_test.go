package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// machine is a small system in a folder, in which scripts of packages run. Its systemctl writes down how it was
// started. The real one changes files, and does not get what needs a running systemd.
type machine struct {
	t    *testing.T
	root string
}

const recordingSystemctl = `#!/bin/sh
echo "$*" >>/calls
case "$1" in
--root=*) exec /usr/bin/systemctl.real "$@" ;;
esac
`

func newMachine(t *testing.T) machine {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can change the root folder of a process")
	}
	m := machine{t, t.TempDir()}
	for _, name := range []string{"etc/systemd/system", "run/systemd/system", "usr/bin", "var/lib/dpkg", "dev", "tmp"} {
		m.check(os.MkdirAll(filepath.Join(m.root, name), 0o755))
	}
	for _, name := range []string{"var/lib/dpkg/status", "dev/null"} {
		m.check(os.WriteFile(filepath.Join(m.root, name), nil, 0o644))
	}
	m.program("sh", "/bin/sh")
	m.program("systemctl", "/usr/bin/systemctl.real")
	m.check(os.WriteFile(filepath.Join(m.root, "usr/bin/systemctl"), []byte(recordingSystemctl), 0o755))
	return m
}

func (m machine) check(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// program copies a program of this machine, with the libraries that it loads.
func (m machine) program(name, to string) {
	m.t.Helper()
	from, err := exec.LookPath(name)
	if err != nil {
		m.t.Skipf("%s is not installed", name)
	}
	libraries, err := exec.Command("ldd", from).Output()
	if err != nil {
		m.t.Skipf("ldd cannot name the libraries of %s: %v", from, err)
	}
	m.copy(from, to)
	for _, word := range strings.Fields(string(libraries)) {
		if filepath.IsAbs(word) {
			m.copy(word, word)
		}
	}
}

func (m machine) copy(from, to string) {
	m.t.Helper()
	content, err := os.ReadFile(from)
	path := filepath.Join(m.root, to)
	m.check(errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o755)))
}

// calls returns how systemctl was started since the last call of calls.
func (m machine) calls() []string {
	path := filepath.Join(m.root, "calls")
	text, _ := os.ReadFile(path) // it is not there when nothing was started
	_ = os.Remove(path)
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// dpkg runs dpkg, which runs the scripts in the root of the machine.
func (m machine) dpkg(args ...string) {
	m.t.Helper()
	command := exec.Command("dpkg", append([]string{"--root=" + m.root, "--force-depends"}, args...)...)
	if printed, err := command.CombinedOutput(); err != nil {
		m.t.Fatalf("%q: %v\n%s", args, err, printed)
	}
}

// enable enables the timers of two jobs, as an administrator does.
func (m machine) enable() {
	m.t.Helper()
	m.check(exec.Command(
		"chroot", m.root, "/usr/bin/systemctl.real", "--root=/", "enable", "payonce-job@nightly.timer", "payonce-job@second-list.timer",
	).Run())
}

// enabled returns how many timers systemd starts.
func (m machine) enabled() int {
	links, err := filepath.Glob(filepath.Join(m.root, "etc/systemd/system/timers.target.wants/payonce-job@*.timer"))
	m.check(err)
	return len(links)
}

// packaged returns a package of a version with the units, and with a program of a few bytes.
func packaged(t *testing.T, format, version string) string {
	t.Helper()
	r := Release{Source: "..", Version: version, Time: time.Unix(1_700_000_000, 0).UTC()}
	archived, err := r.units([]File{{program, 0o755, []byte("#!/bin/sh\n")}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := r.packageOf(format, Target{"linux", runtime.GOARCH}, archived)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "payonce."+format)
	if err := os.WriteFile(path, made, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What systemctl is asked to do when the package goes: the timers stop before the runs that they start.
var removal = []string{
	"stop payonce-job@*.timer", "stop payonce-job@*.service", "--root=/ disable payonce-job@.timer",
}

func TestRemovingTheDebianPackageStopsItsTimersAndAnUpgradeDoesNot(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("dpkg is not installed")
	}
	m := newMachine(t)
	journal := filepath.Join(m.root, "var/lib/payonce/journals/journal")
	m.dpkg("--install", packaged(t, "deb", "1.2.3"))
	m.check(errors.Join(os.MkdirAll(filepath.Dir(journal), 0o700), os.WriteFile(journal, []byte("paid"), 0o600)))
	m.enable()
	if diff := cmp.Diff([]string{"daemon-reload"}, m.calls()); diff != "" {
		t.Errorf("the installation (-want +got):\n%s", diff)
	}

	m.dpkg("--install", packaged(t, "deb", "1.2.4"))
	if m.enabled() != 2 {
		t.Errorf("after an upgrade %d timers are enabled, want 2", m.enabled())
	}
	if diff := cmp.Diff([]string{"daemon-reload", "daemon-reload"}, m.calls()); diff != "" {
		t.Errorf("the upgrade (-want +got):\n%s", diff)
	}

	m.dpkg("--remove", "payonce")
	if m.enabled() != 0 {
		t.Errorf("after a removal %d timers are enabled", m.enabled())
	}
	if diff := cmp.Diff(append(removal, "daemon-reload"), m.calls()); diff != "" {
		t.Errorf("the removal (-want +got):\n%s", diff)
	}
	m.dpkg("--purge", "payonce")
	if text, err := os.ReadFile(journal); string(text) != "paid" {
		t.Errorf("the removal touched the journal: %v", err)
	}
}

// TestTheScriptBeforeARemovalReadsTheArgumentsOfBothSystems runs the script as rpm does, which gives how many
// versions are left, and as dpkg does.
func TestTheScriptBeforeARemovalReadsTheArgumentsOfBothSystems(t *testing.T) {
	made, err := os.ReadFile(packaged(t, "rpm", "1.2.3"))
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{"before": preRemove, "after": postRemove, "installed": postInstall} {
		if !bytes.Contains(made, []byte(strings.TrimSpace(script))) {
			t.Errorf("the rpm package does not have the script %q", name)
		}
	}
	m := newMachine(t)
	for _, unit := range []string{"payonce-job@.service", "payonce-job@.timer"} {
		m.copy(filepath.Join("units", unit), "/usr/lib/systemd/system/"+unit)
	}
	for _, c := range []struct {
		argument string
		removes  bool
	}{{"1", false}, {"upgrade", false}, {"failed-upgrade", false}, {"0", true}, {"remove", true}} {
		m.enable()
		command := exec.Command("chroot", m.root, "/bin/sh", "-s", c.argument)
		command.Stdin = strings.NewReader(preRemove)
		if printed, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", c.argument, err, printed)
		}
		var want []string
		if c.removes {
			want = removal
		}
		if diff := cmp.Diff(want, m.calls()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.argument, diff)
		}
		if left := m.enabled(); left == 0 != c.removes {
			t.Errorf("%s: %d timers are enabled", c.argument, left)
		}
	}
}

// TestThePackageCanBeRemovedWithoutSystemd removes the package from a root that nothing was started in, and from one
// without systemctl.
func TestThePackageCanBeRemovedWithoutSystemd(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("dpkg is not installed")
	}
	m := newMachine(t)
	m.check(os.Remove(filepath.Join(m.root, "run/systemd/system")))
	m.dpkg("--install", packaged(t, "deb", "1.2.3"))
	m.enable()
	m.dpkg("--remove", "payonce")
	if diff := cmp.Diff(removal[2:], m.calls()); diff != "" || m.enabled() != 0 {
		t.Errorf("%d timers are enabled; (-want +got):\n%s", m.enabled(), diff)
	}
	m.check(os.Remove(filepath.Join(m.root, "usr/bin/systemctl")))
	m.dpkg("--install", packaged(t, "deb", "1.2.3"))
	m.dpkg("--remove", "payonce")
}
