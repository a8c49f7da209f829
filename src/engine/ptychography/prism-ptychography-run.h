/* prism-ptychography-run: explains recorded frames on a thread of its own, and shows what is found
 * meanwhile. Nothing here waits for that thread.
 *
 * Thread: one at a time, but for what the thread calls. */
#pragma once

#include "formats/prism-image.h"
#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_PTYCHOGRAPHY_PREPARING,
  PRISM_PTYCHOGRAPHY_SEARCHING,         /* for the pupil to begin with */
  PRISM_PTYCHOGRAPHY_PASSING,
  PRISM_PTYCHOGRAPHY_DONE,              /* all passes, or it was finished before */
  PRISM_PTYCHOGRAPHY_FAILED,
} PrismPtychographyStage;

typedef struct
{
  PrismPtychographyStage stage;
  gboolean paused;
  guint pass;                           /* passes done */
  guint n_passes;                       /* wanted */
  guint tile;                           /* tiles done */
  guint n_tiles;                        /* 0: the field is one */
  double fraction;                      /* of the search or of this pass, 0…1 */
  double seconds;                       /* pauses left out */
} PrismPtychographyStatus;

/* A frame beside what is predicted of it, as amplitudes. */
typedef struct
{
  guint frame;
  PrismImage *recorded;                 /* [q][q]; NAN where a pixel is not used */
  PrismImage *predicted;                /* [q][q] */
} PrismPtychographyLook;

typedef struct _PrismPtychographyRun PrismPtychographyRun;

/* On the run's thread, under its lock: something is new. Only tells somebody else. */
typedef void (*PrismPtychographyNotify) (gpointer data);

PrismPtychographyRun *prism_ptychography_run_new  (PrismRecording                  *recording,
                                                   const PrismPtychographySettings *settings,
                                                   PrismPtychographyNotify          notify,
                                                   gpointer                         data);
void                  prism_ptychography_run_free (PrismPtychographyRun *self);

void prism_ptychography_run_set_paused (PrismPtychographyRun *self,
                                        gboolean              paused);
void prism_ptychography_run_finish     (PrismPtychographyRun *self);
void prism_ptychography_run_go_on      (PrismPtychographyRun *self,
                                        guint                 n_passes);
void prism_ptychography_run_look_at    (PrismPtychographyRun *self,
                                        guint                 frame);
void prism_ptychography_run_save       (PrismPtychographyRun *self,
                                        const char           *directory);

void          prism_ptychography_run_get_status  (PrismPtychographyRun    *self,
                                                  PrismPtychographyStatus *status);
char         *prism_ptychography_run_dup_problem (PrismPtychographyRun *self);
PrismFinding *prism_ptychography_run_ref_finding (PrismPtychographyRun *self);
gboolean      prism_ptychography_run_get_look    (PrismPtychographyRun  *self,
                                                  PrismPtychographyLook *look);
gboolean      prism_ptychography_run_take_saved  (PrismPtychographyRun  *self,
                                                  char                 **directory,
                                                  char                 **problem);

G_END_DECLS
