// This file words the commands that a report on a run gives as its next step.

package main

import (
	"strings"

	"payonce/checkpoint"
	"payonce/pipeline/report"
)

// OfReport words what to do next about a report on runs.
func (h hintFlags) OfReport(code string, values ...any) string {
	switch code {
	case "reconcile_command":
		return h.within("batch reconcile")
	case "again_command":
		start, _ := values[1].(*checkpoint.Start)
		return h.again(values[0].(report.ReportedRun), start)
	}
	return h.For(code, values...)
}

// again returns the command that started a run, for any directory; "" when what is recorded of it is not the whole
// command. A job's start is not: its flags are in the jobs file.
func (h hintFlags) again(run report.ReportedRun, start *checkpoint.Start) string {
	if start == nil || strings.Contains(start.Command, hidden) || !hasFlag(start.Command, "max-spend", "max-units", "plan", "config") {
		return ""
	}
	command := start.Command
	for _, flag := range strings.Split(string(h), " --") {
		name, _, _ := strings.Cut(flag, " ")
		if name != "" && !hasFlag(command, name) {
			command += " --" + flag
		}
	}
	if dir := startedIn(command, run.List, run.Output); dir != "" {
		command = "cd " + report.ShellWord(dir) + " && " + command
	}
	return command
}

// hasFlag reports whether a command line has one of the flags.
func hasFlag(command string, names ...string) bool {
	for _, name := range names {
		if strings.Contains(command+" ", " --"+name+"=") || strings.Contains(command+" ", " --"+name+" ") {
			return true
		}
	}
	return false
}

// startedIn returns the directory in which a command was started: the one from which its words lead to one of the
// files. It is "" when they name the files by themselves.
func startedIn(command string, files ...string) string {
	words := map[string]bool{}
	for _, word := range report.ShellWords(command) {
		_, value, isFlag := strings.Cut(word, "=")
		if isFlag {
			word = value
		}
		words[strings.TrimPrefix(word, "./")] = true
	}
	for _, file := range files {
		for at := len(file) - 1; at > 0; at-- {
			if file[at] == '/' && words[file[at+1:]] {
				return file[:at]
			}
		}
	}
	return ""
}
