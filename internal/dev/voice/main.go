// Command voice counts phrases that are hard to read in comments, string literals and Markdown
// files. Its command line is "go run ./internal/dev/voice [-v] [FILE...]". Without arguments, the
// command reads the files that git tracks. It prints a count for each pattern and directory, and
// with -v each matching line. The exit status is always 0, because the counts are only a warning.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"iter"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tics lists patterns of phrases that plain English avoids, each with a replacement.
var tics = []struct {
	name string
	re   *regexp.Regexp
	help string
}{
	{"whoever", regexp.MustCompile(`\b[Ww]hoever\b`), "name the subject: the caller, the client, the server"},
	{"nobody", regexp.MustCompile(`\b([Nn]obody|[Nn]o one)\b`), "name the subject: no client, no caller"},
	{"who as subject", regexp.MustCompile(`(^|[.;:] )Who [a-z]+s\b|\b(for|of|to|by|from|with) who\b`), "name the subject"},
	{"what as subject", regexp.MustCompile(`(^|[.;:] )What [a-z]+ (is|are|was|has|does|can|may)\b`), "name the thing"},
	{"is no X", regexp.MustCompile(`(\b[Tt]here )?\b(is|are|was|were) no [a-z]+`), "say what it is: invalid, missing, not a ..."},
	{"is none", regexp.MustCompile(`\b(is|are) none\b`), "missing, empty"},
	{"behind", regexp.MustCompile(`\b(stands?|stood|written) behind\b|\bnext behind\b`), "after"},
	{"by way of", regexp.MustCompile(`\bby way of\b`), "through"},
	{"anew", regexp.MustCompile(`\banew\b`), "again"},
	{"go on", regexp.MustCompile(`\b(go(es)?|went|gone) on\b`), "continue"},
	{"alone", regexp.MustCompile(`\b[a-zA-Z0-9]+ alone\b`), "only"},
	{"without one that has", regexp.MustCompile(`\b[Oo]ne that (has|is) (none|no|as)\b`), "otherwise"},
	{"takes leave", regexp.MustCompile(`\btakes? leave\b`), "closes"},
	{"come to", regexp.MustCompile(`\b(came|comes?) to nothing\b|\bwhat [a-z ]{1,20} c[ao]me to\b`), "the outcome"},
}

// plain matches phrases that are plain English, although a pattern in tics matches them.
var plain = regexp.MustCompile(`^[Tt]here |no (longer|more|such)$|^(leaves?|left|let) alone$`)

func main() {
	log.SetFlags(0)
	log.SetPrefix("voice: ")
	verbose := flag.Bool("v", false, "print each line")
	flag.Parse()
	files := flag.Args()
	if len(files) == 0 {
		out, err := exec.Command("git", "ls-files", "-z", "*.go", "*.md", "*.tmpl").Output()
		if err != nil {
			log.Fatal("git ls-files: ", err)
		}
		files = strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	byTic, byFolder := map[string]int{}, map[string]int{}
	for _, name := range files {
		if strings.Contains(name, "testdata/") || strings.HasPrefix(name, "internal/dev/voice/") {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		for number, text := range prose(name, content) {
			for _, t := range tics {
				for _, hit := range t.re.FindAllString(text, -1) {
					if plain.MatchString(hit) {
						continue
					}
					byTic[t.name]++
					byFolder[filepath.Dir(name)]++
					if *verbose {
						fmt.Printf("%s:%d: %q: %s\n", name, number, strings.TrimSpace(hit), t.help)
					}
				}
			}
		}
	}
	printCounts(byTic)
	fmt.Printf("%6d  in all\n", printCounts(byFolder))
}

// printCounts prints the counts in descending order, and returns their sum.
func printCounts(counts map[string]int) (total int) {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for _, name := range names {
		fmt.Printf("%6d  %s\n", counts[name], name)
		total += counts[name]
	}
	return total
}

// prose returns those lines of a file that contain text for readers, with their numbers. For a Go file, prose
// returns the lines of comments and string literals. For any other file, it returns all lines.
func prose(name string, content []byte) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		split := func(number int, text string) {
			for line := range strings.Lines(text) {
				yield(number, line)
				number++
			}
		}
		if filepath.Ext(name) != ".go" {
			split(1, string(content))
			return
		}
		file := token.NewFileSet().AddFile(name, -1, len(content))
		var s scanner.Scanner
		s.Init(file, content, nil, scanner.ScanComments)
		for {
			switch pos, tok, lit := s.Scan(); tok {
			case token.EOF:
				return
			case token.COMMENT, token.STRING:
				split(file.Line(pos), strings.TrimLeft(lit, "/ \t\"`"))
			}
		}
	}
}
