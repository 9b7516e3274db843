# Mean waits by blocks of four weeks, in a trace's schedule and in those of its blocks shuffled: blocks.awk TRACE SHUFFLED...,
# each written by surefill simulate --jobs FILE.swf. A shuffled block is known by its number of jobs.
FNR == 1 { file++ }
/^;/ { next }
file == 1 && !begun { first = $2; begun = 1 }
{
    block = int(($2 - first) / (28 * 86400))
    jobs[file, block]++
    wait[file, block] += $3
    if (jobs[file, block] <= 300) early[file, block] += $3
    if (file == 1) { all += $3; count++ }
    if (block > last) last = block
}
END {
    printf "| block | jobs | share of the trace's waits | mean wait in the trace [min] | of its first 300 jobs |"
    for (f = 2; f <= file; f++) printf " shuffled, %d | of its first 300 |", f - 1
    printf "\n|--:|--:|--:|--:|--:|"
    for (f = 2; f <= file; f++) printf "--:|--:|"
    print ""
    for (b = 0; b <= last; b++) {
        share = wait[1, b] / all
        if (share < 0.05) continue
        printf "| %d | %d | %.0f %% | %.0f | %.0f |", b + 1, jobs[1, b], 100 * share, wait[1, b] / jobs[1, b] / 60, \
            early[1, b] / 300 / 60
        for (f = 2; f <= file; f++)
            for (o = 0; o <= last; o++)
                if (jobs[f, o] == jobs[1, b])
                    printf " %.0f | %.0f |", wait[f, o] / jobs[f, o] / 60, early[f, o] / 300 / 60
        print ""
    }
}
