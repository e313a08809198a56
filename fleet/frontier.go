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

// maxMessage is the most octets of a message: a target with the longest URLs fits.
const maxMessage = 1 << 20

const (
	// maxPending is how many messages of a process the server may have without an answer.
	// Before that, windows are full.
	maxPending = 64 << 10
	// publishTime is how long an answer to a message is waited for. The server that was to
	// send it may be gone.
	publishTime = 5 * time.Second
)

// Settings are those of a frontier. They are written once, by who makes it.
type Settings struct {
	// Partitions is into how many parts the hosts are divided: at most so many workers
	// have something to do; 0: 64.
	Partitions int `json:"partitions"`
	// Replicas is how many servers of a cluster keep each message; 0: 1.
	Replicas int `json:"replicas"`

	// MaxPages is the most pages of one site that are read; 0: no limit.
	MaxPages int `json:"maxPages,omitempty"`

	// The rest are those of [verify.Options], for all workers. What is zero is as there.
	PerHost     int           `json:"perHost,omitempty"`
	Interval    time.Duration `json:"interval,omitempty"`
	Retry       int           `json:"retry,omitempty"`
	Depth       int           `json:"depth,omitempty"`
	NoRobots    bool          `json:"noRobots,omitempty"`
	NoFragments bool          `json:"noFragments,omitempty"`
	Reserved    bool          `json:"reserved,omitempty"`

	// Every is after how long a target is asked for again, and EveryBad after how long if
	// it was bad; 0: never, and as Every.
	Every    time.Duration `json:"every,omitempty"`
	EveryBad time.Duration `json:"everyBad,omitempty"`
}

// Options returns what the settings say about requests.
func (s *Settings) Options() verify.Options {
	return verify.Options{
		Politeness: access.Politeness{PerHost: s.PerHost, Interval: s.Interval, Retry: s.Retry},
		Depth:      s.Depth, NoRobots: s.NoRobots, NoFragments: s.NoFragments, Reserved: s.Reserved,
	}
}

// Frontier is what is to be asked, and the verdicts, in NATS JetStream.
type Frontier struct {
	name     string
	settings Settings
	nc       *nats.Conn
	js       jetstream.JetStream

	targets, verdicts, links jetstream.Stream
	leases, hosts, control   jetstream.KeyValue
	workers                  jetstream.KeyValue
}

// The streams and buckets of a frontier. A subject is the name of the stream, the partition,
// the host's hash and the target's key: no text that a document has. With replicas, all reads
// ask the leader: another server may not have the newest messages, and a target whose verdict
// is not found is asked for again.
const (
	targetStream  = "targets"  // one message for each target, for ever: so each is asked for once
	verdictStream = "verdicts" // of the targets, under the same last three words
	linkStream    = "links"    // the links of documents, in pieces
	changeStream  = "changes"  // verdicts that differ from the one before
	deadStream    = "dead"     // messages that can't be read, and why
)

// ErrName is the error for the name of a frontier with other characters than these.
var ErrName = errors.New(`invalid frontier name: use only letters, digits, "-" and "_"`)

func (f *Frontier) stream(kind string) string { return "locus-" + f.name + "-" + kind }

func (f *Frontier) subject(kind string, rest ...string) string {
	return strings.Join(append([]string{"locus", f.name, kind}, rest...), ".")
}

// ErrNoFrontier is the error of FindFrontier for a frontier that does not exist.
var ErrNoFrontier = errors.New("unknown frontier")

// newFrontier returns a frontier of that name, of which nothing was asked for.
func newFrontier(nc *nats.Conn, name string) (*Frontier, error) {
	if name == "" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return nil, fmt.Errorf("%w: %s", ErrName, locus.Quote(name))
	}
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(maxPending), jetstream.WithPublishAsyncTimeout(publishTime))
	if err != nil {
		return nil, err
	}
	return &Frontier{name: name, nc: nc, js: js}, nil
}

// FindFrontier opens the frontier of that name. The error is ErrNoFrontier, [ErrName] or that
// of the server.
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

// Frontiers returns the names of the frontiers that the server has, in order.
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

// OpenFrontier opens the frontier of that name, and makes it with the settings if it does
// not exist.
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

// openAll opens the streams and buckets, and makes those that do not exist.
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
		stream, err := f.open(ctx, c)
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
	if f.leases, err = f.bucket(ctx, "leases"); err != nil {
		return err
	}
	if f.workers, err = f.bucket(ctx, workerBucket); err != nil {
		return err
	}
	f.hosts, err = f.bucket(ctx, "hosts")
	return err
}

