/* A stand-in for the header of PBS's batch interface library (IFL), written from its manual pages: what an external
 * scheduler needs of it, and no more. The functions are in server.c. */
#ifndef PBS_IFL_H
#define PBS_IFL_H

enum batch_op { SET, UNSET, INCR, DECR, EQ, NE, GE, GT, LE, LT, DFLT };

struct attrl {
    struct attrl *next;
    char *name;
    char *resource;
    char *value;
    enum batch_op op;
};

struct batch_status {
    struct batch_status *next;
    char *name;
    struct attrl *attribs;
    char *text;
};

extern int *__pbs_errno_location(void);
#define pbs_errno (*__pbs_errno_location())

extern int pbs_connect(char *server);
extern int pbs_disconnect(int connection);
extern char *pbs_geterrmsg(int connection);
extern struct batch_status *pbs_statserver(int connection, struct attrl *attributes, char *extend);
extern struct batch_status *pbs_statque(int connection, char *queue, struct attrl *attributes, char *extend);
extern struct batch_status *pbs_statvnode(int connection, char *vnode, struct attrl *attributes, char *extend);
extern struct batch_status *pbs_statresv(int connection, char *reservation, struct attrl *attributes, char *extend);
extern struct batch_status *pbs_statjob(int connection, char *job, struct attrl *attributes, char *extend);
extern void pbs_statfree(struct batch_status *status);
extern int pbs_runjob(int connection, char *job, char *location, char *extend);
extern int pbs_alterjob(int connection, char *job, struct attrl *attributes, char *extend);
extern int pbs_holdjob(int connection, char *job, char *holds, char *extend);
extern int pbs_rlsjob(int connection, char *job, char *holds, char *extend);
extern int pbs_deljob(int connection, char *job, char *extend);

#endif
