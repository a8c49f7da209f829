/* prism-engine-private: the engine's state, shared by the files that make up its thread.
 * Thread: engine. */
#pragma once

#include "device/prism-device.h"
#include "history/prism-snapshot.h"
#include "history/prism-checkpoints.h"
#include "model/prism-aperture.h"
#include "run/prism-engine.h"
#include "run/prism-run-file.h"
#include "run/prism-run-index.h"
#include "trainer/prism-trainer.h"

#include <pthread.h>

G_BEGIN_DECLS

/* Writes a run's file on a thread of its own, so that the run does not wait for the
 * disk: at most one save is under way and one pending.
 *
 * Thread: every function from the engine's, which owns it. */


typedef struct _PrismSaver PrismSaver;

PrismSaver *prism_saver_new        (const char              *path,
                                    const PrismRunIdentity  *identity,
                                    const PrismRunMark      *expected,
                                    GError                 **error);
void        prism_saver_free       (PrismSaver *self);
void        prism_saver_close      (PrismSaver   *self,
                                    PrismRunMark *mark);
char       *prism_saver_dup_path   (PrismSaver *self);
char       *prism_saver_take_notice (PrismSaver *self);
const PrismRunIdentity *
            prism_saver_get_identity (PrismSaver *self);
gboolean    prism_saver_is_busy    (PrismSaver *self);
void        prism_saver_submit     (PrismSaver    *self,
                                    PrismSnapshot *snapshot,
                                    PrismBundle   *state);
GError     *prism_saver_take_error (PrismSaver *self);
void        prism_saver_wait       (PrismSaver *self);
gboolean    prism_saver_finish     (PrismSaver  *self,
                                    GError     **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSaver, prism_saver_free)

/* Chooses which states of a run are kept to fork from, so that they lie evenly
 * among its samples and take no more of the disk than history_size says. Thread: engine. */

typedef struct _PrismStateBook PrismStateBook;

PrismStateBook *prism_state_book_new        (const PrismConfig *config,
                                             guint              n_samples);
void            prism_state_book_free       (PrismStateBook *self);
void            prism_state_book_load       (PrismStateBook    *self,
                                             const PrismCheckpoints *states);
gboolean        prism_state_book_wants      (PrismStateBook *self,
                                             PrismPhase      phase,
                                             guint64         n_visits);
void            prism_state_book_keep       (PrismStateBook      *self,
                                             const PrismSnapshot *snapshot,
                                             PrismBundle         *state,
                                             guint64              n_visits);
PrismCheckpoints    *prism_state_book_dup_states (PrismStateBook *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismStateBook, prism_state_book_free)

typedef enum
{
  PRISM_ENGINE_CONFIGURE,
  PRISM_ENGINE_UPDATE,
  PRISM_ENGINE_RUN,
  PRISM_ENGINE_PAUSE,
  PRISM_ENGINE_STEP,
  PRISM_ENGINE_STOP,
  PRISM_ENGINE_CLOSE,
  PRISM_ENGINE_INTERVAL,
  PRISM_ENGINE_KEEP_STATES,
  PRISM_ENGINE_RUN_FILE,
  PRISM_ENGINE_EXPORT,
  PRISM_ENGINE_CLEAR_CACHE,
  PRISM_ENGINE_LOOK,
  PRISM_ENGINE_SHOW,
  PRISM_ENGINE_RESUME,
  PRISM_ENGINE_QUIT,
} PrismEngineCommandKind;

typedef struct
{
  PrismEngineCommandKind kind;
  PrismConfig *config; /* (nullable), owned */
  guint number; /* samples of STEP, ms of INTERVAL, whether to KEEP_STATES, of a lesson or brief */
  char *path;          /* (nullable), owned: of RUN_FILE, RESUME, EXPORT; a display to SHOW;
                        * how frames are read that CONFIGURE is for */
  PrismRunMark mark;   /* of what had the name when RUN_FILE was sent */
  PrismRun *run;       /* (nullable), owned: of RESUME */
  PrismScene *scene;   /* (nullable), owned: of CONFIGURE */
} PrismEngineCommand;

struct _PrismEngine
{
  /* shared, guarded by lock */
  pthread_mutex_t lock;
  pthread_cond_t commanded;
  GQueue commands;                      /* of PrismEngineCommand */
  PrismProblem *problem;                /* (nullable): of the scene, as published last */
  pthread_cond_t published;             /* the mailbox is full */
  PrismSnapshot *newest;                /* (nullable): the mailbox, whose newest state wins */
  GCancellable *wanted;                 /* cancelled while a command waits that ends the run */

  /* constant */
  pthread_t thread;
  PrismEngineNotify notify;             /* (nullable) */
  gpointer notify_data;