// open opens a stream as it is, or makes it.
func (f *Frontier) open(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	stream, err := f.js.Stream(ctx, c.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = f.js.CreateStream(ctx, c)
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		stream, err = f.js.Stream(ctx, c.Name) // another process made it meanwhile
	}
	return stream, err
}

// bucket opens a bucket as it is, or makes its stream, which is that of package jetstream but
// for the reads.
func (f *Frontier) bucket(ctx context.Context, kind string) (jetstream.KeyValue, error) {
	name := f.stream(kind)
	c := jetstream.StreamConfig{
		Name: "KV_" + name, Subjects: []string{"$KV." + name + ".>"}, Replicas: max(f.settings.Replicas, 1), MaxMsgsPerSubject: 1,
		Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew, AllowRollup: true, DenyDelete: true, AllowDirect: f.settings.Replicas <= 1,
	}
	if kind == workerBucket {
		c.MaxAge = workerAge
	}
	_, err := f.open(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", name, err)
	}
	return f.js.KeyValue(ctx, name)
}

const (
	// workerBucket has what workers tell of themselves. It forgets those that are gone.
	workerBucket = "workers"
	workerAge    = time.Hour

	settingsKey   = "settings"
	maxPartitions = 4096
	maxReplicas   = 5
)

// makeSettings writes the settings of the frontier, or reads them if there are any.
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
	if f.control, err = f.bucket(ctx, settingsKey); err != nil {
		return err
	}
	if err := f.readSettings(ctx); !errors.Is(err, jetstream.ErrKeyNotFound) {
		return err
	}
	value, err := json.Marshal(s)
	if err != nil {
		return err
	}
	_, err = f.control.Create(ctx, settingsKey, value)
	if errors.Is(err, jetstream.ErrKeyExists) {
		return f.readSettings(ctx) // another process wrote them meanwhile
	}
	return err
}

// readSettings reads the settings of the frontier.
func (f *Frontier) readSettings(ctx context.Context) error {
	entry, err := f.control.Get(ctx, settingsKey)
	if err != nil {
		return err
	}
	var s Settings
	if err := json.Unmarshal(entry.Value(), &s); err != nil || s.check() != nil {
		return fmt.Errorf("the settings of the frontier %s are damaged", f.name)
	}
	f.settings = s
	return nil
}

func (s *Settings) check() error {
	if s.Partitions < 1 || s.Partitions > maxPartitions || s.Replicas < 1 || s.Replicas > maxReplicas || s.PerHost < 0 || s.MaxPages < 0 || s.Every < 0 || s.EveryBad < 0 {
		return fmt.Errorf("%w: partitions must be 1 to %d, replicas 1 to %d, and durations must not be negative", ErrSettings, maxPartitions, maxReplicas)
	}
	return nil
}

// ErrSettings is the error for settings of a frontier that are out of range.
var ErrSettings = errors.New("invalid frontier settings")

// Settings returns the settings of the frontier, which may be others than those that it was
// opened with.
func (f *Frontier) Settings() Settings { return f.settings }

// Delete removes the frontier and all that is in it.
func (f *Frontier) Delete(ctx context.Context) error {
	var list []error
	for _, kind := range []string{targetStream, verdictStream, linkStream, changeStream, deadStream} {
		list = append(list, f.js.DeleteStream(ctx, f.stream(kind)))
	}
	for _, kind := range []string{"leases", workerBucket, "hosts", settingsKey} {
		list = append(list, f.js.DeleteKeyValue(ctx, f.stream(kind)))
	}
	return errors.Join(list...)
}

// place is where the targets of a host are.
type place struct {
	partition int
	host      string // a hash, in hexadecimal
}

// placeOf returns the place of a host, by the name that [verify.Checker.Host] gives it.
func (f *Frontier) placeOf(host string) place {
	sum := sha256.Sum256([]byte(host))
	return place{int(binary.BigEndian.Uint32(sum[:4]) % uint32(f.settings.Partitions)), hex.EncodeToString(sum[4:12])}
}

// words are the last three words of the subjects of a target.
func (p place) words(key [16]byte) []string {
	return []string{fmt.Sprint(p.partition), p.host, hex.EncodeToString(key[:])}
}
