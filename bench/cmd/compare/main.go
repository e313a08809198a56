// Command compare measures every peer on every list, in interleaved rounds. It prints the
// medians and their ratios to the medians of net/url.
package main

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/bench"
	"github.com/locus-url/locus/bench/lists"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

func main() { bench.Main("compare", run) }

func run() {
	rounds := flag.Int("rounds", 5, "number of rounds")
	least := flag.Duration("time", 200*time.Millisecond, "minimum duration of a measurement")
	only := flag.String("list", "", "measure only this list")
	reading := flag.Bool("reading", false, "print only the table of parsing")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	c := compare{registry: bench.Must(all.Registry()), rounds: max(*rounds, 1), least: *least}
	c.lists = slices.DeleteFunc(lists.All(), func(l lists.List) bool { return *only != "" && l.Name != *only })
	fmt.Printf("%s, one core, processor time, medians of %d interleaved rounds.\n\n", bench.Machine(), c.rounds)
	c.inputs()
	fmt.Print("\n## Reading\n\n")
	c.table(bench.Readers(c.registry), c.lists)
	if *reading {
		return
	}
	fmt.Print("\n## Canonical form\n\n")
	c.table(bench.Writers(c.registry), c.halves())
	fmt.Print("\n## Canonical form of lines, reading and writing included\n\n")
	c.lines()
}

type compare struct {
	registry *scheme.Registry
	rounds   int
	least    time.Duration
	lists    []lists.List
}

func (c *compare) inputs() {
	fmt.Printf("| list | URLs | bytes | conform | content |\n|---|---|---|---|---|\n")
	for _, l := range c.lists {
		share := 100 * float64(bench.Verdicts(c.registry, l.URLs)) / float64(len(l.URLs))
		fmt.Printf("| %s | %d | %.0f | %.1f %% | %s |\n", l.Name, len(l.URLs), l.Octets(), share, l.What)
	}
}

// halves splits each list into the URLs that are in canonical form and all other URLs.
func (c *compare) halves() (all []lists.List) {
	for _, l := range c.lists {
		canonical, rest := bench.Split(c.registry, l.URLs)
		already := lists.List{Name: l.Name + ", canonical", URLs: canonical}
		others := lists.List{Name: l.Name + ", not", URLs: rest}
		for _, half := range []lists.List{already, others} {
			if len(half.URLs) > 0 {
				half.Name += fmt.Sprintf(" (%d)", len(half.URLs))
				all = append(all, half)
			}
		}
	}
	return all
}

// table prints a row for each list and peer. The row contains the median time per URL, the median
// ratio to the time of the first peer, and the allocations.
func (c *compare) table(peers []bench.Peer, all []lists.List) {
	fmt.Printf("| list |")
	for _, p := range peers {
		fmt.Printf(" %s |", p.Name)
	}
	fmt.Printf("\n|---|%s\n", strings.Repeat("---|", len(peers)))
	for _, l := range all {
		fmt.Printf("| %s |", l.Name)
		times, ratios := c.compare(peers, l.URLs)
		for i, p := range peers {
			mallocs, octets := allocations(p, l.URLs)
			fmt.Printf(" %.0f ns", times[i])
			if i > 0 {
				fmt.Printf(", **%.2f×**", ratios[i])
			}
			fmt.Printf(", %.2f allocs, %.0f B |", mallocs, octets)
		}
		fmt.Printf("\n")
	}
}

// compare measures each peer once in every round. It returns the median time of each peer in
// nanoseconds per URL, and the median ratio of the first peer's time to the time of each peer. It
// computes the ratios within a round, because the speed of the machine changes between rounds.
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

// measure returns the processor time that the function f uses, in nanoseconds.
func (c *compare) measure(f func()) float64 {
	runtime.GC()
	n, start := 0, bench.Clock()
	for bench.Clock()-start < c.least {
		f()
		n++
	}
	return float64((bench.Clock() - start).Nanoseconds()) / float64(n)
}

// allocations returns the number of allocations of the peer p per URL, and the number of allocated
// bytes per URL.
func allocations(p bench.Peer, list []string) (mallocs, octets float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p.Run(list)
	runtime.ReadMemStats(&after)
	n := float64(len(list))
	return float64(after.Mallocs-before.Mallocs) / n, float64(after.TotalAlloc-before.TotalAlloc) / n
}

// lines prints how many lines per second the program reads, normalizes and writes.
func (c *compare) lines() {
	fmt.Print("| list | URLs per second |\n|---|---|\n")
	for _, l := range c.lists {
		text := strings.Join(l.URLs, "\n") + "\n"
		var rates []float64
		for range c.rounds {
			ns := c.measure(func() { bench.Must(bench.Canonical(c.registry, strings.NewReader(text), io.Discard)) })
			rates = append(rates, float64(len(l.URLs))/ns*1e9)
		}
		fmt.Printf("| %s | %.2f million |\n", l.Name, bench.Median(rates)/1e6)
	}
}
