package prospero

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/scheme"
)

// Names of access methods.
const (
	methodContents = "PROSPERO-CONTENTS" // ask the Prospero server for the contents
	methodAFTP     = "AFTP"              // anonymous FTP
	methodFTP      = "FTP"               // FTP with a login of one's own
	methodLocal    = "LOCAL"             // a file of the client's, as the server says
)

// Method is a way to get an object: most are by another protocol.
type Method struct {
	Name       string // AFTP, GOPHER, PROSPERO-CONTENTS
	HostType   string // INTERNET-D
	Host       string // as written, without its port
	Port       uint16 // 0: the method's own
	NameType   string // ASCII
	ObjectName string // octets: what the object is called there
	More       []string
}

// Methods returns the access methods among the attributes of an object or a link,
// in the server's order, which is that of preference. What a method leaves empty
// is taken from of: the target of the link, or what was asked about. external
// reports whether that is a link to something outside Prospero, whose port is the
// method's and not that of a Prospero server. Methods that can't be read are left
// out, and faults says why.
func Methods(list []Attribute, of Target, external bool) (methods []Method, faults []error) {
	for _, a := range Find(list, attrAccessMethod) {
		if a.Type != valueSequence {
			continue
		}
		m, err := parseMethod(a.Value, of, external)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		methods = append(methods, m)
	}
	return methods, faults
}

func parseMethod(tokens []string, of Target, external bool) (Method, error) {
	const least = 5
	if len(tokens) < least {
		return Method{}, fmt.Errorf("%w: access method %s has %d of %d tokens", scheme.ErrProtocol, locus.Quote(strings.Join(tokens, " ")), len(tokens), least)
	}
	m := Method{Name: tokens[0], HostType: tokens[1], NameType: tokens[3], ObjectName: tokens[4], More: tokens[least:]}
	if m.HostType == "" {
		m.HostType = of.HostType
	}
	if m.NameType == "" {
		m.NameType = of.NameType
	}
	if m.ObjectName == "" {
		m.ObjectName = of.Name
	}
	if tokens[2] == "" {
		m.Host = of.Host
		if external || m.IsContents() {
			m.Port = of.Port
		}
		return m, nil
	}
	var err error
	m.Host, m.Port, err = cutPort(tokens[2])
	return m, err
}

// IsContents reports whether the method is to ask a Prospero server for the
// contents of the object.
func (m Method) IsContents() bool { return m.Name == methodContents }

// URL returns the URL that does what the method says. The error, which wraps
// [scheme.ErrUnsupported], says why there is none: no URL means that method, or
// its host or name can't be in one. LOCAL never has one: which files of its own a
// client reads is not for a server to say.
func (m Method) URL() (locus.URL, error) {
	u, err := m.url()
	if err != nil {
		return locus.URL{}, fmt.Errorf("access method %s: %w", locus.Quote(m.Name), err)
	}
	return u, nil
}

func (m Method) url() (locus.URL, error) {
	if m.HostType != hostInternet {
		return locus.URL{}, fmt.Errorf("%w: host type %s", scheme.ErrUnsupported, locus.Quote(m.HostType))
	}
	if strings.ContainsAny(m.ObjectName, "\r\n\x00") && !m.IsContents() {
		return locus.URL{}, errName
	}
	switch m.Name {
	case methodContents:
		return m.contentsURL()
	case methodAFTP:
		return m.ftpURL("")
	case methodFTP:
		return m.ftpURL("%2F")
	case "GOPHER":
		return m.gopherURL()
	case "TELNET":
		return m.address("telnet", m.user(), "")
	case "TN3270":
		return m.address("tn3270", nil, "")
	case "NFS":
		return m.nfsURL()
	case "AFS":
		return m.afsURL()
	case methodLocal:
		return locus.URL{}, fmt.Errorf("%w: a server does not say which files are read here", scheme.ErrUnsupported)
	}
	return locus.URL{}, fmt.Errorf("%w: no URL means it", scheme.ErrUnsupported)
}

// errName: the name of an object holds what no request of its protocol can.
var errName = fmt.Errorf("%w: a name with a character that ends lines", scheme.ErrUnsupported)

// address makes a URL of the method's host and port.
func (m Method) address(schemeName string, user *string, path string) (locus.URL, error) {
	host, err := plainHost(m.Host)
	if err != nil {
		return locus.URL{}, err
	}
	return makeURL(locus.Parts{Scheme: schemeName, User: user, Host: host, Port: m.Port, Path: &path})
}

// plainHost returns the name or IPv4 address of a host in lower case. Nothing
// else can be in the URLs that are made here.
func plainHost(host string) (string, error) {
	if !locus.IsHost(host) || strings.HasPrefix(host, "[") {
		return "", fmt.Errorf("%w: %s is no host", scheme.ErrUnsupported, locus.Quote(host))
	}
	return strings.ToLower(host), nil
}

func makeURL(p locus.Parts) (locus.URL, error) {
	u, err := p.URL()
	if err != nil {
		return locus.URL{}, fmt.Errorf("%w: %w", scheme.ErrUnsupported, err)
	}
	return u, nil
}

// encodePath returns octets as a path in which "/" separates.
func encodePath(octets string) string {
	return escape.Encode(octets, escape.Unreserved().With("/"))
}

func (m Method) contentsURL() (locus.URL, error) {
	host, err := plainHost(m.Host)
	if err != nil {
		return locus.URL{}, err
	}
	p := Parts{Host: host, Port: m.Port, Hsoname: m.ObjectName}
	if p.Port == Port {
		p.Port = 0
	}
	x, err := p.URL()
	if err != nil {
		return locus.URL{}, fmt.Errorf("%w: %w", scheme.ErrUnsupported, err)
	}
	return x.URL(), nil
}

