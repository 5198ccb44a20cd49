//go:build toolglot_cgo

package toolglot

import "github.com/toolglot/toolglot/bindings/go/internal/native"

var library = native.New()
