// Package shape defines the JSON objects of the command and the gateway, and parses menus. An
// absent value is null, or omitted where documented. A present but empty value is "". Bytes
// that are not valid UTF-8 are decoded as ISO Latin 1.
package shape
