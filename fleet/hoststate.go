package fleet

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus"
)

// hostRecord is what a host asked for. It is counted from when it is read: that may be too
// long, and is never too short, whatever the clocks show.
type hostRecord struct {
	Pause    time.Duration `json:"pause,omitempty"`    // with no request
	Interval time.Duration `json:"interval,omitempty"` // between two requests
	Shut     string        `json:"shut,omitempty"`     // why nothing is asked for the pause
}

const (
	maxPause    = 24 * time.Hour
	robotsAge   = 24 * time.Hour
	maxRobots   = 512 << 10
	robotsInMem = 256
)

// keepHost stores what a host asked for.
func (w *Worker) keepHost(ctx context.Context, hash string, r hostRecord) {
	text, err := json.Marshal(r)
	if err == nil {
		_, err = w.frontier.hosts.Put(ctx, "h-"+hash, text)
	}
	if err != nil && ctx.Err() == nil {
		w.options.note("what a host asked for is not kept: %v", err)
	}
}

// knownHost returns what a host asked for in the last time.
func (w *Worker) knownHost(ctx context.Context, hash string) (r hostRecord, err error) {
	entry, err := w.frontier.hosts.Get(ctx, "h-"+hash)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return r, nil
	}
	if err != nil || json.Unmarshal(entry.Value(), &r) != nil {
		return hostRecord{}, err
	}
	r.Interval = min(max(r.Interval, 0), time.Minute)
	r.Pause = min(max(r.Pause, 0), maxPause)
	if w.clock.Now().Sub(entry.Created()) > r.Pause+leaseTime+time.Hour {
		r.Pause, r.Shut = 0, "" // long over, by whatever clock
	}
	return r, nil
}

// robotsCache shares the robots.txt files of sites.
type robotsCache struct {
	mu    sync.Mutex
	known map[locus.URL]robotsFile

	busy [1024]sync.Mutex // by the hash of a site, so that its file is fetched once
}

type robotsFile struct {
	octets []byte
	until  time.Time
}

// robots is the [verify.RobotsFunc] of a worker.
func (w *Worker) robots(ctx context.Context, root locus.URL, fetch func(context.Context) ([]byte, error)) ([]byte, error) {
	c := &w.sites
	hash := first16([]byte(root.String()))
	site := &c.busy[binary.BigEndian.Uint16(hash)%uint16(len(c.busy))]
	site.Lock()
	defer site.Unlock()
	now := w.clock.Now()
	c.mu.Lock()
	file, ok := c.known[root]
	c.mu.Unlock()
	if ok && now.Before(file.until) {
		return file.octets, nil
	}
	name := "r-" + hex.EncodeToString(hash)
	entry, err := w.frontier.hosts.Get(ctx, name)
	if err == nil {
		// A clock that is off by minutes makes no difference that matters.
		if age := max(now.Sub(entry.Created()), 0); age < robotsAge && len(entry.Value()) <= maxRobots {
			c.remember(root, entry.Value(), now.Add(robotsAge-age))
			return entry.Value(), nil
		}
	} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, err
	}
	octets, err := fetch(ctx)
	if err != nil {
		return nil, err
	}
	octets = octets[:min(len(octets), maxRobots)]
	c.remember(root, octets, now.Add(robotsAge))
	if _, err := w.frontier.hosts.Put(ctx, name, octets); err != nil && ctx.Err() == nil {
		w.options.note("a robots.txt is not kept: %v", err)
	}
	return octets, nil
}

func (c *robotsCache) remember(root locus.URL, octets []byte, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= robotsInMem {
		c.known = map[locus.URL]robotsFile{}
	}
	c.known[root] = robotsFile{octets, until}
}
