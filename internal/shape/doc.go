// Package shape has the JSON objects that the command and the gateway promise, and
// reads those of menus back. Absent is null, or left out where that is said;
// present but empty is "". Octets are UTF-8 where they are, else ISO Latin 1.
package shape
