package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
)

func newSchemes(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schemes",
		Short: "List the schemes: name, port, section, syntax, and how they are accessed",
		Long: `List the schemes that are known, with the default port, where the name comes from
(standard: RFC 1738; draft: the URI draft that became RFC 1630; extension: neither, and
supported here; reserved: a name without syntax), the section that defines it,
and how it is accessed. --json has the syntax besides, the status of the name in
IANA's registry, and the gateway if URLs of the scheme go through one.

After them come the other names that IANA registers (permanent, provisional or
historical), and those that programs use unregistered. Their URLs are checked as
RFC 1738 section 5 says of any scheme, and not accessed. Names that have only a
gateway come last.`,
		Example: `  locus schemes
  locus schemes --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			list := a.registry.All()
			gateways, err := a.gateways()
			if err != nil {
				return err
			}
			if a.flags.json {
				for _, s := range list {
					a.writeJSON(a.withGateway(shape.NewScheme(s), gateways))
				}
				for _, s := range a.namedSchemes(gateways) {
					a.writeJSON(a.withGateway(s, gateways))
				}
				return nil
			}
			rows := [][]string{{"NAME", "PORT", "STATUS", "SECTION", "ACCESS"}}
			for _, s := range list {
				rows = append(rows, []string{s.Name, portText(s.Port), s.Status.String(), s.Section, orDash(s.Access)})
			}
			for _, s := range a.namedSchemes(gateways) {
				access := "-"
				if g := a.gatewayFor(gateways, s.Name); !g.IsZero() {
					access = "gateway " + g.String()
				}
				rows = append(rows, []string{s.Name, "-", s.Status, orDash(s.Section), access})
			}
			a.writeTable(rows)
			return nil
		},
	}
}

// schemeJSON is a row of the registry, and what URLs of the scheme go by way of.
type schemeJSON struct {
	shape.Scheme
	Gateway text `json:"gateway,omitempty"`
}

func (a *app) withGateway(s shape.Scheme, gateways *access.Gateways) schemeJSON {
	j := schemeJSON{Scheme: s}
	if g := a.gatewayFor(gateways, s.Name); !g.IsZero() {
		j.Gateway = text(g.String())
	}
	return j
}

func portText(n uint16) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(int(n))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// writeTable writes rows with their columns aligned.
func (a *app) writeTable(rows [][]string) {
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
		fmt.Fprintln(a.out, strings.TrimRight(line.String(), " "))
	}
}
