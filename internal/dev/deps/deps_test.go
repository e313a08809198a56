package deps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/locus-url/locus"
	root   = "../../.."
)

// rules lists the allowed imports. "a < b" means that b may import a, and all packages that a
// may import. A comma-separated list means each of its names; a rule ends with ";". "locus" is
// the root package, "scheme/X" each scheme, "scheme/X/Xtest" its test server,
// "cmd/locus/internal/X" each subcommand. Each package must be in the rules.
const rules = `
	# The value and its grammar.
	NONE < internal/piece;
	internal/octet < escape < locus
	< relative, extract, policy, internal/bnf;

	# What other standards make of a text.
	locus < profile/rfc3986, profile/whatwg;

	# The contract of a scheme, and what schemes share.
	internal/bnf, internal/piece, relative, extract, profile/rfc3986 < scheme;
	profile/rfc3986 < scheme/internal/current;
	internal/bnf < internal/addrspec;
	locus < internal/iri;
	internal/octet < internal/charset < internal/term, message;
	NONE < internal/agent, internal/human, scheme/internal/line, internal/media, internal/command/walk, scheme/internal/pool, scheme/internal/ardp, internal/nvt, internal/certtest, internal/hostiletest, internal/servetest, internal/secrettest, internal/filelock, internal/unpack, internal/jsonpath, internal/wholefile, tn3270;
	internal/filelock < internal/store, warc;
	internal/wholefile < internal/bulk < warc;
	internal/octet < internal/markup < internal/htmltext;
	# What generators of sites make of documents: their files, without URLs.
	escape, internal/markup < verify/internal/generator;
	locus, internal/human, internal/media, internal/htmltext < message;
	internal/jsonpath < warc;
	extract, relative, message, warc, internal/media, internal/iri, internal/unpack, internal/jsonpath < document;
	policy, scheme, internal/store < cache;
	# Lines of files, and the URL in each.
	locus, internal/unpack, internal/charset, internal/jsonpath, warc < internal/lines;

	# What tests have in common, and servers for tests and demonstrations.
	scheme < scheme/schemetest < internal/bnf/bnftest, scheme/internal/current/currenttest;
	scheme/internal/ardp, internal/servetest < scheme/internal/ardp/ardptest;
	scheme, internal/certtest, internal/servetest, scheme/internal/ardp/ardptest, internal/nvt, internal/term, tn3270 < scheme/X/Xtest;

	scheme, scheme/internal/line < scheme/internal/lineconn;
	scheme < internal/archived, internal/httpwire;
	scheme, internal/archived, internal/addrspec, scheme/internal/current, internal/agent, scheme/internal/lineconn, internal/httpwire, internal/media, scheme/internal/pool, scheme/internal/ardp, internal/nvt, message, tn3270 < scheme/X;

	scheme/X < internal/session;

	scheme, profile/whatwg < profile;
	# What standards and parsers make of one URL.
	scheme, internal/charset, profile/rfc3986, profile/whatwg < lens;

	# Access, and what is built on it.
	policy, scheme, internal/agent < access;

	# A scheme imports no other scheme, and nothing above. The list imports all, and access
	# for a client with all.
	scheme/X, access < scheme/all;

	# What is opened is kept in archives. The octets of a kept menu are its source again.
	access, escape, warc, internal/httpwire, internal/archived < archive;

	policy, scheme, internal/charset < internal/advice;
	internal/advice, internal/human, message, escape, extract, relative, internal/media, internal/iri, internal/term < gateway/internal/page;
	access < internal/robots < internal/crawl;
	access, escape, extract, internal/term, internal/crawl, internal/filelock, internal/wholefile < transfer;
	access, escape, relative, extract, document, internal/addrspec, verify/internal/generator, internal/store, internal/crawl, internal/robots, internal/term < verify;
	transfer, relative, document, internal/charset, internal/filelock, internal/human, internal/iri, internal/media, internal/octet, internal/crawl, internal/wholefile < mirror;
	message, internal/addrspec, internal/store < mailstore, submit;
	access, escape, internal/session, internal/term, scheme/X/Xtest, mailstore, submit < internal/tour;
	access, internal/advice, profile, relative, escape, internal/term < internal/shape;
	internal/shape, extract, transfer, gateway/internal/page, submit, cache, lens, archive, internal/httpwire < gateway;

	# The command: with tests, all that imports the list of schemes.
	scheme/all, access, submit < internal/command/config;
	internal/command/config, internal/bulk, internal/human, internal/lines, internal/shape, transfer, archive < internal/command/base;
	internal/command/base, internal/tour < internal/command/client;
	internal/command/base < cmd/locus/internal/form;
	internal/command/client, cmd/locus/internal/form < cmd/locus/internal/show;
	internal/command/base, internal/servetest < internal/command/clitest;
	internal/command/base < internal/command/scripttest;
	internal/command/base < internal/command/help;
	internal/command/client, document, internal/command/walk, verify < internal/command/verify;
	cmd/locus/internal/show, document, internal/command/walk, verify, mirror, gateway, lens < cmd/locus/internal/X;
	cmd/locus/internal/X, internal/command/help, internal/command/verify < cmd/locus/internal/commands < cmd/locus;
	cmd/locus/internal/commands, internal/command/clitest, internal/command/scripttest < cmd/locus/internal/commandtest;

	# Tests, and tools for those who work on the module.
	NONE < internal/dev/deps, internal/dev/faults, internal/dev/peers, internal/dev/promises, internal/dev/standards, internal/dev/voice;
`

