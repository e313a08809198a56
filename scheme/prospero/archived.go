package prospero

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// A menu may need several replies. One reply describes the directory, one reply contains its
// links, and further replies contain the links in the directories of union links. In the archived
// bytes of a menu, a NUL follows each reply, because no text of the protocol contains a NUL. An
// empty text means that a reply did not arrive. The text noReply means that the client rejected a
// reply.
const (
	replyEnd = 0
	noReply  = "ERROR the reply is not in the archive"
)

// archiveReply adds a reply to the archived bytes of the menu. If err is not nil, the archived
// bytes show that the reply is missing or was rejected.
func (f *fetcher) archiveReply(reply []byte, err error) {
	if f.source == nil {
		return
	}
	if err != nil {
		reply = nil
		if !errors.Is(err, scheme.ErrUnreachable) {
			reply = []byte(noReply)
		}
	} else if len(reply) == 0 || bytes.IndexByte(reply, replyEnd) >= 0 {
		reply = []byte(noReply)
	}
	f.source.Write(append(bytes.Clone(reply), replyEnd))
}

// archivedReplies holds archived replies, in the order of the requests.
type archivedReplies struct{ unread []byte }

// nextReply returns the next reply in the archive.
func (k *archivedReplies) nextReply() ([]byte, error) {
	reply, rest, _ := bytes.Cut(k.unread, []byte{replyEnd})
	k.unread = rest
	if len(reply) == 0 {
		return nil, fmt.Errorf("%w: the server's reply is not in the archive", scheme.ErrUnreachable)
	}
	return reply, nil
}

// maxArchived is the maximum number of archived bytes of a menu.
const maxArchived = 64 << 20

// readArchived implements Access.Archived. The archived bytes, unlike the URL, show whether the
// resource is a directory or an object. The bytes of a menu begin with a protocol line and end
// with a NUL.
func (c *Client) readArchived(u locus.URL, mediaType string, body io.ReadCloser) (scheme.Resource, error) {
	x, err := Parse(u)
	var l location
	if err == nil {
		l, err = x.location()
	}
	if err != nil {
		body.Close()
		return nil, err
	}
	in := bufio.NewReaderSize(body, media.Head)
	head, _ := in.Peek(media.Head)
	var rest io.Reader = in
	if isReply(head) {
		octets, err := io.ReadAll(io.LimitReader(in, maxArchived))
		if err == nil && octets[len(octets)-1] == replyEnd {
			body.Close()
			f := &fetcher{client: c, ctx: context.Background(), req: &scheme.Request{URL: u}, url: x, location: l, archived: &archivedReplies{octets}}
			res, err := f.openObject()
			if err != nil {
				return nil, f.wrapError(err)
			}
			return res, nil
		}
		rest = io.MultiReader(bytes.NewReader(octets), &failingReader{in, err})
	}
	name := l.hsoname[strings.LastIndexByte(l.hsoname, '/')+1:]
	if mediaType == "" {
		mediaType = media.Guess(name, head)
	}
	return archived.Object(scheme.Object{URL: u, Name: name, Type: mediaType}, struct {
		io.Reader
		io.Closer
	}{rest, body}), nil
}

// failingReader is a reader that fails with the error err. If err is nil, failingReader reads from
// its underlying reader.
type failingReader struct {
	io.Reader
	err error
}

func (r *failingReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	return r.Reader.Read(p)
}

// firstWords lists the words with which a reply can begin.
var firstWords = []string{"ATTRIBUTE", "AUTHENTICATED", "FAILURE", "FORWARDED", "ID", "LINK", "LINK-INFO", "NONE-FOUND",
	"PARAMETER", "SUCCESS", "UNRESOLVED", "VERSION", "WARNING", wordError, wordVersion}

// isReply reports whether the octets in head look like the beginning of a reply.
func isReply(head []byte) bool {
	end := bytes.IndexFunc(head, func(r rune) bool { return r != '-' && (r < 'A' || r > 'Z') })
	return end > 0 && slices.Contains(firstWords, string(head[:end]))
}
