# tests of repl
