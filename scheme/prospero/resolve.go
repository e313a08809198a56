package prospero

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// questions are the attributes that tell what an object is. To a question after
// ACCESS-METHOD alone servers give answers that are wrong, of files and of
// directories alike.
var questions = [...]string{"ACCESS-METHOD", "SIZE", "LAST-MODIFIED", "UNIX-MODES"}

// wordNotFound is the word for an object that is not there, or not known by that
// name alone.
const wordNotFound = "NOT-FOUND"

// errNoMethod: the object is there, and that is all.
var errNoMethod = fmt.Errorf("%w: the object is no directory, and has no access method", scheme.ErrUnsupported)

// mostAsked is how many fields of a URL a server is asked for. Any that follow are
// compared with what it says unasked.
const mostAsked = 16

// asked are the fields of the URL that the server is asked for besides: those whose
// value it may know, by a name that a request can hold. The octets of the object, and
// the names that stand for many attributes, are not asked for.
func (j *job) asked() (names []string) {
	known := append(questions[:], attrContents)
	for _, f := range j.url.Fields() {
		_, selected := f.remote()
		is := func(name string) bool { return sameName(name, f.Name) }
		if selected || isVersion(f) || !isWord(f.Name) || f.Name[0] == '#' || slices.ContainsFunc(known, is) || slices.ContainsFunc(names, is) {
			continue
		}
		if names = append(names, f.Name); len(names) == mostAsked {
			break
		}
	}
	return names
}

// describe asks what the object is, and for the fields that the URL names (RFC 1738
// section 3.11). A server may refuse the question because it does not know an
// attribute: then it is asked without them.
func (j *job) describe() (*Reply, error) {
	fields := j.asked()
	info, err := j.info(append(questions[:], fields...)...)
	if f := (*FailureError)(nil); len(fields) > 0 && errors.As(err, &f) && f.Word == wordNotFound && strings.HasPrefix(f.Text, "ATTRIBUTE") {
		return j.info(questions[:]...)
	}
	return info, err
}

// open finds out what the object is, and how to get it.
func (j *job) open() (scheme.Resource, error) {
	info, err := j.describe()
	switch {
	case isFailure(err, wordNotFound):
		// A name within a database is a directory all the same.
		return j.directory(err)
	case err != nil:
		return nil, err
	}
	if info.Forwarded != nil {
		return j.refer(info.Forwarded)
	}
	if err := j.isNamed(info.Attributes); err != nil {
		return nil, err
	}
	if IsDirectory(info.Attributes) {
		if j.req.Probe {
			return &scheme.Menu{URL: j.url.url, Title: j.at.hsoname, Items: func(func(scheme.Item, error) bool) {}}, nil
		}
		return j.directory(nil)
	}
	methods, faults := Methods(info.Attributes, j.at.target(), false)
	if len(methods)+len(faults) == 0 {
		return j.directory(errNoMethod)
	}
	return j.retrieve(info, methods, faults)
}

// directory lists the object. instead is what it means that it is no directory; nil:
// what the server says.
func (j *job) directory(instead error) (scheme.Resource, error) {
	list, err := j.list(j.req.Dial, j.at)
	switch {
	case instead != nil && isFailure(err, wordNotFound, wordNotDirectory):
		if to := GatewayURLs(j.at.hsoname); len(to) > 0 {
			return &scheme.Referral{URL: j.url.url, To: to}, nil
		}
		return nil, instead
	case err != nil:
		return nil, err
	}
	if list.Forwarded != nil {
		return j.refer(list.Forwarded)
	}
	return j.menu(list), nil
}

// info asks for attributes of the object.
func (j *job) info(attributes ...string) (*Reply, error) {
	message, err := AppendInfo(nil, j.query(j.at), attributes...)
	if err != nil {
		return nil, err
	}
	return j.ask(j.req.Dial, j.at, message, attributes[0] == attrContents)
}

// list asks for the links of the directory at a place, by way of d.
func (j *job) list(d scheme.Dialer, at place) (*Reply, error) {
	message, err := AppendList(nil, j.query(at))
	if err != nil {
		return nil, err
	}
	return j.ask(d, at, message, false)
}

// query is what is asked about.
func (j *job) query(at place) *Query {
	q := &Query{Hsoname: at.hsoname, Version: at.version, SoftwareID: j.client.o.SoftwareID}
	if at != j.at {
		return q
	}
	for _, f := range j.url.Fields() {
		if number, ok := f.remote(); ok {
			q.Remote = number
			break
		}
	}
	return q
}

// ask asks, and reads the answer. What the server says has failed is the error.
func (j *job) ask(d scheme.Dialer, at place, message []byte, contents bool) (*Reply, error) {
	text, err := j.exchange(d, at, message, contents)
	if err != nil {
		return nil, err
	}
	r, err := ParseReply(text, &j.client.o.Limits)
	switch {
	case err != nil:
		return nil, err
	case len(r.Unresolved) > 0:
		return nil, fmt.Errorf("%w: the server leaves unresolved what it was not asked: %s", scheme.ErrProtocol, locus.Quote(strings.Join(r.Unresolved, " ")))
	case r.Failure != nil:
		return nil, r.Failure
	}
	return r, nil
}

