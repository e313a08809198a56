package nntp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// exchange is one use of a connection, from when it is there to the end of what is
// read. When its context ends, the connection is closed, and what waits for it
// fails.
type exchange struct {
	job      *job
	ctx      context.Context
	conn     *conn
	switched bool // to a server for readers, because it asked for that

	mu   sync.Mutex
	stop func() bool // ends the watch over ctx
	over bool
}

func newExchange(ctx context.Context, j *job, c *conn) *exchange {
	x := &exchange{job: j, ctx: ctx, conn: c}
	c.trace = j.req.Trace
	x.mu.Lock() // the context may end before there is a stop
	defer x.mu.Unlock()
	x.stop = context.AfterFunc(ctx, func() { x.end(false) })
	return x
}

// end ends the exchange, once. If keep is set, the connection is kept for another,
// unless the state that its server is in is not known; else it is closed.
func (x *exchange) end(keep bool) {
	x.mu.Lock()
	over, stop := x.over, x.stop
	x.over = true
	x.mu.Unlock()
	if over {
		return
	}
	stop()
	if keep && x.conn.reusable() {
		x.job.client.keep(x.conn)
	} else {
		x.conn.hangUp()
	}
}

// Close ends the exchange. What is not read to its end is broken off.
func (x *exchange) Close() error {
	x.end(false)
	return nil
}

// failure is what err means if the context may have ended.
func (x *exchange) failure(err error) error {
	if x.ctx.Err() != nil {
		err = context.Cause(x.ctx)
	}
	return fmt.Errorf("nntp: %w", err)
}

// perform does the job, again and again as long as what the server misses can be
// given to it.
func (x *exchange) perform() (scheme.Resource, error) {
	for {
		res, err := x.job.do(x)
		if err == nil {
			return res, nil
		}
		if err = x.remedy(err); err != nil {
			x.end(true)
			return nil, err
		}
	}
}

// remedy does what a server asks for before it does what it was asked for. Each
// thing is done once. The error is err if there is nothing to do.
func (x *exchange) remedy(err error) error {
	refused := (*ReplyError)(nil)
	if !errors.As(err, &refused) || x.conn.broken {
		return err
	}
	switch refused.Reply.Code {
	case codeNotReader:
		if x.switched {
			return err
		}
		x.switched = true
		return x.conn.modeReader()
	case codeNoEncryption:
		return x.encrypt(err)
	case codeNoLogin:
		return x.logIn(refused)
	}
	return err
}

// encrypt goes over to TLS because the server said so in err.
func (x *exchange) encrypt(err error) error {
	if !x.conn.tls && x.job.client.o.StartTLS != TLSOff {
		if done, failed := x.startTLS(); failed != nil {
			return failed
		} else if done {
			return x.conn.becomeReader()
		}
	}
	return scheme.Hint(err, "the server wants TLS: nntps: may work")
}

// maxLogins is how often a person is asked for the login to one server.
const maxLogins = 3

// logIn logs in because the server said so in refused.
func (x *exchange) logIn(refused *ReplyError) error {
	if x.conn.login != nil {
		return scheme.Hint(refused, "the login is good, and not enough for this")
	}
	if err := x.protect(); err != nil {
		return err
	}
	for {
		login, asked, err := x.login(refused.Reply.Text)
		if err != nil {
			return err
		}
		if err = x.conn.authenticate(login); err == nil {
			x.conn.asked, x.conn.realm = asked, refused.Reply.Text
			return x.conn.becomeReader()
		}
		if wrong := (*loginError)(nil); !errors.As(err, &wrong) {
			return err
		}
		x.job.answer = nil
		if x.job.refused++; !asked || x.job.refused == maxLogins {
			return scheme.Hint(err, "the server refused this user and password")
		}
	}
}

