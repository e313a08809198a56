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
	// maxBatch limits the number of messages in the response to one request. maxBatchBytes limits
	// their total size approximately.
	maxBatch      = 256
	maxBatchBytes = 1 << 20
	// maxValues limits the messages that the server sends for subjects with patterns.
	maxValues = 1024
	// batchTime limits the time between two messages of a batch.
	batchTime = 5 * time.Second
	// leaderAtOnce limits concurrent requests for messages that only a leader may send.
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

// last returns the last message of each subject, up to most messages. It omits subjects without a
// message. more reports whether the server has further messages.
func (f *Frontier) last(ctx context.Context, stream string, subjects []string, most int) (list []*jetstream.RawStreamMsg, more bool, err error) {
	if f.settings.Replicas > 1 {
		list, err = f.lastOfLeader(ctx, stream, subjects, most)
		return list, false, err
	}
	text, err := json.Marshal(batchRequest{subjects, most, maxBatchBytes})
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
		m, err := next(ctx, answers)
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

// lastOfLeader is like last, but for a stream with replicas. The leader sends one message at a
// time.
func (f *Frontier) lastOfLeader(ctx context.Context, name string, subjects []string, most int) (list []*jetstream.RawStreamMsg, err error) {
	stream := f.streams[name]
	var exact []string
	for _, subject := range subjects {
		if !strings.HasSuffix(subject, ".*") {
			exact = append(exact, subject)
			continue
		}
		for from := uint64(1); len(list) < most; {
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

// next returns the next message of s, or an error after batchTime.
func next(ctx context.Context, s *nats.Subscription) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, batchTime)
	defer cancel()
	return s.NextMsgWithContext(ctx)
}

// nextTarget returns the first target with a matching subject, at the sequence number from or
// later, or nil. It reads one target at a time, because for a batch the server counts all matches.
func (f *Frontier) nextTarget(ctx context.Context, from uint64, filter string) (*jetstream.RawStreamMsg, error) {
	m, err := f.targets.GetMsg(ctx, from, jetstream.WithGetMsgSubject(filter))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

// verdictsOf returns the existing verdicts at the addresses.
func (f *Frontier) verdictsOf(ctx context.Context, list []address) (map[address]*verdict, error) {
	found := map[address]*verdict{}
	for len(list) > 0 {
		part := list[:min(len(list), maxBatch)]
		subjects := make([]string, len(part))
		for i, at := range part {
			subjects[i] = f.subject(verdictStream, at.words()...)
		}
		messages, more, err := f.last(ctx, f.stream(verdictStream), subjects, maxBatch)
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

// values returns the existing values of keys in a bucket. A key may be a pattern that matches at
// most maxValues keys.
func (f *Frontier) values(ctx context.Context, bucket string, keys []string) (map[string]*jetstream.RawStreamMsg, error) {
	found := map[string]*jetstream.RawStreamMsg{}
	prefix := "$KV." + f.stream(bucket) + "."
	for part := range slices.Chunk(keys, maxBatch) {
		subjects := make([]string, len(part))
		for i, key := range part {
			subjects[i] = prefix + key
		}
		// The values are small, so one batch contains all of them.
		messages, _, err := f.last(ctx, "KV_"+f.stream(bucket), subjects, maxValues)
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
