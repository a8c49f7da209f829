#include "config.h"

#include "canvas/prism-view.h"

#include "prism-picture.h"

static gboolean
draw_picture (cairo_t *cr,
              const PrismFrame *frame,
              PrismImage *image,
              PrismImage *reference,
              const PrismMapping *mapping,
              GError **error)
{
  g_autoptr (PrismPicture) picture = prism_picture_new (image, reference, mapping, error);

  if (picture == NULL)
    return FALSE;
  prism_picture_draw (picture, cr, frame);
  return TRUE;
}

/**
 * prism_view_draw:
 * @self: a view with an image
 * @paint: where
 * @mapping: colour map, stretch and levels
 * @frame: the place of the image
 * @error: return location
 *
 * Paints the newest image and what lies over it, without waiting for the thread that makes the
 * pictures of the screen.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is painted
 */
gboolean
prism_view_draw (PrismView *self,
                 PrismPaint *paint,
                 const PrismMapping *mapping,
                 const PrismFrame *frame,
                 GError **error)
{
  PrismRaster *raster = self->canvas->rasters[PRISM_LAYER_OVERLAY];
  PrismImage *image = self->image;
  PrismImage *overlay = raster->image;
  double opacity = self->canvas->opacity;
  gboolean drawn;

  g_return_val_if_fail (image != NULL, FALSE);

  if (!draw_picture (paint->cr, frame, image, prism_view_get_reference (self), mapping, error))
    return FALSE;
  if (overlay != NULL && opacity < 1)
    cairo_push_group (paint->cr);
  drawn = overlay == NULL
          || draw_picture (paint->cr, frame, overlay, raster->reference,
                           &raster->mapping, error);
  if (overlay != NULL && opacity < 1)
    {
      cairo_pop_group_to_source (paint->cr);
      cairo_paint_with_alpha (paint->cr, opacity);
    }
  if (!drawn)
    return FALSE;
  prism_canvas_marks_draw (self->canvas, paint, frame, FALSE);
  if (PRISM_VIEW_GET_CLASS (self)->draw_overlay != NULL)
    PRISM_VIEW_GET_CLASS (self)->draw_overlay (self, paint, frame);
  return TRUE;
}
