package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// A retry is a message in the target stream. Its subject consists of the target's subject, with
// retryWord before the key, and the sequence number of the verdict to replace. The stream stores
// each retry once, and workers read retries like targets. A retry is done when the verdict of the
// target has another sequence number.
const retryWord = "retry"

func (f *Frontier) retrySubject(at address, verdict uint64) string {
	words := slices.Insert(at.words(), 2, retryWord)
	return f.subject(targetStream, append(words, fmt.Sprint(verdict))...)
}

// parseTarget parses the subject of a target or a retry. For a retry, verdict is the sequence
// number of the verdict; otherwise it is 0.
func (f *Frontier) parseTarget(subject string) (at address, verdict uint64, err error) {
	words := strings.Split(subject, ".")
	if len(words) == 8 && words[5] == retryWord {
		verdict, err = strconv.ParseUint(words[7], 10, 64)
		if err != nil || verdict == 0 || strconv.FormatUint(verdict, 10) != words[7] {
			return at, 0, errSubject
		}
		subject = strings.Join(append(words[:5], words[6]), ".")
	}
	at, err = f.parseSubject(targetStream, subject)
	return at, verdict, err
}

// Retry makes workers verify targets with the verdict [verify.Warning] or [verify.Denied]
// again. If bad is true, it includes all targets with a bad verdict ([verify.Verdict.IsBad]).
// It returns the number of targets. A verdict stays until a worker stores another one. Retry
// may be called while workers run, and repeatedly: workers verify a waiting target once.
func (f *Frontier) Retry(ctx context.Context, bad bool) (count int, err error) {
	ctx, cancel := undated(ctx)
	defer cancel()
	info, err := tryQuietly(ctx, func() (*jetstream.StreamInfo, error) { return f.verdicts.Info(ctx) })
	if err != nil {
		return 0, err
	}
	b := &batch{f: f}
	filter := f.subject(verdictStream, ">")
	for next := uint64(1); ; {
		m, err := tryQuietly(ctx, func() (*jetstream.RawStreamMsg, error) {
			return f.verdicts.GetMsg(ctx, next, jetstream.WithGetMsgSubject(filter))
		})
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return count, err
		}
		if err != nil || m.Sequence > info.State.LastSeq { // later verdicts are not part of this retry
			return count, b.flush(ctx)
		}
		next = m.Sequence + 1
		var answer verify.Response
		at, err := f.parseSubject(verdictStream, m.Subject)
		if err != nil || json.Unmarshal(m.Data, &answer) != nil || !isOpen(answer.Outcome.Verdict, bad) {
			continue
		}
		if err := b.add(ctx, f.retrySubject(at, m.Sequence), nil); err != nil {
			return count, err
		}
		count++
	}
}

// isOpen reports whether a new check may change the verdict.
func isOpen(v verify.Verdict, bad bool) bool {
	return v == verify.Warning || v == verify.Denied || bad && v.IsBad()
}

// infoRequest requests a stream's state and the number of subjects that match a filter.
type infoRequest struct {
	Filter string `json:"subjects_filter"`
	Offset int    `json:"offset"` // index of the first subject that the server lists
}

// retries returns the number of retries in the target stream. There may be millions of them. So the
// request has an offset after the last retry, and the list in the response is empty.
func (f *Frontier) retries(ctx context.Context) (uint64, error) {
	filter := f.subject(targetStream, "*", "*", retryWord, "*", "*")
	text, err := json.Marshal(infoRequest{filter, math.MaxInt32})
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, batchTime)
	defer cancel()
	m, err := f.nc.RequestWithContext(ctx, "$JS.API.STREAM.INFO."+f.stream(targetStream), text)
	if err != nil {
		return 0, err
	}
	var info struct {
		Total uint64              `json:"total"`
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(m.Data, &info); err != nil {
		return 0, errBatch
	}
	if info.Error != nil {
		return 0, info.Error
	}
	return info.Total, nil
}

// retryJob returns the job of a retry. It returns nil if the retry is done or the target can't be
// decoded.
func (w *Worker) retryJob(ctx context.Context, at address, last, sequence uint64) (*job, error) {
	v, err := w.frontier.verdictOf(ctx, at)
	if err != nil || v == nil || v.sequence != last {
		return nil, err
	}
	return w.jobAgain(ctx, at, v, sequence)
}
