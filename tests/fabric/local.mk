# tests of fabric
