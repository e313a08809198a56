package mailstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/locus-url/locus/internal/boltcheck"
)

// version is of the form of the index. An index of another is made anew.
const version = "locus mailstore 1"

// The buckets of the index.
//
// An identifier's hash leads to places: the key is the hash's first two octets,
// the value all places of such hashes, in order. There are never more than 65,536
// keys, and so a part of the index is written in much less memory than one key
// for each identifier would need.
var (
	bucketMeta       = []byte("meta")
	bucketPlaces     = []byte("places")     // two octets of a hash: places
	bucketContainers = []byte("containers") // number: container
	bucketFiles      = []byte("files")      // container and number: file

	keyVersion = []byte("version")
	keySum     = []byte("sum")
)

// ErrBusy is what errors wrap when another process writes the index, and did not
// end in time.
var ErrBusy = errors.New("the index is in use by another process")

// errDamaged: the file is no index, or no longer.
var errDamaged = errors.New("the index is damaged")

// hash of a text is what the index has instead of it.
type hash uint64

func hashOf(text string) hash {
	sum := sha256.Sum256([]byte(text))
	return hash(binary.BigEndian.Uint64(sum[:]))
}

// place is where a message is that has an identifier with that hash.
type place struct {
	id        hash
	container uint32
	at        uint64 // the offset in an mbox, or the number of a file; 48 bits
}

// placeSize is how long a place is in the index, without the hash's first two
// octets.
const placeSize = 6 + 4 + 6

// partition returns the key that a place is found at.
func (p place) partition() [2]byte {
	return [2]byte{byte(p.id >> 56), byte(p.id >> 48)}
}

func (p place) appendTo(dst []byte) []byte {
	var octets [8 + 4 + 8]byte
	binary.BigEndian.PutUint64(octets[12:], p.at)
	binary.BigEndian.PutUint64(octets[:], uint64(p.id))
	binary.BigEndian.PutUint32(octets[8:], p.container)
	dst = append(dst, octets[2:12]...)
	return append(dst, octets[14:]...)
}

// placeOf reads what appendTo wrote; the hash lacks its first two octets.
func placeOf(octets []byte) place {
	number := func(octets []byte) (n uint64) {
		for _, c := range octets {
			n = n<<8 | uint64(c)
		}
		return n
	}
	return place{hash(number(octets[:6])), uint32(number(octets[6:10])), number(octets[10:placeSize])}
}

// kind is of a container.
type kind string

const (
	kindMbox    kind = "mbox"
	kindMaildir kind = "maildir"
	kindFolder  kind = "folder" // a directory with messages in files
	kindFile    kind = "file"   // a file with one message that was given as a source
)

// container is what holds messages, as the index knows it.
type container struct {
	ID   uint32 `json:"-"`
	Kind kind
	Path []byte // no text: a name may be any octets
	Dead bool   `json:",omitempty"` // there are places in it still, which count for nothing
	Done bool   `json:",omitempty"` // it has been read to its end

	// Of an mbox: how it was when it was read, and where the last message begins.
	Size   int64 `json:",omitempty"`
	Time   int64 `json:",omitempty"` // when it was changed; of a Maildir, cur
	Hot    bool  `json:",omitempty"` // it was changed just before it was read
	Resume int64 `json:",omitempty"`
	Head   hash  `json:",omitempty"` // of the first octets, and of the last ones
	Tail   hash  `json:",omitempty"`

	// Of a Maildir: when new was changed. Of anything but an mbox: the last number
	// of a file.
	NewTime int64  `json:",omitempty"`
	Last    uint32 `json:",omitempty"`
}

func (c *container) path() string { return string(c.Path) }

func key32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

func fileKey(container, number uint32) []byte {
	return binary.BigEndian.AppendUint32(key32(container), number)
}

// file is a file of a container that is no mbox.
type file struct {
	name string // below the container's path
	size int64  // of a folder's files, which may change
	time int64
	ids  []hash
}

// known is what a file is told by that has not changed.
func (f *file) known() hash {
	return hashOf(string(binary.AppendVarint(binary.AppendVarint([]byte(f.name+"\x00"), f.size), f.time)))
}

func (f *file) append(dst []byte) []byte {
	dst = binary.AppendVarint(dst, f.size)
	dst = binary.AppendVarint(dst, f.time)
	dst = binary.AppendUvarint(dst, uint64(len(f.name)))
	dst = append(dst, f.name...)
	for _, id := range f.ids {
		dst = binary.BigEndian.AppendUint64(dst, uint64(id))
	}
	return dst
}

