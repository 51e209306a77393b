# tests of tui
