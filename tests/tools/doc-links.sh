#!/bin/sh
# doc-links.sh DOCUMENT: prints each link of a Markdown document into its own folders, and whether it leads to
# something. Fails when one does not.
set -u
status=0
for link in $(sed -e 's/^    .*//' -e 's/`[^`]*`//g' "$1" | grep -o '](\([^)]*\))' |
    sed -e 's/^](//' -e 's/)$//' -e 's/#.*//' | grep -v -e '^[a-z]*:'); do
    if [ "${link#/}" = "$link" ] && [ -e "$(dirname "$1")/$link" ]; then
        echo "$link"
    else
        echo "$link leads nowhere"
        status=1
    fi
done
exit $status
