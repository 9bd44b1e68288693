package main

import "syscall"

// machineMemory returns the memory of the machine in bytes, 0 when it does not tell.
func machineMemory() int64 {
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}
