package fleet

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// codeStoreFailed is the error code if a stream does not store a message. If the stream already has
// a message with that subject, the reason is haveText. Another reason is a full disk.
const (
	codeStoreFailed = 10077
	haveText        = "maximum messages per subject"
)

// maxPiece limits the size in bytes of a message with links of a document. A single longer line may
// exceed it.
const maxPiece = 512 << 10

// isHave reports whether the stream rejected a message because it already has one with that
// subject.
func isHave(err error) bool {
	api := (*jetstream.APIError)(nil)
	return errors.As(err, &api) && api.ErrorCode == codeStoreFailed && strings.Contains(api.Description, haveText)
}

// batch publishes messages to a stream that stores one message per subject. If window messages are
// unacknowledged, batch waits for the server. A batch must not be used concurrently.
type batch struct {
	f       *Frontier
	note    func(format string, args ...any)              // may be nil
	inject  func(ctx context.Context, header nats.Header) // copied from WorkerOptions; may be nil
	pending []jetstream.PubAckFuture
}

// window limits the unacknowledged messages of a batch.
const window = 128

func (b *batch) add(ctx context.Context, subject string, data []byte, options ...jetstream.PublishOpt) error {
	return b.publish(ctx, &nats.Msg{Subject: subject, Data: data}, options...)
}

func (b *batch) publish(ctx context.Context, m *nats.Msg, options ...jetstream.PublishOpt) error {
	future, err := tryFor(ctx, b.note, func() (jetstream.PubAckFuture, error) {
		return b.f.js.PublishMsgAsync(m, options...)
	})
	if err != nil {
		return err
	}
	b.pending = append(b.pending, future)
	return b.settle(ctx, window-1)
}

// flush waits until the server has stored all added messages. It repeats unacknowledged messages.
func (b *batch) flush(ctx context.Context) error { return b.settle(ctx, 0) }

// settle waits until the number of unacknowledged messages is at most n.
func (b *batch) settle(ctx context.Context, n int) error {
	for len(b.pending) > n {
		first := b.pending[0]
		b.pending = slices.Delete(b.pending, 0, 1)
		err := acked(ctx, first)
		if err == nil || isHave(err) || errors.Is(err, errStored) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_, err = tryFor(ctx, b.note, func() (*jetstream.PubAck, error) { return b.f.js.PublishMsg(ctx, first.Msg()) })
		if err != nil && !isHave(err) && !isConflict(err) {
			return err
		}
	}
	return nil
}

// target adds the target of found. by is the key of the page that stores the links of the target.
// If by is empty, the target stores its own links.
func (b *batch) target(ctx context.Context, a *verify.Checker, found *verify.Found, by string) error {
	if found.Fragment != "" && !found.Target.First.IsZero() {
		// If the link of a page has a fragment, the frontier must also contain the page itself. One
		// request serves both if they wait at the same time.
		if err := b.target(ctx, a, &verify.Found{Target: found.Target}, by); err != nil {
			return err
		}
	}
	text, err := encodeTarget(a, found, by)
	if err != nil {
		return err
	}
	m := &nats.Msg{Subject: b.f.subject(targetStream, b.f.addressOf(a, found).words()...), Data: text}
	if b.inject != nil {
		m.Header = make(nats.Header)
		b.inject(ctx, m.Header)
	}
	return b.publish(ctx, m)
}

// lines adds the lines of the document with the given key, in several messages. If again is true,
// they replace the earlier lines of the document. Otherwise the earlier lines stay.
func (b *batch) lines(ctx context.Context, document key, texts [][]byte, again bool) error {
	var piece []byte
	number := 0
	end := func() error {
		var options []jetstream.PublishOpt
		if !again {
			options = append(options, jetstream.WithExpectLastSequencePerSubject(0))
		}
		err := b.add(ctx, b.f.pieceSubject(document, number), bytes.Clone(piece), options...)
		piece, number = piece[:0], number+1
		return err
	}
	for _, text := range texts {
		if len(piece) > 0 && len(piece)+len(text) > maxPiece {
			if err := end(); err != nil {
				return err
			}
		}
		if len(text) < maxMessage-1024 {
			piece = append(piece, text...)
		}
	}
	if len(piece) > 0 || number == 0 {
		if err := end(); err != nil {
			return err
		}
	}
	for again {
		// An empty message replaces an earlier message that the document no longer needs.
		m, err := b.f.links.GetLastMsgForSubject(ctx, b.f.pieceSubject(document, number))
		if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && len(m.Data) == 0 {
			return nil
		}
		if err == nil {
			err = end()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Frontier) pieceSubject(document key, number int) string {
	return f.subject(linkStream, hex.EncodeToString(document[:]), fmt.Sprint(number))
}

// verdict is the stored verdict of a target.
type verdict struct {
	response verify.Response
	sequence uint64 // sequence number of its message
	damaged  error  // error of decoding the verdict, or nil
}

// verdictOf returns the verdict at an address, or nil.
func (f *Frontier) verdictOf(ctx context.Context, at address) (*verdict, error) {
	m, err := f.verdicts.GetLastMsgForSubject(ctx, f.subject(verdictStream, at.words()...))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return readVerdict(m.Sequence, m.Data), nil
}

// readVerdict decodes a verdict. If that fails, the verdict is Unknown, so that no reader waits for
// it.
func readVerdict(sequence uint64, text []byte) *verdict {
	v := &verdict{sequence: sequence}
	if v.damaged = json.Unmarshal(text, &v.response); v.damaged != nil {
		v.response = verify.Response{Outcome: verify.Outcome{Verdict: verify.Unknown, Detail: "the stored verdict is damaged"}}
	}
	return v
}

// errStored is the error if the target already has another verdict.
var errStored = errors.New("fleet: the target already has a verdict")

// storeVerdict stores the verdict of a target. last is the sequence number of the verdict to
// replace, or 0 if there is none. The error is errStored or an error from the server.
func (f *Frontier) storeVerdict(ctx context.Context, at address, answer *verify.Response, last uint64) error {
	ack, err := f.publishVerdict(at, answer, last)
	if err != nil {
		return err
	}
	return acked(ctx, ack)
}

// publishVerdict is like storeVerdict, but does not wait for the acknowledgment.
func (f *Frontier) publishVerdict(at address, answer *verify.Response, last uint64) (jetstream.PubAckFuture, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	if len(text) > maxMessage-1024 { // fragments have no length limit
		return f.publishVerdict(at, &verify.Response{Outcome: verify.Outcome{Verdict: verify.Unknown, Detail: "the verdict is too large to store"}, When: answer.When}, last)
	}
	return f.js.PublishAsync(f.subject(verdictStream, at.words()...), text, jetstream.WithExpectLastSequencePerSubject(last))
}

// writeDeadLetter stores the data of an unreadable message, and why as the reason.
func (f *Frontier) writeDeadLetter(ctx context.Context, subject string, data []byte, why error) error {
	text, err := json.Marshal(struct {
		Subject string `json:"subject"`
		Reason  string `json:"reason"`
		Data    []byte `json:"data"`
	}{subject, why.Error(), data[:min(len(data), maxMessage/4)]})
	if err != nil {
		return err
	}
	_, err = f.js.Publish(ctx, f.subject(deadStream, "t"), text)
	return err
}
