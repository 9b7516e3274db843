/* The simulated server, and the IFL calls on it. */
#include "server.h"

#include <pbs_ifl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { UNKNOWN_JOB = 15001, BAD_STATE = 15018, NO_RESOURCES = 15046, BROKEN = 15031, NO_ATTRIBUTE = 15002 };

struct server server;
static int error_number;
static char error_text[SERVER_TEXT];

int *__pbs_errno_location(void) { return &error_number; }

static int fail(int number, const char *text) {
    error_number = number;
    snprintf(error_text, sizeof error_text, "%s", text);
    return number;
}

/* Every call goes through here: false when the connection is broken. */
static bool answer(void) {
    if (server.answers == 0) {
        fail(BROKEN, "the connection is broken");
        return false;
    }
    if (server.answers > 0) server.answers--;
    if (server.real_time) server_clock((int64_t)time(NULL));
    return true;
}

/* --- The machine --- */

void server_begin(int vnodes, int ncpus) {
    memset(&server, 0, sizeof server);
    server.now = 1000000;
    server.answers = -1;
    server.next_number = 1;
    server.scheduling = "False";
    server.history = server.started = "True";
    server.vnode_count = vnodes;
    for (int i = 0; i < vnodes; i++) {
        snprintf(server.vnodes[i].name, sizeof server.vnodes[i].name, "n%d", i);
        server.vnodes[i].ncpus = ncpus;
        server.vnodes[i].kilobytes = 1048576;
    }
}

static void leave_vnodes(struct server_job *job) {
    for (int i = 0; i < job->on_count; i++) {
        struct server_vnode *vnode = &server.vnodes[job->on[i]];
        vnode->assigned -= job->ncpus;
        vnode->gpus_assigned -= job->ngpus;
        vnode->kilobytes_assigned -= job->kilobytes;
    }
    job->on_count = 0;
}

static struct server_job *find_job(const char *name) {
    for (int i = 0; i < server.job_count; i++)
        if (strcmp(server.jobs[i].name, name) == 0) return &server.jobs[i];
    return NULL;
}

/* An array is over when all its subjobs are. */
static void look_at_array(const char *name) {
    struct server_job *array = *name == '\0' ? NULL : find_job(name);
    bool over = true;
    for (int i = 0; i < server.job_count; i++)
        if (strcmp(server.jobs[i].array, name) == 0 && server.jobs[i].state != 'X') over = false;
    if (array != NULL && over) array->state = 'F';
}

void server_clock(int64_t now) {
    server.now = now;
    for (int i = 0; i < server.job_count; i++) {
        struct server_job *job = &server.jobs[i];
        int64_t runs = job->run_time < job->walltime ? job->run_time : job->walltime;
        if (job->state != 'R' || job->began + runs > now) continue;
        leave_vnodes(job);
        job->ended = job->began + runs;
        job->ends++;
        job->state = job->array[0] == '\0' ? 'F' : 'X';
        look_at_array(job->array);
    }
}

static struct server_job *add(const char *owner, const char *select, int64_t walltime, int64_t run_time) {
    struct server_job *job = &server.jobs[server.job_count++];
    if (server.job_count > SERVER_JOBS) abort();
    *job = (struct server_job){.state = 'Q', .holds = "n", .queue = "workq", .place = "scatter:excl", .title = "wrap"};
    snprintf(job->owner, sizeof job->owner, "%s", owner);
    snprintf(job->select, sizeof job->select, "%s", select);
    job->walltime = walltime;
    job->run_time = run_time;
    job->submitted = server.now;
    return job;
}

struct server_job *server_submit(const char *owner, const char *select, int64_t walltime, int64_t run_time) {
    struct server_job *job = add(owner, select, walltime, run_time);
    snprintf(job->name, sizeof job->name, "%d.pbs", server.next_number++);
    return job;
}

struct server_job *server_submit_array(const char *owner, const char *select, int64_t walltime, int64_t run_time, int count) {
    struct server_job *array = add(owner, select, walltime, run_time);
    int number = server.next_number++;
    snprintf(array->name, sizeof array->name, "%d[].pbs", number);
    for (int i = 0; i < count; i++) {
        struct server_job *job = add(owner, select, walltime, run_time);
        snprintf(job->name, sizeof job->name, "%d[%d].pbs", number, i);
        strcpy(job->array, array->name);
    }
    return array + 1;
}

