package syntax

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/lines"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/scheme/all"
)

// output holds the output and the exit status of a run.
type output struct {
	out, errs string
	status    int
}

// pieces reads a text in pieces of random size, as from a pipe.
type pieces struct {
	text []byte
	r    *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), 1+p.r.IntN(1<<p.r.IntN(17)))], p.text)
	p.text = p.text[n:]
	return n, nil
}

// newApp returns an App that reads the text, and its two outputs. If terminal is true, both
// outputs are the same.
func newApp(t testing.TB, text []byte, terminal bool, seed uint64) (*base.App, *bytes.Buffer, *bytes.Buffer) {
	var out, errs bytes.Buffer
	errOut := &errs
	if terminal {
		errOut = &out
	}
	a := base.New(t.Context(), &pieces{text, rand.New(rand.NewPCG(seed, 1))}, &out, errOut, func(string) string { return "" })
	a.OutTTY = terminal
	return a, &out, &errs
}

// execute runs a command line.
func execute(a *base.App, line string) int {
	root := base.NewRoot(a, []*cobra.Command{NewCanonical(a), NewCheck(a), NewParse(a)}, nil, &cobra.Command{})
	defer forget(a, root)
	return a.Execute(root, strings.Fields(line))
}

// forget empties cobra's table of flags with completions. The table refers to each
// command and app until the process ends, and a fuzz target creates thousands of
// them.
func forget(a *base.App, root *cobra.Command) {
	for _, cmd := range append(root.Commands(), root) {
		*cmd = cobra.Command{}
	}
	*a = base.App{}
}

func sideBySide(t testing.TB, line string, text []byte, terminal bool, seed uint64) output {
	a, out, errs := newApp(t, text, terminal, seed)
	status := execute(a, line+" -")
	return output{out.String(), errs.String(), status}
}

// oneByOne is a simple reference implementation of a run. It processes each line before it reads
// the next line.
func oneByOne(t testing.TB, line string, text []byte, terminal bool, seed uint64) output {
	a, out, errs := newApp(t, text, terminal, seed)
	var err error
	if a.Registry, err = all.Registry(); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(line)
	has := func(word string) bool { return slices.Contains(words, word) }
	a.Flags.JSON, a.Flags.Quiet = has("--json"), has("--quiet")
	profiles := []locus.Profile{locus.RFC1738}
	if i := slices.Index(words, "--rules"); i > 0 {
		profiles, _ = profile.Parse(words[i+1], profile.All())
	}
	var rules []profile.Rules
	for _, p := range profiles {
		rules = append(rules, profile.Rules{Profile: p, Registry: a.Registry})
	}
	w := &worker{Part: &base.Part{App: a}, run: &bulkRun{app: a, invalid: &invalidInputs{}}}
	answers := map[string]answerer{
		"canonical": &canonicalizer{worker: w, rules: rules, surt: has("--surt"), wrap: has("--wrap")},
		"check":     &checker{worker: w, rules: rules},
		"parse":     &printer{worker: w, rules: rules},
	}
	for input, err := range a.URLs([]string{"-"}) {
		w.line, w.start, w.end = []byte(input), 0, len(input)
		answers[words[0]].answer(input, err)
	}
	w.run.invalid.note(a)
	a.Out.Flush()
	o := output{out.String(), errs.String(), a.ExitStatus()}
	if words[0] == "parse" && !a.Flags.JSON {
		// There is no blank line before the first result.
		o.out = strings.Replace(o.out, "\n", "", 1)
		if terminal && !strings.HasPrefix(out.String(), "\n") {
			o.out = withoutFirstBlank(out.String())
		}
	}
	return o
}

// withoutFirstBlank removes the first blank line of the text. Messages may precede this line.
func withoutFirstBlank(text string) string {
	before, after, ok := strings.Cut(text, "\n\n")
	if !ok {
		return text
	}
	return before + "\n" + after
}

var commandLines = []string{
	"canonical", "canonical --json", "canonical --rules all", "canonical --surt", "canonical --wrap", "canonical --quiet", "canonical --rules whatwg", "canonical --rules rfc3986",
	"check", "check --json", "check --quiet", "check --rules all", "check --rules all --json", "check --rules rfc3986", "check --rules rfc1630", "check --rules whatwg",
	"parse", "parse --json", "parse --quiet", "parse --rules all", "parse --rules all --json", "parse --rules whatwg",
}

