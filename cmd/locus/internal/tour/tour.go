// Package tour implements the subcommand "locus tour", which opens the example URLs of package
// tour.
package tour

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/tour"
)

// New returns the subcommand. The serve function serves the tour to a browser until the process
// receives a signal.
func New(a *base.App, serve func(*base.App, config.ListenAddress) error) *cobra.Command {
	var only []string
	var serves, full bool
	listen := config.ListenAddress("127.0.0.1:0")
	cmd := &cobra.Command{
		Use:   "tour [NAME...]",
		Short: "Visit demo servers of every scheme, without a network",
		Long: `The tour starts small servers inside the program, opens each with the client code of
"locus get", and shows the requests and responses. The servers listen on loopback and
stop with the tour.

Without arguments, tour lists its stops and shows three lines of each. A NAME is a stop or
a scheme. tour then shows up to 25 lines of each stop; --full shows all lines.

Browser:
With --serve, tour starts a gateway on a free port, which serves only these demo servers,
and prints its URL. Open it in a browser. Ctrl-C stops it. "locus gateway --demo" does the
same on the gateway's port, with a log.`,
		Example: "  locus tour\n  locus tour --full gopher-menu",
		RunE: func(cmd *cobra.Command, names []string) error {
			names = append(names, only...)
			switch {
			case serves && len(names) > 0:
				return errors.New("--serve can't be used with names or --scheme")
			case serves && full:
				return errors.New("--serve and --full can't be used together")
			case serves:
				return serve(a, listen)
			case cmd.Flags().Changed("listen"):
				return errors.New("--listen needs --serve")
			}
			return visitAll(a, names, full)
		},
	}
	base.AddFlags(cmd, "Tour", func(f *pflag.FlagSet) {
		f.BoolVar(&full, "full", false, "show all lines of each stop")
		f.BoolVar(&serves, "serve", false, "serve the tour to a browser instead")
		f.Var(&listen, "listen", "with --serve, listen on `HOST:PORT`; port 0 is any free port")
		f.StringSliceVar(&only, "scheme", nil, "visit only the stops of this scheme, by `NAME` (repeatable)")
	})
	base.CompleteFlag(cmd, "scheme", a.SchemeNames)
	return cmd
}

// greeting is the text that precedes a tour of all stops.
const greeting = `Welcome to the museum of the network: a small server for each scheme, inside this program.
"locus tour NAME" shows more of a stop, "locus tour --serve" opens the museum in a browser.
`

// visitAll visits the stops with the given names or schemes. Without names, it visits all stops.
func visitAll(a *base.App, names []string, full bool) error {
	museum, err := tour.Open()
	if err != nil {
		a.Fail(base.StatusAccess, err)
		return nil
	}
	defer museum.Close()
	stops, err := choose(museum.Stops(), names)
	if err != nil {
		return err
	}
	registry, err := a.NewRegistry(museum.Schemes()...)
	if err != nil {
		return err
	}
	defer client.CloseIdle(registry)
	guide, err := tour.NewGuide(a.Out, func(o *access.Options) (*access.Client, error) { return museum.Client(registry, o) })
	if err != nil {
		return err
	}
	defer guide.Close()

	detail := tour.Normal
	switch {
	case full:
		detail = tour.Full
	case len(names) == 0:
		detail = tour.Brief
	}
	if len(names) == 0 && !a.Flags.JSON {
		list(a, museum)
	}
	failed := 0
	for _, stop := range stops {
		if a.Context.Err() != nil || a.OutputFailed() {
			return nil
		}
		var err error
		if a.Flags.JSON {
			story := guide.Look(a.Context, stop)
			err = story.Err
			a.WriteJSON(newStoryJSON(&story))
		} else {
			err = guide.Visit(a.Context, stop, detail)
		}
		if err != nil {
			failed++
			a.RaiseStatus(base.StatusAccess)
		}
		a.Out.Flush()
	}
	if !a.Flags.JSON && len(stops) > 1 {
		fmt.Fprintf(a.Out, "%d stops, %d failed\n", len(stops), failed)
	}
	return nil
}

// list prints a greeting and the stops of the tour, one stop per line.
func list(a *base.App, museum *tour.Demo) {
	fmt.Fprint(a.Out, greeting)
	for _, room := range museum.Servers() {
		fmt.Fprintf(a.Out, "\n%s\n", room.Name)
		for _, stop := range room.Stops {
			fmt.Fprintf(a.Out, "  %-18s  %s\n", stop.Name, stop.Title)
		}
	}
	fmt.Fprintln(a.Out)
}

// choose returns the stops with the given names or schemes. Without names, it returns all
// stops.
func choose(all []tour.Stop, names []string) (stops []tour.Stop, err error) {
	for _, name := range names {
		if !slices.ContainsFunc(all, func(s tour.Stop) bool { return s.Name == name || s.Scheme == name }) {
			return nil, fmt.Errorf("unknown stop or scheme %s; run \"locus tour\" to list the stops", locus.Quote(name))
		}
	}
	for _, s := range all {
		if len(names) == 0 || slices.Contains(names, s.Name) || slices.Contains(names, s.Scheme) {
			stops = append(stops, s)
		}
	}
	return stops, nil
}

type storyJSON struct {
	Name         shape.Text    `json:"name"`
	Scheme       shape.Text    `json:"scheme"`
	Section      shape.Text    `json:"section"`
	Title        shape.Text    `json:"title"`
	URL          shape.Text    `json:"url"`
	Conversation []lineJSON    `json:"conversation"`
	Form         *foundJSON    `json:"form"` // the submitted form that led to the resource
	Found        *foundJSON    `json:"found"`
	Error        *shape.Reason `json:"error"`
}

type lineJSON struct {
	Sent bool       `json:"sent"`
	Line shape.Text `json:"line"`
}

type foundJSON struct {
	Summary shape.Text   `json:"summary"`
	Lines   []shape.Text `json:"lines"`
}

func newStoryJSON(s *tour.Story) storyJSON {
	j := storyJSON{
		Name: shape.Text(s.Name), Scheme: shape.Text(s.Scheme), Section: shape.Text(s.Section), Title: shape.Text(s.Title), URL: shape.Text(s.URL.Shown()),
		Conversation: []lineJSON{},
	}
	for _, line := range s.Transcript {
		j.Conversation = append(j.Conversation, lineJSON{line[0] == '>', shape.Text(line[len("> "):])})
	}
	if s.Form != nil {
		j.Form = newFoundJSON(*s.Form)
	}
	if s.Err == nil {
		j.Found = newFoundJSON(s.Found)
	} else {
		reason := base.NewReason(s.Err)
		j.Error = &reason
	}
	return j
}

func newFoundJSON(f tour.Found) *foundJSON {
	j := foundJSON{Summary: shape.Text(f.Summary), Lines: []shape.Text{}}
	for _, line := range f.Lines {
		j.Lines = append(j.Lines, shape.Text(strings.TrimSuffix(line, "\r")))
	}
	return &j
}
