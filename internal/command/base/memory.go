package base

import (
	"errors"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/internal/command/config"
)

// MemoryFlags holds the memory limit of a subcommand and the directory for temporary files.
type MemoryFlags struct {
	memory config.Size
	folder string
}

// Add adds the flags.
func (f *MemoryFlags) Add(flags *pflag.FlagSet) {
	flags.Var(&f.memory, "memory", "use at most `N` bytes of memory (default: a quarter of it)")
	flags.StringVar(&f.folder, "tmp", "", "write temporary files to `DIR` (default $TMPDIR)")
}

// The memory that the program itself needs, in bytes.
const (
	program     = 56 << 20 // memory for the program itself
	buffers     = 6 << 20  // memory for the buffers of each processor
	leastMemory = 96 << 20
)

// Check returns an error if the memory limit is too small.
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

// Processors returns the number of processors to use. Each processor needs memory for buffers.
// With a low memory limit, the result may therefore be smaller than the number of processors in
// the machine.
func (f *MemoryFlags) Processors() int {
	return min(runtime.GOMAXPROCS(0), int(f.limit()/(4*buffers)))
}

// Room returns the memory in bytes that the subcommand may use for its data.
func (f *MemoryFlags) Room() int64 {
	return f.limit() - program - buffers*int64(f.Processors())
}

// Folder returns the directory for temporary files, or "" for the default directory of the system.
func (f *MemoryFlags) Folder() string { return f.folder }