var hostile = []string{
	"http://h/a", "HTTP://H:80/b", "foo", "<URL:http://w/>", "URL:ftp://h", "url:http://h/", "urn:isbn:1", "example.org", "http://u:pw@h/~a", " http://x/ ", "", "\t", "\v\f ",
	"mailto:a@b.c", "http://h/%zz", "gopher://h:70/1", "news:a.b", "http://h:99999/", "http://h/\x00", "http://h/\x1b[31m", "a\xff\xfehttp://h/", "http://h/\u00e9", "http://h/?v=ftp%3A%2F%2Fu%3Apw%40h2%2F", "http://h/%41", "http://h/\u202e", "http://\u00e9/",
	`c:\x`, "<URL:http://a\tb/c>", "ftp://a:b@c:d/", "\x00", "\x00\x00\x00", "\ufeffhttp://bom/", "<", ">", "<>", "URL:", "u", "x-y:z", "htp://h/~", "file:///a/b", "\r", "http://h/\rb",
	"http://h/" + strings.Repeat("y", locus.MaxLen), strings.Repeat("x", 2*locus.MaxLen-2), strings.Repeat("x", 2*locus.MaxLen+1), strings.Repeat("\x00", 3*locus.MaxLen),
}

// hostileText returns n lines of all kinds.
func hostileText(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 2))
	var b bytes.Buffer
	for range n {
		line := fmt.Sprintf("http://h%d.example/%s%d", r.IntN(9), []string{"a", "~", "%7e", "A/"}[r.IntN(4)], r.IntN(50))
		if r.IntN(4) == 0 {
			line = hostile[r.IntN(len(hostile))]
		}
		if len(line) > 1000 && r.IntN(20) > 0 {
			line = "gopher://h"
		}
		b.WriteString(line)
		// The reference implementation counts the CR at the end of a truncated line.
		if len(line) < 2*locus.MaxLen && r.IntN(3) == 0 {
			b.WriteByte('\r')
		}
		b.WriteByte('\n')
	}
	if r.IntN(2) == 0 {
		b.WriteString("http://h/last")
	}
	return b.Bytes()
}

func compareVariants(t testing.TB, line string, text []byte, terminal bool, seed uint64) {
	t.Helper()
	got, want := sideBySide(t, line, text, terminal, seed), oneByOne(t, line, text, terminal, seed)
	if got == want {
		return
	}
	t.Errorf("%s (terminal %v, seed %d): status %d, want %d; %s; %s", line, terminal, seed, got.status, want.status,
		firstDifference(got.out, want.out), firstDifference(got.errs, want.errs))
}

func firstDifference(got, want string) string {
	if got == want {
		return "equal"
	}
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	part := func(s string) string { return s[max(0, min(i-50, len(s))):min(len(s), i+100)] }
	return fmt.Sprintf("offset %d: %q, want %q", i, part(got), part(want))
}

// Concurrent processing of lines has the same results, messages and status as sequential
// processing.
func TestBulkMatchesSingle(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		for i, line := range commandLines {
			for seed := range uint64(3) {
				compareVariants(t, line, hostileText(seed*100+uint64(i), 150), terminal, seed)
			}
			compareVariants(t, line, nil, terminal, 1)
			for _, text := range hostile {
				if len(text) > locus.MaxLen && i%6 > 0 {
					continue // each of these lines takes a second in JSON
				}
				compareVariants(t, line, []byte(text), terminal, 1)
				if len(text) < locus.MaxLen {
					compareVariants(t, line, []byte("\ufeff"+text+"\r\n"), terminal, 1)
				}
			}
		}
	}
}

