package browse

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/filelock"
	"github.com/locus-url/locus/internal/wholefile"
	"github.com/locus-url/locus/transfer"
)

type bookmark struct {
	URL   locus.URL `toml:"url"`
	Title string    `toml:"title"`
	Added time.Time `toml:"added"`
}

// bookmarks is a TOML file with a table [[bookmark]] for each bookmark. The user may edit the
// file. Therefore, the methods that add and remove a bookmark preserve the rest of the file.
type bookmarks struct{ path string }

// maxBookmarks is the maximum size of the bookmarks file, in bytes.
const maxBookmarks = 8 << 20

// read returns the bookmarks. If the file does not exist, read returns an empty list.
func (b bookmarks) read() ([]bookmark, error) {
	text, err := b.text()
	if err != nil {
		return nil, err
	}
	return b.parse(text)
}

func (b bookmarks) text() ([]byte, error) {
	if b.path == "" {
		return nil, fmt.Errorf("%w: bookmarks: neither XDG_CONFIG_HOME nor HOME is set", transfer.ErrFile)
	}
	text, err := base.ReadFile(b.path, maxBookmarks)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return []byte(text), err
}

func (b bookmarks) parse(text []byte) ([]bookmark, error) {
	var file struct {
		Bookmark []bookmark `toml:"bookmark"`
	}
	if _, err := toml.NewDecoder(bytes.NewReader(text)).Decode(&file); err != nil {
		return nil, fmt.Errorf("%w: bookmarks: %s: %w", transfer.ErrFile, b.path, err)
	}
	return file.Bookmark, nil
}

// add appends a bookmark, without the password of its URL. It returns false if the URL is
// already bookmarked.
func (b bookmarks) add(u locus.URL, title string, now time.Time) (added bool, err error) {
	u = u.WithoutPassword()
	err = b.change(func(text []byte) ([]byte, error) {
		list, err := b.parse(text)
		if err != nil {
			return nil, err
		}
		for _, old := range list {
			if old.URL == u {
				return text, nil
			}
		}
		added = true
		var entry bytes.Buffer
		if len(text) > 0 {
			entry.WriteString("\n")
		}
		entry.WriteString("[[bookmark]]\n")
		if err := toml.NewEncoder(&entry).Encode(bookmark{u, title, now.UTC().Truncate(time.Second)}); err != nil {
			return nil, err
		}
		if n := len(text); n > 0 && text[n-1] != '\n' {
			text = append(text, '\n')
		}
		return append(text, entry.Bytes()...), nil
	})
	return added, err
}

// remove removes the bookmark at index i, if its URL is still equal to u.
func (b bookmarks) remove(i int, u locus.URL) error {
	return b.change(func(text []byte) ([]byte, error) {
		list, err := b.parse(text)
		if err != nil {
			return nil, err
		}
		if i >= len(list) || list[i].URL != u {
			return nil, errors.New("another program changed the bookmarks file; try again")
		}
		rest := cut(string(text), i)
		if left, err := b.parse([]byte(rest)); err != nil || len(left) != len(list)-1 {
			return nil, fmt.Errorf("unexpected format: remove the bookmark in an editor from %s", b.path)
		}
		return []byte(rest), nil
	})
}

// cut removes the i-th table [[bookmark]] from text.
func cut(text string, i int) string {
	var out strings.Builder
	n, inside := -1, false
	for line := range strings.SplitAfterSeq(text, "\n") {
		if head := strings.TrimSpace(line); strings.HasPrefix(head, "[") {
			if strings.HasPrefix(head, "[[bookmark]]") {
				n++
			}
			inside = n == i && strings.HasPrefix(head, "[[bookmark]]")
		}
		if !inside {
			out.WriteString(line)
		}
	}
	return out.String()
}

// change replaces the content of the file with the result of the function edit.
func (b bookmarks) change(edit func([]byte) ([]byte, error)) error {
	if b.path == "" {
		_, err := b.text()
		return err
	}
	folder := filepath.Dir(b.path)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	lock, err := b.lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	text, err := b.text()
	if err != nil {
		return err
	}
	if text, err = edit(text); err != nil {
		return err
	}
	r, err := wholefile.NewReplacementIn(nil, b.path, filepath.Join(folder, ".bookmarks.new"), 0o600)
	if err != nil {
		return err
	}
	defer r.Discard()
	if _, err := r.Write(text); err != nil {
		return err
	}
	return r.Commit()
}

// lockTime is the maximum time that a change waits for another process to unlock the file.
const lockTime = 10 * time.Second

// lock prevents other processes from changing the file until the caller closes the lock.
func (b bookmarks) lock() (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(filepath.Dir(b.path), ".bookmarks.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		switch err = filelock.Try(lock); {
		case err == nil, errors.Is(err, errors.ErrUnsupported):
			return lock, nil
		case !errors.Is(err, filelock.ErrLocked), time.Since(begun) > lockTime:
			lock.Close()
			return nil, fmt.Errorf("%w: bookmarks: %s: %w", transfer.ErrFile, b.path, err)
		}
	}
}

func (m *model) bookmark() {
	e := m.current()
	u, ok := m.copyable(e.place)
	if !ok {
		return
	}
	added, err := m.marks.add(u, e.safeTitle(), time.Now())
	switch {
	case err != nil:
		m.say(messageOf(err))
	case !added:
		m.say("Already bookmarked")
	default:
		m.say("Bookmarked: " + e.safeTitle())
	}
}

// unmark deletes the selected bookmark.
func (m *model) unmark() {
	e := m.current()
	if e.selected == noLink || e.selected >= len(e.page.marks) {
		m.say("No bookmark is selected; B lists them")
		return
	}
	l := e.page.links[e.selected]
	m.ask(prompt{label: "Delete the bookmark? (y/n) ", done: func(m *model, text string) {
		if text != "y" && text != "yes" {
			return
		}
		if err := m.marks.remove(e.page.marks[e.selected], l.place.url); err != nil {
			m.say(messageOf(err))
			return
		}
		m.reload()
		m.say("Deleted")
	}}, "")
}
