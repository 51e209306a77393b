# tests of capture
