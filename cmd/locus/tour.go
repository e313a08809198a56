package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
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
	reader := nntp.New(nil)
	defer reader.Close()
	guide, err := tour.NewGuide(a.out, func(o *access.Options) (*access.Client, error) {
		registry, err := a.schemes(&all.Options{
			NNTP: reader,
			News: news.New(reader, &news.Options{Server: museum.News()}),
			Mid:  mid.New(&mid.Options{Store: museum.Mail()}),
		})
		if err != nil {
			return nil, err
		}
		// Every stop is on this machine, and nothing else is to be reached.
		p, err := policy.New(policy.Rules{TypedPrivate: true, Files: true})
		if err != nil {
			return nil, err
		}
		return access.New(registry, p, o), nil
	})
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
