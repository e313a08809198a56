// Package boltcheck tells whether a file is a database of package bbolt whose pages
// are what they should be.
//
// Such a database is a tree of pages, which refer to each other by number and to
// their own octets by offset, and a list of the pages that are free. Package bbolt
// relies on both, and not all of its panics can be recovered. So they are checked
// before something is written.
package boltcheck

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"runtime/debug"
)

// ErrDamaged is what errors wrap if the file is no database, or no longer.
var ErrDamaged = errors.New("damaged")

// Guard calls fn, and makes an error that wraps [ErrDamaged] of what goes wrong when
// the octets of a database are not what they should be: package bbolt panics then,
// and, since the file is in memory, a page that is not there ends the process.
func Guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, reason)
		}
	}()
	return fn()
}

const (
	pageHeader  = 16
	elementSize = 16 // of a branch or a leaf
	metaSize    = 64
	bucketSize  = 16

	pageBranch = 0x01
	pageLeaf   = 0x02
	pageFree   = 0x10

	// noFreelist is its number when there is none, and manyFree the count in the
	// page's header when the count is before the list.
	noFreelist = ^uint64(0)
	manyFree   = 0xFFFF

	leafBucket = 0x01 // the value is a bucket

	metaMagic   = 0xED0CDAED
	metaVersion = 2
	mostPage    = 64 << 10
)

// Pages returns an error that wraps [ErrDamaged] if a page of the database of that
// size can't be what it should be.
func Pages(r io.ReaderAt, size int64) error {
	t, err := openTree(r, size)
	if err != nil {
		return err
	}
	if err := t.walk(t.root, nil, nil); err != nil {
		return err
	}
	return t.free()
}

