// Package ws is the ws and wss schemes of RFC 6455: WebSocket connections.
//
//	ws-URI  = "ws:" "//" host [ ":" port ] path [ "?" query ]
//	wss-URI = "wss:" "//" host [ ":" port ] path [ "?" query ]
//
// The default ports are 80 and 443. The resource name is the path, which is "/" if it is
// empty, and "?" and the query if the URL has one. A user, a password and a fragment are invalid.
// URLs are not opened.
package ws
