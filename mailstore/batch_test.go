package mailstore

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"
)

// Merged postings must equal the result of set operations.
func TestMerge(t *testing.T) {
	x := newIndex(filepath.Join(t.TempDir(), "index"), 0)
	if err := x.Lock(); err != nil {
		t.Fatal(err)
	}
	defer x.Unlock()
	r := rand.New(rand.NewPCG(1738, 1))
	some := func() (list []posting) {
		for range r.IntN(200) {
			list = append(list, posting{hash(r.IntN(8))<<61 | hash(r.IntN(2))<<48 | hash(r.IntN(3)), uint32(r.IntN(3)), uint64(r.IntN(3)) << 40})
		}
		return list
	}
	want := map[posting]bool{}
	for range 30 {
		added, gone := some(), some()
		for _, p := range added {
			want[p] = true
		}
		for _, p := range gone {
			delete(want, p)
		}
		if err := x.update(func(w writer) error { return mergePostings(w, added, gone) }); err != nil {
			t.Fatal(err)
		}
		if got := allPlaces(t, x); !slices.Equal(got, sorted(want)) {
			t.Fatalf("%v\n%v", got, sorted(want))
		}
	}
	if err := x.update(func(w writer) error { return deletePostings(w, map[uint32]bool{1: true}) }); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(want, func(p posting, _ bool) bool { return p.container == 1 })
	if got := allPlaces(t, x); !slices.Equal(got, sorted(want)) || len(got) == 0 {
		t.Errorf("%v\n%v", got, sorted(want))
	}
}

func sorted(set map[posting]bool) []posting {
	return slices.SortedFunc(maps.Keys(set), func(a, b posting) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.container, b.container), cmp.Compare(a.at, b.at))
	})
}

func allPlaces(t *testing.T, x *index) (list []posting) {
	t.Helper()
	err := x.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(bucketPlaces)).ForEach(func(key, value []byte) error {
			for text := range slices.Chunk(value, postingSize) {
				p := parsePosting(text)
				p.id |= hash(key[0])<<56 | hash(key[1])<<48
				list = append(list, p)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Reading a written file entry must return it, and anything else must be an
// error without a panic.
func FuzzFile(f *testing.F) {
	f.Add((&file{name: "cur/1.host:2,S", size: 7, time: -1, ids: []hash{1, 2}}).append(nil))
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1})
	f.Fuzz(func(t *testing.T, octets []byte) {
		file, err := parseFile(octets)
		if err != nil {
			return
		}
		again, err := parseFile(file.append(nil))
		if err != nil || again.name != file.name || again.size != file.size || again.time != file.time || !slices.Equal(again.ids, file.ids) {
			t.Errorf("%x: %+v, %+v, %v", octets, file, again, err)
		}
	})
}