  /* the engine thread's own */
  PrismConfig *config;                  /* (nullable) of the next run */
  PrismState state;
  gboolean quit;
  guint64 serial;
  guint64 run;
  guint64 stop_at_visits;               /* pause when the trainer has done so many; 0 = go on */
  guint interval;                       /* ms */
  double publish_due;                   /* s: before it, another one would hold up the run */
  char *message;                        /* (nullable) */
  int error_code;                       /* PrismError of message, -1 for none */

  PrismScene *given;                    /* (nullable) what is measured not the object of config */
  char *reading;                        /* (nullable): how it is read, where it is not there yet */
  PrismSnapshot *lost;                  /* (nullable): of a run that could not be taken up */
  PrismScene *scene;                    /* (nullable) of the next run, or of the one under way */
  PrismImage *spectrum;                 /* (nullable) [n][n], of the target of scene */
  PrismImage *exposure;                 /* (nullable) [m][m], of that target behind exposure_mask */
  PrismMask *exposure_mask;             /* (nullable) */
  PrismImage *object;                   /* (nullable) [m][m], the last one that was loaded */
  char *problem_text;                   /* (nullable): of the scene, for its file */
  guint64 object_id;                    /* grows with every object and every given scene */
  char *object_key;                     /* what the object was made from */
  PrismDevice device;
  PrismCache *cache;
  PrismTrainer *trainer;                /* (nullable) */

  char *run_file;                       /* (nullable): of the next run */
  PrismRunMark run_mark;                /* of what it may replace */
  gboolean lesson;                      /* the next run is a step of one */
  PrismRunMark own_mark;                /* of what the run before it has written */
  char *parent;                         /* (nullable): file that the next run is forked from */
  PrismSaver *saver;                    /* (nullable): of the run under way */
  gboolean keeps_states;                /* to fork from */
  PrismStateBook *book;                 /* (nullable): of the run */
  char *last_file;                      /* (nullable): of the run that is over */
  char *display;                        /* (nullable): see prism-display */
  gboolean display_outdated;            /* that file has another one */
  double last_save;                     /* s */
  char *exported;                       /* (nullable): folder that was written last */
  guint64 visits_saved;                 /* samples and passes that the last save had */
  gboolean save_failed;                 /* the next Run tries again */
  gboolean unsaved;                     /* the run under way, or how it is looked at, is another
                                         * than was written last */
};

void           prism_engine_look_at_queue (PrismEngine *self);
gboolean       prism_engine_is_asked      (gpointer data);
PrismEngineCommand *
               prism_engine_receive       (PrismEngine *self,
                                           gint64      *begun);
void           prism_engine_put           (PrismEngine   *self,
                                           PrismSnapshot *snapshot);
void           prism_engine_command_free  (PrismEngineCommand *command);
void           prism_engine_send          (PrismEngine        *self,
                                           PrismEngineCommand  command);
PrismSnapshot *prism_engine_make_snapshot (PrismEngine *self,
                                           gboolean     settled);
PrismSaver    *prism_engine_open_saver    (PrismEngine             *self,
                                           const char              *path,
                                           const PrismRunIdentity  *identity,
                                           const PrismRunMark      *expected,
                                           GError                 **error);
gboolean       prism_engine_begin_saving  (PrismEngine  *self,
                                           GError      **error);
gboolean       prism_engine_move_saving   (PrismEngine  *self,
                                           GError      **error);
gboolean       prism_engine_save_now      (PrismEngine  *self,
                                           GError      **error);
gboolean       prism_engine_save_when_due (PrismEngine  *self,
                                           GError      **error);
gboolean       prism_engine_describe_problem (PrismEngine  *self,
                                              GError      **error);
PrismBundle   *prism_engine_dup_state     (PrismEngine *self);
gboolean       prism_engine_save_last     (PrismEngine  *self,
                                           PrismState    state,
                                           PrismBundle  *bundle,
                                           GError      **error);
void           prism_engine_take_display  (PrismEngine *self,
                                           char        *display);
gboolean       prism_engine_save_display  (PrismEngine  *self,
                                           GError      **error);
void           prism_engine_open_book     (PrismEngine       *self,
                                           const PrismCheckpoints *states);
void           prism_engine_keep_state    (PrismEngine *self);
void           prism_engine_end_saving    (PrismEngine *self);
gboolean       prism_engine_load_run      (PrismEngine  *self,
                                           PrismRun     *run,
                                           GError      **error);

guint              prism_engine_get_n_samples  (PrismEngine *self);
void               prism_engine_clear_scene    (PrismEngine *self);
gboolean           prism_engine_make_views     (PrismEngine      *self,
                                                const PrismImage *before,
                                                GError          **error);
void               prism_engine_drop_views     (PrismEngine *self);
PrismConfig       *prism_engine_dup_device_config (const PrismConfig *config);
gboolean           prism_engine_load_scene     (PrismEngine  *self,
                                                GError      **error);

G_END_DECLS
