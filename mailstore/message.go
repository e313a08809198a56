package mailstore

import (
	"context"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/locus-url/locus/message"
)

// Message is an open message. ReadAt may be called concurrently, but Read must not. The caller must
// call [Message.Close].
type Message struct {
	Location Location

	// Quoted is the number of lines that begin with ">From " in the mbox. Reading the message
	// returns these lines without the ">". In an mboxo file, the original message may have
	// contained the ">".
	Quoted int

	// Cut reports whether the message is the last message of an mbox and seems to be
	// incomplete.
	Cut bool

	*io.SectionReader // content of the message
	file              *os.File
	info              fs.FileInfo
}

// Incomplete returns the field Cut.
func (m *Message) Incomplete() bool { return m.Cut }

var _ interface {
	fs.File
	io.ReaderAt
} = (*Message)(nil)

// Open opens the message at the location l. Open also finds renamed Maildir messages. Open
// returns an error that wraps [fs.ErrNotExist] if the message is missing or no longer contains
// the Message-ID of l.
func (s *Store) Open(l Location) (*Message, error) {
	m, err := s.open(l)
	if err != nil && l.maildir {
		if l.Path, err = findRenamed(l.Path); err == nil {
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
	m := &Message{Location: l, file: f, info: info}
	if err := s.section(m, info.Size()); err != nil {
		f.Close()
		return nil, fileError(l.Path, err)
	}
	return m, nil
}

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
	m.Cut, m.Quoted = e.Cut, e.Doubtful
	m.SectionReader = e.Open(m.file)
	return mbox.Err()
}

// Close closes the message.
func (m *Message) Close() error { return m.file.Close() }

// Stat returns the size of the message and the name and time of its file.
func (m *Message) Stat() (fs.FileInfo, error) { return messageInfo{m.info, m.Size()}, nil }

// messageInfo is a file's [fs.FileInfo], except that Size returns the size of the message.
type messageInfo struct {
	fs.FileInfo
	size int64
}

func (i messageInfo) Size() int64       { return i.size }
func (i messageInfo) Mode() fs.FileMode { return 0o400 }
func (i messageInfo) Sys() any          { return nil }
