package fleet

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus"
)

// hostRecord holds the limits that a host requested. A worker counts the pause from the time at
// which it reads the record. So the pause may be too long, but is never too short, even if clocks
// differ.
type hostRecord struct {
	Pause    time.Duration `json:"pause,omitempty"`    // time during which workers send no request
	Interval time.Duration `json:"interval,omitempty"` // minimum time between two requests
	Shut     string        `json:"shut,omitempty"`     // reason for skipping targets during the pause
}

const (
	maxPause    = 24 * time.Hour
	robotsAge   = 24 * time.Hour
	maxRobots   = 512 << 10
	robotsInMem = 256
	// maxSkew is the assumed maximum error of a worker's clock. If the local clock says that a
	// pause ended more than maxSkew ago, the pause has ended.
	maxSkew = time.Hour
)

func hostKey(hash string) string { return "h-" + hash }

// storeHost stores the limits that a host requested, or the end of the host's pause. It does not
// block.
func (w *Worker) storeHost(h *host) {
	w.spawn(func() {
		w.hostMu.Lock() // the newest record must be written last
		defer w.hostMu.Unlock()
		r := w.queue.requestedLimits(h)
		text, err := json.Marshal(r)
		for try := 0; err == nil && h.part.lease.remaining(w.clock) > 0; try++ {
			call, cancel := context.WithTimeout(h.part.ctx, callTime)
			_, err = w.frontier.hosts.Put(call, hostKey(h.hash), text)
			cancel()
			if err == nil {
				return
			}
			if try < 3 && !sleep(w.clock, pauseAfterError, h.part.ctx.Done()) {
				err = nil
			}
		}
		if err != nil && h.part.ctx.Err() == nil {
			w.options.note("can't store the pause or rate of a host: the NATS server %s", reasonFor(err))
		}
	})
}

// loadHost returns the stored limits of a host. After an error, the worker must not send requests
// to the host.
func (w *Worker) loadHost(ctx context.Context, hash string) (r hostRecord, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	entry, err := w.frontier.hosts.Get(ctx, hostKey(hash))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	return decodeHost(entry.Value(), w.clock.Now().Sub(entry.Created())), nil
}

// decodeHost decodes a host record of the given age. The age may be wrong because of clock
// errors. The record is untrusted.
func decodeHost(text []byte, age time.Duration) (r hostRecord) {
	if json.Unmarshal(text, &r) != nil {
		return hostRecord{}
	}
	r.Interval = min(max(r.Interval, 0), time.Minute)
	r.Pause = min(max(r.Pause, 0), maxPause)
	r.Pause = min(r.Pause, max(r.Pause+maxSkew-age, 0))
	r.Shut = r.Shut[:min(len(r.Shut), maxShut)]
	if r.Pause == 0 {
		r.Shut = ""
	}
	return r
}

// robotsCache stores the robots.txt files of sites, so that all slots share them.
type robotsCache struct {
	locks siteLocks

	mu    sync.Mutex
	known map[locus.URL]robotsFile
}

type robotsFile struct {
	body   []byte
	expiry time.Time
}

// robots is the [verify.RobotsFunc] of a worker. One worker checks all pages of a site, so the
// fleet requests the site's robots.txt once. If a failure is not the site's fault, the error is
// errLate.
func (w *Worker) robots(ctx context.Context, root locus.URL, fetch func(context.Context) ([]byte, error)) ([]byte, error) {
	c := &w.sites
	unlock, err := c.locks.lock(ctx, root)
	if err != nil {
		return nil, errors.Join(errLate, err)
	}
	defer unlock()
	now := w.clock.Now()
	c.mu.Lock()
	file, ok := c.known[root]
	c.mu.Unlock()
	if ok && now.Before(file.expiry) {
		return file.body, nil
	}
	name := "r-" + hex.EncodeToString(hash16([]byte(root.String())))
	call, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	entry, err := w.frontier.hosts.Get(call, name)
	if err == nil {
		// A clock error of some minutes is harmless here.
		if age := max(now.Sub(entry.Created()), 0); age < robotsAge && len(entry.Value()) <= maxRobots {
			c.remember(root, entry.Value(), now.Add(robotsAge-age))
			return entry.Value(), nil
		}
	} else if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, errors.Join(errLate, err)
	}
	octets, err := fetch(ctx)
	if err != nil {
		return nil, err
	}
	octets = octets[:min(len(octets), maxRobots)]
	c.remember(root, octets, now.Add(robotsAge))
	call, cancel = context.WithTimeout(ctx, callTime)
	defer cancel()
	if _, err := w.frontier.hosts.Put(call, name, octets); err != nil && ctx.Err() == nil {
		w.options.note("can't cache a robots.txt file: the NATS server %s", reasonFor(err))
	}
	return octets, nil
}

func (c *robotsCache) remember(root locus.URL, body []byte, expiry time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= robotsInMem {
		c.known = map[locus.URL]robotsFile{}
	}
	c.known[root] = robotsFile{body, expiry}
}
