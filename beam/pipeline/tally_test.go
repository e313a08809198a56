package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func FuzzDecodeTally(f *testing.F) {
	f.Add(encodeTally(Tally{}))
	f.Add(encodeTally(Tally{N: -1, M: 1 << 40, Samples: []string{"", "a", "\xff"}}))
	f.Add([]byte{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := decodeTally(b)
		if err != nil {
			return
		}
		again, err := decodeTally(encodeTally(v))
		if err != nil || !reflect.DeepEqual(v, again) {
			t.Errorf("%v, then %v: %v", v, again, err)
		}
	})
}

func FuzzDecodeRow(f *testing.F) {
	f.Add(encodeRow(Row{[]string{"a", "", "\n"}}))
	f.Add([]byte{3, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := decodeRow(b)
		if err != nil {
			return
		}
		again, err := decodeRow(encodeRow(v))
		if err != nil || !slices.Equal(v.Cells, again.Cells) {
			t.Errorf("%q, then %q: %v", v.Cells, again.Cells, err)
		}
	})
}

// TestSamples checks that the retained samples do not depend on order and grouping.
func TestSamples(t *testing.T) {
	var want []string
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		parts := make([]Tally, 7)
		for _, i := range r.Perm(100) {
			parts[r.IntN(len(parts))].add(Tally{N: 1, Samples: []string{fmt.Sprint("http://h/", i%60)}}, 5)
		}
		var sum Tally
		for _, p := range parts {
			sum = (&mergeFn{Keep: 5}).MergeAccumulators(sum, p)
		}
		if want == nil {
			want = sum.Samples
		}
		if sum.N != 100 || len(want) != 5 || !slices.Equal(sum.Samples, want) {
			t.Fatalf("seed %d: %+v, want %q", seed, sum, want)
		}
	}
}

// TestHotKeys counts a key with half of the records. The aggregate must salt this key and no other
// key, and must not lose a record, with and without combining.
func TestHotKeys(t *testing.T) {
	const records, keys = 100_000, 20_000
	for _, each := range []bool{false, true} {
		for _, salts := range []int{NoSalts, 16} {
			salted, got := map[byte]int64{}, map[string]int64{}
			a := aggregate{each: each, salts: salts}
			a.cold = func(key []byte, t Tally) { got[string(key)] += t.N }
			a.hot = func(key []byte, t Tally) {
				if string(key[1:]) != "hot" {
					t.N = 0
				}
				salted[key[0]] += t.N
				got[string(key[1:])] += t.N
			}
			for i := range records {
				if i%2 == 0 {
					a.add("hot", Tally{N: 1})
				} else {
					a.add(fmt.Sprint(i%keys), Tally{N: 1})
				}
			}
			a.flush()
			want := 0
			switch {
			case salts == NoSalts:
			case each:
				want = 16
			default:
				want = 1 // with combining, the key has only one tally
			}
			if got["hot"] != records/2 || len(got) != keys/2+1 || len(salted) != want {
				t.Errorf("each %t, %d salts: %d of the hot key, %d keys, %d salts", each, salts, got["hot"], len(got), len(salted))
			}
			for salt, n := range salted {
				if n > records/2/8 && each {
					t.Errorf("salt %d has %d records", salt, n)
				}
			}
		}
	}
}

// TestSaltsOfBundles checks that the tallies of a hot key in many bundles get different salts.
func TestSaltsOfBundles(t *testing.T) {
	salts := map[byte]bool{}
	f := &scanFn{Options: Options{Salts: 16}}
	ctx := context.Background()
	hot := func(key []byte, _ Tally) { salts[key[0]] = true }
	for range 1000 {
		f.StartBundle(ctx, nil, hot, nil)
		f.counts.hot = hot
		for range hotLeast {
			f.counts.add("hot", Tally{N: 1})
		}
		f.counts.flush()
	}
	if len(salts) != 16 {
		t.Errorf("%d salts, want 16", len(salts))
	}
}

// TestMemory counts more keys than fit in memory. The aggregate must send some of them before the
// end of the bundle.
func TestMemory(t *testing.T) {
	sent, most := 0, 0
	a := aggregate{salts: NoSalts, cold: func([]byte, Tally) { sent++ }}
	for i := range 2_000_000 {
		a.add(fmt.Sprint(i), Tally{N: 1})
		most = max(most, a.held)
	}
	if most > maxHeld+100 || sent == 0 {
		t.Errorf("%d octets held, %d keys sent before the end", most, sent)
	}
	if a.flush(); sent != 2_000_000 {
		t.Errorf("%d keys", sent)
	}
}
