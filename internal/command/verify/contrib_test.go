package verify_test

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// yamlNode is a mapping, a list or a text in the subset of YAML that the files in contrib use.
type yamlNode struct {
	text string
	keys []string
	of   map[string]*yamlNode
	list []*yamlNode
}

func (n *yamlNode) at(path ...string) *yamlNode {
	for _, key := range path {
		if n = n.of[key]; n == nil {
			return new(yamlNode)
		}
	}
	return n
}

// readYAML parses block mappings, block lists, plain and quoted scalars, and "|" texts.
func readYAML(t *testing.T, name string) *yamlNode {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	y := &yamlReader{t: t, name: name, lines: strings.Split(string(text), "\n")}
	return y.node(0)
}

type yamlReader struct {
	t     *testing.T
	name  string
	lines []string
	at    int
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// nextLine skips blank lines and comments, and reports whether the next line is indented by at
// least the given number of columns.
func (y *yamlReader) nextLine(indent int) (line string, ok bool) {
	for ; y.at < len(y.lines); y.at++ {
		line = y.lines[y.at]
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") {
			return line, indentOf(line) >= indent
		}
	}
	return "", false
}

func (y *yamlReader) node(indent int) *yamlNode {
	n := &yamlNode{of: map[string]*yamlNode{}}
	line, ok := y.nextLine(indent)
	if !ok {
		return n
	}
	indent = indentOf(line)
	for {
		line, ok = y.nextLine(indent)
		if !ok || indentOf(line) != indent {
			return n
		}
		if item, isItem := strings.CutPrefix(line[indent:], "- "); isItem {
			if key, _, isMap := strings.Cut(item, ": "); isMap && !strings.ContainsAny(key, " \"'") || strings.HasSuffix(item, ":") {
				// The keys of the item follow the "-".
				y.lines[y.at] = strings.Repeat(" ", indent+2) + item
				n.list = append(n.list, y.node(indent+2))
				continue
			}
			y.at++
			n.list = append(n.list, &yamlNode{text: unquoteYAML(item)})
			continue
		}
		key, value, found := strings.Cut(line[indent:], ":")
		if !found {
			y.t.Fatalf("%s:%d: %q", y.name, y.at+1, line)
		}
		y.at++
		n.keys = append(n.keys, key)
		switch value = strings.TrimSpace(value); value {
		case "":
			n.of[key] = y.node(indent + 1)
		case "|":
			n.of[key] = &yamlNode{text: y.literal(indent + 1)}
		default:
			n.of[key] = &yamlNode{text: unquoteYAML(value)}
		}
	}
}

func (y *yamlReader) literal(indent int) string {
	var b strings.Builder
	first := indentOf(y.lines[y.at])
	for ; y.at < len(y.lines); y.at++ {
		line := y.lines[y.at]
		if strings.TrimSpace(line) != "" && indentOf(line) < max(indent, first) {
			break
		}
		b.WriteString(line[min(first, len(line)):] + "\n")
	}
	return b.String()
}

func unquoteYAML(text string) string {
	if len(text) > 1 && text[0] == '\'' && text[len(text)-1] == '\'' {
		return strings.ReplaceAll(text[1:len(text)-1], "''", "'")
	}
	return text
}

// runner runs the script steps like a GitHub Actions runner.
type runner struct {
	t      *testing.T
	action *yamlNode
	inputs map[string]string
	work   string // directory with the documents
	temp   string
	path   []string
}

var expression = regexp.MustCompile(`\$\{\{ *([\w.-]+) *\}\}`)

