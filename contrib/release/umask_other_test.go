//go:build !unix

package main

func setUmask(int) (restore func()) { return func() {} }
