package help

import (
	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/command/config"
)

// Topics returns the help pages that are not about a subcommand.
func Topics() []*cobra.Command {
	return []*cobra.Command{
		{
			Use:   "configuration",
			Short: "The configuration file and the environment",
			Long:  config.Help(),
		},
		{
			Use:   "forms",
			Short: "Forms and searches",
			Long:  formsHelp,
		},
		{
			Use:   "sessions",
			Short: "Interactive sessions (telnet, rlogin, tn3270) and scripts",
			Long:  sessionsHelp,
		},
		{
			Use:   "gateways",
			Short: "Proxies and which URLs use them",
			Long:  gatewaysHelp,
		},
		{
			Use:   "exit-status",
			Short: "Exit status",
			Long: `With several inputs each is tried, and the highest status is that of the command.

  0    done, and nothing wrong found
  1    a check failed: not conforming, not the same, dead links, nothing found
  2    usage, or an argument that is not a URL
  3    access failed: unreachable, not found, protocol error; or an error of standard
       input or output, such as a full disk
  4    refused by the policy
  130  interrupted

When a reader closes the pipe, the command ends without a message. Its status is the
one reached so far.`,
		},
	}
}

const formsHelp = `Some URLs lead to a search or a form (RFC 1738 sections 3.4.2 and 3.4.9), which needs
answers first. "locus open URL" asks for them at the terminal. "locus get URL" lists the
questions; with --json they are in "form". A WAIS database (section 3.9) describes itself
and takes answers too. Each question has a number from 1, a prompt and a kind:

  text     one line
  hidden   one line that is not shown
  lines    several lines
  choice   one of a list: its text, or its number
  check    y or n, yes or no, true or false, 1 or 0
  save-as  a name for the reply, which "locus open" stores in that file
  file     the path of a file of at most 16 MiB, whose content is sent

In scripts, "locus get --answer FIELD=TEXT URL" answers, once for each question. FIELD is
the number or the prompt, in any case. For a single question, as in a search, all of it
is the answer: --answer WORDS. Questions without an answer get their default.

"--answers FILE" reads JSON: an object of answers by number or prompt, or a list of
answers in the order of the questions. Answers are strings, numbers, true or false, null
for the default, and lists of strings for lines. Use it for secrets, because others can
see a command line. --answer takes precedence over the file.

If a question refuses its answer, the status is 2 and nothing is submitted. A submission
is a URL too, which sends the same again: "locus open" shows it.`

const gatewaysHelp = `URLs of a scheme can go through a gateway (RFC 1738 section 4), even those of a scheme
that locus can't open. The configuration names it by scheme:

  [gateways]
  gopher = "http://gw.example/{url}"
  wais   = "http://localhost:1738"
  all    = "socks5h://proxy.example"
  except = "localhost, .example.net, 10.0.0.0/8"

A gateway is one of these:

  http://gw.example/{url}    the encoded URL makes another URL; {+url}, for http and
                             https, is the URL as it is
  http://proxy.example:3128  an HTTP proxy; https: for one that uses TLS. It gets the
                             whole URL, and its answer is the object. Encrypted
                             schemes (https, ftps, gophers, nntps, snews) and
                             sessions use a tunnel (CONNECT).
  socks5h://proxy.example    SOCKS 5 that looks names up; with socks5: locus looks
                             them up. It carries only TCP, so Prospero fails.
  direct                     no gateway, even if there is one for all

"all" is for the other schemes, but never for mailto, mid and cid. A file URL of another
host uses a gateway only if file has its own key. Hosts in "except" are reached directly:
a host and its subdomains, only subdomains (".example.net"), addresses, each optionally
with ":" and a port, or "*". Messages are sent through a SOCKS proxy of "all".

The order of precedence is: --gateway SCHEME=GATEWAY; the variables
LOCUS_GATEWAYS_GOPHER, ..._ALL and ..._EXCEPT; LOCUS_GATEWAYS, which has SCHEME=GATEWAY
entries separated by blanks; the file; and the variables http_proxy, https_proxy,
ftp_proxy, gopher_proxy, wais_proxy, news_proxy (for news and nntp), all_proxy and
no_proxy, also in upper case except for HTTP_PROXY. --no-gateway ignores all of them.
"locus gateway" ignores the variables of other programs, which may name itself. An
unregistered scheme has a variable too: LOCUS_GATEWAYS_X_FOO is for x-foo. "locus
schemes" lists it.

A user and password in a gateway's URL are only for that gateway. Write them into the
file, because others can see a command line. "locus get -v" shows which gateway is used.

The policy checks a URL before a gateway is asked. But the proxy decides what a name
means: a link from the Internet may lead to a name that only the proxy's network knows.
An address that is not public is refused.`

const sessionsHelp = `A telnet, rlogin or tn3270 URL locates an interactive service (RFC 1738 section 3.8).
"locus open URL" connects your terminal to it. The user and password of the URL are
shown, and typed only when you ask for it; rlogin always sends the user.

Ctrl-] leads to the commands of locus: "close", "status", "user" and "password" (which
type what the URL suggests), "send NAME" for signals such as "send brk", "mode",
"escape", "suspend" and "help". An empty line returns to the session. --escape chooses
another key. In rlogin, "~." at the start of a line ends the session too. If a service
does not echo, as many without Telnet do, lines are echoed here and sent as a whole;
Ctrl-C or Ctrl-D then ends the session. "mode character" and "mode line" override that.
A child process resets the terminal if locus is killed.

locus drops escape sequences of the host that could harm the terminal: titles, the
clipboard, links, graphics, and questions, whose answers the terminal types. Colors,
cursor movement, the alternate screen and mouse clicks work. --safe also drops the
alternate screen and the mouse; it is the default for a URL from standard input.
--unsafe-terminal drops nothing. The host can then rename the window, read and write the
clipboard, and make the terminal type answers, which a shell could run as commands.

If standard input or output is not a terminal, lines are sent, and output is written
until the host ends the session or is silent for 2 s after the last line. Output to a
file or a pipe is filtered only with --safe.

The keys of a 3270 terminal: Enter, Tab, the arrows and Home are themselves. F1 to F12
are PF1 to PF12, with Shift PF13 to PF24. Ctrl-C is Clear and Ctrl-R is Reset. Insert,
Delete and Backspace work as usual, and End erases to the end of the field. Ctrl-A
followed by 1, 2 or 3 is PA1 to PA3. --model, --code-page and --device describe the
terminal, and so does the configuration. NO_COLOR turns colours off.

In scripts, "locus get" runs steps in the order in which they are given. It writes the
output of the host, also to the file of -o:

  --expect REGEXP  wait until the output since the last match contains it (at most the
                   last 64 KiB)
  --send TEXT      type; \r is Enter, \n a new line, \t Tab, \e Escape, \x1d any octet
  --press KEY      press a key of a 3270 terminal: Enter, Tab, Clear, PF1, PA1 ...
  --settle D       end the session when the host is silent for D

Each step may take as long as --timeout, or else 30 s; then the status is 3. With --json
there is a line for each event: "event" is "received", "sent" or "matched", and "text"
its text, including what you send. The last line is the session itself, with "kind" and
the number of octets "received". Others can see a command line, so do not put important
passwords there.

For tn3270 the final screen is written, once it has not changed for the time of
--settle. When a key locks the keyboard, locus waits for the host. With --json the
screen is "rows", "columns", "cursor", "locked", "text" and "fields", each with "row",
"column", "length" and "value", which is null for a hidden field.`
