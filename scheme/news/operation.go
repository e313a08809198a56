package news

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/lineconn"
)

// operation is one call of Client.Open. It lasts until the caller has read or closed the
// resource. When ctx ends, the operation closes the connection, so that reads from the
// resource fail.
type operation struct {
	client *Client
	ctx    context.Context
	req    *scheme.Request
	url    URL
	server locus.URL
	key    lineconn.Key

	lineconn.Lease
	conn     *conn
	switched bool // the client sent MODE READER because the server required it

	answer   *scheme.Credentials // result of req.Ask; nil if there is none, or if the server rejected it
	refused  int                 // number of logins from req.Ask that the server rejected
	source   *archived.Buffer    // buffer for the replies that form a list; nil if the caller needs no source
	archived bool                // the replies come from an archive
	wanted   scheme.ItemRange    // items that the caller selects from an archived list
}

// run performs the operation. It reuses an idle connection if there is one. If the server has
// closed the idle connection, run opens a new connection.
func (x *operation) run() (scheme.Resource, error) {
	if kept, ok := x.client.takeIdle(x.key, x.url.newsgroup); ok {
		x.use(kept)
		same, err := x.sameLogin()
		if err != nil || !same {
			x.End(true)
		} else {
			res, err := x.perform()
			if !lineconn.IsStale(err) {
				return res, err
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if err := x.connect(); err != nil {
		return nil, err
	}
	return x.perform()
}

func (x *operation) use(c *conn) {
	x.conn, x.switched = c, false
	c.source = nil
	x.Begin(x.ctx, &c.Conn, x.req, func() { x.client.pool.Put(c) })
}

// Close closes the connection unless the client has read the whole response.
func (x *operation) Close() error {
	x.End(false)
	return nil
}

// sameLogin reports whether a reused connection has the login that this operation would use.
// It calls Request.Ask again, because the result may differ from the earlier result.
func (x *operation) sameLogin() (bool, error) {
	if !x.conn.loginFromAsk {
		return true, nil
	}
	if x.req.Ask == nil {
		return false, nil
	}
	if err := x.ask(x.conn.realm); err != nil {
		return false, err
	}
	return *x.answer == *x.conn.login, nil
}

// perform opens the resource. If the server first requires a step such as a login, perform
// carries out the step and tries again.
func (x *operation) perform() (scheme.Resource, error) {
	for {
		res, err := x.open()
		if err == nil {
			return res, nil
		}
		if err = x.remedy(err); err != nil {
			x.End(true)
			return nil, err
		}
	}
}

func (x *operation) open() (res scheme.Resource, err error) {
	switch n := x.url; {
	case n.messageID != "":
		return x.openArticle(bracketed(n.messageID))
	case n.hasNumber:
		err = x.inGroup(func() (err error) {
			res, err = x.openArticle(strconv.FormatUint(n.number, 10))
			return err
		})
		return res, err
	case n.newsgroup != "":
		return x.listGroup()
	}
	return x.listGroups()
}

// remedy carries out the step that the reply in err requires, but each step at most once. If
// no step remains, it returns an error.
func (x *operation) remedy(err error) error {
	refused := (*lineconn.ReplyError)(nil)
	if !errors.As(err, &refused) || x.conn.Broken {
		return err
	}
	switch refused.Code {
	case codeNotReader:
		if x.switched {
			return err
		}
		x.switched = true
		return x.conn.sendModeReader()
	case codeNoEncryption:
		return x.encrypt(err)
	case codeNoLogin:
		return x.logIn(refused)
	}
	return err
}

// encrypt starts TLS after the reply in err has required TLS.
func (x *operation) encrypt(err error) error {
	if !x.conn.tls && x.client.o.StartTLS != TLSOff {
		if done, failed := x.startTLS(); failed != nil {
			return failed
		} else if done {
			return x.conn.becomeReader()
		}
	}
	return scheme.Hint(err, "the server requires TLS: try nntps:")
}

// maxLogins is the maximum number of calls of Request.Ask for one server.
const maxLogins = 3

// logIn sends a login, which the server requires in the given reply.
func (x *operation) logIn(requirement *lineconn.ReplyError) error {
	if x.conn.login != nil {
		return scheme.Hint(requirement, "the server accepted the login, but it does not permit this request")
	}
	if err := x.protect(); err != nil {
		return err
	}
	for {
		login, asked, err := x.login(requirement.Text)
		if err != nil {
			return err
		}
		if err = x.conn.authenticate(login); err == nil {
			x.conn.loginFromAsk, x.conn.realm = asked, requirement.Text
			return x.conn.becomeReader()
		}
		if wrong := (*loginError)(nil); !errors.As(err, &wrong) {
			return err
		}
		x.answer = nil
		if x.refused++; !asked || x.refused == maxLogins {
			return scheme.Hint(err, "the server refused this user and password")
		}
	}
}

// protect ensures that a login is not sent without TLS, unless the options allow this.
func (x *operation) protect() error {
	if x.conn.tls {
		return nil
	}
	if x.client.o.StartTLS != TLSOff {
		if done, err := x.startTLS(); err != nil {
			return err
		} else if done {
			return x.conn.becomeReader()
		}
	}
	if x.client.o.ClearLogin {
		return nil
	}
	return scheme.HintFor(fmt.Errorf("%w: the server requires a login, but the connection has no TLS to protect it", scheme.ErrAuth),
		scheme.ReasonClearLogin, "try nntps:, or allow a login without TLS")
}

// login returns the user and password in the server's URL or, if there are none, the result of
// Request.Ask. If the login is the result of Request.Ask, fromAsk is true.
func (x *operation) login(realm string) (login scheme.Credentials, fromAsk bool, err error) {
	if k := &x.key; k.HasUser && k.HasPassword {
		return scheme.Credentials{User: k.User, Password: k.Password}, false, nil
	}
	if x.answer == nil {
		if err := x.ask(realm); err != nil {
			return scheme.Credentials{}, false, err
		}
	}
	return *x.answer, true, nil
}

func (x *operation) ask(realm string) (err error) {
	missing := scheme.Hint(fmt.Errorf("%w: the server requires a login: %s", scheme.ErrAuth, locus.Quote(realm)), "the URL has no login, and none was given")
	x.answer, err = lineconn.Ask(x.ctx, x.req, scheme.Question{URL: x.server, Realm: realm, User: x.key.User, Attempt: x.refused}, missing)
	return err
}

// inGroup selects the newsgroup and calls f. If the newsgroup was already selected and f finds
// no article, inGroup selects the newsgroup again and repeats the call, because new articles
// may have arrived.
func (x *operation) inGroup(f func() error) error {
	name := x.url.newsgroup
	before := x.conn.group.name == name
	if _, err := x.conn.selectGroup(name, false); err != nil {
		return err
	}
	err := f()
	if !before || !errors.Is(err, scheme.ErrNotFound) {
		return err
	}
	if _, err := x.conn.selectGroup(name, true); err != nil {
		return err
	}
	return f()
}

// openArticle opens an article. The argument is a message-id, or a number in the selected
// newsgroup.
func (x *operation) openArticle(which string) (scheme.Resource, error) {
	o := &scheme.Object{URL: x.req.URL, Type: articleType, Size: -1}
	if x.req.Probe {
		r, err := x.conn.expect(223, "STAT", which)
		if err != nil {
			return nil, err
		}
		x.End(true)
		o.Name, o.Body = articleID(r), io.NopCloser(strings.NewReader(""))
		return o, nil
	}
	r, err := x.conn.expect(220, "ARTICLE", which)
	if err != nil {
		return nil, err
	}
	b := newBody(x)
	o.Name, o.ModTime, o.Body = articleID(r), b.date(), scheme.Limit(b, x.req.Limit)
	return o, nil
}
