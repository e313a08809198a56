// Command extract measures programs and libraries that find URLs in a corpus of documents from
// this machine, in interleaved rounds. For each program or library it prints the speed, the memory
// and the number of URLs. If a program is missing, its columns contain "-".
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
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
	"github.com/locus-url/locus/bench/lists"
	"github.com/locus-url/locus/extract"
)

func main() { bench.Main("extract", run) }

func run() {
	rounds := flag.Int("rounds", 5, "number of rounds")
	size := flag.Int64("size", 200<<20, "size of the corpus in bytes")
	made := flag.String("made", "", "measure programs on the corpus in `DIR`")
	flag.Parse()
	if *made != "" {
		programs(*rounds, *made)
		return
	}
	dir := bench.Must(os.MkdirTemp("", "locus-extract-"))
	defer os.RemoveAll(dir)
	documents, dense, files := newCorpus(dir, *size)
	fmt.Printf("%s, medians of %d interleaved rounds.\n\n", bench.Machine(), *rounds)
	fmt.Printf("Documents: %d files, %.0f MB, in one file and as a tree. Dense: the URLs of the documents, one after a word, %.0f MB.\n\n",
		files, float64(len(documents.octets))/1e6, float64(len(dense.octets))/1e6)
	counts(documents.octets)
	libraries(*rounds, documents, dense)
	// Start the programs from a small process, because a new process starts with the memory
	// size of its parent, and this process holds the corpus.
	cmd := exec.Command(bench.Must(os.Executable()), "-rounds", strconv.Itoa(*rounds), "-made", dir)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	bench.Check(cmd.Run())
}

type text struct{ name, path, octets string }

// peer is a library that finds the URLs in a text. The function find returns the number of URLs.
type peer struct {
	name string
	most int // maximum size of the text in bytes; 0 means no limit
	find func(octets string) int
}

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

// libraries measures libraries on texts in memory, on one core.
func libraries(rounds int, texts ...text) {
	runtime.GOMAXPROCS(1)
	rx := xurls.Strict()
	peers := []peer{
		{"locus All", 0, func(s string) (n int) {
			for range extract.All(s, nil) {
				n++
			}
			return n
		}},
		{"locus Stream", 0, func(s string) (n int) {
			for _, err := range extract.Stream(strings.NewReader(s), nil) {
				bench.Check(err)
				n++
			}
			return n
		}},
		{"xurls (Go)", 1 << 20, func(s string) int { return len(rx.FindAllStringIndex(s, -1)) }},
	}
	// cell is the result for one peer and one text.
	type cell struct {
		took []time.Duration
		n    int
		size int
	}
	rows := make([][2]cell, len(peers))
	for range rounds {
		for of, t := range texts {
			for i, p := range peers {
				octets := t.octets
				if p.most > 0 {
					octets = octets[:min(p.most, len(octets))]
				}
				begin := bench.Clock()
				n := p.find(octets)
				rows[i][of] = cell{append(rows[i][of].took, bench.Clock()-begin), n, len(octets)}
			}
		}
	}
	fmt.Print("| one core, processor time | documents, MB/s | URLs | dense, MB/s | URLs |\n|---|---|---|---|---|\n")
	for i, p := range peers {
		fmt.Printf("| %s |", p.name)
		for _, c := range rows[i] {
			fmt.Printf(" %.1f | %d", float64(c.size)/1e6/bench.Median(c.took).Seconds(), c.n)
			if p.most > 0 {
				fmt.Printf(" of the first %d MiB", p.most>>20)
			}
			fmt.Print(" |")
		}
		fmt.Println()
	}
	fmt.Println()
}

// Typical regular expressions for URLs with a scheme of RFC 1738, and for URLs with any scheme.
// The character class has the same meaning in ripgrep and grep.
const (
	expression = `(https?|ftp|gopher|mailto|news|nntp|telnet|wais|file|prospero):[^[:space:]<>"]+`
	anyScheme  = `[A-Za-z][A-Za-z0-9+.-]*:[^[:space:]<>"]+`
)