func FuzzVariants(f *testing.F) {
	short := strings.Join(slices.DeleteFunc(slices.Clone(hostile), func(line string) bool { return len(line) > 1000 }), "\n")
	for i := range commandLines {
		f.Add([]byte(short), uint8(i), uint64(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, text []byte, command uint8, seed uint64, terminal bool) {
		if looksCompressed(text) || lines.IsParquet(text) {
			return
		}
		compareVariants(t, commandLines[int(command)%len(commandLines)], text, terminal, seed)
	})
}

// looksCompressed reports whether the command could treat the text as a compressed file or as
// UTF-16.
func looksCompressed(text []byte) bool {
	for _, magic := range []string{"\x1f\x8b", "\x1f\x9d", "\x1f\xa0", "BZh", "\xfd7zXZ", "\x28\xb5\x2f\xfd", "\xff\xfe", "\xfe\xff"} {
		if len(text) > 0 && strings.HasPrefix(magic, string(text[:min(len(text), len(magic))])) {
			return true
		}
	}
	return len(text) > 3 && text[1] == 'M' && text[2] == 0x18
}

// TestUniqueEqualsMap compares the collected pieces with a result computed with maps.
func TestUniqueEqualsMap(t *testing.T) {
	text := hostileText(7, 5000)
	plain := sideBySide(t, "canonical", text, false, 1)
	var order []string
	counts := map[string]int{}
	for line := range strings.Lines(plain.out) {
		if counts[line]++; counts[line] == 1 {
			order = append(order, line)
		}
	}
	linesOf := func(of func(line string) string) string {
		var b strings.Builder
		for _, line := range order {
			b.WriteString(of(line))
		}
		return b.String()
	}
	counted := func(line string) string { return fmt.Sprintf("%d\t%s", counts[line], line) }
	check := func(line, want string) {
		t.Helper()
		got := sideBySide(t, line, text, false, 2)
		if got.out != want || got.errs != plain.errs || got.status != plain.status {
			t.Errorf("%s: status %d; %s; %s, want out %q, errs %q and status %d", line, got.status, firstDifference(got.out, want), firstDifference(got.errs, plain.errs), want, plain.errs, plain.status)
		}
	}
	check("canonical --unique", linesOf(func(line string) string { return line }))
	check("canonical --count", linesOf(counted))
	check("canonical --unique --count", linesOf(counted))
	got := strings.SplitAfter(sideBySide(t, "canonical --unique --unordered", text, false, 3).out, "\n")
	slices.Sort(got)
	slices.Sort(order)
	if !slices.Equal(got[1:], order) {
		t.Errorf("--unordered gives %d lines, want %d", len(got)-1, len(order))
	}
	check("canonical --unique --sort", linesOf(func(line string) string { return line }))
	check("canonical --count --sort", linesOf(counted))
	check("canonical --sort", linesOf(func(line string) string { return strings.Repeat(line, counts[line]) }))
}

func TestSummaries(t *testing.T) {
	const text = "http://b/1\nhttp://a/1\nHTTP://A:80/1\nhttp://a/2\nmailto:x@y.z\nfoo\nhttp://a/~\nftp://c\n"
	for line, want := range map[string]string{
		"canonical --by host":                   "4\ta\n1\t-\n1\tb\n1\tc\n",
		"canonical --by host --unique":          "3\ta\n1\t-\n1\tb\n1\tc\n",
		"canonical --by scheme":                 "5\thttp\n1\tftp\n1\tmailto\n",
		"canonical --by scheme --json --unique": "{\"scheme\":\"http\",\"count\":4}\n{\"scheme\":\"ftp\",\"count\":1}\n{\"scheme\":\"mailto\",\"count\":1}\n",
		"check --by host":                       "2\ta\n1\t-\n",
		"check --by scheme":                     "2\thttp\n1\t-\n",
		"check --by rule --quiet":               "1\tviolation no-scheme\n1\tviolation scheme-case\n1\tviolation unsafe-character\n",
	} {
		got := sideBySide(t, line, []byte(text), false, 1)
		if got.out != want || got.status != base.StatusUsage {
			t.Errorf("%s: status %d:\n%swant\n%s", line, got.status, got.out, want)
		}
	}
}

// Data that does not fit into memory gives the same results.
func TestCollectorWithLittleMemory(t *testing.T) {
	var b bulk.Batch
	h := bulk.NewHasher()
	r := rand.New(rand.NewPCG(1, 3))
	counts := map[string]int{}
	var order []string
	for range 40_000 {
		line := fmt.Sprintf("http://h%d/%d\n", r.IntN(300), r.IntN(40))
		if counts[line]++; counts[line] == 1 {
			order = append(order, line)
		}
		b.Keys = append(b.Keys, h.KeyOf(line))
		b.Text = append(b.Text, line...)
		b.Ends = append(b.Ends, len(b.Text))
	}
	for _, memory := range []int64{1 << 12, 1 << 18, 1 << 30} {
		collect := func(c collector) string {
			c.open(memory, t.TempDir())
			defer c.close()
			a, out, _ := newApp(t, nil, false, 1)
			b.New = b.New[:0]
			if err := c.add(&b); err != nil {
				t.Fatal(err)
			}
			start := 0
			for i, end := range b.Ends {
				if b.New[i] {
					a.Out.Write(b.Text[start:end])
				}
				start = end
			}
			if err := c.finish(a); err != nil {
				t.Fatal(err)
			}
			a.Out.Flush()
			return out.String()
		}
		var want, wantCounts strings.Builder
		hosts := map[string]int{}
		for _, line := range order {
			want.WriteString(line)
			fmt.Fprintf(&wantCounts, "%d\t%s", counts[line], line)
			hosts[hostOf(strings.TrimSpace(line))]++
		}
		if got := collect(collector{unique: true}); got != want.String() {
			t.Errorf("%d octets of memory: unique: %s", memory, firstDifference(got, want.String()))
		}
		if got := collect(collector{count: true}); got != wantCounts.String() {
			t.Errorf("%d octets of memory: counts: %s", memory, firstDifference(got, wantCounts.String()))
		}
		sorted := strings.Join(slices.Sorted(slices.Values(order)), "")
		if got := collect(collector{unique: true, sort: true}); got != sorted {
			t.Errorf("%d octets of memory: sorted: %s", memory, firstDifference(got, sorted))
		}
		groups := collect(collector{unique: true, group: func(text []byte) string { return hostOf(strings.TrimSpace(string(text))) }})
		last := 1 << 30
		for line := range strings.Lines(groups) {
			n, host := 0, ""
			if fmt.Sscanf(line, "%d\t%s", &n, &host); hosts[host] != n || n > last {
				t.Errorf("%d octets of memory: %q, want %d", memory, line, hosts[host])
			}
			delete(hosts, host)
			last = n
		}
		if len(hosts) > 0 {
			t.Errorf("%d octets of memory: %d hosts are missing", memory, len(hosts))
		}
	}
}

func TestInvalid(t *testing.T) {
	const text = "http://a/\n foo \nHTTP://b\nfoo\n"
	name := t.TempDir() + "/invalid"
	for line, want := range map[string]string{
		"canonical --invalid keep":          "http://a/\n foo \nhttp://b/\nfoo\n",
		"canonical --invalid keep --unique": "http://a/\n foo \nhttp://b/\nfoo\n",
		"canonical --invalid drop":          "http://a/\nhttp://b/\n",
		"canonical --invalid " + name:       "http://a/\nhttp://b/\n",
	} {
		got := sideBySide(t, line, []byte(text), false, 1)
		if got.out != want || got.status != base.StatusUsage || strings.Contains(got.errs, "no scheme") || !strings.Contains(got.errs, "not URLs: 2") {
			t.Errorf("%s: status %d\n%s%s, want out %q, status %d, no %q in errs and %q in errs", line, got.status, got.out, got.errs, want, base.StatusUsage, "no scheme", "not URLs: 2")
		}
	}
	const want = `{"file":null,"line":2,"offset":1,"reason":"no scheme; a URL begins with a name and \":\"","text":" foo "}
{"file":null,"line":4,"offset":0,"reason":"no scheme; a URL begins with a name and \":\"","text":"foo"}
`
	if kept, err := os.ReadFile(name); err != nil || string(kept) != want {
		t.Errorf("ReadFile(%q) = %q, %v, want no error and kept %q", name, kept, err, want)
	}
}

// The file for invalid inputs contains the position and the reason of each fault, without
// passwords.
func TestInvalidRecords(t *testing.T) {
	for _, row := range []struct{ flags, text, want string }{
		{"", "http://h:x/\n", `"line":1,"offset":9,"reason":"a port is decimal digits","text":"http://h:x/"`},
		{"", "\xe9\n", `"text":"é"`},
		{"", "ftp://u:s3cret@h:x/\n", `"text":"ftp://u:s3cret@h:x/"`},
		{"--field 2 ", "1\tfoo\n", `"offset":2,"reason":"no scheme`},
		{"--field 2 ", "1\n", `"offset":null,"reason":"the line has no field 2: it has 1 field","text":"1"`},
		{"--field 2 --delimiter , ", "1,\"f\"\"o\"\n", `"offset":null,"reason":"no scheme`},
		{"--field 2 --delimiter , ", "1,\"foo\"\n", `"offset":3,"reason":"no scheme`},
		{"--key u ", `{"u":"foo"}`, `"offset":6,"reason":"no scheme`},
	} {
		name := t.TempDir() + "/invalid"
		sideBySide(t, "canonical "+row.flags+"--invalid "+name, []byte(row.text), false, 1)
		kept, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(kept), row.want) {
			t.Errorf("%s%q: %s, %v, want no error and %q in kept", row.flags, row.text, kept, err, row.want)
		}
		if reason, _, _ := strings.Cut(string(kept), `"text"`); strings.Contains(reason, "s3cret") {
			t.Errorf("%q: %s, want no %q in reason", row.text, reason, "s3cret")
		}
	}
}

