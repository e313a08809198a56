package prospero

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// basicAttributes lists the attributes that determine the kind of an object. If a client requests
// only ACCESS-METHOD, servers send wrong answers for both files and directories.
var basicAttributes = [...]string{"ACCESS-METHOD", "SIZE", "LAST-MODIFIED", "UNIX-MODES"}

// wordNotFound means that an object does not exist, or that several objects have the same name.
const wordNotFound = "NOT-FOUND"

// errNoMethod means that the object exists, but is neither a directory nor has an access method.
var errNoMethod = fmt.Errorf("%w: the object is not a directory, and has no access method", scheme.ErrUnsupported)

// maxRequestedNames is the maximum number of URL fields whose attributes the client requests. The
// client compares further fields only with attributes that the server sends anyway.
const maxRequestedNames = 16

// requestedNames returns the names of the URL fields whose attributes the client requests. It
// excludes names that a request cannot contain, names that stand for several attributes, basic
// attributes and the contents.
func (f *fetcher) requestedNames() (names []string) {
	known := append(basicAttributes[:], attrContents)
	for _, field := range f.url.Fields() {
		_, selected := field.remote()
		is := func(name string) bool { return sameName(name, field.Name) }
		if selected || isVersion(field) || !isWord(field.Name) || field.Name[0] == '#' || slices.ContainsFunc(known, is) || slices.ContainsFunc(names, is) {
			continue
		}
		if names = append(names, field.Name); len(names) == maxRequestedNames {
			break
		}
	}
	return names
}

// describe requests the basic attributes and each attribute named by a field of the URL (RFC 1738
// section 3.11). If the server rejects the request because it does not know a field, describe
// repeats the request without the fields.
func (f *fetcher) describe() (*reply, error) {
	fields := f.requestedNames()
	info, err := f.info(append(basicAttributes[:], fields...)...)
	if failure := (*failureError)(nil); len(fields) > 0 && errors.As(err, &failure) && failure.Word == wordNotFound && strings.HasPrefix(failure.Text, "ATTRIBUTE") {
		return f.info(basicAttributes[:]...)
	}
	return info, err
}

// openObject determines the kind of the object. It returns the object or a redirect to its access
// methods.
func (f *fetcher) openObject() (scheme.Resource, error) {
	info, err := f.describe()
	switch {
	case isFailure(err, wordNotFound):
		// A name without attributes may still name a directory, such as the result of a
		// database query.
		return f.directory(err)
	case err != nil:
		return nil, err
	case info.Forwarded != nil:
		return f.redirect(info.Forwarded)
	}
	if err := f.checkFields(info.Attributes); err != nil {
		return nil, err
	}
	if isDirectory(info.Attributes) {
		if f.req.Probe {
			return &scheme.Menu{URL: f.url.url, Title: f.location.hsoname, Items: func(func(scheme.Item, error) bool) {}}, nil
		}
		return f.directory(nil)
	}
	methods, faults := methodsOf(info.Attributes, f.location.target(), false)
	if len(methods)+len(faults) == 0 {
		return f.directory(errNoMethod)
	}
	return f.retrieve(info, methods, faults)
}

// directory lists the object as a directory. If the object is not a directory, it returns otherErr,
// or the server's error if otherErr is nil.
func (f *fetcher) directory(otherErr error) (scheme.Resource, error) {
	list, err := f.list(f.req.Dial, f.location)
	switch {
	case otherErr != nil && isFailure(err, wordNotFound, wordNotDirectory):
		if to := gatewayURLs(f.location.hsoname); len(to) > 0 {
			return &scheme.Redirect{URL: f.url.url, To: to}, nil
		}
		return nil, otherErr
	case err != nil:
		return nil, err
	case list.Forwarded != nil:
		return f.redirect(list.Forwarded)
	}
	return f.menu(list), nil
}

func (f *fetcher) info(attributes ...string) (*reply, error) {
	message, err := f.query(f.location).info(attributes...)
	if err != nil {
		return nil, err
	}
	return f.exchange(f.req.Dial, f.location, message, attributes[0] == attrContents)
}

