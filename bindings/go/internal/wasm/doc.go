// Package wasm runs toolglot as a WebAssembly module; it is empty with the build tag toolglot_cgo.
package wasm
