package scan

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls work for the numbers from 0 to n-1 on all cores. It returns the error of the
// lowest number that has one. It may skip the numbers above that.
func parallel(n int, work func(int) error) error {
	var next, failed atomic.Int64
	failed.Store(int64(n))
	errs := make([]error, n)
	var running sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		running.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= failed.Load() {
					return
				}
				if errs[i] = work(int(i)); errs[i] != nil {
					lower(&failed, i)
				}
			}
		})
	}
	running.Wait()
	if i := failed.Load(); i < int64(n) {
		return errs[i]
	}
	return nil
}

// lower makes value a number that is less than what it holds.
func lower(value *atomic.Int64, to int64) {
	for {
		now := value.Load()
		if now <= to || value.CompareAndSwap(now, to) {
			return
		}
	}
}
