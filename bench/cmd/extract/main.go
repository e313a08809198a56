// Command extract makes a corpus of the documents of this machine, finds the URLs in
// it with several programs and libraries, in interleaved rounds. It prints the speed and
// the memory of each, and the number of URLs. A missing program has the column "-".
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/xurls/v2"

	"github.com/locus-url/locus/bench"
	"github.com/locus-url/locus/extract"
)

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 5, "number of rounds")
	size := flag.Int64("size", 200<<20, "size of the corpus in bytes")
	made := flag.String("made", "", "measure programs on the corpus in `DIR`")
	flag.Parse()
	work := func() error { return run(*rounds, *size) }
	if *made != "" {
		work = func() error { return programs(*rounds, *made) }
	}
	if err := work(); err != nil {
		log.Fatal("extract: ", err)
	}
}

// peer finds the URLs of a text. n is their number.
type peer struct {
	name string
	find func(*text) (took time.Duration, n int, err error)
	most int // limit for the text, in bytes; 0: none
}

type text struct {
	name, path string
	octets     string
}

// row is the result for one peer and text.
type row struct {
	took []time.Duration
	n    int
	size int
}

// rate returns the speed in MB/s.
func (r row) rate() float64 {
	if len(r.took) == 0 {
		return 0
	}
	return float64(r.size) / 1e6 / bench.Median(r.took).Seconds()
}

