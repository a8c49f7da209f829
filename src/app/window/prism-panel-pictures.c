#include "config.h"

#include "window/prism-panel-pictures.h"

#include "canvas/prism-image-view.h"

#include <glib/gi18n.h>

static PrismImage *
ref_image (PrismImage *image)
{
  return image != NULL ? prism_image_ref (image) : NULL;
}

static PrismImage *
get_target (gpointer view,
            const PrismSnapshot *shown)
{
  return shown != NULL ? ref_image (shown->target) : NULL;
}

/**
 * prism_panel_pictures_get:
 * @shown: (nullable): the newest snapshot, or a moment of the past
 * @held: (nullable): whose reconstruction stays for the time being
 * @past: whether @shown is not the newest
 *
 * Returns: (transfer none) (nullable): whose reconstruction is shown
 */
const PrismSnapshot *
prism_panel_pictures_get (const PrismSnapshot *shown,
                          const PrismSnapshot *held,
                          gboolean past)
{
  return held != NULL && !past ? held : shown;
}

/* What explains the measurements, too, where that is asked for. */
static PrismImage *
get_second (const PrismSnapshot *pictured,
            gboolean shows_second)
{
  return pictured != NULL && shows_second ? pictured->second : NULL;
}

static PrismImage *
get_reconstruction (gpointer view,
                    const PrismSnapshot *shown,
                    const PrismSnapshot *held,
                    gboolean past,
                    gboolean shows_second)
{
  const PrismSnapshot *pictured = prism_panel_pictures_get (shown, held, past);
  PrismImage *second = get_second (pictured, shows_second);

  if (second != NULL)
    return ref_image (second);
  return pictured != NULL ? ref_image (pictured->reconstruction) : NULL;
}

/* The picture of another run, where one is held against this one and both have one size. */
static PrismImage *
get_rival (const PrismSnapshot *pictured,
           const PrismSnapshot *rival)
{
  PrismImage *a = pictured != NULL ? pictured->reconstruction : NULL;
  PrismImage *b = rival != NULL ? rival->reconstruction : NULL;

  return a != NULL && b != NULL && a->width == b->width && a->height == b->height ? b : NULL;
}

/* Of the object that the reconstruction is of; beside a second picture the first. */
static PrismImage *
get_reference (gpointer view,
               const PrismSnapshot *shown,
               const PrismSnapshot *held,
               gboolean past,
               gboolean shows_second,
               const PrismSnapshot *rival)
{
  const PrismSnapshot *pictured = prism_panel_pictures_get (shown, held, past);

  if (get_second (pictured, shows_second) != NULL)
    return ref_image (pictured->reconstruction);
  if (get_rival (pictured, rival) != NULL)
    return ref_image (rival->reconstruction);
  return get_target (view, pictured);
}

/* Without an object the picture is no error. */
static PrismImage *
get_compared (gpointer view,
              const PrismSnapshot *shown,
              const PrismSnapshot *held,
              gboolean past,
              gboolean shows_second,
              const PrismSnapshot *rival)
{
  const PrismSnapshot *pictured = prism_panel_pictures_get (shown, held, past);
  PrismImage *second = get_second (pictured, shows_second);

  if (second != NULL)
    return ref_image (second);
  if (pictured == NULL || (pictured->target == NULL && get_rival (pictured, rival) == NULL))
    return NULL;
  return ref_image (pictured->reconstruction);
}

static char *
dup_second_notice (gpointer view,
                   const PrismSnapshot *shown,
                   const PrismSnapshot *held,
                   gboolean past,
                   gboolean shows_second)
{
  const PrismSnapshot *pictured = prism_panel_pictures_get (shown, held, past);

  if (pictured == NULL || pictured->second == NULL)
    return NULL;
  return g_strdup (shows_second
                       ? _ ("The other of two pictures that explain the measurements equally.")
                       : _ ("One of two pictures that explain the measurements equally."));
}

static char *
dup_difference_notice (gpointer view,
                       const PrismSnapshot *shown,
                       const PrismSnapshot *held,
                       gboolean past,
                       gboolean shows_second,
                       const PrismSnapshot *rival)
{
  const PrismSnapshot *pictured = prism_panel_pictures_get (shown, held, past);

  if (get_second (pictured, shows_second) != NULL)
    return g_strdup (_ ("The other picture minus the reconstruction."));
  if (get_rival (pictured, rival) != NULL)
    return g_strdup (_ ("This run minus the last run."));
  return g_strdup (rival != NULL ? _ ("No difference: the last run has another size.") : NULL);
}

static char *
dup_target_text (gpointer view,
                 const PrismSnapshot *shown)
{
  return g_strdup (shown != NULL && shown->has_no_target
                       ? _ ("No target: nobody knows the object of these frames.")
                       : _ ("No object"));
}

static char *
dup_error_text (gpointer view,
                const PrismSnapshot *shown)
{
  return g_strdup (shown != NULL && shown->has_no_target
                       ? _ ("No target: the error is unknown.")
                       : _ ("Reconstruction minus target appears with the run."));
}

static PrismImage *
get_measurement (gpointer view,
                 const PrismSnapshot *shown)
{
  if (shown != NULL && shown->finding != NULL)
    return ref_image (shown->finding->recorded);
  return shown != NULL ? ref_image (shown->measurement) : NULL;
}

static PrismImage *
get_prediction (gpointer view,
                const PrismSnapshot *shown)
{
  return shown != NULL && shown->finding != NULL ? ref_image (shown->finding->predicted) : NULL;
}

static char *
dup_object_notice (gpointer view,
                   const PrismSnapshot *shown)
{
  return shown != NULL ? prism_snapshot_dup_object_notice (shown) : NULL;
}

static char *
dup_measurement_text (gpointer view,
                      gboolean past)
{
  return g_strdup (past
                       ? _ ("What the camera saw then is not kept.")
                       : _ ("What the camera sees through the aperture appears with the run."));
}

/**
 * prism_panel_pictures_bind:
 * @widget_class: of a template
 *
 * Gives the template the functions that choose pictures and words of a snapshot.
 */
void
prism_panel_pictures_bind (GtkWidgetClass *widget_class)
{
  g_type_ensure (PRISM_TYPE_IMAGE);
  gtk_widget_class_bind_template_callback (widget_class, get_target);
  gtk_widget_class_bind_template_callback (widget_class, get_reconstruction);
  gtk_widget_class_bind_template_callback (widget_class, get_measurement);
  gtk_widget_class_bind_template_callback (widget_class, get_prediction);
  gtk_widget_class_bind_template_callback (widget_class, get_reference);
  gtk_widget_class_bind_template_callback (widget_class, get_compared);
  gtk_widget_class_bind_template_callback (widget_class, dup_second_notice);
  gtk_widget_class_bind_template_callback (widget_class, dup_difference_notice);
  gtk_widget_class_bind_template_callback (widget_class, dup_target_text);
  gtk_widget_class_bind_template_callback (widget_class, dup_error_text);
  gtk_widget_class_bind_template_callback (widget_class, dup_object_notice);
  gtk_widget_class_bind_template_callback (widget_class, dup_measurement_text);
}
