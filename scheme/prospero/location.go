package prospero

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// location identifies the object of a request. Locations are comparable with ==.
type location struct {
	host    string // host in lower case, as in a URL
	port    uint16
	hsoname string
	version int32 // version; 0 means the current version
}

// location returns the location that the URL names. It fails if the URL contains a version or an
// id that a request cannot contain.
func (x URL) location() (location, error) {
	l := location{host: strings.ToLower(x.url.Host()), port: Port, hsoname: x.hsoname}
	if l.host == "" {
		return location{}, x.url.Errorf(x.url.HostOffset(), "host", "%w: the host is missing", locus.ErrValue)
	}
	if err := x.checkRequest(); err != nil {
		return location{}, err
	}
	if port, ok := x.url.Port(); ok {
		l.port = port
	}
	l.version, _ = x.ObjectVersion()
	return l, nil
}

func (x URL) checkRequest() error {
	p := split(x.url)
	if _, ok := versionNumber(x.version); !ok && x.version != "" {
		return x.url.Errorf(p.offset+strings.Index(p.ppath, nul), "version", "%w: %s", locus.ErrValue, versionHelp)
	}
	for f := range p.fields {
		if f.isObjectVersion() && !f.hasVersionNumber() {
			return x.url.Errorf(f.valueOffset(), "fieldvalue", "%w: %s", locus.ErrValue, versionHelp)
		}
		if number, ok := f.decoded().remote(); ok && !isDigits(number) {
			return x.url.Errorf(f.valueOffset(), "fieldvalue", "%w: an id is a number", locus.ErrValue)
		}
	}
	return nil
}

// location returns the location of the target. If the target is not an object on a Prospero
// server, location returns an error.
func (t *target) location() (location, error) {
	// locus.IsHost must check t.Host itself, because ToLower turns some other letters into ASCII.
	if t.HostType != hostInternet || !locus.IsHost(t.Host) {
		return location{}, fmt.Errorf("%w: not an Internet host: %s %s", scheme.ErrProtocol, locus.Quote(t.HostType), locus.Quote(t.Host))
	}
	return location{host: strings.ToLower(t.Host), port: cmp.Or(t.Port, Port), hsoname: t.Name, version: t.Version}, nil
}

// target returns the location as a target, which is the form that servers use.
func (l location) target() target {
	return target{HostType: hostInternet, Host: l.host, Port: l.port, NameType: nameASCII, Name: l.hsoname, Version: l.version}
}

func (l location) current() location {
	l.version = 0
	return l
}

// locator returns the URL of the location. In the URL, the given fields precede the version field.
func (l location) locator(fields []Field) (locus.URL, error) {
	p := Parts{Host: l.host, Port: l.port, Hsoname: l.hsoname, Fields: fields}
	if p.Port == Port {
		p.Port = 0
	}
	if l.version != 0 {
		p.Fields = append(p.Fields[:len(fields):len(fields)], Field{ObjectVersion, fmt.Sprint(l.version)})
	}
	x, err := p.URL()
	return x.url, err
}
