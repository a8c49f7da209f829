/* prism-config: the one parameter table. Command line, window, files, manual and documentation are
 * made from it. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_PARAM_INTEGER,                  /* int */
  PRISM_PARAM_REAL,                     /* double */
  PRISM_PARAM_SWITCH,                   /* gboolean */
  PRISM_PARAM_CHOICE,                   /* int: index into choices */
  PRISM_PARAM_TEXT,                     /* char * */
} PrismParamType;

typedef struct
{
  const char *name;                     /* as written in files: "l1" */
  const char *label;                    /* as shown: "L1" */
  const char *help;                     /* one sentence */
  const char *source;                   /* (nullable): "telescope" or "recorded": frames that have
                                         * the choice, if not both */
} PrismChoice;

typedef struct
{
  const char *key;
  const char *group;                    /* id of a PrismParamGroup: "object", "aperture", … */
  PrismParamType type;
  gsize offset;                         /* of the value in PrismConfig */
  const char *unit;                     /* "px", "dB", "steps", "" */
  double minimum;
  const char *minimum_label;            /* (nullable): what the minimum means, "None"; of
                                         * PRISM_PARAM_TEXT: what no text means */
  double least;                         /* with a minimum_label: the least of all other numbers */
  double maximum;                       /* of a number; of PRISM_PARAM_TEXT: bytes, 0 = 4096 */
  double default_value;                 /* number, 0/1, or index of the choice */
  const char *default_text;             /* for PRISM_PARAM_TEXT */
  const PrismChoice *choices;           /* (nullable): ends with a NULL name */
  gboolean live;                        /* applies at once to a running reconstruction */
  gboolean unfollowed;                  /* brings no other picture, or is the path of a file: a
                                         * change starts no run by itself */
  const char *applies;                  /* (nullable): where it has an effect, if not everywhere;
                                         * see prism_config_applies() */
  const char *label;
  const char *help;                     /* one or two sentences with the theory behind it */
} PrismParam;

typedef struct
{
  const char *id;                       /* "object" */
  const char *label;                    /* "Object" */
  const char *help;
} PrismParamGroup;