// withoutSystem lists the packages that must not use the operating system, and depend only on
// the standard library.
var withoutSystem = []string{"locus", "escape", "relative", "extract", "policy"}

// rendering lists the packages that only format values as text. They must not use the network or
// files.
var rendering = []string{"gateway/internal/page"}

// exempt maps exported variables that are allowed to the reason.
var exempt = map[string]string{}

// elsewhere lists the dependencies that must stay in separate modules: These are rival programs,
// fleet dependencies, browser automation, and tracing.
var elsewhere = []string{
	"github.com/nlnwa/whatwg-url", "github.com/PuerkitoBio/purell", "mvdan.cc/xurls",
	"github.com/nats-io/", "github.com/apache/beam", "github.com/chromedp/", "go.opentelemetry.io/",
}

// source is one file of the module.
type source struct {
	pkg  string // "locus", "scheme/ftp"
	name string // "scheme/ftp/client.go"
	file *ast.File
}

// sources parses all files of the module except tests, for all operating systems.
func sources(t *testing.T) (list []source, fset *token.FileSet) {
	t.Helper()
	fset = token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && isApart(name, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		pkg := path.Dir(rel)
		if pkg == "." {
			pkg = "locus"
		}
		list = append(list, source{pkg, rel, file})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, fset
}

// isApart reports whether a directory is outside the module, because it has its own go.mod or
// no Go code.
func isApart(name, base string) bool {
	_, err := os.Stat(filepath.Join(name, "go.mod"))
	return err == nil || base == "testdata" || base[0] == '.' || base[0] == '_'
}

// subcommandsShare lists the directories of cmd/locus/internal that are not subcommands.
var subcommandsShare = []string{"form", "show", "commands", "commandtest"}

// kind returns the name by which the rules refer to a package.
func kind(pkg string) string {
	parts := strings.Split(pkg, "/")
	if name, ok := strings.CutPrefix(pkg, "cmd/locus/internal/"); ok && !slices.Contains(subcommandsShare, name) {
		return "cmd/locus/internal/X"
	}
	switch {
	case parts[0] != "scheme" || len(parts) == 1 || pkg == "scheme/all" || pkg == "scheme/schemetest":
		return pkg
	case len(parts) == 2:
		return "scheme/X"
	case len(parts) == 3 && parts[2] == parts[1]+"test":
		return "scheme/X/Xtest"
	}
	return pkg
}

// parseRules returns, for each name in the rules, the names that it may import.
func parseRules(t *testing.T) map[string]map[string]bool {
	t.Helper()
	may := map[string]map[string]bool{"NONE": {}}
	var text strings.Builder
	for line := range strings.Lines(rules) {
		before, _, _ := strings.Cut(line, "#")
		text.WriteString(before + " ")
	}
	for rule := range strings.SplitSeq(text.String(), ";") {
		if strings.TrimSpace(rule) == "" {
			continue
		}
		var below []string
		for names := range strings.SplitSeq(rule, "<") {
			var here []string
			for name := range strings.SplitSeq(names, ",") {
				here = append(here, strings.TrimSpace(name))
			}
			for _, name := range here {
				if may[name] == nil {
					may[name] = map[string]bool{}
				}
				for _, b := range below {
					if name == b || may[b][name] {
						t.Fatalf("the rules have a cycle at %s", name)
					}
					may[name][b] = true
					maps.Copy(may[name], may[b])
				}
			}
			below = here
		}
	}
	return may
}

// No rule may extend the left side of an earlier rule. All imports of b must be known before the
// rule "b < c" copies them.
func TestRulesAreInOrder(t *testing.T) {
	may := parseRules(t)
	for name, list := range may {
		for b := range list {
			for c := range may[b] {
				if !list[c] {
					t.Errorf("%s may import %s, which may import %s: put the rule of %s first", name, b, c, b)
				}
			}
		}
	}
}

func TestImports(t *testing.T) {
	may := parseRules(t)
	list, fset := sources(t)
	if len(list) < 50 {
		t.Fatalf("%d files: is this the module?", len(list))
	}
	for _, s := range list {
		allowed, known := may[kind(s.pkg)]
		if !known {
			t.Errorf("%s: package %s is missing in rules", s.name, s.pkg)
			continue
		}
		for _, spec := range s.file.Imports {
			where := fset.Position(spec.Pos())
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if imported == module {
				imported = module + "/locus"
			}
			own, ours := strings.CutPrefix(imported, module+"/")
			switch {
			case ours && !allowed[kind(own)]:
				t.Errorf("%s: %s may not import %s", where, s.pkg, own)
			case kind(s.pkg) == "scheme/X" && kind(own) == "scheme/X/Xtest" && path.Dir(own) != s.pkg:
				t.Errorf("%s: %s imports the test server of another scheme", where, s.pkg)
			case ours:
			case slices.Contains(withoutSystem, s.pkg):
				if why := system(s.pkg, imported); why != "" {
					t.Errorf("%s: %s imports %q: %s", where, s.pkg, imported, why)
				}
			case slices.Contains(rendering, s.pkg) && reaches(imported):
				t.Errorf("%s: %s imports %q, but a rendering package must not use the network or files", where, s.pkg, imported)
			case kind(s.pkg) == "scheme/X" && imported == "net" && path.Base(s.name) != "client.go":
				t.Errorf("%s: only client.go may import %q", where, imported)
			}
		}
	}
}

// system returns the reason why a package of withoutSystem must not import another package, or "".
func system(pkg, imported string) string {
	top, _, _ := strings.Cut(imported, "/")
	switch {
	case strings.Contains(top, "."):
		return "it must depend only on the standard library"
	case imported == "net/netip" && (pkg == "policy" || pkg == "locus"), imported == "net/url" && pkg == "locus": // these functions only parse
		return ""
	case top == "net", top == "os", imported == "time", imported == "log":
		return "it must not use the operating system"
	}
	return ""
}

// reaches reports whether a package uses the network, files or other programs. net/url is
// allowed.
func reaches(imported string) bool {
	switch imported {
	case "net", "net/http", "os", "os/exec", "crypto/tls", "syscall":
		return true
	}
	return false
}

// dialFunctions lists functions that open connections without Request.Dial.
var dialFunctions = map[string][]string{
	"net":                    {"Dial", "DialTimeout", "DialTCP", "DialUDP", "DialIP", "DialUnix", "Dialer", "Listen", "ListenTCP", "ListenUDP", "ListenPacket", "ListenConfig", "FileConn"},
	"crypto/tls":             {"Dial", "DialWithDialer", "Dialer", "Listen"},
	"net/http":               {"DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm", "ListenAndServe"},
	"net/textproto":          {"Dial"},
	"net/smtp":               {"Dial", "SendMail"},
	"net/rpc":                {"Dial", "DialHTTP"},
	"os/exec":                {"Command", "CommandContext"},
	"syscall":                {"Socket", "Connect"},
	"golang.org/x/net/proxy": {"Dial", "FromEnvironment", "Direct"},
}

// A scheme must open connections with Request.Dial, which applies the policy.
func TestOnlyPolicyDials(t *testing.T) {
	list, fset := sources(t)
	for _, s := range list {
		if kind(s.pkg) != "scheme/X" && s.pkg != "scheme" {
			continue
		}
		imports := map[string]string{} // maps the name in the file to the import path
		for _, spec := range s.file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			name := path.Base(imported)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = imported
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(dialFunctions[imports[x.Name]], sel.Sel.Name) {
					t.Errorf("%s: %s.%s: use Request.Dial, which applies the policy", fset.Position(sel.Pos()), x.Name, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// A program that opens URLs of all schemes must not link a test server.
func TestNoServers(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "../../../scheme/all").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(out))
	if !slices.Contains(names, module+"/scheme/all") {
		t.Fatalf("go list -deps ./scheme/all = %q", names)
	}
	for _, name := range names {
		if strings.HasPrefix(name, module) && strings.HasSuffix(name, "test") {
			t.Errorf("scheme/all imports %s", name)
		}
	}
}

// Importing a package must not run code, and other packages must not be able to change exported
// variables.
func TestNoHiddenState(t *testing.T) {
	list, fset := sources(t)
	unused := maps.Clone(exempt)
	for _, s := range list {
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					t.Errorf("%s: func init", fset.Position(d.Pos()))
				}
			case *ast.GenDecl:
				for _, name := range exportedVars(d) {
					key := s.pkg + "." + name.Name
					delete(unused, key)
					if exempt[key] == "" && !strings.HasPrefix(name.Name, "Err") {
						t.Errorf("%s: other packages can change the exported variable %s", fset.Position(name.Pos()), name.Name)
					}
				}
			}
		}
	}
	for key, reason := range unused {
		t.Errorf("%s is exempt (%s) but does not exist", key, reason)
	}
}

