# The study of doc/tutorial.md in ten lines:  exscope -f data/study.exs data/showcase.json
phases --top 5
replay --phase 20 --mode all
compare original receiver --phase 20
compare original source --phase 5
modes --phase 11
-mode receiver --phase 14
tail --phase 14
identity --phase 14
replay --phase 14 --mode all
export study --phase 14 --mode original --mode coalesced-prefix --force
