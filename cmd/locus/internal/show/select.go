package show

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/tn3270"
)

// Selection holds the flags that select a part or a range of a resource.
type Selection struct {
	Part   string    // value of --part
	Items  itemRange // value of --items
	within string    // value of --in
	like   []string  // values of --like

	received bool // value of --received

	message  locus.URL   // message that the field within names
	Examples []locus.URL // URLs that the field like names
}

func (s *Selection) addFlags(f *pflag.FlagSet) {
	f.StringVar(&s.Part, "part", "", "get part `PATH` of a message, such as 2 or 1.2")
	f.Var(&s.Items, "items", "list a `RANGE` of articles or hits: 1-200, 100-, -200, newest:50")
	f.StringVar(&s.within, "in", "", "cid: the message that contains the part: a `FILE` or URL")
	f.StringArrayVar(&s.like, "like", nil, "wais: search for documents similar to `URL` (repeatable)")
	f.BoolVar(&s.received, "received", false, "news: look in mail.stores before the news server")
}

// Check validates the flags.
func (s *Selection) Check(a *base.App, args []string) error {
	if s.Part != "" && !isPartPath(s.Part) {
		return fmt.Errorf("--part must be numbers separated by dots, such as 2 or 1.2; not %s", locus.Quote(s.Part))
	}
	if s.received {
		if len(a.Config.Mail.Stores) == 0 {
			return errors.New("--received needs mail.stores in the configuration")
		}
		a.Config.News.Received = true
	}
	if s.within != "" {
		if !HasTrait(a, args, scheme.Contained) {
			return errors.New("--in needs a cid URL")
		}
		var err error
		if s.message, err = messageURL(a, s.within); err != nil {
			return fmt.Errorf("--in: %w", err)
		}
	}
	if len(s.like) > 0 && !HasTrait(a, args, scheme.AcceptsLike) {
		return errors.New("--like needs a wais URL")
	}
	for _, text := range s.like {
		u, err := locus.ParseWrapped(text)
		if err != nil {
			return fmt.Errorf("--like: %w", err)
		}
		s.Examples = append(s.Examples, u)
	}
	return nil
}

// HasTrait reports whether one of the arguments is (or may be) a URL whose scheme has the given
// trait.
func HasTrait(a *base.App, args []string, t scheme.Traits) bool {
	return mayBe(args, func(u locus.URL) bool { return a.Registry.Scheme(u).Traits.Has(t) })
}

func mayBe(args []string, wanted func(locus.URL) bool) bool {
	return base.IsStdin(args) || slices.ContainsFunc(args, func(arg string) bool {
		u, err := locus.ParseWrapped(arg)
		return err == nil && wanted(u)
	})
}

// messageURL returns the URL of a message. The text is a URL or a file path.
func messageURL(a *base.App, text string) (locus.URL, error) {
	u, err := locus.ParseWrapped(text)
	s, known := a.Registry.Lookup(u.Scheme())
	switch {
	case err != nil || !known:
		return base.FileURL(text)
	case s.Traits.Has(scheme.Messages):
		return u, nil
	}
	return locus.URL{}, fmt.Errorf("a message is a file, or a mid or news URL; not %s (write ./%[1]s for a file)", u.Shown())
}

// From returns the message that contains the object at the URL u, or nil if no flag names a
// message.
func (v *Viewer) From(u locus.URL) *access.Result {
	if v.message.IsZero() || !v.App.Registry.Scheme(u).Traits.Has(scheme.Contained) {
		return nil
	}
	// The user typed the URL, so its server may be private.
	return &access.Result{URL: v.message, LinkOrigin: policy.FromPrivate}
}

type itemRange struct {
	scheme.ItemRange
	text  string
	given bool
}

var _ pflag.Value = (*itemRange)(nil)

// Set parses a range such as "100-200", "100-", "-200", "150" or "newest:50".
func (r *itemRange) Set(text string) error {
	*r = itemRange{text: text, given: true}
	if newest, ok := strings.CutPrefix(text, "newest:"); ok {
		return setNumber(&r.Newest, newest)
	}
	first, last, ok := strings.Cut(text, "-")
	if !ok {
		last = first
	}
	if first != "" || last == "" {
		if err := setNumber(&r.First, first); err != nil {
			return err
		}
	}
	if last != "" {
		if err := setNumber(&r.Last, last); err != nil {
			return err
		}
	}
	if r.Last > 0 && r.First > r.Last {
		return fmt.Errorf("%d is greater than %d", r.First, r.Last)
	}
	return nil
}

var errRange = errors.New(`write a range as "100-200", "100-", "-200", "150" or "newest:50"`)

func setNumber(n *int64, text string) error {
	v, err := strconv.ParseUint(text, 10, 63)
	if err != nil || v == 0 {
		return errRange
	}
	*n = int64(v)
	return nil
}

func (r *itemRange) String() string { return r.text }

func (r *itemRange) Type() string { return "range" }

type screenFlags struct{ model, codePage, device string }

func (s *screenFlags) AddFlags(f *pflag.FlagSet) {
	f.StringVar(&s.model, "model", "", "tn3270: terminal model `N`: 2 (24x80, default), 3, 4 or 5 (27x132)")
	f.StringVar(&s.codePage, "code-page", "", "tn3270: character set of the host, by `NUMBER` (default 037)")
	f.StringVar(&s.device, "device", "", "tn3270: request the device or group `NAME`")
}

func (s *screenFlags) Apply(f *pflag.FlagSet, c *config.TN3270) error {
	if f.Changed("model") {
		if err := c.Model.UnmarshalText([]byte(s.model)); err != nil {
			return fmt.Errorf("--model: %w", err)
		}
	}
	if f.Changed("code-page") {
		if err := c.CodePage.UnmarshalText([]byte(s.codePage)); err != nil {
			return fmt.Errorf("--code-page: %w", err)
		}
	}
	if f.Changed("device") {
		c.Device = s.device
	}
	return nil
}

// CompleteScreenFlags sets the shell completions for the flags of tn3270 sessions.
func CompleteScreenFlags(cmd *cobra.Command) {
	base.CompleteFlag(cmd, "model", func() []string { return []string{"2", "3", "4", "5"} })
	base.CompleteFlag(cmd, "code-page", tn3270.CodePages)
}

// HasScreen reports whether one of the arguments may be the URL of a session with a 3270 screen.
func HasScreen(args []string) bool {
	return mayBe(args, func(u locus.URL) bool { return u.Scheme() == "tn3270" })
}
