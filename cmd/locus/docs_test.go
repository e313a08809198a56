package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// theDocs returns the names of README.md and of the pages in docs and docs/dev.
func theDocs(t *testing.T) []string {
	t.Helper()
	names := []string{"../../README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/dev/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil || len(more) < 2 {
			t.Fatal(more, err)
		}
		names = append(names, more...)
	}
	return names
}

// setup is the language name of a hidden block. Such a block is an HTML comment with commands that
// write the files for the next console blocks.
const setup = "setup"

// block is a fenced code block in a Markdown page, or a setup comment.
type block struct {
	language string
	lines    []string
	line     int // line number of the first line
}

func blocksOf(t *testing.T, name string) (list []block) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var open *block
	for i, line := range strings.Split(string(text), "\n") {
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case line == "<!-- "+setup && open == nil:
			open = &block{language: setup, line: i + 2}
		case line == "-->" && open != nil && open.language == setup:
			list, open = append(list, *open), nil
		case fence && open == nil:
			open = &block{language: language, line: i + 2}
		case fence:
			list, open = append(list, *open), nil
		case open != nil:
			open.lines = append(open.lines, line)
		}
	}
	if open != nil {
		t.Errorf("%s:%d: the block is not closed", name, open.line)
	}
	return list
}

// shellCommand is a command in a console block, and the output that the page shows.
type shellCommand struct {
	text   string
	want   []string
	status int
	line   int
}

// exitStatus matches the line after the output of a failing command.
var exitStatus = regexp.MustCompile(`^(?:# exit status (\d+)|\[status (\d+)\])$`)

func commandsOf(t *testing.T, name string) (list []shellCommand) {
	for _, b := range blocksOf(t, name) {
		if b.language == setup {
			list = append(list, shellCommand{text: strings.Join(b.lines, "\n"), line: b.line})
		}
		if b.language != "console" {
			continue
		}
		for i, line := range b.lines {
			text, isCommand := strings.CutPrefix(line, "$ ")
			switch {
			case isCommand:
				list = append(list, shellCommand{text: text, line: b.line + i})
				continue
			case i == 0:
				t.Fatalf("%s:%d: a console block begins with a command", name, b.line)
			}
			last := &list[len(list)-1]
			if status := exitStatus.FindStringSubmatch(line); status != nil {
				last.status, _ = strconv.Atoi(status[1] + status[2])
			} else if more, ok := strings.CutPrefix(line, "> "); ok && len(last.want) == 0 {
				last.text += "\n" + more
			} else {
				last.want = append(last.want, line)
			}
		}
	}
	return list
}

