package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/verify"
)

// maxMessage limits the size of a message in bytes. A target with URLs of the maximum length does
// not exceed the limit.
const maxMessage = 1 << 20

const (
	// maxPending limits the unacknowledged messages of a process. Batches have lower limits, so
	// the number of messages never reaches maxPending.
	maxPending = 64 << 10
	// publishTime limits the wait for an acknowledgment, because the server may have stopped.
	publishTime = 5 * time.Second
)

// Settings holds the settings of a frontier. They are stored when the frontier is created, and
// never change.
type Settings struct {
	// Partitions is the number of groups into which the frontier divides the hosts. It is also
	// the maximum number of useful workers. Zero means 64.
	Partitions int `json:"partitions"`
	// Replicas is the number of servers in a cluster that store each message. Zero means 1.
	Replicas int `json:"replicas"`

	// MaxPages limits the number of pages that workers read from one site. Zero means no limit.
	MaxPages int `json:"maxPages,omitempty"`

	// The following fields have the same meaning as in [verify.Options], and their zero values
	// select the same defaults. They apply to all workers together.
	PerHost     int           `json:"perHost,omitempty"`
	Interval    time.Duration `json:"interval,omitempty"`
	Retry       int           `json:"retry,omitempty"`
	Depth       int           `json:"depth,omitempty"`
	NoRobots    bool          `json:"noRobots,omitempty"`
	NoFragments bool          `json:"noFragments,omitempty"`
	Reserved    bool          `json:"reserved,omitempty"`

	// Every is the interval after which workers check a target again. If it is zero, they check
	// each target once. EveryBad is the interval for bad targets. If it is zero, Every applies.
	Every    time.Duration `json:"every,omitempty"`
	EveryBad time.Duration `json:"everyBad,omitempty"`
}

// Options returns the settings that concern requests.
func (s *Settings) Options() verify.Options {
	return verify.Options{
		Politeness: access.Politeness{PerHost: s.PerHost, Interval: s.Interval, Retry: s.Retry},
		Depth:      s.Depth, NoRobots: s.NoRobots, NoFragments: s.NoFragments, Reserved: s.Reserved,
	}
}

// Frontier is a set of targets and their verdicts in NATS JetStream.
type Frontier struct {
	name     string
	settings Settings
	nc       *nats.Conn
	js       jetstream.JetStream

	targets, verdicts, links jetstream.Stream
	leases, hosts, control   jetstream.KeyValue
	workers                  jetstream.KeyValue
	streams                  map[string]jetstream.Stream // all streams, including those of the buckets
}

// The streams and buckets of a frontier. A subject consists of the stream name, the partition,
// the host's hash and the target's key. So a subject contains no text from documents. In a
// cluster, the leader responds to all reads. Other servers may lack the newest messages, and a
// worker that misses a verdict would repeat the check.
const (
	targetStream  = "targets"  // one permanent message for each target, so that workers check each target once
	verdictStream = "verdicts" // verdicts of targets; a verdict and its target have the same last three words in their subjects
	linkStream    = "links"    // links of documents; a message contains several links
	changeStream  = "changes"  // verdicts that differ from the previous verdict
	deadStream    = "dead"     // unreadable messages, with the reason
)

// ErrName is the error for an invalid frontier name.
var ErrName = errors.New(`invalid frontier name: use only letters, digits, "-" and "_"`)

func (f *Frontier) stream(kind string) string { return "locus-" + f.name + "-" + kind }

func (f *Frontier) subject(kind string, rest ...string) string {
	return strings.Join(append([]string{"locus", f.name, kind}, rest...), ".")
}

// ErrNoFrontier is the error of [FindFrontier] if the frontier does not exist.
var ErrNoFrontier = errors.New("unknown frontier")

// newFrontier returns a frontier with the given name, without a request to the server.
func newFrontier(nc *nats.Conn, name string) (*Frontier, error) {
	if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return nil, fmt.Errorf("%w: %s", ErrName, locus.Quote(name))
	}
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(maxPending), jetstream.WithPublishAsyncTimeout(publishTime))
	if err != nil {
		return nil, err
	}
	return &Frontier{name: name, nc: nc, js: js, streams: map[string]jetstream.Stream{}}, nil
}

