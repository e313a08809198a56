package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/internal/wholefile"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/verify"
)

// fixer collects links whose targets have moved permanently, and replaces these links in their
// documents.
type fixer struct {
	v       *verifier
	names   []string // document names, in order
	changes map[string][]change

	links, documents int // number of replaced links, and number of changed documents
	refused          int
}

func newFixer(v *verifier) *fixer { return &fixer{v: v, changes: map[string][]change{}} }

// addResult records a result if the link can be replaced.
func (f *fixer) addResult(r *verify.Result) {
	if r.Err != nil || r.Verdict != verify.Moved || !r.Permanent || r.Accepted || r.Document == "" {
		return
	}
	c := change{line: r.Line, column: r.Column, url: r.URL}
	var err error
	c.to, err = newURL(r)
	_, hasUser := r.URL.User()
	_, toUser := c.to.User()
	switch {
	case err != nil:
		f.refuse(r.Document, c, err.Error())
	case c.to == r.URL:
	case !isFile(r) || r.Document == "-":
		f.refuse(r.Document, c, "only local files can be changed")
	case r.Written != "":
		f.refuse(r.Document, c, "it is a relative link, or was mapped by --remap or --base-url")
	case r.Member != "":
		f.refuse(r.Document, c, "it is in a member of a container")
	case hasUser || toUser:
		f.refuse(r.Document, c, "the URL has a user name or password")
	case f.isSecure(r.URL) && !f.isSecure(c.to):
		f.refuse(r.Document, c, "the new URL is not encrypted")
	default:
		if f.changes[r.Document] == nil {
			f.names = append(f.names, r.Document)
		}
		f.changes[r.Document] = append(f.changes[r.Document], c)
	}
}

func (f *fixer) isSecure(u locus.URL) bool {
	return f.v.a.Registry.Scheme(u).Traits.Has(scheme.Secure)
}

// newURL returns the new URL for a link, which is the redirect target. If no redirect set a
// fragment, newURL adds the link's fragment.
func newURL(r *verify.Result) (locus.URL, error) {
	if _, brought := r.To.Fragment(); brought {
		return r.To, nil
	}
	if fragment, ok := r.URL.Fragment(); ok {
		return r.To.WithFragment(fragment)
	}
	return r.To, nil
}

// maxRefusals is the maximum number of notes about links that can't be replaced.
const maxRefusals = 20

func (f *fixer) refuse(document string, c change, why string) {
	if f.refused++; f.refused <= maxRefusals {
		f.v.a.Note("%s:%d:%d: %s is not replaced: %s", document, c.line, c.column, c.url.WithoutPassword().Shown(), why)
	}
}

// endFix changes the documents or writes a patch. After an interrupt, endFix has no effect.
func (v *verifier) endFix(ctx context.Context) {
	f := v.tell.fixer
	switch {
	case f == nil:
		return
	case ctx.Err() != nil:
		v.a.Note("interrupted; no link was replaced")
		return
	}
	for _, name := range f.names {
		if v.tell.dryRun && v.a.OutputFailed() {
			return
		}
		if err := f.fixDocument(name); err != nil {
			v.a.Fail(base.StatusAccess, fmt.Errorf("%s: %w", name, err))
		}
	}
	if f.refused > maxRefusals {
		v.a.Note("%s not replaced", countOf(f.refused-maxRefusals, "more link"))
	}
	replaced := "replaced"
	if v.tell.dryRun {
		replaced = "to replace"
		v.a.Note("%s", v.summary())
	}
	v.a.Note("%s in %s %s", countOf(f.links, "link"), countOf(f.documents, "document"), replaced)
}

// fixDocument changes a document, or writes the patch for it.
func (f *fixer) fixDocument(name string) error {
	path := filepath.FromSlash(name)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if reason := f.refusalReason(path, text); reason != "" {
		for _, c := range f.changes[name] {
			f.refuse(name, c, reason)
		}
		return nil
	}
	o := f.v.o.Document
	o.NoPosition = false
	if o.Extract.Schemes == nil {
		o.Extract.Schemes = f.v.a.Registry.InText()
	}
	edits, refusals := rewrite(text, name, o, f.changes[name])
	for _, r := range refusals {
		f.refuse(name, r.change, r.why)
	}
	if len(edits) == 0 {
		return nil
	}
	if f.v.tell.dryRun {
		err = f.writePatch(path, text, edits)
	} else {
		err = replaceFile(path, text, applyEdits(text, edits))
	}
	if err == nil {
		f.links += len(edits)
		f.documents++
	}
	return err
}

// generated matches the text that marks a generated file, such as "DO NOT EDIT" in a comment or a
// meta element with the name "generator".
var generated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^[\s/*#;%<!"-]{0,12}(@generated\b|code generated .*\bdo not edit\b|(this file (is|was) )?(auto(matically)?[- ]?)?generated (by|from)\b.*\bdo not (edit|modify)\b)|<meta\s[^>]*\bname\s*=\s*["']?generator\b`)
})

// maxGenerated is the number of bytes at the start of a file that are searched for the text that
// marks a generated file.
const maxGenerated = 8 << 10

// refusalReason returns the reason why a document must not be changed. It returns "" if the
// document may be changed.
func (f *fixer) refusalReason(path string, text []byte) string {
	head := text[:min(len(text), maxGenerated)]
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return "the file is binary"
	case generated().Match(head):
		return "the file is generated"
	case !isInside(path):
		return "a symbolic link points outside the directory"
	}
	return ""
}

// isInside reports whether no symbolic link in path points outside the allowed directory. That is
// the working directory, or the directory of path if path is not below the working directory.
func isInside(path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	dir, err := os.Getwd()
	if err != nil || !isBelow(dir, path) {
		dir = filepath.Dir(path)
	}
	dir, errDir := filepath.EvalSymlinks(dir)
	path, err = filepath.EvalSymlinks(path)
	return errors.Join(errDir, err) == nil && isBelow(dir, path)
}

// isBelow reports whether a file is below the directory dir. Both paths must be absolute.
func isBelow(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// replaceFile replaces a file atomically. If the file no longer contains oldText, it returns an
// error.
func replaceFile(path string, oldText, newText []byte) error {
	r, err := wholefile.NewReplacement(path)
	if err != nil {
		return err
	}
	defer r.Discard()
	if _, err := r.Write(newText); err != nil {
		return err
	}
	// Sync first: otherwise Commit would sync between the comparison and the rename, and a sync
	// takes long.
	if err := r.Sync(); err != nil {
		return err
	}
	now, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, oldText) {
		return errors.New(whyChanged)
	}
	return r.Commit()
}

// writePatch writes edits as a unified diff. On a terminal, it masks passwords and escapes control
// characters.
func (f *fixer) writePatch(path string, text []byte, edits []edit) error {
	a := f.v.a
	name := filepath.ToSlash(path)
	if abs, err := filepath.Abs(path); err == nil {
		if dir, err := os.Getwd(); err == nil && isBelow(dir, abs) {
			if rel, err := filepath.Rel(dir, abs); err == nil {
				name = filepath.ToSlash(rel)
			}
		} else {
			name = strings.TrimPrefix(filepath.ToSlash(abs), "/")
		}
	}
	if !a.OutTTY {
		return a.WithoutOutputError(writeDiff(a.Out, name, text, edits))
	}
	var b strings.Builder
	err := writeDiff(&b, name, text, edits)
	a.Out.WriteString(term.SafeLines(locus.MaskText(b.String())))
	return err
}
