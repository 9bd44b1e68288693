package jobs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// ErrRunning says that another process runs the job.
var ErrRunning = errors.New("the job is running already")

// lockPause is the time between two attempts to lock a job.
const lockPause = 200 * time.Millisecond

// touch tells the schedulers of this machine that somebody changed the state of a job: see stampOf. The file is the one of
// the lock, which has no content otherwise.
func touch(dir, job string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil { // on a machine that has not started the job
		return err
	}
	file, err := os.OpenFile(lockPath(dir, job), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(".")
	return errors.Join(err, file.Close())
}

// stampOf returns a number that is another one after touch.
func stampOf(dir, job string) int64 {
	info, err := os.Stat(lockPath(dir, job))
	if err != nil {
		return 0 // nothing was changed yet, or it is noticed later
	}
	return info.Size()
}

func lockPath(dir, job string) string { return filepath.Join(dir, "JOB-"+job) }

// lock locks a job until the function that it returns is called or the process ends, however it ends. It waits
// for another process up to a time, and then returns ErrRunning.
func lock(ctx context.Context, dir, job string, patience time.Duration) (release func() error, err error) {
	file, err := os.OpenFile(lockPath(dir, job), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticks := time.NewTicker(lockPause)
	defer ticks.Stop()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file.Close, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(err, file.Close())
		}
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				return nil, errors.Join(ErrRunning, file.Close())
			}
			return nil, errors.Join(ctx.Err(), file.Close())
		case <-ticks.C:
		}
	}
}
