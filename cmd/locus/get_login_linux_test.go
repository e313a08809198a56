package main

import (
	"os"
	"testing"
)

func terminalLogin(t *testing.T) (l *login, person *os.File, name string) {
	person, name = openTerminal(t)
	return newLogin(&app{errTTY: true, env: noEnv, tty: ttyOf(name)}), person, name
}
