module github.com/toolglot/toolglot/bindings/go

go 1.25.0

require (
	github.com/tetratelabs/wazero v1.12.0
	go.uber.org/goleak v1.3.0
)

require golang.org/x/sys v0.44.0 // indirect