typedef enum { PRISM_SHAPE_DISK, PRISM_SHAPE_HEXAGON, PRISM_SHAPE_OBSCURED } PrismApertureShape;
typedef enum
{
  PRISM_PATTERN_FERMAT,
  PRISM_PATTERN_RANDOM_DISK,
  PRISM_PATTERN_RANDOM_SQUARE,
  PRISM_PATTERN_RASTER,
  PRISM_PATTERN_STAR,
  PRISM_PATTERN_CIRCLES,
  PRISM_PATTERN_ARCHIMEDEAN,
  PRISM_PATTERN_LOGARITHMIC,
  PRISM_PATTERN_JITTERED,
  PRISM_PATTERN_FILE,
  PRISM_PATTERN_HAND,
} PrismPatternKind;
typedef enum
{
  PRISM_ORDER_RADIUS,
  PRISM_ORDER_ENERGY,
  PRISM_ORDER_RANDOM,
  PRISM_ORDER_GIVEN,
} PrismOrder;
typedef enum { PRISM_DIRECTION_FIXED, PRISM_DIRECTION_RANDOM } PrismDirection;
typedef enum { PRISM_LINE_ACCURATE, PRISM_LINE_FAST } PrismLinePoints;
typedef enum
{
  PRISM_METHOD_AUTO,                    /* the decoder where passes do not explain */
  PRISM_METHOD_DECODER,
  PRISM_METHOD_EPIE,
  PRISM_METHOD_MOPIE,
  PRISM_METHOD_SEQUENTIAL,              /* one frame after the other, with steps that get smaller */
  PRISM_METHOD_DESCENT,                 /* all frames together, accelerated */
  PRISM_METHOD_COMPLEX,                 /* frame after frame, then a decoder with two outputs */
} PrismMethod;
typedef enum { PRISM_PUPIL_SEARCH, PRISM_PUPIL_FLAT } PrismPupilStart;
typedef enum
{
  PRISM_PLACES_HELD,                    /* as recorded, or as the start has them */
  PRISM_PLACES_FOUND,                   /* of every LED, and of the whole board */
  PRISM_PLACES_BOARD,                   /* shift, turn and scale of the whole board alone */
} PrismPlaces;
typedef enum { PRISM_MOPIE_PARALLEL, PRISM_MOPIE_SERIAL } PrismMopieUpdate;
typedef enum { PRISM_FINISH_REFINE, PRISM_FINISH_EPIE } PrismFinish;
typedef enum { PRISM_FRAMES_AUTO, PRISM_FRAMES_FULL, PRISM_FRAMES_SMALL } PrismFrameUse;
typedef enum { PRISM_MEMORY_REPLAY, PRISM_MEMORY_SELF, PRISM_MEMORY_ALL } PrismMemory;
typedef enum
{
  PRISM_LOSS_L1,
  PRISM_LOSS_L2,
  PRISM_LOSS_SSIM,
  PRISM_LOSS_MS_SSIM,
  PRISM_LOSS_COMPOSITE,                 /* the weighted sum of those before it */
} PrismLossKind;
typedef enum { PRISM_DOMAIN_AMPLITUDE, PRISM_DOMAIN_INTENSITY } PrismDomain;
typedef enum { PRISM_EDGE_SAME, PRISM_EDGE_VALID } PrismEdge;
typedef enum { PRISM_NORM_BATCH, PRISM_NORM_NONE } PrismNormKind;
typedef enum
{
  PRISM_OUTPUT_SIGMOID,
  PRISM_OUTPUT_HARDSIGMOID,
  PRISM_OUTPUT_TANH,
  PRISM_OUTPUT_RELU,
  PRISM_OUTPUT_NONE,
} PrismOutputActivation;
typedef enum
{
  PRISM_INITIALISATION_UNIFORM,
  PRISM_INITIALISATION_XAVIER_NORMAL,
  PRISM_INITIALISATION_ORTHOGONAL,
} PrismInitialisation;
typedef enum
{
  PRISM_SCHEDULE_COSINE,
  PRISM_SCHEDULE_CONSTANT,
  PRISM_SCHEDULE_PLATEAU,
  PRISM_SCHEDULE_RESTARTS,
} PrismSchedule;
typedef enum
{
  PRISM_START_PICTURE,
  PRISM_START_MEASUREMENT,
  PRISM_START_DISK,
  PRISM_START_SYNTHETIC,
} PrismStartTarget;
/* Numbers of prism-device-list; all others are modules. */
enum { PRISM_BACKEND_AUTO, PRISM_BACKEND_CPU, PRISM_BACKEND_FIRST_MODULE };
#define PRISM_TILE_AUTO (-1)
#define PRISM_UPSAMPLING_AUTO 0
#define PRISM_BORDER_AUTO (-1)
#define PRISM_DEFOCUS_AUTO (-10001.0)
#define PRISM_RIM_AUTO 0.0
#define PRISM_BACKGROUND_AUTO (-1.0)
typedef enum { PRISM_AMP_BF16, PRISM_AMP_FP16, PRISM_AMP_TF32 } PrismAmpType;

/* Whose frames a configuration speaks of. */
typedef enum { PRISM_FRAMES_OF_TELESCOPE, PRISM_FRAMES_RECORDED } PrismFramesKind;

typedef struct _PrismConfig PrismConfig;
struct _JsonObject;

