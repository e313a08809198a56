package peers

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// truthTool is another program that checks links.
type truthTool struct {
	name     string
	version  []string // the arguments that print it
	settings string   // how it is run, for the table
	// broken returns the documents whose link it calls broken.
	broken func(t *testing.T, program string, run truthRun) map[string]bool
}

// truthRun is what a program is run on.
type truthRun struct {
	list  []truth
	docs  string // host:port of the documents
	index string
	trust string // file of the authority
	dir   string // anyone may read it
}

var truthTools = []truthTool{
	{"linkchecker", []string{"--version"}, "`--check-extern --timeout 5`, AnchorCheck on", linkcheckerBroken},
	{"linkinator", []string{"--version"}, "`--recurse --check-fragments --retry --retry-errors --timeout 5000`", linkinatorBroken},
	{"markdown-link-check", []string{"--version"}, "`--retry`, timeout 5s; the links in Markdown files", markdownLinkCheckBroken},
}

// maxTool is the longest run of another program.
const maxTool = 4 * time.Minute

// runTool runs a program whose exit status tells nothing that its output does not.
func runTool(t *testing.T, run truthRun, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), maxTool)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = run.dir
	cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+run.trust, "REQUESTS_CA_BUNDLE="+run.trust, "NODE_EXTRA_CA_CERTS="+run.trust, "NO_COLOR=1", "HOME="+run.dir)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil && (ctx.Err() != nil || out.Len() == 0) {
		t.Logf("%s: %v: %s", program, err, clip(errOut.String()))
	}
	return out.String()
}

func linkcheckerBroken(t *testing.T, program string, run truthRun) map[string]bool {
	config := filepath.Join(run.dir, "linkcheckerrc")
	write(t, config, "[AnchorCheck]\n[checking]\nmaxrequestspersecond=1000\nsslverify="+run.trust+"\n", 0o644)
	out := runTool(t, run, program, "-f", config, "--check-extern", "--no-status", "-o", "csv", "-t", "10", "--timeout", "5", run.index)
	r := csv.NewReader(strings.NewReader(out))
	r.Comma, r.Comment, r.FieldsPerRecord, r.LazyQuotes = ';', '#', -1, true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]bool{}
	column := map[string]int{}
	for _, row := range rows {
		if len(column) == 0 {
			for i, name := range row {
				column[name] = i
			}
			continue
		}
		if name, ok := documentOf(row[column["parentname"]]); ok && (row[column["valid"]] == "False" || strings.Contains(row[column["warningstring"]], "nchor")) {
			broken[name] = true
		}
	}
	return broken
}

func linkinatorBroken(t *testing.T, program string, run truthRun) map[string]bool {
	out := runTool(t, run, program, run.index, "--recurse", "--check-fragments", "--retry", "--retry-errors", "--retry-errors-count", "2", "--timeout", "5000", "--format", "json")
	var report struct {
		Links []struct{ State, Parent string }
	}
	if err := json.Unmarshal([]byte(out[max(strings.IndexByte(out, '{'), 0):]), &report); err != nil {
		t.Errorf("%v: %s", err, clip(out))
	}
	broken := map[string]bool{}
	for _, link := range report.Links {
		if name, ok := documentOf(link.Parent); ok && link.State == "BROKEN" {
			broken[name] = true
		}
	}
	return broken
}

var (
	mlcFile = regexp.MustCompile(`^FILE: (.*)$`)
	mlcBad  = regexp.MustCompile(`^\s*\[✖\]`)
)

func markdownLinkCheckBroken(t *testing.T, program string, run truthRun) map[string]bool {
	dir := filepath.Join(run.dir, "markdown")
	var files []string
	for _, one := range run.list {
		link := one.absolute("http://" + run.docs + "/docs/" + one.name + ".html")
		if one.endsOthers() {
			continue
		}
		write(t, filepath.Join(dir, one.name+".md"), "<a id=\"here\"></a>\n\n[x](<"+link+">)\n", 0o644)
		files = append(files, filepath.Join(dir, one.name+".md"))
	}
	config := filepath.Join(run.dir, "mlc.json")
	write(t, config, `{"timeout": "5s", "retryOn429": true, "fallbackRetryDelay": "1s"}`, 0o644)
	broken := map[string]bool{}
	// It ends at some links. The files after such a one are read in the next run.
	for len(files) > 0 {
		name, read := "", 0
		for line := range strings.Lines(runTool(t, run, program, append([]string{"--config", config, "--retry"}, files...)...)) {
			line = strings.TrimRight(line, "\n")
			if m := mlcFile.FindStringSubmatch(line); m != nil {
				name, _ = documentOf(m[1])
				read++
			} else if mlcBad.MatchString(line) {
				broken[name] = true
			}
		}
		files = files[min(max(read, 1), len(files)):]
	}
	return broken
}

