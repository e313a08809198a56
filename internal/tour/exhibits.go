package tour

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"

	"github.com/locus-url/locus/escape"
)

//go:embed museum
var embedded embed.FS

// exhibits holds the exhibits, which are the content of the servers. Text exhibits are templates
// that contain the server addresses as variables.
var exhibits, _ = fs.Sub(embedded, "museum") // fails only for an invalid path

// readExhibit returns an exhibit. If the exhibit is text, read executes it as a template, which
// inserts the server addresses.
func (m *Demo) readExhibit(name string) ([]byte, error) {
	octets, err := fs.ReadFile(exhibits, name)
	if err != nil || !utf8.Valid(octets) {
		return octets, err
	}
	return m.execute(name, octets, m.base)
}

// exhibitJSON returns an exhibit as a JSON string. The method octets returns an exhibit as the JSON
// encoding of a []byte.
func (m *Demo) exhibitJSON(name string) (string, error) {
	octets, err := m.readExhibit(name)
	return toJSON(string(octets), err)
}

func (m *Demo) octets(name string) (string, error) { return toJSON(m.readExhibit(name)) }

func toJSON[T string | []byte](v T, err error) (string, error) {
	if err != nil {
		return "", err
	}
	quoted, err := json.Marshal(v)
	return string(quoted), err
}

func (m *Demo) readJSON(name string, v any) error {
	octets, err := m.readExhibit(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(octets, v)
}

func (m *Demo) execute(name string, text []byte, data any) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"text": m.exhibitJSON, "octets": m.octets, "heading": Stop.Heading,
		"html":    func(v any) string { return html.EscapeString(fmt.Sprint(v)) },
		"isWhole": func(s Stop) bool { return s.From.IsZero() }, // the URL can be opened outside a document
	}).Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var b bytes.Buffer
	if err = t.Execute(&b, data); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return b.Bytes(), err
}

// fileDate returns the modification date of a file. For files about an event, the date is in the
// year of the event. Otherwise it is the date of RFC 1738.
func fileDate(name string) time.Time {
	switch path.Base(name) {
	case "1971.txt":
		return time.Date(1971, time.April, 10, 12, 0, 0, 0, time.UTC)
	case "1985.txt":
		return time.Date(1985, time.October, 1, 12, 0, 0, 0, time.UTC)
	}
	return time.Date(1994, time.December, 1, 12, 0, 0, 0, time.UTC)
}

// oddName is a file name that must be escaped in a URL.
const oddName = "pub/names/100% of #1.txt"

// writeFiles writes the files that the tour's FTP, HTTP and file URLs name.
func (m *Demo) writeFiles() (err error) {
	if m.dir, err = os.MkdirTemp("", "locus-tour-"); err != nil {
		return err
	}
	// On Windows the path begins with a drive and needs a "/" before it.
	root := filepath.ToSlash(m.filesDir())
	if root[0] != '/' {
		root = "/" + root
	}
	m.base["file"] = "file://" + escape.Encode(root, escape.Fsegment().With("/"))
	files := map[string][]byte{}
	err = fs.WalkDir(exhibits, "files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[strings.TrimPrefix(name, "files/")], err = m.readExhibit(name)
		return err
	})
	if err != nil {
		return err
	}
	if files[oddName], err = m.readExhibit("names.txt"); err != nil {
		return err
	}
	if files["pub/archives/history.zip"], err = archive(files, "pub/history/"); err != nil {
		return err
	}
	files["INDEX"] = index(files)
	for name, octets := range files {
		if err := writeFile(filepath.Join(m.filesDir(), filepath.FromSlash(name)), octets); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(name string, octets []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name, octets, 0o644); err != nil {
		return err
	}
	date := fileDate(filepath.ToSlash(name))
	return os.Chtimes(name, date, date)
}

func (m *Demo) files() fs.FS { return os.DirFS(m.filesDir()) }
