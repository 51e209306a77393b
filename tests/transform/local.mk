# tests of transform