// newRunner prepares a directory for a runner. A copy of the test program replaces "go install".
func newRunner(t *testing.T) *runner {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts need bash")
	}
	r := &runner{t: t, action: readYAML(t, "../../../contrib/action/action.yml"), inputs: map[string]string{}, work: t.TempDir(), temp: t.TempDir()}
	inputs := r.action.at("inputs")
	for _, name := range inputs.keys {
		r.inputs[name] = inputs.at(name, "default").text
	}
	locus, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(r.temp, "fake")
	writeDoc(t, filepath.Join(bin, "go"), `#!/bin/sh
[ "$*" = "install github.com/locus-url/locus/cmd/locus@v0.0.0-test" ] || { echo "go $*" >&2; exit 9; }
ln -s "`+locus+`" "$GOBIN/locus"
`)
	if err := os.Chmod(filepath.Join(bin, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.path = []string{bin, "/usr/local/bin", "/usr/bin", "/bin"}
	r.inputs["version"] = "v0.0.0-test"
	return r
}

// value replaces the workflow expressions in a text.
func (r *runner) value(text string) string {
	return expression.ReplaceAllStringFunc(text, func(whole string) string {
		name := expression.FindStringSubmatch(whole)[1]
		if input, ok := strings.CutPrefix(name, "inputs."); ok {
			value, known := r.inputs[input]
			if !known {
				r.t.Errorf("the input %q is missing", input)
			}
			return value
		}
		if name != "runner.temp" {
			r.t.Errorf("the expression %s", whole)
		}
		return r.temp
	})
}

// run runs the scripts. It returns the output of the scripts, the step outputs of the verify step,
// and the exit status.
func (r *runner) run() (out, outputs string, status int) {
	r.t.Helper()
	count := 0
	for _, step := range r.action.at("runs", "steps").list {
		script := step.at("run").text
		if script == "" {
			continue
		}
		count++
		if expression.MatchString(script) || step.at("shell").text != "bash" {
			r.t.Errorf("an expression in a script, or another shell: %s", script)
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
		cmd.Dir = filepath.Join(r.work, r.value(step.at("working-directory").text))
		files := map[string]string{"GITHUB_PATH": "path", "GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
		cmd.Env = []string{"HOME=" + r.temp, "RUNNER_TEMP=" + r.temp, "PATH=" + strings.Join(r.path, ":"), "GORACE=atexit_sleep_ms=0", "CI=true", "GITHUB_ACTIONS=true"}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			cmd.Env = append(cmd.Env, name+"="+filepath.Join(r.temp, files[name]))
		}
		for _, name := range step.at("env").keys {
			cmd.Env = append(cmd.Env, name+"="+r.value(step.at("env", name).text))
		}
		var b bytes.Buffer
		cmd.Stdout, cmd.Stderr = &b, &b
		err := cmd.Run()
		out += b.String()
		if exit, ok := err.(*exec.ExitError); ok {
			status = exit.ExitCode()
			break
		} else if err != nil {
			r.t.Fatal(err)
		}
		if added, err := os.ReadFile(filepath.Join(r.temp, "path")); err == nil {
			r.path = append([]string{strings.TrimSpace(string(added))}, r.path...)
		}
	}
	if count != 2 && status == 0 {
		r.t.Errorf("%d scripts", count)
	}
	text, _ := os.ReadFile(filepath.Join(r.temp, "output")) // the file is missing if an earlier step failed
	return out, string(text), status
}

// The scripts of the GitHub Action find a dead link, annotate it, write the reports, keep the
// results for the next run, and fail.
func TestActionDeadLink(t *testing.T) {
	r := newRunner(t)
	writeDoc(t, filepath.Join(r.work, "docs/a b.md"), "[a](none.md)\n")
	r.inputs["paths"], r.inputs["sarif"], r.inputs["html"], r.inputs["args"] = "docs\ndocs/a b.md", "out.sarif", "out.html", "--offline  --strict"
	out, outputs, status := r.run()
	if status != 1 || outputs != "status=1\n" || strings.Count(out, "::error file=docs/a b.md,line=1,col=5,title=dead::none.md") != 2 {
		t.Errorf("%d, %q: %s, want status 1 and outputs %q", status, outputs, out, "status=1\n")
	}
	log := readSARIF(t, readDoc(t, filepath.Join(r.work, "out.sarif")))
	if len(log.Runs[0].Results) != 2 {
		t.Errorf("readSARIF() = %+v, want 2 of log.Runs[0].Results", log)
	}
	if page := readDoc(t, filepath.Join(r.work, "out.html")); !strings.Contains(page, "none.md") {
		t.Errorf("%s, want %q in page", page, "none.md")
	}
	if text := readDoc(t, filepath.Join(r.temp, "summary")); !strings.Contains(text, "| `none.md` | dead |") {
		t.Errorf("%s, want %q in text", text, "| `none.md` | dead |")
	}
	// The workflow restores the results directory, and saves it even if the step failed.
	steps := map[string]*yamlNode{}
	for _, step := range r.action.at("runs", "steps").list {
		name, _, _ := strings.Cut(step.at("uses").text, "@")
		steps[name] = step
	}
	restore, save := steps["actions/cache/restore"], steps["actions/cache/save"]
	if restore == nil || save == nil || save.at("if").text != "always()" || restore.at("with", "key").text != save.at("with", "key").text || restore.at("with", "path").text != save.at("with", "path").text {
		t.Fatalf("the results are not cached: %+v, %+v", restore, save)
	}
	if _, err := os.Stat(filepath.Join(r.value(save.at("with", "path").text), "locus/verify.db")); err != nil {
		t.Error(err)
	}
}

// The Go version in the files of contrib is the version that this module requires.
func TestContribGoVersion(t *testing.T) {
	_, version, _ := strings.Cut(readDoc(t, "../../../go.mod"), "\ngo ")
	version = version[:strings.LastIndexByte(version[:strings.IndexByte(version, '\n')], '.')]
	action := readYAML(t, "../../../contrib/action/action.yml").at("runs", "steps").list[0]
	job := readYAML(t, "../../../contrib/gitlab/locus-verify.gitlab-ci.yml").at("locus-verify")
	if got := action.at("with", "go-version").text; got != version {
		t.Errorf("the action has Go %s, not %s", got, version)
	}
	if got := job.at("image").text; got != "golang:"+version {
		t.Errorf("the job has the image %s, not Go %s", got, version)
	}
}

// The exit status of the action distinguishes good links, accepted dead links, and usage errors.
func TestActionStatus(t *testing.T) {
	for _, c := range []struct {
		doc, fail, args string
		status          int
		outputs         string
	}{
		{"[a](a.md)", "true", "", 0, "status=0\n"},
		{"[a](none.md)", "false", "", 0, "status=1\n"},
		{"[a](none.md)", "true", "", 1, "status=1\n"},
		{"[a](a.md)", "false", "--no-such-flag", 2, "status=2\n"},
		{"[a](http://h.iana.org:25/)", "false", "", 0, "status=4\n"},
		{"[a](http://h.iana.org:25/)", "true", "", 4, "status=4\n"},
		{"[a](a.md)", "false", "--rules none.toml", 2, "status=2\n"},
		{"[a](a.md)", "false", "-- none.md", 3, "status=3\n"},
	} {
		r := newRunner(t)
		writeDoc(t, filepath.Join(r.work, "sub/a.md"), c.doc)
		r.inputs["fail"], r.inputs["args"], r.inputs["working-directory"] = c.fail, c.args, "sub"
		if out, outputs, status := r.run(); status != c.status || outputs != c.outputs {
			t.Errorf("%+v: %d, %q: %s, want status %d and outputs %q", c, status, outputs, out, c.status, c.outputs)
		}
	}
}

// An input of the action is never interpreted as a command, a file name pattern, or a flag.
func TestActionHostileInputs(t *testing.T) {
	r := newRunner(t)
	writeDoc(t, filepath.Join(r.work, "a.md"), "text\n")
	evil := "$(touch pwned) `touch pwned` ; touch pwned"
	r.inputs["paths"], r.inputs["args"], r.inputs["html"], r.inputs["sarif"] = evil+"\n--output\n*.md", evil+" *", evil, evil+"2"
	out, _, status := r.run()
	if _, err := os.Stat(filepath.Join(r.work, "pwned")); err == nil || status == 0 {
		t.Errorf("%d: %s, want an error and status other than 0", status, out)
	}
	if strings.Contains(out, "no value") || !strings.Contains(out, "*.md") {
		t.Errorf("%s, want no %q in out and %q in out", out, "no value", "*.md")
	}
}

// The GitLab job writes its reports to the declared paths.
func TestGitLabTemplate(t *testing.T) {
	r := newRunner(t)
	job := readYAML(t, "../../../contrib/gitlab/locus-verify.gitlab-ci.yml").at("locus-verify")
	writeDoc(t, filepath.Join(r.work, "docs/a.md"), "[a](none.md)\n")
	env := []string{"HOME=" + r.temp, "GOBIN=" + filepath.Join(r.temp, "bin"), "PATH=" + strings.Join(append([]string{filepath.Join(r.temp, "bin")}, r.path...), ":"), "GORACE=atexit_sleep_ms=0", "CI=true"}
	for _, name := range job.at("variables").keys {
		env = append(env, name+"="+strings.ReplaceAll(job.at("variables", name).text, "$CI_PROJECT_DIR", r.work))
	}
	env = append(env, "LOCUS_VERSION=v0.0.0-test", "LOCUS_PATHS=docs README.md", "LOCUS_ARGS=--strict")
	writeDoc(t, filepath.Join(r.work, "README.md"), "text\n")
	if err := os.Mkdir(filepath.Join(r.temp, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	status := 0
	var out []byte
	for _, line := range job.at("script").list {
		cmd := exec.Command("sh", "-ec", line.text)
		cmd.Dir, cmd.Env = r.work, env
		var err error
		if out, err = cmd.CombinedOutput(); err != nil {
			exit, ok := err.(*exec.ExitError)
			if !ok {
				t.Fatal(err)
			}
			status = exit.ExitCode()
			break
		}
	}
	if status != 1 || !strings.Contains(string(out), "none.md") {
		t.Errorf("%d: %s, want status 1 and %q in out", status, out, "none.md")
	}
	names := append(job.at("artifacts", "paths").list, job.at("artifacts", "reports", "junit"))
	for _, name := range names {
		if text := readDoc(t, filepath.Join(r.work, name.text)); !strings.Contains(text, "none.md") {
			t.Errorf("%s: %s, want %q in text", name.text, text, "none.md")
		}
	}
	if _, err := os.Stat(filepath.Join(r.work, job.at("cache", "paths").list[0].text, "verify.db")); err != nil || len(names) != 2 {
		t.Errorf("%v, %d reports", err, len(names))
	}
}

// Each pre-commit hook runs and finds a dead link.
func TestPreCommitHooks(t *testing.T) {
	hooks := readYAML(t, "../../../.pre-commit-hooks.yaml").list
	t.Chdir(t.TempDir())
	writeDoc(t, "a.md", "[a](none.md)\n")
	writeDoc(t, "b.md", "[a](a.md)\n")
	want := map[string][]string{"locus-verify": {"a.md", "b.md"}, "locus-verify-offline": nil}
	for _, hook := range hooks {
		id := hook.at("id").text
		files, known := want[id]
		if delete(want, id); !known || (hook.at("pass_filenames").text == "false") != (files == nil) || hook.at("language").text != "golang" {
			t.Errorf("hook %s: %+v", id, hook)
		}
		args, isLocus := strings.CutPrefix(hook.at("entry").text, "locus verify")
		if !isLocus {
			t.Errorf("hook %s runs %q", id, hook.at("entry").text)
		}
		out, errOut, status := runVerify(t, t.Context(), nil, append(strings.Fields(args), files...)...)
		if status != 1 || !strings.Contains(out, "dead        none.md") || errOut != "" {
			t.Errorf("hook %s: %d, %s%s", id, status, out, errOut)
		}
	}
	if len(want) > 0 {
		t.Errorf("hooks are missing: %v", want)
	}
}

// The examples in the documentation use existing hooks and inputs, and equal the files in contrib.
func TestVerifyCIPage(t *testing.T) {
	page := readDoc(t, "../../../docs/verify-ci.md")
	action := readYAML(t, "../../../contrib/action/action.yml")
	_, uses, _ := strings.Cut(page, "uses: locus-url/locus/contrib/action@")
	block, _, _ := strings.Cut(uses, "```")
	_, with, _ := strings.Cut(block, "with:\n")
	count := 0
	for line := range strings.Lines(with) {
		if indentOf(line) != 10 {
			break
		}
		count++
		if key, _, _ := strings.Cut(strings.TrimSpace(line), ":"); !slices.Contains(action.at("inputs").keys, key) {
			t.Errorf("the input %q is missing", key)
		}
	}
	if count == 0 {
		t.Errorf("no inputs in %q", block)
	}
	for _, name := range action.at("inputs").keys {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("the page does not explain the input %s", name)
		}
	}
	for name, begin := range map[string]string{"contrib/pre-commit/pre-commit-config.yaml": "repos:\n", "contrib/gitlab/locus-verify.gitlab-ci.yml": "locus-verify:\n"} {
		_, text, _ := strings.Cut(readDoc(t, "../../../"+name), "\n"+begin)
		if text == "" || !strings.Contains(page, "```yaml\n"+begin+text+"```") {
			t.Errorf("the page does not have %s:\n%s", name, text)
		}
	}
}
