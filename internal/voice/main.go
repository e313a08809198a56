// Voice counts wording that is hard to read, in comments, string literals and
// Markdown: go run ./internal/voice [-v] [FILE...]. Without files it reads those
// that git tracks. It prints a count for each pattern and folder, and with -v each
// line. Status 0 whatever it finds: the counts are a warning.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tics are patterns that plain English does without, each with what to write instead.
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

// plain are matches that are plain English all the same.
var plain = regexp.MustCompile(`^[Tt]here |no (longer|more|such)$|^(leaves?|left|let) alone$`)

func main() {
	verbose := flag.Bool("v", false, "print each line")
	flag.Parse()
	files := flag.Args()
	if len(files) == 0 {
		out, err := exec.Command("git", "ls-files", "-z", "*.go", "*.md", "*.tmpl").Output()
		if err != nil {
			fmt.Fprintln(os.Stderr, "voice: git ls-files:", err)
			os.Exit(2)
		}
		files = strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	counts := make(map[string]int) // by folder
	byTic := make([]int, len(tics))
	for _, name := range files {
		if strings.Contains(name, "testdata/") || strings.HasPrefix(name, "internal/voice/") {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "voice:", err)
			os.Exit(2)
		}
		for _, l := range prose(name, content) {
			for i, t := range tics {
				for _, hit := range t.re.FindAllString(l.text, -1) {
					if plain.MatchString(hit) {
						continue
					}
					byTic[i]++
					counts[filepath.Dir(name)]++
					if *verbose {
						fmt.Printf("%s:%d: %q: %s\n", name, l.number, strings.TrimSpace(hit), t.help)
					}
				}
			}
		}
	}
	total := 0
	for i, t := range tics {
		fmt.Printf("%6d  %s\n", byTic[i], t.name)
		total += byTic[i]
	}
	folders := make([]string, 0, len(counts))
	for f := range counts {
		folders = append(folders, f)
	}
	slices.SortFunc(folders, func(a, b string) int { return counts[b] - counts[a] })
	for _, f := range folders {
		fmt.Printf("%6d  %s\n", counts[f], f)
	}
	fmt.Printf("%6d  in all\n", total)
}

type line struct {
	number int
	text   string
}

// prose returns the lines of a file that people read: comments and string literals
// of Go, all of anything else.
func prose(name string, content []byte) []line {
	if filepath.Ext(name) != ".go" {
		return split(1, string(content))
	}
	fset := token.NewFileSet()
	file := fset.AddFile(name, -1, len(content))
	var s scanner.Scanner
	s.Init(file, content, nil, scanner.ScanComments)
	var list []line
	for {
		pos, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return list
		case token.COMMENT, token.STRING:
			list = append(list, split(file.Line(pos), strings.TrimLeft(lit, "/ \t\"`"))...)
		}
	}
}

func split(number int, text string) []line {
	var list []line
	scan := bufio.NewScanner(bytes.NewReader([]byte(text)))
	scan.Buffer(nil, len(text)+1)
	for ; scan.Scan(); number++ {
		list = append(list, line{number, scan.Text()})
	}
	return list
}
