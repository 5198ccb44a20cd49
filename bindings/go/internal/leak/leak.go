// Package leak fails tests that leave goroutines behind.
package leak

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"testing"
	"time"
)

// Main runs a package's tests; afterwards no more goroutines may run than before.
func Main(m *testing.M) {
	before := runtime.NumGoroutine()
	code := m.Run()
	runtime.GC()
	for until := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			fmt.Fprintf(os.Stderr, "%d goroutines ran before the tests, %d run after them\n", before, runtime.NumGoroutine())
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			code = 1
			break
		}
	}
	os.Exit(code)
}
