package mailstore

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/locus-url/locus/message"
)

// Message is a message that is open: a run of octets that can be read anywhere.
// ReadAt may be used from many goroutines at once, Read may not.
type Message struct {
	Location Location

	// Quoted is how many lines were ">From " in an mbox, and are read as "From ", or
	// left with [Options].KeepQuotes. In an mbox of the first kind (mboxo) they may
	// have been what they are before they came there.
	Quoted int

	// Cut: it is the last message of an mbox, which ends in the middle of it, as far
	// as can be told.
	Cut bool

	*io.SectionReader // the octets of the message
	file              *os.File
	changed           time.Time
}

// Incomplete returns Cut.
func (m *Message) Incomplete() bool { return m.Cut }

var _ interface {
	fs.File
	io.ReaderAt
} = (*Message)(nil)

// Open opens the message at l, which still has the identifier that it was found by;
// if it hasn't, or is gone, the error is fs.ErrNotExist. A message of a Maildir may
// have another name by now.
func (s *Store) Open(l Location) (*Message, error) {
	m, err := s.open(l)
	if err != nil && l.maildir {
		if l.Path, err = renamed(l.Path); err == nil {
			m, err = s.open(l)
		}
	}
	return m, err
}

func (s *Store) open(l Location) (*Message, error) {
	f, info, err := openFile(l.Path)
	if err != nil {
		return nil, err
	}
	m := &Message{Location: l, file: f, changed: info.ModTime()}
	if err := s.section(m, info.Size()); err != nil {
		f.Close()
		return nil, about(l.Path, err)
	}
	return m, nil
}

// section finds out which octets of the file are those of the message.
func (s *Store) section(m *Message, size int64) error {
	l, all := m.Location, section(context.Background(), m.file, m.Location.Offset, size)
	ids, start, err := message.ReadIDs(all, l.Mbox)
	switch {
	case err != nil:
		return err
	case !slices.Contains(ids, l.MessageID), l.Mbox && start == 0:
		return fs.ErrNotExist
	case !l.Mbox:
		m.SectionReader = io.NewSectionReader(m.file, start, size-start)
		return nil
	}
	mbox := message.NewMbox(section(context.Background(), m.file, l.Offset, size))
	mbox.Quotes = true
	mbox.Next()
	e := mbox.End()
	if s.keepQuotes {
		e.Quotes = nil
	}
	m.Cut, m.Quoted = e.Cut, e.Doubtful
	m.SectionReader = e.Open(m.file)
	return mbox.Err()
}

// Close closes the message.
func (m *Message) Close() error { return m.file.Close() }

// Stat returns the size of the message, the name of its file and when that was
// changed.
func (m *Message) Stat() (fs.FileInfo, error) { return messageInfo{m}, nil }

type messageInfo struct{ m *Message }

func (i messageInfo) Name() string       { return filepath.Base(i.m.Location.Path) }
func (i messageInfo) Size() int64        { return i.m.Size() }
func (i messageInfo) Mode() fs.FileMode  { return 0o400 }
func (i messageInfo) ModTime() time.Time { return i.m.changed }
func (i messageInfo) IsDir() bool        { return false }
func (i messageInfo) Sys() any           { return nil }
