//go:build ignore

// This program writes table.txt, which holds the properties of each character in Unicode
// Technical Standard 46, from the newest table of golang.org/x/net/idna. The toolchain
// would select an older table.
//
//	go run maketable.go
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func run(dir, name string, args ...string) []byte {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		log.Fatal(name, args, err)
	}
	return out
}

// dump is the source of a main function, which the program adds to a copy of package idna.
const dump = `package main

import "fmt"

func main() {
	fmt.Println("# Unicode", UnicodeVersion)
	type entry struct{ kind, mapped string }
	var last entry
	first := rune(-1)
	flush := func(end rune) {
		if first >= 0 && last.kind != "x" {
			fmt.Printf("%X %X %s %s\n", first, end-first, last.kind, last.mapped)
		}
	}
	for r := rune(0x80); r <= 0x10FFFF+1; r++ {
		e := entry{kind: "x"}
		if r <= 0x10FFFF && !(r >= 0xD800 && r <= 0xDFFF) {
			s := string(r)
			v, _ := trie.lookupString(s)
			i := info(v)
			switch i.category() {
			case valid, validNV8, validXV8, disallowedSTD3Valid, deviation:
				e.kind = "v"
				if i.category() != deviation {
					if i.isModifier() || i.isViramaModifier() {
						e.kind = "m"
					}
					if i.isViramaModifier() {
						e.kind = "n"
					}
					switch i.joinType() {
					case joiningL:
						e.kind += "L"
					case joiningD:
						e.kind += "D"
					case joiningT:
						e.kind += "T"
					case joiningR:
						e.kind += "R"
					}
				}
			case ignored:
				e.kind = "i"
			case mapped, disallowedSTD3Mapped:
				e.kind = "p"
				for _, m := range string(i.appendMapping(nil, s)) {
					e.mapped += fmt.Sprintf("%X,", m)
				}
			}
		}
		if e != last || first < 0 {
			flush(r)
			first, last = r, e
		}
	}
	flush(0x110000)
}
`

func main() {
	source := filepath.Join(strings.TrimSpace(string(run(".", "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/net"))), "idna")
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	tables, _ := filepath.Glob(filepath.Join(source, "tables*.go"))
	slices.Sort(tables)
	tag := regexp.MustCompile(`(?m)^//go:build.*$`)
	clause := regexp.MustCompile(`(?m)^package idna$`)
	for _, name := range append([]string{filepath.Join(source, "trie.go"), filepath.Join(source, "trieval.go"), filepath.Join(source, "idna.go")}, tables[len(tables)-1]) {
		text, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		text = clause.ReplaceAll(tag.ReplaceAll(text, nil), []byte("package main"))
		if filepath.Base(name) == "idna.go" { // copy only the function that computes a mapping
			i := bytes.Index(text, []byte("func (c info) appendMapping"))
			text = append([]byte("package main\n"), text[i:]...)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600); err != nil {
			log.Fatal(err)
		}
	}
	for name, text := range map[string]string{"dump.go": dump, "go.mod": "module dump\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	out := run(dir, "go", "run", ".")
	if err := os.WriteFile("table.txt", out, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.Count(out, []byte("\n")), "lines,", len(out), "octets")
}
