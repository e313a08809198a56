package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/submit"
	"github.com/locus-url/locus/tn3270"
)

// Ports is a list of port numbers, which flags, environment variables and the configuration file
// can set.
type Ports []uint16

var _ pflag.Value = (*Ports)(nil)

// Set adds the ports in a comma-separated list.
func (p *Ports) Set(text string) error {
	for _, field := range strings.Split(text, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(field), 10, 16)
		if err != nil || n == 0 {
			return errors.New("a port is a number from 1 to 65535")
		}
		if !slices.Contains(*p, uint16(n)) {
			*p = append(*p, uint16(n))
		}
	}
	return nil
}

func (p *Ports) String() string {
	list := make([]string, len(*p))
	for i, n := range *p {
		list[i] = strconv.Itoa(int(n))
	}
	return strings.Join(list, ",")
}

func (p *Ports) Type() string { return "port" }

// UnmarshalText replaces the ports with the ports in the text.
func (p *Ports) UnmarshalText(text []byte) error {
	*p = nil
	if len(text) == 0 {
		return nil
	}
	return p.Set(string(text))
}

// UnmarshalTOML accepts a TOML list of numbers.
func (p *Ports) UnmarshalTOML(value any) error {
	list, ok := value.([]any)
	if !ok {
		return errors.New("write a list of ports as [25, 119]")
	}
	*p = nil
	for _, n := range list {
		if err := p.Set(fmt.Sprint(n)); err != nil {
			return err
		}
	}
	return nil
}

// Size is a number of bytes. Its text consists of digits, optionally followed by K, M, G or T for
// a power of 1024.
type Size int64

var _ pflag.Value = (*Size)(nil)

func (s *Size) Set(text string) error {
	digits := strings.TrimSuffix(strings.ToUpper(text), "B")
	shift := 0
	for i, unit := range []string{"K", "M", "G", "T"} {
		if number, ok := strings.CutSuffix(digits, unit); ok {
			digits, shift = number, 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || n > math.MaxInt64>>shift {
		return errors.New("a size is a number of bytes, optionally followed by K, M, G or T")
	}
	*s = Size(n << shift)
	return nil
}

func (s *Size) String() string {
	n := int64(*s)
	for i := len("KMGT"); i > 0; i-- {
		if unit := int64(1) << (10 * i); n >= unit && n%unit == 0 {
			return strconv.FormatInt(n/unit, 10) + "KMGT"[i-1:i]
		}
	}
	return strconv.FormatInt(n, 10)
}

func (s *Size) Type() string { return "size" }

func (s *Size) UnmarshalText(text []byte) error { return s.Set(string(text)) }

// Duration is a time limit. Its text is a number of seconds, or a number with a unit, such as
// "2m".
type Duration time.Duration

func (d *Duration) Set(text string) error {
	v, err := time.ParseDuration(text)
	if n, numErr := strconv.ParseFloat(text, 64); numErr == nil && n < math.MaxInt64/1e9 {
		v, err = time.Duration(n*float64(time.Second)), nil
	}
	if err != nil || v < 0 {
		return errors.New("write 5 (seconds), 5s, 2m or 1h")
	}
	*d = Duration(v)
	return nil
}

func (d *Duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

func (d *Duration) Type() string { return "duration" }

func (d *Duration) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = 0
		return nil
	}
	if err := d.Set(string(text)); err != nil {
		return fmt.Errorf("invalid duration %q: %w", text, err)
	}
	return nil
}

// UnmarshalTOML accepts a TOML number of seconds or a string.
func (d *Duration) UnmarshalTOML(value any) error { return d.UnmarshalText(fmt.Append(nil, value)) }

// cwdMode selects how the FTP client changes directories. The mode "multi" sends a CWD command for
// each path segment; the other modes are "single" and "none".
type cwdMode string

func (m *cwdMode) UnmarshalText(text []byte) error {
	return setOneOf(m, text, "multi", "single", "none")
}

// setOneOf sets v to the given text, which must be one of three words.
func setOneOf[T ~string](v *T, text []byte, first, second, third string) error {
	if !slices.Contains([]string{first, second, third}, string(text)) {
		return fmt.Errorf("%q is not %q, %q or %q", text, first, second, third)
	}
	*v = T(text)
	return nil
}

// RulesName is the name of a profile (a URL standard). An empty name selects no profile.
type RulesName string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *RulesName) UnmarshalText(text []byte) error {
	if _, err := locus.ParseProfile(string(text)); err != nil && len(text) > 0 {
		return err
	}
	*n = RulesName(text)
	return nil
}