struct _PrismConfig
{
  /* no parameters */
  int kind;                             /* PrismFramesKind: who makes it knows, copies keep it */
  gboolean former_full;                 /* see prism_config_set_former() */
  /* method */
  int method;                           /* PrismMethod */
  /* object */
  char *object;                         /* built-in name or path */
  int image_size;                       /* n, px */
  int object_size;                      /* m, px */
  gboolean object_invert;
  int tile;                             /* px, side of a tile; 0 = none, PRISM_TILE_AUTO */
  double tile_overlap;                  /* %, of the side */
  int point_count;
  double point_diameter;                /* px */
  double point_spacing;                 /* px */
  char *object_text;
  /* scale */
  double wavelength;                    /* nm */
  double distance;                      /* m */
  double dxf;                           /* m per pixel of k-space */
  double object_diameter;               /* m, 0 = not given */
  /* aperture */
  int aperture_shape;                   /* PrismApertureShape */
  double aperture_radius;               /* px of k-space */
  double obscuration;                   /* ratio of radii */
  int vanes;
  double vane_width;                    /* px */
  /* pattern */
  int pattern;                          /* PrismPatternKind */
  int samples;
  int roi;                              /* px, 0 = image_size */
  int order;                            /* PrismOrder */
  double pattern_cutoff;                /* px, 0 = none */
  int star_lines;
  int pattern_rings;
  double pattern_turns;
  double pattern_jitter;                /* fraction of the pitch */
  char *pattern_file;                   /* path of a CSV file */
  char *pattern_points;                 /* "y, x; y, x", px */
  /* measurement */
  double snr;                           /* dB, 0 = off */
  double photons;                       /* of an exposure at the centre; 0 = by snr */
  double read_snr;                      /* dB, 0 = off */
  double motion_blur;                   /* pixels of the object, 0 = off */
  double motion_angle;                  /* degrees */
  int domain;                           /* PrismDomain */
  double line_length;                   /* px, 0 = the aperture stands still */
  int line_direction;                   /* PrismDirection */
  double line_angle;                    /* degrees */
  int line_points;                      /* PrismLinePoints */
  /* microscope */
  int hold_out;                         /* every so many-th frame is never used; 0: all are */
  char *leave_out;                      /* frames that are neither, "17,31-35" */
  int half_bright;                      /* % of the pupil's radius at its rim; frames whose pupil
                                         * lies there are not used */
  double variation;                     /* τ of the total variation, of the object's white */
  int more_passes;                      /* where LEDs are found far from their places */
  int upsampling;                       /* pixels of the object for one of a frame */
  int border;                           /* pixels of the field around a frame */
  int pupil;                            /* PrismPupilStart */
  double defocus;                       /* µm, where the search begins */
  double rim;                           /* width of the pupil's, pixels */
  gboolean free_pupil;                  /* changes point by point */
  gboolean gains;                       /* of the LEDs are found */
  int positions;                        /* PrismPlaces, of the LEDs */
  char *start;                          /* folder of an earlier result to begin with; "": none */
  double background;                    /* intensity to take off */
  /* reconstruction */
  int memory;                           /* PrismMemory */
  int replay;                           /* k: terms of a step */
  int loss;                             /* PrismLossKind */
  double weight_l1;                     /* of the composite loss */
  double weight_l2;
  double weight_ssim;
  double weight_ms_ssim;
  gboolean normalise;
  double energy_weight;                 /* γ */
  int finish;                           /* PrismFinish */
  int frames;                           /* PrismFrameUse */
  int consistency;                      /* passes of each image after a sample, 0 = off */
  double smoothness;                    /* factor of the total variation, 0 = off */
  int polish;                           /* passes from each start */
  gboolean until_converged;             /* and more, until nothing moves */
  double converged_below;               /* percent of the picture */
  double epie_step;                     /* s */
  int mopie_update;                     /* PrismMopieUpdate */
  /* training */
  int steps;
  int start_steps;
  int start_target;                     /* PrismStartTarget */
  int passes;
  double threshold;
  gboolean convergence;
  int patience;                         /* steps */
  int max_retries;
  double learning_rate;
  int schedule;                         /* PrismSchedule */
  gboolean fresh_adam;
  double weight_decay;                  /* λ of AdamW */
  gboolean amsgrad;
  double clip_norm;                     /* 0 = off */
  /* decoder */
  int latent;                           /* 0 = image_size */
  char *channels;                       /* "256 128 … 1", "" = automatic */
  int depth;                            /* 3×3 layers, 0 = automatic */
  int norm;                             /* PrismNormKind */
  int output_activation;                /* PrismOutputActivation */
  int edge;                             /* PrismEdge */
  int initialisation;                   /* PrismInitialisation */
  gboolean keep_decoder;
  /* device */
  int backend;                          /* number in prism-device-list */
  int threads;                          /* 0 = all but what the window needs */
  int chunk;                            /* steps at once, 0 = as many as the device likes */
  gboolean tuning;
  gboolean amp;
  int amp_type;                         /* PrismAmpType */
  int cache_size;                       /* MiB, 0 = as large as the samples need */
  int history_size;                     /* MiB, 0 = keep no moments */
  int autosave_samples;                 /* 0 = off */
  int autosave_seconds;                 /* 0 = off */
  int seed;
  int training_seed;                    /* of weights and replay; -1 = seed */
};

const PrismParam      *prism_config_get_params   (gsize *n_params);
const PrismParamGroup *prism_config_get_groups   (gsize *n_groups);
const PrismParam      *prism_config_get_param    (const char *key);
const PrismParam      *prism_config_find_former  (const char *key);
const PrismParam      *prism_config_find_param   (const char  *key,
                                                  GError     **error);

/* The parameter table, row by row: PRISM_FOR_EACH_PARAM (param) … */
#define PRISM_FOR_EACH_PARAM(param)                                                                \
  for (const PrismParam *param = prism_config_get_params (NULL); param->key != NULL; param++)