type tree struct {
	r        io.ReaderAt
	pageSize uint64
	pages    uint64 // how many there are
	root     uint64 // the numbers of the first page of the tree, and of the list
	freelist uint64
	txid     uint64
	seen     []bool // by number: it is in the tree already, or in the list
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// openTree reads the two meta pages, of which the newer one that is whole counts.
func openTree(r io.ReaderAt, size int64) (*tree, error) {
	t, err := meta(r, 0)
	if err != nil {
		return nil, err
	}
	// Where the second one is depends on what the first one says. If that is damaged,
	// it may be anywhere that pages have a size for.
	for at := uint64(1024); at <= mostPage; at *= 2 {
		second, err := meta(r, at)
		if err != nil {
			return nil, err
		}
		if second != nil && second.pageSize == at && (t == nil || second.txid > t.txid) {
			t = second
		}
	}
	if t == nil {
		return nil, damaged("it has no beginning")
	}
	if t.pages > uint64(size)/t.pageSize {
		return nil, damaged("it is cut: %d octets of %d pages", size, t.pages)
	}
	t.seen = make([]bool, t.pages)
	return t, nil
}

// meta reads the meta page at at, or returns nil if there is none that is whole.
func meta(r io.ReaderAt, at uint64) (*tree, error) {
	page := make([]byte, pageHeader+metaSize)
	if _, err := r.ReadAt(page, int64(at)); err == io.EOF {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	m := page[pageHeader:]
	sum := fnv.New64a()
	sum.Write(m[:metaSize-8])
	t := &tree{
		r:        r,
		pageSize: uint64(binary.NativeEndian.Uint32(m[8:])),
		root:     binary.NativeEndian.Uint64(m[16:]),
		freelist: binary.NativeEndian.Uint64(m[32:]),
		pages:    binary.NativeEndian.Uint64(m[40:]),
		txid:     binary.NativeEndian.Uint64(m[48:]),
	}
	if binary.NativeEndian.Uint32(m) != metaMagic || binary.NativeEndian.Uint32(m[4:]) != metaVersion ||
		binary.NativeEndian.Uint64(m[56:]) != sum.Sum64() || t.pageSize < 1024 || t.pageSize > mostPage {
		return nil, nil
	}
	return t, nil
}

// free checks the list of the pages that are free: none is in the tree.
func (t *tree) free() error {
	if t.freelist == noFreelist {
		return nil
	}
	page, err := t.page(t.freelist)
	if err != nil {
		return err
	}
	if binary.NativeEndian.Uint16(page[8:]) != pageFree {
		return damaged("page %d is of no kind", t.freelist)
	}
	count := uint64(binary.NativeEndian.Uint16(page[10:]))
	list := page[pageHeader:]
	if count == manyFree {
		count = binary.NativeEndian.Uint64(list)
		list = list[8:]
	}
	if count > uint64(len(list))/8 {
		return damaged("%d pages are free", count)
	}
	for ; count > 0; count-- {
		number := binary.NativeEndian.Uint64(list)
		list = list[8:]
		if number < 2 || number >= t.pages || t.seen[number] {
			return damaged("page %d is there twice", number)
		}
		t.seen[number] = true
	}
	return nil
}

// walk checks the page of that number and all below it, whose keys are from least
// on and below end; nil: without end.
func (t *tree) walk(number uint64, least, end []byte) error {
	page, err := t.page(number)
	if err != nil {
		return err
	}
	count := uint64(binary.NativeEndian.Uint16(page[10:]))
	switch flags := binary.NativeEndian.Uint16(page[8:]); {
	case pageHeader+count*elementSize > uint64(len(page)):
		return damaged("page %d has %d elements", number, count)
	case flags == pageBranch && count > 0:
		return t.branch(page, count, end)
	case flags == pageLeaf:
		return t.leaf(page, count, least, end)
	}
	return damaged("page %d is of no kind", number)
}

// page reads a page with what it flows over into.
func (t *tree) page(number uint64) ([]byte, error) {
	page, err := t.read(number, 1)
	if err != nil {
		return nil, err
	}
	over := uint64(binary.NativeEndian.Uint32(page[12:]))
	if binary.NativeEndian.Uint64(page) != number || over >= t.pages-number {
		return nil, damaged("page %d is another", number)
	}
	for i := number; i <= number+over; i++ {
		if i < 2 || t.seen[i] {
			return nil, damaged("page %d is there twice", i)
		}
		t.seen[i] = true
	}
	if over == 0 {
		return page, nil
	}
	return t.read(number, over+1)
}

func (t *tree) read(number, n uint64) ([]byte, error) {
	if number >= t.pages {
		return nil, damaged("there is no page %d", number)
	}
	page := make([]byte, n*t.pageSize)
	_, err := t.r.ReadAt(page, int64(number*t.pageSize))
	return page, err
}

func (t *tree) branch(page []byte, count uint64, end []byte) error {
	keys := make([][]byte, count+1)
	keys[count] = end
	for i := range count {
		at := pageHeader + i*elementSize
		position := at + uint64(binary.NativeEndian.Uint32(page[at:]))
		length := uint64(binary.NativeEndian.Uint32(page[at+4:]))
		if position+length > uint64(len(page)) {
			return damaged("a key is out of its page")
		}
		keys[i] = page[position : position+length]
	}
	for i := range count {
		child := binary.NativeEndian.Uint64(page[pageHeader+i*elementSize+8:])
		if err := t.walk(child, keys[i], keys[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) leaf(page []byte, count uint64, least, end []byte) error {
	for i := range count {
		at := pageHeader + i*elementSize
		flags := binary.NativeEndian.Uint32(page[at:])
		position := at + uint64(binary.NativeEndian.Uint32(page[at+4:]))
		behind := position + uint64(binary.NativeEndian.Uint32(page[at+8:]))
		size := uint64(binary.NativeEndian.Uint32(page[at+12:]))
		if behind+size > uint64(len(page)) || flags > leafBucket {
			return damaged("a value is out of its page")
		}
		key := page[position:behind]
		if order := bytes.Compare(key, least); order < 0 || order == 0 && i > 0 || end != nil && bytes.Compare(key, end) >= 0 {
			return damaged("the keys are not in order")
		}
		least = key
		if flags != leafBucket {
			continue
		}
		if err := t.bucket(page[behind : behind+size]); err != nil {
			return err
		}
	}
	return nil
}

// bucket checks a bucket, which has a page of its own, or is a page itself.
func (t *tree) bucket(value []byte) error {
	if len(value) < bucketSize {
		return damaged("a bucket is cut")
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return t.walk(root, nil, nil)
	}
	inline := value[bucketSize:]
	if len(inline) < pageHeader {
		return damaged("a bucket is cut")
	}
	count := uint64(binary.NativeEndian.Uint16(inline[10:]))
	if binary.NativeEndian.Uint16(inline[8:]) != pageLeaf || pageHeader+count*elementSize > uint64(len(inline)) {
		return damaged("a bucket is of no kind")
	}
	return t.leaf(inline, count, nil, nil)
}
