package prospero

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/scheme"
)

// These constants are the names of access methods.
const (
	methodContents = "PROSPERO-CONTENTS" // requests the contents from the Prospero server
	methodAFTP     = "AFTP"              // retrieves the file by anonymous FTP
	methodFTP      = "FTP"               // retrieves the file by FTP with the user's own login
	methodLocal    = "LOCAL"             // reads a file on the client's machine that the server chooses
)

// method is an access method for an object, usually with another protocol.
type method struct {
	Name   string // name, such as AFTP, GOPHER or PROSPERO-CONTENTS
	target        // address of the object for this method
	More   []string
}

// methodsOf returns the access methods in the attributes of an object or a link, in the server's
// order of preference. If a field of a method is empty, its value comes from defaults, which is the
// target of the link or the object. If external is true, this target is outside Prospero, and its
// port is the port for the method. Otherwise its port is the port of a Prospero server. The faults
// are the errors of malformed methods.
func methodsOf(list []attribute, defaults target, external bool) (methods []method, faults []error) {
	for _, a := range find(list, attrAccessMethod) {
		if a.Type != valueSequence {
			continue
		}
		m, err := parseMethod(a.Value, defaults, external)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		methods = append(methods, m)
	}
	return methods, faults
}

func parseMethod(tokens []string, defaults target, external bool) (method, error) {
	const minTokens = 5
	if len(tokens) < minTokens {
		return method{}, fmt.Errorf("%w: access method %s has %d of %d tokens", scheme.ErrProtocol, locus.Quote(strings.Join(tokens, " ")), len(tokens), minTokens)
	}
	m := method{Name: tokens[0], target: defaults, More: tokens[minTokens:]}
	m.Version = 0 // a method has no version
	m.HostType = cmp.Or(tokens[1], defaults.HostType)
	m.NameType = cmp.Or(tokens[3], defaults.NameType)
	m.target.Name = cmp.Or(tokens[4], defaults.Name)
	var err error
	switch {
	case tokens[2] != "":
		m.Host, m.Port, err = cutPort(tokens[2])
	case !external && !m.isContents():
		m.Port = 0
	}
	return m, err
}

// isContents reports whether the method requests the contents from a Prospero server.
func (m method) isContents() bool { return m.Name == methodContents }

// URL returns the URL for the method. The error wraps [scheme.ErrUnsupported] if no URL scheme
// corresponds to the method, or if a URL cannot contain the host or the name. LOCAL never has a
// URL, because a server must not choose which files a client reads.
func (m method) URL() (locus.URL, error) {
	u, err := m.url()
	if err != nil {
		return locus.URL{}, fmt.Errorf("access method %s: %w", locus.Quote(m.Name), err)
	}
	return u, nil
}

func (m method) url() (locus.URL, error) {
	if m.HostType != hostInternet {
		return locus.URL{}, fmt.Errorf("%w: host type %s", scheme.ErrUnsupported, locus.Quote(m.HostType))
	}
	if strings.ContainsAny(m.target.Name, "\r\n\x00") && !m.isContents() {
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
		return m.hostURL("telnet", m.user(), "")
	case "TN3270":
		return m.hostURL("tn3270", nil, "")
	case "NFS":
		return m.nfsURL()
	case "AFS":
		return m.afsURL()
	case methodLocal:
		return locus.URL{}, fmt.Errorf("%w: a server must not choose local files", scheme.ErrUnsupported)
	}
	return locus.URL{}, fmt.Errorf("%w: it has no URL scheme", scheme.ErrUnsupported)
}

// errName means that a name contains an octet that is not allowed in a request of the protocol.
var errName = fmt.Errorf("%w: a name contains a line break", scheme.ErrUnsupported)

func (m method) hostURL(schemeName string, user *string, path string) (locus.URL, error) {
	host, err := hostName(m.Host)
	if err != nil {
		return locus.URL{}, err
	}
	u, err := locus.Parts{Scheme: schemeName, User: user, Host: host, Port: m.Port, Path: &path}.URL()
	if err != nil {
		return locus.URL{}, fmt.Errorf("%w: %w", scheme.ErrUnsupported, err)
	}
	return u, nil
}

func hostName(host string) (string, error) {
	if !locus.IsHost(host) || strings.HasPrefix(host, "[") {
		return "", fmt.Errorf("%w: invalid host %s", scheme.ErrUnsupported, locus.Quote(host))
	}
	return strings.ToLower(host), nil
}

