// Command bulk measures programs that remove repeated URLs from a generated list, in interleaved
// rounds. It prints the time and the memory of each program. If a program is missing, its columns
// contain "-".
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/locus-url/locus/bench"
)

func main() { bench.Main("bulk", run) }

func run() {
	rounds := flag.Int("rounds", 3, "number of rounds")
	n := flag.Int("lines", 15_000_000, "number of lines")
	others := flag.Int("others", 10, "percentage of lines that are not in canonical form")
	write := flag.Bool("list", false, "only write the list, to standard output")
	dir := flag.String("dir", "", "store the list in `DIR`, or reuse the list there")
	only := flag.String("only", "", "measure only programs whose names end in one of `TEXTS` (comma-separated)")
	memory := flag.String("memory", "512M", "memory limit of the row that may spill to disk")
	flag.Parse()
	if *write {
		writeList(os.Stdout, *n, *others)
		return
	}
	if *dir == "" {
		*dir = bench.Must(os.MkdirTemp("", "locus-bulk-"))
		defer os.RemoveAll(*dir)
	}
	list := filepath.Join(bench.Must(filepath.Abs(*dir)), fmt.Sprintf("urls-%d-%d.txt", *n, *others))
	if _, err := os.Stat(list); err != nil {
		f := bench.Must(os.Create(list))
		writeList(f, *n, *others)
		bench.Check(f.Close())
	}
	locus := filepath.Join(filepath.Dir(list), "locus-command")
	bench.BuildCommand(locus)
	programs := programs(locus, *memory, *only)
	for range *rounds {
		for i := range programs {
			programs[i].run(list)
		}
	}
	show(programs, *rounds, list)
}

// program is a program that reads the list from standard input.
type program struct {
	name string
	args []string
	took []bench.Process
}

// programs returns the programs whose names end in one of the texts in only.
func programs(locus, memory, only string) (list []program) {
	of := func(args string) program {
		return program{name: "locus " + args, args: append(strings.Fields(locus+" "+args), "-")}
	}
	for _, p := range []program{
		{name: "sort -u", args: []string{"sort", "-u", "-S", "4G", "--parallel=2"}},
		{name: "mawk '!s[$0]++'", args: []string{"mawk", "!s[$0]++"}},
		of("canonical --unique"), of("canonical --unique --unordered"), of("canonical --unique --memory " + memory),
		of("canonical --unique --sort"), of("canonical --count"), of("canonical --by host"),
		of("canonical"), of("check --by rule"),
	} {
		for text := range strings.SplitSeq(only, ",") {
			if strings.HasSuffix(p.name, text) {
				list = append(list, p)
				break
			}
		}
	}
	return list
}

// run measures the program once, and discards its output.
func (p *program) run(list string) {
	cmd := exec.Command(p.args[0], p.args[1:]...)
	if cmd.Err != nil {
		return
	}
	in := bench.Must(os.Open(list))
	defer in.Close()
	dir := filepath.Dir(list)
	cmd.Stdin, cmd.Stderr = in, os.Stderr
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TMPDIR="+dir, "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	took, err := bench.Run(cmd)
	// Accept status 1, because the list contains URLs that do not conform to the standard.
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
		bench.Check(err)
	}
	p.took = append(p.took, took)
}

func show(programs []program, rounds int, list string) {
	size := float64(bench.Must(os.Stat(list)).Size())
	fmt.Printf("%s, medians of %d interleaved rounds, %.0f MB.\n\n", bench.Machine(), rounds, size/1e6)
	fmt.Print("| program | wall | processor | MB/s | memory | times as fast as sort -u |\n|---|---|---|---|---|---|\n")
	var sort time.Duration
	for _, p := range programs {
		if p.took == nil {
			fmt.Printf("| `%s` | - | - | - | - | - |\n", p.name)
			continue
		}
		m := bench.Medians(p.took)
		ratio := "-"
		switch {
		case p.name == "sort -u":
			sort = m.Wall
		case sort > 0:
			ratio = fmt.Sprintf("%.1f", sort.Seconds()/m.Wall.Seconds())
		}
		fmt.Printf("| `%s` | %.1f s | %.1f s | %.0f | %d MiB | %s |\n", p.name, m.Wall.Seconds(), m.CPU.Seconds(),
			size/1e6/m.Wall.Seconds(), m.Memory>>20, ratio)
	}
}
