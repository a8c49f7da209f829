/* prism-finding: what is known of recorded frames at one moment: object, pupil, light, and how well
 * frames are predicted. Immutable; made by a solver, or read from the folder of a result.
 *
 * N = number of frames, q = side of a frame; the object is H×W, a square where the field was not
 * cut into tiles. Frames, pupil and board of tiles are those of the middle one. Complex numbers are
 * pairs of floats. Thread: any. */
#pragma once

#include "base/prism-reference.h"
#include "formats/prism-archive.h"
#include "formats/prism-image.h"
#include "model/prism-mark.h"
#include "ptychography/prism-objective.h"
#include "ptychography/prism-ptychography.h"

G_BEGIN_DECLS

/* What is known of a frame and its light at one moment. NAN where nothing is known. */
typedef struct
{
  gboolean held;                        /* it was never used: it is compared with its prediction */
  gboolean left_out;                    /* it was never used, nor compared */
  double light;                         /* mean intensity */
  double recorded[2];                   /* (column, row) of its pupil, px of q from the centre */
  double found[2];
  double gain;
  double misfit;
  double correlation;
} PrismFindingFrame;

typedef struct _PrismFinding PrismFinding;

struct _PrismFinding
{
  gatomicrefcount ref_count;
  guint pass;                           /* passes done */
  double seconds;                       /* since the beginning, pauses left out */
  double coverage;                      /* of a result that was read: fraction of the region of
                                         * interest; NAN: unknown */
  int object_height;                    /* H */
  int object_width;                     /* W */
  double pixel_size;                    /* of the object, m */
  float *object;                        /* [H][W][2], 1 is white in the frames */
  int reduction;                        /* of a run: pixels of the object, along a side, for one of
                                         * its picture; 0 otherwise */
  int side;                             /* q */
  float *pupil;                         /* [q][q][2] */
  double radius;                        /* of the pupil, px of q */
  double rim;                           /* its width, px of a frame's grid; NAN: unknown */
  double waves[PRISM_PUPIL_N_MODES];
  double wavelength;                    /* m; NAN: unknown, and so is NA */
  double na;                            /* of the objective */
  PrismConfig *settings;                /* that it was found with */
  guint n_frames;                       /* N */
  PrismFindingFrame *frames;            /* [N] */
  PrismPrediction held_out;
  PrismPrediction used;
  PrismBoard board;                     /* shift in px of q */
  PrismObjective objective;             /* over the field, of tiles */
  PrismMeasured *finest;                /* (nullable) m: see prism_finding_get_finest() */
  GArray *readings;                     /* (nullable) of PrismMarkReading: what marks on its object
                                         * read */
  guint taken_back_after;               /* pass after which passes were taken back; 0: none were */
  gboolean decoded_in_vain;             /* a decoder was trained, and is worse than they are */
  GArray *progress;                     /* of PrismPrediction: held-out frames after every pass */
  GPtrArray *doubts;                    /* of char *: sentences about single lights */
  int automatic_tile;                   /* side of tiles that is chosen where nobody asks for one;
                                         * 0: none, or unknown */
  GPtrArray *tiles;                     /* (nullable) of char *: a sentence about each tile that the
                                         * object has */
  char *source;                         /* path of the frames */
  char *reading;                        /* (nullable): see prism_problem_dup_options() */
  char *device;                         /* (nullable): of a result that was read, what took the
                                         * passes */
  char *device_reason;                  /* (nullable): and why */
  guint looked;                         /* number of the frame that is looked at */
  PrismImage *predicted;                /* (nullable) [q][q] the amplitude that is predicted of it,
                                         * NAN where a pixel is not used */
  char *name;                           /* (nullable): of the run, heads its report */
  PrismFinding *owner;                  /* (nullable): that all but readings and name is of */
};

void          prism_finding_set_object (PrismFinding *self,
                                        float        *object,
                                        int           height,
                                        int           width,
                                        float         white);
gboolean      prism_finding_place_object (PrismFinding *self,
                                          int           height,
                                          int           width,
                                          int           top,
                                          int           left,
                                          GError      **error);
PrismFinding *prism_finding_new_read (PrismFinding *owner,
                                      GArray       *readings,
                                      const char   *name);
const PrismMeasured *
              prism_finding_get_finest (const PrismFinding *self);
void          prism_finding_set_finest (PrismFinding        *self,
                                        const PrismMeasured *finest);
double        prism_finding_get_limit  (const PrismFinding *self);
void          prism_finding_tell (const PrismFinding *self,
                                  GPtrArray          *sentences);
PrismFinding *prism_finding_load_numbers (const char *directory,
                                          GError    **error);
PrismFinding *prism_finding_load  (const char  *directory,
                                   GError     **error);
void          prism_finding_save_members (PrismFinding       *self,
                                          PrismArchiveWriter *writer,
                                          const char         *prefix);
gboolean      prism_finding_load_members (PrismArchive  *archive,
                                          const char    *prefix,
                                          PrismFinding **finding,
                                          GError       **error);

PRISM_DECLARE_REFERENCES (PrismFinding, prism_finding)

G_END_DECLS
