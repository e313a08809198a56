package help

import (
	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/command/config"
)

// Topics returns the help topics, which are help pages that do not describe a subcommand.
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
			Long: `With several inputs, locus tries each. The exit status is the highest of these:

  0    success
  1    a check failed: a violation, a difference, a dead link, or nothing found
  2    wrong usage, or an argument that is not a URL
  3    access failed: unreachable, not found, protocol error, or an error of standard
       input or output, such as a full disk
  4    denied by the policy
  130  interrupted

If the reader of a pipe closes it, locus stops without a message. Its status is the
highest so far.`,
		},
	}
}

const formsHelp = `Some URLs return a search or a form (RFC 1738 sections 3.4.2 and 3.4.9), which needs
answers. "locus open URL" prompts for them. "locus get URL" lists the fields; with --json
they are in "form". A WAIS database (section 3.9) describes itself, and also accepts
answers. Each field has a number from 1, a prompt and a kind:

  text     one line
  hidden   one line, not shown
  lines    several lines
  choice   an item of a list: its text or its number
  check    y or n, yes or no, true or false, 1 or 0
  save-as  a file name for the response, which "locus open" writes
  file     the path of a file of at most 16 MiB, whose content is sent

Scripts:
"locus get --answer FIELD=TEXT URL" sets one field; repeat --answer for others. FIELD is
the number or the prompt, in any case. If there is only one field, as in a search, write
--answer TEXT. A field without an answer gets its default.

"--answers FILE" reads JSON: an object with the answers by number or prompt, or a list of
answers in the order of the fields. An answer is a string, a number, true, false, null
for the default, or a list of strings for lines. Use a file for secrets, because other
users can see a command line. --answer takes precedence over the file.

If a field rejects its answer, the status is 2 and locus submits nothing. A submission
is a URL, too: "locus open" prints it, and opening it repeats the submission.`

const gatewaysHelp = `Locus can open the URLs of a scheme through a proxy (a gateway in RFC 1738 section 4),
even for a scheme that locus itself can't open. The configuration names proxies by scheme:

  [gateways]
  gopher = "http://gw.example/{url}"
  wais   = "http://localhost:1738"
  all    = "socks5h://proxy.example"
  except = "localhost, .example.net, 10.0.0.0/8"

Kinds of proxies:

  http://gw.example/{url}    a URL that contains the encoded URL; {+url}, for http and
                             https, inserts the URL unencoded
  http://proxy.example:3128  an HTTP proxy; write https: if the proxy uses TLS. It
                             receives the whole URL, and its response is the object.
                             Encrypted schemes (https, ftps, gophers, nntps, snews)
                             and sessions use a tunnel (CONNECT).
  socks5h://proxy.example    a SOCKS 5 proxy that resolves host names; with socks5:,
                             locus resolves them. SOCKS carries only TCP, so Prospero
                             fails.
  direct                     no proxy, even if "all" names one

Schemes and hosts:
"all" applies to all other schemes except mailto, mid and cid. A file URL of another
host uses a proxy only if file has its own key. Locus connects directly to hosts in
"except": a host and its subdomains, only subdomains (".example.net"), addresses, each
with an optional ":" and port, or "*". Messages are sent through a SOCKS proxy of "all".

Precedence:
--gateway SCHEME=PROXY comes first. Then come the variables LOCUS_GATEWAYS_GOPHER,
..._ALL and ..._EXCEPT; then LOCUS_GATEWAYS, with SCHEME=PROXY entries separated by
spaces; then the configuration file; then the variables http_proxy, https_proxy,
ftp_proxy, gopher_proxy, wais_proxy, news_proxy (for news and nntp), all_proxy and
no_proxy, also in upper case except for HTTP_PROXY. --no-gateway ignores all of them.
"locus gateway" ignores the variables of other programs, because they may name the
gateway itself. An unregistered scheme has a variable, too: LOCUS_GATEWAYS_X_FOO is for
x-foo. "locus schemes" lists it.

Security:
A user and password in a proxy's URL are sent only to that proxy. Write them in the
file, because other users can see a command line. "locus get -v" shows which proxy is
used.

Locus applies the policy to a URL before it contacts a proxy, and denies addresses that
are not public. But the proxy resolves host names: a link from the Internet may lead to a
name that only the proxy's network can resolve.`

const sessionsHelp = `A telnet, rlogin or tn3270 URL names an interactive service (RFC 1738 section 3.8).
"locus open URL" connects your terminal to it. Locus shows the user and password of the
URL, and types them only at your command; rlogin always sends the user.

Commands:
Ctrl-] enters the commands of locus: "close", "status", "user" and "password" (which type
the URL's values), "send NAME" for signals such as "send brk", "mode", "escape",
"suspend" and "help". An empty line returns to the session. --escape selects another
key. In rlogin, "~." at the start of a line also ends the session.

If a service does not echo, as is common without Telnet, locus echoes lines and sends
each as a whole. Ctrl-C or Ctrl-D then ends the session. "mode character" and "mode line"
override this. If locus is killed, a child process restores the terminal.

Safety:
Locus removes escape sequences that could harm the terminal: titles, clipboard access,
links, graphics, and queries that the terminal answers. Colors, cursor movement, the
alternate screen and mouse clicks work. --safe also removes the alternate screen and the
mouse; it is the default for a URL from standard input. --unsafe-terminal removes
nothing. The host can then rename the window, read and write the clipboard, and make the
terminal type text, which a shell could run as commands.

Pipes:
If standard input or output is not a terminal, locus sends the lines of standard input. It
writes output until the host ends the session, or is silent for 2 s after the last line.
Output to a file or a pipe is filtered only with --safe.

tn3270:
Enter, Tab, the arrows and Home keep their meaning. F1 to F12 are PF1 to PF12, and with
Shift PF13 to PF24. Ctrl-C is Clear and Ctrl-R is Reset. Insert, Delete and Backspace work
as usual, and End erases to the end of the field. Ctrl-A followed by 1, 2 or 3 is PA1 to
PA3. --model, --code-page and --device, or the configuration, describe the terminal.
NO_COLOR turns colors off.

Scripts:
"locus get" runs these steps in order. It writes the host's output, also to the file of -o:

  --expect REGEXP  wait until the output since the last match contains it (at most the
                   last 64 KiB)
  --send TEXT      type; \r is Enter, \n a new line, \t Tab, \e Escape, \x1d any byte
  --press KEY      press a key of a 3270 terminal: Enter, Tab, Clear, PF1, PA1 ...
  --settle D       end the session when the host is silent for D

Each step may take as long as --timeout, or else 30 s; then the status is 3. With --json,
locus writes a line for each event: "event" is "received", "sent" or "matched", and "text"
is its text, including what you send. The last line describes the session, with "kind"
and the number of bytes "received". Do not send important passwords with --send, because
other users can see a command line.

For tn3270, locus writes the final screen after it has not changed for the time of
--settle. When a key locks the keyboard, locus waits for the host. With --json the screen
is "rows", "columns", "cursor", "locked", "text" and "fields". Each field has "row",
"column", "length" and "value", which is null for a hidden field.`
