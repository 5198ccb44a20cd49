// Package native reaches toolglot as a C library; it is empty without the build tag toolglot_cgo.
package native
