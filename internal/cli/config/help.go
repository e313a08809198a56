package config

import (
	"fmt"
	"strings"
)

// Help returns the text of "locus help configuration".
func Help() string {
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
	c := Default()
	for _, s := range c.settings() {
		fmt.Fprintf(&b, "  %s\n      %s.\n      Variable %s%s.\n", s.key, s.help, s.variable(), defaultText(s))
	}
	b.WriteString(`
In a variable, ports are written 25,119 and paths /a:/b. NO_COLOR, if it is not
empty, leaves out colours.`)
	return b.String()
}

// defaultText describes the default of a setting, if it has one.
func defaultText(s setting) string {
	switch v := s.value.(type) {
	case *int:
		return fmt.Sprintf("; default %d", *v)
	case *string:
		if *v == "" {
			return ""
		}
		return fmt.Sprintf("; default %q", *v)
	case *cwdMode:
		return fmt.Sprintf("; default %q", *v)
	}
	return ""
}
