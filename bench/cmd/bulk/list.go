package main

import (
	"bufio"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/locus-url/locus/bench"
)

// writeList writes a list of n lines, similar to the list of a crawler, with 0.28 n distinct URLs.
// Each line contains a new URL or repeats an earlier URL. Half of the repeated URLs are from the
// last thousand lines. The parameter others is the percentage of lines that are not in canonical
// form. Equal parameters give equal lists.
func writeList(to io.Writer, n, others int) {
	out := bufio.NewWriterSize(to, 1<<20)
	r := rand.New(rand.NewPCG(7, uint64(n)))
	var b []byte
	fresh := uint64(0)
	for range n {
		k := fresh
		switch p := r.Float64(); {
		case p < 0.28 || fresh == 0:
			fresh++
		case p < 0.64:
			k -= 1 + r.Uint64N(min(fresh, 1000))
		default:
			k = r.Uint64N(fresh)
		}
		b = appendURL(b[:0], k, r.IntN(100) < others)
		bench.Must(out.Write(b))
	}
	bench.Check(out.Flush())
}

var words = strings.Fields(`news archive article images static blog wiki forum user page item product
	category search index media download video photo gallery thread topic post comment
	about contact help software library research paper report annual data public`)

// appendURL appends the URL with the number k and a line end. If the parameter other is true, the
// URL contains an uppercase scheme, the default port, and an escaped letter.
func appendURL(b []byte, k uint64, other bool) []byte {
	r := rand.NewPCG(k, 11)
	x := r.Uint64()
	pick := func(n uint64) uint64 {
		if x < 1<<24 {
			x = r.Uint64()
		}
		v := x % n
		x /= n
		return v
	}
	scheme, port := "https", ":443"
	if pick(3) == 0 {
		scheme, port = "http", ":80"
	}
	if other {
		scheme = strings.ToUpper(scheme)
	}
	b = append(append(b, scheme...), "://"...)
	// Choose a few hosts much more often than others.
	host := pick(1 << (4 + pick(15)))
	if host%3 > 0 {
		b = append(b, "www."...)
	}
	b = append(append(b, words[host%uint64(len(words))]...), strconv.FormatUint(host, 36)...)
	b = append(b, [...]string{".com", ".org", ".example", ".de", ".ac.uk"}[host%5]...)
	if other {
		b = append(b, port...)
	}
	for range 1 + pick(6) {
		b = append(append(b, '/'), words[pick(uint64(len(words)))]...)
	}
	if other {
		b = append(b, "/%69d-"...)
	} else {
		b = append(b, "/id-"...)
	}
	b = strconv.AppendUint(b, k, 36)
	switch pick(3) {
	case 0:
		b = append(b, ".html"...)
	case 1:
		b = append(strconv.AppendUint(append(b, "?session="...), pick(1<<20), 16), "&lang=en"...)
	}
	return append(b, '\n')
}
