/* prism-alignment: an image from the fields behind the frames. Each frame gives its field but for
 * its phase as a whole; these phases are found together, by what an object is: real, of a known
 * square, between 0 and 1. Neighbouring apertures need not touch. Only for cameras without noise.
 * Source: numerics.md, “Alignment”.
 *
 * n = image_size, m = object_size. Thread: engine. */
#pragma once

#include "formats/prism-bundle.h"
#include "measure/prism-measurements.h"

G_BEGIN_DECLS

#define PRISM_ALIGNMENT_NUMBERS "align.json" /* of a search in a bundle */
/* Passes of a fill, as multiples of “polish”: so many more for so much farther down. */
#define PRISM_ALIGNMENT_FILL 9
#define PRISM_ALIGNMENT_FILL_IN_NOISE 3

typedef struct _PrismAlignment PrismAlignment;

guint64         prism_alignment_get_bytes     (const PrismConfig *config,
                                               guint              n_samples);
gboolean        prism_alignment_can           (PrismMeasurements *measurements,
                                               PrismBackend      *backend);
PrismAlignment *prism_alignment_new           (PrismBackend       *backend,
                                               PrismMeasurements  *measurements,
                                               guint64             seed,
                                               GError            **error);
void            prism_alignment_free          (PrismAlignment *self);
void            prism_alignment_move          (PrismAlignment *self,
                                               PrismBackend   *backend);
void            prism_alignment_guess         (PrismAlignment *self,
                                               const float    *image);
void            prism_alignment_begin         (PrismAlignment *self,
                                               guint           start);
void            prism_alignment_go_on         (PrismAlignment *self);
gboolean        prism_alignment_retrieve      (PrismAlignment  *self,
                                               guint            n_samples,
                                               gboolean        *pass_done,
                                               GError         **error);
void            prism_alignment_search        (PrismAlignment *self);
void            prism_alignment_begin_fill    (PrismAlignment *self);
void            prism_alignment_fill          (PrismAlignment *self,
                                               double          strength);
gboolean        prism_alignment_has_fields    (PrismAlignment *self);
guint           prism_alignment_get_sample    (PrismAlignment *self);
double          prism_alignment_get_distance  (PrismAlignment *self);
gboolean        prism_alignment_is_found      (PrismAlignment *self);
gboolean        prism_alignment_is_done       (PrismAlignment *self);
const float    *prism_alignment_get_image     (PrismAlignment *self);
gboolean        prism_alignment_save          (PrismAlignment  *self,
                                               PrismBundle     *bundle,
                                               GError         **error);
gboolean        prism_alignment_load          (PrismAlignment  *self,
                                               PrismBundle     *bundle,
                                               GError         **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismAlignment, prism_alignment_free)

G_END_DECLS
