package base

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	// groupKey annotates a flag with the title of its group in the help text.
	groupKey = "locus_group"
	// obeysKey annotates a command with the network flags that apply to it.
	obeysKey = "locus_obeys"
	// ownConfigKey annotates a command that loads the configuration itself.
	ownConfigKey = "locus_own_config"

	ownGroup     = "Flags"
	networkGroup = "Network"
	commonGroup  = "All subcommands"
)

// A Group is the title of a group of subcommands in the help text.
type Group string

// The subcommand groups, in the order of the help text.
const (
	GroupFetch   Group = "Fetch and browse"
	GroupCheck   Group = "Check"
	GroupParse   Group = "Parse"
	GroupArchive Group = "Archive"
	GroupServe   Group = "Serve"
	GroupSetup   Group = "Set up"
)

func addGroups(root *cobra.Command) {
	for _, group := range []Group{GroupFetch, GroupCheck, GroupParse, GroupArchive, GroupServe, GroupSetup} {
		root.AddGroup(&cobra.Group{ID: string(group), Title: string(group)})
	}
	root.SetCompletionCommandGroupID(string(GroupSetup))
}

// AddFlags calls the function add, which defines flags of cmd. The help text lists these flags
// under the given title.
func AddFlags(cmd *cobra.Command, title string, add func(*pflag.FlagSet)) {
	cmd.Flags().SortFlags = false
	cmd.Flags().AddFlagSet(flagGroup(title, add))
}

// CompleteFlag sets the shell completions for the value of a flag.
func CompleteFlag(cmd *cobra.Command, name string, values func() []string) {
	err := cmd.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag does not exist
	}
}

// SchemeNames returns the names of all registered schemes.
func (a *App) SchemeNames() (names []string) {
	for _, s := range a.Registry.All() {
		names = append(names, s.Name)
	}
	return names
}

func flagGroup(title string, add func(*pflag.FlagSet)) *pflag.FlagSet {
	group := pflag.NewFlagSet(title, pflag.ContinueOnError)
	group.SortFlags = false
	add(group)
	group.VisitAll(func(f *pflag.Flag) { f.Annotations = map[string][]string{groupKey: {title}} })
	return group
}

// UseNetworkFlags shows the network flags in the help text and completions of cmd. If the caller
// passes names, only the named flags are shown. Without a call of UseNetworkFlags, cmd accepts the
// network flags but hides them.
func UseNetworkFlags(cmd *cobra.Command, names ...string) {
	if len(names) == 0 {
		names = []string{"timeout", "max-time", "max-size", "allow-private", "allow-link-local", "allow-port", "gateway", "no-gateway", "user-agent", "header"}
	}
	annotate(cmd, obeysKey, strings.Join(names, " "))
}

// LoadsConfig marks cmd as a command that calls [App.LoadConfig] or [App.CheckConfig]
// itself.
func LoadsConfig(cmd *cobra.Command) { annotate(cmd, ownConfigKey, "true") }

func annotate(cmd *cobra.Command, key, value string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[key] = value
}

// hideUnused hides the network flags that do not apply to cmd and its subcommands.
func hideUnused(cmd *cobra.Command, global *pflag.FlagSet) {
	for _, c := range cmd.Commands() {
		hideUnused(c, global)
	}
	obeyed := strings.Fields(cmd.Annotations[obeysKey])
	global.VisitAll(func(f *pflag.Flag) {
		if groupOf(f) != networkGroup || slices.Contains(obeyed, f.Name) || cmd.Flags().Lookup(f.Name) != nil {
			return
		}
		hidden := *f
		hidden.Hidden = true
		cmd.Flags().AddFlag(&hidden)
	})
}

func groupOf(f *pflag.Flag) string {
	if list := f.Annotations[groupKey]; len(list) > 0 {
		return list[0]
	}
	if f.Name == "help" || f.Name == "version" {
		return commonGroup
	}
	return ownGroup
}

func writeHelp(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "%s.\n", cmd.Short)
	switch {
	case !cmd.HasParent():
		fmt.Fprintf(w, "\nUsage:\n  %s SUBCOMMAND [flags]\n", cmd.Name())
		if opener, _, err := cmd.Find([]string{BareSubcommand}); err == nil && opener != cmd {
			fmt.Fprintf(w, "  %s URL [flags]\n", cmd.Name())
		}
	case cmd.Runnable():
		fmt.Fprintf(w, "\nUsage:\n  %s\n", cmd.UseLine())
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.Long != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(cmd.Long))
	}
	for _, group := range cmd.Groups() {
		writeCommands(cmd, group.Title, func(c *cobra.Command) bool { return c.IsAvailableCommand() && c.GroupID == group.ID })
	}
	writeCommands(cmd, "Subcommands", func(c *cobra.Command) bool { return c.IsAvailableCommand() && c.GroupID == "" })
	writeCommands(cmd, "Topics", func(c *cobra.Command) bool { return !c.Runnable() && c.IsAdditionalHelpTopicCommand() })
	if cmd.Runnable() || !cmd.HasParent() {
		for _, group := range FlagGroups(cmd) {
			fmt.Fprintf(w, "\n%s:\n%s", group.Name(), group.FlagUsagesWrapped(helpWidth))
		}
	}
}

const helpWidth = 88

func writeCommands(cmd *cobra.Command, title string, wanted func(*cobra.Command) bool) {
	w := cmd.OutOrStdout()
	for _, c := range cmd.Commands() {
		if !wanted(c) {
			continue
		}
		if title != "" {
			fmt.Fprintf(w, "\n%s:\n", title)
			title = ""
		}
		fmt.Fprintf(w, "  %-14s %s\n", c.Name(), c.Short)
	}
}

// FlagGroups returns the visible flags of cmd in groups. The flags of cmd itself come first, then
// the network flags, and then the flags that all subcommands share.
func FlagGroups(cmd *cobra.Command) []*pflag.FlagSet {
	var groups []*pflag.FlagSet
	add := func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		i := slices.IndexFunc(groups, func(g *pflag.FlagSet) bool { return g.Name() == groupOf(f) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, pflag.NewFlagSet(groupOf(f), pflag.ContinueOnError))
			groups[i].SortFlags = false
		}
		groups[i].AddFlag(f)
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	rank := func(g *pflag.FlagSet) int { return slices.Index([]string{networkGroup, commonGroup}, g.Name()) }
	slices.SortStableFunc(groups, func(a, b *pflag.FlagSet) int { return rank(a) - rank(b) })
	return groups
}
