package jobs

import (
	"fmt"
	"strings"
)

// mostMinutes is the longest time between two starts of a crontab. Its lines know no time zone, so each job is
// started again and again, and starts its occurrences when they are due.
const mostMinutes = 10

// cronName is the name of the file of Cron below /etc/cron.d.
const cronName = "batch-jobs"

// cronLines returns the lines of a crontab: of the system's, which name the account, or of a user's.
func cronLines(s unitSetup) unitFile {
	var b strings.Builder
	fmt.Fprintf(&b, "SHELL=/bin/sh\nBATCH_STATE=%s\n", s.State)
	for _, job := range s.Jobs {
		account := ""
		if !s.User {
			account = s.Account + " "
		}
		command := fmt.Sprintf("cd %s && set -a && { [ ! -r %s ] || . %s; } && set +a && exec %s",
			shellWord(s.Dir), shellWord(s.EnvFile), shellWord(s.EnvFile), s.runs(shellWord, job))
		fmt.Fprintf(&b, "# %s\n", strings.TrimSpace(fmt.Sprintf("%s: %s %s", job.Name, job.Times, job.Zone)))
		fmt.Fprintf(&b, "*/%d * * * * %s%s\n", job.Times.EveryMinutes(mostMinutes), account, strings.ReplaceAll(command, "%", `\%`))
	}
	return sealed(cronName, b.String())
}

// shellWord quotes a word for sh.
func shellWord(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
