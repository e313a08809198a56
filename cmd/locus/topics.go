package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// topics are the pages of help that are about no subcommand.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{
			Use:   "configuration",
			Short: "The configuration file and the environment",
			Long:  configurationHelp(),
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

func configurationHelp() string {
	var b strings.Builder
	b.WriteString(`The configuration is read from $XDG_CONFIG_HOME/locus/config.toml, which is
~/.config/locus/config.toml if that variable is not set, or from the file of
--config or LOCUS_CONFIG. It is in TOML:

  timeout = "20s"

  [policy]
  allow_ports = [119]

A flag goes before the environment, the environment before the file. A key that
is not in this list is an error, and the message has its line.

`)
	c := defaultConfig()
	for _, s := range c.settings() {
		fmt.Fprintf(&b, "  %s\n      %s.\n      Variable %s%s.\n", s.key, s.help, s.variable(), defaultText(s))
	}
	b.WriteString(`
In a variable, ports are written 25,119. NO_COLOR, if it is not empty, leaves out
colours.`)
	return b.String()
}

// defaultText tells the default of a setting that has one.
func defaultText(s setting) string {
	switch v := s.value.(type) {
	case *int:
		return fmt.Sprintf("; default %d", *v)
	case *string:
		return fmt.Sprintf("; default %q", *v)
	case *cwdMode:
		return fmt.Sprintf("; default %q", *v)
	}
	return ""
}