func fileOf(octets []byte) (f file, err error) {
	var n uint64
	r := bytes.NewReader(octets)
	if f.size, err = binary.ReadVarint(r); err != nil {
		return f, errDamaged
	}
	if f.time, err = binary.ReadVarint(r); err != nil {
		return f, errDamaged
	}
	if n, err = binary.ReadUvarint(r); err != nil || n > uint64(r.Len()) {
		return f, errDamaged
	}
	rest := octets[len(octets)-r.Len():]
	f.name, rest = string(rest[:n]), rest[n:]
	if len(rest)%8 != 0 {
		return f, errDamaged
	}
	for id := range slices.Chunk(rest, 8) {
		f.ids = append(f.ids, hash(binary.BigEndian.Uint64(id)))
	}
	return f, nil
}

// index is the file of the index. It is open only while it is used, so that other
// processes can use it in between.
type index struct {
	path string
	wait time.Duration
	// mu keeps this process from waiting for itself, which takes longer with files.
	mu    sync.RWMutex
	sound stamp // of the file when it was checked, or written by us
}

// lock makes this process the one that writes, until unlock is called.
func (x *index) lock() (unlock func(), err error) {
	db, err := boltcheck.Lock(x.path+".lock", x.wait)
	if err != nil {
		return nil, x.failure(err)
	}
	return func() { db.Close() }, nil
}

// view calls fn with the index as it is. There need not be one: then the error is
// fs.ErrNotExist.
func (x *index) view(fn func(*bbolt.Tx) error) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	info, err := os.Stat(x.path)
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return fs.ErrNotExist // another process is just making it
	}
	return x.failure(guard(func() error {
		db, err := bbolt.Open(x.path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: x.wait, NoStatistics: true})
		if err != nil {
			return boltcheck.OpenFailure(err)
		}
		defer db.Close()
		return db.View(func(tx *bbolt.Tx) error {
			if err := checkVersion(tx); err != nil {
				return err
			}
			return fn(tx)
		})
	}))
}

// update calls fn to write into the index, which is made if it is not there. All
// that fn writes is written, or nothing. The caller has the lock, and has called
// check.
func (x *index) update(fn func(*writer) error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.failure(guard(func() error {
		// The list of free pages is in the file, as it is opened for each part that is
		// written: to look for them is to read all of it, and to have it in memory.
		db, err := bbolt.Open(x.path, 0o600, &bbolt.Options{Timeout: x.wait, FreelistType: bbolt.FreelistMapType, NoStatistics: true})
		if err != nil {
			return boltcheck.OpenFailure(err)
		}
		defer db.Close()
		return db.Update(func(tx *bbolt.Tx) error {
			if err := prepare(tx); err != nil {
				return err
			}
			w := &writer{tx: tx, sum: sumOf(tx)}
			if err := fn(w); err != nil {
				return err
			}
			return tx.Bucket(bucketMeta).Put(keySum, binary.BigEndian.AppendUint64(nil, w.sum))
		})
	}))
	if err == nil {
		x.sound = stampOf(x.path)
	}
	return err
}

// writer writes into the index, and keeps the sum of all that is in it: what is no
// longer there, or is another, would not be missed else.
type writer struct {
	tx  *bbolt.Tx
	sum uint64
}

func (w *writer) put(bucket, key, value []byte) error {
	b := w.tx.Bucket(bucket)
	w.sum += sumOfEntry(bucket, key, value) - sumOfEntry(bucket, key, b.Get(key))
	// Most keys come in order, and so the pages fill one after the other.
	b.FillPercent = 0.95
	return b.Put(key, value)
}

func (w *writer) remove(bucket, key []byte) error {
	b := w.tx.Bucket(bucket)
	w.sum -= sumOfEntry(bucket, key, b.Get(key))
	return b.Delete(key)
}

// sumOfEntry is what an entry adds to the sum; nothing if there is no value.
func sumOfEntry(bucket, key, value []byte) uint64 {
	if value == nil {
		return 0
	}
	sum := crc64.Update(0, sumTable, bucket)
	sum = crc64.Update(sum, sumTable, key)
	return crc64.Update(sum, sumTable, value) | 1<<63
}

var sumTable = crc64.MakeTable(crc64.ECMA)

// sumOf returns the sum that is in the index.
func sumOf(tx *bbolt.Tx) uint64 {
	octets := tx.Bucket(bucketMeta).Get(keySum)
	if len(octets) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(octets)
}

