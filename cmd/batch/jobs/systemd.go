package jobs

import (
	"fmt"
	"slices"
	"strings"
)

// stopSeconds is how long a run may take to drain: lookups in flight end, the account settles, the output is written.
const stopSeconds = 300

// goesOnMinutes is the time between two starts of what waits, was interrupted or was missed.
const goesOnMinutes = 10

// unitName returns the name of the units of a job without its ending.
func unitName(job UnitJob) string { return "batch-" + job.Name }

// systemdUnits returns a service and a timer for each job.
//
// The timer starts the service when the job is due, and every ten minutes for what waits for the end of a limit, was
// interrupted or was missed. A start with nothing to do ends at once and does not own the journal. So the timer
// needs no state of its own, and a wrong start does no harm.
func systemdUnits(s unitSetup) (files []unitFile) {
	for _, job := range s.Jobs {
		files = append(files, sealed(unitName(job)+".service", s.service(job)), sealed(unitName(job)+".timer", s.timer(job)))
	}
	return files
}

func (s unitSetup) service(job UnitJob) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("[Unit]")
	line("Description=Job %s of batch", job.Name)
	if !s.User {
		line("Wants=network-online.target")
		line("After=network-online.target")
	}
	line("")
	line("[Service]")
	line("Type=notify")
	line("ExecStart=%s jobs run %s --quiet --file %s", systemdWord(s.Program), job.Name, systemdWord(s.File))
	line("WorkingDirectory=%s", systemdPath(s.Dir))
	line("Environment=%s", systemdWord("BATCH_STATE="+s.State))
	line("# The keys of the services: a file that only its owner can read, with lines such as SERVICE_API_KEY=…")
	line("EnvironmentFile=-%s", systemdPath(s.EnvFile))
	if !s.User {
		line("User=%s", s.Account)
	}
	line("UMask=0077")
	line("# SIGTERM drains: lookups in flight end, and the output is written. 6 says that the next start goes on.")
	line("TimeoutStopSec=%d", stopSeconds)
	line("SuccessExitStatus=6")
	line("")
	line("NoNewPrivileges=yes")
	line("LockPersonality=yes")
	line("MemoryDenyWriteExecute=yes")
	line("RestrictRealtime=yes")
	line("RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX")
	line("SystemCallArchitectures=native")
	line("SystemCallFilter=@system-service")
	if s.User {
		return b.String()
	}
	line("CapabilityBoundingSet=")
	line("PrivateDevices=yes")
	line("PrivateTmp=yes")
	line("ProtectClock=yes")
	line("ProtectControlGroups=yes")
	line("ProtectHome=read-only")
	line("ProtectHostname=yes")
	line("ProtectKernelLogs=yes")
	line("ProtectKernelModules=yes")
	line("ProtectKernelTunables=yes")
	line("ProtectProc=invisible")
	line("ProtectSystem=strict")
	line("RestrictNamespaces=yes")
	line("RestrictSUIDSGID=yes")
	writable := append([]string{s.State}, job.Write...)
	slices.Sort(writable)
	for _, dir := range slices.Compact(writable) {
		line("ReadWritePaths=%s", systemdWord(dir))
	}
	return b.String()
}

func (s unitSetup) timer(job UnitJob) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Unit]\nDescription=Timer of the job %s of batch\n\n[Timer]\n", job.Name)
	for _, event := range job.Times.Calendar() {
		if job.Zone != "" {
			event += " " + job.Zone
		}
		fmt.Fprintf(&b, "OnCalendar=%s\n", event)
	}
	fmt.Fprintf(&b, "# What waits for the end of a limit, was interrupted or was missed goes on. Otherwise the start does nothing.\n")
	fmt.Fprintf(&b, "OnCalendar=*:0/%d\n", goesOnMinutes)
	fmt.Fprintf(&b, "Persistent=true\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n")
	return b.String()
}

// systemdPath escapes a path of a unit.
func systemdPath(path string) string { return strings.ReplaceAll(path, "%", "%%") }

// systemdWord quotes a word of a unit.
func systemdWord(word string) string {
	word = strings.NewReplacer("%", "%%", "$", "$$", `\`, `\\`, `"`, `\"`).Replace(word)
	if strings.ContainsAny(word, " \t'") {
		return `"` + word + `"`
	}
	return word
}
