package message

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
)

// isEncodedMessage reports whether n is an enclosed message with a transfer encoding. RFC 2046
// section 5.2.1 forbids a transfer encoding for message/rfc822, and RFC 6532 section 3.5
// permits it for message/global. Programs write both.
func (n *node) isEncodedMessage() bool { return isMessage(n.typ) && !isIdentity(n.encoding) }

// openEncoded decodes the enclosed messages with a transfer encoding, and inserts their nodes.
// The decoded messages stay in memory, because their parts have no offsets in the input.
func (s *scanner) openEncoded() error {
	m := s.m
	if !slices.ContainsFunc(m.nodes, func(n node) bool { return n.isEncodedMessage() }) {
		return nil
	}
	nodes, faulty := m.nodes, len(s.faulty)
	moved := make([]int, len(nodes)) // the new index of each node
	added := 0                       // number of nodes that were added for encoded messages
	m.nodes = make([]node, 0, len(nodes)+1)
	for i, n := range nodes {
		at := len(m.nodes)
		moved[i] = at
		if n.parent >= 0 {
			n.parent = moved[n.parent]
		}
		m.nodes = append(m.nodes, n)
		if !n.isEncodedMessage() {
			continue
		}
		inner, err := s.decodeInner(at, len(nodes)+added)
		if err != nil {
			m.nodes = nodes
			for j := faulty; j < len(s.faulty); j++ {
				s.faulty[j] = -1
			}
			return err
		}
		if inner != nil {
			added += len(inner.m.nodes)
			s.insert(at, inner)
		}
	}
	for i, n := range s.faulty[:faulty] {
		if n >= 0 {
			s.faulty[i] = moved[n]
		}
	}
	return nil
}

// insert appends the nodes and faults of an enclosed message. container is the index of the node
// that contains the message. That node must be the last node.
func (s *scanner) insert(container int, inner *scanner) {
	m := s.m
	m.nodes[container].children = 1
	enclosed := m.encloses(container)
	for _, n := range inner.m.nodes {
		n.parent += container + 1 // the parent of the enclosed message changes from -1 to container
		n.enclosed = n.enclosed || enclosed
		if n.r == nil {
			n.r = inner.m.r
		}
		m.nodes = append(m.nodes, n)
	}
	for i, f := range inner.m.Faults {
		s.addFault(f.Rule, m.nodes[container].body, inner.faulty[i]+container+1, f.Text)
	}
}

// decodeInner scans the enclosed message of node i. decodeInner returns nil and reports a fault
// if the content is not a message, or if a limit is reached. nodeCount is the number of nodes so
// far, because enclosed messages share the limits of the whole message.
func (s *scanner) decodeInner(i, nodeCount int) (*scanner, error) {
	m := s.m
	n := &m.nodes[i]
	limited := func(format string, args ...any) (*scanner, error) {
		s.addFault(RuleLimit, n.body, i, fmt.Sprintf(format, args...)+": it is not split")
		return nil, nil
	}
	limits := m.limits
	limits.Parts -= nodeCount
	for parent := n.parent; parent >= 0; parent = m.nodes[parent].parent {
		limits.Depth--
	}
	switch {
	case limits.Parts < 0:
		return limited("more than %d parts", m.limits.Parts)
	case limits.Depth <= 0:
		return limited("nested more than %d levels deep", m.limits.Depth)
	case limits.Buffered <= 0:
		return limited("its encoded messages are too large for memory")
	}
	limits.Depth--
	var b bytes.Buffer
	encoded := io.NewSectionReader(m.r, n.body, n.end-n.body)
	_, err := io.CopyN(&b, newDecodingReader(n.encoding, encoded, encoded.Size()), limits.Buffered+1)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("message: byte %d: %w", n.body, err)
	}
	size := int64(b.Len())
	if size > limits.Buffered {
		return limited("its encoded messages have more than %d bytes", limits.Buffered)
	}
	limits.Buffered -= size
	inner := newScanner(&Message{r: bytes.NewReader(b.Bytes()), size: size, limits: limits})
	err = inner.scan()
	m.limits.Buffered = inner.m.limits.Buffered
	if errors.Is(err, ErrNoMessage) {
		s.addFault(RuleHeaderLine, n.body, i, "the encoded content is not a message: it has no header")
		return nil, nil
	}
	// The only other error means that a header is too large, which the scanner has reported as
	// a fault.
	return inner, nil
}
