# Prints a log of 8,200 jobs that come within an hour to 1,000 processors, in the Standard Workload Format: run times log-uniform from a
# minute to a day, limits of one to four times that up to the next quarter of an hour, widths log-uniform from 1 to 127, sixty users.
# awk -f scripts/at-once.awk > at-once.swf

# A number below 1, the same with every awk (Lewis, Goodman & Miller 1969).
function drawn() {
    state = state * 16807 % 2147483647
    return state / 2147483647
}
BEGIN {
    state = 8200
    print "; MaxProcs: 1000"
    for (i = 0; i < 8200; i++) {
        run = int(60 * exp(drawn() * log(1440)))
        limit = int(run * (1 + 3 * drawn()) / 900 + 1) * 900
        width = int(2 ^ (7 * drawn()))
        user = 1 + int(60 * drawn())
        print i + 1, int(i * 3600 / 8200), -1, run, width, -1, -1, width, limit, -1, 1, user, -1, -1, -1, -1, -1, -1
    }
}
