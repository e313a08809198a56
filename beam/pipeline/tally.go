package pipeline

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"slices"
	"strings"
)

// Tally holds the counts and samples of a key. The pipeline defines the meaning of the two counts.
type Tally struct {
	N, M    int64
	Samples []string // samples that come first in the order of compareSamples
}

// add adds the tally o to t. The parameter keep is the maximum number of samples in the sum.
func (t *Tally) add(o Tally, keep int) {
	t.N += o.N
	t.M += o.M
	for _, s := range o.Samples {
		t.sample(s, keep)
	}
}

// sample adds a text to the samples. The tally retains the texts that come first in the order of
// compareSamples; the parameter keep is the maximum number of texts. The result does not depend on
// the order of the calls.
func (t *Tally) sample(text string, keep int) {
	if keep <= 0 {
		return
	}
	if len(t.Samples) == keep && compareSamples(text, t.Samples[keep-1]) >= 0 {
		return
	}
	i, found := slices.BinarySearchFunc(t.Samples, text, compareSamples)
	if found {
		return
	}
	// Do not change samples in place, because runners share accumulators.
	t.Samples = slices.Insert(slices.Clone(t.Samples), i, text)
	t.Samples = t.Samples[:min(len(t.Samples), keep)]
}

// compareSamples orders texts by a hash, so that samples come from different hosts.
func compareSamples(a, b string) int {
	x, y := hash(a), hash(b)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return strings.Compare(a, b)
}

// hash returns a hash value that is the same in every process.
func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

var errCut = errors.New("the encoded value is truncated")

// encodeTally encodes a Tally for the Beam SDK.
func encodeTally(t Tally) []byte {
	b := binary.AppendVarint(make([]byte, 0, 8), t.N)
	return appendTexts(binary.AppendVarint(b, t.M), t.Samples)
}

func decodeTally(b []byte) (t Tally, err error) {
	for _, n := range []*int64{&t.N, &t.M} {
		var size int
		if *n, size = binary.Varint(b); size <= 0 {
			return Tally{}, errCut
		}
		b = b[size:]
	}
	t.Samples, err = decodeTexts(b)
	return t, err
}

func appendTexts(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

func decodeTexts(b []byte) (list []string, err error) {
	next := func() (uint64, error) {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return 0, errCut // each text needs at least one byte, for its length
		}
		b = b[size:]
		return n, nil
	}
	count, err := next()
	if err != nil {
		return nil, err
	}
	for range count {
		n, err := next()
		if err != nil {
			return nil, err
		}
		list = append(list, string(b[:n]))
		b = b[n:]
	}
	if len(b) > 0 {
		return nil, errors.New("the encoded value has extra bytes after its end")
	}
	return list, nil
}

// Row is an output row with a text for each column.
type Row struct{ Cells []string }

func encodeRow(r Row) []byte                { return appendTexts(nil, r.Cells) }
func decodeRow(b []byte) (r Row, err error) { r.Cells, err = decodeTexts(b); return r, err }

// mergeFn adds the tallies of a key.
type mergeFn struct{ Keep int }

// CreateAccumulator implements the Beam CombineFn method.
func (f *mergeFn) CreateAccumulator() Tally { return Tally{} }

// AddInput implements the Beam CombineFn method.
func (f *mergeFn) AddInput(t, in Tally) Tally { t.add(in, f.Keep); return t }

// MergeAccumulators implements the Beam CombineFn method.
func (f *mergeFn) MergeAccumulators(a, b Tally) Tally { a.add(b, f.Keep); return a }

// ExtractOutput implements the Beam CombineFn method.
func (f *mergeFn) ExtractOutput(t Tally) Tally { return t }
