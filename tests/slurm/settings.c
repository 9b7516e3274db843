/* The words of SchedulerParameters: what is read, what is refused, what is said of them. */
#include "../expect.h"
#include "settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char notes[1000];
static void take_note(void *context, const char *text) {
    char *all = context;
    strncat(all, text, sizeof notes - strlen(all) - 2);
    strcat(all, ";");
}

static void settings_are_read(void) {
    static const char *const wrong[] = {
        "surefill_tau",           "surefill_tau=",         "surefill_tau=x",         "surefill_tau=-1",
        "surefill_tau=nan",       "surefill_interval=0",   "surefill_interval=1e9",  "surefill_mode=off",
        "surefill_criterion=all", "surefill_depth=1.5",    "surefill_depth=-1",      "surefill_events=17",   "surefill_order=first",
        "surefill_what=1",        "surefill_preset=best",   "surefill_locked=0",     "surefill_locked=61",      "surefill_save=0",
        "surefill_=1",            "bf_x,surefill_budget=", "surefill_predictor=users",
        "surefil_tau=0.1", "defer, surefil_mode=limits", "surrefill_tau=1", "Surefill-tau=1",
        "sure_fill_tau=1", "surfill_interval=2", "surefilltau=1", "surefill_tau=0.000000000000000000000000000000000000000000000000000000000000"
        "0000000000000000000000000000000000000000000000000000000000000000000000000000001"};
    struct settings settings, before;
    surefill_preset fair, fast;
    char message[200];
    CHECK(surefill_preset_init(&fair, SUREFILL_PRESET_FAIR) == 0 && surefill_preset_init(&fast, SUREFILL_PRESET_FAST) == 0);
    settings_defaults(&settings);
    CHECK(settings.mode == MODE_ON && settings.criterion == SUREFILL_CRITERION_RELATIVE && settings.tau == fair.threshold &&
          isinf(settings.budget) && settings.preset.or_easy != 0 && strcmp(settings_rule_name(&settings), "fair") == 0);
    CHECK(settings_read(&settings, NULL, message, sizeof message));
    CHECK(settings_read(&settings, "", message, sizeof message));
    CHECK(settings_read(&settings, "defer,bf_interval=3,surefill_tau=0.25,surefill_mode=shadow,surefill_criterion=relative,"
                                   "surefill_budget=0.5,surefill_interval=0.5,surefill_depth=0,surefill_events=1,"
                                   "surefill_save=10,surefill_budget=inf,surefill_locked=0.5",
                        message, sizeof message));
    CHECK(settings.tau == 0.25 && settings.mode == MODE_SHADOW && settings.criterion == SUREFILL_CRITERION_RELATIVE);
    CHECK(isinf(settings.budget) && settings.interval == 0.5 && settings.depth == 0 && settings.events == 1);
    CHECK(settings.save == 10 && settings.locked == 0.5);
    before = settings;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        message[0] = '\0';
        if (settings_read(&settings, wrong[i], message, sizeof message)) {
            fprintf(stderr, "accepted: %s\n", wrong[i]);
            failures++;
        }
        CHECK(strstr(message, "surefill_") != NULL);
        CHECK(memcmp(&before, &settings, sizeof settings) == 0);
    }
    CHECK(settings_read(&settings, "defer", message, sizeof message) &&
          settings.tau == fair.threshold); /* back to the defaults */
    /* A preset has its own values, whatever the order of the words; a criterion is a rule of the site's own. */
    CHECK(settings_read(&settings, "surefill_tau=0.7,surefill_preset=fast", message, sizeof message));
    CHECK(settings.tau == 0.7 && settings.preset.guard_quantile == fast.guard_quantile &&
          settings.preset.or_easy != 0 && strcmp(settings_rule_name(&settings), "fast") == 0);
    CHECK(settings.order == ORDER_QUEUE && settings.preset.queue_run_time == fast.queue_run_time &&
          settings.preset.candidate_run_time == fast.candidate_run_time);
    CHECK(settings_read(&settings, "surefill_order=candidates,surefill_preset=fast", message, sizeof message));
    CHECK(settings.preset.queue_run_time == 0 && settings.preset.front_quantile == 1 &&
          settings.preset.candidate_run_time == fast.candidate_run_time);
    CHECK(settings_read(&settings, "surefill_order=site", message, sizeof message));
    CHECK(settings.preset.queue_run_time == 0 && settings.preset.candidate_run_time == 0 &&
          settings.preset.guard_quantile == fair.guard_quantile);
    CHECK(settings_read(&settings, "surefill_preset=papers", message, sizeof message));
    CHECK(settings.criterion == SUREFILL_CRITERION_BOUND && settings.tau == 0.05 && settings.events == 1);
    CHECK(settings_read(&settings, "surefill_preset=easy", message, sizeof message));
    CHECK(settings.preset.guard_quantile == 0 && settings.preset.or_easy != 0);
    CHECK(settings_read(&settings, "surefill_events=2,surefill_criterion=seconds,surefill_preset=fair", message,
                        sizeof message));
    CHECK(settings.criterion == SUREFILL_CRITERION_SECONDS && settings.tau == 60 && settings.events == 2 &&
          settings.preset.or_easy == 0 && settings.preset.candidate_run_time == 0 && settings.preset.guard_quantile == 1 &&
          strcmp(settings_rule_name(&settings), "own rule") == 0);
    /* Blanks and capitals count as little as with Slurm's own words; words of Slurm's are not ours. */
    CHECK(settings_read(&settings, "defer, SureFill_Tau=0.5 ,\tsurefill_events=2 ", message, sizeof message));
    CHECK(settings.tau == 0.5 && settings.events == 2);
    CHECK(settings_read(&settings, "requeue_setup_env_fail,spec_cores_first,salloc_wait_nodes,sbatch_wait_nodes,Ignore_NUMA,"
                                   "reduce_completing_frag,sched_interval=-1,step_retry_time=3,preempt_send_user_signal",
                        message, sizeof message));
    notes[0] = '\0';
    settings_notes("defer,sched_interval=-1,surefill_tau=1,bf_busy_nodes", take_note, notes);
    CHECK(notes[0] == '\0');
    settings_notes("bf_interval=10, BF_Max_Job_Test=3,bf_busy_nodes,sched_interval=30", take_note, notes);
    CHECK(strstr(notes, "bf_interval=10, bf_max_job_test=3;") != NULL && strstr(notes, "defer leaves") != NULL &&
          strstr(notes, "sched_interval=-1 turns it off") != NULL);
}

/* What a log says of the rule: without a threshold where that decides nothing. */
static void the_rule_is_said(void) {
    static const char *const said[][2] = {
        {"", "relative below 0.3"},
        {"surefill_preset=papers,surefill_tau=0.1", "bound below 0.1"},
        {"surefill_criterion=seconds", "seconds below 60"},
        {"surefill_preset=easy", "by the time limits alone"},
        {"surefill_preset=easy,surefill_tau=0.5", "by the time limits alone"},
        {"surefill_preset=easy,surefill_criterion=probability", "probability below 0.05"},
        {"surefill_mode=limits", "by the time limits alone"},
        {"surefill_mode=shadow", "relative below 0.3"},
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        struct settings settings;
        char text[64], message[200];
        CHECK(settings_read(&settings, said[i][0], message, sizeof message));
        settings_threshold(&settings, text, sizeof text);
        CHECK(strcmp(text, said[i][1]) == 0);
    }
}

int main(void) {
    settings_are_read();
    the_rule_is_said();
    printf("settings: %s\n", failures == 0 ? "read, refused, said: passed" : "FAILED");
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
