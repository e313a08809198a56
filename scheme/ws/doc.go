// Package ws parses ws and wss URLs (RFC 6455), which name WebSocket connections.
//
//	ws-URI  = "ws:" "//" host [ ":" port ] path [ "?" query ]
//	wss-URI = "wss:" "//" host [ ":" port ] path [ "?" query ]
//
// The default port is 80 for ws and 443 for wss. The resource name is the path, or "/" if the path
// is empty. If there is a query, "?" and the query follow. A user, a password and a fragment are
// invalid. Clients do not open ws and wss URLs.
package ws
