package scheme

// KeyTerminal is a [Terminal] with special keys, such as the keys of an IBM 3270, for
// users whose keyboard lacks them.
type KeyTerminal interface {
	Terminal
	// Keys returns the keys, the most important first.
	Keys() []Key
}

// Key is a key of a terminal.
type Key struct {
	Label string // such as "PF3"
	Input string // input for the terminal when the key is pressed
}
