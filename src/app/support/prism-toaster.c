#include "config.h"

#include "support/prism-toaster.h"

/* AdwToastOverlay of libadwaita 1.2 gives a toast that takes the place of a leaving one 500 ms to
 * appear and one that leaves 300 ms to go, and frees what both need when it is gone: a toast that
 * is dismissed in its first 200 ms crashes the program. So the next one waits here until the one
 * before has gone, and one that has only just come stays until it is there. */

#define GAP 100    /* ms between two looks whether a toast has gone */
#define APPEAR 400 /* ms until a toast is there for sure */
#define KEY "prism-toaster"

typedef struct
{
  AdwToastOverlay *overlay; /* whose data this is */
  GQueue waiting;           /* of AdwToast */
  AdwToast *current;        /* (nullable) */
  gint64 begin;             /* µs, when current was added */
  guint gap_id;             /* until the one before current has gone */
  guint dismiss_id;         /* until current may go */
} Toaster;

static void show_next (Toaster *self);

static void
toaster_free (gpointer data)
{
  Toaster *self = data;

  g_clear_handle_id (&self->gap_id, g_source_remove);
  g_clear_handle_id (&self->dismiss_id, g_source_remove);
  g_queue_clear_full (&self->waiting, g_object_unref);
  if (self->current != NULL)
    g_signal_handlers_disconnect_by_data (self->current, self);
  g_clear_object (&self->current);
  g_free (self);
}

static Toaster *
get_toaster (AdwToastOverlay *overlay)
{
  Toaster *self = g_object_get_data (G_OBJECT (overlay), KEY);

  if (self != NULL)
    return self;
  self = g_new0 (Toaster, 1);
  self->overlay = overlay;
  g_queue_init (&self->waiting);
  g_object_set_data_full (G_OBJECT (overlay), KEY, self, toaster_free);
  return self;
}

/* Whether a toast is on its way out: beside its content an overlay has only toasts. */
static gboolean
has_toast (AdwToastOverlay *overlay)
{
  GtkWidget *content = adw_toast_overlay_get_child (overlay);

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (overlay)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (child != content)
      return TRUE;
  return FALSE;
}

static gboolean
on_gap (gpointer data)
{
  Toaster *self = data;

  if (has_toast (self->overlay))
    return G_SOURCE_CONTINUE;
  self->gap_id = 0;
  show_next (self);
  return G_SOURCE_REMOVE;
}

static void
on_dismissed (Toaster *self)
{
  g_clear_handle_id (&self->dismiss_id, g_source_remove);
  g_signal_handlers_disconnect_by_data (self->current, self);
  g_clear_object (&self->current);
  self->gap_id = g_timeout_add (GAP, on_gap, self);
}

static void
show_next (Toaster *self)
{
  AdwToast *toast = g_queue_pop_head (&self->waiting);

  if (toast == NULL)
    return;
  self->current = g_object_ref (toast);
  self->begin = g_get_monotonic_time ();
  g_signal_connect_swapped (toast, "dismissed", G_CALLBACK (on_dismissed), self);
  adw_toast_overlay_add_toast (self->overlay, toast);
}

/**
 * prism_toaster_add:
 * @overlay: where; all its toasts must come this way
 * @toast: (transfer full): a toast
 *
 * Shows it, once those that were added before it are gone.
 *
 * Thread: main.
 */
void
prism_toaster_add (AdwToastOverlay *overlay,
                   AdwToast *toast)
{
  Toaster *self = get_toaster (overlay);

  g_queue_push_tail (&self->waiting, toast);
  if (self->current == NULL && self->gap_id == 0)
    show_next (self);
}

static gboolean
on_appeared (gpointer data)
{
  Toaster *self = data;

  self->dismiss_id = 0;
  adw_toast_dismiss (self->current);
  return G_SOURCE_REMOVE;
}

/* The toast says itself that it is gone, also to this file. */
static void
dismiss_current (Toaster *self)
{
  gint64 age = (g_get_monotonic_time () - self->begin) / G_TIME_SPAN_MILLISECOND;

  if (age >= APPEAR)
    adw_toast_dismiss (self->current);
  else if (self->dismiss_id == 0)
    self->dismiss_id = g_timeout_add ((guint) (APPEAR - age), on_appeared, self);
}

/**
 * prism_toaster_dismiss:
 * @overlay: where
 * @toast: what prism_toaster_add() was given; nothing happens where it is gone already
 *
 * Takes a toast away, a moment later where it has only just come. It emits “dismissed” then, at
 * once where it has not been shown yet.
 *
 * Thread: main.
 */
void
prism_toaster_dismiss (AdwToastOverlay *overlay,
                       AdwToast *toast)
{
  Toaster *self = get_toaster (overlay);

  if (toast == self->current)
    dismiss_current (self);
  else if (g_queue_remove (&self->waiting, toast))
    {
      g_signal_emit_by_name (toast, "dismissed");
      g_object_unref (toast);
    }
}
