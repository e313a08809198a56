package mailstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"go.etcd.io/bbolt"
)

// Summary tells what the index knows.
type Summary struct {
	Path     string // of the index
	Size     int64  // of the index, in octets
	Messages int64  // how many can be found: those that have a Message-Id
}

// Summary counts the messages that the index knows. It reads all of the index, and
// none of the mail. Before the first [Store.Refresh] there are none.
func (s *Store) Summary() (Summary, error) {
	sum := Summary{Path: s.index.path}
	err := s.index.view(func(tx *bbolt.Tx) (err error) {
		sum.Messages, err = count(tx)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return sum, nil
	}
	if err != nil {
		return sum, fmt.Errorf("mailstore: %w", err)
	}
	info, err := os.Stat(s.index.path)
	if err != nil {
		return sum, fmt.Errorf("mailstore: %w", err)
	}
	sum.Size = info.Size()
	return sum, nil
}

// count counts the places that lead to a message still.
func count(tx *bbolt.Tx) (n int64, err error) {
	list, err := containers(tx)
	if err != nil {
		return 0, err
	}
	mbox := map[uint32]bool{} // the containers that are there; true: it is one
	for _, c := range list {
		if !c.Dead {
			mbox[c.ID] = c.Kind == kindMbox
		}
	}
	files := tx.Bucket(bucketFiles)
	err = tx.Bucket(bucketPlaces).ForEach(func(_, places []byte) error {
		for octets := range slices.Chunk(places, placeSize) {
			if len(octets) < placeSize {
				return fmt.Errorf("%w: a place can't be read", errDamaged)
			}
			p := placeOf(octets)
			isMbox, live := mbox[p.container]
			if live && (isMbox || files.Get(fileKey(p.container, uint32(p.at))) != nil) {
				n++
			}
		}
		return nil
	})
	return n, err
}
