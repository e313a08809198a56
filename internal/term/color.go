package term

// Style is how a piece of text stands out on a terminal.
type Style string

const (
	Bold   Style = "1"
	Red    Style = "31"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Colors writes styles, or leaves them out. The zero Colors leaves them out.
type Colors struct{ on bool }

// NewColors returns the colours for an output: none unless it is a terminal,
// and none if the environment has a NO_COLOR that is not empty (no-color.org),
// or a TERM that knows no such thing.
func NewColors(tty bool, env func(string) string) Colors {
	return Colors{on: tty && env("NO_COLOR") == "" && env("TERM") != "dumb"}
}

// In returns text, which must be safe, in the style.
func (c Colors) In(style Style, text string) string {
	if !c.on || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}
