package base

import "hash/maphash"

// TextSet is a set of texts that keeps 128 bits of each.
type TextSet struct {
	first, second maphash.Seed
	keys          map[[2]uint64]struct{}
}

// NewTextSet returns an empty set.
func NewTextSet() *TextSet {
	return &TextSet{first: maphash.MakeSeed(), second: maphash.MakeSeed(), keys: map[[2]uint64]struct{}{}}
}

// Add adds text, and reports whether it was new.
func (s *TextSet) Add(text string) bool {
	n := len(s.keys)
	s.keys[[2]uint64{maphash.String(s.first, text), maphash.String(s.second, text)}] = struct{}{}
	return len(s.keys) > n
}
