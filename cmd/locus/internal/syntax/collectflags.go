package syntax

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/profile/rfc3986"
)

// collectFlags holds the flags that collect results.
type collectFlags struct {
	bulkRun
	unique, count, sort bool
	by                  string
	groups              []string // valid values of the field by
	memory              base.MemoryFlags
}

const (
	byHost   = "host"
	byScheme = "scheme"
	byRule   = "rule"
)

// addCollecting adds the flags of the subcommand "canonical" for output, invalid inputs and memory.
func addCollecting(a *base.App, cmd *cobra.Command) *collectFlags {
	f := &collectFlags{bulkRun: bulkRun{app: a, invalid: &invalidInputs{}}, groups: []string{byHost, byScheme}}
	f.addFlags(cmd)
	base.AddFlags(cmd, "Output", func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.unique, "unique", false, "write each canonical form once")
		flags.BoolVar(&f.count, "count", false, "write the number of occurrences, a TAB, and the form")
		flags.BoolVar(&f.sort, "sort", false, "sort the output by bytes")
		flags.BoolVar(&f.unordered, "unordered", false, "write results in any order")
		f.addBy(flags, "count the URLs of each `host` or scheme")
		flags.StringVar(&f.invalid.how, "invalid", "", invalidHelp)
		f.memory.Add(flags)
	})
	base.CompleteFlag(cmd, "by", func() []string { return f.groups })
	for _, pair := range [][]string{{"sort", "unordered"}, {"count", "by"}, {"sort", "by"}, {"unordered", "by"}} {
		cmd.MarkFlagsMutuallyExclusive(pair...)
	}
	return f
}

// addSummary adds the flags that select how the subcommand "check" summarizes results.
func addSummary(a *base.App, cmd *cobra.Command) *collectFlags {
	f := &collectFlags{bulkRun: bulkRun{app: a}, groups: []string{byRule, byHost, byScheme}}
	f.addFlags(cmd)
	base.AddFlags(cmd, "Output", func(flags *pflag.FlagSet) {
		f.addBy(flags, "count findings by `rule`, or URLs with violations by host or scheme")
		f.memory.Add(flags)
	})
	base.CompleteFlag(cmd, "by", func() []string { return f.groups })
	return f
}

func (f *collectFlags) addBy(flags *pflag.FlagSet, usage string) {
	flags.StringVar(&f.by, "by", "", usage)
}

// prepare checks the flags. The parameter rules is the number of selected standards.
func (f *collectFlags) prepare(rules int) error {
	f.hasher = bulk.NewHasher()
	if f.by != "" && !slices.Contains(f.groups, f.by) {
		return fmt.Errorf("--by %q: choose %s", f.by, strings.Join(f.groups, ", "))
	}
	if f.by != "" && f.invalid != nil && f.invalid.how == "keep" {
		return errors.New("--invalid keep can't be used with --by: choose drop or a file")
	}
	collects := f.unique || f.count || f.sort || f.by != ""
	switch {
	case !collects:
		return nil
	case rules > 1 && f.unique:
		return errors.New("--unique needs one set of rules")
	case rules > 1:
		return errors.New("--count, --sort and --by need one set of rules")
	case f.sort && f.app.Flags.JSON:
		return errors.New("--sort can't be used with --json")
	}
	if err := f.memory.Check(); err != nil {
		return err
	}
	f.collect = &collector{
		unique: f.unique, count: f.count, sort: f.sort, asJSON: f.app.Flags.JSON,
		memory: &f.memory,
	}
	if f.by != "" {
		f.collect.grouped = !f.unique
		f.collect.json = f.groupJSON
	}
	if f.by != "" && f.unique {
		of := f.groupOf()
		f.collect.group = func(text []byte) string { return of(strings.TrimSuffix(string(text), "\n")) }
	}
	return nil
}

// group returns a function that maps a canonical form to its group. The function is nil if the
// output is the canonical form itself.
func (f *collectFlags) group() func(string) string {
	if f.unique {
		return nil
	}
	return f.groupOf()
}

func (f *collectFlags) groupOf() func(string) string {
	switch f.by {
	case byHost:
		return hostOf
	case byScheme:
		return schemeOf
	}
	return nil
}

// hostOf returns the host of a URL in lower case, or "-" if there is no host.
func hostOf(text string) string {
	if host, _ := rfc3986.Parse(text).Host(); host != "" {
		return octet.ToLower(host)
	}
	return "-"
}

// schemeOf returns the scheme of a URL in lower case, or "-" if there is no scheme.
func schemeOf(text string) string {
	if name, _ := rfc3986.Parse(text).Scheme(); name != "" {
		return octet.ToLower(name)
	}
	return "-"
}

// groupJSON returns the JSON object members that contain the name of a group.
func (f *collectFlags) groupJSON(text []byte) []byte {
	member := func(name, value string) string {
		quoted, _ := shape.Text(value).MarshalJSON() // can't fail
		return fmt.Sprintf("%q:%s", name, quoted)
	}
	if f.by != byRule {
		return []byte(member(f.by, string(text)))
	}
	kind, rule, _ := strings.Cut(string(text), " ")
	return []byte(member("kind", kind) + "," + member("rule", rule))
}
