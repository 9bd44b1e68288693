//go:build !linux

package main

// machineMemory returns the memory of the machine in bytes; 0 says that it is not known.
func machineMemory() int64 { return 0 }