void server_break(int vnode) {
    for (int i = 0; i < server.job_count; i++) {
        struct server_job *job = &server.jobs[i];
        for (int k = 0; k < job->on_count; k++) {
            if (job->on[k] != vnode) continue;
            leave_vnodes(job);
            job->state = 'Q';
            job->began = 0;
        }
    }
    server.vnodes[vnode].out = "down";
}

void server_repair(int vnode) { server.vnodes[vnode].out = NULL; }

void server_suspend(struct server_job *job) { job->state = 'S'; }

void server_resume(struct server_job *job) { job->state = 'R'; }

/* --- Answers --- */

static char *copy(const char *text) {
    char *made = malloc(strlen(text) + 1);
    if (made == NULL) abort();
    return strcpy(made, text);
}

static struct batch_status *entry(struct batch_status ***end, const char *name) {
    struct batch_status *made = calloc(1, sizeof *made);
    if (made == NULL) abort();
    made->name = copy(name);
    **end = made;
    *end = &made->next;
    return made;
}

/* Nothing for NULL. */
static void put(struct batch_status *status, const char *name, const char *resource, const char *value) {
    struct attrl *made;
    if (value == NULL) return;
    made = calloc(1, sizeof *made);
    if (made == NULL) abort();
    made->name = copy(name);
    if (resource != NULL) made->resource = copy(resource);
    made->value = copy(value);
    made->next = status->attribs;
    status->attribs = made;
}

static void put_number(struct batch_status *status, const char *name, const char *resource, int64_t value, const char *unit) {
    char text[40];
    snprintf(text, sizeof text, "%lld%s", (long long)value, unit);
    put(status, name, resource, text);
}

static void put_duration(struct batch_status *status, const char *name, const char *resource, int64_t seconds) {
    char text[40];
    snprintf(text, sizeof text, "%02lld:%02lld:%02lld", (long long)(seconds / 3600), (long long)(seconds / 60 % 60),
             (long long)(seconds % 60));
    put(status, name, resource, text);
}

struct batch_status *pbs_statserver(int connection, struct attrl *attributes, char *extend) {
    struct batch_status *all = NULL, **end = &all, *status;
    (void)connection, (void)attributes, (void)extend;
    if (!answer()) return NULL;
    status = entry(&end, "pbs");
    put(status, "scheduling", NULL, server.scheduling);
    put(status, "job_history_enable", NULL, server.history);
    return all;
}

struct batch_status *pbs_statque(int connection, char *queue, struct attrl *attributes, char *extend) {
    static const char *const queues[] = {"workq", "special"};
    struct batch_status *all = NULL, **end = &all;
    (void)connection, (void)queue, (void)attributes, (void)extend;
    if (!answer()) return NULL;
    for (int i = 0; i < 2; i++) {
        struct batch_status *status = entry(&end, queues[i]);
        put(status, "queue_type", NULL, "Execution");
        put(status, "started", NULL, i == 0 ? server.started : "True");
        for (int k = 0; k < server.vnode_count; k++)
            if (server.vnodes[k].queue != NULL && strcmp(server.vnodes[k].queue, queues[i]) == 0) {
                put(status, "hasnodes", NULL, "True");
                break;
            }
    }
    for (int i = 0; i < server.reservation_count; i++) {
        struct batch_status *status = entry(&end, server.reservations[i].queue);
        put(status, "queue_type", NULL, "Execution");
        put(status, "started", NULL, server.now >= server.reservations[i].start ? "True" : "False");
    }
    return all;
}

struct batch_status *pbs_statvnode(int connection, char *name, struct attrl *attributes, char *extend) {
    struct batch_status *all = NULL, **end = &all;
    (void)connection, (void)name, (void)attributes, (void)extend;
    if (!answer()) return NULL;
    for (int i = 0; i < server.vnode_count; i++) {
        const struct server_vnode *vnode = &server.vnodes[i];
        struct batch_status *status = entry(&end, vnode->name);
        char jobs[4000] = "", state[80];
        bool exclusive = false;
        for (int k = 0; k < server.job_count; k++)
            for (int m = 0; m < server.jobs[k].on_count; m++)
                if (server.jobs[k].on[m] == i && strlen(jobs) < sizeof jobs - 100) {
                    snprintf(jobs + strlen(jobs), sizeof jobs - strlen(jobs), "%s%s/0", jobs[0] ? ", " : "", server.jobs[k].name);
                    exclusive |= server.jobs[k].exclusive;
                }
        snprintf(state, sizeof state, "%s%s%s", vnode->out == NULL ? "" : vnode->out,
                 vnode->out != NULL && exclusive ? "," : "", exclusive ? "job-exclusive" : vnode->out == NULL ? "free" : "");
        put(status, "state", NULL, state);
        put(status, "jobs", NULL, jobs[0] ? jobs : NULL);
        put(status, "queue", NULL, vnode->queue);
        put(status, "sharing", NULL, vnode->sharing == NULL ? "default_shared" : vnode->sharing);
        put(status, "resources_available", "arch", vnode->arch);
        put(status, "resources_available", "host", vnode->name);
        if (vnode->ngpus > 0) put_number(status, "resources_available", "ngpus", vnode->ngpus, "");
        put_number(status, "resources_available", "ncpus", vnode->ncpus, "");
        put_number(status, "resources_available", "mem", vnode->kilobytes, "kb");
        put_number(status, "resources_assigned", "ncpus", vnode->assigned, "");
    }
    return all;
}

