package mailstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/locus-url/locus/internal/store"
)

// version is the version of the index format. The package replaces an index of another
// version.
const version = "locus mailstore 1"

// The buckets of the index.
//
// The bucket "places" maps the hash of an identifier to postings. A key is the first two bytes
// of a hash. The value for a key holds the sorted postings of all hashes that begin with these
// bytes. The bucket contains at most 65,536 keys, so an update needs much less memory than
// with one key for each identifier.
const (
	bucketPlaces     = "places"     // maps two bytes of a hash to postings
	bucketContainers = "containers" // maps a number to a container
	bucketFiles      = "files"      // maps the numbers of a container and a file to the file
)

// ErrBusy means that another process is writing the index. Errors of this package wrap
// ErrBusy.
var ErrBusy = store.ErrBusy

// hash is the first 8 bytes of a SHA-256.
type hash uint64

func hashOf(text string) hash {
	sum := sha256.Sum256([]byte(text))
	return hash(binary.BigEndian.Uint64(sum[:]))
}

// posting is a possible location of a message with an identifier that has the given hash.
type posting struct {
	id        hash
	container uint32
	at        uint64 // offset in an mbox, or number of a file; 48 bits
}

// postingSize is the length of an encoded posting, without the first two bytes of the
// hash.
const postingSize = 6 + 4 + 6

// partition returns the index key under which the posting is stored.
func (p posting) partition() [2]byte {
	return [2]byte{byte(p.id >> 56), byte(p.id >> 48)}
}

func (p posting) appendTo(dst []byte) []byte {
	var octets [8 + 4 + 8]byte
	binary.BigEndian.PutUint64(octets[12:], p.at)
	binary.BigEndian.PutUint64(octets[:], uint64(p.id))
	binary.BigEndian.PutUint32(octets[8:], p.container)
	dst = append(dst, octets[2:12]...)
	return append(dst, octets[14:]...)
}

// parsePosting decodes a posting. The first two bytes of the hash in the result are zero.
func parsePosting(octets []byte) posting {
	number := func(octets []byte) (n uint64) {
		for _, c := range octets {
			n = n<<8 | uint64(c)
		}
		return n
	}
	return posting{hash(number(octets[:6])), uint32(number(octets[6:10])), number(octets[10:postingSize])}
}

type kind string

const (
	kindMbox    kind = "mbox"
	kindMaildir kind = "maildir"
	kindFolder  kind = "folder" // a directory with messages in files
	kindFile    kind = "file"   // a source that is a file with one message
)

// container is a file or directory that holds messages.
type container struct {
	ID   uint32 `json:"-"`
	Kind kind
	Path []byte // path of the container, which may contain any bytes
	Dead bool   `json:",omitempty"` // the container is missing, and its postings are ignored
	Done bool   `json:",omitempty"` // whether the container was read to the end

	// The following fields describe the state of an mbox when it was last read. Resume is the
	// offset of the last message in the mbox.
	Size   int64 `json:",omitempty"`
	Time   int64 `json:",omitempty"`    // modification time of the file, or of a Maildir's directory cur
	Recent bool  `json:"Hot,omitempty"` // whether the file changed just before it was read
	Resume int64 `json:",omitempty"`
	Head   hash  `json:",omitempty"` // hashes of the first and last bytes
	Tail   hash  `json:",omitempty"`

	// NewTime is the modification time of a Maildir's directory new. Last is the highest file
	// number in the container. Last is not used for an mbox.
	NewTime int64  `json:",omitempty"`
	Last    uint32 `json:",omitempty"`
}

func (c *container) path() string { return string(c.Path) }

func key32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

func fileKey(container, number uint32) []byte {
	return binary.BigEndian.AppendUint32(key32(container), number)
}

type file struct {
	name string // name relative to the container
	size int64  // size and modification time; zero in a Maildir, where files never change
	time int64
	ids  []hash
}

