package term

// Style is an SGR parameter.
type Style string

const (
	Bold   Style = "1"
	Red    Style = "31"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Colors adds styles to text. The zero Colors adds no styles.
type Colors struct{ on bool }

// NewColors returns the colors for an output. The result is the zero Colors unless the output
// is a terminal, NO_COLOR is empty (no-color.org) and TERM is not "dumb".
func NewColors(tty bool, env func(string) string) Colors {
	return Colors{on: tty && env("NO_COLOR") == "" && env("TERM") != "dumb"}
}

// In encloses the text in the escape sequences of the style. The text must be safe for a terminal.
func (c Colors) In(style Style, text string) string {
	if !c.on || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}
