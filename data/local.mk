# captures that ship with the program