// fingerprint returns a value that changes when the file changes.
func (f *file) fingerprint() hash {
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

func parseFile(octets []byte) (f file, err error) {
	var n uint64
	r := bytes.NewReader(octets)
	if f.size, err = binary.ReadVarint(r); err != nil {
		return f, store.ErrDamaged
	}
	if f.time, err = binary.ReadVarint(r); err != nil {
		return f, store.ErrDamaged
	}
	if n, err = binary.ReadUvarint(r); err != nil || n > uint64(r.Len()) {
		return f, store.ErrDamaged
	}
	rest := octets[len(octets)-r.Len():]
	f.name, rest = string(rest[:n]), rest[n:]
	if len(rest)%8 != 0 {
		return f, store.ErrDamaged
	}
	for id := range slices.Chunk(rest, 8) {
		f.ids = append(f.ids, hash(binary.BigEndian.Uint64(id)))
	}
	return f, nil
}

// index is the index file. The index file is open only during an operation, so that other
// processes can use the file between two operations.
type index struct{ store.File }

func newIndex(path string, wait time.Duration) *index {
	return &index{store.File{Path: path, Wait: wait, Version: version, Buckets: []string{bucketPlaces, bucketContainers, bucketFiles}}}
}

// update calls fn to write to the index, and creates a missing index. The writes of fn are one
// atomic transaction. The caller must hold the lock and must have called Verify.
func (x *index) update(fn func(writer) error) error {
	return x.Update(func(tx *bbolt.Tx) error { return fn(writer{tx}) })
}

type writer struct{ tx *bbolt.Tx }

func (w writer) put(bucket string, key, value []byte) error {
	b := w.tx.Bucket([]byte(bucket))
	// Most keys arrive in sorted order, so pages can be almost full.
	b.FillPercent = 0.95
	return b.Put(key, value)
}

func (w writer) remove(bucket string, key []byte) error {
	return w.tx.Bucket([]byte(bucket)).Delete(key)
}

func containers(tx *bbolt.Tx) (list []*container, err error) {
	err = tx.Bucket([]byte(bucketContainers)).ForEach(func(key, value []byte) error {
		c := parseContainer(key, value)
		if c == nil {
			return fmt.Errorf("%w: a malformed container", store.ErrDamaged)
		}
		list = append(list, c)
		return nil
	})
	return list, err
}

func parseContainer(key, value []byte) *container {
	c := new(container)
	if len(key) != 4 || json.Unmarshal(value, c) != nil {
		return nil
	}
	c.ID = binary.BigEndian.Uint32(key)
	return c
}

func files(tx *bbolt.Tx, container uint32, visit func(number uint32, f file) error) error {
	prefix := key32(container)
	cursor := tx.Bucket([]byte(bucketFiles)).Cursor()
	for key, value := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, value = cursor.Next() {
		f, err := parseFile(value)
		if err != nil || len(key) != 8 {
			return fmt.Errorf("%w: a malformed file entry", store.ErrDamaged)
		}
		if err := visit(binary.BigEndian.Uint32(key[4:]), f); err != nil {
			return err
		}
	}
	return nil
}

// maxFound is the maximum number of messages for an identifier.
const maxFound = 1000

type candidate struct {
	container *container
	file      string // path of the file
	offset    int64
}

func (x *index) lookup(id string) (list []candidate, err error) {
	err = x.View(func(tx *bbolt.Tx) error {
		want := posting{id: hashOf(id)}
		partition := want.partition()
		prefix := want.appendTo(nil)[:6]
		places := tx.Bucket([]byte(bucketPlaces)).Get(partition[:])
		seen := map[uint32]*container{}
		for octets := range slices.Chunk(places, postingSize) {
			if len(list) == maxFound || len(octets) < postingSize {
				break
			}
			if !bytes.HasPrefix(octets, prefix) {
				continue
			}
			p := parsePosting(octets)
			c, known := seen[p.container]
			if !known {
				c = parseContainer(key32(p.container), tx.Bucket([]byte(bucketContainers)).Get(key32(p.container)))
				seen[p.container] = c
			}
			if found, ok := candidateOf(tx, c, p); ok {
				list = append(list, found)
			}
		}
		return nil
	})
	return list, err
}

// candidateOf returns the candidate for a posting. If the index no longer contains the
// message, candidateOf returns false.
func candidateOf(tx *bbolt.Tx, c *container, p posting) (candidate, bool) {
	switch {
	case c == nil || c.Dead:
		return candidate{}, false
	case c.Kind == kindMbox:
		return candidate{c, c.path(), int64(p.at)}, true
	}
	octets := tx.Bucket([]byte(bucketFiles)).Get(fileKey(p.container, uint32(p.at)))
	if octets == nil {
		return candidate{}, false
	}
	f, err := parseFile(octets)
	return candidate{c, join(c, f.name), 0}, err == nil
}