func programs(rounds int, dir string) {
	locus := filepath.Join(dir, "locus-command")
	bench.BuildCommand(locus)
	for _, work := range []struct{ name, path, of string }{
		{"documents in one file", documentsFile, documentsFile},
		{"documents as a tree", treeFolder, documentsFile},
		{"dense, in one file", denseFile, denseFile},
	} {
		size := float64(bench.Must(os.Stat(filepath.Join(dir, work.of))).Size())
		commands := []struct {
			name string
			args []string
			took []bench.Process
		}{
			{name: "locus extract", args: []string{locus, "extract", "-r", "--as", "text", work.path}},
			{name: "rg -o, ten schemes", args: []string{"rg", "--no-config", "-o", "-N", "-a", expression, work.path}},
			{name: "rg -o, any scheme", args: []string{"rg", "--no-config", "-o", "-N", "-a", anyScheme, work.path}},
			{name: "grep -oE, ten schemes", args: []string{"grep", "-aroE", expression, work.path}},
			{name: "grep -oE, any scheme", args: []string{"grep", "-aroE", anyScheme, work.path}},
		}
		lines := make([]lineCounter, len(commands))
		for range rounds {
			for i := range commands {
				c := &commands[i]
				cmd := exec.Command(c.args[0], c.args[1:]...)
				if cmd.Err != nil {
					continue
				}
				lines[i] = 0
				cmd.Stdout, cmd.Stderr = &lines[i], os.Stderr
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
				c.took = append(c.took, bench.Must(bench.Run(cmd)))
			}
		}
		fmt.Printf("| whole process, %s | wall | processor | MB/s | memory | lines |\n|---|---|---|---|---|---|\n", work.name)
		for i, c := range commands {
			if c.took == nil {
				fmt.Printf("| %s | - | - | - | - | - |\n", c.name)
				continue
			}
			p := bench.Medians(c.took)
			fmt.Printf("| %s | %v | %v | %.0f | %d MiB | %d |\n", c.name, p.Wall.Round(time.Millisecond), p.CPU.Round(time.Millisecond),
				size/1e6/p.Wall.Seconds(), p.Memory>>20, lines[i])
		}
		fmt.Println()
	}
}

type lineCounter int

func (c *lineCounter) Write(b []byte) (int, error) {
	*c += lineCounter(bytes.Count(b, []byte{'\n'}))
	return len(b), nil
}

// Names in the directory of a corpus.
const (
	documentsFile = "documents.txt"
	denseFile     = "dense.txt"
	treeFolder    = "tree"
)

// newCorpus creates a corpus with the given size in dir, from the documentation, the Go
// distribution and other files on this machine. The corpus contains the documents in one file, the
// documents as a tree of files, and the URLs of the documents. If there are too few documents,
// newCorpus repeats some documents.
func newCorpus(dir string, size int64) (documents, dense text, files int) {
	var all bytes.Buffer
	for int64(all.Len()) < size {
		before := all.Len()
		for _, root := range []string{"/usr/share/doc", lists.GoRoot(), "/usr/share", "/usr/include"} {
			lists.Walk(root, func(name string) bool {
				octets := lists.Text(name)
				if len(octets) == 0 {
					return true
				}
				all.Write(octets)
				all.WriteByte('\n')
				files++
				folder := filepath.Join(dir, treeFolder, fmt.Sprint(files/100))
				bench.Check(os.MkdirAll(folder, 0o777))
				bench.Check(os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.txt", files)), octets, 0o666))
				return int64(all.Len()) < size
			})
		}
		if all.Len() == before {
			bench.Check(errors.New("no documents on this machine"))
		}
	}
	documents = text{"documents", filepath.Join(dir, documentsFile), all.String()}
	var urls strings.Builder
	for m := range extract.All(documents.octets, nil) {
		urls.WriteString("see " + m.URL.String() + "\n")
	}
	dense = text{"dense", filepath.Join(dir, denseFile), urls.String()}
	for _, t := range []text{documents, dense} {
		bench.Check(os.WriteFile(t.path, []byte(t.octets), 0o666))
	}
	return documents, dense, files
}
