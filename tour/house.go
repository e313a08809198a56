package tour

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/certtest"
)

// house is what the rooms have in common. Where each server will be is known before
// any of them runs, so that every text can lead to every room.
type house struct {
	exhibits fs.FS
	made     map[string][]byte // pictures and the like, by name: "pictures/at.png"

	tcp   map[string]net.Listener // by the names of addresses
	udp   net.PacketConn
	doors doors
	// base is what URLs of a room begin with, by a name: "ftp" is "ftp://127.0.0.1:34121".
	base map[string]string

	server, client *tls.Config // client trusts server and nobody else
	dir            string      // where files are laid out

	open  chan struct{} // closed when rooms are all there
	begin func()        // closes it; the first time
	rooms []Room
}

// addresses are the servers by TCP, and what URLs of each begin with.
var addresses = []struct{ name, prefix string }{
	{"ftp", "ftp://"}, {"http", "http://"}, {"gopher", "gopher://"}, {"phone", "gopher://"}, {"nntp", "nntp://"},
	{"telnet", "telnet://"}, {"desk", "telnet://guest@"}, {"rlogin", "rlogin://guest@"}, {"tn3270", "tn3270://"}, {"wais", "wais://"},
	{"ftps", "ftps://"}, {"https", "https://"}, {"gophers", "gophers://"}, {"nntps", "nntps://"},
}

// newHouse opens the ports, and lays the files out.
func newHouse(exhibits fs.FS) (*house, error) {
	h := &house{exhibits: exhibits, tcp: map[string]net.Listener{}, base: map[string]string{}, open: make(chan struct{})}
	h.begin = sync.OnceFunc(func() { close(h.open) })
	err := h.build()
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

func (h *house) build() (err error) {
	if h.server, h.client, err = certtest.Pair(); err != nil {
		return err
	}
	for _, a := range addresses {
		l, err := h.doors.listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return err
		}
		h.tcp[a.name], h.base[a.name] = l, a.prefix+l.Addr().String()
	}
	if h.udp, err = net.ListenPacket("udp4", "127.0.0.1:0"); err != nil {
		return err
	}
	h.doors.set(h.udp.LocalAddr().String(), true)
	h.base["prospero"] = "prospero://" + h.udp.LocalAddr().String()
	if h.dir, err = os.MkdirTemp("", "locus-tour-"); err != nil {
		return err
	}
	// On Windows the path begins with a drive, and "/" is missing before it.
	files := filepath.ToSlash(filepath.Join(h.dir, "files"))
	if files[0] != '/' {
		files = "/" + files
	}
	h.base["file"] = "file://" + escape.Encode(files, escape.Fsegment().With("/"))
	if h.made, err = makeExhibits(h.exhibits); err != nil {
		return err
	}
	return h.layOut()
}

// Close closes what no server has taken over, and removes the files.
func (h *house) Close() error {
	for _, l := range h.tcp {
		l.Close() // of most, for the second time
	}
	if h.udp != nil {
		h.udp.Close()
	}
	if h.dir == "" {
		return nil
	}
	return os.RemoveAll(h.dir)
}

// read returns an exhibit, in which the addresses are filled in.
func (h *house) read(name string) ([]byte, error) {
	octets, err := fs.ReadFile(h.exhibits, name)
	if err != nil {
		return nil, err
	}
	return h.fill(name, octets, h.base)
}

// fill fills in a text.
func (h *house) fill(name string, text []byte, data any) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"base64":   func(name string) (string, error) { return h.encoded(name, toBase64) },
		"uuencode": func(name string) (string, error) { return h.encoded(name, toUU) },
	}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.Bytes(), err
}

// encoded returns what was made under a name, for a letter to carry.
func (h *house) encoded(name string, encode func([]byte) string) (string, error) {
	octets, ok := h.made[name]
	if !ok {
		return "", fmt.Errorf("nothing is made by the name %q", name)
	}
	return encode(octets), nil
}

func toBase64(octets []byte) string {
	const line = 57 // octets, which become 76 characters
	var lines []string
	for ; len(octets) > line; octets = octets[line:] {
		lines = append(lines, base64.StdEncoding.EncodeToString(octets[:line]))
	}
	return strings.Join(append(lines, base64.StdEncoding.EncodeToString(octets)), "\n")
}

// toUU returns octets as uuencode writes them, between its first and last lines.
func toUU(octets []byte) string {
	const line = 45 // octets, as many as the character for the length can tell
	var b strings.Builder
	for len(octets) > 0 {
		n := min(line, len(octets))
		b.WriteByte(uuAlphabet[n])
		whole := append(slices.Clone(octets[:n]), 0, 0)
		b.WriteString(uuEncoding.EncodeToString(whole[:(n+2)/3*3]) + "\n")
		octets = octets[n:]
	}
	return b.String() + uuAlphabet[:1]
}

const uuAlphabet = "`!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_"

var uuEncoding = base64.NewEncoding(uuAlphabet).WithPadding(base64.NoPadding)

// years are when what a file tells about was, which is the date that it has; the
// others have that of RFC 1738.
var years = map[string]time.Time{
	"1971.txt": time.Date(1971, time.April, 10, 12, 0, 0, 0, time.UTC),
	"1985.txt": time.Date(1985, time.October, 1, 12, 0, 0, 0, time.UTC),
}

func dated(name string) time.Time {
	if date, ok := years[path.Base(name)]; ok {
		return date
	}
	return time.Date(1994, time.December, 1, 12, 0, 0, 0, time.UTC)
}

// oddName is one that a URL can't have as it is.
const oddName = "pub/names/100% of #1.txt"

// layOut puts the files into the folder: those of the exhibits, what was made, and
// what is made of them.
func (h *house) layOut() error {
	files := map[string][]byte{}
	err := fs.WalkDir(h.exhibits, "files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[strings.TrimPrefix(name, "files/")], err = h.read(name)
		return err
	})
	if err != nil {
		return err
	}
	for name, octets := range h.made {
		files["pub/"+name] = octets
	}
	if files[oddName], err = h.read("names.txt"); err != nil {
		return err
	}
	if files["pub/archives/history.zip"], err = archive(files, "pub/history/"); err != nil {
		return err
	}
	files["INDEX"] = index(files)
	for name, octets := range files {
		if err := h.write(filepath.Join(h.dir, "files", filepath.FromSlash(name)), octets); err != nil {
			return err
		}
	}
	return nil
}

func (h *house) write(name string, octets []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name, octets, 0o644); err != nil {
		return err
	}
	date := dated(filepath.ToSlash(name))
	return os.Chtimes(name, date, date)
}

// files are the files that were laid out.
func (h *house) files() fs.FS { return os.DirFS(filepath.Join(h.dir, "files")) }

// doors are the addresses at which the museum can be reached. The zero value has
// none.
type doors struct {
	mu   sync.Mutex
	open map[string]bool
}

func (d *doors) set(address string, open bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		d.open = map[string]bool{}
	}
	d.open[address] = open
}

func (d *doors) isOpen(address string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open[address]
}

// ports returns the ports of all addresses that were ever open.
func (d *doors) ports() (list []uint16) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for address := range d.open {
		if a, err := netip.ParseAddrPort(address); err == nil {
			list = append(list, a.Port())
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// listen is net.Listen, for a door that is open until it is closed.
func (d *doors) listen(network, address string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	d.set(l.Addr().String(), true)
	return &door{l.(*net.TCPListener), d}, nil
}

type door struct {
	*net.TCPListener
	doors *doors
}

func (d *door) Close() error {
	d.doors.set(d.Addr().String(), false)
	return d.TCPListener.Close()
}