func exportedVars(d *ast.GenDecl) (list []*ast.Ident) {
	if d.Tok != token.VAR {
		return nil
	}
	for _, spec := range d.Specs {
		for _, name := range spec.(*ast.ValueSpec).Names {
			if name.IsExported() {
				list = append(list, name)
			}
		}
	}
	return list
}

// The library must not depend on rival programs or on fleet dependencies.
func TestModules(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range elsewhere {
		if strings.Contains(string(mod), name) {
			t.Errorf("go.mod requires %s, which belongs in a separate module", name)
		}
	}
	for _, name := range []string{"bench", "browser", "beam", "otel"} {
		if _, err := os.Stat(filepath.Join(root, name, "go.mod")); err != nil {
			t.Errorf("%s is not a separate module: %v", name, err)
		}
	}
}

// The rules forbid some imports, so the test can fail.
func TestRulesForbid(t *testing.T) {
	may := parseRules(t)
	for _, row := range []struct {
		pkg, imported string
		want          bool
	}{
		{"locus", "escape", true},
		{"locus", "internal/octet", true},
		{"locus", "internal/bnf", false},
		{"escape", "locus", false},
		{"relative", "scheme", false},
		{"policy", "scheme", false},
		{"scheme/ftp", "scheme", true},
		{"scheme/ftp", "scheme/internal/line", true},
		{"scheme/ftp", "scheme/http", false},
		{"scheme/ftp", "access", false},
		{"scheme/ftp", "policy", false},
		{"scheme/ftp", "scheme/all", false},
		{"scheme/ftp", "scheme/ftp/ftptest", false}, // only tests and the tour import servers
		{"access", "scheme/all", false},
		{"access", "scheme/ftp", false},
		{"transfer", "access", true},
		{"transfer", "policy", true},
		{"gateway", "scheme/all", false},
		{"gateway", "gateway/internal/page", true},
		{"gateway/internal/page", "access", false},
		{"gateway/internal/page", "gateway", false},
		{"document", "extract", true},
		{"document", "message", true},
		{"document", "access", false},
		{"document", "internal/command/walk", false},
		{"extract", "document", false},
		{"internal/command/walk", "locus", false},
		{"verify", "document", true},
		{"cmd/locus", "scheme/all", true},
		{"cmd/locus", "cmd/locus/internal/get", true},
		{"cmd/locus/internal/open", "cmd/locus/internal/show", true},
		{"cmd/locus/internal/open", "cmd/locus/internal/get", false},
		{"internal/command/base", "access", true},
		{"internal/command/base", "internal/command/client", false},
		{"cmd/locus", "scheme/ftp", true},
	} {
		if got := may[kind(row.pkg)][kind(row.imported)]; got != row.want {
			t.Errorf("%s may import %s: %v", row.pkg, row.imported, got)
		}
	}
	for imported, want := range map[string]bool{"net": false, "net/url": true, "net/http": false, "os": false, "os/exec": false, "time": false, "log": false, "log/slog": true, "strings": true, "golang.org/x/net/idna": false, "net/netip": true} {
		if got := system("locus", imported) == ""; got != want {
			t.Errorf("locus may import %s: %v", imported, got)
		}
	}
	if system("policy", "net/netip") != "" || system("policy", "net") == "" {
		t.Error("policy may import net/netip, and net not")
	}
	if !reaches("net/http") || reaches("net/url") {
		t.Error("net/http reaches a network, and net/url does not")
	}
	if kind("scheme/ftp/ftptest") != "scheme/X/Xtest" || kind("scheme/ftp/other") != "scheme/ftp/other" {
		t.Errorf("kinds %q, %q", kind("scheme/ftp/ftptest"), kind("scheme/ftp/other"))
	}
}
