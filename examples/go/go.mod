module github.com/toolglot/toolglot/examples/go

go 1.24.0

require github.com/toolglot/toolglot/bindings/go v0.0.0

replace github.com/toolglot/toolglot/bindings/go => ../../bindings/go
