// Command promises checks that tests prove the promises in docs/dev/threat-tables.md and the limits
// in docs/dev/limits.md. It reads the events of go test -json:
//
//	go test -json ./... | tee FILE | go run ./internal/dev/promises show
//	go run ./internal/dev/promises check run|slow FILE
//
// Show prints the output of go test without -json. Check fails unless each test that the documents
// name ran and passed. "check slow" reads the events from the script .ci/slow and checks the tests
// in the modules that only this script runs. "check run" checks all other tests.
//
// The tests of this package check the documents. Each promise must have an ID and a test, each
// named test must exist, and each limit must be equal to its constant.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// documents lists the files that name tests, by their paths in the repository.
var documents = []string{"docs/dev/threat-tables.md", "docs/dev/limits.md"}

// slow lists the modules whose tests run in .ci/slow and not in .ci/run.
var slow = []string{"beam", "browser"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("promises: ")
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "show":
		err = show(os.Stdin, os.Stdout)
	case len(args) == 3 && args[0] == "check" && (args[1] == "run" || args[1] == "slow"):
		err = checkRun(".", args[1], args[2], os.Stdout)
	default:
		log.Print(`write "show", "check run FILE" or "check slow FILE"`)
		os.Exit(2)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// namedTests returns the tests that the documents mention. The parameter root is the root
// directory of the repository.
func namedTests(root string) (list []string, err error) {
	for _, name := range documents {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		tests, err := testsIn(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, tests...)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// scriptOf returns the name of the CI script that runs a test, "slow" or "run".
func scriptOf(test string) string {
	folder, _, _ := strings.Cut(test, ".")
	module, _, _ := strings.Cut(folder, "/")
	if slices.Contains(slow, module) {
		return "slow"
	}
	return "run"
}

// checkRun reads test events from a file. It prints each test that a document mentions, unless the
// test passed. It considers only the tests of the given CI script, "run" or "slow".
func checkRun(root, script, file string, out io.Writer) error {
	tests, err := namedTests(root)
	if err != nil {
		return err
	}
	tests = slices.DeleteFunc(tests, func(test string) bool { return scriptOf(test) != script })
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	ran := outcomes{}
	if err := ran.read(f); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	missed := 0
	for _, test := range tests {
		if why := ran.why(test); why != "" {
			fmt.Fprintln(out, test, why)
			missed++
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d tests did not pass", missed, len(tests))
	}
	fmt.Fprintf(out, "%d tests of .ci/%s hold promises and limits\n", len(tests), script)
	return nil
}
