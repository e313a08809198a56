// Promises runs the tests that docs/threat-model.md and docs/limits.md name, and fails
// unless each of them ran and passed: go run ./internal/promises [-v]. It sets CI=true, so
// a test that lacks a server fails and does not skip. It leaves out the folders that .ci/run
// tests with CI=true itself.
//
// The tests of this package compare the tables with the code: each named test exists,
// each promise is in the file that it is quoted from, each sentence with a strong word
// has a row, and each limit has the value of its constant.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// documents are the files with the tables, from the root of the repository.
var documents = []string{"docs/threat-model.md", "docs/limits.md"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("promises: ")
	verbose := flag.Bool("v", false, "print each test")
	flag.Parse()
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		log.Fatal("git rev-parse: ", err)
	}
	root := strings.TrimSpace(string(top))
	var names []testName
	for _, name := range documents {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			log.Fatal(err)
		}
		found, err := testsIn(string(text))
		if err != nil {
			log.Fatalf("%s: %v", name, err)
		}
		names = append(names, found...)
	}
	script, err := os.ReadFile(filepath.Join(root, ".ci/run"))
	if err != nil {
		log.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(n testName) bool { return runsWithCI(string(script), n.folder) })
	faults, passed := run(root, names)
	if *verbose {
		for _, name := range passed {
			fmt.Println("pass", name)
		}
	}
	for _, fault := range faults {
		fmt.Println(fault)
	}
	fmt.Printf("%d tests hold the promises, %d do not\n", len(passed), len(faults))
	if len(faults) > 0 {
		os.Exit(1)
	}
}

// run runs the tests, those of a package together and as many packages at once as there
// are processors, and says of each that did not pass why.
func run(root string, names []testName) (faults []string, passed []testName) {
	groups := map[testName][]testName{} // by package and subtest
	for _, n := range names {
		key := testName{folder: n.folder, subtest: n.subtest}
		if !slices.Contains(groups[key], n) {
			groups[key] = append(groups[key], n)
		}
	}
	keys := slices.SortedFunc(maps.Keys(groups), testName.compare)
	type result struct {
		outcomes outcomes
		said     string
	}
	results := make([]result, len(keys))
	var wait sync.WaitGroup
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, key := range keys {
		turns <- struct{}{}
		wait.Go(func() {
			defer func() { <-turns }()
			results[i].outcomes, results[i].said = runGroup(root, key, groups[key])
		})
	}
	wait.Wait()
	for i, key := range keys {
		said := results[i].said
		for _, n := range groups[key] {
			switch why := results[i].outcomes.why(n); {
			case why == "":
				passed = append(passed, n)
			default:
				faults = append(faults, fmt.Sprintf("%s %s\n%s", n, why, said))
				said = ""
			}
		}
	}
	return faults, passed
}

// runGroup runs tests of one package. said is what the run printed if it failed.
func runGroup(root string, key testName, names []testName) (o outcomes, said string) {
	var functions []string
	for _, n := range names {
		functions = append(functions, n.function)
	}
	pattern := "^(" + strings.Join(functions, "|") + ")$"
	for level := range strings.SplitSeq(key.subtest, "/") {
		if level != "" {
			pattern += "/^" + regexp.QuoteMeta(level) + "$"
		}
	}
	// Modules of their own are run in their folders.
	cmd := exec.Command("go", "test", "-count=1", "-vet=off", "-json", "-run", pattern, ".")
	cmd.Dir = filepath.Join(root, key.folder)
	cmd.Env = append(os.Environ(), "CI=true")
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	o, text := readEvents(out)
	if err != nil {
		said = strings.TrimSpace(text + errors.String() + err.Error())
	}
	return o, said
}

// outcomes are the actions at the end of tests and subtests, by their names: "pass",
// "fail", "skip".
type outcomes map[string]string

// readEvents reads the lines of go test -json. text is what the tests printed.
func readEvents(lines []byte) (o outcomes, text string) {
	o = outcomes{}
	var b strings.Builder
	in := bufio.NewScanner(bytes.NewReader(lines))
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(in.Bytes(), &e) != nil {
			continue // a line of the go command itself
		}
		switch e.Action {
		case "pass", "fail", "skip":
			if e.Test != "" {
				o[e.Test] = e.Action
			}
		case "output":
			b.WriteString(e.Output)
		}
	}
	return o, b.String()
}

// why says why the promise of a test is not held, or "".
func (o outcomes) why(n testName) string {
	name := n.function
	if n.subtest != "" {
		name += "/" + n.subtest
	}
	switch o[name] {
	case "":
		return "did not run"
	case "skip":
		return "was skipped"
	case "fail":
		return "failed"
	}
	below, skipped := 0, 0
	for other, action := range o {
		if strings.HasPrefix(other, name+"/") {
			below++
			if action == "skip" {
				skipped++
			}
		}
	}
	if below > 0 && below == skipped {
		return "skipped all its subtests"
	}
	return ""
}
