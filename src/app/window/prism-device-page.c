#include "config.h"

#include "window/prism-device-page.h"

#include "prism-scale.h"
#include "support/prism-widget.h"
#include "support/prism-ui-text.h"

/* Columns of the table of transfers, after the one of the kinds. */
enum
{
  COLUMN_TO_DEVICE,
  COLUMN_TO_HOST,
  COLUMN_PER_STEP,
  N_COLUMNS
};

static const char *const kinds[PRISM_N_TRANSFERS] = {
  [PRISM_TRANSFER_SETUP] = N_ ("Set-up"),
  [PRISM_TRANSFER_MEASUREMENT] = N_ ("Measurements"),
  [PRISM_TRANSFER_STEP] = N_ ("Steps"),
  [PRISM_TRANSFER_FRAME] = N_ ("Pictures"),
  [PRISM_TRANSFER_STATE] = N_ ("Decoder"),
};

struct _PrismDevicePage
{
  AdwBin parent_instance;

  GtkGrid *transfers;

  GtkLabel *cells[PRISM_N_TRANSFERS][N_COLUMNS];
  PrismSnapshot *snapshot; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (PrismDevicePage, prism_device_page, ADW_TYPE_BIN)

static GtkLabel *
add_cell (PrismDevicePage *self,
          const char *text,
          int column,
          int row)
{
  GtkWidget *label = gtk_label_new (text);
  gboolean secondary = row == 0 || column == 0;

  gtk_label_set_xalign (GTK_LABEL (label), column == 0 ? 0 : 1);
  gtk_widget_add_css_class (label, "caption");
  gtk_widget_add_css_class (label, secondary ? "dim-label" : "numeric");
  gtk_widget_set_hexpand (label, column > 0);
  gtk_grid_attach (self->transfers, label, column, row, 1, 1);
  return GTK_LABEL (label);
}

static void
fill_grid (PrismDevicePage *self)
{
  const char *const titles[N_COLUMNS] = { _ ("To the device"), _ ("Back"), _ ("Per step") };

  add_cell (self, _ ("Transfers"), 0, 0);
  for (int column = 0; column < N_COLUMNS; column++)
    add_cell (self, titles[column], column + 1, 0);
  for (int kind = 0; kind < PRISM_N_TRANSFERS; kind++)
    {
      add_cell (self, gettext (kinds[kind]), 0, kind + 1);
      for (int column = 0; column < N_COLUMNS; column++)
        self->cells[kind][column] = add_cell (self, "", column + 1, kind + 1);
    }
}

/* "12 · 3.4 MiB" */
static void
set_amount (GtkLabel *label,
            double n,
            guint64 bytes,
            const char *format)
{
  g_autofree char *size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *number = g_strdup_printf (format, n);
  g_autofree char *text = g_strdup_printf ("%s · %s", number, size);

  gtk_label_set_text (label, n > 0 ? text : "–");
}

static void
fill_transfers (PrismDevicePage *self,
                const PrismDeviceCounters *counters)
{
  double n_steps = MAX (counters->n_steps, 1);

  for (int kind = 0; kind < PRISM_N_TRANSFERS; kind++)
    {
      guint64 n = counters->n_to_device[kind] + counters->n_to_host[kind];
      guint64 bytes = counters->bytes_to_device[kind] + counters->bytes_to_host[kind];

      set_amount (self->cells[kind][COLUMN_TO_DEVICE], counters->n_to_device[kind],
                  counters->bytes_to_device[kind], "%.0f");
      set_amount (self->cells[kind][COLUMN_TO_HOST], counters->n_to_host[kind],
                  counters->bytes_to_host[kind], "%.0f");
      set_amount (self->cells[kind][COLUMN_PER_STEP], n / n_steps, (guint64) (bytes / n_steps),
                  "%.3f");
    }
}

/* What the template binds: an empty text hides its label. */

static gboolean
has_text (PrismDevicePage *self,
          const char *text)
{
  return text != NULL && *text != '\0';
}

/* Whether anything crossed it. */
static gboolean
has_bus (PrismDevicePage *self,
         const PrismSnapshot *snapshot)
{
  guint64 n = 0;

  for (int kind = 0; snapshot != NULL && kind < PRISM_N_TRANSFERS; kind++)
    n += snapshot->counters.n_to_device[kind] + snapshot->counters.n_to_host[kind];
  return n > 0;
}

static gboolean
shares_memory (PrismDevicePage *self,
               const PrismSnapshot *snapshot)
{
  return snapshot != NULL && snapshot->device != NULL && !has_bus (self, snapshot);
}

static char *
dup_name (PrismDevicePage *self,
          const PrismSnapshot *snapshot)
{
  gboolean known = snapshot != NULL && snapshot->device != NULL;

  return g_strdup (known ? snapshot->device : _ ("No device in use yet"));
}

static char *
dup_reason (PrismDevicePage *self,
            const PrismSnapshot *snapshot)
{
  gboolean known = snapshot != NULL && snapshot->device_reason != NULL;

  return known ? prism_ui_text_dup_sentence (snapshot->device_reason) : NULL;
}

static char *
dup_advice (PrismDevicePage *self,
            const PrismSnapshot *snapshot)
{
  gboolean known = snapshot != NULL && snapshot->precision_advice != NULL;

  return known ? prism_ui_text_dup_sentence (snapshot->precision_advice) : NULL;
}

static gboolean
knows_limit (PrismDevicePage *self,
             const PrismSnapshot *snapshot)
{
  return snapshot != NULL && snapshot->memory_used > 0
         && snapshot->memory_available != G_MAXUINT64;
}

static double
get_memory (PrismDevicePage *self,
            const PrismSnapshot *snapshot)
{
  if (!knows_limit (self, snapshot))
    return 0;
  return snapshot->memory_used / ((double) snapshot->memory_used + snapshot->memory_available);
}

static char *
dup_memory (PrismDevicePage *self,
            const PrismSnapshot *snapshot)
{
  return snapshot != NULL ? prism_ui_text_dup_memory (snapshot) : NULL;
}

static char *
dup_work (PrismDevicePage *self,
          const PrismSnapshot *snapshot)
{
  const PrismDeviceCounters *counters = snapshot != NULL ? &snapshot->counters : NULL;
  g_autofree char *steps = counters != NULL ? prism_ticks_dup_count (counters->n_steps) : NULL;
  g_autofree char *launches = NULL;
  g_autofree char *captures = NULL;
  g_autofree char *waits = NULL;

  if (counters == NULL)
    return NULL;
  if (!has_bus (self, snapshot))
    return g_strdup_printf (_ ("%s training steps"), steps);
  launches = prism_ticks_dup_count (counters->n_launches);
  captures = prism_ticks_dup_count (counters->n_captures);
  waits = prism_ticks_dup_count (counters->n_waits);
  return g_strdup_printf (
      _ ("%s steps in %s launches of %s captured graphs; %s waits for the device"), steps,
      launches, captures, waits);
}

static char *
dup_loss_scale (PrismDevicePage *self,
                const PrismSnapshot *snapshot)
{
  const PrismDeviceCounters *counters = snapshot != NULL ? &snapshot->counters : NULL;
  g_autofree char *overflows = NULL;

  if (counters == NULL || (counters->loss_scale <= 1 && counters->n_overflows == 0))
    return NULL;
  overflows = prism_ticks_dup_count (counters->n_overflows);
  return g_strdup_printf (_ ("Loss scale %.0f, %s steps skipped for overflow"),
                          counters->loss_scale, overflows);
}

static gboolean
has_frames (PrismDevicePage *self,
            const PrismSnapshot *snapshot)
{
  return snapshot != NULL && snapshot->cache.n_entries > 0;
}

static char *
dup_frames (PrismDevicePage *self,
            const PrismSnapshot *snapshot)
{
  const PrismCacheStatistics *cache = snapshot != NULL ? &snapshot->cache : NULL;
  g_autofree char *bytes = NULL;

  if (cache == NULL)
    return NULL;
  bytes = g_format_size_full (cache->bytes + cache->small_bytes, G_FORMAT_SIZE_IEC_UNITS);
  if (cache->n_small > 0)
    return g_strdup_printf (_ ("%u whole frames and %u small ones at hand, %s"), cache->n_entries,
                            cache->n_small, bytes);
  return g_strdup_printf (ngettext ("%u frame at hand, %s", "%u frames at hand, %s",
                                    cache->n_entries),
                          cache->n_entries, bytes);
}

static char *
dup_hits (PrismDevicePage *self,
          const PrismSnapshot *snapshot)
{
  const PrismCacheStatistics *cache = snapshot != NULL ? &snapshot->cache : NULL;

  if (cache == NULL || cache->hits + cache->misses == 0)
    return NULL;
  return g_strdup_printf (_ ("Found at hand: frames %.1f %%, apertures %.1f %%, plans of"
                             " transforms %.1f %%"),
                          100 * cache->hit_rate, 100 * cache->aperture_rate,
                          100 * cache->transform_rate);
}

/**
 * prism_device_page_refresh:
 * @self: a page
 *
 * Fills in the newest numbers of a page that is about to be shown, and so measured.
 */
void
prism_device_page_refresh (PrismDevicePage *self)
{
  if (self->snapshot == NULL)
    return;
  fill_transfers (self, &self->snapshot->counters);
  g_object_notify (G_OBJECT (self), "snapshot");
}

static PrismSnapshot *
get_snapshot (PrismDevicePage *self)
{
  return self->snapshot;
}

/* Notified when the numbers are wanted: nothing is made of a snapshot that nobody sees. */
static void
prism_device_page_class_init (PrismDevicePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_DISPOSE (klass, PrismDevicePage, prism_snapshot_unref, snapshot);
  prism_property_new (klass, "snapshot", PRISM_TYPE_SNAPSHOT, 0, get_snapshot,
                      prism_device_page_set_snapshot);
  PRISM_TEMPLATE (klass, PrismDevicePage, "prism-device-page.ui", transfers);
  PRISM_TEMPLATE_CALLBACKS (klass, has_text, has_bus, shares_memory, dup_name, dup_reason,
                            dup_advice, knows_limit, get_memory, dup_memory, dup_work,
                            dup_loss_scale, has_frames, dup_frames, dup_hits);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
prism_device_page_init (PrismDevicePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_grid (self);
}

/**
 * prism_device_page_set_snapshot:
 * @self: a page
 * @snapshot: (nullable): of a run
 *
 * Shows the numbers of a snapshot; costs nothing while the page is not on the screen.
 */
void
prism_device_page_set_snapshot (PrismDevicePage *self,
                                PrismSnapshot *snapshot)
{
  PrismSnapshot *before = self->snapshot;

  self->snapshot = prism_snapshot_ref (snapshot);
  prism_snapshot_unref (before);
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    prism_device_page_refresh (self);
}
