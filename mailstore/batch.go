package mailstore

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"slices"
)

// fullBatch is how many changes are written at once. Each time, about all of the
// places are written again: so there are not to be many times.
const fullBatch = 1 << 17

// batch is what is to be written into the index at once: what was found, and how
// far, so that neither is there without the other.
type batch struct {
	places     []place
	files      []fileEntry
	gone       []fileEntry // the name and the rest don't matter
	containers map[*container]bool
}

type fileEntry struct {
	container, number uint32
	file              file
}

func (b *batch) size() int { return len(b.places) + len(b.files) + len(b.gone) }

func (b *batch) empty() bool { return b.size() == 0 && len(b.containers) == 0 }

// note has c written as it is when the batch is.
func (b *batch) note(c *container) {
	if b.containers == nil {
		b.containers = map[*container]bool{}
	}
	b.containers[c] = true
}

// addFile adds a file and its places.
func (b *batch) addFile(c *container, f file) {
	c.Last++
	b.files = append(b.files, fileEntry{c.ID, c.Last, f})
	for _, id := range f.ids {
		b.places = append(b.places, place{id, c.ID, uint64(c.Last)})
	}
	b.note(c)
}

// write writes the batch and leaves it empty.
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
	if err := merge(w, b.places, gone); err != nil {
		return err
	}
	*b = batch{places: b.places[:0], files: b.files[:0], gone: b.gone[:0]}
	return nil
}

// removeFiles removes the files that are gone, and returns their places.
func (b *batch) removeFiles(w writer) (list []place, err error) {
	for _, g := range b.gone {
		key := fileKey(g.container, g.number)
		value := w.tx.Bucket([]byte(bucketFiles)).Get(key)
		if value == nil {
			continue
		}
		f, err := fileOf(value)
		if err != nil {
			return nil, err
		}
		for _, id := range f.ids {
			list = append(list, place{id, g.container, uint64(g.number)})
		}
		if err := w.remove(bucketFiles, key); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// merge adds places to those that are there and removes others, one partition
// after the other.
func merge(w writer, added, gone []place) error {
	sortPlaces(added)
	sortPlaces(gone)
	var add, remove []byte
	for len(added) > 0 || len(gone) > 0 {
		var partition [2]byte
		if len(gone) == 0 || len(added) > 0 && added[0].id>>48 <= gone[0].id>>48 {
			partition = added[0].partition()
		} else {
			partition = gone[0].partition()
		}
		add, added = take(add[:0], added, partition)
		remove, gone = take(remove[:0], gone, partition)
		old := w.tx.Bucket([]byte(bucketPlaces)).Get(partition[:])
		if err := w.putPlaces(partition, mergeSorted(old, add, remove)); err != nil {
			return err
		}
	}
	return nil
}

func sortPlaces(list []place) {
	slices.SortFunc(list, func(x, y place) int {
		return cmp.Or(cmp.Compare(x.id, y.id), cmp.Compare(x.container, y.container), cmp.Compare(x.at, y.at))
	})
}

// take appends the places of a partition to dst as they are written, and returns
// the rest of the list, which begins with them.
func take(dst []byte, list []place, partition [2]byte) (places []byte, rest []place) {
	for len(list) > 0 && list[0].partition() == partition {
		dst = list[0].appendTo(dst)
		list = list[1:]
	}
	return dst, list
}

// mergeSorted returns the places of old and added, less those of gone, in order and
// each once. Each of them is in order.
func mergeSorted(old, added, gone []byte) (text []byte) {
	text = make([]byte, 0, len(old)+len(added))
	for len(old) >= placeSize || len(added) > 0 {
		from := &added
		if len(added) == 0 || len(old) >= placeSize && bytes.Compare(old[:placeSize], added[:placeSize]) <= 0 {
			from = &old
		}
		next := (*from)[:placeSize]
		*from = (*from)[placeSize:]
		for len(gone) > 0 && bytes.Compare(gone[:placeSize], next) < 0 {
			gone = gone[placeSize:]
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

// sweep removes the containers that are dead, with all that is in the index of
// them.
func sweep(w writer) error {
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
		if err := sweepFiles(w, c.ID); err != nil {
			return err
		}
		if err := w.remove(bucketContainers, key32(c.ID)); err != nil {
			return err
		}
	}
	return sweepPlaces(w, dead)
}

func sweepFiles(w writer, container uint32) error {
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

func sweepPlaces(w writer, dead map[uint32]bool) error {
	for n := range 1 << 16 {
		partition := [2]byte(binary.BigEndian.AppendUint16(nil, uint16(n)))
		old := w.tx.Bucket([]byte(bucketPlaces)).Get(partition[:])
		kept := make([]byte, 0, len(old))
		for at := 0; at+placeSize <= len(old); at += placeSize {
			if text := old[at:][:placeSize]; !dead[placeOf(text).container] {
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
