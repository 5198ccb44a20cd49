// Package wasm is toolglot as a WebAssembly module that was translated to Go, see bindings/renew: nothing is compiled or
// looked for when a program starts.
package wasm
