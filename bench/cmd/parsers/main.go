// Command parsers is the Go part of rivals/parsers.py, which compares Locus with URL parsers in
// other languages.
//
//	parsers lists DIR                        writes the lists of URLs, and their canonical and other URLs, to files
//	parsers speed FILE MILLISECONDS read     measures the parsers in Go on the lines of FILE
//	parsers speed FILE MILLISECONDS write    measures canonical forms
//	parsers matrix NAME=PATH...              compares programs with Locus on the corpus of package lens, as JSON
//
// A program is a parser of package lens, or any program that implements the protocol in
// lens/results.go.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus/bench"
	"github.com/locus-url/locus/bench/lists"
	"github.com/locus-url/locus/scheme/all"
)

func main() { bench.Main("parsers", run) }

func run() {
	args := append(os.Args[1:], "")
	switch {
	case args[0] == "lists" && len(args) == 3:
		writeLists(args[1])
	case args[0] == "speed" && len(args) == 5:
		least := time.Duration(bench.Must(strconv.Atoi(args[2]))) * time.Millisecond
		speed(args[1], least, args[3] == "write")
	case args[0] == "matrix" && len(args) > 2:
		bench.Check(json.NewEncoder(os.Stdout).Encode(matrix(args[1 : len(args)-1])))
	default:
		bench.Check(fmt.Errorf("usage: parsers lists DIR | speed FILE MILLISECONDS read|write | matrix NAME=PATH..."))
	}
}

func writeLists(dir string) {
	r := bench.Must(all.Registry())
	write := func(name string, urls []string) {
		if len(urls) < 100 {
			return
		}
		text := strings.Join(urls, "\n") + "\n"
		bench.Check(os.WriteFile(filepath.Join(dir, name+".txt"), []byte(text), 0o600))
	}
	for _, l := range lists.All() {
		canonical, others := bench.Split(r, l.URLs)
		write(l.Name, l.URLs)
		write(l.Name+".canonical", canonical)
		write(l.Name+".others", others)
	}
}

// speed prints, for each parser, the nanoseconds of processor time per line.
func speed(file string, least time.Duration, write bool) {
	runtime.GOMAXPROCS(1)
	r := bench.Must(all.Registry())
	peers := bench.Readers(r)
	if write {
		peers = bench.Writers(r)
	}
	text := strings.TrimSuffix(string(bench.Must(os.ReadFile(file))), "\n")
	list := strings.Split(text, "\n")
	for _, p := range peers {
		runtime.GC()
		n, sum, start := 0, 0, bench.Clock()
		for bench.Clock()-start < least {
			sum = p.Run(list)
			n++
		}
		took := bench.Clock() - start
		fmt.Printf("%s\t%.2f\t%d\n", p.Name, float64(took.Nanoseconds())/float64(n*len(list)), sum)
	}
}
