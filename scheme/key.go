package scheme

// KeyTerminal is a [Terminal] with special keys that the user's keyboard may lack, such as the
// function keys of an IBM 3270.
type KeyTerminal interface {
	Terminal
	// Keys returns the keys, the most important first.
	Keys() []Key
}

// Key is a key of a terminal.
type Key struct {
	Label string // label of the key, such as "PF3"
	Input string // bytes that the client sends when the user presses the key
}
