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
//     that could read a request as commands ([Rules.Ports] adds to them). Section 6
//     has the example, "using gopher URLs to cause a rude message to be sent via a
//     SMTP server", and asks for caution "especially when it is a number within the
//     reserved space".
//   - Control octets (00 to 1F, and 7F) that the server would get decoded: on the
//     scheme's own port alone. TAB in a gopher URL may go to any port that is
//     allowed, because it separates a selector from a search.
//   - Addresses: public ones, see [IsPublic].
//   - Neither passwords in URLs, which section 6 calls "clearly unwise", nor files.
//   - Ten referrals in a row. A referral never leads to a file, save from a file;
//     it never brings a login or such a control octet; it never leads to an
//     interactive service, or to a letter. It leads to a scheme other than http and
//     https on that scheme's own port, or at the host and port that sent it.
//   - Names: a link or a referral never leads from one host to the name of a local
//     network on another (.local, .internal, home.arpa, a name of one label).
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