func encodePath(octets string) string {
	return escape.Encode(octets, escape.Unreserved().With("/"))
}

func (m method) contentsURL() (locus.URL, error) {
	host, err := hostName(m.Host)
	if err != nil {
		return locus.URL{}, err
	}
	u, err := location{host: host, port: m.Port, hsoname: m.target.Name}.locator(nil)
	if err != nil {
		return locus.URL{}, fmt.Errorf("%w: %w", scheme.ErrUnsupported, err)
	}
	return u, nil
}

// ftpURL returns the FTP URL of a file. The argument root is the beginning of the url-path.
func (m method) ftpURL(root string) (locus.URL, error) {
	path := root + encodePath(strings.TrimPrefix(m.target.Name, "/"))
	switch m.firstExtra() {
	case "BINARY":
		path += ";type=i"
	case "TEXT":
		path += ";type=a"
	case "DIRECTORY":
		path += ";type=d"
	}
	return m.hostURL("ftp", nil, path)
}

func (m method) firstExtra() string {
	if len(m.More) == 0 {
		return ""
	}
	return m.More[0]
}

// gopherURL returns the URL of a gopher item. If the method has no token for the
// gophertype, the first character of the selector is also the gophertype.
func (m method) gopherURL() (locus.URL, error) {
	if strings.Contains(m.target.Name, "\t") {
		return locus.URL{}, errName
	}
	gtype := m.firstExtra()
	switch gtype {
	case "BINARY":
		gtype = "9"
	case "TEXT":
		gtype = "0"
	case "":
		gtype = "1"
		if m.target.Name != "" {
			gtype = m.target.Name[:1]
		}
	}
	if len(gtype) != 1 || gtype[0] <= ' ' {
		return locus.URL{}, fmt.Errorf("%w: invalid gophertype %s", scheme.ErrUnsupported, locus.Quote(gtype))
	}
	return m.hostURL("gopher", nil, encodePath(gtype+m.target.Name))
}

// user returns the encoded user name that the access method suggests for a session, or nil if
// there is none.
func (m method) user() *string {
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

// nfsURL returns the NFS URL of a file on the host.
func (m method) nfsURL() (locus.URL, error) {
	system := m.firstExtra()
	if strings.Trim(system, "/") == "" || strings.ContainsAny(system, "\r\n\x00") {
		return locus.URL{}, fmt.Errorf("%w: the file system is missing", scheme.ErrUnsupported)
	}
	return m.hostURL("nfs", nil, encodePath(strings.TrimPrefix(system, "/"))+"/"+encodePath(m.target.Name))
}

// afsURL returns the AFS URL of a file. The file name begins with its AFS cell, and AFS ignores
// the host.
func (m method) afsURL() (locus.URL, error) {
	cell, rest, _ := strings.Cut(strings.TrimPrefix(m.target.Name, "/"), "/")
	m.Host, m.Port = cell, 0
	return m.hostURL("afs", nil, encodePath(rest))
}

// gatewayURLs returns the URLs that a gateway name implies. A gateway name is an hsoname that
// identifies a resource on another server. Archie uses such names for directories on FTP servers.
// Other servers use such names for gopher menus, and for WAIS documents and searches. If the
// hsoname is not a gateway name, the result is empty.
func gatewayURLs(hsoname string) []locus.URL {
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

func archieURL(text string) (locus.URL, error) {
	site, path, _ := strings.Cut(text, "/")
	if path != "" && !strings.HasSuffix(path, "/") {
		path += "/"
	}
	return method{target: target{Host: site}}.hostURL("ftp", nil, encodePath(path)+";type=d")
}

// gopherGatewayURL parses <host>(<port>)/<type>/<selector>.
func gopherGatewayURL(text string) (locus.URL, error) {
	m, rest, err := cutGateway(text)
	if err != nil {
		return locus.URL{}, err
	}
	m.More = make([]string, 1)
	m.More[0], m.target.Name, _ = strings.Cut(rest, "/")
	return m.gopherURL()
}

// waisGatewayURL parses <host>(<port>)/<type>/<database>/<docid>, or
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
	return m.hostURL("wais", nil, path)
}

// cutGateway splits a gateway name into the host and the rest. It returns the host in a method.
func cutGateway(text string) (m method, rest string, err error) {
	host, rest, _ := strings.Cut(text, "/")
	m.Host, m.Port, err = cutPort(host)
	return m, rest, err
}
