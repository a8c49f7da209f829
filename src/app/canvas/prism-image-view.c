#include "config.h"

#include "canvas/prism-image-view.h"

#include "prism-scale.h"

struct _PrismImageView
{
  PrismView parent_instance;
};

G_DEFINE_BOXED_TYPE (PrismImage, prism_image, prism_image_ref, prism_image_unref)

G_DEFINE_FINAL_TYPE (PrismImageView, prism_image_view, PRISM_TYPE_VIEW)

static void
update_note (PrismImageView *self)
{
  g_autofree char *mean = NULL;
  g_autofree char *deviation = NULL;
  g_autofree char *minimum = NULL;
  g_autofree char *maximum = NULL;
  g_autofree char *note = NULL;
  PrismRegion region;

  if (!prism_image_view_get_region (self, &region))
    {
      prism_readout_show (PRISM_VIEW (self)->note_label, NULL);
      return;
    }
  mean = prism_ticks_dup_value (region.mean);
  deviation = prism_ticks_dup_value (region.deviation);
  minimum = prism_ticks_dup_value (region.minimum);
  maximum = prism_ticks_dup_value (region.maximum);
  note = g_strdup_printf (_ ("%d × %d px at %d, %d\nmean %s  σ %s\nmin %s  max %s"),
                          region.width, region.height, region.x, region.y,
                          mean, deviation, minimum, maximum);
  prism_readout_show (PRISM_VIEW (self)->note_label, note);
}

static void
prism_image_view_image_changed (PrismView *view)
{
  update_note (PRISM_IMAGE_VIEW (view));
}

/* For bindings. */
static void
prism_image_view_class_init (PrismImageViewClass *klass)
{
  prism_property_new (klass, "image", PRISM_TYPE_IMAGE, 0, NULL, prism_view_set_image);
  prism_property_new (klass, "reference", PRISM_TYPE_IMAGE, 0, NULL, prism_view_set_reference);
  prism_property_new (klass, "notice", G_TYPE_STRING, 0, NULL, prism_view_set_notice);
  PRISM_VIEW_CLASS (klass)->image_changed = prism_image_view_image_changed;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "prism-image-view");
}

static void
prism_image_view_init (PrismImageView *self)
{
  PRISM_CONNECT (PRISM_VIEW (self)->canvas, "selection-changed", update_note, self);
}

/**
 * prism_image_view_get_region:
 * @self: a view
 * @region: (out caller-allocates): the selected rectangle and what is in it
 *
 * Computes mean, deviation and extremes of the selected pixels; NAN when none of them is finite.
 *
 * Returns: whether a rectangle is selected
 */
gboolean
prism_image_view_get_region (PrismImageView *self,
                             PrismRegion *region)
{
  PrismImage *image = PRISM_VIEW (self)->image;
  PrismCanvas *canvas = PRISM_VIEW (self)->canvas;
  PrismAreaValues values;
  PrismArea area;
  GdkRectangle pixels;

  *region = (PrismRegion) { .mean = NAN, .deviation = NAN, .minimum = NAN, .maximum = NAN };
  if (image == NULL || !prism_canvas_get_selection (canvas, &pixels))
    return FALSE;
  region->x = pixels.x;
  region->y = pixels.y;
  region->width = pixels.width;
  region->height = pixels.height;
  area = (PrismArea) { FALSE, pixels.x, pixels.y, pixels.width, pixels.height };
  prism_area_compute (&area, image, prism_view_get_reference (PRISM_VIEW (self)), &values);
  region->n_values = values.count;
  region->mean = values.mean;
  region->deviation = values.deviation;
  region->minimum = values.minimum;
  region->maximum = values.maximum;
  return TRUE;
}
