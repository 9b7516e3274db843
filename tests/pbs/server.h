/* A PBS server that is only simulated: vnodes, jobs that end when their time has come, and faults on demand. The tests
 * set it up and drive its clock; a scheduler sees it through pbs_ifl.h. */
#ifndef SERVER_H
#define SERVER_H

#include <stdbool.h>
#include <stdint.h>

enum { SERVER_JOBS = 4000, SERVER_VNODES = 64, SERVER_TEXT = 200, SERVER_CHUNKS = 128, SERVER_RESERVATIONS = 4,
       SERVER_HISTORY = 20 /* seconds: job_history_duration */ };

struct server_vnode {
    char name[32];
    int ncpus, ngpus, assigned, gpus_assigned;
    int64_t kilobytes, kilobytes_assigned;
    const char *queue, *out, *sharing; /* NULL; out: a state such as "offline" */
    const char *arch;                  /* resources_available.arch, NULL */
};

/* A confirmed reservation of the first of its vnodes' processors. */
struct server_reservation {
    char name[16], queue[16], where[200];
    int64_t start, end;
};

struct server_job {
    char name[64];      /* "12.pbs", "12[3].pbs", of a whole array "12[].pbs" */
    char array[64];     /* the array it belongs to, empty for none */
    char state;         /* Q, R, S, H, F, X; B for an array that has begun */
    char holds[8];      /* "n" for none */
    char owner[32], title[32], select[SERVER_TEXT], place[64], queue[16], comment[SERVER_TEXT];
    const char *resource; /* one more resource that the job asks for as a whole; NULL */
    int64_t walltime, run_time, soft, submitted, began, ended;
    int priority, run_count, exit_status;
    int at_once; /* max_run_subjobs of an array; 0 for none */
    int on[SERVER_CHUNKS], on_count, ncpus, ngpus; /* the vnode of each chunk, and what a chunk takes */
    int64_t kilobytes;
    bool exclusive;
    char where[6000];   /* exec_vnode */
    int refuse;         /* this number of further attempts to run it fails */
    int starts, ends;   /* how often that has happened */
};

struct server {
    int64_t now;
    struct server_vnode vnodes[SERVER_VNODES];
    int vnode_count;
    struct server_reservation reservations[SERVER_RESERVATIONS];
    int reservation_count;
    struct server_job jobs[SERVER_JOBS];
    int job_count, next_number;
    const char *scheduling, *history, *started; /* "True" or "False"; of the server, its history, the queue workq */
    int answers; /* this number of calls is answered, then the connection breaks; negative: all */
    int refused; /* attempts to run a job that the server had reason to refuse */
    bool real_time;
};

extern struct server server;

/* vnodes n0, n1, ... with these processors and a gigabyte each; time 1,000,000; nothing else. */
void server_begin(int vnodes, int ncpus);
/* The clock goes on, and jobs end. */
void server_clock(int64_t now);
/* A job of the queue workq that will run for run_time. Returns it. */
struct server_job *server_submit(const char *owner, const char *select, int64_t walltime, int64_t run_time);
/* An array with subjobs 0 to count - 1. Returns the first subjob; the others follow it, the array comes before it. */
struct server_job *server_submit_array(const char *owner, const char *select, int64_t walltime, int64_t run_time, int count);
/* A vnode breaks down: its jobs are put back into the queue. And comes back. */
void server_break(int vnode);
void server_repair(int vnode);
void server_suspend(struct server_job *job);
void server_resume(struct server_job *job);

#endif
