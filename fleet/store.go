package fleet

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// codeStoreFailed is the code of a stream that does not store a message, and haveText is the
// reason if it keeps one message for each subject, and has it. Another is a full disk.
const (
	codeStoreFailed = 10077
	haveText        = "maximum messages per subject"
)

// maxPiece is the most bytes of a piece of a document's links, but for a single longer line.
const maxPiece = 512 << 10

// isHave reports whether a message was refused because the stream has one of that subject.
func isHave(err error) bool {
	api := (*jetstream.APIError)(nil)
	return errors.As(err, &api) && api.ErrorCode == codeStoreFailed && strings.Contains(api.Description, haveText)
}

// batch publishes messages that a stream takes once for each subject. It waits for the
// server when window messages are under way. It is not for concurrent use.
type batch struct {
	f       *Frontier
	pending []jetstream.PubAckFuture
}

// window is how many messages of a batch are under way.
const window = 128

func (b *batch) add(ctx context.Context, subject string, data []byte) error {
	future, err := patiently(ctx, func() (jetstream.PubAckFuture, error) {
		return b.f.js.PublishMsgAsync(&nats.Msg{Subject: subject, Data: data})
	})
	if err != nil {
		return err
	}
	if b.pending = append(b.pending, future); len(b.pending) < window {
		return nil
	}
	return b.flush(ctx)
}

// flush waits until the server has what was added. What it did not answer for is sent again.
func (b *batch) flush(ctx context.Context) error {
	defer func() { b.pending = b.pending[:0] }()
	for _, future := range b.pending {
		var err error
		select {
		case <-future.Ok():
		case err = <-future.Err():
		case <-ctx.Done():
			return ctx.Err()
		}
		if err == nil || isHave(err) {
			continue
		}
		_, err = patiently(ctx, func() (*jetstream.PubAck, error) { return b.f.js.PublishMsg(ctx, future.Msg()) })
		if err != nil && !isHave(err) {
			return err
		}
	}
	return nil
}

// target adds the target of found. by is the page that has its links; empty: itself.
func (b *batch) target(ctx context.Context, a *verify.Asker, found *verify.Found, by string) error {
	if found.Fragment != "" && !found.Target.First.IsZero() {
		// A page with a fragment is one to be read, too. One request serves both, if they
		// wait together.
		if err := b.target(ctx, a, &verify.Found{Target: found.Target}, by); err != nil {
			return err
		}
	}
	text, err := encodeTarget(a, found, by)
	if err != nil {
		return err
	}
	return b.add(ctx, b.f.subject(targetStream, b.f.addressOf(a, found).words()...), text)
}

// lines adds the lines of the document of that key, in pieces.
func (b *batch) lines(ctx context.Context, document key, texts [][]byte) error {
	var piece []byte
	number := 0
	end := func() error {
		err := b.add(ctx, b.f.pieceSubject(document, number), bytes.Clone(piece))
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
	if len(piece) == 0 && number > 0 {
		return nil
	}
	return end()
}

func (f *Frontier) pieceSubject(document key, number int) string {
	return f.subject(linkStream, hex.EncodeToString(document[:]), fmt.Sprint(number))
}

// verdict is what is stored about a target.
type verdict struct {
	answer   verify.Answer
	sequence uint64 // of its message
}

// verdictOf returns the verdict at an address; nil: there is none.
func (f *Frontier) verdictOf(ctx context.Context, at address) (*verdict, error) {
	m, err := f.verdicts.GetLastMsgForSubject(ctx, f.subject(verdictStream, at.words()...))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v := &verdict{sequence: m.Sequence}
	if err := json.Unmarshal(m.Data, &v.answer); err != nil {
		return nil, fmt.Errorf("the verdict %s is damaged: %w", m.Subject, err)
	}
	return v, nil
}

// errStored: there is another verdict already.
var errStored = errors.New("fleet: the target has a verdict")

// storeVerdict stores the verdict of a target, whose verdict before has the sequence number
// last; 0: it has none. The error is errStored, or that of the server.
func (f *Frontier) storeVerdict(ctx context.Context, at address, answer *verify.Answer, last uint64) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	_, err = f.js.Publish(ctx, f.subject(verdictStream, at.words()...), text, jetstream.WithExpectLastSequencePerSubject(last))
	if isConflict(err) {
		return errStored
	}
	return err
}

// bury stores a message that can't be read, and why.
func (f *Frontier) bury(ctx context.Context, subject string, data []byte, why error) error {
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