func run(rounds int, size int64) error {
	dir, err := os.MkdirTemp("", "locus-extract-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := newCorpus(dir, size)
	if err != nil {
		return err
	}
	fmt.Printf("%s %s/%s, %s, medians of %d interleaved rounds.\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, bench.Processor(), rounds)
	fmt.Printf("Documents: %d files, %.0f MB, in one file and as a tree. Dense: the URLs of the documents, one after a word, %.0f MB.\n\n", c.files, float64(len(c.few.octets))/1e6, float64(len(c.dense.octets))/1e6)
	counts(c.few.octets)
	if err := libraries(rounds, c); err != nil {
		return err
	}
	// A new process starts with the memory size of its parent, and this process holds the
	// corpus. A small process must start the programs.
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "-rounds", strconv.Itoa(rounds), "-made", dir)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// counts prints the number of URLs of each scheme.
func counts(octets string) {
	by := map[string]int{}
	for m := range extract.All(octets, nil) {
		by[m.URL.Scheme()]++
	}
	names := make([]string, 0, len(by))
	for name := range by {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return by[b] - by[a] })
	fmt.Print("| scheme | URLs |\n|---|---|\n")
	for _, name := range names {
		fmt.Printf("| %s | %d |\n", name, by[name])
	}
	fmt.Println()
}

// libraries measures libraries on a text in memory, on one core.
func libraries(rounds int, c *corpus) error {
	runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(runtime.NumCPU())
	rx := xurls.Strict()
	peers := []peer{
		{name: "locus All", find: func(t *text) (time.Duration, int, error) {
			n, begin := 0, bench.Clock()
			for range extract.All(t.octets, nil) {
				n++
			}
			return bench.Clock() - begin, n, nil
		}},
		{name: "locus Stream", find: func(t *text) (time.Duration, int, error) {
			n, begin := 0, bench.Clock()
			for _, err := range extract.Stream(strings.NewReader(t.octets), nil) {
				if err != nil {
					return 0, 0, err
				}
				n++
			}
			return bench.Clock() - begin, n, nil
		}},
		{name: "linkify (Rust)", find: linkify()},
		{name: "xurls (Go)", most: 1 << 20, find: func(t *text) (time.Duration, int, error) {
			begin := bench.Clock()
			n := len(rx.FindAllStringIndex(t.octets, -1))
			return bench.Clock() - begin, n, nil
		}},
		{name: "linkify-it (JavaScript)", most: 4 << 20, find: linkifyIt()},
	}
	rows := map[string]row{}
	for range rounds {
		for _, t := range []*text{&c.few, &c.dense} {
			for _, p := range peers {
				if p.find == nil {
					continue
				}
				of := *t
				if p.most > 0 && len(of.octets) > p.most {
					of.octets = of.octets[:p.most]
					of.path += ".part" + strconv.Itoa(p.most)
					if err := os.WriteFile(of.path, []byte(of.octets), 0o666); err != nil {
						return err
					}
				}
				took, n, err := p.find(&of)
				if err != nil {
					return fmt.Errorf("%s: %w", p.name, err)
				}
				r := rows[p.name+t.name]
				r.took, r.n, r.size = append(r.took, took), n, len(of.octets)
				rows[p.name+t.name] = r
			}
		}
	}
	fmt.Print("| one core, processor time | documents, MB/s | URLs | dense, MB/s | URLs |\n|---|---|---|---|---|\n")
	for _, p := range peers {
		few, dense := rows[p.name+c.few.name], rows[p.name+c.dense.name]
		if len(few.took) == 0 {
			fmt.Printf("| %s | - | - | - | - |\n", p.name)
			continue
		}
		part := ""
		if p.most > 0 {
			part = fmt.Sprintf(" of the first %d MiB", p.most>>20)
		}
		fmt.Printf("| %s | %.1f | %d%s | %.1f | %d%s |\n", p.name, few.rate(), few.n, part, dense.rate(), dense.n, part)
	}
	fmt.Println()
	return nil
}

// linkify returns a function that measures linkify; nil: cargo can't build it.
func linkify() func(*text) (time.Duration, int, error) {
	build := exec.Command("cargo", "build", "--release", "--offline", "--quiet")
	build.Dir = "linkify"
	if out, err := build.CombinedOutput(); err != nil {
		log.Printf("linkify is not measured: %v %s", err, out)
		return nil
	}
	return ownClock(func(path string) *exec.Cmd { return exec.Command("linkify/target/release/linkify-peer", path, "1") })
}

// linkifyIt returns a function that measures linkify-it; nil: it is not installed.
func linkifyIt() func(*text) (time.Duration, int, error) {
	if _, err := os.Stat("linkify-it/node_modules/linkify-it"); err != nil {
		log.Print("linkify-it is not measured: npm install in linkify-it")
		return nil
	}
	return ownClock(func(path string) *exec.Cmd { return exec.Command("node", "linkify-it/main.js", path) })
}

// ownClock runs a program that prints its own time in nanoseconds and the number of URLs.
func ownClock(command func(path string) *exec.Cmd) func(*text) (time.Duration, int, error) {
	return func(t *text) (time.Duration, int, error) {
		out, err := command(t.path).Output()
		if err != nil {
			return 0, 0, err
		}
		var took time.Duration
		var n int
		_, err = fmt.Sscan(string(out), &took, &n)
		return took, n, err
	}
}

// Typical expressions for URLs: of the schemes of RFC 1738, and of any scheme.
const (
	expression = `(https?|ftp|gopher|mailto|news|nntp|telnet|wais|file|prospero):[^\s<>"]+`
	anyScheme  = `[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"]+`
)

// programs measures whole processes on the corpus in dir.
func programs(rounds int, dir string) error {
	locus := filepath.Join(dir, "locus-command")
	build := exec.Command("go", "build", "-o", locus, "./cmd/locus")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	for _, work := range []struct{ name, path, of string }{
		{"documents in one file", documentsFile, documentsFile},
		{"documents as a tree", treeFolder, documentsFile},
		{"dense, in one file", denseFile, denseFile},
	} {
		info, err := os.Stat(filepath.Join(dir, work.of))
		if err != nil {
			return err
		}
		commands := [][]string{
			{locus, "extract", "-r", "--as", "text", work.path},
			{"rg", "--no-config", "-o", "-N", "-a", expression, work.path},
			{"rg", "--no-config", "-o", "-N", "-a", anyScheme, work.path},
		}
		took := make([][]process, len(commands))
		for range rounds {
			for i, args := range commands {
				if _, err := exec.LookPath(args[0]); err != nil {
					continue
				}
				p, err := measure(args, dir)
				if err != nil {
					return err
				}
				took[i] = append(took[i], p)
			}
		}
		fmt.Printf("| whole process, %s | wall | processor | MB/s | memory | lines |\n|---|---|---|---|---|---|\n", work.name)
		for i, name := range []string{"locus extract", "rg -o, ten schemes", "rg -o, any scheme"} {
			if len(took[i]) == 0 {
				fmt.Printf("| %s | - | - | - | - | - |\n", name)
				continue
			}
			wall, cpu := median(took[i], func(p process) time.Duration { return p.wall }), median(took[i], func(p process) time.Duration { return p.cpu })
			fmt.Printf("| %s | %v | %v | %.0f | %d MiB | %d |\n", name, wall.Round(time.Millisecond), cpu.Round(time.Millisecond),
				float64(info.Size())/1e6/wall.Seconds(), took[i][0].memory>>20, took[i][0].lines)
		}
		fmt.Println()
	}
	return nil
}

// process is the result of one run of a program.
type process struct {
	wall, cpu time.Duration
	memory    int64
	lines     int
}

func median(list []process, of func(process) time.Duration) time.Duration {
	took := make([]time.Duration, len(list))
	for i, p := range list {
		took[i] = of(p)
	}
	return bench.Median(took)
}

func measure(args []string, dir string) (p process, err error) {
	var out lineCounter
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
	begin := time.Now()
	err = cmd.Run()
	p.wall = time.Since(begin)
	if err != nil {
		return p, fmt.Errorf("%s: %w", args[0], err)
	}
	p.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	p.memory = bench.PeakMemory(cmd.ProcessState)
	p.lines = int(out)
	return p, nil
}

// lineCounter counts the lines that are written to it.
type lineCounter int

func (c *lineCounter) Write(b []byte) (int, error) {
	*c += lineCounter(bytes.Count(b, []byte{'\n'}))
	return len(b), nil
}