// shownOutput converts the output that a page shows to a regular expression. The text "..."
// matches any text; on a separate line, it matches any lines.
func shownOutput(want []string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`\A`)
	for _, line := range want {
		if line == "..." {
			b.WriteString(`(?s:.*\n)?`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`) + `\n`)
	}
	return regexp.MustCompile(b.String() + `\z`)
}

// The commands in README.md and docs print the output that the pages show. Each command runs with
// its own empty home directory, in a directory with links to the files of the clone.
func TestDocsCommands(t *testing.T) {
	count := 0
	for _, name := range theDocs(t) {
		if filepath.Base(name) == "fleet.md" {
			continue // the other module tests these commands
		}
		commands := commandsOf(t, name)
		count += len(commands)
		t.Run(strings.TrimPrefix(name, "../../"), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			root, err := filepath.Abs("../..")
			if err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(root)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if err := os.Symlink(filepath.Join(root, e.Name()), filepath.Join(dir, e.Name())); err != nil {
					t.Fatal(err)
				}
			}
			for _, c := range commands {
				cmd := exec.Command("sh", "-c", c.text)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "GORACE=atexit_sleep_ms=0")
				out, err := cmd.CombinedOutput()
				status := 0
				if exit := (*exec.ExitError)(nil); err != nil {
					if exit, _ = err.(*exec.ExitError); exit == nil {
						t.Fatal(err)
					}
					status = exit.ExitCode()
				}
				if status != c.status || !shownOutput(c.want).Match(out) {
					t.Errorf("%s:%d: %s\nstatus %d, want %d\n%s", name, c.line, c.text, status, c.status, out)
				}
			}
		})
	}
	if count < 20 {
		t.Errorf("only %d commands", count)
	}
}

// The links between the pages work, including the fragments. The test does not check links to
// other servers.
func TestDocsLinks(t *testing.T) {
	t.Chdir("../..")
	var out, errs bytes.Buffer
	a := base.New(t.Context(), strings.NewReader(""), &out, &errs, clitest.NoEnv)
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	status := commands.Run(a, append([]string{"verify", "--offline", "--no-cache", "docs", "bench/RESULTS.md"}, pages...))
	m := regexp.MustCompile(`([0-9]+) links in ([0-9]+) documents.* ([0-9]+) alive`).FindStringSubmatch(out.String())
	if m == nil {
		t.Fatalf("verify writes no counts: %s%s", &out, &errs)
	}
	if alive, _ := strconv.Atoi(m[3]); status != base.StatusDone || alive < 200 {
		t.Errorf("status %d, %d links alive, want status %d and at least 200:\n%s%s", status, alive, base.StatusDone, &out, &errs)
	}
}

// The lines of each Go snippet in README.md and docs occur, in the same order, in a compiled Go
// file, usually in an example.
func TestDocsGo(t *testing.T) {
	var files [][]string
	if err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".go") {
			octets, err := os.ReadFile(name)
			files = append(files, plainCode(strings.Split(string(octets), "\n")))
			return err
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range theDocs(t) {
		for _, b := range blocksOf(t, name) {
			if snippet := plainCode(b.lines); b.language == "go" && !slices.ContainsFunc(files, func(code []string) bool { return inOrder(code, snippet) }) {
				t.Errorf("%s:%d: no Go file has this snippet", name, b.line)
			}
		}
	}
}

// plainCode returns lines of Go code without indentation, blank lines and comment lines.
func plainCode(lines []string) (code []string) {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			code = append(code, line)
		}
	}
	return code
}

// inOrder reports whether the code contains the lines of the snippet in the same order.
func inOrder(code, snippet []string) bool {
	for _, line := range code {
		if len(snippet) > 0 && line == snippet[0] {
			snippet = snippet[1:]
		}
	}
	return len(snippet) == 0
}

// tableOf returns the rows of the table that follows a heading.
func tableOf(t *testing.T, name, heading string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(text), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no heading %q", name, heading)
	}
	after, _, _ = strings.Cut(after, "\n## ")
	for _, line := range strings.Split(after, "\n") {
		if line, ok := strings.CutPrefix(line, "| "); ok {
			cells := strings.Split(strings.ReplaceAll(strings.TrimSuffix(line, "|"), `\|`, "\x00"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "\x00", "|"))
			}
			rows = append(rows, cells)
		}
	}
	if len(rows) < 3 {
		t.Fatalf("%s, %s: %d rows", name, heading, len(rows))
	}
	return rows[1:] // without the header; the line below it begins with "|-"
}

// The subcommands and flags in shell blocks and in code spans of the pages exist.
func TestDocsFlags(t *testing.T) {
	var out bytes.Buffer
	root := commands.NewRoot(base.New(context.Background(), strings.NewReader(""), &out, &out, clitest.NoEnv))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	count := 0
	for _, name := range theDocs(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range shownCommand.FindAllStringSubmatch(string(text), -1) {
			words := strings.Fields(quoted.ReplaceAllString(m[1], "X"))
			cmd, _, err := root.Find(words[:1])
			if err != nil {
				t.Errorf("%s: %s: %v", name, m[0], err)
				continue
			}
			for _, word := range words[1:] {
				if word == "#" || strings.ContainsAny(word, "|;&") {
					break
				}
				count++
				flag, isFlag := strings.CutPrefix(word, "--")
				if flag, _, _ = strings.Cut(flag, "="); isFlag && flag != "" && cmd.Flag(flag) == nil && flag != "help" {
					t.Errorf("%s: %s: no flag --%s", name, m[0], flag)
				}
			}
		}
	}
	if count < 200 {
		t.Errorf("only %d words", count)
	}
}

// In the pages for users of other programs, each table names only flags of the subcommand in its
// header.
func TestCounterparts(t *testing.T) {
	var out bytes.Buffer
	root := commands.NewRoot(base.New(context.Background(), strings.NewReader(""), &out, &out, clitest.NoEnv))
	pages, err := filepath.Glob("../../docs/from-*.md")
	if err != nil || len(pages) < 5 {
		t.Fatal(pages, err)
	}
	for _, name := range pages {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var cmd *cobra.Command
		count := 0
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.ReplaceAll(line, `\|`, " "), "|")
			if len(cells) != 5 {
				cmd = nil
				continue
			}
			if header := codes.FindStringSubmatch(cells[2]); cmd == nil && header != nil {
				if cmd, _, err = root.Find(strings.Fields(header[1])[1:]); err != nil {
					t.Errorf("%s: %s: %v", name, header[1], err)
				}
				continue
			}
			for _, code := range codes.FindAllStringSubmatch(cells[2], -1) {
				flag, _, _ := strings.Cut(code[1], " ")
				if cmd == nil || !strings.HasPrefix(flag, "-") {
					continue
				}
				count++
				if long := strings.TrimPrefix(flag, "--"); long != flag && cmd.Flag(long) == nil && long != "help" && long != "version" ||
					long == flag && cmd.Flags().ShorthandLookup(flag[1:]) == nil && cmd.InheritedFlags().ShorthandLookup(flag[1:]) == nil {
					t.Errorf("%s: %s has no flag %s", name, cmd.Name(), flag)
				}
			}
		}
		if count < 10 && filepath.Base(name) != "from-lynx.md" {
			t.Errorf("%s: only %d flags", name, count)
		}
	}
}

// shownCommand matches a command in a page, which is a line of a block or a code span.
var shownCommand = regexp.MustCompile("(?m)(?:^(?:\\$ )?|`)locus ([a-z][^`\n]*)")

// quoted matches a word in quotes.
var quoted = regexp.MustCompile(`'[^']*'|"[^"]*"`)

// docs/configuration.md lists exactly the keys of the configuration.
func TestConfigurationPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, keys, _ := strings.Cut(string(text), "\n## Keys\n")
	keys, _, _ = strings.Cut(keys, "\n## ")
	var got []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9_.]+)` \\|").FindAllStringSubmatch(keys, -1) {
		got = append(got, row[1])
	}
	out, err := exec.Command("locus", "config", "show").Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(string(out)) {
		key, _, _ := strings.Cut(strings.TrimPrefix(line, "# "), " = ")
		want = append(want, key)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the keys are %q, want %q", got, want)
	}
}

// codes matches a text in backquotes.
var codes = regexp.MustCompile("`([^`]+)`")

const contract = "../../docs/contract.md"

// The contract lists each subcommand, and the flags that it lists exist.
func TestContractCommands(t *testing.T) {
	var out bytes.Buffer
	root := commands.NewRoot(base.New(context.Background(), strings.NewReader(""), &out, &out, clitest.NoEnv))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	find := func(name string) *cobra.Command {
		cmd, rest, err := root.Find(strings.Fields(name))
		if err != nil || len(rest) > 0 {
			t.Errorf("no subcommand %s: %v", name, err)
			return nil
		}
		return cmd
	}
	listed := map[string]bool{"help": true}
	for _, row := range tableOf(t, contract, "Subcommands") {
		name, _, _ := strings.Cut(strings.TrimPrefix(codes.FindStringSubmatch(row[0])[1], "locus "), " ")
		listed[name] = true
		find(name)
	}
	for _, cmd := range root.Commands() {
		if !cmd.Hidden && !listed[cmd.Name()] && !strings.Contains(cmd.Annotations["topic"], "true") && cmd.Runnable() {
			t.Errorf("the contract does not list %s", cmd.Name())
		}
	}
	for _, row := range tableOf(t, contract, "Flags") {
		for _, command := range codes.FindAllStringSubmatch(row[0], -1) {
			cmd := find(command[1])
			if cmd == nil {
				continue
			}
			for _, code := range codes.FindAllStringSubmatch(row[1], -1) {
				flag, value, _ := strings.Cut(code[1], " ")
				name := strings.TrimLeft(flag, "-")
				f := cmd.Flag(name)
				if len(name) == 1 {
					f = cmd.Flags().ShorthandLookup(name)
					if f == nil {
						f = cmd.InheritedFlags().ShorthandLookup(name)
					}
				}
				if f == nil {
					t.Errorf("%s has no flag %s", command[1], flag)
				} else if takes := f.NoOptDefVal == ""; takes != (value != "") {
					t.Errorf("%s %s: takes a value: %t", command[1], code[1], takes)
				}
			}
		}
	}
}

// Each example of an exit status ends with this status.
func TestContractStatus(t *testing.T) {
	for _, row := range tableOf(t, contract, "Exit status") {
		command := codes.FindStringSubmatch(row[2])
		if command == nil {
			if row[0] != "130" {
				t.Errorf("status %s has no example", row[0])
			}
			continue
		}
		cmd := exec.Command("sh", "-c", command[1])
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "GORACE=atexit_sleep_ms=0")
		out, _ := cmd.CombinedOutput()
		if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != row[0] {
			t.Errorf("%s: status %s, want %s\n%s", command[1], got, row[0], out)
		}
	}
}

// The keys of the JSON member "locator" match the contract.
func TestContractLocator(t *testing.T) {
	text, err := os.ReadFile(contract)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n### Keys of locator\n")
	table, _, _ = strings.Cut(table, "\n### ")
	rows := 0
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || !strings.Contains(cells[1], ":") {
			continue
		}
		rows++
		url := codes.FindStringSubmatch(cells[1])[1]
		var want []string
		for _, code := range codes.FindAllStringSubmatch(cells[2], -1) {
			want = append(want, code[1])
		}
		out, err := exec.Command("locus", "parse", "--json", url).Output()
		if err != nil {
			t.Errorf("%s: %v, want no error", url, err)
			continue
		}
		var got struct{ Locator map[string]any }
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		if keys := slices.Sorted(maps.Keys(got.Locator)); !slices.Equal(keys, want) {
			t.Errorf("%s: %q, the contract has %q", url, keys, want)
		}
	}
	if rows != 18 {
		t.Errorf("%d rows", rows)
	}
}

// The tables of the contract list each key of the objects that its examples print.
func TestContractKeys(t *testing.T) {
	text, err := os.ReadFile(contract)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(root, "LICENSE"), filepath.Join(dir, "LICENSE")); err != nil {
		t.Fatal(err)
	}
	commands, line, objects := commandsOf(t, contract), 1, 0
	for _, section := range strings.SplitAfter(string(text), "\n### ") {
		heading, _, _ := strings.Cut(section, "\n")
		var keys []string
		for row := range strings.Lines(section) {
			if cell, ok := strings.CutPrefix(row, "| `"); ok {
				cell, _, _ = strings.Cut(cell, " | ")
				for _, code := range codes.FindAllStringSubmatch("`"+cell, -1) {
					keys = append(keys, code[1])
				}
			}
		}
		line += strings.Count(section, "\n")
		for len(commands) > 0 && commands[0].line < line {
			command := commands[0]
			commands = commands[1:]
			cmd := exec.Command("sh", "-c", command.text)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "GORACE=atexit_sleep_ms=0")
			out, _ := cmd.Output() // some examples show a failure
			for output := range strings.Lines(string(out)) {
				var object map[string]any
				if json.Unmarshal([]byte(output), &object) != nil {
					continue
				}
				objects++
				for key := range object {
					if !slices.Contains(keys, key) {
						t.Errorf("%s:%d: section %q has no key %q", contract, command.line, heading, key)
					}
				}
			}
		}
	}
	if objects < 20 {
		t.Errorf("only %d objects", objects)
	}
}
