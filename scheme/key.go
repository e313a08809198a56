package scheme

// KeyTerminal is a [Terminal] with keys of its own, such as those of an IBM 3270, for
// users whose keyboard lacks them.
type KeyTerminal interface {
	Terminal
	// Keys returns the keys, the most important first.
	Keys() []Key
}

// Key is a key of a terminal.
type Key struct {
	Label string // such as "PF3"
	Input string // what the terminal gets when the key is pressed
}
