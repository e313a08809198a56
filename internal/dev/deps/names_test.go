package deps

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// naming lists the files outside scheme that contain a quoted scheme name, with the reason. All
// other code must use the registry row.
var naming = map[string]string{
	"access/data.go":                              "the name of a rule of the policy",
	"access/proxy.go":                             "kinds of gateways are told apart by http and https",
	"access/transport.go":                         "an http.RoundTripper is for http and https",
	"extract/schemes.go":                          "the default names to look for in texts",
	"document/attribute.go":                       "the name of an attribute of HTML",
	"document/links.go":                           "a mail address in Markdown is a mailto URL",
	"gateway/connect.go":                          "CONNECT is for https",
	"gateway/files.go":                            "the list of files that the gateway serves",
	"gateway/gateway.go":                          "the gateway's own URL",
	"gateway/representations.go":                  "the URLs of other views are spelled by wais and Gopher+",
	"gateway/web.go":                              "the gateway's transport is HTTP",
	"gateway/internal/page/class.go":              "the name of a class of media types",
	"gateway/internal/page/kind.go":               "the name of an icon",
	"gateway/internal/page/message.go":            "the header of a message names mail addresses, groups and messages",
	"internal/command/base/errors.go":             "the name of a kind of errors",
	"internal/command/base/mistake.go":            "what a text without a scheme probably is",
	"internal/command/client/proxies.go":          "a proxy without a scheme speaks HTTP",
	"internal/command/config/values.go":           "the news server is a setting",
	"cmd/locus/internal/gateway/running.go":       "the gateway's own URL",
	"cmd/locus/internal/open/mailto.go":           "letters are what mailto is for",
	"cmd/locus/internal/open/terminal_session.go": "rlogin sends the user's name itself, and has ~. at the keyboard",
	"cmd/locus/internal/show/select.go":           "only tn3270 has keys to press",
	"cmd/locus/internal/syntax/resolve.go":        "the name of a flag",
	"internal/markup/asciidoc_inline.go":          "the schemes that AsciiDoc links without a macro",
	"internal/markup/rst.go":                      "a mail address in reStructuredText is a mailto URL",
	"internal/markup/rst_directive.go":            "the names of directives and of their options",
	"lens/corpus.go":                              "the name of a class of confusions",
	"lens/guard_mutate.go":                        "pieces that URLs are made of at random",
	"lens/wget.go":                                "the proxy of wget speaks HTTP",
	"mailstore/index.go":                          "the name of a kind of sources",
	"message/html.go":                             "a link to an address is shown as the address",
	"message/ids.go":                              "the header of a message names messages",
	"mirror/fs_tree.go":                           "a Gopher+ string for the default view names the same item",
	"policy/policy.go":                            "the name of a rule",
	"profile/whatwg/url.go":                       "the special schemes of the URL Standard",
	"redact.go":                                   "passwords are found without a registry, in texts that are not URLs too",
	"warc/cdxj.go":                                "the keys of an index are made of http and https URLs",
	"windows.go":                                  "a Windows path is a file",
}

// demonstration lists the packages that start servers for each scheme.
var demonstration = []string{"internal/tour"}

// TestSchemeNames finds string literals outside the directory scheme that are scheme names,
// possibly followed by ":" or "://".
func TestSchemeNames(t *testing.T) {
	names := schemeNames(t)
	list, fset := sources(t)
	unused := make(map[string]bool)
	for name := range naming {
		unused[name] = true
	}
	for _, s := range list {
		if strings.HasPrefix(s.pkg, "scheme") || slices.Contains(demonstration, s.pkg) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec, *ast.Field: // an import path or a struct tag
				_, isImport := n.(*ast.ImportSpec)
				return !isImport
			case *ast.BasicLit:
				text, err := strconv.Unquote(n.Value)
				if n.Kind != token.STRING || err != nil || !names[strings.TrimRight(text, ":/")] {
					return true
				}
				if _, ok := naming[s.name]; ok {
					delete(unused, s.name)
					return true
				}
				t.Errorf("%s: %q: a trait or a function of scheme.Scheme says what this asks", fset.Position(n.Pos()), text)
			}
			return true
		})
	}
	for name := range unused {
		t.Errorf("%s has no scheme's name any more", name)
	}
}

// schemeNames returns the scheme names that occur as literals in the files scheme.go of the scheme
// packages.
func schemeNames(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	dirs, err := os.ReadDir(filepath.Join(root, "scheme"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if d.IsDir() && d.Name() != "all" && d.Name() != "schemetest" && d.Name() != "internal" && d.Name() != "testdata" {
			names[d.Name()] = true
		}
	}
	for _, more := range []string{"https", "ftps", "gophers", "snews", "nntp", "nntps", "cid", "rlogin", "tn3270", "wss"} {
		names[more] = true
	}
	if len(names) < 20 {
		t.Fatalf("%d names: is this the module?", len(names))
	}
	return names
}
