/* When and where a waiting job would start if every running job ran to its limit, by Slurm's own tests.
 * Licence: GPL-2.0-or-later. */
#include "cluster.h"

#include <stdlib.h>

/* A job's request to the select plugin. */
struct request {
    job_record_t *job;
    uint32_t least, wanted, most; /* nodes */
    struct exclusions exclusions;
    list_t *preemptable; /* jobs that would make room */
};

void job_use_features(job_record_t *job, bool preferred) {
    job_details_t *details = job->details;
    details->features_use = preferred ? details->prefer : details->features;
    details->feature_list_use = preferred ? details->prefer_list : details->feature_list;
}

/* Asks once, for some of these nodes. Returns the start, 0 for never; nodes becomes those that the job would get. */
static time_t ask(struct request *request, bitstr_t *nodes, uint32_t least, uint32_t wanted, uint32_t most) {
    job_record_t *job = request->job;
    if ((uint32_t)bit_set_count(nodes) < least) return 0;
    if (compat_will_run(job, nodes, least, wanted, most, request->preemptable, &request->exclusions) != SLURM_SUCCESS)
        return 0;
    return job->start_time;
}

/* Asks among the nodes with what the job needs on each (memory, sockets, features in use). */
static time_t ask_filtered(struct request *request, bitstr_t *nodes, uint32_t least, uint32_t wanted,
                           uint32_t most) {
    if (job_req_node_filter(request->job, nodes, true) != SLURM_SUCCESS) return 0;
    return ask(request, nodes, least, wanted, most);
}

/* The next feature of the list, or several in parentheses, alone. NULL at the end. */
static list_t *next_wish(list_itr_t *at, uint16_t *count) {
    job_feature_t *feature = list_next(at), *last = NULL;
    list_t *wish;
    if (feature == NULL) return NULL;
    wish = list_create(feature_list_delete);
    while (feature != NULL) {
        last = xmalloc(sizeof *last);
        last->name = xstrdup(feature->name);
        last->op_code = feature->op_code;
        list_append(wish, last);
        *count = feature->count;
        feature = feature->paren > 0 ? list_next(at) : NULL;
    }
    last->op_code = FEATURE_OP_END;
    return wish;
}

/* "[rack1|rack2]": all nodes from one of them, the one that is free first. */
static time_t ask_one_of(struct request *request, bitstr_t *nodes) {
    job_details_t *details = request->job->details;
    list_t *wishes = details->feature_list_use;
    list_itr_t *at = list_iterator_create(wishes);
    bitstr_t *best = NULL;
    time_t first = 0;
    uint16_t count;
    while ((details->feature_list_use = next_wish(at, &count)) != NULL) {
        bitstr_t *these = bit_copy(nodes);
        time_t start = ask_filtered(request, these, request->least, request->wanted, request->most);
        list_destroy(details->feature_list_use);
        if (start != 0 && (first == 0 || start < first)) {
            FREE_NULL_BITMAP(best);
            best = these;
            first = start;
        } else {
            FREE_NULL_BITMAP(these);
        }
    }
    list_iterator_destroy(at);
    details->feature_list_use = wishes;
    if (best != NULL) bit_copybits(nodes, best);
    FREE_NULL_BITMAP(best);
    return first;
}

/* "[rack1*2&rack2*4]": the number of nodes of each, and what is then still missing from anywhere. */
static time_t ask_some_of_each(struct request *request, bitstr_t *nodes) {
    job_details_t *details = request->job->details;
    list_t *wishes = details->feature_list_use;
    list_itr_t *at = list_iterator_create(wishes);
    bitstr_t *taken = bit_alloc(bit_size(nodes)), *these;
    time_t last = 0, start = 0;
    uint32_t have;
    uint16_t count = 0;
    bool good = true;
    while (good && (details->feature_list_use = next_wish(at, &count)) != NULL) {
        uint32_t least = count > 0 ? count : 1;
        these = bit_copy(nodes);
        bit_and_not(these, taken);
        start = ask_filtered(request, these, least, least, request->most);
        list_destroy(details->feature_list_use);
        good = start != 0;
        if (start > last) last = start;
        if (good) bit_or(taken, these);
        FREE_NULL_BITMAP(these);
    }
    list_iterator_destroy(at);
    have = bit_set_count(taken);
    if (good && have < request->wanted) {
        details->feature_list_use = NULL;
        these = bit_copy(nodes);
        bit_and_not(these, taken);
        start = ask(request, these, request->least > have ? request->least - have : 0, request->wanted - have,
                    request->most > have ? request->most - have : 1);
        good = start != 0;
        if (start > last) last = start;
        if (good) bit_or(taken, these);
        FREE_NULL_BITMAP(these);
    }
    details->feature_list_use = wishes;
    bit_copybits(nodes, taken);
    FREE_NULL_BITMAP(taken);
    return good ? last : 0;
}

