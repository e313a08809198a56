package waistest

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// A term is a function that counts its matches in a document. The argument words maps the words in the
// document to their counts.
type term func(words map[string]int) int

// wordTerm returns a term for one word. If the token ends with "*", the term matches all words
// that begin with the rest of the token.
func wordTerm(token string) term {
	prefix, open := strings.CutSuffix(token, "*")
	if !open {
		return func(words map[string]int) int { return words[token] }
	}
	return func(words map[string]int) (n int) {
		for w, count := range words {
			if strings.HasPrefix(w, prefix) {
				n += count
			}
		}
		return n
	}
}

// parser parses the words of a query, which have this grammar:
//
//	expression  conjunction { [ "or" ] conjunction }
//	conjunction operand { ( "and" | "not" ) operand }
//	operand     word | word "*" | "(" expression ")"
type parser struct {
	tokens []string
}

const maxDepth = 50

// parseWords parses the words of a query. If there is a syntax error, ok is false.
func parseWords(words string) (t term, ok bool) {
	p := &parser{tokens: tokens(words)}
	t, ok = p.expression(0)
	return t, ok && len(p.tokens) == 0
}

func tokens(words string) (list []string) {
	spaced := strings.NewReplacer("(", " ( ", ")", " ) ", "*", "* ").Replace(strings.ToLower(words))
	separates := func(c rune) bool { return isSeparator(c) && !strings.ContainsRune("()*", c) }
	return strings.FieldsFunc(spaced, separates)
}

func (p *parser) next() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *parser) skip() { p.tokens = p.tokens[1:] }

func (p *parser) expression(depth int) (t term, ok bool) {
	t, ok = p.conjunction(depth)
	for ok && p.next() != "" && p.next() != ")" {
		if p.next() == "or" {
			p.skip()
		}
		left := t
		var right term
		right, ok = p.conjunction(depth)
		t = func(words map[string]int) int { return left(words) + right(words) }
	}
	return t, ok
}

func (p *parser) conjunction(depth int) (t term, ok bool) {
	t, ok = p.operand(depth)
	for ok && (p.next() == "and" || p.next() == "not") {
		left, not := t, p.next() == "not"
		p.skip()
		var right term
		right, ok = p.operand(depth)
		t = func(words map[string]int) int {
			m, n := left(words), right(words)
			if m == 0 || not == (n > 0) {
				return 0
			}
			return m + n
		}
	}
	return t, ok
}

func (p *parser) operand(depth int) (t term, ok bool) {
	token := p.next()
	switch token {
	case "", ")", "*", "and", "or", "not":
		return nil, false
	}
	p.skip()
	if token != "(" {
		return wordTerm(token), true
	}
	if depth == maxDepth {
		return nil, false
	}
	if t, ok = p.expression(depth + 1); !ok || p.next() != ")" {
		return nil, false
	}
	p.skip()
	return t, true
}

type hit struct {
	d     *document
	score int
}

// search returns the hits in db, the best hit first. If s.Words contains a syntax error, ok is
// false.
func (db *database) search(s Search, score func(Search, *Document) int) (hits []hit, ok bool) {
	t, ok := parseWords(s.Words)
	if !ok {
		return nil, false
	}
	if score == nil {
		hits = db.findMatches(t, s.Like)
	} else {
		for _, d := range db.documents {
			hits = append(hits, hit{d, score(s, &d.Document)})
		}
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.score <= 0 })
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return hits, true
}

// findMatches returns the hits for a term and example texts. A document receives one point for
// each match, and one point for each longer word that it shares with an example. The method
// then scales the points to scores of at most 1000.
func (db *database) findMatches(t term, like [][]byte) (hits []hit) {
	shared := exampleWords(like)
	best := 1
	for _, d := range db.documents {
		words := d.words()
		points := t(words)
		for w := range shared {
			if words[w] > 0 {
				points++
			}
		}
		best = max(best, points)
		hits = append(hits, hit{d, points})
	}
	for i := range hits {
		hits[i].score = (hits[i].score*1000 + best - 1) / best
	}
	return hits
}

func exampleWords(texts [][]byte) map[string]bool {
	const shortest = 4 // shorter words occur in most documents
	words := make(map[string]bool)
	for _, octets := range texts {
		for w := range bytes.FieldsFuncSeq(octets, isSeparator) {
			if len(w) >= shortest {
				words[string(bytes.ToLower(w))] = true
			}
		}
	}
	return words
}