// protect sees to it that a login does not cross the network in clear, unless that
// is allowed.
func (x *exchange) protect() error {
	o := &x.job.client.o
	if x.conn.tls {
		return nil
	}
	if o.StartTLS != TLSOff {
		if done, err := x.startTLS(); err != nil {
			return err
		} else if done {
			return x.conn.becomeReader()
		}
	}
	if o.ClearLogin {
		return nil
	}
	return scheme.Hint(fmt.Errorf("%w: the server wants a login, and there is no TLS to protect it", scheme.ErrAuth),
		"nntps: may work; else news.clear_login in the configuration lets it cross in clear")
}

// login returns user and password: the URL's, or what a person answers, which
// asked tells.
func (x *exchange) login(realm string) (login scheme.Credentials, asked bool, err error) {
	j := x.job
	if at := &j.place; at.hasUser && at.hasSecret {
		return scheme.Credentials{User: at.user, Password: at.password}, false, nil
	}
	if j.answer == nil {
		if err := j.ask(x.ctx, realm); err != nil {
			return scheme.Credentials{}, false, err
		}
	}
	return *j.answer, true, nil
}

// ask asks for a login.
func (j *job) ask(ctx context.Context, realm string) error {
	missing := scheme.Hint(fmt.Errorf("%w: the server wants a login: %s", scheme.ErrAuth, locus.Quote(realm)), "the URL has none, and there was nobody to ask")
	if j.req.Ask == nil {
		return missing
	}
	answer, ok, err := j.req.Ask(ctx, scheme.Question{URL: j.server, Realm: realm, User: j.place.user, Attempt: j.refused})
	switch {
	case err != nil:
		return err
	case !ok:
		return missing
	case answer.User == "":
		answer.User = j.place.user
	}
	j.answer = &answer
	return nil
}

// numbered opens an article by its number.
func (x *exchange) numbered(newsgroup string, number uint64) (res scheme.Resource, err error) {
	err = x.inGroup(newsgroup, func() (err error) {
		res, err = x.article(strconv.FormatUint(number, 10))
		return err
	})
	return res, err
}

// inGroup calls f with the newsgroup selected. If that is so from before, and the
// server finds nothing, it is selected again: there may be new articles.
func (x *exchange) inGroup(newsgroup string, f func() error) error {
	before := x.conn.group.name == newsgroup
	if _, err := x.conn.selectGroup(newsgroup, false); err != nil {
		return err
	}
	err := f()
	if !before || !errors.Is(err, scheme.ErrNotFound) {
		return err
	}
	if _, err := x.conn.selectGroup(newsgroup, true); err != nil {
		return err
	}
	return f()
}

// stat asks whether what n names is there.
func (x *exchange) stat(n URL) (err error) {
	if number, ok := n.ArticleNumber(); ok {
		err = x.inGroup(n.newsgroup, func() error {
			_, err := x.conn.expect(223, "STAT", strconv.FormatUint(number, 10))
			return err
		})
	} else {
		_, err = x.conn.selectGroup(n.newsgroup, true)
	}
	if err == nil {
		x.end(true)
	}
	return err
}

// article opens an article by its number in the newsgroup that is selected, or by
// its message-id.
func (x *exchange) article(which string) (scheme.Resource, error) {
	if x.job.req.Probe {
		r, err := x.conn.expect(223, "STAT", which)
		if err != nil {
			return nil, err
		}
		x.end(true)
		return &scheme.Object{URL: x.job.req.URL, Name: articleID(r), Type: articleType, Size: -1, Body: io.NopCloser(strings.NewReader(""))}, nil
	}
	r, err := x.conn.expect(220, "ARTICLE", which)
	if err != nil {
		return nil, err
	}
	b := newBody(x)
	return &scheme.Object{
		URL:     x.job.req.URL,
		Name:    articleID(r),
		Type:    articleType,
		Size:    -1,
		ModTime: b.date(),
		Body:    scheme.Limit(b, x.job.req.Limit),
	}, nil
}
