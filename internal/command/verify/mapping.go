package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/verify"
)

// prepareMapping applies the flags and rules that map links.
func (c *selectionFlags) prepareMapping(o *verify.Options, rules string) error {
	for _, text := range c.remap {
		r, err := verify.ParseRemap(text)
		if err == nil {
			err = localRemap(&r, ".")
		}
		if err != nil {
			return fmt.Errorf("--remap: %w", err)
		}
		o.Remap = append(o.Remap, r)
	}
	if o.Rules != nil {
		for i := range o.Rules.Remap {
			if err := localRemap(&o.Rules.Remap[i], filepath.Dir(rules)); err != nil {
				return fmt.Errorf("%s: remap: %w", rules, err)
			}
		}
	}
	for _, extension := range c.extensions {
		extension = strings.TrimPrefix(strings.TrimSpace(extension), ".")
		if extension == "" || strings.ContainsAny(extension, `/\`) {
			return fmt.Errorf("--fallback-extensions: invalid extension %s: write html,md", locus.Quote(extension))
		}
		o.FallbackExtensions = append(o.FallbackExtensions, extension)
	}
	for _, name := range o.IndexFiles {
		if name == "" || path.Base(name) != name {
			return fmt.Errorf("--index-files: invalid file name %s", locus.Quote(name))
		}
	}
	if c.preset != "auto" && c.preset != "none" && !slices.Contains(verify.Presets(), c.preset) {
		return fmt.Errorf("--preset: unknown preset %s: choose auto, none, %s", locus.Quote(c.preset), strings.Join(verify.Presets(), ", "))
	}
	if c.baseURL == "" {
		return nil
	}
	text, _, _ := strings.Cut(c.baseURL, "#")
	u, err := locus.Parse(text)
	if err == nil {
		u, err = locus.Parse(strings.TrimSuffix(text, "/") + "/")
	}
	switch {
	case err != nil:
		return fmt.Errorf("--base-url: %w", err)
	case u.Host() == "":
		return fmt.Errorf("--base-url: %s has no host: write https://www.example.com/docs/", locus.Quote(u.Shown()))
	case u.Shown() != u.String():
		return errors.New("--base-url must not contain a password")
	}
	c.url = u
	return nil
}

// localRemap converts a replacement that is a path to a file URL.
func localRemap(r *verify.Remap, dir string) error {
	if u, err := locus.Parse(r.To); err == nil && len(u.Scheme()) > 1 {
		return nil
	}
	name := filepath.FromSlash(r.To)
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	u, err := base.FileURL(name)
	if err != nil {
		return err
	}
	end := ""
	if strings.HasSuffix(r.To, "/") {
		end = "/"
	}
	r.To = strings.TrimSuffix(u.String(), "/") + end
	return nil
}

// layoutFor returns the layout for the named document, which verify found in the argument arg.
func (v *verifier) layoutFor(ctx context.Context, arg, name string, u locus.URL) *verify.Layout {
	c := &v.choice
	if c.preset == "auto" {
		dir, err := filepath.Abs(filepath.Dir(name))
		for err == nil {
			if l := c.layoutIn(ctx, v.a, dir, ""); l != nil && l.Contains(u) {
				c.noteSite(v.a, dir, l)
				return l
			}
			above := filepath.Dir(dir)
			if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || above == filepath.Dir(above) || above == v.a.Getenv("HOME") {
				break // root of the project
			}
			dir = above
		}
	} else if c.preset != "none" {
		return c.layoutIn(ctx, v.a, v.rootOf(arg), c.preset)
	}
	return v.plainLayout(ctx, arg)
}

// plainLayout returns the layout for documents without a generator.
func (v *verifier) plainLayout(ctx context.Context, arg string) *verify.Layout {
	c := &v.choice
	if c.url.IsZero() && !c.wikilinks {
		return nil
	}
	dir := v.rootOf(arg)
	if l, ok := c.layouts["plain "+dir]; ok {
		return l
	}
	l := c.open(ctx, v.a, dir, "")
	c.layouts["plain "+dir] = l
	return l
}

// rootOf returns the root directory of the site for an argument. The root is the value of --root,
// or the argument if it is a directory, or the current directory.
func (v *verifier) rootOf(arg string) string {
	dir := v.root
	if info, err := os.Stat(arg); dir == "" && err == nil && info.IsDir() {
		dir = arg
	}
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// layoutIn returns the layout for a directory. If preset is empty, the configuration file in the
// directory determines the layout. If there is no such file, layoutIn returns nil.
func (c *selectionFlags) layoutIn(ctx context.Context, a *base.App, dir, preset string) *verify.Layout {
	if l, ok := c.layouts[dir]; ok {
		return l
	}
	if preset == "" {
		if preset, _ = verify.FindPreset(os.DirFS(dir)); preset == "" {
			c.layouts[dir] = nil
			return nil
		}
	}
	l := c.open(ctx, a, dir, preset)
	c.layouts[dir] = l
	return l
}

// noteRecognized writes a note about each site with skipped links whose generator verify
// recognizes, but whose configuration verify can't read.
func (c *selectionFlags) noteRecognized(a *base.App) {
	for _, dir := range slices.Sorted(maps.Keys(c.layouts)) {
		if l := c.layouts[dir]; l != nil && isRecognized(l) && l.Undecided() > 0 {
			a.Note("%s: found a site built by %s; only its files are verified (--preset none turns detection off)", filepath.Join(dir, l.Config()), l.Preset())
		}
	}
}

// isRecognized reports whether verify recognizes the generator of a layout, but does not treat the
// documents as pages.
func isRecognized(l *verify.Layout) bool {
	return l.Preset() != "" && !slices.Contains(verify.Presets(), l.Preset())
}

// noteSite writes the note that verify treats the documents in a directory as pages of a site. It
// writes the note only once per configuration file.
func (c *selectionFlags) noteSite(a *base.App, dir string, l *verify.Layout) {
	config := filepath.Join(dir, l.Config())
	if !c.noted[config] && !isRecognized(l) {
		c.noted[config] = true
		a.Note("%s: read as a site built by %s (--preset none turns detection off)", config, l.Preset())
	}
}

func (c *selectionFlags) open(ctx context.Context, a *base.App, dir, preset string) *verify.Layout {
	root, err := base.FileURL(dir)
	if err == nil {
		var l *verify.Layout
		l, err = verify.OpenLayout(ctx, os.DirFS(dir), root, &verify.LayoutOptions{Preset: preset, URL: c.url, Wikilinks: c.wikilinks})
		if err == nil {
			return l
		}
	}
	if ctx.Err() == nil {
		a.Note("%s: read as files: %v", dir, err)
	}
	return nil
}