struct batch_status *pbs_statresv(int connection, char *name, struct attrl *attributes, char *extend) {
    struct batch_status *all = NULL, **end = &all;
    (void)connection, (void)name, (void)attributes, (void)extend;
    if (!answer()) return NULL;
    for (int i = 0; i < server.reservation_count; i++) {
        const struct server_reservation *reservation = &server.reservations[i];
        struct batch_status *status = entry(&end, reservation->name);
        put(status, "queue", NULL, reservation->queue);
        put(status, "resv_nodes", NULL, reservation->where);
        put_number(status, "reserve_start", NULL, reservation->start, "");
        put_number(status, "reserve_end", NULL, reservation->end, "");
    }
    return all;
}

/* The amount of a word in "3:ncpus=2:mem=1gb"; 0 without it. */
static int64_t of_chunk(const struct server_job *job, const char *word) {
    const char *at = strstr(job->select, word);
    char *unit;
    int64_t value = at == NULL ? 0 : strtoll(at + strlen(word), &unit, 10);
    if (at != NULL && strcmp(word, "mem=") == 0 && *unit == 'g') value *= 1048576;
    return value;
}

/* Chunks and processors of each of "3:ncpus=2..." */
static void chunks_of(const struct server_job *job, int *count, int *ncpus) {
    *count = atoi(job->select) > 0 ? atoi(job->select) : 1;
    *ncpus = strstr(job->select, "ncpus=") == NULL ? 1 : (int)of_chunk(job, "ncpus=");
}

struct batch_status *pbs_statjob(int connection, char *name, struct attrl *attributes, char *extend) {
    struct batch_status *all = NULL, **end = &all;
    (void)connection, (void)name, (void)attributes;
    if (!answer()) return NULL;
    for (int i = 0; i < server.job_count; i++) {
        const struct server_job *job = &server.jobs[i];
        char state[2] = {job->state, '\0'};
        struct batch_status *status;
        int count, ncpus;
        if (strchr("FX", job->state) != NULL && (extend == NULL || strchr(extend, 'x') == NULL)) continue;
        if (strchr("FX", job->state) != NULL && job->ended + SERVER_HISTORY < server.now) continue;
        if (job->array[0] != '\0' && (extend == NULL || strchr(extend, 't') == NULL)) continue;
        status = entry(&end, job->name);
        chunks_of(job, &count, &ncpus);
        put(status, "Job_Name", NULL, job->title);
        put(status, "Job_Owner", NULL, job->owner);
        put(status, "euser", NULL, job->owner);
        put(status, "job_state", NULL, state);
        put(status, "queue", NULL, job->queue);
        put(status, "Hold_Types", NULL, job->holds);
        put_number(status, "Priority", NULL, job->priority, "");
        put_number(status, "qtime", NULL, job->submitted, "");
        put(status, "Resource_List", "select", job->select);
        put(status, "Resource_List", "place", job->place);
        put(status, "Resource_List", job->resource == NULL ? "" : job->resource, job->resource == NULL ? NULL : "1");
        put_number(status, "Resource_List", "nodect", count, "");
        put_number(status, "Resource_List", "ncpus", (int64_t)count * ncpus, "");
        put_duration(status, "Resource_List", "walltime", job->walltime);
        if (job->soft > 0) put_duration(status, "Resource_List", "soft_walltime", job->soft);
        if (strstr(job->name, "[]") != NULL) put(status, "array", NULL, "True");
        if (job->at_once > 0) put_number(status, "max_run_subjobs", NULL, job->at_once, "");
        put(status, "array_id", NULL, job->array[0] ? job->array : NULL);
        put(status, "comment", NULL, job->comment[0] ? job->comment : NULL);
        if (job->run_count > 0) put_number(status, "run_count", NULL, job->run_count, "");
        if (strchr("RSFX", job->state) != NULL && job->began > 0) put_number(status, "stime", NULL, job->began, "");
        if (strchr("RS", job->state) != NULL) put(status, "exec_vnode", NULL, job->where);
        if (strchr("FX", job->state) != NULL) {
            put_number(status, "Exit_status", NULL, job->exit_status, "");
            if (job->began > 0) put_duration(status, "resources_used", "walltime", job->ended - job->began);
        }
    }
    return all;
}