// LogFormat is the format of a log: "text", "json" or "none".
type LogFormat string

// UnmarshalText accepts the name of a format.
func (f *LogFormat) UnmarshalText(text []byte) error {
	return setOneOf(f, text, "text", "json", "none")
}

func (f *LogFormat) String() string { return string(*f) }

func (f *LogFormat) Set(text string) error { return f.UnmarshalText([]byte(text)) }

func (f *LogFormat) Type() string { return "format" }

// ListenAddress is the address of a server, in the form HOST:PORT.
type ListenAddress string

func (l *ListenAddress) UnmarshalText(text []byte) error {
	host, port, err := net.SplitHostPort(string(text))
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err == nil && strings.Contains(host, ":") {
		_, err = netip.ParseAddr(host)
	} else if host != "" && !locus.IsHost(host) {
		err = locus.ErrValue
	}
	if err != nil {
		return fmt.Errorf(`%q is not HOST:PORT: write "127.0.0.1:1738", or "[::1]:0" for any free port`, text)
	}
	*l = ListenAddress(text)
	return nil
}

func (l *ListenAddress) String() string { return string(*l) }

func (l *ListenAddress) Set(text string) error { return l.UnmarshalText([]byte(text)) }

func (l *ListenAddress) Type() string { return "address" }

// GatewayAddress is the address at which a gateway listens. Its form is HOST:PORT or, for a Unix
// socket, unix:PATH or unix:PATH,mode=660.
type GatewayAddress string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (g *GatewayAddress) UnmarshalText(text []byte) error {
	path, mode, ok := cutSocket(string(text))
	if !ok {
		var l ListenAddress
		if err := l.UnmarshalText(text); err != nil {
			return fmt.Errorf(`%q is not HOST:PORT: write "127.0.0.1:1738", "[::1]:0" for any free port, or "unix:/run/locus.sock,mode=660"`, text)
		}
	}
	if ok && !filepath.IsAbs(path) {
		return fmt.Errorf("%q is not an absolute path", path)
	}
	if n, err := strconv.ParseUint(mode, 8, 32); ok && mode != "" && (err != nil || n == 0 || n > 0o777) {
		return fmt.Errorf("%q is not a mode of a socket: write octal digits, such as mode=660", mode)
	}
	*g = GatewayAddress(text)
	return nil
}

// cutSocket splits the address of a Unix socket. The result ok is false for all other addresses.
func cutSocket(text string) (path, mode string, ok bool) {
	path, ok = strings.CutPrefix(text, "unix:")
	if before, after, found := strings.Cut(path, ",mode="); found {
		return before, cmp.Or(after, "empty"), ok
	}
	return path, "", ok
}

// Socket returns the path and the mode of a Unix socket. If the mode is zero, the umask of the
// process determines the mode. The result ok is false for an address of the form HOST:PORT.
func (g GatewayAddress) Socket() (path string, mode fs.FileMode, ok bool) {
	path, text, ok := cutSocket(string(g))
	n, _ := strconv.ParseUint(text, 8, 32) // UnmarshalText has checked the mode
	return path, fs.FileMode(n), ok
}

func (g *GatewayAddress) String() string { return string(*g) }

func (g *GatewayAddress) Set(text string) error { return g.UnmarshalText([]byte(text)) }

func (g *GatewayAddress) Type() string { return "address" }

type model int

func (m *model) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 2 || n > 5 {
		return errors.New("the model of a 3270 terminal must be 2, 3, 4 or 5")
	}
	*m = model(n)
	return nil
}

func (m *model) UnmarshalTOML(value any) error { return m.UnmarshalText(fmt.Append(nil, value)) }

type codePage string

func (c *codePage) UnmarshalText(text []byte) error {
	if !slices.Contains(tn3270.CodePages(), string(text)) {
		return fmt.Errorf("unknown code page %q: choose from %s", text, strings.Join(tn3270.CodePages(), ", "))
	}
	*c = codePage(text)
	return nil
}

// newsServer is the URL of a news server, in the form nntp://host:port or nntps://host:port.
type newsServer struct{ locus.URL }

