package base

import (
	"errors"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/internal/command/config"
)

// MemoryFlags say how much memory a subcommand may use for what it has to keep, and where
// the rest goes.
type MemoryFlags struct {
	memory config.Size
	folder string
}

// Add adds the flags.
func (f *MemoryFlags) Add(flags *pflag.FlagSet) {
	flags.Var(&f.memory, "memory", "use at most `N` bytes of memory (default: a quarter of it)")
	flags.StringVar(&f.folder, "tmp", "", "write temporary files to `DIR` (default $TMPDIR)")
}

// What the program needs of its memory in octets.
const (
	program     = 56 << 20 // itself
	buffers     = 6 << 20  // for each processor
	leastMemory = 96 << 20
)

// Check returns an error for too little memory.
func (f *MemoryFlags) Check() error {
	if f.memory != 0 && f.memory < leastMemory {
		return errors.New("--memory " + f.memory.String() + " is too small: the minimum is 96M")
	}
	return nil
}

func (f *MemoryFlags) limit() int64 {
	if f.memory != 0 {
		return int64(f.memory)
	}
	return max(bulk.MachineMemory()/4, leastMemory)
}

// Processors returns the number of processors to use: with little memory not all, because
// each has buffers.
func (f *MemoryFlags) Processors() int {
	return min(runtime.GOMAXPROCS(0), int(f.limit()/(4*buffers)))
}

// Room returns the memory in octets for what a subcommand has to keep.
func (f *MemoryFlags) Room() int64 {
	return f.limit() - program - buffers*int64(f.Processors())
}

// Folder returns the folder for temporary files; empty: that of the system.
func (f *MemoryFlags) Folder() string { return f.folder }
