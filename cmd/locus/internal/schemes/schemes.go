// Package schemes implements the subcommand "locus schemes", which lists the registered URL
// schemes.
package schemes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// New returns the subcommand "schemes".
func New(a *base.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schemes",
		Short: "List the known schemes and how Locus accesses them",
		Long: `The columns are:

  name          the scheme
  port          the default port
  status        standard (RFC 1738), draft (the URI draft that became RFC 1630),
                extension (supported, but in neither), or reserved (without a syntax)
  section       the section that defines the scheme
  current       the current standard, which --rules rfc3986 applies
  access        how Locus opens URLs of the scheme

--json adds the syntax, the status in the IANA registry, and the proxy for the scheme.

The list continues with other schemes that IANA registers (permanent, provisional or
historical) and with unregistered schemes that programs use. Locus checks their URLs by
RFC 1738 section 5, but can't open them. Schemes that have only a proxy come last.`,
		Example: `  locus schemes
  locus schemes --json`,
		Args: base.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			gateways, err := client.Proxies(a)
			if err != nil {
				return err
			}
			table, err := client.ProxyTable(a)
			if err != nil {
				return err
			}
			rows := [][]string{{"NAME", "PORT", "STATUS", "SECTION", "CURRENT", "ACCESS"}}
			for _, s := range list(a, table, gateways) {
				j := schemeJSON{Scheme: s}
				if g := client.ProxyFor(a, gateways, s.Name); !g.IsZero() {
					j.Gateway = shape.Text(g.String())
				}
				if a.Flags.JSON {
					a.WriteJSON(j)
				} else {
					rows = append(rows, j.row())
				}
			}
			if !a.Flags.JSON {
				writeTable(a, rows)
			}
			return nil
		},
	}
	base.UseNetworkFlags(cmd, "gateway", "no-gateway")
	return cmd
}

// list returns three groups of schemes, in this order: the schemes that locus implements, other
// schemes in the IANA registry, and schemes for which only a proxy is configured.
func list(a *base.App, table config.ProxyTable, gateways *access.Proxies) (list []shape.Scheme) {
	for _, s := range a.Registry.All() {
		list = append(list, shape.NewScheme(s))
	}
	list = append(list, shape.NamedSchemes(a.Registry)...)
	for _, name := range slices.Sorted(maps.Keys(table.Rules.Schemes)) {
		_, known := a.Registry.Lookup(name)
		if !known && scheme.NameStatus(name) == "" && !client.ProxyFor(a, gateways, name).IsZero() {
			list = append(list, shape.Scheme{Name: name, Status: "unregistered"})
		}
	}
	return list
}

type schemeJSON struct {
	shape.Scheme
	Gateway shape.Text `json:"gateway,omitempty"`
}

func (s schemeJSON) row() []string {
	port, access := "-", "-"
	if s.Port != nil {
		port = strconv.Itoa(int(*s.Port))
	}
	switch {
	case s.Access != nil:
		access = string(*s.Access)
	case s.Gateway != "":
		access = "gateway " + string(s.Gateway)
	}
	return []string{s.Name, port, s.Status, cmp.Or(s.Section, "-"), cmp.Or(s.Current, "-"), access}
}

func writeTable(a *base.App, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], term.Width(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell + strings.Repeat(" ", widths[i]-term.Width(cell)+2))
		}
		fmt.Fprintln(a.Out, strings.TrimRight(line.String(), " "))
	}
}
