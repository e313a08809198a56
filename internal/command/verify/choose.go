package verify

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/verify"
)

// selectionFlags holds the flags that select documents and links, and the flags that map links.
type selectionFlags struct {
	exclude, include, schemes []string
	excludeFrom               string
	excludePath               []string
	changedSince              string
	code, dump, allFiles      bool

	remap      []string
	baseURL    string
	preset     string
	wikilinks  bool
	extensions []string

	paths   []policy.Pattern     // patterns from --exclude-path
	url     locus.URL            // URL from --base-url
	root    locus.URL            // URL from --root
	tops    map[string]locus.URL // repository root by directory; zero outside a repository
	changes changes
	layouts map[string]*verify.Layout // layout by directory; nil if the directory has none
	noted   map[string]bool           // configuration files for which a note was written
	listed  map[string]bool           // links that --dump has listed
}

func (c *selectionFlags) addFlags(cmd *cobra.Command, o *verify.Options) {
	base.AddFlags(cmd, "Choice", func(f *pflag.FlagSet) {
		f.StringArrayVar(&c.exclude, "exclude", nil, "skip URLs that match `PATTERN` (repeatable)")
		f.StringArrayVar(&c.include, "include", nil, "verify only URLs that match `PATTERN` (repeatable)")
		f.StringVar(&c.excludeFrom, "exclude-from", "", "skip URLs that match a pattern in `FILE`, one per line")
		f.StringArrayVar(&c.excludePath, "exclude-path", nil, "skip files whose paths begin with `PATTERN` (repeatable)")
		f.BoolVar(&o.Reserved, "include-reserved", false, "also verify links to hosts reserved for examples")
		f.StringSliceVar(&c.schemes, "scheme", nil, "verify only links with these `SCHEMES`")
		f.StringVar(&c.changedSince, "changed-since", "", "verify only links on lines changed since Git revision `REV`")
		f.BoolVar(&c.code, "code", false, "also verify URLs in code")
		f.BoolVar(&c.allFiles, "all-files", false, "also read files that are not documents")
		f.BoolVar(&c.dump, "dump", false, "list the URLs and request nothing")
	})
	base.AddFlags(cmd, "Mapping", func(f *pflag.FlagSet) {
		f.StringArrayVar(&c.remap, "remap", nil, "replace the matching part of URLs: `'PATTERN TO'` (repeatable)")
		f.StringVar(&c.baseURL, "base-url", "", "the documents are published at `URL`; links to it mean files")
		f.StringVar(&c.preset, "preset", "auto", "read documents as pages of the generator `NAME`, or none")
		f.StringSliceVar(&c.extensions, "fallback-extensions", nil, "try these `EXTENSIONS` for missing files: html,md")
		f.StringSliceVar(&o.IndexFiles, "index-files", nil, "require one of `FILES` in linked directories: index.html,README.md")
		f.BoolVar(&c.wikilinks, "wikilinks", false, "read [[Page]] as a link")
	})
	names := append([]string{"auto", "none"}, verify.Presets()...)
	_ = cmd.RegisterFlagCompletionFunc("preset", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// applyFlags applies the flags to the options. The parameter rules is the name of the rules file.
func (c *selectionFlags) applyFlags(a *base.App, o *verify.Options, rules string) (err error) {
	known := func(name string) bool { _, ok := a.Registry.Lookup(name); return ok }
	if o.Exclude, err = patterns("--exclude", c.exclude, known); err != nil {
		return err
	}
	if o.Include, err = patterns("--include", c.include, known); err != nil {
		return err
	}
	if c.excludeFrom != "" {
		list, err := readFile("--exclude-from", c.excludeFrom, parsePatterns)
		if err != nil {
			return err
		}
		o.Exclude = append(o.Exclude, list...)
	}
	for _, name := range c.schemes {
		if name = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(name), ":")); !known(name) {
			return fmt.Errorf("--scheme: unknown scheme %s; run \"locus schemes\" to list them", locus.Quote(name))
		}
		o.Schemes = append(o.Schemes, name)
	}
	if err := c.preparePaths(o.Rules, rules); err != nil {
		return err
	}
	if err := c.prepareMapping(o, rules); err != nil {
		return err
	}
	o.Document.NoCode = !c.code
	o.List = c.dump
	c.layouts, c.noted, c.listed = map[string]*verify.Layout{}, map[string]bool{}, map[string]bool{}
	c.tops = map[string]locus.URL{}
	return nil
}