void pbs_statfree(struct batch_status *status) {
    while (status != NULL) {
        struct batch_status *next = status->next;
        while (status->attribs != NULL) {
            struct attrl *attribute = status->attribs;
            status->attribs = attribute->next;
            free(attribute->name);
            free(attribute->resource);
            free(attribute->value);
            free(attribute);
        }
        free(status->name);
        free(status);
        status = next;
    }
}

/* --- Requests --- */

int pbs_connect(char *name) {
    (void)name;
    return answer() ? 1 : -1;
}

int pbs_disconnect(int connection) {
    (void)connection;
    return 0;
}

char *pbs_geterrmsg(int connection) {
    (void)connection;
    return error_text;
}

static int find_vnode(const char *name, size_t length) {
    for (int i = 0; i < server.vnode_count; i++)
        if (strlen(server.vnodes[i].name) == length && strncmp(server.vnodes[i].name, name, length) == 0) return i;
    return -1;
}

/* Whether one more chunk finds room on a vnode that has these already of the job. */
static bool has_room(const struct server_job *job, int vnode, int chunks) {
    const struct server_vnode *on = &server.vnodes[vnode];
    const char *arch = strstr(job->select, "arch="), *host = strstr(job->select, "host=");
    const int64_t more = chunks + 1;
    if (on->out != NULL || on->assigned + more * job->ncpus > on->ncpus || on->gpus_assigned + more * job->ngpus > on->ngpus ||
        on->kilobytes_assigned + more * job->kilobytes > on->kilobytes)
        return false;
    if (chunks > 0 && strstr(job->place, "scatter") != NULL) return false;
    if (arch != NULL && (on->arch == NULL || strncmp(arch + 5, on->arch, strlen(on->arch)) != 0)) return false;
    if (host != NULL && strncmp(host + 5, on->name, strlen(on->name)) != 0) return false;
    for (int i = 0; i < server.reservation_count; i++) {
        const struct server_reservation *reservation = &server.reservations[i];
        char name[40];
        snprintf(name, sizeof name, "(%s:", on->name);
        if (strstr(reservation->where, name) == NULL || reservation->end <= server.now) continue;
        if (strcmp(job->queue, reservation->queue) == 0 ? server.now < reservation->start
                                                        : server.now + job->walltime > reservation->start)
            return false;
    }
    for (int i = 0; i < server.job_count; i++)
        for (int k = 0; k < server.jobs[i].on_count; k++)
            if (server.jobs[i].on[k] == vnode && (server.jobs[i].exclusive || job->exclusive)) return false;
    return true;
}

/* The vnodes of "(n0:ncpus=2)+(n1:ncpus=2)", or the first that have room. Returns how many. */
static int choose(const struct server_job *job, const char *location, int on[SERVER_CHUNKS]) {
    int count = 0, chunks[SERVER_VNODES] = {0};
    if (location == NULL || *location == '\0') {
        for (int i = 0; i < server.vnode_count; i++)
            for (; count < SERVER_CHUNKS && has_room(job, i, chunks[i]); chunks[i]++) on[count++] = i;
        return count;
    }
    while (location != NULL && *location == '(' && count < SERVER_CHUNKS) {
        on[count] = find_vnode(location + 1, strcspn(location + 1, ":)"));
        if (on[count] < 0 || !has_room(job, on[count], chunks[on[count]])) return 0;
        if (count > 0 && strstr(job->place, "pack") != NULL && on[count] != on[0]) return 0;
        chunks[on[count++]]++;
        location = strchr(location, '+');
        if (location != NULL) location++;
    }
    return count;
}