// isFailure reports whether err is the server's, in one of these words.
func isFailure(err error, words ...string) bool {
	var f *FailureError
	return errors.As(err, &f) && slices.Contains(words, f.Word)
}

// refer leads to where the object is now. What the fields say of it goes along.
func (j *job) refer(t *Target) (scheme.Resource, error) {
	at, err := t.place()
	if err != nil {
		return nil, err
	}
	to, err := at.locator(slices.DeleteFunc(j.url.Fields(), isVersion))
	if err != nil {
		return nil, err
	}
	return &scheme.Referral{URL: j.url.url, To: []locus.URL{to}}, nil
}

func isVersion(f Field) bool { return sameName(f.Name, ObjectVersion) }

// remoteID is what the value of a field ID begins with if the server can be told to
// select the object by it.
const remoteID = "REMOTE "

// remote is the number that the field selects an object by, if it does.
func (f Field) remote() (number string, ok bool) {
	number, ok = strings.CutPrefix(f.Value, remoteID)
	return number, ok && sameName(f.Name, "ID")
}

// isNamed checks that the object is the one that the fields of the URL identify (RFC
// 1738 section 3.11): an attribute of that name has that value, or is missing.
func (j *job) isNamed(list []Attribute) error {
	for _, f := range j.url.Fields() {
		if _, selected := f.remote(); selected || isVersion(f) {
			continue
		}
		found := Find(list, f.Name)
		if len(found) > 0 && !slices.ContainsFunc(found, func(a Attribute) bool { return strings.Join(a.Value, " ") == f.Value }) {
			return fmt.Errorf("%w: not the object named: its %s is %s, and not %s", scheme.ErrNotFound,
				locus.Quote(f.Name), locus.Quote(strings.Join(found[0].Value, " ")), locus.Quote(f.Value))
		}
	}
	return nil
}

// rank orders the ways to an object that one may take: a retrieval without a login
// before one that needs a login, then what no retrieval opens.
type rank int

const (
	retrieval rank = iota
	login
	session
	report
)

func (m Method) rank() rank {
	switch m.Name {
	case methodFTP:
		return login
	case "TELNET", "TN3270":
		return session
	case "NFS", "AFS":
		return report
	}
	return retrieval
}

// way is an access method that can be used: there is a URL for it, or it is to ask
// here.
type way struct {
	Method
	here bool
	url  locus.URL
}

// ways returns the methods that can be used, as the server has them but for their
// rank, and tells why the others can't. here is the object that a method is here
// for; the zero place is none.
func ways(methods []Method, here place) (list []way, others []string) {
	for _, m := range methods {
		w := way{Method: m, here: m.asks(here)}
		var err error
		if w.url, err = m.URL(); err != nil && !w.here {
			others = append(others, err.Error())
			continue
		}
		list = append(list, w)
	}
	slices.SortStableFunc(list, func(a, b way) int { return int(a.rank() - b.rank()) })
	return list, others
}

// asks reports whether m is to ask the server of an object for its contents.
func (m Method) asks(object place) bool {
	if !m.IsContents() {
		return false
	}
	at, err := (&Target{HostType: m.HostType, Host: m.Host, Port: m.Port, Name: m.ObjectName}).place()
	return err == nil && at == object.current()
}

// retrieve gets the object by the first method that can be used. If that is
// Prospero's own, of this object, it is got here; otherwise the referral leads to
// every method but that one, which would lead back, and those that need a login: who
// follows a referral has none, and what FTP shows to anonymous under that name is
// perhaps another object.
func (j *job) retrieve(info *Reply, methods []Method, faults []error) (scheme.Resource, error) {
	list, others := ways(methods, j.at)
	if len(list) > 0 && list[0].here {
		if j.req.Probe {
			return j.described(info), nil
		}
		return j.contents(info)
	}
	var to []locus.URL
	var private *way // the first that needs a login
	for i := range list {
		switch w := &list[i]; {
		case w.here:
		case w.rank() != login:
			to = append(to, w.url)
		case private == nil:
			private = w
		}
	}
	if to = append(to, GatewayURLs(j.at.hsoname)...); len(to) > 0 {
		return &scheme.Referral{URL: j.url.url, To: to}, nil
	}
	if private != nil {
		return nil, private.needsLogin()
	}
	return nil, fmt.Errorf("%w: none of the access methods of the object can be used: %s", scheme.ErrUnsupported, reasons(others, faults))
}

// needsLogin says that a way is for those who have a login, and where.
func (w *way) needsLogin() error {
	before, rest, _ := strings.Cut(w.url.String(), "//")
	return scheme.Hint(fmt.Errorf("%w: access method %s needs a login of one's own", scheme.ErrAuth, locus.Quote(w.Name)),
		"open it by itself, with your user: "+before+"//USER@"+rest)
}

// reasons are why there is no way to something.
func reasons(others []string, faults []error) string {
	for _, fault := range faults {
		others = append(others, fault.Error())
	}
	return strings.Join(others, "; ")
}