// After 20 messages, the command only counts invalid lines by rule.
func TestManyInvalidLines(t *testing.T) {
	bad := func(n int) []byte {
		return []byte("http://a/\n" + strings.Repeat("foo\n", n) + "http://h:x/\nhttp://b/\n")
	}
	const advice = "locus: --invalid FILE writes each invalid line and its reason to FILE\n"
	for _, row := range []struct {
		line     string
		n        int
		messages int
		want     string
	}{
		{"canonical", 19, 20, ""},
		{"canonical", 20, 20, "locus: invalid lines without a message: 1\nlocus: 1 port\n" + advice},
		{"canonical", 30, 20, "locus: invalid lines without a message: 11\nlocus: 10 no-scheme\nlocus: 1 port\n" + advice},
		{"canonical --unordered --quiet", 100_000, 20, "locus: invalid lines without a message: 99981\nlocus: 99980 no-scheme\nlocus: 1 port\n" + advice},
		{"parse", 30, 20, "locus: invalid lines without a message: 11\nlocus: 10 no-scheme\nlocus: 1 port\n" + advice},
		{"check --field 2", 30, 20, "locus: invalid lines without a message: 13\nlocus: 13 field\n"},
		{"canonical --invalid drop", 30, 0, "locus: inputs that are not URLs: 31, dropped\n"},
		{"canonical --json", 30, 0, ""},
	} {
		got := sideBySide(t, row.line, bad(row.n), false, 1)
		messages, summary := 0, ""
		for line := range strings.Lines(got.errs) {
			if strings.HasPrefix(line, "locus: line ") {
				messages++
			} else {
				summary += line
			}
		}
		if messages != row.messages || summary != row.want || got.status != base.StatusUsage {
			t.Errorf("%s with %d: status %d, %d messages, %s", row.line, row.n, got.status, messages, summary)
		}
		if strings.Contains(row.line, "json") && strings.Count(got.out, "\n") != row.n+3 {
			t.Errorf("%s: %d lines", row.line, strings.Count(got.out, "\n"))
		}
	}
}

