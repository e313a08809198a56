package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/locus-url/locus/internal/store"
)

// ErrBusy is the error that [Open] returns if another process has the store open. Use
// [errors.Is] to test for ErrBusy.
var ErrBusy = store.ErrBusy

// version is the format version of the index. [Open] replaces an index that has another
// version.
const version = "locus cache 2"

// These constants name the buckets of the index. A key consists of the hash of the URL and
// the response's id.
const (
	bucketResponses = "answers" // maps hash and id to a record
	bucketUsed      = "used"    // maps hash and id to the time of last use, in nanoseconds since 1970
)

// index is the database of stored responses. Only the store's writer goroutine writes to the
// database.
type index struct{ *store.File }

// openIndex opens the index in dir and lists its responses. It replaces a damaged index with an
// empty index, and reports the damage to the function note.
func openIndex(dir string, note func(error)) (x index, list []*entry, err error) {
	x.File = &store.File{
		Path: filepath.Join(dir, "index.db"), Version: version, Buckets: []string{bucketResponses, bucketUsed},
		Check: func(tx *bbolt.Tx) (err error) {
			list, err = readAll(tx)
			return err
		},
	}
	damage, err := x.Open()
	if damage != nil {
		list = nil
		note(fmt.Errorf("cache: replaced the damaged index with an empty one: %w", damage))
	}
	return x, list, err
}

// readAll reads the whole index.
func readAll(tx *bbolt.Tx) (list []*entry, err error) {
	used := tx.Bucket([]byte(bucketUsed))
	err = tx.Bucket([]byte(bucketResponses)).ForEach(func(name, record []byte) error {
		m, sum, err := parseRecord(record)
		if err != nil {
			return err
		}
		e := newEntry(keyOf(m.url), 0, m, sum)
		if len(name) != len(e.key)+8 || string(name[:len(e.key)]) != string(e.key[:]) {
			return fmt.Errorf("%w: a record has the wrong key", store.ErrDamaged)
		}
		e.id, e.isSaved, e.lastUsed = binary.BigEndian.Uint64(name[len(e.key):]), true, m.received.UnixNano()
		if octets := used.Get(name); len(octets) == 8 {
			e.lastUsed = int64(binary.BigEndian.Uint64(octets))
		}
		list = append(list, e)
		return nil
	})
	return list, err
}

func (x index) load(k key, id uint64) (m *meta, err error) {
	err = x.View(func(tx *bbolt.Tx) error {
		m, _, err = parseRecord(tx.Bucket([]byte(bucketResponses)).Get(recordName(k, id)))
		return err
	})
	return m, err
}

// write writes the meta and the time of last use of each entry. If the meta of an entry is nil,
// write deletes the entry. If write fails, it changes nothing.
func (x index) write(metas map[*entry]*meta, lastUsed map[*entry]int64) error {
	return x.Update(func(tx *bbolt.Tx) error {
		answers, used := tx.Bucket([]byte(bucketResponses)), tx.Bucket([]byte(bucketUsed))
		for e, m := range metas {
			var err error
			if name := recordName(e.key, e.id); m != nil {
				err = answers.Put(name, newRecord(m, e.sum))
			} else {
				err = errors.Join(answers.Delete(name), used.Delete(name))
			}
			if err != nil {
				return err
			}
		}
		for e, at := range lastUsed {
			if err := used.Put(recordName(e.key, e.id), binary.BigEndian.AppendUint64(nil, uint64(at))); err != nil {
				return err
			}
		}
		return nil
	})
}

func recordName(k key, id uint64) []byte { return binary.BigEndian.AppendUint64(k[:len(k):len(k)], id) }
