#!/bin/sh
# Writes the bundled captures:  make.sh MKCAPTURE FOLDER   ("make data" calls it; a test compares the result)
# One per shape that matters, and showcase.json with all of them. Spellings and schemas vary on purpose.
set -eu

mkcapture=$1
folder=$2

make_capture() {
    name=$1
    shift
    "$mkcapture" -o "$folder/$name.json" "$@"
}

make_capture destination --tiles 32 --schema 3 --spelling object destination:each=16
make_capture source --tiles 32 source:each=24,fan=4
make_capture interleaved --tiles 32 interleaved:each=24
make_capture multicast --tiles 32 --schema 3 --spelling object multicast:each=8,fan=4,repeat=9
make_capture distinct --tiles 32 --schema 2 --spelling object distinct:each=24
make_capture transpose --tiles 32 transpose:each=24,columns=4
make_capture chain --tiles 32 --schema 1 --spelling object --labels none chain:each=20
make_capture overlap --tiles 32 overlap:each=20
make_capture late --tiles 32 late:each=16
make_capture showcase --tiles 32 \
    chain:each=6 source:each=16,fan=4 empty distinct:each=8 interleaved:each=12 overlap:each=8 \
    destination:each=10 random:each=1,hazards=10 transpose:each=16,columns=4 late:each=6 \
    multicast:each=3,fan=4,repeat=5
