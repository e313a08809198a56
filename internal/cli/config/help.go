package config

import (
	"fmt"
	"strings"
)

// Help returns the text of "locus help configuration".
func Help() string {
	var b strings.Builder
	b.WriteString(`The configuration is the file of --config or LOCUS_CONFIG, or else locus/config.toml in
$XDG_CONFIG_HOME or ~/.config. It is in TOML:

  timeout = "20s"

  [policy]
  allow_ports = [119]

Flags take precedence over the environment, and the environment over the file. An
unknown key is an error.

`)
	c := Default()
	for _, s := range c.settings() {
		fmt.Fprintf(&b, "  %s\n      %s.\n      Variable: %s%s.\n", s.key, s.help, s.variable(), defaultText(s))
	}
	b.WriteString(`
In a variable, write ports as 25,119 and paths as /a:/b. A NO_COLOR that is not empty
turns colours off.`)
	return b.String()
}

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
