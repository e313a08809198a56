// Command bulk makes a list of URLs, drops the repeated ones with several programs in
// interleaved rounds, and prints the time and the memory of each. A missing program has the
// column "-".
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
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
	list := flag.Bool("list", false, "only write the list, to standard output")
	dir := flag.String("dir", "", "keep the list in `DIR`, and use the one that is there")
	only := flag.String("only", "", "measure only the rows that contain `TEXT`")
	memory := flag.String("memory", "512M", "the limit of the row that spills")
	flag.Parse()
	if *list {
		writeList(os.Stdout, *n)
		return
	}
	if *dir == "" {
		*dir = bench.Must(os.MkdirTemp("", "locus-bulk-"))
		defer os.RemoveAll(*dir)
	}
	name := filepath.Join(*dir, fmt.Sprintf("urls-%d.txt", *n))
	if _, err := os.Stat(name); err != nil {
		f := bench.Must(os.Create(name))
		writeList(f, *n)
		bench.Check(f.Close())
	}
	locus := filepath.Join(*dir, "locus-command")
	bench.BuildCommand(locus)
	var commands []command
	for _, c := range programs(locus, *memory) {
		if strings.Contains(c.name, *only) {
			commands = append(commands, c)
		}
	}
	measure(commands, *rounds, name, *dir)
	show(commands, name)
}

// command is a program to which the list is standard input.
type command struct {
	name  string
	args  []string
	lines lineCounter
	took  []bench.Process
}

func programs(locus, memory string) []command {
	return []command{
		{name: "sort -u", args: []string{"sort", "-u", "-S", "4G", "--parallel=2"}},
		{name: "mawk '!s[$0]++'", args: []string{"mawk", "!s[$0]++"}},
		{name: "gawk '!s[$0]++'", args: []string{"gawk", "!s[$0]++"}},
		{name: "locus canonical --unique", args: []string{locus, "canonical", "--unique", "-"}},
		{name: "locus canonical --unique --unordered", args: []string{locus, "canonical", "--unique", "--unordered", "-"}},
		{name: "locus canonical --unique --memory " + memory, args: []string{locus, "canonical", "--unique", "--memory", memory, "-"}},
		{name: "locus canonical --unique --sort", args: []string{locus, "canonical", "--unique", "--sort", "-"}},
		{name: "locus canonical --count", args: []string{locus, "canonical", "--count", "-"}},
		{name: "locus canonical --by host", args: []string{locus, "canonical", "--by", "host", "-"}},
		{name: "locus canonical", args: []string{locus, "canonical", "-"}},
		{name: "locus check --by rule", args: []string{locus, "check", "--by", "rule", "-"}},
	}
}

func measure(commands []command, rounds int, list, dir string) {
	for range rounds {
		for i := range commands {
			c := &commands[i]
			cmd := exec.Command(c.args[0], c.args[1:]...)
			if cmd.Err != nil {
				continue
			}
			in := bench.Must(os.Open(list))
			out := filepath.Join(dir, "out")
			cmd.Stdin, cmd.Stderr = in, os.Stderr
			// What is written is counted once, in a round that is not measured.
			if c.took == nil && rounds > 1 {
				c.lines = 0
			}
			cmd.Env = append(os.Environ(), "LC_ALL=C", "TMPDIR="+dir, "HOME="+dir, "XDG_CONFIG_HOME="+dir)
			null := bench.Must(os.OpenFile(os.DevNull, os.O_WRONLY, 0))
			cmd.Stdout = null
			c.took = append(c.took, bench.Must(bench.Run(cmd)))
			null.Close()
			in.Close()
			_ = out
		}
	}
}

type lineCounter int

func (c *lineCounter) Write(b []byte) (int, error) {
	*c += lineCounter(bytes.Count(b, []byte{'\n'}))
	return len(b), nil
}

var _ io.Writer = (*lineCounter)(nil)

func show(commands []command, list string) {
	size := float64(bench.Must(os.Stat(list)).Size())
	fmt.Printf("%s, two processors at most.\n\n", bench.Machine())
	fmt.Print("| program | wall | processor | MB/s | memory | beside sort -u |\n|---|---|---|---|---|---|\n")
	var sort time.Duration
	for _, c := range commands {
		if c.took == nil {
			fmt.Printf("| %s | - | - | - | - | - |\n", c.name)
			continue
		}
		p := bench.Medians(c.took)
		if sort == 0 {
			sort = p.Wall
		}
		fmt.Printf("| `%s` | %v | %v | %.0f | %d MiB | %.2f |\n", c.name, p.Wall.Round(time.Millisecond), p.CPU.Round(time.Millisecond),
			size/1e6/p.Wall.Seconds(), p.Memory>>20, p.Wall.Seconds()/sort.Seconds())
	}
}
