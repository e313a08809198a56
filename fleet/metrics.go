package fleet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// WriteMetrics writes the counts of the worker in the Prometheus text format.
func (w *Worker) WriteMetrics(dst io.Writer) error {
	c := w.Counts()
	out := bufio.NewWriter(dst)
	fmt.Fprint(out, "# HELP locus_fleet_verdicts_total Verdicts stored, by kind.\n# TYPE locus_fleet_verdicts_total counter\n")
	for _, name := range slices.Sorted(maps.Keys(c.Verdicts)) {
		fmt.Fprintf(out, "locus_fleet_verdicts_total{verdict=%q} %d\n", name, c.Verdicts[name])
	}
	for _, m := range []struct {
		name, kind, help string
		value            int
	}{
		{"requests_total", "counter", "Requested targets, including retries.", c.Requests},
		{"late_total", "counter", "Requests that timed out waiting for a host of another worker.", c.Late},
		{"dead_letters_total", "counter", "Messages that could not be read.", c.Buried},
		{"links_total", "counter", "Links found in pages.", c.Links},
		{"partitions", "gauge", "Partitions that the worker holds.", c.Held},
		{"waiting", "gauge", "Targets waiting in the worker.", c.Waiting},
		{"active", "gauge", "Targets with a request in progress.", c.Active},
		{"unacknowledged", "gauge", "Verdicts that the NATS server has not acknowledged yet.", len(w.outbox.sent)},
		{"hosts", "gauge", "Hosts with targets in the worker.", c.Hosts},
		{"oldest_target_age_seconds", "gauge", "Age of the oldest waiting target.", int(w.oldestAge().Seconds())},
		{"leases_lost_total", "counter", "Partitions lost because the lease of the worker was not renewed in time.", c.Lost},
		{"store_errors_total", "counter", "Operations that the NATS servers failed to complete.", c.Errors},
	} {
		fmt.Fprintf(out, "# HELP locus_fleet_%s %s\n# TYPE locus_fleet_%s %s\nlocus_fleet_%s %d\n", m.name, m.help, m.name, m.kind, m.name, m.value)
	}
	return out.Flush()
}

// oldestAge returns the age of the target that has waited longest, or 0 if no target is waiting.
func (w *Worker) oldestAge() (age time.Duration) {
	now := w.clock.Now()
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	for _, p := range w.queue.parts {
		for _, h := range p.hosts {
			for j := range h.unfinished {
				if j.sequence != belowMark {
					age = max(age, now.Sub(j.published))
				}
			}
		}
	}
	return age
}

// Health returns an error if the worker can't hold partitions. A worker without partitions is
// healthy if the NATS servers respond, because other workers may hold all partitions.
func (w *Worker) Health() error {
	if !w.frontier.nc.IsConnected() {
		return errors.New("no connection to the NATS server")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.respondedAt.IsZero():
		return errors.New("the NATS server has not responded yet")
	case w.clock.Now().Sub(w.respondedAt) >= leaseTime:
		return fmt.Errorf("the NATS server has not responded for %s", leaseTime)
	}
	return nil
}

// HostCount is the number of targets of a host that wait in a worker.
type HostCount struct {
	Name    string `json:"name"`
	Waiting int    `json:"waiting"`
	More    bool   `json:"more,omitempty"` // the frontier contains more targets of the host
}

const maxBusiest = 10

// busiest returns the hosts with the most jobs, up to maxBusiest. The caller must hold s.mu.
func (s *scheduler) busiest() (list []*host) {
	for _, p := range s.parts {
		for _, h := range p.hosts {
			if len(h.unfinished) == 0 || len(list) == maxBusiest && len(h.unfinished) <= len(list[maxBusiest-1].unfinished) {
				continue
			}
			at, _ := slices.BinarySearchFunc(list, h, func(a, b *host) int { return len(b.unfinished) - len(a.unfinished) })
			list = slices.Insert(list[:min(len(list), maxBusiest-1)], min(at, maxBusiest-1), h)
		}
	}
	return list
}

// countHosts returns the number of waiting targets for the hosts with the most jobs.
func (w *Worker) countHosts() (list []HostCount) {
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	for _, h := range w.queue.busiest() {
		c := HostCount{Waiting: len(h.unfinished), More: h.firstUnread > 0}
		for j := range h.unfinished {
			c.Name, _, _ = w.decoder.checker.Host(j.found.Target.Canonical)
			break
		}
		list = append(list, c)
	}
	return list
}
