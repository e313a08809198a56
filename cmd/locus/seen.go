package main

import "hash/maphash"

// seen is a set of texts of which it keeps 128 bits each.
type seen struct {
	first, second maphash.Seed
	keys          map[[2]uint64]struct{}
}

func newSeen() *seen {
	return &seen{first: maphash.MakeSeed(), second: maphash.MakeSeed(), keys: map[[2]uint64]struct{}{}}
}

// add adds text, and reports whether it was not there.
func (s *seen) add(text string) bool {
	n := len(s.keys)
	s.keys[[2]uint64{maphash.String(s.first, text), maphash.String(s.second, text)}] = struct{}{}
	return len(s.keys) > n
}
