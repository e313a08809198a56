package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/locus-url/locus/internal/boltcheck"
)

// ErrBusy is what errors wrap when another process has the store open.
var ErrBusy = errors.New("the cache is in use by another process")

// version is of the form of the index. An index of another is made anew.
const version = "locus cache 1"

// lockWait is how long to wait for the process before us, which may be just ending.
const lockWait = 2 * time.Second

// The buckets of the index. A key is that of the URL, and the number that tells its
// answers apart.
var (
	bucketMeta    = []byte("meta")
	bucketAnswers = []byte("answers") // key and number: record
	bucketUsed    = []byte("used")    // key and number: when it was last used, in seconds

	keyVersion = []byte("version")
)

// index is the database of what the store holds. Only the store's writer writes
// into it.
type index struct {
	path string
	lock *bbolt.DB // an empty database: that one can be locked on every system
	db   *bbolt.DB
}

// known is an answer that is in the index.
type known struct {
	key  key
	id   uint64
	sum  uint64
	size int64
	cost int64
	used int64
}

// openIndex opens the index of the folder, and tells what is in it. An index that is
// damaged, which note is told, is made anew, with nothing in it.
func openIndex(dir string, note func(error)) (*index, []known, error) {
	x := &index{path: filepath.Join(dir, "index.db")}
	if err := x.acquire(); err != nil {
		return nil, nil, err
	}
	list, err := x.open()
	if errors.Is(err, errDamaged) {
		note(fmt.Errorf("cache: %w, and made anew", err))
		if err := os.Remove(x.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			x.lock.Close()
			return nil, nil, err
		}
		list, err = x.open()
	}
	if err != nil {
		x.lock.Close()
		return nil, nil, err
	}
	return x, list, nil
}

// acquire makes this process the only one that has the store open.
func (x *index) acquire() (err error) {
	x.lock, err = boltcheck.Lock(x.path+".lock", lockWait)
	return openFailure(err)
}

func (x *index) open() (list []known, err error) {
	if err := x.check(); err != nil {
		return nil, err
	}
	err = guard(func() error {
		// Without a list of free pages in the file each change writes less; it is made
		// again when the file is opened, from pages that are all read then anyway.
		x.db, err = bbolt.Open(x.path, 0o600, &bbolt.Options{Timeout: lockWait, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, NoStatistics: true})
		if err != nil {
			return openFailure(err)
		}
		if err := x.db.Update(prepare); err != nil {
			return err
		}
		return x.db.View(func(tx *bbolt.Tx) error {
			list, err = all(tx)
			return err
		})
	})
	if err != nil && x.db != nil {
		guard(x.db.Close) // it may be no database at all
		x.db = nil
	}
	return list, err
}

// check looks at the pages of the file, if there is one, before package bbolt relies
// on them.
func (x *index) check() error {
	f, err := os.Open(x.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	return guard(func() error { return boltcheck.Pages(f, info.Size()) })
}

// prepare makes the buckets of a new index.
func prepare(tx *bbolt.Tx) error {
	if name, _ := tx.Cursor().First(); name == nil {
		for _, name := range [][]byte{bucketMeta, bucketAnswers, bucketUsed} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return tx.Bucket(bucketMeta).Put(keyVersion, []byte(version))
	}
	for _, name := range [][]byte{bucketMeta, bucketAnswers, bucketUsed} {
		if tx.Bucket(name) == nil {
			return fmt.Errorf("%w: it is not of this program", errDamaged)
		}
	}
	if text := tx.Bucket(bucketMeta).Get(keyVersion); string(text) != version {
		return fmt.Errorf("%w: it is of another version", errDamaged)
	}
	return nil
}

// all reads the whole index.
func all(tx *bbolt.Tx) (list []known, err error) {
	used := tx.Bucket(bucketUsed)
	err = tx.Bucket(bucketAnswers).ForEach(func(name, record []byte) error {
		m, sum, err := parseRecord(record)
		if err != nil {
			return err
		}
		k := known{sum: sum, size: m.size, cost: cost(m), used: m.received.Unix()}
		var ok bool
		if k.key, k.id, ok = splitName(name); !ok || keyOf(m.url) != k.key {
			return fmt.Errorf("%w: a record has the name of another", errDamaged)
		}
		if octets := used.Get(name); len(octets) == 8 {
			k.used = int64(binary.BigEndian.Uint64(octets))
		}
		list = append(list, k)
		return nil
	})
	return list, err
}

// load reads what is known of an answer.
func (x *index) load(k key, id uint64) (m *meta, err error) {
	err = guard(func() error {
		return x.db.View(func(tx *bbolt.Tx) error {
			m, _, err = parseRecord(tx.Bucket(bucketAnswers).Get(recordName(k, id)))
			return err
		})
	})
	return m, err
}

// changes are what is to be written.
type changes struct {
	records map[*entry][]byte // nil: it is no longer there
	used    map[*entry]int64
}

// write writes all of c, or nothing.
func (x *index) write(c changes) error {
	return guard(func() error {
		return x.db.Update(func(tx *bbolt.Tx) error {
			answers, used := tx.Bucket(bucketAnswers), tx.Bucket(bucketUsed)
			for e, record := range c.records {
				name := recordName(e.key, e.id)
				if record != nil {
					if err := answers.Put(name, record); err != nil {
						return err
					}
					continue
				}
				if err := errors.Join(answers.Delete(name), used.Delete(name)); err != nil {
					return err
				}
			}
			for e, at := range c.used {
				if err := used.Put(recordName(e.key, e.id), binary.BigEndian.AppendUint64(nil, uint64(at))); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (x *index) close() error { return errors.Join(guard(x.db.Close), x.lock.Close()) }

func recordName(k key, id uint64) []byte { return binary.BigEndian.AppendUint64(k[:len(k):len(k)], id) }

func splitName(name []byte) (k key, id uint64, ok bool) {
	if len(name) != len(k)+8 {
		return k, 0, false
	}
	copy(k[:], name)
	return k, binary.BigEndian.Uint64(name[len(k):]), true
}

// guard calls fn. A panic of package bbolt is an error that wraps errDamaged.
func guard(fn func() error) error {
	err := boltcheck.Guard(fn)
	if errors.Is(err, boltcheck.ErrDamaged) {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}

// openFailure says of which kind an error is that comes of opening the file: what
// is not the system's is the file's.
func openFailure(err error) error {
	_, ofFile := errors.AsType[*fs.PathError](err)
	_, ofSystem := errors.AsType[syscall.Errno](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, berrors.ErrTimeout):
		return ErrBusy
	case ofFile || ofSystem:
		return err
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}