PrismConfig *prism_config_new        (void);
PrismConfig *prism_config_new_recorded (void);
PrismConfig *prism_config_new_defaults (PrismFramesKind kind);
PrismConfig *prism_config_dup        (const PrismConfig *self);
PrismConfig *prism_config_dup_asked  (const PrismConfig *self,
                                      int                automatic_tile);
void         prism_config_free       (PrismConfig *self);
void         prism_config_copy       (PrismConfig       *self,
                                      const PrismConfig *from,
                                      const PrismParam  *param);
gboolean     prism_config_differs    (const PrismConfig *self,
                                      const PrismConfig *other,
                                      const PrismParam  *param);
gboolean     prism_config_equal      (const PrismConfig *a,
                                      const PrismConfig *b);
gboolean     prism_config_keeps_object (const PrismConfig *self,
                                        const PrismConfig *before);

double       prism_config_get_number (const PrismConfig *self,
                                      const PrismParam  *param);
gboolean     prism_config_set_number (PrismConfig       *self,
                                      const PrismParam  *param,
                                      double             value,
                                      GError           **error);
char        *prism_config_dup_text   (const PrismConfig *self,
                                      const PrismParam  *param);
const char  *prism_config_get_word   (const PrismConfig *self,
                                      const PrismParam  *param);
char        *prism_param_dup_value   (const PrismParam  *self,
                                      const char        *value);
char        *prism_param_dup_label   (const PrismParam  *param,
                                      const char        *value);
char        *prism_config_dup_words  (const PrismConfig *self,
                                      const PrismParam  *param);
void         prism_config_set_former (PrismConfig      *self,
                                      const PrismParam *former,
                                      int               value);
gboolean     prism_config_set_text   (PrismConfig  *self,
                                      const char   *key,
                                      const char   *text,
                                      GError      **error);
gboolean     prism_config_check_ranges (const PrismConfig  *self,
                                        const char        **wrong,
                                        GError            **error);
gboolean     prism_config_check_plane  (const PrismConfig  *self,
                                        const char        **wrong,
                                        GError            **error);

gboolean     prism_param_is_of         (const PrismParam *param,
                                        PrismFramesKind   kind);
gboolean     prism_param_is_of_decoder (const PrismParam *param);
gboolean     prism_param_is_place      (const PrismParam *param);
gboolean     prism_param_is_aside      (const PrismParam *param);
gboolean     prism_config_check_has    (const PrismConfig  *self,
                                        const PrismParam   *param,
                                        GError            **error);
gboolean     prism_config_decides      (const PrismConfig *self,
                                        const PrismParam  *param);
gboolean     prism_config_applies      (const PrismConfig *self,
                                        const PrismParam  *param);
char        *prism_config_dup_condition (const PrismConfig *self,
                                         const PrismParam  *param);
guint64      prism_config_get_training_seed (const PrismConfig *self);
gboolean     prism_config_trains            (const PrismConfig *self);
gboolean     prism_config_trains_last        (const PrismConfig *self);
gboolean     prism_config_may_spare_training (const PrismConfig *self);
void         prism_config_train_always      (PrismConfig *self);
void         prism_config_settle_method     (PrismConfig *self);

gboolean     prism_config_has_auto   (const PrismParam *param);
gboolean     prism_config_names_file   (const PrismParam *param);
char        *prism_config_dup_anchored (const PrismParam *param,
                                      const char       *text);
PrismConfig *prism_config_load       (const char  *path,
                                      GError     **error);
PrismConfig *prism_config_load_over  (const PrismConfig  *base,
                                      const char         *path,
                                      GError            **error);
PrismConfig *prism_config_load_preset (const PrismConfig  *base,
                                       const char         *id,
                                       GError            **error);
PrismConfig *prism_config_load_text  (const char  *text,
                                      gssize       length,
                                      const char  *name,
                                      GError     **error);
void         prism_config_take_json  (PrismConfig *self,
                                      struct _JsonObject *object);
char        *prism_config_to_text    (const PrismConfig *self);
void         prism_config_add_settings (const PrismConfig *self,
                                        GPtrArray         *arguments);
void         prism_config_append_setting (GString    *command,
                                          const char *key,
                                          const char *value);
gboolean     prism_config_save       (const PrismConfig  *self,
                                      const char         *path,
                                      const char         *display,
                                      GError            **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismConfig, prism_config_free)

G_END_DECLS
