package base

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/file"
)

// FileURL returns the URL of a local file.
func FileURL(path string) (locus.URL, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return locus.URL{}, err
	}
	return file.FromPath(path)
}

// Explain returns a more helpful error than err if the input looks like a path, a mail address or
// a URL without its scheme. That error contains a command line that works. For any other input, it
// returns err.
func (a *App) Explain(input string, err error) error {
	u, what := a.Meant(input, err)
	if u.IsZero() {
		return err
	}
	input = strings.TrimSpace(input)
	return fmt.Errorf("%s %s; %s", locus.Quote(input), what, a.works(input, u))
}

// Meant guesses which URL the user meant by an input without a scheme. The result what describes
// the input. Meant returns the zero URL if err has another cause than a missing scheme, if it
// cannot guess, or if the input may contain a password.
func (a *App) Meant(input string, err error) (u locus.URL, what string) {
	noScheme := errors.Is(err, locus.ErrNoScheme) || errors.Is(err, locus.ErrWindowsPath) || errors.Is(err, scheme.ErrNoScheme)
	input = strings.TrimSpace(input)
	if !noScheme || locus.Mask(input) != input {
		return locus.URL{}, ""
	}
	what, text := a.mistaken(input)
	u, err = locus.Parse(text)
	if err != nil {
		return locus.URL{}, ""
	}
	return u, what
}

// mistaken describes a text without a scheme, and returns the URL that the user may have meant.
// Both results are "" if mistaken cannot guess a URL.
func (a *App) mistaken(text string) (what, url string) {
	if url, ok := locus.FromWindowsPath(text); ok {
		return "is a Windows path, not a URL", url
	}
	path := a.ExpandHome(text)
	_, statErr := os.Stat(path)
	_, isPath := strings.CutPrefix(strings.TrimLeft(path, "."), "/")
	switch {
	case strings.HasPrefix(text, "//"):
		return "has no scheme", "http:" + text
	case statErr == nil || isPath:
		u, err := FileURL(path)
		if err != nil {
			return "", ""
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return "is a path, not a URL", u.String() + "/"
		}
		return "is a path, not a URL", u.String()
	}
	name, rest, hasPath := strings.Cut(text, "/")
	if user, host, ok := strings.Cut(name, "@"); ok {
		if user != "" && isName(host) && !hasPath {
			return "is a mail address, not a URL", "mailto:" + text
		}
		return "", ""
	}
	host, port, hasPort := strings.Cut(name, ":")
	if _, err := strconv.ParseUint(port, 10, 16); hasPort && err != nil || !isName(host) {
		return "", ""
	}
	return "has no scheme", "http://" + name + "/" + rest
}

// isName reports whether text looks like a host even without a scheme.
func isName(text string) bool {
	if _, err := netip.ParseAddr(text); err == nil || text == "localhost" {
		return locus.IsHost(text)
	}
	return locus.IsHost(text) && strings.Contains(text, ".")
}

// works returns the command line with the URL u in place of the input, or advice to write u. It
// omits flags, because flags may contain secrets.
func (a *App) works(input string, u locus.URL) string {
	words := slices.Clone(a.words)
	// Do not suggest a command for a mailto URL or for a file URL with a host, because the
	// command would fail.
	traits := a.Registry.Scheme(u).Traits
	found := a.LineNumber == 0 && !traits.Has(scheme.Composes) && (!traits.Has(scheme.Files) || u.Host() == "")
	i := slices.IndexFunc(words, func(arg string) bool { return strings.TrimSpace(arg) == input })
	if !found || i < 0 || slices.ContainsFunc(words, func(arg string) bool { return locus.Mask(arg) != arg }) {
		return "write " + u.String()
	}
	words[i] = u.String()
	for i, word := range words {
		words[i] = ShellQuote(word)
	}
	return "this works: " + strings.Join(words, " ")
}

// ShellQuote quotes text for a shell, if necessary.
func ShellQuote(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+"
	if text != "" && strings.Trim(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// plainUsage rewrites an error from the packages that parse arguments in plain English.
func plainUsage(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		text := "unknown flag --" + unknown.GetSpecifiedName()
		if like := similar(unknown.GetSpecifiedName(), names); len(like) > 0 {
			text += "; did you mean --" + strings.Join(like, " or --") + "?"
		}
		return errors.New(text)
	case errors.As(err, &invalid):
		cause := invalid.Unwrap()
		if errors.As(cause, new(*strconv.NumError)) {
			cause = errors.New("write a number")
			if invalid.GetFlag().Value.Type() == "bool" {
				cause = errors.New("write true or false")
			}
		}
		return fmt.Errorf("--%s %q: %w", invalid.GetFlag().Name, invalid.GetValue(), cause)
	case errors.As(err, &missing):
		return fmt.Errorf("--%s needs a value", missing.GetFlag().Name)
	}
	// Cobra defines no error type for flags that exclude each other.
	if _, rest, ok := strings.Cut(err.Error(), "none of the others can be; ["); ok {
		if names, _, ok := strings.Cut(rest, "] were all set"); ok {
			return errors.New("--" + strings.ReplaceAll(names, " ", " and --") + " can't be used together")
		}
	}
	return err
}

// similar returns the names that the user may have meant by the mistyped name.
func similar(typed string, names []string) []string {
	list := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		list.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return list.SuggestionsFor(typed)
}

// UnknownSubcommand returns an error that reports the first argument as an unknown subcommand and
// suggests similar names.
func UnknownSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	if like := similar(args[0], names); len(like) > 0 {
		return fmt.Errorf("unknown subcommand %q; did you mean %s?", args[0], strings.Join(like, " or "))
	}
	return fmt.Errorf("unknown subcommand %q", args[0])
}

// NoArgs returns an error if the command line contains arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s accepts no arguments; got %q", cmd.Name(), args[0])
	}
	return nil
}

// withOpen inserts the subcommand "open" if args contains a URL and no subcommand.
func withOpen(root *cobra.Command, args []string) []string {
	opener, _, err := root.Find([]string{BareSubcommand})
	if err != nil || opener == root {
		return args
	}
	for i := 0; i < len(args); i++ {
		name, isFlag := strings.CutPrefix(args[i], "-")
		switch {
		case IsBareURL(args[i]):
			return slices.Concat([]string{BareSubcommand}, args)
		case !isFlag || name == "-":
			return args
		case strings.Contains(name, "="):
			continue
		}
		f := opener.Flag(strings.TrimPrefix(name, "-"))
		if len(name) == 1 {
			f = opener.Flags().ShorthandLookup(name)
		}
		if f != nil && f.NoOptDefVal == "" {
			i++ // skip the flag's value
		}
	}
	return args
}

// BareSubcommand is the subcommand for a command line that contains only a URL.
const BareSubcommand = "open"

// IsBareURL reports whether an argument in the place of a subcommand is a URL.
func IsBareURL(arg string) bool {
	return !strings.HasPrefix(arg, "-") && strings.ContainsAny(arg, `:/\.<`)
}