func (f *fetcher) list(d scheme.Dialer, at location) (*reply, error) {
	message, err := f.query(at).list()
	if err != nil {
		return nil, err
	}
	return f.exchange(d, at, message, false)
}

func (f *fetcher) query(at location) *query {
	q := &query{hsoname: at.hsoname, version: at.version}
	if at != f.location {
		return q
	}
	for _, field := range f.url.Fields() {
		if number, ok := field.remote(); ok {
			q.remote = number
			break
		}
	}
	return q
}

// exchange sends a request and parses the reply. If the server rejects the request, the rejection
// is the error.
func (f *fetcher) exchange(d scheme.Dialer, l location, message []byte, contents bool) (*reply, error) {
	text, err := f.roundTrip(d, l, message, contents)
	if err != nil {
		return nil, err
	}
	r, err := parseReply(text)
	if err == nil && r.Failure != nil {
		return nil, r.Failure
	}
	return r, err
}

func isFailure(err error, words ...string) bool {
	var f *failureError
	return errors.As(err, &f) && slices.Contains(words, f.Word)
}

// redirect returns a Redirect to the new address of the object. The new URL contains the fields of
// the original URL.
func (f *fetcher) redirect(t *target) (scheme.Resource, error) {
	at, err := t.location()
	if err != nil {
		return nil, err
	}
	to, err := at.locator(slices.DeleteFunc(f.url.Fields(), isVersion))
	if err != nil {
		return nil, err
	}
	return &scheme.Redirect{URL: f.url.url, To: []locus.URL{to}}, nil
}

func isVersion(f Field) bool { return sameName(f.Name, ObjectVersion) }

// remote returns the number in an ID field, with which a request selects one of several objects.
func (f Field) remote() (number string, ok bool) {
	number, ok = strings.CutPrefix(f.Value, "REMOTE ")
	return number, ok && sameName(f.Name, "ID")
}

// checkFields compares the attributes with the URL's fields, which identify the object (RFC 1738
// section 3.11). It ignores a field whose attribute is missing.
func (f *fetcher) checkFields(list []attribute) error {
	for _, field := range f.url.Fields() {
		if _, selected := field.remote(); selected || isVersion(field) {
			continue
		}
		found := find(list, field.Name)
		if len(found) > 0 && !slices.ContainsFunc(found, func(a attribute) bool { return strings.Join(a.Value, " ") == field.Value }) {
			return fmt.Errorf("%w: not the object named: its %s is %s, not %s", scheme.ErrNotFound,
				locus.Quote(field.Name), locus.Quote(strings.Join(found[0].Value, " ")), locus.Quote(field.Value))
		}
	}
	return nil
}

// rank determines the order of access methods. First are methods without a login, then methods
// that need a login, and then methods that cannot retrieve an object.
type rank int

const (
	retrieval rank = iota
	login
	session
	mount
)

func (m method) rank() rank {
	switch m.Name {
	case methodFTP:
		return login
	case "TELNET", "TN3270":
		return session
	case "NFS", "AFS":
		return mount
	}
	return retrieval
}

// candidate is a usable access method. A candidate either has a URL or requests the contents from
// the object's own server.
type candidate struct {
	method
	isContents bool // the method requests the contents from the object's own server
	url        locus.URL
}

// candidates returns the usable methods, and the reasons why other methods are not usable. It
// sorts the usable methods by rank, and preserves the server's order within a rank. The argument
// object is the location of the requested object, or the zero location if there is no such object.
func candidates(methods []method, object location) (list []candidate, unusable []string) {
	for _, m := range methods {
		c := candidate{method: m, isContents: m.asks(object)}
		var err error
		if c.url, err = m.URL(); err != nil && !c.isContents {
			unusable = append(unusable, err.Error())
			continue
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return int(a.rank() - b.rank()) })
	return list, unusable
}

func (m method) asks(object location) bool {
	if !m.isContents() {
		return false
	}
	at, err := m.target.location()
	return err == nil && at == object.current()
}

