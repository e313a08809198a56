package mailstore

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"slices"
)

// batchSize is the number of changes in one transaction. batchSize is large because each
// transaction rewrites nearly all postings.
const batchSize = 1 << 17

// batch holds the changes of one transaction, which are new messages and the state of the
// containers.
type batch struct {
	postings   []posting
	files      []fileEntry
	gone       []fileEntry // missing files, of which only the numbers are used
	containers map[*container]bool
}

type fileEntry struct {
	container, number uint32
	file              file
}

func (b *batch) size() int { return len(b.postings) + len(b.files) + len(b.gone) }

func (b *batch) empty() bool { return b.size() == 0 && len(b.containers) == 0 }

// noteContainer adds the container c to the batch.
func (b *batch) noteContainer(c *container) {
	if b.containers == nil {
		b.containers = map[*container]bool{}
	}
	b.containers[c] = true
}

func (b *batch) addFile(c *container, f file) {
	c.Last++
	b.files = append(b.files, fileEntry{c.ID, c.Last, f})
	for _, id := range f.ids {
		b.postings = append(b.postings, posting{id, c.ID, uint64(c.Last)})
	}
	b.noteContainer(c)
}

func (b *batch) write(w writer) error {
	gone, err := b.removeFiles(w)
	if err != nil {
		return err
	}
	slices.SortFunc(b.files, func(x, y fileEntry) int {
		return cmp.Or(cmp.Compare(x.container, y.container), cmp.Compare(x.number, y.number))
	})
	for _, f := range b.files {
		if err := w.put(bucketFiles, fileKey(f.container, f.number), f.file.append(nil)); err != nil {
			return err
		}
	}
	for c := range b.containers {
		value, err := json.Marshal(c)
		if err == nil {
			err = w.put(bucketContainers, key32(c.ID), value)
		}
		if err != nil {
			return err
		}
	}
	if err := mergePostings(w, b.postings, gone); err != nil {
		return err
	}
	*b = batch{postings: b.postings[:0], files: b.files[:0], gone: b.gone[:0]}
	return nil
}

// removeFiles removes missing files from the index, and returns the postings of these files.
func (b *batch) removeFiles(w writer) (list []posting, err error) {
	for _, g := range b.gone {
		key := fileKey(g.container, g.number)
		value := w.tx.Bucket([]byte(bucketFiles)).Get(key)
		if value == nil {
			continue
		}
		f, err := parseFile(value)
		if err != nil {
			return nil, err
		}
		for _, id := range f.ids {
			list = append(list, posting{id, g.container, uint64(g.number)})
		}
		if err := w.remove(bucketFiles, key); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// mergePostings adds and removes postings, one partition after another.
func mergePostings(w writer, added, gone []posting) error {
	sortPostings(added)
	sortPostings(gone)
	var add, remove []byte
	for len(added) > 0 || len(gone) > 0 {
		var partition [2]byte
		if len(gone) == 0 || len(added) > 0 && added[0].id>>48 <= gone[0].id>>48 {
			partition = added[0].partition()
		} else {
			partition = gone[0].partition()
		}
		add, added = takePartition(add[:0], added, partition)
		remove, gone = takePartition(remove[:0], gone, partition)
		old := w.tx.Bucket([]byte(bucketPlaces)).Get(partition[:])
		if err := w.putPlaces(partition, mergeSorted(old, add, remove)); err != nil {
			return err
		}
	}
	return nil
}

func sortPostings(list []posting) {
	slices.SortFunc(list, func(x, y posting) int {
		return cmp.Or(cmp.Compare(x.id, y.id), cmp.Compare(x.container, y.container), cmp.Compare(x.at, y.at))
	})
}

// takePartition encodes the postings of a partition, which must be at the start of list, and
// appends them to dst. takePartition also returns the remaining postings of list.
func takePartition(dst []byte, list []posting, partition [2]byte) (places []byte, rest []posting) {
	for len(list) > 0 && list[0].partition() == partition {
		dst = list[0].appendTo(dst)
		list = list[1:]
	}
	return dst, list
}

// mergeSorted merges the postings in existing and added, and removes duplicates and the postings
// in gone. The arguments and the result are sorted.
func mergeSorted(existing, added, gone []byte) (text []byte) {
	text = make([]byte, 0, len(existing)+len(added))
	for len(existing) >= postingSize || len(added) > 0 {
		from := &added
		if len(added) == 0 || len(existing) >= postingSize && bytes.Compare(existing[:postingSize], added[:postingSize]) <= 0 {
			from = &existing
		}
		next := (*from)[:postingSize]
		*from = (*from)[postingSize:]
		for len(gone) > 0 && bytes.Compare(gone[:postingSize], next) < 0 {
			gone = gone[postingSize:]
		}
		if !bytes.HasSuffix(text, next) && !bytes.HasPrefix(gone, next) {
			text = append(text, next...)
		}
	}
	return text
}

func (w writer) putPlaces(partition [2]byte, places []byte) error {
	if len(places) == 0 {
		return w.remove(bucketPlaces, partition[:])
	}
	return w.put(bucketPlaces, partition[:], places)
}

func deleteDead(w writer) error {
	list, err := containers(w.tx)
	if err != nil {
		return err
	}
	dead := map[uint32]bool{}
	for _, c := range list {
		if !c.Dead {
			continue
		}
		dead[c.ID] = true
		if err := deleteFiles(w, c.ID); err != nil {
			return err
		}
		if err := w.remove(bucketContainers, key32(c.ID)); err != nil {
			return err
		}
	}
	return deletePostings(w, dead)
}

func deleteFiles(w writer, container uint32) error {
	prefix := key32(container)
	cursor := w.tx.Bucket([]byte(bucketFiles)).Cursor()
	var keys [][]byte
	for key, _ := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		keys = append(keys, key)
	}
	for _, key := range keys {
		if err := w.remove(bucketFiles, key); err != nil {
			return err
		}
	}
	return nil
}

func deletePostings(w writer, dead map[uint32]bool) error {
	for n := range 1 << 16 {
		partition := [2]byte(binary.BigEndian.AppendUint16(nil, uint16(n)))
		old := w.tx.Bucket([]byte(bucketPlaces)).Get(partition[:])
		kept := make([]byte, 0, len(old))
		for at := 0; at+postingSize <= len(old); at += postingSize {
			if text := old[at:][:postingSize]; !dead[parsePosting(text).container] {
				kept = append(kept, text...)
			}
		}
		if len(kept) == len(old) {
			continue
		}
		if err := w.putPlaces(partition, kept); err != nil {
			return err
		}
	}
	return nil
}
