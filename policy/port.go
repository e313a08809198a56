package policy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/locus-url/locus"
)

// firstFree is the first port after "the reserved space", about which RFC 1738 section 6 warns.
const firstFree = 1024

// service is a range of ports, with the name of the service that listens on these ports.
type service struct {
	first, last uint16
	name        string
}

// services lists the services on ports from firstFree up that could read a request as commands.
// These services accept lines or any bytes, and many require no password. The author of a URL
// chooses the text of a gopher selector or an HTTP request line. The list also contains ports of
// binary protocols without a URL scheme. Browsers block some of these ports too.
//
// The ports come from three sources. The first source is the IANA Service Name and Transport
// Protocol Port Number Registry. The second source is the "bad port" list of the WHATWG Fetch
// Standard, with all ports from 1024 up. The third source is the documentation of services with an
// unregistered default port.
//
// The list omits some ports on purpose. FTP, Gemini, gopher and HTTP servers use 1965, 2121, 3000,
// 3128, 4000, 5000, 7000 to 7099, 8000 to 8888, 9000 and 9090. From 8000 to 8888, the list contains
// only services that execute a line. FastCGI (9000) needs a NUL in each record, and no opener sends
// one. Systems assign ports from 32768 to 60999 to any program.
var services = [...]service{
	{1025, 1025, "SMTP"},          // mail catchers, and mail bridges on the same machine
	{1143, 1143, "IMAP"},          // mail bridges on the same machine
	{1433, 1434, "SQL Server"},    // binary
	{1514, 1514, "syslog"},        // lines
	{1521, 1521, "Oracle"},        // a listener that executes text commands
	{1524, 1524, "ingreslock"},    // a shell that an intruder has installed
	{1719, 1720, "H.323"},         // WHATWG
	{1723, 1723, "PPTP"},          // WHATWG
	{1984, 1984, "Big Brother"},   // lines
	{2000, 2000, "ManageSieve"},   // the port before 4190: lines
	{2003, 2004, "Graphite"},      // each line is stored as a measurement
	{2013, 2014, "Graphite"},      // the relay of Graphite
	{2023, 2024, "Graphite"},      // the aggregator of Graphite
	{2049, 2049, "NFS"},           // WHATWG
	{2181, 2181, "ZooKeeper"},     // commands of four letters
	{2323, 2323, "Telnet"},        // replaces 23
	{2375, 2377, "Docker"},        // HTTP interface that starts programs as root
	{2379, 2380, "etcd"},          // HTTP interface to the secrets of a cluster
	{2401, 2401, "CVS"},           // lines
	{2427, 2427, "MGCP"},          // lines
	{2525, 2526, "SMTP"},          // replaces 25; the example in RFC 1738 section 6
	{2601, 2612, "FRRouting"},     // command lines of a router's daemons
	{2628, 2628, "DICT"},          // lines
	{2727, 2727, "MGCP"},          // lines
	{2947, 2947, "gpsd"},          // lines
	{3306, 3306, "MySQL"},         // binary
	{3310, 3310, "clamd"},         // the line SHUTDOWN stops the server
	{3493, 3493, "NUT"},           // lines that can switch machines off
	{3632, 3632, "distcc"},        // text that runs a compiler, or any program
	{3659, 3659, "Apple SASL"},    // WHATWG
	{3690, 3690, "Subversion"},    // text
	{4045, 4045, "lockd"},         // WHATWG
	{4190, 4190, "ManageSieve"},   // WHATWG; lines
	{4222, 4222, "NATS"},          // lines
	{4559, 4559, "HylaFAX"},       // lines, as in FTP
	{4730, 4730, "Gearman"},       // lines
	{5037, 5037, "adb"},           // text that runs a shell
	{5038, 5038, "Asterisk"},      // the manager interface, whose lines can place calls
	{5060, 5061, "SIP"},           // WHATWG; lines, as in HTTP
	{5140, 5140, "syslog"},        // lines
	{5222, 5222, "XMPP"},          // text
	{5269, 5269, "XMPP"},          // connections between servers
	{5347, 5347, "XMPP"},          // connections of components
	{5432, 5433, "PostgreSQL"},    // binary
	{5514, 5514, "syslog"},        // lines
	{5554, 5555, "adb"},           // port 5554 controls an emulator; port 5555 is a shell
	{5666, 5667, "Nagios"},        // runs checks by name
	{6000, 6063, "X11"},           // WHATWG; a client controls the screen
	{6082, 6082, "Varnish"},       // management interface: lines
	{6379, 6389, "Redis"},         // lines; commands can write files
	{6432, 6432, "PgBouncer"},     // binary
	{6514, 6514, "syslog"},        // lines within TLS
	{6566, 6566, "SANE"},          // WHATWG
	{6600, 6600, "MPD"},           // lines
	{6660, 6669, "IRC"},           // WHATWG; lines
	{6679, 6679, "IRC"},           // WHATWG
	{6697, 6697, "IRC"},           // WHATWG
	{7505, 7505, "OpenVPN"},       // management interface: lines
	{8005, 8005, "Tomcat"},        // the line SHUTDOWN stops the server
	{8021, 8021, "FreeSWITCH"},    // lines that place calls
	{8025, 8025, "SMTP"},          // mail servers for development and tests
	{8094, 8094, "Telegraf"},      // each line is stored as a measurement
	{8125, 8126, "statsd"},        // each line is stored as a measurement
	{9009, 9009, "QuestDB"},       // each line is stored as a row
	{9051, 9051, "Tor"},           // the control port, which accepts lines
	{9100, 9107, "JetDirect"},     // printers print all received data
	{9125, 9125, "statsd"},        // the exporter of statsd
	{9151, 9151, "Tor"},           // the control port of Tor Browser
	{9300, 9300, "Elasticsearch"}, // binary
	{9418, 9418, "Git"},           // text
	{10024, 10028, "SMTP"},        // connections between a mail server and its filter, without a password
	{10050, 10051, "Zabbix"},      // text that can run programs
	{10080, 10080, "Amanda"},      // WHATWG; lines
	{10514, 10514, "syslog"},      // lines
	{11211, 11220, "memcached"},   // lines
	{11300, 11300, "beanstalkd"},  // lines
	{12201, 12201, "Graylog"},     // each text is stored as a log entry
	{16379, 16389, "Redis"},       // more servers on one machine, and clusters
	{24224, 24224, "Fluentd"},     // each text is stored as a log entry
	{25575, 25575, "Minecraft"},   // the remote console
	{26379, 26389, "Redis"},       // Redis Sentinel
	{27015, 27015, "Source RCON"}, // the remote console of games
	{27017, 27019, "MongoDB"},     // binary
	{61613, 61613, "STOMP"},       // lines
}

