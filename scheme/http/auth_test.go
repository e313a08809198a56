package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
)

// serveProtected starts a server that requires the user "bob" and the password "s3:cr/et ü".
func serveProtected(t *testing.T) (base string, seen *[]string) {
	t.Helper()
	seen = new([]string)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		*seen = append(*seen, r.Header.Get("Authorization"))
		if user, password, ok := r.BasicAuth(); ok && user == "bob" && password == "s3:cr/et ü" {
			io.WriteString(w, "gold")
			return
		}
		w.Header().Add("WWW-Authenticate", `Digest realm="no", nonce="a,b"`)
		w.Header().Add("WWW-Authenticate", `basic charset="UTF-8", realm="the \"vault\""`)
		w.WriteHeader(http.StatusUnauthorized)
	}), seen
}

const secretText = "s3%3Acr%2Fet%20%C3%BC"

// checkNoPassword fails the test if text contains a part of the password.
func checkNoPassword(t *testing.T, what, text string) {
	t.Helper()
	for _, part := range []string{"s3", "cr/et", "Ym9i", secretText} {
		if strings.Contains(text, part) {
			t.Errorf("%s shows the password: %s", what, text)
		}
	}
}

func TestLoginOfTheURL(t *testing.T) {
	base, seen := serveProtected(t)
	var trace []string
	with := func(r *scheme.Request) {
		r.Trace = func(sent bool, line string) { trace = append(trace, line) }
	}
	host := strings.TrimPrefix(base, "http://")
	o := getObject(t, "http://bob:"+secretText+"@"+host+"/x", with)
	if text, err := io.ReadAll(o.Body); string(text) != "gold" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	// RFC 1738 section 3.3 allows no login in a URL, so the client must send the login only
	// after the server requires one.
	if len(*seen) != 2 || (*seen)[0] != "" || (*seen)[1] == "" {
		t.Errorf("sent %q", *seen)
	}
	if !strings.Contains(o.Note, "RFC 1738 3.3") || !strings.Contains(o.Note, "the server requested them, so they were sent") {
		t.Errorf("note %q", o.Note)
	}
	checkNoPassword(t, "note", o.Note)
	if !strings.Contains(strings.Join(trace, "\n"), "Authorization: Basic ***") {
		t.Errorf("%q", trace)
	}
	_, err := openURL(t, "http://bob:"+strings.ToUpper(secretText)+"s3@"+host+"/x", with)
	if !errors.Is(err, scheme.ErrAuth) || !strings.Contains(err.Error(), "vault") {
		t.Errorf("wrong password: %v", err)
	}
	checkNoPassword(t, "error", err.Error())
	checkNoPassword(t, "trace", strings.Join(trace, "\n"))
	*seen = nil
	// The client must not send an empty user.
	if _, err := openURL(t, "http://@"+host+"/x", nil); !errors.Is(err, scheme.ErrAuth) || (*seen)[0] != "" {
		t.Errorf("empty user: %v, %q", err, *seen)
	}
}

// The client must not send a login that the server does not require.
func TestUnwantedLogin(t *testing.T) {
	var sent []string
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Authorization"))
		io.WriteString(w, "public")
	})
	o := getObject(t, strings.Replace(base, "http://", "http://bob:s3@", 1)+"/x", nil)
	defer o.Close()
	if len(sent) != 1 || sent[0] != "" {
		t.Errorf("sent %q", sent)
	}
	if !strings.Contains(o.Note, "the server did not request them, so they were not sent") {
		t.Errorf("note %q", o.Note)
	}
	checkNoPassword(t, "note", o.Note)
	plain := getObject(t, base+"/x", nil)
	defer plain.Close()
	if plain.Note != "" {
		t.Errorf("note %q", plain.Note)
	}
}

func TestAsk(t *testing.T) {
	base, seen := serveProtected(t)
	type answer struct {
		credentials scheme.Credentials
		ok          bool
		err         error
	}
	good := scheme.Credentials{User: "bob", Password: "s3:cr/et ü"}
	bad := scheme.Credentials{User: "bob", Password: "s3"}
	broken := errors.New("no terminal")
	for _, c := range []struct {
		name    string
		login   string
		answers []answer
		want    error
		sent    int
	}{
		{"right at once", "", []answer{{good, true, nil}}, nil, 2},
		{"right at last", "", []answer{{bad, true, nil}, {bad, true, nil}, {good, true, nil}}, nil, 4},
		{"never right", "", []answer{{bad, true, nil}, {bad, true, nil}, {bad, true, nil}}, scheme.ErrAuth, 4},
		{"no answer", "", []answer{{ok: false}}, scheme.ErrAuth, 1},
		{"failure", "", []answer{{err: broken}}, broken, 1},
		{"the URL's is wrong", "bob:s3@", []answer{{good, true, nil}}, nil, 3},
		{"unsendable", "", []answer{{scheme.Credentials{User: "a:b"}, true, nil}}, scheme.ErrAuth, 1},
	} {
		*seen = nil
		asked := 0
		u := strings.Replace(base, "http://", "http://"+c.login, 1) + "/x"
		_, err := openURL(t, u, func(r *scheme.Request) {
			r.Ask = func(_ context.Context, q scheme.Question) (scheme.Credentials, bool, error) {
				attempt, user := asked, ""
				if c.login != "" {
					attempt++
				}
				if asked > 0 || c.login != "" {
					user = "bob"
				}
				if q.Realm != `the "vault"` || q.Attempt != attempt || q.User != user || q.URL.String() != u {
					t.Errorf("%s: question %+v", c.name, q)
				}
				a := c.answers[asked]
				asked++
				return a.credentials, a.ok, a.err
			}
		})
		if !errors.Is(err, c.want) || asked != len(c.answers) || len(*seen) != c.sent {
			t.Errorf("%s: %v; asked %d times, sent %d", c.name, err, asked, len(*seen))
		}
		checkNoPassword(t, c.name, fmt.Sprint(err))
	}
}

func TestAskOnlyForBasic(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Digest realm="x", Negotiate`)
		w.WriteHeader(http.StatusUnauthorized)
	})
	_, err := openURL(t, base, func(r *scheme.Request) {
		r.Ask = func(context.Context, scheme.Question) (scheme.Credentials, bool, error) {
			t.Error("asked for a login that can't be sent")
			return scheme.Credentials{}, false, nil
		}
	})
	if !errors.Is(err, scheme.ErrAuth) || !strings.Contains(err.Error(), "Digest, Negotiate") {
		t.Error(err)
	}
}

func TestChallenges(t *testing.T) {
	for value, want := range map[string][]challenge{
		`Basic realm="a"`:                 {{"Basic", "a"}},
		`basic realm = a`:                 {{"basic", "a"}},
		`Basic`:                           {{"Basic", ""}},
		`Basic charset="UTF-8",realm="b"`: {{"Basic", "b"}},
		`Digest realm="a, Basic realm=x", nonce="1", Basic realm="c \"d\" \\"`: {{"Digest", "a, Basic realm=x"}, {"Basic", `c "d" \`}},
		`Negotiate abc==, Basic realm="x"`:                                     {{"Negotiate", ""}, {"Basic", "x"}},
		`,, Basic realm="x" ,`:                                                 {{"Basic", "x"}},
		`realm="x"`:                                                            nil,
		`Basic realm="open`:                                                    {{"Basic", "open"}},
		"":                                                                     nil,
	} {
		if got := parseChallenges([]string{value}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