func TestRefusedCombinations(t *testing.T) {
	for line, want := range map[string]string{
		"canonical --unique --rules all":     "one set of rules",
		"canonical --count --rules all":      "one set of rules",
		"canonical --sort --json":            "can't be used with --json",
		"canonical --sort --unordered":       "--sort and --unordered can't be used together",
		"canonical --by rule":                "choose host, scheme",
		"canonical --by host --invalid keep": "choose drop",
		"canonical --unique --memory 1M":     "the minimum is 96M",
		"canonical --unique --memory x":      "a size is",
		"canonical --by host --surt":         "surt",
	} {
		got := sideBySide(t, line, []byte("http://h/\n"), false, 1)
		if got.status != base.StatusUsage || !strings.Contains(got.errs, want) || got.out != "" {
			t.Errorf("%s: status %d, %q, want status %d, %q in errs and no out", line, got.status, got.errs, base.StatusUsage, want)
		}
	}
}

func TestInvalidFileFails(t *testing.T) {
	got := sideBySide(t, "canonical --invalid "+t.TempDir()+"/none/file", []byte("http://h/\n"), false, 1)
	if got.status != base.StatusAccess || !strings.Contains(got.errs, "no such file") || got.out != "" {
		t.Errorf("sideBySide() = status %d, %q, want status %d, %q in errs and no out", got.status, got.errs, base.StatusAccess, "no such file")
	}
}