// score is how a program judged the links.
type score struct {
	name, version, settings string
	found, falseDeath, miss int
	unsure                  int // unsure links that it calls broken
	took                    time.Duration
	deaths, misses          []truth
}

func scoreOf(list []truth, broken func(name string) bool) (s score) {
	for _, one := range list {
		switch says := broken(one.name); {
		case one.is == "broken" && says:
			s.found++
		case one.is == "broken":
			s.miss++
			s.misses = append(s.misses, one)
		case one.is == "good" && says:
			s.falseDeath++
			s.deaths = append(s.deaths, one)
		case says:
			s.unsure++
		}
	}
	return s
}

// time returns how long the program took, or when it was ended.
func (s *score) time() string {
	if s.took >= maxTool {
		return fmt.Sprintf("ended after %.0f s", maxTool.Seconds())
	}
	return fmt.Sprintf("%.0f s", s.took.Seconds())
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// toolPath returns the program: in the folder that LOCUS_TRUTH_TOOLS names, or in PATH.
func toolPath(name string) string {
	if dir := os.Getenv("LOCUS_TRUTH_TOOLS"); dir != "" {
		if path := filepath.Join(dir, name); exec.Command(path, "--version").Run() == nil {
			return path
		}
	}
	path, _ := exec.LookPath(name)
	return path
}

// compareTools runs the other programs on the same links, and logs the tables of
// docs/verify-truth.md.
func compareTools(t *testing.T, servers truthServers, list []truth, index, trust string) {
	t.Helper()
	ours := func(reports func(verdict) bool, settings string, more ...string) score {
		start := time.Now()
		all := truthVerdicts(t, servers, index, trust, append(more, "--timeout", "5s")...)
		s := scoreOf(list, func(name string) bool { return reports(all[name]) })
		s.name, s.settings, s.took = "locus verify", settings, time.Since(start)
		return s
	}
	dead := func(v verdict) bool { return isBroken(v.Verdict) }
	scores := []score{
		ours(dead, "`--timeout 5s --max-wait 5s`"),
		ours(dead, "the same, and `--method get`", "--method", "get"),
		ours(func(v verdict) bool { return dead(v) || v.Verdict == "warning" || v.Verdict == "denied" }, "the same, and `--strict --soft-404`: warnings fail", "--strict", "--soft-404", "--method", "get"),
	}
	for _, tool := range truthTools {
		program := toolPath(tool.name)
		if program == "" {
			t.Logf("%s is not installed", tool.name)
			continue
		}
		run := truthRun{list: list, docs: servers["docs"], index: strings.TrimSuffix(index, "index.html"), trust: trust, dir: publicDir(t)}
		version, _ := exec.Command(program, tool.version...).Output()
		start := time.Now()
		broken := tool.broken(t, program, run)
		t.Logf("%s: %d called broken in %v", tool.name, len(broken), time.Since(start))
		s := scoreOf(list, func(name string) bool { return broken[name] })
		s.name, s.version, s.settings, s.took = tool.name, versionIn(string(version)), tool.settings, time.Since(start)
		scores = append(scores, s)
	}
	t.Log(truthTables(list, scores))
}

var number = regexp.MustCompile(`\d+\.\d+(\.\d+)?`)

func versionIn(text string) string { return number.FindString(text) }

// truthTables returns the scores as tables of Markdown, with the reasons of what each
// program misjudged.
func truthTables(list []truth, scores []score) string {
	count := map[string]int{}
	for _, one := range list {
		count[one.is]++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d links: %d good, %d broken, %d unsure\n\n", len(list), count["good"], count["broken"], count["unsure"])
	b.WriteString("| program | settings | precision | recall | false deaths | unknown called broken | time |\n|---|---|---|---|---|---|---|\n")
	for _, s := range scores {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d of %d | %d of %d | %s |\n", strings.TrimSpace(s.name+" "+s.version), s.settings,
			percent(s.found, s.found+s.falseDeath), percent(s.found, s.found+s.miss), s.falseDeath, count["good"], s.unsure, count["unsure"], s.time())
	}
	for _, s := range scores {
		if list := reasonsOf(s.deaths); list != "" {
			fmt.Fprintf(&b, "\n%s, %s, called broken:\n\n%s", strings.TrimSpace(s.name+" "+s.version), s.settings, list)
		}
	}
	fmt.Fprintf(&b, "\nlocus verify, not called broken:\n\n%s", reasonsOf(scores[0].misses))
	return b.String()
}

// reasonsOf returns the reasons of links as a list, with how many links each has.
func reasonsOf(list []truth) string {
	var order []string
	count := map[string]int{}
	for _, one := range list {
		if count[one.why]++; !slices.Contains(order, one.why) {
			order = append(order, one.why)
		}
	}
	var b strings.Builder
	for _, why := range order {
		fmt.Fprintf(&b, "- %s", why)
		if count[why] > 1 {
			fmt.Fprintf(&b, " (%d links)", count[why])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
