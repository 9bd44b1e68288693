package main

import (
	"context"
	"syscall"
)

// executed runs a command line in this process and returns its exit code. A process that
// another test is starting right then has the journal's files open until it begins, and
// their locks with them: so it waits for that, for the next command to find them free.
func executed(ctx context.Context, env environment, args []string) int {
	code := execute(ctx, env, args)
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return code
}