// FindFrontier opens an existing frontier. The error is [ErrNoFrontier], [ErrName] or an error
// from the NATS server.
func FindFrontier(ctx context.Context, nc *nats.Conn, name string) (*Frontier, error) {
	f, err := newFrontier(nc, name)
	if err != nil {
		return nil, err
	}
	if f.control, err = f.js.KeyValue(ctx, f.stream(settingsKey)); err == nil {
		err = f.readSettings(ctx)
	}
	if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, fmt.Errorf("%w: %s", ErrNoFrontier, name)
	}
	if err != nil {
		return nil, err
	}
	return f, f.openAll(ctx)
}

// Frontiers returns the sorted names of the frontiers on the server.
func Frontiers(ctx context.Context, nc *nats.Conn) (names []string, err error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	list := js.StreamNames(ctx, jetstream.WithStreamListSubject("locus.*."+targetStream+".>"))
	for stream := range list.Name() {
		if name, ok := strings.CutSuffix(strings.TrimPrefix(stream, "locus-"), "-"+targetStream); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, list.Err()
}

// OpenFrontier opens the frontier called name. If it does not exist, OpenFrontier creates it with
// the settings; otherwise it ignores the settings.
func OpenFrontier(ctx context.Context, nc *nats.Conn, name string, s Settings) (*Frontier, error) {
	f, err := newFrontier(nc, name)
	if err != nil {
		return nil, err
	}
	if err := f.makeSettings(ctx, s); err != nil {
		return nil, err
	}
	return f, f.openAll(ctx)
}

// openAll opens the streams and buckets, and creates the missing ones.
func (f *Frontier) openAll(ctx context.Context) (err error) {
	for _, kind := range []string{targetStream, verdictStream, linkStream, changeStream, deadStream} {
		c := jetstream.StreamConfig{
			Name: f.stream(kind), Subjects: []string{f.subject(kind, ">")}, Replicas: f.settings.Replicas,
			MaxMsgSize: maxMessage, Storage: jetstream.FileStorage, AllowDirect: f.settings.Replicas == 1,
		}
		switch kind {
		case targetStream, changeStream:
			c.MaxMsgsPerSubject, c.Discard, c.DiscardNewPerSubject = 1, jetstream.DiscardNew, true
		case verdictStream, linkStream:
			c.MaxMsgsPerSubject = 1
		}
		stream, err := f.openStream(ctx, c)
		if err != nil {
			return fmt.Errorf("stream %s: %w", c.Name, err)
		}
		switch kind {
		case targetStream:
			f.targets = stream
		case verdictStream:
			f.verdicts = stream
		case linkStream:
			f.links = stream
		}
	}
	if f.leases, err = f.openBucket(ctx, leaseBucket); err != nil {
		return err
	}
	if f.workers, err = f.openBucket(ctx, workerBucket); err != nil {
		return err
	}
	f.hosts, err = f.openBucket(ctx, "hosts")
	return err
}

// openStream opens a stream, and creates it if it does not exist.
func (f *Frontier) openStream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := f.js.Stream(ctx, c.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = f.js.CreateStream(ctx, c)
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		stream, err = f.js.Stream(ctx, c.Name) // another process has created the stream
	}
	if err == nil {
		f.streams[c.Name] = stream
	}
	return stream, err
}

// openBucket opens a bucket, and creates its stream if the bucket does not exist. The stream has
// the same settings as in package jetstream, except that only the leader responds to reads if
// there are replicas.
func (f *Frontier) openBucket(ctx context.Context, kind string) (jetstream.KeyValue, error) {
	name := f.stream(kind)
	c := jetstream.StreamConfig{
		Name: "KV_" + name, Subjects: []string{"$KV." + name + ".>"}, Replicas: max(f.settings.Replicas, 1), MaxMsgsPerSubject: 1,
		Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew, AllowRollup: true, DenyDelete: true, AllowDirect: f.settings.Replicas <= 1,
	}
	if kind == workerBucket {
		c.MaxAge = workerAge
	}
	_, err := f.openStream(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", name, err)
	}
	return f.js.KeyValue(ctx, name)
}

