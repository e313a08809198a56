package tour

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/locus-url/locus/escape"
)

//go:embed museum
var embedded embed.FS

// exhibits are the texts of the tour: templates in which addresses are filled in.
var exhibits, _ = fs.Sub(embedded, "museum") // fails only for an invalid path

// read returns an exhibit, with the addresses filled in.
func (m *Museum) read(name string) ([]byte, error) {
	octets, err := fs.ReadFile(exhibits, name)
	if err != nil {
		return nil, err
	}
	return m.execute(name, octets, m.base)
}

// quote returns an exhibit as a string of JSON.
func (m *Museum) quote(name string) (string, error) {
	octets, err := m.read(name)
	if err != nil {
		return "", err
	}
	quoted, err := json.Marshal(string(octets))
	return string(quoted), err
}

func (m *Museum) readJSON(name string, v any) error {
	octets, err := m.read(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(octets, v)
}

// contents returns a text, a picture or a sound; none for an empty name.
func (m *Museum) contents(name string) (string, error) {
	octets, ok := m.made[name]
	if ok || name == "" {
		return string(octets), nil
	}
	octets, err := m.read(name)
	return string(octets), err
}

// readAll returns the exhibits whose names match pattern, sorted by name.
func (m *Museum) readAll(pattern string) (list []exhibit, err error) {
	names, err := fs.Glob(exhibits, pattern)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		octets, err := m.read(name)
		if err != nil {
			return nil, err
		}
		title, _, _ := strings.Cut(string(octets), "\n")
		list = append(list, exhibit{name, title, string(octets)})
	}
	return list, nil
}

// exhibit is a text. Its title is its first line.
type exhibit struct{ name, title, text string }

func (m *Museum) execute(name string, text []byte, data any) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"base64":   func(name string) (string, error) { return m.encode(name, toBase64) },
		"text":     m.quote,
		"uuencode": func(name string) (string, error) { return m.encode(name, toUU) },
	}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.Bytes(), err
}

// encode returns a picture or a sound as text, for a message.
func (m *Museum) encode(name string, encode func([]byte) string) (string, error) {
	octets, ok := m.made[name]
	if !ok {
		return "", fmt.Errorf("unknown picture or sound %q", name)
	}
	return encode(octets), nil
}

func toBase64(octets []byte) string {
	const line = 57 // octets, which become 76 characters
	var lines []string
	for chunk := range slices.Chunk(octets, line) {
		lines = append(lines, base64.StdEncoding.EncodeToString(chunk))
	}
	return strings.Join(lines, "\n")
}

// toUU returns octets as uuencode writes them, between its first and last lines.
func toUU(octets []byte) string {
	const line = 45 // octets, the most that the length character can express
	var b strings.Builder
	for chunk := range slices.Chunk(octets, line) {
		b.WriteByte(uuAlphabet[len(chunk)])
		padded := append(slices.Clone(chunk), 0, 0)
		b.WriteString(uuEncoding.EncodeToString(padded[:(len(chunk)+2)/3*3]) + "\n")
	}
	return b.String() + uuAlphabet[:1]
}

const uuAlphabet = "`!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_"

var uuEncoding = base64.NewEncoding(uuAlphabet).WithPadding(base64.NoPadding)

// dated returns the date of a file: the year that it tells about, or else the date of
// RFC 1738.
func dated(name string) time.Time {
	switch path.Base(name) {
	case "1971.txt":
		return time.Date(1971, time.April, 10, 12, 0, 0, 0, time.UTC)
	case "1985.txt":
		return time.Date(1985, time.October, 1, 12, 0, 0, 0, time.UTC)
	}
	return time.Date(1994, time.December, 1, 12, 0, 0, 0, time.UTC)
}

// oddName is a name that a URL must encode.
const oddName = "pub/names/100% of #1.txt"

// writeFiles writes the files that FTP, HTTP and file URLs show.
func (m *Museum) writeFiles() (err error) {
	if m.dir, err = os.MkdirTemp("", "locus-tour-"); err != nil {
		return err
	}
	// On Windows the path begins with a drive and needs a "/" before it.
	root := filepath.ToSlash(m.filesDir())
	if root[0] != '/' {
		root = "/" + root
	}
	m.base["file"] = "file://" + escape.Encode(root, escape.Fsegment().With("/"))
	if m.made, err = makeExhibits(); err != nil {
		return err
	}
	files := map[string][]byte{}
	err = fs.WalkDir(exhibits, "files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[strings.TrimPrefix(name, "files/")], err = m.read(name)
		return err
	})
	if err != nil {
		return err
	}
	for name, octets := range m.made {
		files["pub/"+name] = octets
	}
	if files[oddName], err = m.read("names.txt"); err != nil {
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
	date := dated(filepath.ToSlash(name))
	return os.Chtimes(name, date, date)
}

func (m *Museum) files() fs.FS { return os.DirFS(m.filesDir()) }
