package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/nntp"
	"github.com/locus-url/locus/tour"
)

func newTour(a *app) *cobra.Command {
	var only []string
	var serve bool
	listen := listenAddress("127.0.0.1:0")
	cmd := &cobra.Command{
		Use:   "tour",
		Short: "Start small servers of every scheme inside the program and visit each",
		Long: `Start a small server of every scheme inside the program, visit each with the
client code that "locus get" runs, and tell what was sent and what came back.
The servers listen on loopback and end with the tour: no network is needed.

With --serve you visit them yourself, in a browser: a gateway stands before the
servers, leads to them and nowhere else, and says at which URL it is. Ctrl-C
closes it all. It is "locus gateway --demo" on a free port, without a log.`,
		Example: "  locus tour --scheme ftp\n  locus tour --serve --listen 127.0.0.1:0",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case serve && len(only) > 0:
				return usageError("--serve is for a browser, and --scheme for the guide")
			case serve:
				return a.serveTour(listen)
			case cmd.Flags().Changed("listen"):
				return usageError("--listen is for --serve")
			}
			return a.tour(only)
		},
	}
	cmd.Flags().BoolVar(&serve, "serve", false, "leave the servers up behind a gateway, for a browser")
	cmd.Flags().Var(&listen, "listen", "with --serve, listen on `HOST:PORT`; the port 0 is any that is free")
	cmd.Flags().StringSliceVar(&only, "scheme", nil, "visit only the stops of this `NAME` (repeatable)")
	return cmd
}

func (a *app) tour(only []string) error {
	museum, err := tour.Open(a.registry.All()...)
	if err != nil {
		a.problem(statusAccess, err)
		return nil
	}
	defer museum.Close()
	registry, err := a.museumSchemes(museum)
	if err != nil {
		return err
	}
	defer closeOpeners(registry)
	guide, err := tour.NewGuide(a.out, func(o *access.Options) (*access.Client, error) { return museum.Client(registry, o) })
	if err != nil {
		return err
	}
	defer guide.Close()

	var visited, names []string
	for _, stop := range museum.Stops() {
		if len(only) > 0 && !slices.Contains(only, stop.Scheme) {
			continue
		}
		if a.ctx.Err() != nil || a.broken() {
			return nil
		}
		var err error
		if a.flags.json {
			story := guide.Look(a.ctx, stop)
			err = story.Err
			a.writeJSON(newStoryJSON(&story))
		} else {
			err = guide.Visit(a.ctx, stop)
		}
		if err != nil {
			a.raise(statusAccess)
		}
		a.out.Flush()
		visited = append(visited, stop.Title)
		if !slices.Contains(names, stop.Scheme) {
			names = append(names, stop.Scheme)
		}
	}
	if len(visited) == 0 {
		return usageError("the tour has no stop for %s", locus.Quote(strings.Join(only, ", ")))
	}
	if a.flags.json {
		return nil
	}
	end := "every one answered"
	if a.status != statusDone {
		end = "not every one answered"
	}
	fmt.Fprintf(a.out, "Stops: %d, by the schemes %s; %s.\n", len(visited), strings.Join(names, ", "), end)
	return nil
}

// storyJSON is what there is to tell of a stop.
type storyJSON struct {
	Scheme       text        `json:"scheme"`
	Section      text        `json:"section"`
	Title        text        `json:"title"`
	URL          text        `json:"url"`
	Conversation []lineJSON  `json:"conversation"`
	Form         *foundJSON  `json:"form"` // that was filled in on the way
	Found        *foundJSON  `json:"found"`
	Error        *reasonJSON `json:"error"`
}

// lineJSON is a line of a conversation.
type lineJSON struct {
	Sent bool `json:"sent"`
	Line text `json:"line"`
}

// foundJSON is what something turned out to be.
type foundJSON struct {
	Summary text   `json:"summary"`
	Lines   []text `json:"lines"`
}

func newStoryJSON(s *tour.Story) storyJSON {
	j := storyJSON{
		Scheme: text(s.Scheme), Section: text(s.Section), Title: text(s.Title), URL: text(s.URL.Redacted()),
		Conversation: []lineJSON{},
	}
	for _, line := range s.Conversation {
		j.Conversation = append(j.Conversation, lineJSON{line[0] == '>', text(line[len("> "):])})
	}
	if s.Form != nil {
		j.Form = newFoundJSON(*s.Form)
	}
	if s.Err != nil {
		reason := newReasonJSON(s.Err)
		j.Error = &reason
	} else {
		j.Found = newFoundJSON(s.Found)
	}
	return j
}

func newFoundJSON(f tour.Found) *foundJSON {
	j := foundJSON{Summary: text(f.Summary), Lines: []text{}}
	for _, line := range f.Lines {
		j.Lines = append(j.Lines, text(strings.TrimSuffix(line, "\r")))
	}
	return &j
}

// serveTour shows the museum in a browser, until a signal. What a configuration says
// of gateways is about others.
func (a *app) serveTour(listen listenAddress) error {
	c := gatewayCommand{app: a, config: defaultConfig().Gateway, demo: true}
	c.config.Listen, c.config.LogFormat = listen, "none"
	a.note("open this in a browser; Ctrl-C closes the museum")
	return c.run()
}

// museumSchemes are the schemes of a client that finds its news, its mail and whom
// to trust in the museum.
func (a *app) museumSchemes(m *tour.Museum) (*scheme.Registry, error) {
	reader := nntp.New(&nntp.Options{TLSConfig: m.TLS()})
	return a.schemes(&all.Options{
		FTP:    ftp.New(&ftp.Options{TLSConfig: m.TLS()}),
		HTTP:   http.New(&http.Options{TLS: m.TLS()}),
		Gopher: gopher.New(&gopher.Options{TLSConfig: m.TLS()}),
		NNTP:   reader,
		News:   news.New(reader, &news.Options{Server: m.News()}),
		Mid:    mid.New(&mid.Options{Store: m.Mail()}),
	})
}
