package host

import (
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
)

// running is the program that runs, on Linux, also after another one was put in its place.
const running = "/proc/self/exe"

// Build identifies the code of the program, of which this is the version: two builds of one version differ in the
// revision, or else in the time or the size of the file. It returns "" when the file cannot be found.
func Build(version string) string {
	file, err := os.Stat(running)
	if err != nil {
		path, unknown := os.Executable()
		if file, err = os.Stat(path); cmp.Or(unknown, err) != nil {
			return ""
		}
	}
	built, _ := debug.ReadBuildInfo()
	return fmt.Sprintf("%s %d %d %v", version, file.Size(), file.ModTime().UnixNano(), built)
}