// The command writes all results before it waits for more input from a pipe.
func TestAnswersBeforeWaiting(t *testing.T) {
	for _, line := range []string{"canonical", "canonical --unique", "check", "parse --json"} {
		in, to := io.Pipe()
		from, out := io.Pipe()
		a := base.New(t.Context(), in, out, io.Discard, func(string) string { return "" })
		done := make(chan int)
		go func() { done <- execute(a, line+" -") }()
		answers := make(chan string)
		go func() {
			b := make([]byte, 1<<16)
			for {
				n, err := from.Read(b)
				if err != nil {
					return
				}
				answers <- string(b[:n])
			}
		}()
		for i := range 3 {
			url := fmt.Sprintf("http://h/%d", i)
			io.WriteString(to, url+"\n")
			select {
			case answer := <-answers:
				if !strings.Contains(answer, url) {
					t.Errorf("%s: %q, want %q in answer", line, answer, url)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%s: no answer", line)
			}
		}
		to.Close()
		if status := <-done; status != 0 {
			t.Errorf("%s: status %d, want status 0", line, status)
		}
		from.Close()
	}
}

// endless returns the same line forever.
type endless struct{ after func() }

func (e endless) Read(b []byte) (int, error) {
	e.after()
	const line = "http://h/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
	return copy(b, strings.Repeat(line, len(b)/len(line))), nil
}

func TestInterruptAndClosedPipe(t *testing.T) {
	for _, line := range commandLines {
		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		in := endless{func() {
			if reads++; reads == 5 {
				cancel()
			}
		}}
		var out bytes.Buffer
		a := base.New(ctx, in, &out, io.Discard, func(string) string { return "" })
		if status := execute(a, line+" -"); status != base.StatusInterrupted {
			t.Errorf("%s: status %d after an interrupt", line, status)
		}
		if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
			t.Errorf("%s: the last line is cut", line)
		}
		from, to := io.Pipe()
		from.Close()
		a = base.New(t.Context(), endless{func() {}}, to, io.Discard, func(string) string { return "" })
		want := 0
		if strings.HasPrefix(line, "check --quiet") {
			continue // this command writes no results
		}
		if status := execute(a, line+" -"); status != want {
			t.Errorf("%s: status %d after the pipe was closed", line, status)
		}
	}
}

// Processing a line in canonical form does not allocate memory.
func TestQuickAllocatesNothing(t *testing.T) {
	a, _, _ := newApp(t, nil, false, 1)
	var err error
	if a.Registry, err = all.Registry(); err != nil {
		t.Fatal(err)
	}
	r := &bulkRun{app: a, collect: &collector{unique: true}, hasher: bulk.NewHasher()}
	rules := []profile.Rules{{Profile: locus.RFC1738, Registry: a.Registry}}
	r.answerer = func(w *worker) answerer { return &canonicalizer{worker: w, rules: rules} }
	block := &lines.Block{Source: "-", Line: 1, Text: bytes.Repeat([]byte("http://www.example.com/a/path?q=1\n"), 1000)}
	w := r.newWorker()
	most := 5.0
	if view := testing.AllocsPerRun(20, func() { _ = len(octet.View(block.Text)) }); view > 0 {
		most += 1000 // the portable code copies the bytes that it converts to a string
	}
	if n := testing.AllocsPerRun(20, func() { w.answerBlock(block) }); n > most {
		t.Errorf("%v allocations for 1000 lines", n)
	}
	if len(w.batch.Keys) != 1000 {
		t.Errorf("%d answers, want 1000", len(w.batch.Keys))
	}
}
