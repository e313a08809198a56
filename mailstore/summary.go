package mailstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/locus-url/locus/internal/store"
)

// Summary describes the content of the index.
type Summary struct {
	Path     string // path of the index
	Size     int64  // size of the index in bytes
	Messages int64  // messages that Find can find, because they have a Message-ID
}

// Summary counts the distinct messages in the index. Summary reads the whole index, but no
// mail. Summary needs 8 bytes of memory per message. Before the first [Store.Refresh], the
// count is 0.
func (s *Store) Summary() (Summary, error) {
	sum := Summary{Path: s.index.Path}
	err := s.index.View(func(tx *bbolt.Tx) (err error) {
		sum.Messages, err = countMessages(tx)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return sum, nil
	}
	if err != nil {
		return sum, fmt.Errorf("mailstore: %w", err)
	}
	info, err := os.Stat(s.index.Path)
	if err != nil {
		return sum, fmt.Errorf("mailstore: %w", err)
	}
	sum.Size = info.Size()
	return sum, nil
}

// countMessages counts the distinct messages in the postings. The index contains a posting for
// each identifier of a message.
func countMessages(tx *bbolt.Tx) (n int64, err error) {
	list, err := containers(tx)
	if err != nil {
		return 0, err
	}
	mbox := map[uint32]bool{} // existing containers; the value is true for an mbox
	for _, c := range list {
		if !c.Dead {
			mbox[c.ID] = c.Kind == kindMbox
		}
	}
	files := tx.Bucket([]byte(bucketFiles))
	messages := map[uint32][]uint64{} // the messages in each container
	err = tx.Bucket([]byte(bucketPlaces)).ForEach(func(_, places []byte) error {
		for octets := range slices.Chunk(places, postingSize) {
			if len(octets) < postingSize {
				return fmt.Errorf("%w: a malformed posting", store.ErrDamaged)
			}
			p := parsePosting(octets)
			isMbox, live := mbox[p.container]
			if live && (isMbox || files.Get(fileKey(p.container, uint32(p.at))) != nil) {
				messages[p.container] = append(messages[p.container], p.at)
			}
		}
		return nil
	})
	for _, at := range messages {
		slices.Sort(at)
		n += int64(len(slices.Compact(at)))
	}
	return n, err
}
