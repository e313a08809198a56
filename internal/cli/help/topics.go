package help

import (
	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/cli/config"
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
			Short: "Forms and searches, and how they are answered",
			Long:  formsHelp,
		},
		{
			Use:   "sessions",
			Short: "Sessions by telnet, rlogin and tn3270, and scripts for them",
			Long:  sessionsHelp,
		},
		{
			Use:   "gateways",
			Short: "Gateways and proxies, and which URLs go by way of them",
			Long:  gatewaysHelp,
		},
		{
			Use:   "exit-status",
			Short: "What the exit status says",
			Long: `With several inputs every one is tried, and the highest of their statuses is the
status of the command.

  0    done, and nothing wrong found
  1    a check says no: not conforming, not the same
  2    usage, or an argument that is no URL
  3    access failed: unreachable, not found, protocol error; or standard input
       can't be read, or standard output can't be written, as on a full disk
  4    refused by the policy
  130  interrupted

A reader that closes the pipe has read all it wanted: the command ends, without
a message, with the status it has by then.`,
		},
	}
}

const formsHelp = `Some URLs lead to a search or a form (RFC 1738 sections 3.4.2 and 3.4.9), which
wants answers before it gives anything. "locus open URL" asks for them at the
terminal. "locus get URL" lists the questions; with --json they are in "form". A
database of WAIS (section 3.9) tells about itself, and takes answers too. Each
question has a number from 1, a prompt and a kind:

  text     one line
  hidden   one line that is not shown
  lines    several lines
  choice   one of a list: its text, or its number
  check    y or n, yes or no, true or false, 1 or 0
  save-as  a name for the reply, which "locus open" stores in that file
  file     the path of a file of at most 16 MiB, whose octets are sent

For scripts, "locus get --answer FIELD=TEXT URL" answers, once for each question;
FIELD is the number or the prompt, in capitals or not. If there is one question
only, as in a search, all of it is the answer: --answer WORDS. A question that is
not answered gets its default.

"--answers FILE" reads JSON: an object of answers by number or prompt, or a list
of them in the order of the questions. Answers are strings, numbers, true or
false, null for the default, and lists of strings for lines. Others can see what
is on a command line, so this is the way for what is secret. An --answer goes
before what the file says.

An answer that its question does not take ends the command with status 2, and
nothing has been submitted. What was submitted is a URL as well, which sends it
again: "locus open" shows it.`

const gatewaysHelp = `URLs of a scheme can go by way of a gateway (RFC 1738 section 4), also of a scheme
that nothing here opens. It is named in the configuration, by the scheme:

  [gateways]
  gopher = "http://gw.example/{url}"
  wais   = "http://localhost:1738"
  all    = "socks5h://proxy.example"
  except = "localhost, .example.net, 10.0.0.0/8"

A gateway is one of these:

  http://gw.example/{url}    the URL, encoded, makes another URL; {+url}, for http
                             and https, is the URL as it is
  http://proxy.example:3128  an HTTP proxy, or https: for one that is asked over TLS.
                             It is sent the whole URL, and what it answers is the
                             object. What is encrypted (https, ftps, gophers, nntps,
                             snews) and sessions go through a tunnel (CONNECT).
  socks5h://proxy.example    SOCKS 5, which looks names up; by socks5: they are looked
                             up here. It carries TCP: Prospero fails, and does not go
                             around it.
  direct                     none, although there is one for all

"all" is for the other schemes, but never for mailto, mid and cid, and for files only
of other hosts, where their own key has one. What is for "except" goes straight to its
server: a host and what is below it, what is below alone (".example.net"), addresses,
each perhaps with ":" and a port, or "*". Messages go out through a SOCKS proxy of
all.

--gateway SCHEME=GATEWAY goes before the variables LOCUS_GATEWAYS_GOPHER, ..._ALL and
..._EXCEPT, and LOCUS_GATEWAYS, which has SCHEME=GATEWAY with blanks between them;
these before the file; and that before http_proxy, https_proxy, ftp_proxy,
gopher_proxy, wais_proxy, news_proxy (for news and nntp), all_proxy and no_proxy, which
are also read in upper case, but for HTTP_PROXY. --no-gateway leaves out all of them.
"locus gateway" leaves out those of other programs, which may name itself. A scheme
that is not registered has a variable too: LOCUS_GATEWAYS_X_FOO is for x-foo. "locus
schemes" lists it.

A user and password in a gateway's URL are for that alone. Others can see what is on a
command line: write them into the file. "locus get -v" tells what goes by way of what.

What a URL may lead to is judged as ever, before a gateway is asked. But what a name
means is then for the proxy to know: a link from the Internet may lead to a name that
only the proxy's network knows. An address may not, if it is not public.`

const sessionsHelp = `A telnet, rlogin or tn3270 URL locates an interactive service (RFC 1738 section
3.8). "locus open URL" is the terminal for it. The user and password of the URL are
advice: they are told, and only typed when you ask for it; rlogin begins with the
user of the URL, which can't be left out.

Ctrl-] gives the keyboard to locus, which then knows "close", "status", "user" and
"password" (which type what the URL suggests), "send NAME" for what keyboards have no
keys for, such as "send brk", "mode", "escape", "suspend" and "help"; an empty line
goes on. --escape names another key. By rlogin, "~." at the beginning of a line ends
the session too. Where a service does not show what is typed, as many do that speak
no Telnet, lines are shown here and sent as a whole; there, Ctrl-C or Ctrl-D ends the
session. "mode character" and "mode line" overrule that. A child process watches the
terminal, and puts it in order if locus is killed.

--safe leaves out what a host could tell the terminal to do behind your back:
titles, the clipboard, reports that a shell would take for typing. It is on for a
URL that is read from standard input. If standard input or output is no terminal,
lines are sent, and what comes is written, until the host ends it or has nothing to
say for 2 s after the last line.

The keys of a 3270 terminal: Enter, Tab, the arrows and Home are themselves; F1 to
F12 are PF1 to PF12, with Shift PF13 to PF24; Ctrl-C is Clear, Ctrl-R is Reset,
Insert, Delete and Backspace do what they say, End erases to the end of the field,
and Ctrl-A then 1, 2 or 3 is PA1 to PA3. --model, --code-page and --device say what
the terminal is, and so does the configuration. It has colours unless the
environment has a NO_COLOR.

For scripts, "locus get" does steps in the order in which they are given, and writes
what came, also to the file of -o:

  --expect REGEXP  waits until what came since the last match has it (the last 64 KiB)
  --send TEXT      types; \r is Enter, \n a new line, \t Tab, \e Escape, \x1d any octet
  --press KEY      presses a key of a 3270 terminal: Enter, Tab, Clear, PF1, PA1 ...
  --settle D       is how long a host has to be silent after that, for it to be over

Each step may take as long as --timeout says, or else 30 s; what does not come is
status 3. With --json there is a line for each thing that happens: "event" is
"received", "sent" or "matched", and "text" what it was, with what you send; the last
line is the session itself, with "kind" and how many octets were "received". Others
can see a command line, so that it is no place for a password that matters.

From tn3270 the screen is written as it is at the end, when it has stayed the same
for as long as --settle says; whenever a key has locked the keyboard, the host is
waited for. With --json it is "rows", "columns", "cursor", "locked", "text" and
"fields", each with its "row", "column", "length" and "value", which is null if it is
hidden.`
