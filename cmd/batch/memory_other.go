//go:build !linux

package main

// MachineMemory returns the memory of the machine in bytes; 0 says that it is not known.
func MachineMemory() int64 { return 0 }