// checkSum reads all that is in the index.
func checkSum(tx *bbolt.Tx) error {
	var sum uint64
	for _, bucket := range [][]byte{bucketPlaces, bucketContainers, bucketFiles} {
		err := tx.Bucket(bucket).ForEach(func(key, value []byte) error {
			sum += sumOfEntry(bucket, key, value)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if sum != sumOf(tx) {
		return fmt.Errorf("%w: what is in it is not what was written", errDamaged)
	}
	return nil
}

// stamp tells whether a file has changed.
type stamp struct {
	size, time int64
}

// stampOf returns the stamp of a file, or the zero one.
func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime().UnixNano()}
}

// prepare makes the buckets of a new index.
func prepare(tx *bbolt.Tx) error {
	if name, _ := tx.Cursor().First(); name != nil {
		return checkVersion(tx)
	}
	for _, name := range [][]byte{bucketMeta, bucketPlaces, bucketContainers, bucketFiles} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return tx.Bucket(bucketMeta).Put(keyVersion, []byte(version))
}

func checkVersion(tx *bbolt.Tx) error {
	for _, name := range [][]byte{bucketMeta, bucketPlaces, bucketContainers, bucketFiles} {
		if tx.Bucket(name) == nil {
			return fmt.Errorf("%w: it is not of this program", errDamaged)
		}
	}
	if text := tx.Bucket(bucketMeta).Get(keyVersion); string(text) != version {
		return fmt.Errorf("%w: it is of another version", errDamaged)
	}
	return nil
}

// guard calls fn. A panic of package bbolt is an error that wraps errDamaged.
func guard(fn func() error) error { return ofIndex(boltcheck.Guard(fn)) }

// ofIndex has a damage be one of the index.
func ofIndex(err error) error {
	if errors.Is(err, boltcheck.ErrDamaged) {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}

// failure says of which kind err is.
func (x *index) failure(err error) error {
	if errors.Is(err, berrors.ErrTimeout) {
		return fmt.Errorf("%w, and was for %v", ErrBusy, x.wait)
	}
	return err
}

// check looks at the whole index, if another process wrote it last: before something
// is written into it, and before what is not in it is believed not to be there. The
// caller has the lock. There need not be an index.
func (x *index) check() error {
	now := stampOf(x.path)
	if now == x.sound || now.size == 0 {
		return nil
	}
	f, err := os.Open(x.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := guard(func() error { return boltcheck.Pages(f, now.size) }); err != nil {
		return err
	}
	if err := x.view(checkSum); err != nil {
		return err
	}
	x.sound = now
	return nil
}

// doubt has the next check look at the index whatever is known of it. The caller
// has the lock.
func (x *index) doubt() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sound = stamp{}
}

// setAside makes way for a new index.
func (x *index) setAside() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := os.Rename(x.path, x.path+".damaged"); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// remove removes the index.
func (x *index) remove() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := os.Remove(x.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// containers returns all containers of the index.
func containers(tx *bbolt.Tx) (list []*container, err error) {
	err = tx.Bucket(bucketContainers).ForEach(func(key, value []byte) error {
		c := containerOf(key, value)
		if c == nil {
			return fmt.Errorf("%w: a container can't be read", errDamaged)
		}
		list = append(list, c)
		return nil
	})
	return list, err
}

func containerOf(key, value []byte) *container {
	c := new(container)
	if len(key) != 4 || json.Unmarshal(value, c) != nil {
		return nil
	}
	c.ID = binary.BigEndian.Uint32(key)
	return c
}

// files calls visit with each file of a container.
func files(tx *bbolt.Tx, container uint32, visit func(number uint32, f file) error) error {
	prefix := key32(container)
	cursor := tx.Bucket(bucketFiles).Cursor()
	for key, value := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = cursor.Next() {
		f, err := fileOf(value)
		if err != nil || len(key) != 8 {
			return fmt.Errorf("%w: a file's entry can't be read", errDamaged)
		}
		if err := visit(binary.BigEndian.Uint32(key[4:]), f); err != nil {
			return err
		}
	}
	return nil
}

// mostFound is to how many messages an identifier leads.
const mostFound = 1000

// candidate is where a message may be.
type candidate struct {
	container *container
	file      string // its path
	offset    int64
}

// lookup returns where messages may be that have the identifier id.
func (x *index) lookup(id string) (list []candidate, err error) {
	err = x.view(func(tx *bbolt.Tx) error {
		want := place{id: hashOf(id)}
		partition := want.partition()
		prefix := want.appendTo(nil)[:6]
		places := tx.Bucket(bucketPlaces).Get(partition[:])
		seen := map[uint32]*container{}
		for octets := range slices.Chunk(places, placeSize) {
			if len(list) == mostFound || len(octets) < placeSize {
				break
			}
			if !bytes.HasPrefix(octets, prefix) {
				continue
			}
			p := placeOf(octets)
			c, known := seen[p.container]
			if !known {
				c = containerOf(key32(p.container), tx.Bucket(bucketContainers).Get(key32(p.container)))
				seen[p.container] = c
			}
			if found, ok := located(tx, c, p); ok {
				list = append(list, found)
			}
		}
		return nil
	})
	return list, err
}

// located makes a candidate of a place, if it is one still.
func located(tx *bbolt.Tx, c *container, p place) (candidate, bool) {
	switch {
	case c == nil || c.Dead:
		return candidate{}, false
	case c.Kind == kindMbox:
		return candidate{c, c.path(), int64(p.at)}, true
	}
	octets := tx.Bucket(bucketFiles).Get(fileKey(p.container, uint32(p.at)))
	if octets == nil {
		return candidate{}, false
	}
	f, err := fileOf(octets)
	return candidate{c, join(c, f.name), 0}, err == nil
}