static time_t ask_with_features(struct request *request, bitstr_t *nodes) {
    const job_details_t *details = request->job->details;
    bool each = false, one = false;
    list_itr_t *at;
    job_feature_t *feature;
    if (details->feature_list_use == NULL)
        return ask_filtered(request, nodes, request->least, request->wanted, request->most);
    at = list_iterator_create(details->feature_list_use);
    while ((feature = list_next(at)) != NULL) {
        each |= feature->count > 0 || feature->op_code == FEATURE_OP_XAND;
        one |= feature->op_code == FEATURE_OP_MOR;
    }
    list_iterator_destroy(at);
    if (each) return ask_some_of_each(request, nodes);
    if (one) return ask_one_of(request, nodes);
    return ask_filtered(request, nodes, request->least, request->wanted, request->most);
}

/* A job that would share nodes if need be is first tried on nodes of its own, as Slurm's backfill does. */
static time_t ask_alone_first(struct request *request, bitstr_t *nodes) {
    job_details_t *details = request->job->details;
    uint8_t share = details->share_res;
    bitstr_t *all;
    time_t start;
    if (share == 0 || details->feature_list_use != NULL) return ask_with_features(request, nodes);
    all = bit_copy(nodes);
    details->share_res = 0;
    start = ask_with_features(request, nodes);
    details->share_res = share;
    if (start == 0 || start > time(NULL)) {
        bit_copybits(nodes, all);
        start = ask_with_features(request, nodes);
    }
    FREE_NULL_BITMAP(all);
    return start;
}

/* --- Nodes that belong to another user for now: --exclusive=user, ExclusiveUser, MCS labels --- */

struct others {
    const job_record_t *job;
    const bitstr_t *kept; /* from the job, as others run there */
    time_t until;         /* what runs no longer counts */
    bitstr_t *still;      /* kept until then */
    time_t *ends;
    int count, room;
};

static int each_other(void *entry, void *argument) {
    const job_record_t *other = entry;
    struct others *others = argument;
    if (IS_JOB_PENDING(other) || (IS_JOB_FINISHED(other) && !IS_JOB_COMPLETING(other)) || other->node_bitmap == NULL ||
        !bit_overlap_any(other->node_bitmap, (bitstr_t *)others->kept) ||
        (other->user_id == others->job->user_id && xstrcmp(other->mcs_label, others->job->mcs_label) == 0))
        return 0;
    if (others->still != NULL) {
        if (other->end_time > others->until) bit_or(others->still, other->node_bitmap);
    } else {
        if (others->count == others->room) {
            others->room = others->room > 0 ? 2 * others->room : 64;
            xrecalloc(others->ends, (size_t)others->room, sizeof *others->ends);
        }
        others->ends[others->count++] = other->end_time;
    }
    return 0;
}

static int by_time(const void *one, const void *other) {
    const time_t a = *(const time_t *)one, b = *(const time_t *)other;
    return (a > b) - (a < b);
}

/* Asks without what others keep from the job until then. */
static time_t ask_until(struct request *request, const bitstr_t *kept, time_t until, bitstr_t *nodes) {
    struct others others = {.job = request->job, .kept = kept, .until = until, .still = bit_alloc(bit_size(nodes))};
    time_t start;
    list_for_each(job_list, each_other, &others);
    bit_and(others.still, (bitstr_t *)kept);
    bit_and_not(nodes, others.still);
    FREE_NULL_BITMAP(others.still);
    start = ask_alone_first(request, nodes);
    return start != 0 && start < until ? until : start;
}

/* Slurm's backfill leaves such nodes out, and then has no reservation at all for a job that needs some of them. Here
 * they come back when the others' jobs end: the earliest end after which there is a start, by bisection. */
