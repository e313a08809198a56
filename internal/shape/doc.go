// Package shape defines the JSON objects of the command and the gateway, and reads menus
// back. Absent is null, or left out where that is documented; present but empty is "".
// Octets that are not UTF-8 are written as ISO Latin 1.
package shape