// retrieve fetches the object if the first usable method requests the contents of this object from
// its own server. Otherwise it returns a redirect to the URLs of the other methods. The redirect
// omits methods for the same object, because they would cause a redirect loop. It also omits
// methods that need a login, because a redirect contains no login, and an FTP server may show
// anonymous users another object under the same name.
func (f *fetcher) retrieve(info *reply, methods []method, faults []error) (scheme.Resource, error) {
	list, unusable := candidates(methods, f.location)
	if len(list) > 0 && list[0].isContents {
		if f.req.Probe {
			return f.newObject(info), nil
		}
		return f.contents(info)
	}
	var to []locus.URL
	var private *candidate // the first method that needs a login
	for i := range list {
		switch c := &list[i]; {
		case c.isContents:
		case c.rank() != login:
			to = append(to, c.url)
		case private == nil:
			private = c
		}
	}
	if to = append(to, gatewayURLs(f.location.hsoname)...); len(to) > 0 {
		return &scheme.Redirect{URL: f.url.url, To: to}, nil
	}
	if private != nil {
		return nil, private.needsLogin()
	}
	return nil, fmt.Errorf("%w: the object has no usable access method: %s", scheme.ErrUnsupported, joinReasons(unusable, faults))
}

// needsLogin returns the error for a method that needs a login. The hint in the error contains the
// URL that the user can open.
func (c *candidate) needsLogin() error {
	before, rest, _ := strings.Cut(c.url.String(), "//")
	return scheme.Hint(fmt.Errorf("%w: access method %s requires your own login", scheme.ErrAuth, locus.Quote(c.Name)),
		"open it directly, with your user name: "+before+"//USER@"+rest)
}

func joinReasons(unusable []string, faults []error) string {
	for _, fault := range faults {
		unusable = append(unusable, fault.Error())
	}
	return strings.Join(unusable, "; ")
}

func (f *fetcher) contents(info *reply) (scheme.Resource, error) {
	r, err := f.info(attrContents)
	if err != nil {
		return nil, err
	}
	if r.Forwarded != nil {
		return f.redirect(r.Forwarded)
	}
	octets, ok := r.Contents()
	if !ok && sizeOf(info.Attributes) != 0 {
		return nil, fmt.Errorf("%w: the server has no contents of the object", scheme.ErrNotFound)
	}
	if limit := f.req.Limit; limit > 0 && int64(len(octets)) > limit {
		return nil, fmt.Errorf("%w: %d bytes, the limit is %d", scheme.ErrTooLarge, len(octets), limit)
	}
	o := f.newObject(info)
	o.Type = media.Guess(o.Name, octets[:min(len(octets), media.Head)])
	o.Size, o.Resumable = int64(len(octets)), true
	if resumes(f.req, o) {
		o.Start = f.req.Offset
	}
	o.Body = &body{f.ctx, bytes.NewReader(octets[o.Start:])}
	return o, nil
}

func (f *fetcher) newObject(info *reply) *scheme.Object {
	name := f.location.hsoname[strings.LastIndexByte(f.location.hsoname, '/')+1:]
	return &scheme.Object{
		URL:     f.url.url,
		Name:    name,
		Type:    media.ByName(name),
		Size:    sizeOf(info.Attributes),
		ModTime: modTime(info.Attributes),
		Note:    strings.Join(info.Warnings, "; "),
		Body:    &body{f.ctx, bytes.NewReader(nil)},
	}
}

// resumes reports whether the caller already has a part of the same version of the object o. It
// compares times in whole seconds, because servers store seconds.
func resumes(req *scheme.Request, o *scheme.Object) bool {
	return 0 < req.Offset && req.Offset <= o.Size &&
		(req.ModTime.IsZero() || req.ModTime.Truncate(time.Second).Equal(o.ModTime))
}

// body is an object body in memory. Reading fails when ctx is canceled.
type body struct {
	ctx context.Context
	*bytes.Reader
}

func (b *body) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, fmt.Errorf("prospero: %w", context.Cause(b.ctx))
	}
	return b.Reader.Read(p)
}

func (b *body) Close() error { return nil }