// UnmarshalText accepts a URL, or a host with an optional port as in the environment variable
// NNTPSERVER.
func (n *newsServer) UnmarshalText(text []byte) error {
	n.URL = locus.URL{}
	name := strings.TrimSpace(string(text))
	if name == "" {
		return nil
	}
	if !strings.Contains(name, "://") {
		name = "nntp://" + name
	}
	u, err := locus.Parse(name)
	path, _ := u.Path()
	if _, fragment := u.Fragment(); err != nil || u.Host() == "" || path != "" || fragment || u.Scheme() != "nntp" && u.Scheme() != "nntps" {
		// The error omits the text, because a text that is not a URL may contain a
		// password.
		return errors.New(`write a news server as "host", "host:port", "nntp://host:port" or "nntps://host:port"`)
	}
	n.URL = u
	return nil
}

// Paths is a list of paths of files and directories.
type Paths []string

// UnmarshalText reads a list of paths with the same separator as in the environment variable PATH.
func (p *Paths) UnmarshalText(text []byte) error {
	*p = nil
	for _, path := range filepath.SplitList(string(text)) {
		if path != "" {
			*p = append(*p, path)
		}
	}
	return nil
}

// UnmarshalTOML accepts a TOML list of strings.
func (p *Paths) UnmarshalTOML(value any) error {
	*p = nil
	list, ok := value.([]any)
	for _, v := range list {
		path, isText := v.(string)
		ok = ok && isText && path != ""
		*p = append(*p, path)
	}
	if !ok {
		return errors.New(`write a list of paths as ["~/Mail", "/var/mail/me"]`)
	}
	return nil
}

// Sender is the sender of mail messages. The zero value means that no sender is configured.
type Sender struct{ submit.Mailbox }

// UnmarshalText reads one mailbox, with or without a name.
func (s *Sender) UnmarshalText(text []byte) error {
	s.Mailbox = submit.Mailbox{}
	if len(text) == 0 {
		return nil
	}
	list, err := submit.ParseMailboxes(string(text))
	if err == nil && len(list) != 1 {
		err = errors.New("a message has exactly one sender")
	}
	if err != nil {
		return err
	}
	s.Mailbox = list[0]
	return nil
}

// relay is the mail server that sends messages. The zero value means that no server is configured.
type relay struct{ submit.Relay }

// UnmarshalText accepts the same texts as [submit.ParseRelay].
func (r *relay) UnmarshalText(text []byte) (err error) {
	r.Relay = submit.Relay{}
	if len(text) > 0 {
		r.Relay, err = submit.ParseRelay(string(text))
	}
	return err
}

type words []string

// UnmarshalText splits the text at spaces. It does not interpret quotes or other shell syntax.
func (w *words) UnmarshalText(text []byte) error {
	*w = strings.Fields(string(text))
	return nil
}

// UnmarshalTOML accepts a string, or a list of strings. The strings in a list may contain spaces.
func (w *words) UnmarshalTOML(value any) error {
	if text, ok := value.(string); ok {
		return w.UnmarshalText([]byte(text))
	}
	return (*Paths)(w).UnmarshalTOML(value)
}

// archive is the URL template of a web archive.
type archive string

// UnmarshalText accepts a template that contains "{url}" or "{escaped}".
func (t *archive) UnmarshalText(text []byte) error {
	*t = ""
	if len(text) == 0 {
		return nil
	}
	try := archive(text)
	if !strings.Contains(string(text), "{url}") && !strings.Contains(string(text), "{escaped}") || try.URLOf(locus.MustParse("http://example.com/")).IsZero() {
		return errors.New(`write an archive as a URL with "{url}" or "{escaped}": "https://archive.example/web/{url}"`)
	}
	*t = try
	return nil
}

// URLOf returns the URL at which the archive serves u, or the zero URL if no archive is
// configured.
func (t archive) URLOf(u locus.URL) locus.URL {
	text := strings.NewReplacer("{url}", u.String(), "{escaped}", string(escape.AppendEncode(nil, u.String(), escape.Unreserved()))).Replace(string(t))
	archived, err := locus.Parse(text)
	if err != nil {
		return locus.URL{}
	}
	return archived
}

// apiURL is the base URL of an API. The zero value selects the default URL.
type apiURL struct{ locus.URL }

// UnmarshalText reads a URL without a password.
func (u *apiURL) UnmarshalText(text []byte) error {
	*u = apiURL{}
	if len(text) == 0 {
		return nil
	}
	parsed, err := locus.Parse(string(text))
	if err != nil {
		return err
	}
	if parsed.Host() == "" || parsed != parsed.WithoutPassword() {
		return errors.New(`write the base of an API as a URL without a password: "https://api.example/"`)
	}
	u.URL = parsed
	return nil
}
