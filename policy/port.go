package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
)

// firstFree is the first port that is not "within the reserved space", of which
// RFC 1738 section 6 warns.
const firstFree = 1024

// service is a run of ports, and what listens there.
type service struct {
	first, last uint16
	name        string
}

// services are the ports from firstFree up that are nobody's but a listed
// service's. A port is here because text that the author of a URL chose, sent
// there as a gopher selector or as the head of an HTTP request, could be a
// command: the service reads lines, or any octets, and many of them ask nobody
// for a password. The binary protocols among them are here because no URL has
// business there and browsers refuse them too.
//
// Not here, though one might think so: ports at which people do run FTP, gopher
// and HTTP (2121, 3128, 7070, 8000 to 8888, 9000, 9090); FastCGI (9000), whose
// every record holds a NUL, which no opener sends; and the range from 32768 to
// 60999, out of which systems give ports to whoever asks.
var services = [...]service{
	{1433, 1434, "SQL Server"},
	{1521, 1521, "Oracle"},
	{1719, 1720, "H.323"},
	{1723, 1723, "PPTP"},
	{2000, 2000, "ManageSieve"}, // before it had 4190: lines, delivers mail
	{2003, 2004, "Graphite"},    // a line is a measurement
	{2049, 2049, "NFS"},
	{2181, 2181, "ZooKeeper"}, // four letters are a command
	{2375, 2377, "Docker"},    // HTTP that starts programs as root
	{2379, 2380, "etcd"},      // HTTP that holds a cluster's secrets
	{2401, 2401, "CVS"},       // lines
	{2427, 2427, "MGCP"},      // lines
	{2525, 2526, "SMTP"},      // what 25 is where 25 is blocked: section 6's own example
	{2628, 2628, "DICT"},      // lines
	{3306, 3306, "MySQL"},
	{3310, 3310, "clamd"},  // the line SHUTDOWN is obeyed
	{3632, 3632, "distcc"}, // text that runs a compiler, or what is called one
	{3659, 3659, "SASL of Apple"},
	{3690, 3690, "Subversion"}, // text
	{4045, 4045, "lockd"},
	{4190, 4190, "ManageSieve"}, // lines
	{4222, 4222, "NATS"},        // lines
	{4730, 4730, "Gearman"},     // lines
	{5037, 5038, "adb"},         // text that runs a shell; 5038: Asterisk's manager, lines
	{5060, 5061, "SIP"},         // lines, like HTTP's
	{5222, 5222, "XMPP"},
	{5269, 5269, "XMPP"},
	{5432, 5432, "PostgreSQL"},
	{5554, 5555, "adb"},        // lines; 5555: over the network
	{5666, 5667, "Nagios"},     // runs checks by name
	{6000, 6063, "X11"},        // whoever connects may own the screen
	{6379, 6380, "Redis"},      // lines; can be made to write files
	{6566, 6566, "SANE"},       //
	{6600, 6600, "MPD"},        // lines
	{6660, 6669, "IRC"},        // lines
	{6679, 6679, "IRC"},        //
	{6697, 6697, "IRC"},        //
	{8021, 8021, "FreeSWITCH"}, // lines that place calls
	{8125, 8126, "statsd"},     // lines
	{9051, 9051, "Tor"},        // the control port: lines
	{9100, 9107, "JetDirect"},  // what is sent is printed
	{9151, 9151, "Tor"},        //
	{9300, 9300, "Elasticsearch"},
	{9418, 9418, "Git"},          // text
	{10024, 10026, "SMTP"},       // between a mail server and its filter: no questions asked
	{10050, 10051, "Zabbix"},     // text that can run programs
	{10080, 10080, "Amanda"},     // lines
	{11211, 11211, "memcached"},  // lines
	{11300, 11300, "beanstalkd"}, // lines
	{26379, 26379, "Redis"},      // its sentinel
	{27017, 27019, "MongoDB"},
	{61613, 61613, "STOMP"}, // lines
}

// serviceAt returns the service whose port n is.
func serviceAt(n uint16) (name string, ok bool) {
	i, found := slices.BinarySearchFunc(services[:], n, func(s service, n uint16) int {
		switch {
		case s.last < n:
			return -1
		case s.first > n:
			return 1
		}
		return 0
	})
	if !found {
		return "", false
	}
	return services[i].name, true
}

// checkPort judges the port that is written in u, or the default where none is.
// A scheme without a port of its own, and a URL that writes none, name none.
func (p Policy) checkPort(u locus.URL, own uint16) error {
	n, written := u.Port()
	switch {
	case !written, n == own && n != 0, n == phonePort && isPhoneBook(u):
		return nil
	case n == 0:
		return deny(u, "port", "no server has the port 0", "")
	case slices.Contains(p.rules.Ports, n):
		return nil
	}
	reason := ""
	if name, ok := serviceAt(n); ok {
		reason = fmt.Sprintf("port %d is where %s servers are, and what is meant for another could be commands there", n, name)
	} else if n < firstFree {
		reason = fmt.Sprintf("port %d is within the reserved space, below %d", n, firstFree)
		if own != 0 {
			reason += fmt.Sprintf(", and not %s's own, %d", u.Scheme(), own)
		}
	} else {
		return nil
	}
	return deny(u, "port", reason, allowPort(n))
}

// phonePort is where phone books are, gopher's items of type 2, whose protocol is
// another than gopher's.
const phonePort = 105

func isPhoneBook(u locus.URL) bool {
	path, _ := u.Path()
	return isGopher(u) && strings.HasPrefix(path, "2")
}

// allowPort is the flag that allows port n.
func allowPort(n uint16) string { return "--allow-port " + strconv.Itoa(int(n)) }