const (
	// leaseBucket contains the holders of partitions. workerBucket contains the leases and
	// reports of workers. The records of stopped workers expire after workerAge.
	leaseBucket  = "leases"
	workerBucket = "workers"
	workerAge    = time.Hour

	settingsKey   = "settings"
	maxPartitions = 4096
	maxReplicas   = 5
)

// makeSettings stores the settings of a new frontier, or reads the settings of an existing
// frontier.
func (f *Frontier) makeSettings(ctx context.Context, s Settings) error {
	if s.Partitions == 0 {
		s.Partitions = 64
	}
	s.Replicas = max(s.Replicas, 1)
	f.settings = s
	if err := s.check(); err != nil {
		return err
	}
	var err error
	if f.control, err = f.openBucket(ctx, settingsKey); err != nil {
		return err
	}
	if err := f.readSettings(ctx); !errors.Is(err, jetstream.ErrKeyNotFound) {
		return err
	}
	value, err := json.Marshal(settingsRecord{format, s})
	if err != nil {
		return err
	}
	_, err = f.control.Create(ctx, settingsKey, value)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return f.readSettings(ctx) // another process has written the settings
	}
	return err
}

func (f *Frontier) readSettings(ctx context.Context) error {
	entry, err := f.control.Get(ctx, settingsKey)
	if err != nil {
		return err
	}
	var r settingsRecord
	switch err := json.Unmarshal(entry.Value(), &r); {
	case err == nil && r.Format != format:
		return fmt.Errorf("another version of locus-fleet created the frontier %s: use that version, or create another frontier", f.name)
	case err != nil || r.Settings.check() != nil:
		return fmt.Errorf("the settings of the frontier %s are damaged", f.name)
	}
	f.settings = r.Settings
	return nil
}

// format is the version number of the records in a frontier. Programs with different numbers must
// not share a frontier, because they may interpret leases differently. Older programs, which have
// no version number, report that the settings are damaged.
const format = 2

// settingsRecord is the record that contains the settings.
type settingsRecord struct {
	Format   int      `json:"format"`
	Settings Settings `json:"settings"`
}

func (s *Settings) check() error {
	if s.Partitions < 1 || s.Partitions > maxPartitions || s.Replicas < 1 || s.Replicas > maxReplicas || s.PerHost < 0 || s.MaxPages < 0 || s.Every < 0 || s.EveryBad < 0 {
		return fmt.Errorf("%w: partitions must be 1 to %d, replicas 1 to %d, and durations must not be negative", ErrSettings, maxPartitions, maxReplicas)
	}
	return nil
}

// ErrSettings is the error for frontier settings that are out of range.
var ErrSettings = errors.New("invalid frontier settings")

// Settings returns the settings of the frontier. They may differ from the settings passed to
// [OpenFrontier].
func (f *Frontier) Settings() Settings { return f.settings }

// Delete removes the frontier with all its targets and results.
func (f *Frontier) Delete(ctx context.Context) error {
	var list []error
	for _, kind := range []string{targetStream, verdictStream, linkStream, changeStream, deadStream} {
		list = append(list, f.js.DeleteStream(ctx, f.stream(kind)))
	}
	for _, kind := range []string{leaseBucket, workerBucket, "hosts", settingsKey} {
		list = append(list, f.js.DeleteKeyValue(ctx, f.stream(kind)))
	}
	return errors.Join(list...)
}

// hostAddress identifies the subjects of a host's targets.
type hostAddress struct {
	partition int
	host      string // hexadecimal hash
}

// hostAddressOf returns the address of a host. The parameter host is the name that
// [verify.Checker.Host] returns.
func (f *Frontier) hostAddressOf(host string) hostAddress {
	sum := sha256.Sum256([]byte(host))
	return hostAddress{int(binary.BigEndian.Uint32(sum[:4]) % uint32(f.settings.Partitions)), hex.EncodeToString(sum[4:12])}
}

// words returns the last three words of a target's subjects.
func (p hostAddress) words(key [16]byte) []string {
	return []string{fmt.Sprint(p.partition), p.host, hex.EncodeToString(key[:])}
}
