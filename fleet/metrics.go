package fleet

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
)

// WriteMetrics writes the counts of the worker in the text format of Prometheus.
func (w *Worker) WriteMetrics(to io.Writer) error {
	c := w.Counts()
	out := bufio.NewWriter(to)
	fmt.Fprint(out, "# HELP locus_fleet_verdicts_total Verdicts stored, by kind.\n# TYPE locus_fleet_verdicts_total counter\n")
	for _, name := range slices.Sorted(maps.Keys(c.Verdicts)) {
		fmt.Fprintf(out, "locus_fleet_verdicts_total{verdict=%q} %d\n", name, c.Verdicts[name])
	}
	for _, m := range []struct {
		name, kind, help string
		value            int
	}{
		{"requests_total", "counter", "Targets asked for, repetitions included.", c.Requests},
		{"late_total", "counter", "Requests that got no turn at another worker's host in time.", c.Late},
		{"dead_letters_total", "counter", "Messages that could not be read.", c.Buried},
		{"links_total", "counter", "Links found in pages.", c.Links},
		{"partitions", "gauge", "Partitions whose lease the worker holds.", c.Held},
		{"waiting", "gauge", "Targets that wait in the worker.", c.Waiting},
		{"active", "gauge", "Targets that are asked for now.", c.Active},
		{"hosts", "gauge", "Hosts that the worker knows now.", c.Hosts},
	} {
		fmt.Fprintf(out, "# HELP locus_fleet_%s %s\n# TYPE locus_fleet_%s %s\nlocus_fleet_%s %d\n", m.name, m.help, m.name, m.kind, m.name, m.value)
	}
	return out.Flush()
}
