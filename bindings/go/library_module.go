//go:build !toolglot_cgo

package toolglot

import "github.com/toolglot/toolglot/bindings/go/internal/wasm"

var library = wasm.New()
