package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
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
	cmd := &cobra.Command{
		Use:   "tour",
		Short: "Start small servers of every scheme inside the program and visit each",
		Long: `Start a small server of every scheme inside the program, visit each with the
client code that "locus get" runs, and tell what was sent and what came back.
The servers listen on loopback and end with the tour: no network is needed.`,
		Example: "  locus tour\n  locus tour --scheme ftp",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.tour(only) },
	}
	cmd.Flags().StringSliceVar(&only, "scheme", nil, "visit only the stops of this `NAME` (repeatable)")
	return cmd
}

func (a *app) tour(only []string) error {
	museum, err := tour.Open()
	if err != nil {
		a.problem(statusAccess, err)
		return nil
	}
	defer museum.Close()
	reader := newsReader(museum)
	defer reader.Close()
	guide, err := tour.NewGuide(a.out, func(o *access.Options) (*access.Client, error) { return a.visitor(museum, reader, o) })
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
		if err := guide.Visit(a.ctx, stop); err != nil {
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
	end := "every one answered"
	if a.status != statusDone {
		end = "not every one answered"
	}
	fmt.Fprintf(a.out, "Stops: %d, by the schemes %s; %s.\n", len(visited), strings.Join(names, ", "), end)
	return nil
}

// newsReader returns a client for the museum's news.
func newsReader(m *tour.Museum) *nntp.Client { return nntp.New(&nntp.Options{TLSConfig: m.TLS()}) }

// visitor returns a client that finds its news, its mail and whom to trust in the
// museum, and reaches nothing else.
func (a *app) visitor(m *tour.Museum, reader *nntp.Client, o *access.Options) (*access.Client, error) {
	registry, err := a.schemes(&all.Options{
		FTP:    ftp.New(&ftp.Options{TLSConfig: m.TLS()}),
		HTTP:   http.New(&http.Options{TLS: m.TLS()}),
		Gopher: gopher.New(&gopher.Options{TLSConfig: m.TLS()}),
		NNTP:   reader,
		News:   news.New(reader, &news.Options{Server: m.News()}),
		Mid:    mid.New(&mid.Options{Store: m.Mail()}),
	})
	if err != nil {
		return nil, err
	}
	return m.Client(registry, o)
}
