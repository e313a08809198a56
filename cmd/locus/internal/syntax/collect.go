package syntax

import (
	"encoding/binary"
	"strconv"

	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
)

// collector collects pieces of results. It writes each distinct piece only once, adds counts, or
// sorts the pieces.
type collector struct {
	unique, count, sort bool
	group               func(text []byte) string // returns the group of a result; nil without a summary
	grouped             bool                     // the pieces are already groups
	json                func(text []byte) []byte // returns the JSON members that contain the name of a group; nil without a summary
	asJSON              bool
	memory              *base.MemoryFlags

	set    *bulk.Set    // distinct pieces
	groups *bulk.Set    // groups of distinct pieces
	sorter *bulk.Sorter // sorts the output
	hasher bulk.Hasher
	batch  bulk.Batch
	head   [8]byte
	line   []byte
}

func (c *collector) summary() bool { return c.group != nil || c.grouped }

// open creates the sets and the sorter. The parameter room is the memory that they may use, in
// bytes.
func (c *collector) open(room int64, folder string) {
	stages := int64(0)
	for _, has := range []bool{c.unique || c.count || c.summary(), c.unique && c.summary(), c.sort || c.summary()} {
		if has {
			stages++
		}
	}
	share := room / max(stages, 1)
	if c.unique || c.count || c.summary() {
		c.set = bulk.NewSet(bulk.SetOptions{Memory: share, Folder: folder, Count: c.count || c.summary() && !c.unique})
	}
	if c.unique && c.summary() {
		c.groups = bulk.NewSet(bulk.SetOptions{Memory: share, Folder: folder, Count: true})
		c.hasher = bulk.NewHasher()
	}
	if c.sort || c.summary() {
		skip := len(c.head)
		if c.summary() {
			skip = 0 // sort by the count first
		}
		c.sorter = bulk.NewSorter(bulk.SorterOptions{Memory: share, Folder: folder, Skip: skip})
	}
}

func (c *collector) close() {
	if c.set != nil {
		c.set.Close()
	}
	if c.groups != nil {
		c.groups.Close()
	}
	if c.sorter != nil {
		c.sorter.Close()
	}
}

// distinct returns the number of distinct pieces that the collector has received.
func (c *collector) distinct() int64 {
	if c.set == nil {
		return 0
	}
	return c.set.Texts()
}

// add adds the pieces in the batch b. The caller must immediately write each piece that b.New
// marks.
func (c *collector) add(b *bulk.Batch) error {
	if c.set == nil {
		for range b.Keys {
			b.New = append(b.New, true)
		}
	} else if err := c.set.Add(b); err != nil {
		return err
	}
	if c.sorter == nil {
		return nil
	}
	start := 0
	for i, isNew := range b.New {
		if isNew {
			b.New[i] = false
			if err := c.pass(b.Text[start:b.Ends[i]], 1); err != nil {
				return err
			}
		}
		start = b.Ends[i]
	}
	return nil
}

// pass sends a distinct piece from the set to the groups or to the sorter.
func (c *collector) pass(text []byte, count uint64) error {
	if c.groups == nil {
		return c.toSorter(text, count)
	}
	c.batch.Reset()
	c.batch.Text = append(append(c.batch.Text, c.group(text)...), '\n')
	c.batch.Keys = append(c.batch.Keys, c.hasher.Key(c.batch.Text))
	c.batch.Ends = append(c.batch.Ends, len(c.batch.Text))
	return c.groups.Add(&c.batch)
}

func (c *collector) toSorter(text []byte, count uint64) error {
	if c.summary() {
		count = ^count // sort by descending count
	}
	binary.BigEndian.PutUint64(c.head[:], count)
	return c.sorter.Add(c.head[:], text)
}

// finish writes all pieces that the collector has not yet written.
func (c *collector) finish(a *base.App) error {
	write := func(text []byte, count uint64) error { return c.write(a, text, count) }
	rest := write
	if c.sorter != nil {
		rest = c.pass
	}
	if c.set != nil {
		if err := c.set.Rest(a.Context, rest); err != nil {
			return err
		}
	}
	if c.groups != nil {
		if err := c.groups.Rest(a.Context, c.toSorter); err != nil {
			return err
		}
	}
	if c.sorter == nil {
		return nil
	}
	return c.sorter.Sorted(a.Context, func(record []byte) error {
		count := binary.BigEndian.Uint64(record)
		if c.summary() {
			count = ^count
		}
		return write(record[len(c.head):], count)
	})
}

// write writes a piece and, if required, its count.
func (c *collector) write(a *base.App, text []byte, count uint64) error {
	b := c.line[:0]
	switch {
	case c.summary() && c.asJSON:
		b = append(b, '{')
		b = append(append(b, c.json(text[:len(text)-1])...), `,"count":`...)
		b = append(strconv.AppendUint(b, count, 10), "}\n"...)
	case c.count && c.asJSON:
		b = strconv.AppendUint(append(b, `{"count":`...), count, 10)
		b = append(append(b, ','), text[1:]...)
	case c.summary():
		b = append(strconv.AppendUint(b, count, 10), '\t')
		b = append(append(b, term.Text(string(text[:len(text)-1]))...), '\n')
	case c.count:
		b = append(strconv.AppendUint(b, count, 10), '\t')
		b = append(b, text...)
	default:
		b = append(b, text...)
	}
	c.line = b
	a.Out.Write(b)
	if a.OutputFailed() {
		return errOutput
	}
	return nil
}