int pbs_runjob(int connection, char *name, char *location, char *extend) {
    struct server_job *job;
    int count, ncpus, on[SERVER_CHUNKS], found;
    (void)connection, (void)extend;
    if (!answer()) return error_number;
    job = find_job(name);
    if (job == NULL) return fail(UNKNOWN_JOB, "Unknown Job Id");
    if (job->state != 'Q' || strcmp(job->holds, "n") != 0 || strstr(name, "[]") != NULL) {
        server.refused++;
        return fail(BAD_STATE, "Request invalid for state of job");
    }
    if (job->refuse > 0) {
        job->refuse--;
        return fail(NO_RESOURCES, "Resources temporarily unavailable");
    }
    chunks_of(job, &count, &ncpus);
    job->exclusive = strstr(job->place, "excl") != NULL;
    job->ncpus = ncpus;
    job->ngpus = (int)of_chunk(job, "ngpus=");
    job->kilobytes = of_chunk(job, "mem=");
    found = choose(job, location, on);
    if (found < count || (location != NULL && found > count)) {
        server.refused += location != NULL;
        return fail(NO_RESOURCES, "Resources temporarily unavailable");
    }
    job->where[0] = '\0';
    for (int i = 0; i < count; i++) {
        size_t used = strlen(job->where);
        job->on[i] = on[i];
        server.vnodes[on[i]].assigned += ncpus;
        server.vnodes[on[i]].gpus_assigned += job->ngpus;
        server.vnodes[on[i]].kilobytes_assigned += job->kilobytes;
        snprintf(job->where + used, sizeof job->where - used, "%s(%s:ncpus=%d", used ? "+" : "", server.vnodes[on[i]].name, ncpus);
        used = strlen(job->where);
        if (job->kilobytes > 0)
            snprintf(job->where + used, sizeof job->where - used, ":mem=%lldkb", (long long)job->kilobytes);
        used = strlen(job->where);
        if (job->ngpus > 0) snprintf(job->where + used, sizeof job->where - used, ":ngpus=%d", job->ngpus);
        strncat(job->where, ")", sizeof job->where - strlen(job->where) - 1);
    }
    job->on_count = count;
    job->state = 'R';
    job->began = server.now;
    job->starts++;
    job->run_count++;
    if (job->array[0] != '\0') find_job(job->array)->state = 'B';
    return 0;
}

int pbs_alterjob(int connection, char *name, struct attrl *attributes, char *extend) {
    struct server_job *job;
    (void)connection, (void)extend;
    if (!answer()) return error_number;
    job = find_job(name);
    if (job == NULL) return fail(UNKNOWN_JOB, "Unknown Job Id");
    for (const struct attrl *at = attributes; at != NULL; at = at->next) {
        if (strcmp(at->name, "comment") == 0)
            snprintf(job->comment, sizeof job->comment, "%s", at->value);
        else if (strcmp(at->name, "Resource_List") == 0 && at->resource != NULL && strcmp(at->resource, "soft_walltime") == 0)
            job->soft = atoll(at->value);
        else
            return fail(NO_ATTRIBUTE, "Undefined attribute");
    }
    return 0;
}

static int set_holds(char *name, const char *holds) {
    struct server_job *job;
    if (!answer()) return error_number;
    job = find_job(name);
    if (job == NULL) return fail(UNKNOWN_JOB, "Unknown Job Id");
    if (strchr("QHB", job->state) == NULL) return fail(BAD_STATE, "Request invalid for state of job");
    snprintf(job->holds, sizeof job->holds, "%s", holds);
    job->state = strcmp(holds, "n") == 0 ? 'Q' : 'H';
    return 0;
}

int pbs_holdjob(int connection, char *name, char *holds, char *extend) {
    (void)connection, (void)extend;
    return set_holds(name, holds);
}

int pbs_rlsjob(int connection, char *name, char *holds, char *extend) {
    (void)connection, (void)holds, (void)extend;
    return set_holds(name, "n");
}

int pbs_deljob(int connection, char *name, char *extend) {
    struct server_job *job;
    (void)connection, (void)extend;
    if (!answer()) return error_number;
    job = find_job(name);
    if (job == NULL) return fail(UNKNOWN_JOB, "Unknown Job Id");
    leave_vnodes(job);
    job->ended = server.now;
    job->exit_status = job->state == 'R' ? 271 : 0;
    job->ends += job->state == 'R';
    job->state = job->array[0] == '\0' ? 'F' : 'X';
    look_at_array(job->array);
    return 0;
}
