//go:build !toolglot_cgo

package wasm

import (
	"errors"
	"testing"

	"github.com/toolglot/toolglot/bindings/go/internal/engine"
	"github.com/toolglot/toolglot/bindings/go/internal/wasm/module"
)

// A fault of the module is an error, ends its instance, and the pool makes another.
func TestATrapEndsTheInstance(t *testing.T) {
	var own pool
	in, err := own.take()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.call(func(m *module.Module) int32 { return m.Xtg_buffer_len(-8) }); !errors.Is(err, engine.ErrPanicked) {
		t.Errorf("a place outside the memory gives %v", err)
	}
	if _, err := in.call((*module.Module).Xtg_abi_version); !errors.Is(err, engine.ErrPanicked) {
		t.Errorf("an instance that broke goes on: %v", err)
	}
	in.Unlock()
	next, err := own.take()
	if err != nil || next == in || next.broken != nil {
		t.Fatalf("%v %v", next == in, err)
	}
	next.Unlock()
}
