package archive

import (
	"iter"
	"strings"
	"time"

	"github.com/locus-url/locus"
)

// Memento is an archived version of a resource.
type Memento struct {
	URL    locus.URL // original URL, as archived
	Time   time.Time // capture time, in whole seconds
	Status int       // HTTP status; 0 if there is none or it is unknown
	Type   string    // media type; empty if unknown

	entry entry
}

func (s *Store) memento(e entry) Memento {
	u, _ := locus.Parse(e.url)
	return Memento{URL: u, Time: e.date(), Status: e.status, Type: e.media, entry: e}
}

// Mementos yields the mementos of the URL u in chronological order. An error ends the
// sequence.
func (s *Store) Mementos(u locus.URL) iter.Seq2[Memento, error] {
	return func(yield func(Memento, error) bool) {
		for e, err := range s.index.entriesWithPrefix(keyOf(s.registry, u) + "\t") {
			if !yield(s.memento(e), err) || err != nil {
				return
			}
		}
	}
}

// History describes one memento of a URL and the neighboring mementos.
type History struct {
	First, Prev, At, Next, Last Memento // mementos; Prev and Next may be zero
	Count                       int     // number of captures
}

// Nearest returns the memento of the URL u that is nearest to the time t, and its neighbors. If two
// mementos are equally near, Nearest returns the earlier memento. If t is the zero time, Nearest
// uses [Options].At. The result ok is false if the archive does not contain u. If the archive
// contains u with http and with https, only mementos with the scheme of u count. The reason is that
// sites often redirect from http to https.
func (s *Store) Nearest(u locus.URL, t time.Time) (h History, ok bool, err error) {
	if t.IsZero() {
		t = s.options.At
	}
	if h, err = historyAround(s.Mementos(u), t, u.Scheme()); h.Count == 0 && err == nil {
		h, err = historyAround(s.Mementos(u), t, "")
	}
	return h, h.Count > 0 && err == nil, err
}

// historyAround returns the history around the time t. It considers only the mementos in list
// with the given scheme. If scheme is empty, any scheme matches.
func historyAround(list iter.Seq2[Memento, error], t time.Time, scheme string) (h History, err error) {
	var prev Memento
	best := time.Duration(-1)
	for m, err := range list {
		if err != nil {
			return h, err
		}
		if scheme != "" && m.URL.Scheme() != scheme {
			continue
		}
		if h.Count > 0 && m.Time.Equal(prev.Time) {
			// If several records have the same second, the last record counts.
			if h.At.Time.Equal(m.Time) && m.entry.isAfter(&h.At.entry) {
				h.At = m
			}
			continue
		}
		if h.Count++; h.Count == 1 {
			h.First = m
		}
		away := m.Time.Sub(t).Abs()
		if t.IsZero() || best < 0 || away < best {
			h.Prev, h.At, h.Next, best = prev, m, Memento{}, away
		} else if h.Next.URL.IsZero() {
			h.Next = m
		}
		prev = m
	}
	h.Last = prev
	return h, nil
}

// Hosts returns at most n hosts of archived resources, in order. The parameter lastHost is the
// last host that the previous call returned. If it is empty, Hosts begins with the first host.
// Resources without a host are listed under the host "".
func (s *Store) Hosts(lastHost string, n int) (hosts []string, err error) {
	next := " " // digest keys sort before this key
	if lastHost != "" {
		next = lastHost + "!" // the byte after a space
	}
	for len(hosts) < n {
		found := false
		for e, err := range s.index.entriesFrom(next) {
			if err != nil {
				return nil, err
			}
			host, _, _ := strings.Cut(e.key, " ")
			hosts, next, found = append(hosts, host), host+"!", true
			break
		}
		if !found {
			break
		}
	}
	return hosts, nil
}

// Listed is an archived URL in the result of [Store.List].
type Listed struct {
	Memento
	Count int    // number of captures
	After string // position for the next call of [Store.List]
}

// List returns at most n archived URLs of a host, with the last memento of each URL. The
// position is the field After of the last element that the previous call returned. If it is
// empty, List begins with the first URL.
func (s *Store) List(host, position string, n int) (list []Listed, err error) {
	prefix := host + " "
	start := prefix
	if position != "" {
		start = prefix + position + "\n" // sorts after the lines with this key
	}
	for e, err := range s.index.entriesFrom(start) {
		if err != nil {
			return nil, err
		}
		rest, ok := strings.CutPrefix(e.key, prefix)
		if !ok {
			break
		}
		if k := len(list) - 1; k >= 0 && list[k].After == rest {
			list[k].Memento = s.memento(e)
			list[k].Count++
			continue
		}
		if len(list) == n {
			break
		}
		list = append(list, Listed{s.memento(e), 1, rest})
	}
	return list, nil
}

// Near returns an archived URL that is similar to u. Among the archived URLs with the
// scheme and host of u, it returns the URL that shares the longest prefix with u. If the
// archive contains no such URL, Near returns the zero URL. It returns an error if it can't
// read the index.
func (s *Store) Near(u locus.URL) (locus.URL, error) {
	key := keyOf(s.registry, u)
	host, rest, _ := strings.Cut(key, " ")
	name, _, _ := strings.Cut(rest, " ")
	prefix := host + " " + name + " "
	for {
		for e, err := range s.index.entriesFrom(key) {
			if err != nil {
				return locus.URL{}, err
			}
			if strings.HasPrefix(e.key, key) {
				return s.memento(e).URL, nil
			}
			break
		}
		if len(key) <= len(prefix) {
			return locus.URL{}, nil
		}
		// Shorten the key to a separator, so that few lookups suffice.
		key = key[:len(prefix)+strings.LastIndexAny(key[len(prefix):len(key)-1], "/?.&=;%\t")+1]
	}
}
