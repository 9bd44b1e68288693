package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"syscall"
	"time"
)

// quietEnvironment has these variables and an empty standard input. Nobody can be asked, and
// what is printed is lost. Tests change what they need otherwise.
func quietEnvironment(vars map[string]string) environment {
	return environment{
		stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, now: time.Now,
		getenv: func(name string) string { return vars[name] },
	}
}

// executeIn runs the program in this process and returns what it printed.
func executeIn(ctx context.Context, env environment, args ...string) (stdout, stderr string, code int) {
	var out, messages bytes.Buffer
	env.stdout, env.stderr = &out, &messages
	code = executed(ctx, env, args)
	return out.String(), messages.String(), code
}

// executed runs a command line in this process and returns its exit code. A process that
// another test is starting right then has the journal's files open until it begins, and
// their locks with them: so it waits for that, for the next command to find them free.
func executed(ctx context.Context, env environment, args []string) int {
	code := execute(ctx, env, args)
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return code
}
