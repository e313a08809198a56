package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Mode is the operating mode of a frontier's workers.
type Mode string

// The modes of a frontier.
const (
	Run   Mode = "run"
	Pause Mode = "pause" // start no new requests
	Drain Mode = "drain" // finish current requests, then stop the workers
)

const modeKey = "mode"

// SetMode sets the mode of the frontier. Workers apply it within seconds.
func (f *Frontier) SetMode(ctx context.Context, m Mode) error {
	_, err := f.control.Put(ctx, modeKey, []byte(m))
	return err
}

// mode returns the mode and the revision of the mode's record. If no mode was ever set, the
// revision is 0. If the record contains an unknown mode, m is empty.
func (f *Frontier) mode(ctx context.Context) (m Mode, revision uint64, err error) {
	entry, err := f.control.Get(ctx, modeKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return Run, 0, nil
	}
	if err != nil {
		return "", 0, err
	}
	m = Mode(entry.Value())
	if !slices.Contains([]Mode{Run, Pause, Drain}, m) {
		m = ""
	}
	return m, entry.Revision(), nil
}

// readMode returns the mode that applies to the worker. After an error, and if the record
// contains an unknown mode, the previous mode still applies. If there is no previous mode, m is
// empty after an error, and Run for an unknown mode. A slow replica may send an older record,
// which must neither end a pause nor stop the worker. However, the worker applies a pause from a
// record with a lower revision, because the revisions begin at 1 again if the bucket was
// recreated.
func (w *Worker) readMode(ctx context.Context) (m Mode, err error) {
	m, revision, err := w.frontier.mode(ctx)
	switch {
	case err != nil:
	case m == "":
		w.mode = cmp.Or(w.mode, Run)
	case m == Pause || revision >= w.modeRevision:
		w.mode, w.modeRevision = m, max(revision, w.modeRevision)
	}
	return w.mode, err
}

// Status is the state of a frontier.
type Status struct {
	Name     string            `json:"name"`
	Mode     Mode              `json:"mode"`
	Targets  uint64            `json:"targets"`
	Verdicts uint64            `json:"verdicts"`
	Dead     uint64            `json:"deadLetters"`
	Changes  uint64            `json:"changes"`
	Bytes    uint64            `json:"bytes"` // disk space on one server
	Workers  map[string]Counts `json:"workers"`
}

// Status returns the state of the frontier. A killed worker stays in the list for some seconds.
func (f *Frontier) Status(ctx context.Context) (s Status, err error) {
	s = Status{Name: f.name, Workers: map[string]Counts{}}
	if s.Mode, _, err = f.mode(ctx); err != nil {
		return s, err
	}
	s.Mode = cmp.Or(s.Mode, Run)
	for kind, to := range map[string]*uint64{targetStream: &s.Targets, verdictStream: &s.Verdicts, deadStream: &s.Dead, changeStream: &s.Changes, linkStream: new(uint64)} {
		stream, err := f.js.Stream(ctx, f.stream(kind))
		if err != nil {
			return s, err
		}
		state := stream.CachedInfo().State
		*to = state.Msgs
		if kind == targetStream {
			retries, err := f.countRetries(ctx)
			if err != nil {
				return s, err
			}
			*to -= min(retries, *to)
		}
		s.Bytes += state.Bytes
	}
	known, err := f.values(ctx, workerBucket, []string{"*", reportPrefix + "*"})
	if err != nil {
		return s, err
	}
	for key, m := range known {
		name, ok := strings.CutPrefix(key, workerPrefix)
		if !ok || hasEnded(m.Data) {
			continue
		}
		var c Counts
		if report := known[reportPrefix+name]; report != nil && (json.Unmarshal(report.Data, &c) != nil || len(c.Busiest) > maxBusiest) {
			continue
		}
		s.Workers[name] = c
	}
	return s, nil
}

// ForgetLeases deletes all leases. A lease gives a worker exclusive use of partitions for a
// limited time. The caller must ensure that no worker is running, for example with the directory
// lock of an embedded server.
func (f *Frontier) ForgetLeases(ctx context.Context) error {
	for _, bucket := range []jetstream.KeyValue{f.leases, f.workers} {
		stream, err := f.js.Stream(ctx, "KV_"+bucket.Bucket())
		if err == nil {
			err = stream.Purge(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Frontier) partSubject(partition int) string {
	return f.subject(targetStream, fmt.Sprint(partition), ">")
}

func (f *Frontier) hostSubject(p hostAddress) string {
	return f.subject(targetStream, fmt.Sprint(p.partition), p.host, ">")
}
