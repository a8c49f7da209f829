/* prism-golden: a file of golden arrays, a device opened for it, and the checks of its arrays. The
 * keys are those of the reference implementation in PyTorch:
 *
 *   config.image, config.object, config.radius, config.edge, config.old_center, config.new_center
 *   object [m][m], spectrum [n][n][2], pupil.old, pupil.new [n][n], fermat [N][2]
 *   init/NAME, final/NAME, grad.LOSS/NAME: parameters before and after ten Adam steps, gradients
 *   out, final.out [m][m], held, amplitude.new, intensity.new, amplitude.old.of_object [n][n]
 *   loss.LOSS [2] = old, new; adam.losses [10][2]; epie/1, epie/10 [n][n] at twice the radius
 *   metric.a, metric.b, metric.psnr, metric.ssim, metric.ms_ssim, metric.rmse_percent
 *
 * All of them must be there, with at least one loss, and no others: a check that falls away without
 * a word would pass for one that was good. */
#pragma once

#include "backend/prism-backend.h"
#include "formats/prism-npy.h"
#include "model/prism-pattern.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef struct
{
  PrismNpz *npz;
  char *name;                           /* of the file, for messages */
  PrismConfig *config;                  /* of config.* */
  PrismBackend *backend;
  GPtrArray *checks;                    /* of PrismCheck */
  PrismMask *old_mask;
  PrismMask *new_mask;
  PrismPattern *centers;                /* of fermat */
  GHashTable *used;                     /* of char: the keys of the arrays that were read */
} PrismGolden;

typedef struct
{
  int n_dims;
  gsize sizes[4];
} PrismGoldenShape;

enum
{
  PRISM_GOLDEN_SLOT_NEW,
  PRISM_GOLDEN_SLOT_OLD,
  PRISM_GOLDEN_SLOT_FIRST_CENTER,
};

PrismGolden *prism_golden_new            (const char          *path,
                                          int          choice,
                                          int                  n_threads,
                                          GError             **error);
void         prism_golden_free           (PrismGolden *self);
gboolean     prism_golden_has_any        (PrismGolden *self,
                                          const char  *prefix);
PrismNpy    *prism_golden_get            (PrismGolden       *self,
                                          const char        *key,
                                          PrismGoldenShape   shape,
                                          GError           **error);
PrismNpy    *prism_golden_get_plane      (PrismGolden  *self,
                                          const char   *key,
                                          int           side,
                                          GError      **error);
float       *prism_golden_dup_parameters (PrismGolden  *self,
                                          const char   *prefix,
                                          GError      **error);
gboolean     prism_golden_bind           (PrismGolden      *self,
                                          guint             slot,
                                          const PrismMask  *mask,
                                          const char       *key,
                                          GError          **error);

gboolean     prism_golden_check_optics   (PrismGolden  *self,
                                          GError      **error);
gboolean     prism_golden_check_decoder  (PrismGolden  *self,
                                          GError      **error);
gboolean     prism_golden_check_training (PrismGolden  *self,
                                          GError      **error);
gboolean     prism_golden_check_epie     (PrismGolden  *self,
                                          GError      **error);
gboolean     prism_golden_check_metrics  (PrismGolden  *self,
                                          GError      **error);
gboolean     prism_golden_check_rest     (PrismGolden  *self,
                                          GError      **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismGolden, prism_golden_free)

/* The outcome of one numerical check, and lists of them. */

typedef enum
{
  PRISM_CHECK_OK,
  PRISM_CHECK_FAILED,
} PrismCheckStatus;

typedef struct
{
  char *name;                           /* "gradient l1" */
  char *detail;                         /* what the error is relative to */
  double error;
  double tolerance;
  PrismCheckStatus status;
} PrismCheck;

GPtrArray *prism_check_list_new      (void);
void       prism_check_list_add      (GPtrArray  *self,
                                      const char *name,
                                      double      error,
                                      double      tolerance,
                                      const char *detail);
guint      prism_check_list_count    (GPtrArray        *self,
                                      PrismCheckStatus  status);
void       prism_check_list_print    (GPtrArray *self);
void       prism_check_list_add_json (GPtrArray   *self,
                                      JsonBuilder *builder);

double     prism_check_get_error     (const float  *values,
                                      const double *expected,
                                      gsize         n_values);
double     prism_check_get_ratio     (double value,
                                      double expected);

G_END_DECLS
