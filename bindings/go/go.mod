module github.com/toolglot/toolglot/bindings/go

go 1.24.0
