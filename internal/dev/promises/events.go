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

// event is a decoded output line of go test -json. If Test is empty, the event concerns the
// package.
type event struct{ Action, Package, Test, Output string }

// eachEvent calls the function do with an event for each line of r. If a line is not JSON (for
// example, output of the go command), the event contains only the text of the line.
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

// modulePath is the path of the main module. The paths of the other modules begin with modulePath.
const modulePath = "github.com/locus-url/locus"

// name returns the name of a test, in the notation of the documents. Examples are
// "scheme/http.TestLimit", "cmd/locus/internal/lens.TestScripts/lens" for a subtest, and
// "locus.TestParse" in the root package.
func (e event) name() string {
	folder := strings.TrimPrefix(strings.TrimPrefix(e.Package, modulePath), "/")
	if folder == "" {
		folder = "locus"
	}
	return folder + "." + e.Test
}

// outcomes holds the outcomes of tests and subtests, by name.
type outcomes map[string]*outcome

// outcome is the combined outcome of all runs of a test. A later run may pass a test that an
// earlier run skipped.
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

// why returns the reason why a test does not prove a promise, or "" if the test proves it.
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

// printer prints the output of go test without -json. It buffers a test's output until the test
// fails or ends.
type printer struct {
	out  *bufio.Writer
	held map[testKey][]string
}

type testKey struct{ pkg, test string }

// show reads events from r. It prints the result of each package and the output of failed tests to
// w.
func show(r io.Reader, w io.Writer) error {
	p := &printer{bufio.NewWriter(w), map[testKey][]string{}}
	return errors.Join(eachEvent(r, p.event), p.out.Flush())
}

func (p *printer) event(e event) {
	key := testKey{e.Package, e.Test}
	switch {
	case e.Package == "": // output of the build or the go command
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
			// Output after the result line, such as a panic or a race report, belongs
			// to another test or to the package.
			of := testKey{e.Package, ""}
			p.held[of] = append(p.held[of], lines[i+1:]...)
		}
		delete(p.held, key)
	}
}

// isResult reports whether a line is a test result, such as "--- PASS: TestA (0.00s)".
func isResult(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "--- ") }

// printAll prints the buffered output of a failed package. It prints the output of the unfinished
// tests first, and then the output of the package itself.
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
		p.out.WriteString(line) // a later Flush returns any write error
	}
	p.out.Flush()
}
