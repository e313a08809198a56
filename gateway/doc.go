// Package gateway shows the resources of every scheme to clients of HTTP.
package gateway
