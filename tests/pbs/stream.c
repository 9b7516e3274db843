/* A few jobs on the simulated server in real time, for the program itself: what it would see of PBS on a quiet
 * morning. */
#include "server.h"

#include <time.h>

__attribute__((constructor)) static void begin(void) {
    server_begin(4, 4);
    server.real_time = true;
    server.now = (int64_t)time(NULL);
    server_submit("games", "3:ncpus=4", 60, 3);
    server_submit("games", "4:ncpus=4", 60, 1);
    server_submit("games", "1:ncpus=4", 2, 1);
    server_submit("games", "1:ncpus=4", 900, 1);
}
