# A workload (SWF) as in section 3.4 of Nurmi, Brevik & Wolski 2007: log-normal waits of five different means, as the requested
# time is in 1 to 100 s, 101 to 200 s ... 401 to 500 s.
BEGIN {
    srand(1)
    split("4 7 5 8 6", mean)
    for (i = 0; i < 5000; i++) {
        requested = 1 + int(500 * rand())
        normal = sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())
        wait = int(exp(mean[1 + int((requested - 1) / 100)] + normal))
        print i, 60 * i, wait, 60, 1, -1, -1, 1, requested, -1, 1, 1, 1, 1, 1, -1, -1, -1
    }
}
