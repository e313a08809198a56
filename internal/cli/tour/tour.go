// Package tour is the subcommand "locus tour", which visits the servers of package
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
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/client"
	"github.com/locus-url/locus/internal/cli/config"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/tour"
)

// New returns the subcommand. serve serves the tour to a browser, until a signal.
func New(a *base.App, serve func(*base.App, config.ListenAddress) error) *cobra.Command {
	var only []string
	var serves bool
	listen := config.ListenAddress("127.0.0.1:0")
	cmd := &cobra.Command{
		Use:   "tour",
		Short: "Visit small servers of every scheme inside the program",
		Long: `The tour starts small servers inside the program, visits each with the client code of
"locus get", and shows what was sent and what came back. The servers listen on loopback
and end with the tour. No network is needed.

With --serve you visit them yourself in a browser, through a gateway that leads nowhere
else. Its URL is written first; Ctrl-C ends it. It is "locus gateway --demo" on a free
port, without a log.`,
		Example: "  locus tour --scheme ftp\n  locus tour --serve --listen 127.0.0.1:0",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case serves && len(only) > 0:
				return errors.New("--serve and --scheme can't be used together")
			case serves:
				return serve(a, listen)
			case cmd.Flags().Changed("listen"):
				return errors.New("--listen needs --serve")
			}
			return visitAll(a, only)
		},
	}
	base.AddFlags(cmd, "Tour", func(f *pflag.FlagSet) {
		f.BoolVar(&serves, "serve", false, "serve the tour to a browser instead")
		f.Var(&listen, "listen", "with --serve, listen on `HOST:PORT`; port 0 is any free port")
		f.StringSliceVar(&only, "scheme", nil, "visit only the stops of this scheme, by `NAME` (repeatable)")
	})
	return cmd
}

func visitAll(a *base.App, only []string) error {
	museum, err := tour.Open(a.Registry.All()...)
	if err != nil {
		a.Fail(base.StatusAccess, err)
		return nil
	}
	defer museum.Close()
	registry, err := client.DemoRegistry(a, museum)
	if err != nil {
		return err
	}
	defer client.CloseIdle(registry)
	guide, err := tour.NewGuide(a.Out, func(o *access.Options) (*access.Client, error) { return museum.Client(registry, o) })
	if err != nil {
		return err
	}
	defer guide.Close()

	var visited, names []string
	for _, stop := range museum.Stops() {
		if len(only) > 0 && !slices.Contains(only, stop.Scheme) {
			continue
		}
		if a.Context.Err() != nil || a.OutputFailed() {
			return nil
		}
		var err error
		if a.Flags.JSON {
			story := guide.Look(a.Context, stop)
			err = story.Err
			a.WriteJSON(newStoryJSON(&story))
		} else {
			err = guide.Visit(a.Context, stop)
		}
		if err != nil {
			a.RaiseStatus(base.StatusAccess)
		}
		a.Out.Flush()
		visited = append(visited, stop.Title)
		if !slices.Contains(names, stop.Scheme) {
			names = append(names, stop.Scheme)
		}
	}
	if len(visited) == 0 {
		return fmt.Errorf("the tour has no stop for %s", locus.Quote(strings.Join(only, ", ")))
	}
	if a.Flags.JSON {
		return nil
	}
	end := "every one answered"
	if a.ExitStatus() != base.StatusDone {
		end = "not every one answered"
	}
	fmt.Fprintf(a.Out, "Stops: %d, by the schemes %s; %s.\n", len(visited), strings.Join(names, ", "), end)
	return nil
}

type storyJSON struct {
	Scheme       shape.Text    `json:"scheme"`
	Section      shape.Text    `json:"section"`
	Title        shape.Text    `json:"title"`
	URL          shape.Text    `json:"url"`
	Conversation []lineJSON    `json:"conversation"`
	Form         *foundJSON    `json:"form"` // that was filled in on the way
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
		Scheme: shape.Text(s.Scheme), Section: shape.Text(s.Section), Title: shape.Text(s.Title), URL: shape.Text(s.URL.Redacted()),
		Conversation: []lineJSON{},
	}
	for _, line := range s.Conversation {
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
