package bench

import (
	"cmp"
	"fmt"
	"log"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Main runs a benchmark program, which is the function f. It reports an error from [Must] or
// [Check] after the deferred functions of f have run.
func Main(name string, f func()) {
	log.SetFlags(0)
	log.SetPrefix(name + ": ")
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case failure:
			log.Fatal(failed.error)
		default:
			panic(failed)
		}
	}()
	f()
}

// failure is the value with which Check panics.
type failure struct{ error }

// Check ends the program if err is not nil.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Must returns v. If err is not nil, Must ends the program.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// BuildCommand builds the command locus and writes it to a file. The current directory must be the
// root of this module.
func BuildCommand(name string) {
	out, err := exec.Command("go", "build", "-C", "..", "-o", name, "./cmd/locus").CombinedOutput()
	if err != nil {
		Check(fmt.Errorf("%w: %s", err, out))
	}
}

// Machine describes Go and the processor.
func Machine() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	processor := "unknown processor"
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			processor = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%s %s/%s, %d processors (%s)", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor)
}

// Process holds the resource usage of one run of a program.
type Process struct {
	Wall, CPU time.Duration
	Memory    int64 // peak memory in bytes; 0 if unknown
}

// Run runs a program and measures it.
func Run(cmd *exec.Cmd) (p Process, err error) {
	begin := time.Now()
	err = cmd.Run()
	p.Wall = time.Since(begin)
	if state := cmd.ProcessState; state != nil {
		p.CPU, p.Memory = state.UserTime()+state.SystemTime(), peakMemory(state)
	}
	return p, err
}

// Medians returns the median of each time and the maximum of the memory.
func Medians(list []Process) (p Process) {
	var wall, cpu []time.Duration
	for _, one := range list {
		wall, cpu, p.Memory = append(wall, one.Wall), append(cpu, one.CPU), max(p.Memory, one.Memory)
	}
	p.Wall, p.CPU = Median(wall), Median(cpu)
	return p
}

// Median returns the median of a list. The list must not be empty.
func Median[T cmp.Ordered](list []T) T {
	return slices.Sorted(slices.Values(list))[len(list)/2]
}
