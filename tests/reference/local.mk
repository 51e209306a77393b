# tests of reference
