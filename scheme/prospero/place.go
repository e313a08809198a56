package prospero

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// place is where an object is, and what a question is about. It is comparable.
type place struct {
	host    string // as a URL has it, in lower case
	port    uint16
	hsoname string
	version int32 // 0: the current one
}

// place returns what x is about. What no request can hold is refused.
func (x URL) place() (place, error) {
	at := place{host: strings.ToLower(x.url.Host()), port: Port, hsoname: x.hsoname}
	if at.host == "" {
		return place{}, x.url.Errorf(x.url.HostOffset(), "host", "%w: there is none to ask", locus.ErrValue)
	}
	if err := x.sendable(); err != nil {
		return place{}, err
	}
	if port, ok := x.url.Port(); ok {
		at.port = port
	}
	at.version, _ = x.ObjectVersion()
	return at, nil
}

// sendable returns why a version or an id of x can't be asked for, or nil.
func (x URL) sendable() error {
	w := split(x.url)
	if _, ok := versionNumber(x.version); !ok && x.version != "" {
		return x.url.Errorf(w.offset+strings.Index(w.ppath, nul), "version", "%w: %s", locus.ErrValue, versionHelp)
	}
	for _, f := range w.all {
		if f.isObjectVersion() && !f.hasVersionNumber() {
			return x.url.Errorf(f.valueOffset(), "fieldvalue", "%w: %s", locus.ErrValue, versionHelp)
		}
		if number, ok := f.decoded().remote(); ok && !isDigits(number) {
			return x.url.Errorf(f.valueOffset(), "fieldvalue", "%w: an id is a number", locus.ErrValue)
		}
	}
	return nil
}

// place returns where t is, if it is an object of a Prospero server.
func (t *Target) place() (place, error) {
	at := place{host: strings.ToLower(t.Host), port: t.Port, hsoname: t.Name, version: t.Version}
	// Of some letters ToLower makes those that a host has.
	if t.HostType != hostInternet || !locus.IsHost(t.Host) {
		return place{}, fmt.Errorf("%w: no host of the Internet: %s %s", scheme.ErrProtocol, locus.Quote(t.HostType), locus.Quote(t.Host))
	}
	if at.port == 0 {
		at.port = Port
	}
	return at, nil
}

// target is at as a server writes it.
func (at place) target() Target {
	return Target{HostType: hostInternet, Host: at.host, Port: at.port, NameType: nameASCII, Name: at.hsoname, Version: at.version}
}

// current is at without its version.
func (at place) current() place {
	at.version = 0
	return at
}

// server is where at is, without what.
func (at place) server() place { return place{host: at.host, port: at.port} }

// locator returns the URL of what is at a place, with fields before that of its
// version.
func (at place) locator(fields []Field) (locus.URL, error) {
	p := Parts{Host: at.host, Port: at.port, Hsoname: at.hsoname, Fields: fields}
	if p.Port == Port {
		p.Port = 0
	}
	if at.version != 0 {
		p.Fields = append(p.Fields[:len(fields):len(fields)], Field{ObjectVersion, fmt.Sprint(at.version)})
	}
	x, err := p.URL()
	return x.url, err
}
