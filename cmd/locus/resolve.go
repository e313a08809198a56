package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/relative"
)

// resolver is what "locus resolve" was asked for.
type resolver struct {
	app     *app
	options relative.Options
	between bool
}

func newResolve(a *app) *cobra.Command {
	r := resolver{app: a}
	rules := "rfc3986"
	cmd := &cobra.Command{
		Use:   "resolve BASE REF...",
		Short: "Turn partial (relative) forms into URLs, or back",
		Long: `Write the URL that each partial form REF means in a document whose URL is BASE,
one a line: by RFC 3986 section 5.2, or by RFC 1630 and its draft with --rules
rfc1630. Where the two differ, a note says what the other would give. Another says
when ".." leads above the root of the path.

With --between it goes the other way: for each URL the shortest partial form
that leads to it from BASE. Case and default port of the host make no difference.

"-" in place of all REFs reads them from standard input, one a line; if it is the
only argument, BASE is the first line.`,
		Example: `  locus resolve http://a/b/c/d ../g '?y'
  locus resolve --between ftp://h/pub/a/x ftp://h/pub/b/y`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 && !isStandardInput(args) {
				return usageError("a base and partial forms are needed")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if r.options.Rules, err = relative.ParseRules(rules); err != nil {
				return err
			}
			r.run(args)
			return nil
		},
	}
	addRules(cmd, &rules, "rfc3986", "rfc1630")
	cmd.Flags().BoolVar(&r.between, "between", false, "write the shortest partial form of each URL")
	cmd.Flags().BoolVar(&r.options.Data, "gopher", false, "take \"/\" in gopher URLs for hierarchy")
	cmd.Flags().BoolVar(&r.options.SameScheme, "same-scheme", false, "read \"http:g\" in an http document as \"g\", \"http:/g\" as \"/g\"")
	cmd.Flags().BoolVar(&r.options.FirstSlash, "first-slash", false, "with rfc1630, take \"/g\" from the first \"/\" of the path, as the draft's example does")
	cmd.MarkFlagsMutuallyExclusive("between", "rules")
	return cmd
}

func (r *resolver) run(args []string) {
	var base locus.URL
	refs := args
	if !isStandardInput(args) {
		var ok bool
		if base, ok = r.base(args[0], nil); !ok {
			return
		}
		refs = args[1:]
	}
	for input, err := range r.app.inputs(refs) {
		if !base.IsZero() {
			r.answer(base, input, err)
			continue
		}
		var ok bool
		if base, ok = r.base(input, err); !ok {
			return
		}
	}
}

// base reads the base; without one there is nothing to do.
func (r *resolver) base(input string, err error) (u locus.URL, ok bool) {
	u, err = r.app.readURL(input, err)
	if err != nil {
		r.app.problem(statusUsage, about("the base", err))
	}
	return u, err == nil
}

// answer answers one input; err says that it could not be read whole.
func (r *resolver) answer(base locus.URL, input string, err error) {
	if r.between {
		r.answerBetween(base, input, err)
		return
	}
	j := shape.Resolve{Base: text(base.String()), Ref: present(input, true), Rules: r.options.Rules.String()}
	var ref relative.Ref
	var u locus.URL
	var notes relative.Notes
	if err == nil {
		ref, err = shape.ReadRef(input)
	}
	if err == nil {
		r.app.noteWrapper(input)
	}
	if err == nil {
		r.options.Hierarchy = r.app.registry.Hierarchy(base)
		u, notes, err = ref.ResolveWith(base, r.options)
	}
	if err != nil {
		r.fail(j, err)
		return
	}
	other := shape.OtherRules(base, ref, u, r.options)
	if !r.app.flags.json {
		fmt.Fprintln(r.app.out, u.String())
		for _, note := range notes.Texts() {
			r.app.aside()
			r.app.note("%s in %s: %s", locus.Quote(ref.Redacted()), locus.Quote(base.Redacted()), note)
		}
		if other != nil {
			r.app.aside()
			r.app.note("%s in %s: by %s this is %s", locus.Quote(ref.Redacted()), locus.Quote(base.Redacted()), other.Rules, r.otherText(other))
		}
		return
	}
	j.OK, j.URL, j.Other, j.Notes = true, present(u.String(), true), other, texts(notes.Texts())
	r.app.writeJSON(j)
}

func (r *resolver) otherText(other *shape.Other) string {
	if other.URL == nil {
		return "nothing"
	}
	return locus.Quote(string(*other.URL))
}

func (r *resolver) answerBetween(base locus.URL, input string, readErr error) {
	j := shape.Resolve{Base: text(base.String()), URL: present(input, true), Rules: r.options.Rules.String()}
	var ref relative.Ref
	u, err := r.app.readURL(input, readErr)
	if err == nil {
		ref, err = r.shortest(base, u)
	}
	switch {
	case err != nil:
		r.fail(j, err)
	case r.app.flags.json:
		j.OK, j.Ref = true, present(ref.String(), true)
		r.app.writeJSON(j)
	default:
		fmt.Fprintln(r.app.out, ref.String())
	}
}

// shortest returns the shortest partial form of u. Case and default port of the host
// do not count as differences.
func (r *resolver) shortest(base, u locus.URL) (relative.Ref, error) {
	s := r.app.registry.Scheme(base)
	ref, err := relative.Between(base, relative.Align(base, u, s.Port), s.Hierarchy)
	if _, absolute := ref.URL(); absolute && err == nil {
		return relative.FromURL(u), nil
	}
	return ref, err
}

func (r *resolver) fail(j shape.Resolve, err error) {
	if !r.app.flags.json {
		r.app.refuse("", err)
		return
	}
	r.app.raise(statusUsage)
	e := newErrorJSON(err)
	j.Error = &e
	r.app.writeJSON(j)
}
