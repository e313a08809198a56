package syntax

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/relative"
)

type resolver struct {
	app      *base.App
	profiles []locus.Profile
	options  relative.Options
	between  bool
}

// NewResolve returns the subcommand "resolve".
func NewResolve(a *base.App) *cobra.Command {
	r := resolver{app: a}
	var flags *ruleFlags
	cmd := &cobra.Command{
		Use:   "resolve BASE REF...",
		Short: "Resolve relative references, or make URLs relative",
		Long: `resolve writes the URL of each relative reference REF in a document at BASE, one per line.
It follows RFC 3986 section 5.2. --rules rfc1630 selects RFC 1630 and its draft, and
--rules whatwg the URL Standard of browsers. A note says where RFC 3986 and RFC 1630
disagree, and where ".." leads above the root of the path. With several rules, resolve
writes a line for each: the name of the rules, a TAB and the URL.

With --between, resolve does the reverse: for each URL it writes the shortest relative
reference from BASE. It ignores the case and the default port of the host.

With "-" instead of all REFs, resolve reads them from standard input, one per line. If
"-" is the only argument, the first line is BASE.`,
		Example: `  locus resolve http://a/b/c/d ../g '?y'
  locus resolve --between ftp://h/pub/a/x ftp://h/pub/b/y`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 && !base.IsStdin(args) {
				return errors.New("resolve needs a base URL and relative references")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) (err error) {
			if r.profiles, err = flags.profiles(); err != nil {
				return err
			}
			r.run(args)
			return nil
		},
	}
	flags = addRules(a, cmd, locus.RFC3986, locus.RFC1630, locus.WHATWG)
	cmd.Flags().BoolVar(&r.between, "between", false, "write the shortest relative reference for each URL")
	cmd.Flags().BoolVar(&r.options.Data, "gopher", false, "resolve \"/\" in gopher URLs as hierarchy")
	cmd.Flags().BoolVar(&r.options.SameScheme, "same-scheme", false, "read \"http:g\" in an http document as \"g\"")
	cmd.Flags().BoolVar(&r.options.FirstSlash, "first-slash", false, "rfc1630: resolve \"/g\" from the first \"/\", as the draft's example")
	cmd.MarkFlagsMutuallyExclusive("between", "rules")
	return cmd
}

func (r *resolver) run(args []string) {
	var baseURL locus.URL
	refs := args
	if !base.IsStdin(args) {
		var ok bool
		if baseURL, ok = r.base(args[0], nil); !ok {
			return
		}
		refs = args[1:]
	}
	for input, err := range r.app.URLs(refs) {
		if !baseURL.IsZero() {
			r.answer(baseURL, input, err)
			continue
		}
		var ok bool
		if baseURL, ok = r.base(input, err); !ok {
			return
		}
	}
}

// base parses the base URL. If the base URL is invalid, the result ok is false, and the command
// must stop.
func (r *resolver) base(input string, err error) (u locus.URL, ok bool) {
	if err == nil {
		u, err = shape.ReadBase(input, r.between || slices.Contains(r.profiles, locus.RFC1630))
	}
	if err == nil {
		r.app.NoteWrapper(input)
	} else {
		r.app.Fail(base.StatusUsage, base.Prefix("the base", r.app.Explain(input, err)))
	}
	return u, err == nil
}

func (r *resolver) answer(base locus.URL, input string, err error) {
	if r.between {
		r.answerBetween(base, input, err)
		return
	}
	var list []shape.Resolve
	for _, p := range r.profiles {
		var j shape.Resolve
		if p == locus.WHATWG {
			j = shape.ResolveAsBrowser(base, input, err)
		} else {
			r.options.Rules = relative.RFC3986
			if p == locus.RFC1630 {
				r.options.Rules = relative.RFC1630
			}
			r.options.Hierarchy = r.app.Registry.Hierarchy(base)
			j = shape.NewResolve(base, input, err, r.options)
		}
		if r.app.Flags.JSON {
			if !j.OK {
				r.app.RaiseStatus(2)
			}
			list = append(list, j)
			continue
		}
		r.write(base, input, j)
	}
	if r.app.Flags.JSON {
		r.app.WriteJSON(shape.JoinResolve(list))
	}
}

// write writes the result of resolving a reference by the rules of one standard.
func (r *resolver) write(base locus.URL, input string, j shape.Resolve) {
	if !j.OK {
		r.app.FailInput("", j.Err)
		return
	}
	r.app.NoteWrapper(input)
	if len(r.profiles) > 1 {
		r.app.Out.WriteString(j.Rules + "\t")
	}
	fmt.Fprintln(r.app.Out, string(*j.URL))
	texts := j.Texts
	if j.Other != nil && len(r.profiles) == 1 {
		result := "nothing"
		if j.Other.URL != nil {
			result = locus.Quote(string(*j.Other.URL))
		}
		texts = append(texts, fmt.Sprintf("%s gives %s", j.Other.Rules, result))
	}
	for _, note := range texts {
		r.app.FlushTerminal()
		r.app.Note("%s in %s: %s", locus.Quote(locus.Mask(input)), locus.Quote(base.Shown()), note)
	}
}

func (r *resolver) answerBetween(base locus.URL, input string, readErr error) {
	j := shape.Resolve{Base: shape.Text(base.String()), URL: shape.Present(input, true), Rules: r.options.Rules.String()}
	var ref relative.Ref
	u, err := r.app.ReadURL(input, readErr)
	if err == nil {
		ref, err = r.shortest(base, u)
	}
	switch {
	case err != nil:
		r.fail(j, err)
	case r.app.Flags.JSON:
		j.OK, j.Ref = true, shape.Present(ref.String(), true)
		r.app.WriteJSON(j)
	default:
		fmt.Fprintln(r.app.Out, ref.String())
	}
}

// shortest returns the shortest reference from base to u. It ignores differences in letter case
// and in the default port.
func (r *resolver) shortest(base, u locus.URL) (relative.Ref, error) {
	s := r.app.Registry.Scheme(base)
	ref, err := relative.Between(base, relative.Align(base, u, s.Port), s.Syntax.Hierarchy)
	if _, absolute := ref.URL(); absolute && err == nil {
		return relative.FromURL(u), nil
	}
	return ref, err
}

func (r *resolver) fail(j shape.Resolve, err error) {
	if !r.app.Flags.JSON {
		r.app.FailInput("", err)
		return
	}
	r.app.RaiseStatus(base.StatusUsage)
	e := shape.NewError(err)
	j.Error = &e
	r.app.WriteJSON(j)
}
