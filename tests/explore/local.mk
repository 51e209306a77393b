# tests of explore