// serviceAt returns the name of the service at port n, or "" if no service is listed.
func serviceAt(n uint16) string {
	for _, s := range services {
		if s.first <= n && n <= s.last {
			return s.name
		}
	}
	return ""
}

// checkPort judges the port in t.URL. The default port is always allowed.
func (p Policy) checkPort(t Target) error {
	n, written := t.URL.Port()
	switch {
	case !written || n != 0 && (n == t.Port || n == t.OtherPort):
		return nil
	case n == 0:
		return deny(t.URL, "port", "port 0 is out of range (1-65535)", "")
	case slices.Contains(p.rules.Ports, n):
		return nil
	}
	reason := ""
	if name := serviceAt(n); name != "" {
		reason = fmt.Sprintf("port %d belongs to %s, which could read this request as commands", n, name)
	} else if n < firstFree {
		reason = fmt.Sprintf("port %d is reserved (below %d)", n, firstFree)
		if t.Port != 0 {
			reason += fmt.Sprintf("; %s uses %d", t.URL.Scheme(), t.Port)
		}
	} else {
		return nil
	}
	return denyPort(t.URL, "port", reason, n)
}

// denyPort returns the error for a URL that a port in [Rules].Ports would allow.
func denyPort(u locus.URL, rule, reason string, port uint16) error {
	return &DeniedError{Rule: rule, Subject: locus.Quote(u.Shown()), Reason: reason, Port: port}
}

// PortAdvice returns a clause that explains why the port in u is unwise. It does so for a port
// that belongs to another service or is reserved (RFC 1738 section 6). For any other port,
// PortAdvice returns "". defaultPort is the default port of the scheme.
func PortAdvice(u locus.URL, defaultPort uint16) string {
	if n, ok := u.Port(); !ok || n == 0 || defaultPort == 0 {
		return ""
	}
	var zero Policy
	if denied := (*DeniedError)(nil); errors.As(zero.checkPort(Target{URL: u, Port: defaultPort}), &denied) {
		return denied.Reason
	}
	return ""
}
