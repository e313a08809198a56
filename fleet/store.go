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

// codeStoreFailed is the error code if a stream did not store a message. If the stream already
// contains a message with that subject, the description contains duplicateText. Another cause is
// a full disk.
const (
	codeStoreFailed = 10077
	duplicateText   = "maximum messages per subject"
)

// maxPiece limits the size in bytes of a message with links of a document. Only a message with a
// single line may exceed the limit.
const maxPiece = 512 << 10

// isDuplicate reports whether the stream rejected a message because the stream already contains a
// message with that subject.
func isDuplicate(err error) bool {
	api := (*jetstream.APIError)(nil)
	return errors.As(err, &api) && api.ErrorCode == codeStoreFailed && strings.Contains(api.Description, duplicateText)
}

// batch publishes messages to a stream that stores one message per subject. When ackWindow
// messages are unacknowledged, it waits for the server. A batch must not be used concurrently.
type batch struct {
	f       *Frontier
	note    func(format string, args ...any)              // may be nil
	inject  func(ctx context.Context, header nats.Header) // copied from WorkerOptions; may be nil
	pending []jetstream.PubAckFuture
}

// ackWindow limits the number of unacknowledged messages in a batch.
const ackWindow = 128

func (b *batch) addMessage(ctx context.Context, subject string, data []byte, options ...jetstream.PublishOpt) error {
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
	return b.awaitAcks(ctx, ackWindow-1)
}

// flush waits until the server has stored all added messages. It repeats unacknowledged messages.
func (b *batch) flush(ctx context.Context) error { return b.awaitAcks(ctx, 0) }

// awaitAcks waits until the number of unacknowledged messages is at most n.
func (b *batch) awaitAcks(ctx context.Context, n int) error {
	for len(b.pending) > n {
		first := b.pending[0]
		b.pending = slices.Delete(b.pending, 0, 1)
		err := awaitAck(ctx, first)
		if err == nil || isDuplicate(err) || errors.Is(err, errStored) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_, err = tryFor(ctx, b.note, func() (*jetstream.PubAck, error) { return b.f.js.PublishMsg(ctx, first.Msg()) })
		if err != nil && !isDuplicate(err) && !isConflict(err) {
			return err
		}
	}
	return nil
}

// addTarget adds the target of a link. storingPage is the key of the page that stores the links
// of the target. If storingPage is empty, the links are stored under the target's own key.
func (b *batch) addTarget(ctx context.Context, a *verify.Checker, found *verify.Found, storingPage string) error {
	if found.Fragment != "" && !found.Target.First.IsZero() {
		// If the link to a page has a fragment, the frontier must also contain the page without
		// the fragment. If both targets wait at the same time, they share one request.
		if err := b.addTarget(ctx, a, &verify.Found{Target: found.Target}, storingPage); err != nil {
			return err
		}
	}
	text, err := encodeTarget(a, found, storingPage)
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

// addLines adds the lines of the document with the given key, in several messages. If replace is
// true, the messages replace the earlier lines of the document. Otherwise the earlier lines stay.
func (b *batch) addLines(ctx context.Context, document key, texts [][]byte, replace bool) error {
	var piece []byte
	number := 0
	publishPiece := func() error {
		var options []jetstream.PublishOpt
		if !replace {
			options = append(options, jetstream.WithExpectLastSequencePerSubject(0))
		}
		err := b.addMessage(ctx, b.f.pieceSubject(document, number), bytes.Clone(piece), options...)
		piece, number = piece[:0], number+1
		return err
	}
	for _, text := range texts {
		if len(piece) > 0 && len(piece)+len(text) > maxPiece {
			if err := publishPiece(); err != nil {
				return err
			}
		}
		if len(text) < maxMessage-1024 {
			piece = append(piece, text...)
		}
	}
	if len(piece) > 0 || number == 0 {
		if err := publishPiece(); err != nil {
			return err
		}
	}
	for replace {
		// An empty message replaces an earlier message that the document no longer needs.
		m, err := b.f.links.GetLastMsgForSubject(ctx, b.f.pieceSubject(document, number))
		if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && len(m.Data) == 0 {
			return nil
		}
		if err == nil {
			err = publishPiece()
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
	response  verify.Response
	sequence  uint64 // sequence number of its message
	decodeErr error  // error from decoding the verdict, or nil
}

// verdictOf returns the verdict of the target at the given address, or nil if there is none.
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

// readVerdict decodes a verdict. If the text is invalid, the verdict is Unknown, so that no
// reader waits for a verdict.
func readVerdict(sequence uint64, text []byte) *verdict {
	v := &verdict{sequence: sequence}
	if v.decodeErr = json.Unmarshal(text, &v.response); v.decodeErr != nil {
		v.response = verify.Response{Outcome: verify.Outcome{Verdict: verify.Unknown, Detail: "the stored verdict is damaged"}}
	}
	return v
}

// errStored is the error if the target already has another verdict.
var errStored = errors.New("fleet: the target already has a verdict")

// storeVerdict stores the verdict of a target. The parameter previous is the sequence number of
// the verdict to replace, or 0 if there is none. The error is errStored or an error from the
// server.
func (f *Frontier) storeVerdict(ctx context.Context, at address, answer *verify.Response, previous uint64) error {
	ack, err := f.publishVerdict(at, answer, previous)
	if err != nil {
		return err
	}
	return awaitAck(ctx, ack)
}

// publishVerdict is like storeVerdict, but does not wait for the acknowledgment.
func (f *Frontier) publishVerdict(at address, answer *verify.Response, previous uint64) (jetstream.PubAckFuture, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	if len(text) > maxMessage-1024 { // fragments have no length limit
		return f.publishVerdict(at, &verify.Response{Outcome: verify.Outcome{Verdict: verify.Unknown, Detail: "the verdict is too large to store"}, When: answer.When}, previous)
	}
	return f.js.PublishAsync(f.subject(verdictStream, at.words()...), text, jetstream.WithExpectLastSequencePerSubject(previous))
}

// writeDeadLetter stores the data of an unreadable message, with cause as the reason.
func (f *Frontier) writeDeadLetter(ctx context.Context, subject string, data []byte, cause error) error {
	text, err := json.Marshal(struct {
		Subject string `json:"subject"`
		Reason  string `json:"reason"`
		Data    []byte `json:"data"`
	}{subject, cause.Error(), data[:min(len(data), maxMessage/4)]})
	if err != nil {
		return err
	}
	_, err = f.js.Publish(ctx, f.subject(deadStream, "t"), text)
	return err
}
