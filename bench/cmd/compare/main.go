// Command compare measures every peer on every list, in interleaved rounds. It prints the
// medians and their ratios to net/url's.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/bench"
	"github.com/locus-url/locus/bench/lists"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

func main() {
	log.SetFlags(0)
	rounds := flag.Int("rounds", 5, "number of rounds")
	least := flag.Duration("time", 200*time.Millisecond, "least time of a measurement")
	only := flag.String("list", "", "measure only this list")
	flag.Parse()
	c := compare{out: os.Stdout, rounds: max(*rounds, 1), least: *least}
	if err := c.report(*only); err != nil {
		log.Fatal("compare: ", err)
	}
}

type compare struct {
	out    io.Writer
	rounds int
	least  time.Duration
	lists  []lists.List
}

func (c *compare) printf(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

func (c *compare) report(only string) error {
	runtime.GOMAXPROCS(1)
	registry, err := all.Registry()
	if err != nil {
		return err
	}
	readers, err := bench.Readers()
	if err != nil {
		return err
	}
	writers, err := bench.Writers()
	if err != nil {
		return err
	}
	if c.lists, err = lists.All(); err != nil {
		return err
	}
	if only != "" {
		c.lists = slices.DeleteFunc(c.lists, func(l lists.List) bool { return l.Name != only })
	}
	c.printf("%s %s/%s, %s, one core, processor time, medians of %d interleaved rounds.\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, bench.Processor(), c.rounds)
	c.inputs(registry)
	c.printf("\n## Reading\n\n")
	c.table(readers)
	c.printf("\n## Canonical form\n\n")
	c.table(writers)
	c.printf("\n## Canonical form of lines, reading and writing included\n\n")
	return c.lines(registry)
}

// inputs prints the lists and the shares of URLs that conform.
func (c *compare) inputs(r *scheme.Registry) {
	c.printf("| list | URLs | octets | conform | what |\n|---|---|---|---|---|\n")
	for _, l := range c.lists {
		share := 100 * float64(bench.Verdicts(r, l.URLs)) / float64(len(l.URLs))
		c.printf("| %s | %d | %.0f | %.1f %% | %s |\n", l.Name, len(l.URLs), l.Octets(), share, l.What)
	}
}

// table prints, for each list and peer, the median time per URL, the median ratio to the
// first peer, and the allocations.
func (c *compare) table(peers []bench.Peer) {
	c.printf("| list |")
	for _, p := range peers {
		c.printf(" %s |", p.Name)
	}
	c.printf("\n|---|%s\n", strings.Repeat("---|", len(peers)))
	for _, l := range c.lists {
		c.printf("| %s |", l.Name)
		times, ratios := c.compare(peers, l.URLs)
		for i, p := range peers {
			mallocs, octets := allocations(p, l.URLs)
			c.printf(" %.0f ns", times[i])
			if i > 0 {
				c.printf(", **%.2f×**", ratios[i])
			}
			c.printf(", %.2f allocs, %.0f B |", mallocs, octets)
		}
		c.printf("\n")
	}
}

// compare measures the peers in turn, round by round. It returns the median times in
// nanoseconds per URL, and the median ratios of the first peer's times to theirs. Ratios
// are of the same round, because the speed of the machine changes between rounds.
func (c *compare) compare(peers []bench.Peer, list []string) (times, ratios []float64) {
	all := make([][2][]float64, len(peers))
	for range c.rounds {
		base := 0.0
		for i, p := range peers {
			ns := c.measure(func() { p.Run(list) }) / float64(len(list))
			if i == 0 {
				base = ns
			}
			all[i][0] = append(all[i][0], ns)
			all[i][1] = append(all[i][1], base/ns)
		}
	}
	for _, one := range all {
		times, ratios = append(times, bench.Median(one[0])), append(ratios, bench.Median(one[1]))
	}
	return times, ratios
}

// measure returns the processor time of f in nanoseconds.
func (c *compare) measure(f func()) float64 {
	runtime.GC()
	n, start := 0, bench.Clock()
	for bench.Clock()-start < c.least {
		f()
		n++
	}
	return float64((bench.Clock() - start).Nanoseconds()) / float64(n)
}

// allocations returns the number and the bytes of p's allocations per URL.
func allocations(p bench.Peer, list []string) (mallocs, octets float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p.Run(list)
	runtime.ReadMemStats(&after)
	n := float64(len(list))
	return float64(after.Mallocs-before.Mallocs) / n, float64(after.TotalAlloc-before.TotalAlloc) / n
}

// lines prints how many lines a second are read, made canonical and written.
func (c *compare) lines(r *scheme.Registry) error {
	c.printf("| list | URLs a second |\n|---|---|\n")
	for _, l := range c.lists {
		text := []byte(strings.Join(l.URLs, "\n") + "\n")
		var rates []float64
		for range c.rounds {
			var err error
			ns := c.measure(func() {
				if _, e := bench.Canonical(r, bytes.NewReader(text), io.Discard); e != nil {
					err = e
				}
			})
			if err != nil {
				return err
			}
			rates = append(rates, float64(len(l.URLs))/ns*1e9)
		}
		c.printf("| %s | %.2f million |\n", l.Name, bench.Median(rates)/1e6)
	}
	return nil
}