// ftpURL makes the URL of a file. root is what the url-path begins with.
func (m Method) ftpURL(root string) (locus.URL, error) {
	path := root + encodePath(strings.TrimPrefix(m.ObjectName, "/"))
	switch m.more() {
	case "BINARY":
		path += ";type=i"
	case "TEXT":
		path += ";type=a"
	case "DIRECTORY":
		path += ";type=d"
	}
	return m.address("ftp", nil, path)
}

// more returns the first token that the method has of its own, or nothing.
func (m Method) more() string {
	if len(m.More) == 0 {
		return ""
	}
	return m.More[0]
}

// gopherURL makes the URL of a gopher item. Without a token that tells its type,
// the first character of the selector does, and is a part of that all the same.
func (m Method) gopherURL() (locus.URL, error) {
	if strings.Contains(m.ObjectName, "\t") {
		return locus.URL{}, errName
	}
	gtype := m.more()
	switch gtype {
	case "BINARY":
		gtype = "9"
	case "TEXT":
		gtype = "0"
	case "":
		gtype = "1"
		if m.ObjectName != "" {
			gtype = m.ObjectName[:1]
		}
	}
	if len(gtype) != 1 || gtype[0] <= ' ' {
		return locus.URL{}, fmt.Errorf("%w: %s is no type of a gopher item", scheme.ErrUnsupported, locus.Quote(gtype))
	}
	return m.address("gopher", nil, encodePath(gtype+m.ObjectName))
}

// user returns the user that the text of a session tells, as URL text, or nil.
func (m Method) user() *string {
	name, ok := strings.CutPrefix(strings.Join(m.More, " "), `Use the account name "`)
	if ok {
		name, ok = strings.CutSuffix(name, `" to log in`)
	}
	if !ok || name == "" || strings.ContainsAny(name, "\r\n\x00") {
		return nil
	}
	name = locus.EncodeUser(name)
	return &name
}

// nfsURL makes the URL of a file in a file system of the host.
func (m Method) nfsURL() (locus.URL, error) {
	system := m.more()
	if strings.Trim(system, "/") == "" || strings.ContainsAny(system, "\r\n\x00") {
		return locus.URL{}, fmt.Errorf("%w: no file system", scheme.ErrUnsupported)
	}
	return m.address("nfs", nil, encodePath(strings.TrimPrefix(system, "/"))+"/"+encodePath(m.ObjectName))
}

// afsURL makes the URL of a file in the cell that its name begins with. The host
// means nothing.
func (m Method) afsURL() (locus.URL, error) {
	cell, rest, _ := strings.Cut(strings.TrimPrefix(m.ObjectName, "/"), "/")
	m.Host, m.Port = cell, 0
	return m.address("afs", nil, encodePath(rest))
}

// GatewayURLs returns what a hsoname leads to by itself: servers give such names
// to what they fetch from elsewhere. Archie names the directories of FTP servers,
// and there are names for menus of gopher and for documents and searches of WAIS.
// There may be none.
func GatewayURLs(hsoname string) []locus.URL {
	kind, rest, _ := strings.Cut(hsoname, "/")
	if strings.ContainsAny(rest, "\t\r\n\x00") {
		return nil
	}
	var u locus.URL
	err := errName
	switch kind {
	case "ARCHIE":
		if rest, ok := strings.CutPrefix(rest, "HOST/"); ok {
			u, err = archieURL(rest)
		}
	case "GOPHER-GW":
		u, err = gopherGatewayURL(rest)
	case "WAIS-GW":
		u, err = waisGatewayURL(rest)
	}
	if err != nil {
		return nil
	}
	return []locus.URL{u}
}

// archieURL makes the URL of a directory of an FTP server: site and path.
func archieURL(text string) (locus.URL, error) {
	site, path, _ := strings.Cut(text, "/")
	if path != "" && !strings.HasSuffix(path, "/") {
		path += "/"
	}
	return Method{Host: site}.address("ftp", nil, encodePath(path)+";type=d")
}

// gopherGatewayURL reads <host>(<port>)/<type>/<selector>.
func gopherGatewayURL(text string) (locus.URL, error) {
	m, rest, err := cutGateway(text)
	if err != nil {
		return locus.URL{}, err
	}
	m.More = make([]string, 1)
	m.More[0], m.ObjectName, _ = strings.Cut(rest, "/")
	return m.gopherURL()
}

// waisGatewayURL reads <host>(<port>)/<type>/<database>/<docid>, or
// <host>(<port>)/QUERY/<database>/<words>.
func waisGatewayURL(text string) (locus.URL, error) {
	m, rest, err := cutGateway(text)
	if err != nil {
		return locus.URL{}, err
	}
	wtype, rest, _ := strings.Cut(rest, "/")
	database, rest, ok := strings.Cut(rest, "/")
	if database == "" || wtype == "" {
		return locus.URL{}, errName
	}
	path := escape.Encode(database, escape.Unreserved())
	switch {
	case wtype != "QUERY" && !ok:
		return locus.URL{}, errName
	case wtype != "QUERY":
		path += "/" + escape.Encode(wtype, escape.Unreserved()) + "/" + escape.Encode(rest, escape.Unreserved())
	case rest != "":
		path += "?" + escape.Encode(rest, escape.Unreserved().Without("+"))
	}
	return m.address("wais", nil, path)
}

// cutGateway cuts the host off a name, as a method without a name.
func cutGateway(text string) (m Method, rest string, err error) {
	host, rest, _ := strings.Cut(text, "/")
	m.Host, m.Port, err = cutPort(host)
	return m, rest, err
}
