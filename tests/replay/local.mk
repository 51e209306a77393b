# tests of replay
