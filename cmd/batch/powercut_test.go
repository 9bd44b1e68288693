package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"payonce/io/service/v1"
)

var powerCuts = flag.Int("cuts", 3, "how often TestPowerCuts cuts the power")

// TestPowerCuts runs the program with its list, its output and its journal on a disk whose power is
// cut again and again, at moments that a seed chooses. What the disk has at that moment is all that
// is left: the run continues with a copy of it. Between the cuts the journal is checked. At the end
// the ledger of the service is compared with the journal and with the output, as in TestFire.
func TestPowerCuts(t *testing.T) {
	skipIfShort(t)
	t.Parallel()
	d := newDisk(t)
	c := newCampaign(t, d.dir, v1.REST, *fireSeed)
	c.kill = func(run *process) {
		run.Process.Signal(syscall.SIGSTOP) // a machine without power does nothing more
		d.cut()
		run.Process.Kill()
	}
	for c.killed() < *powerCuts {
		d.sync() // the list was written by the test
		code := c.strike()
		if code == -1 {
			d.goOnWithCopy()
		} else {
			c.cutAfterEnd(d)
		}
		c.checkAfterStrike()
		c.change(code)
	}
	c.end()
}

// cutAfterEnd cuts the power when the program has ended by itself: its output is on the disk.
func (c *campaign) cutAfterEnd(d *disk) {
	c.t.Helper()
	before, err := os.ReadFile(c.output())
	if err != nil {
		c.t.Fatal(err)
	}
	d.cut()
	d.goOnWithCopy()
	after, err := os.ReadFile(c.output())
	if err != nil || !bytes.Equal(before, after) {
		c.t.Errorf("the output had %d bytes and has %d after the power was cut: %v", len(before), len(after), err)
	}
}

// disk is a file system in an image, which is mounted at dir.
type disk struct {
	t      *testing.T
	dir    string
	folder string // of the images
	copies int    // that were made
}

// imageSize is the size of a disk, of which few blocks are ever written.
const imageSize = 512 << 20

// newDisk mounts a new disk. It skips the test where that cannot be done.
func newDisk(t *testing.T) *disk {
	t.Helper()
	d := &disk{t: t, folder: t.TempDir()}
	d.dir = filepath.Join(d.folder, "disk")
	if os.Geteuid() != 0 {
		t.Skip("only root can mount the image of a disk")
	}
	for _, tool := range []string{"mkfs.ext4", "mount", "umount", "cp", "sync"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here, which mounts the image of a disk", tool)
		}
	}
	err := os.Mkdir(d.dir, 0o700)
	if err == nil {
		err = os.WriteFile(d.image(), nil, 0o600)
	}
	if err == nil {
		err = os.Truncate(d.image(), imageSize)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"mkfs.ext4", "-q", "-F", d.image()}, {"mount", "-o", "loop", d.image(), d.dir}} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Skipf("the image of a disk cannot be mounted here: %s: %v\n%s", command[0], err, out)
		}
	}
	t.Cleanup(func() { exec.Command("umount", d.dir).Run() })
	if err := d.shutDown(); err != nil {
		t.Skipf("this system does not shut a file system down: %v", err)
	}
	d.goOnWithCopy()
	return d
}

// image returns the path of the disk's image.
func (d *disk) image() string { return filepath.Join(d.folder, fmt.Sprintf("disk%d.img", d.copies)) }

// run runs a command, which has to succeed.
func (d *disk) run(command ...string) {
	d.t.Helper()
	if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		d.t.Fatalf("%q: %v\n%s", command, err, out)
	}
}

// sync writes everything to the disk.
func (d *disk) sync() { d.run("sync", "-f", d.dir) }

// cut cuts the power: what is not on the disk yet never comes there.
func (d *disk) cut() {
	d.t.Helper()
	if err := d.shutDown(); err != nil {
		d.t.Error(err)
	}
}

// shutDown makes the file system drop what it has not written and refuse everything, at once and
// without writing its own log out, as Linux offers it to tests of file systems.
func (d *disk) shutDown() error {
	const (
		goingDown  = 0x8004587d // FS_IOC_GOINGDOWN, _IOR('X', 125, __u32)
		noLogFlush = 2
	)
	root, err := os.Open(d.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	how := uint32(noLogFlush)
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, root.Fd(), goingDown, uintptr(unsafe.Pointer(&how)))
	if errno != 0 {
		return fmt.Errorf("shutting a file system down: %w", errno)
	}
	return nil
}

// goOnWithCopy mounts a copy of the disk as it is after its power was cut.
func (d *disk) goOnWithCopy() {
	d.t.Helper()
	d.run("umount", d.dir)
	before := d.image()
	d.copies++
	d.run("cp", "--sparse=always", before, d.image())
	d.run("mount", "-o", "loop", d.image(), d.dir)
	if err := os.Remove(before); err != nil {
		d.t.Fatal(err)
	}
}
