package host

import (
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
)

// running is the file of the running program, on Linux, even after another program replaced it.
const running = "/proc/self/exe"

// Build identifies the code of the running program, whose version is given. Two builds of one version differ in the
// revision, or in the time or the size of the file. It returns "" when it cannot find the file.
func Build(version string) string {
	file, err := os.Stat(running)
	if err != nil {
		path, missing := os.Executable()
		if file, err = os.Stat(path); cmp.Or(missing, err) != nil {
			return ""
		}
	}
	built, _ := debug.ReadBuildInfo()
	return fmt.Sprintf("%s %d %d %v", version, file.Size(), file.ModTime().UnixNano(), built)
}
