// Package policy decides where a URL may lead (RFC 1738 section 6). It decides
// only: it looks nothing up and opens nothing, so every rule can be tested with
// values alone.
//
// A URL passes two gates. [Policy.CheckURL] judges it before anything is sent,
// name look-up included: file, password, host, port. [Policy.CheckAddr] judges
// each address that the host's name turned out to have, at the moment it is
// dialled, because a name can mean another address each time one asks. What was
// found in something else, a redirect or the link of a menu, first passes
// [Policy.CheckReferral].
//
// # What is allowed by the zero Rules
//
//   - Ports: the scheme's own, and those from 1024 up, less the ports of services
//     to which text that somebody chose could be commands ([Rules.Ports] adds to
//     them). Section 6 has the example, "using gopher URLs to cause a rude
//     message to be sent via a SMTP server", and asks for caution "especially
//     when it is a number within the reserved space". A gopher URL with lines to
//     send in it, the answers to a form, may name no port but its own; one of a
//     phone book may name 105, which is theirs.
//   - Addresses: public ones, see [IsPublic].
//   - Neither passwords in URLs, which section 6 calls "clearly unwise", nor files.
//   - Ten referrals in a row. Never one that leads to a file, save from a file;
//     never one that brings a login; never one to an interactive service, or to
//     something that sends mail; to gopher on its own port alone.
//
// # Zones
//
// Who asks matters as much as what is asked for. A person may well name the
// printer in the next room, but no server out there may send us to it. The [Zone]
// of a URL says how it came to be opened.
//
// # What is refused whatever the rules say
//
// A host that is not in the form of section 5: so 127.1, 0x7f.1, 0177.0.0.1,
// 2130706433, full-width digits, %6c%6f, a final dot. Programs disagree what
// those mean, and disagreement between a check and a connection is how checks
// are passed by. Port 0.
package policy
