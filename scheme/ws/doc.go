// Package ws is the ws and wss schemes of RFC 6455: WebSocket connections.
//
//	ws-URI  = "ws:" "//" host [ ":" port ] path [ "?" query ]
//	wss-URI = "wss:" "//" host [ ":" port ] path [ "?" query ]
//
// The default ports are 80 and 443. The resource name is the path, which is "/" if it is
// empty, and "?" and the query if there is one. There is no user, password or fragment.
// URLs are not opened.
package ws
