// Package ws parses ws and wss URLs (RFC 6455), which name WebSocket connections.
//
//	ws-URI  = "ws:" "//" host [ ":" port ] path [ "?" query ]
//	wss-URI = "wss:" "//" host [ ":" port ] path [ "?" query ]
//
// The default ports are 80 and 443. The resource name is the path, or "/" if the path is empty,
// followed by "?" and the query if there is one. A user, a password and a fragment are invalid.
// Clients do not open ws and wss URLs.
package ws
