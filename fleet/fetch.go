package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// maxBatch limits the number of messages in the response to one request. maxBatchBytes is an
	// approximate limit on the total size of these messages.
	maxBatch      = 256
	maxBatchBytes = 1 << 20
	// maxValues limits the number of messages in a response if a subject is a pattern.
	maxValues = 1024
	// batchTime limits the time between two messages of a batch.
	batchTime = 5 * time.Second
	// leaderAtOnce limits concurrent requests to the leader of a stream.
	leaderAtOnce = 32
)

// batchRequest requests the last message of each subject from a stream.
type batchRequest struct {
	Last     []string `json:"multi_last"`
	Batch    int      `json:"batch"`
	MaxBytes int      `json:"max_bytes"`
}

// errBatch is the error for a response that contains no messages.
var errBatch = errors.New("fleet: unexpected response from the NATS server")

// lastMessages returns the last message of each subject, up to the given limit. It omits subjects
// without a message. The result hasMore reports whether the server has further messages.
func (f *Frontier) lastMessages(ctx context.Context, stream string, subjects []string, limit int) (list []*jetstream.RawStreamMsg, hasMore bool, err error) {
	if f.settings.Replicas > 1 {
		list, err = f.lastFromLeader(ctx, stream, subjects, limit)
		return list, false, err
	}
	text, err := json.Marshal(batchRequest{subjects, limit, maxBatchBytes})
	if err != nil {
		return nil, false, err
	}
	answers, err := f.nc.SubscribeSync(f.nc.NewInbox())
	if err != nil {
		return nil, false, err
	}
	// Unsubscribe fails only if the connection is closed.
	defer func() { _ = answers.Unsubscribe() }()
	if err := f.nc.PublishRequest("$JS.API.DIRECT.GET."+stream, answers.Subject, text); err != nil {
		return nil, false, err
	}
	for {
		m, err := nextMessage(ctx, answers)
		if err != nil {
			return nil, false, err
		}
		switch status := m.Header.Get("Status"); status {
		case "":
		case "204":
			pending, err := strconv.ParseUint(m.Header.Get("Nats-Num-Pending"), 10, 64)
			return list, pending > 0, err
		case "404":
			return nil, false, nil
		default:
			return nil, false, fmt.Errorf("%w: %.20q", errBatch, status)
		}
		one := &jetstream.RawStreamMsg{Subject: m.Header.Get(jetstream.SubjectHeader), Header: m.Header, Data: m.Data}
		if one.Sequence, err = strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64); err != nil {
			return nil, false, errBatch
		}
		if one.Time, err = time.Parse(time.RFC3339Nano, m.Header.Get(jetstream.TimeStampHeaer)); err != nil {
			return nil, false, errBatch
		}
		list = append(list, one)
	}
}

// lastFromLeader is like lastMessages, but for a stream with replicas. The leader sends one
// message per request.
func (f *Frontier) lastFromLeader(ctx context.Context, name string, subjects []string, limit int) (list []*jetstream.RawStreamMsg, err error) {
	stream := f.streams[name]
	var exact []string
	for _, subject := range subjects {
		if !strings.HasSuffix(subject, ".*") {
			exact = append(exact, subject)
			continue
		}
		for from := uint64(1); len(list) < limit; {
			m, err := stream.GetMsg(ctx, from, jetstream.WithGetMsgSubject(subject))
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				break
			}
			if err != nil {
				return nil, err
			}
			list, from = append(list, m), m.Sequence+1
		}
	}
	found, errs := make([]*jetstream.RawStreamMsg, len(exact)), make([]error, len(exact))
	var asking sync.WaitGroup
	turns := make(chan struct{}, leaderAtOnce)
	for i, subject := range exact {
		turns <- struct{}{}
		asking.Go(func() {
			found[i], errs[i] = stream.GetLastMsgForSubject(ctx, subject)
			<-turns
		})
	}
	asking.Wait()
	for i, err := range errs {
		if err == nil {
			list = append(list, found[i])
		} else if !errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil, err
		}
	}
	return list, nil
}

// nextMessage returns the next message of s, or an error after batchTime.
func nextMessage(ctx context.Context, s *nats.Subscription) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, batchTime)
	defer cancel()
	return s.NextMsgWithContext(ctx)
}

// nextTarget returns the first target that matches the filter and has a sequence number of at
// least minSequence. If there is no such target, it returns nil. It does not request a batch,
// because the server counts all matches for a batch.
func (f *Frontier) nextTarget(ctx context.Context, minSequence uint64, filter string) (*jetstream.RawStreamMsg, error) {
	m, err := f.targets.GetMsg(ctx, minSequence, jetstream.WithGetMsgSubject(filter))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

// verdictsOf returns the existing verdicts of the targets at the given addresses.
func (f *Frontier) verdictsOf(ctx context.Context, list []address) (map[address]*verdict, error) {
	found := map[address]*verdict{}
	for len(list) > 0 {
		part := list[:min(len(list), maxBatch)]
		subjects := make([]string, len(part))
		for i, at := range part {
			subjects[i] = f.subject(verdictStream, at.words()...)
		}
		messages, more, err := f.lastMessages(ctx, f.stream(verdictStream), subjects, maxBatch)
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			at, err := f.parseSubject(verdictStream, m.Subject)
			if err != nil {
				return nil, errBatch
			}
			found[at] = readVerdict(m.Sequence, m.Data)
		}
		if list = list[len(part):]; !more {
			continue
		}
		// The messages are too large for one batch, so request the remaining messages one by one.
		for _, at := range part {
			if found[at] != nil {
				continue
			}
			v, err := f.verdictOf(ctx, at)
			if err != nil {
				return nil, err
			}
			if v != nil {
				found[at] = v
			}
		}
	}
	return found, nil
}

// values returns the existing values of keys in a bucket. A key may be a pattern, which must not
// match more than maxValues keys.
func (f *Frontier) values(ctx context.Context, bucket string, keys []string) (map[string]*jetstream.RawStreamMsg, error) {
	found := map[string]*jetstream.RawStreamMsg{}
	prefix := "$KV." + f.stream(bucket) + "."
	for part := range slices.Chunk(keys, maxBatch) {
		subjects := make([]string, len(part))
		for i, key := range part {
			subjects[i] = prefix + key
		}
		// The values are small, so one batch contains all of them.
		messages, _, err := f.lastMessages(ctx, "KV_"+f.stream(bucket), subjects, maxValues)
		if err != nil {
			return nil, err
		}
		for _, m := range messages {
			if m.Header.Get("KV-Operation") == "" { // not deleted
				found[strings.TrimPrefix(m.Subject, prefix)] = m
			}
		}
	}
	return found, nil
}
