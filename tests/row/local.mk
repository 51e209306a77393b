# tests of row
