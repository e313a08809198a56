package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
)

// event is a line of go test -json. Test is empty in the events of a package.
type event struct{ Action, Package, Test, Output string }

// eachEvent calls do for each line. A line that is not JSON, such as one of the go command,
// is an event with only the output.
func eachEvent(r io.Reader, do func(event)) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var e event
		if json.Unmarshal(in.Bytes(), &e) != nil {
			e = event{Output: in.Text() + "\n"}
		}
		do(e)
	}
	return in.Err()
}

// modulePath is the path of the main module. The paths of the others begin with it.
const modulePath = "github.com/locus-url/locus"

// name returns the name of a test as the documents write it: "scheme/http.TestLimit",
// "cmd/locus/internal/lens.TestScripts/lens" for a subtest, "locus.TestParse" in the root package.
func (e event) name() string {
	folder := strings.TrimPrefix(strings.TrimPrefix(e.Package, modulePath), "/")
	if folder == "" {
		folder = "locus"
	}
	return folder + "." + e.Test
}

// outcomes are the outcomes of tests and subtests, by name.
type outcomes map[string]*outcome

// outcome is what the events say about a test. A later run may pass a test that an earlier
// one skipped.
type outcome struct {
	last                 string // "pass", "skip" or "fail"; "pass" if any run passed it
	passBelow, skipBelow bool   // a subtest passed, or was skipped
}

func (o outcomes) of(name string) *outcome {
	if o[name] == nil {
		o[name] = new(outcome)
	}
	return o[name]
}

func (o outcomes) read(r io.Reader) error {
	return eachEvent(r, func(e event) {
		if e.Test == "" || !slices.Contains([]string{"pass", "skip", "fail"}, e.Action) {
			return
		}
		if one := o.of(e.name()); one.last != "pass" {
			one.last = e.Action
		}
		if i := strings.LastIndexByte(e.Test, '/'); i >= 0 {
			e.Test = e.Test[:i]
			above := o.of(e.name())
			above.passBelow = above.passBelow || e.Action == "pass"
			above.skipBelow = above.skipBelow || e.Action == "skip"
		}
	})
}

// why returns why a test can't hold a promise, or "".
func (o outcomes) why(name string) string {
	switch one := o.of(name); {
	case one.last == "":
		return "did not run"
	case one.last == "skip":
		return "was skipped"
	case one.last == "fail":
		return "failed"
	case one.skipBelow && !one.passBelow:
		return "skipped all its subtests"
	}
	return ""
}

// printer prints what go test prints without -json. It holds the output of a test until
// the test fails or ends.
type printer struct {
	out  *bufio.Writer
	held map[testKey][]string
}

type testKey struct{ pkg, test string }

// show prints the result of each package, and the output of tests that fail.
func show(r io.Reader, w io.Writer) error {
	p := &printer{bufio.NewWriter(w), map[testKey][]string{}}
	return errors.Join(eachEvent(r, p.event), p.out.Flush())
}

func (p *printer) event(e event) {
	key := testKey{e.Package, e.Test}
	switch {
	case e.Package == "": // of the build, or of the go command
		p.print(e.Output)
	case e.Action == "output" && !strings.HasPrefix(e.Output, "=== "):
		p.held[key] = append(p.held[key], e.Output)
	case e.Action == "fail" && e.Test == "":
		p.printAll(e.Package)
	case e.Action == "fail":
		p.print(p.held[key]...)
		delete(p.held, key)
	case e.Action == "pass" || e.Action == "skip":
		lines := p.held[key]
		if e.Test == "" && len(lines) > 0 {
			p.print(lines[len(lines)-1]) // "ok", the package, and the time
		} else if i := slices.IndexFunc(lines, isResult); i >= 0 {
			// What follows the result is of another test, or of the package: a panic, a race.
			of := testKey{e.Package, ""}
			p.held[of] = append(p.held[of], lines[i+1:]...)
		}
		delete(p.held, key)
	}
}

// isResult reports whether a line has the result of a test: "--- PASS: TestA (0.00s)".
func isResult(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "--- ") }

// printAll prints what is held of a package: of tests that were running when it failed, and
// then of the package.
func (p *printer) printAll(pkg string) {
	for _, key := range slices.SortedFunc(maps.Keys(p.held), func(a, b testKey) int { return strings.Compare(b.test, a.test) }) {
		if key.pkg == pkg {
			p.print(p.held[key]...)
			delete(p.held, key)
		}
	}
}

func (p *printer) print(lines ...string) {
	for _, line := range lines {
		p.out.WriteString(line) // Flush returns an error
	}
	p.out.Flush()
}