static time_t ask_around_others(struct request *request, bitstr_t *nodes) {
    bitstr_t *kept = bit_copy(nodes), *all = bit_copy(nodes);
    struct others others = {.job = request->job, .kept = kept};
    time_t start;
    filter_by_node_owner(request->job, nodes);
    filter_by_node_mcs(request->job, slurm_mcs_get_select(request->job), nodes);
    bit_and_not(kept, nodes);
    start = ask_alone_first(request, nodes);
    if (start == 0 && bit_ffs(kept) >= 0) {
        int first = 0, last;
        list_for_each(job_list, each_other, &others);
        if (others.count > 0) qsort(others.ends, (size_t)others.count, sizeof *others.ends, by_time);
        for (last = others.count - 1; first < last;) {
            int middle = first + (last - first) / 2;
            bit_copybits(nodes, all);
            if (ask_until(request, kept, others.ends[middle], nodes) != 0)
                last = middle;
            else
                first = middle + 1;
        }
        bit_copybits(nodes, all);
        if (others.count > 0) start = ask_until(request, kept, others.ends[first], nodes);
        xfree(others.ends);
    }
    FREE_NULL_BITMAP(kept);
    FREE_NULL_BITMAP(all);
    return start;
}

/* With the reservations that there are at this time and while the job would run. */
static time_t reserve_from(job_record_t *job, part_record_t *part, time_t when, const bitstr_t *without, bitstr_t **nodes) {
    struct request request = {.job = job};
    time_t start = 0, estimate = job->start_time;
    bool overlap = false;
    *nodes = NULL;
    job->part_ptr = part;
    job_use_features(job, false);
    if (job_node_counts(job, part, &request.least, &request.wanted, &request.most) &&
        job_test_resv(job, &when, true, nodes, &request.exclusions.kept, &overlap, false) == SLURM_SUCCESS &&
        *nodes != NULL) {
        bit_and(*nodes, part->node_bitmap);
        bit_and(*nodes, avail_node_bitmap);
        if (without != NULL) bit_and_not(*nodes, (bitstr_t *)without);
        if (job->details->exc_node_bitmap != NULL) bit_and_not(*nodes, job->details->exc_node_bitmap);
        request.preemptable = slurm_find_preemptable_jobs(job);
        start = ask_around_others(&request, *nodes);
        FREE_NULL_LIST(request.preemptable);
        if (start != 0 && start < when) start = when;
    }
    job->start_time = start != 0 ? start : estimate;
    exclusions_free(&request.exclusions);
    if (start == 0) FREE_NULL_BITMAP(*nodes);
    return start;
}

time_t reserve_for(job_record_t *job, part_record_t *part, const bitstr_t *without, bitstr_t **nodes) {
    return reserve_from(job, part, time(NULL), without, nodes);
}

/* The reservations that keep a job off nodes of a partition from a time on. */
struct closing {
    const job_record_t *job;
    const part_record_t *part;
    time_t from, until; /* when the job would run */
    bitstr_t *closed;   /* nodes */
    time_t end;         /* of the first of them, 0 for none */
};

static int each_reservation(void *entry, void *argument) {
    const slurmctld_resv_t *reservation = entry;
    struct closing *closing = argument;
    if (reservation == closing->job->resv_ptr || reservation->node_bitmap == NULL || closing->part->node_bitmap == NULL ||
        (reservation->flags & RESERVE_FLAG_TIME_FLOAT) != 0 || reservation->end_time <= closing->from ||
        reservation->start_time >= closing->until || !bit_overlap_any(reservation->node_bitmap, closing->part->node_bitmap))
        return 0;
    bit_or(closing->closed, reservation->node_bitmap);
    if (closing->end == 0 || reservation->end_time < closing->end) closing->end = reservation->end_time;
    return 0;
}

/* The end of the first reservation that keeps the job off nodes if it begins then; 0 where enough are left to it. */
static time_t closed_until(const job_record_t *job, const part_record_t *part, time_t from, int64_t limit) {
    struct closing closing = {.job = job, .part = part, .from = from, .until = from + (time_t)limit,
                              .closed = bit_alloc(node_record_count)};
    bool enough;
    if (resv_list != NULL) list_for_each(resv_list, each_reservation, &closing);
    bit_not(closing.closed);
    enough = closing.end == 0 || bit_overlap(closing.closed, part->node_bitmap) >= (int64_t)job->details->min_nodes;
    FREE_NULL_BITMAP(closing.closed);
    return enough ? 0 : closing.end;
}

bool reservations_close(const struct cluster *cluster, const job_record_t *job, const part_record_t *part) {
    return job->details != NULL && closed_until(job, part, (time_t)cluster->now, job_limit(cluster, job, part)) != 0;
}

time_t reserve_behind(const struct cluster *cluster, job_record_t *job, part_record_t *part) {
    const int64_t limit = job_limit(cluster, job, part);
    time_t when = (time_t)cluster->now, end, start;
    bitstr_t *nodes = NULL;
    while ((end = closed_until(job, part, when, limit)) != 0) when = end;
    start = reserve_from(job, part, when, NULL, &nodes);
    FREE_NULL_BITMAP(nodes);
    return start;
}
