# For tests in shell, which read it: TAP as make check expects it. `echo "1..$number"` ends the test.
number=0

# result STATUS NAME: good with status 0; else the end of $work/log is shown, where there is one
result() {
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        [ ! -s "$work/log" ] || tail -n 20 "$work/log" | sed 's/^/# /'
    fi
}

# skip NAME WHY
skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}