// patterns parses the values of a flag as patterns.
func patterns(flag string, texts []string, known func(string) bool) (list []policy.Pattern, err error) {
	for _, text := range texts {
		p, err := policy.ParsePattern(text, known)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// parsePatterns parses a list with one pattern per line. parsePatterns skips blank lines and lines
// that begin with "#".
func parsePatterns(text string) (list []policy.Pattern, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		p, err := policy.ParsePattern(line, nil)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// preparePaths reads the path patterns. Patterns in the flag are relative to the current
// directory. Patterns in the rules file are relative to the directory of that file.
func (c *selectionFlags) preparePaths(r *verify.Rules, rules string) error {
	for _, text := range c.excludePath {
		p, err := pathPattern(text, ".")
		if err != nil {
			return fmt.Errorf("--exclude-path: %w", err)
		}
		c.paths = append(c.paths, p)
	}
	if r == nil {
		return nil
	}
	for _, text := range r.ExcludePath {
		p, err := pathPattern(text, filepath.Dir(rules))
		if err != nil {
			return fmt.Errorf("%s: exclude-path: %w", rules, err)
		}
		c.paths = append(c.paths, p)
	}
	return nil
}

// pathPattern returns the URL pattern for a path pattern such as "docs/old/" or "*.min.html$". The
// path pattern is relative to the directory dir.
func pathPattern(text, dir string) (policy.Pattern, error) {
	if text == "" {
		return policy.Pattern{}, errors.New(`an empty pattern: write "*" for all files`)
	}
	slashed, end := strings.CutSuffix(filepath.ToSlash(text), "$")
	name := filepath.FromSlash(slashed)
	switch {
	case strings.HasPrefix(slashed, "*"):
		name = string(filepath.Separator) + name // the pattern matches in any directory
	case !filepath.IsAbs(name):
		name = filepath.Join(dir, name)
	}
	u, err := base.FileURL(name)
	if err != nil {
		return policy.Pattern{}, err
	}
	pattern := strings.ReplaceAll(strings.TrimSuffix(u.String(), "/"), "%2A", "*")
	if strings.HasSuffix(slashed, "/") {
		pattern += "/"
	}
	if end {
		pattern += "$"
	}
	return policy.ParsePattern(pattern, nil)
}

// isExcluded reports whether --exclude-path or the rules exclude the file with the URL u.
func (c *selectionFlags) isExcluded(u locus.URL) bool {
	return slices.ContainsFunc(c.paths, func(p policy.Pattern) bool { return p.Matches(u, 0) })
}

// isDocument reports whether verify must read the file with the given name in a directory
// argument.
func (c *selectionFlags) isDocument(name string) bool {
	if c.allFiles {
		return true
	}
	extension := strings.ToLower(filepath.Ext(name))
	switch media.ByName(filepath.Base(name)) {
	case "text/markdown", "text/asciidoc", "text/html", "application/xhtml+xml", "message/rfc822", "application/mbox":
		return true
	}
	switch extension {
	case "":
		stem := filepath.Base(name) // text files without an extension, such as README and LICENSE
		return stem == strings.ToUpper(stem)
	case ".txt", ".text", ".rst", ".org", ".textile", ".wiki", ".mediawiki", ".tex", ".rtf", ".mbox", ".eml", ".ipynb", ".gmi":
		return true
	}
	return false
}

// writeLink writes a link for the flag --dump. Without --json, it writes each URL only once.
func (v *verifier) writeLink(r *verify.Result) {
	switch {
	case r.Err != nil:
		v.a.Fail(base.StatusAccess, r.Err)
	case r.Verdict != verify.Unknown:
	case v.tell.format == "json":
		v.tell.outputs[0].report.result(r)
	default:
		text := r.URL.WithoutFragment().WithoutPassword().Shown()
		if !v.choice.listed[text] {
			v.choice.listed[text] = true
			fmt.Fprintln(v.a.Out, safeText(text))
		}
	}
}
