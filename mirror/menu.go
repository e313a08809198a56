package mirror

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

const (
	maxItems = 1 << 20
	// itemsType is the media type of a stored menu whose scheme has no format for menus. Each
	// line of the file contains one item as a JSON object.
	itemsType = "application/x-ndjson"
	// maxAlike is the maximum number of menus above a menu that may have the same content.
	// More such menus indicate a loop.
	maxAlike = 2
)

type itemLine struct {
	URL      string          `json:"url,omitempty"`
	Title    string          `json:"title"`
	Kind     scheme.ItemKind `json:"kind"`
	Type     string          `json:"type,omitempty"`
	Size     *int64          `json:"size,omitempty"`
	Modified time.Time       `json:"modified,omitzero"`
	Note     string          `json:"note,omitempty"`
}

// menu stores a menu and reads its links.
func (c *crawler) menu(j *job, p prior, res *access.Result, m *scheme.Menu, o *outcome) {
	traits := c.registry.Scheme(j.url).Traits
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	sum := fnv.New64a()
	items := 0
	for item, err := range m.Items {
		if items++; err == nil && items > maxItems {
			err = fmt.Errorf("%w: the menu has more than %d items", scheme.ErrTooLarge, maxItems)
		}
		if err != nil {
			o.err, o.partial = err, true
			break
		}
		hashItem(sum, &item)
		if m.Source == nil {
			encodeItem(encoder, &item)
		}
		if l, ok := c.itemLink(j, &item, res.LinkOrigin); ok {
			o.links = append(o.links, l)
		}
	}
	if traits.Has(scheme.Directories) && items > 0 {
		c.noteAbove(j, sum.Sum64(), o)
	}
	if o.partial {
		return
	}
	octets, mediaType := lines.Bytes(), itemsType
	if m.Source != nil {
		octets, mediaType = m.Source()
	}
	m.Close()
	o.release()
	r := Record{Type: bounded(mediaType), Menu: true, Private: res.LinkOrigin == policy.FromPrivate}
	c.describe(&r, j)
	if err := c.place(&r, j, p, true, mediaType); err != nil {
		o.err = err
		return
	}
	c.keepOctets(p, &r, octets, o)
}

// itemLink returns the job for an item of j's menu.
func (c *crawler) itemLink(j *job, item *scheme.Item, origin policy.Origin) (l job, ok bool) {
	switch item.Kind {
	case scheme.KindObject, scheme.KindMenu, scheme.KindUnknown:
	default:
		return l, false
	}
	if item.URL.IsZero() {
		return l, false
	}
	if item.Kind == scheme.KindObject && !item.ModTime.IsZero() && item.ModTime.Before(c.o.Newer) {
		return l, false
	}
	kind := item.Kind
	if kind == "" {
		kind = scheme.KindUnknown
	}
	if l, ok = c.link(j, item.URL, kind, origin, false); !ok {
		return l, false
	}
	l.InMenu = true
	if kind == scheme.KindObject && item.Size >= 0 && !item.ModTime.IsZero() {
		l.Listed = &Stamp{item.Size, item.ModTime.UTC()}
	}
	return l, true
}

// noteAbove detects a loop of symbolic links. If a directory equals several directories above
// it, noteAbove drops the links of the directory. Otherwise, noteAbove adds the directory's
// hash to the jobs for these links.
func (c *crawler) noteAbove(j *job, hash uint64, o *outcome) {
	alike := 0
	for _, above := range j.Above {
		if above == hash {
			alike++
		}
	}
	if alike >= maxAlike {
		o.links, o.loop = nil, true
		return
	}
	above := append(slices.Clip(j.Above), hash)
	for i := range o.links {
		if o.links[i].Kind != scheme.KindObject {
			o.links[i].Above = above
		}
	}
}

// hashItem hashes the properties of an item that do not depend on its directory's path.
func hashItem(w interface{ Write([]byte) (int, error) }, item *scheme.Item) {
	var numbers [16]byte
	binary.LittleEndian.PutUint64(numbers[:], uint64(item.Size))
	binary.LittleEndian.PutUint64(numbers[8:], uint64(item.ModTime.Unix()))
	w.Write([]byte(item.Title + "\x00" + string(item.Kind)))
	w.Write(numbers[:])
}

func encodeItem(e *json.Encoder, item *scheme.Item) {
	line := itemLine{Title: charset.Text(item.Title), Kind: item.Kind, Type: item.Type, Modified: item.ModTime, Note: charset.Text(item.Note)}
	if !item.URL.IsZero() {
		line.URL = item.URL.WithoutPassword().Shown()
	}
	if item.Size >= 0 {
		line.Size = &item.Size
	}
	_ = e.Encode(line) // can't fail, because it writes to memory
}

// decodeItems decodes the output of encodeItem.
func decodeItems(octets []byte) (items []scheme.Item, err error) {
	d := json.NewDecoder(bytes.NewReader(octets))
	for d.More() {
		var line itemLine
		if err := d.Decode(&line); err != nil {
			return items, err
		}
		item := scheme.Item{Title: line.Title, Kind: line.Kind, Type: line.Type, Size: -1, ModTime: line.Modified, Note: line.Note}
		if line.Size != nil {
			item.Size = *line.Size
		}
		if line.URL != "" {
			if item.URL, err = locus.Parse(line.URL); err != nil {
				return items, err
			}
		}
		items = append(items, item)
	}
	return items, nil
}
