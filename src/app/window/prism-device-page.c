#include "config.h"

#include "window/prism-device-page.h"

#include "prism-ticks.h"
#include "support/prism-wording.h"

#include <glib/gi18n.h>

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
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *name_label;
  GtkLabel *reason_label;
  GtkLevelBar *memory_bar;
  GtkLabel *memory_label;
  GtkGrid *transfers;
  GtkWidget *shared_label;
  GtkLabel *work_label;
  GtkLabel *scale_label;
  GtkLabel *advice_label;

  GtkLabel *cells[PRISM_N_TRANSFERS][N_COLUMNS];
  PrismSnapshot *snapshot; /* (nullable) */
};

enum
{
  PROP_0,
  PROP_SNAPSHOT
};

G_DEFINE_FINAL_TYPE (PrismDevicePage, prism_device_page, GTK_TYPE_WIDGET)

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

/* Returns: whether anything crossed the bus. */
static gboolean
update_transfers (PrismDevicePage *self,
                  const PrismDeviceCounters *counters)
{
  double n_steps = MAX (counters->n_steps, 1);
  guint64 n_all = 0;

  for (int kind = 0; kind < PRISM_N_TRANSFERS; kind++)
    {
      guint64 n = counters->n_to_device[kind] + counters->n_to_host[kind];
      guint64 bytes = counters->bytes_to_device[kind] + counters->bytes_to_host[kind];

      n_all += n;
      set_amount (self->cells[kind][COLUMN_TO_DEVICE], counters->n_to_device[kind],
                  counters->bytes_to_device[kind], "%.0f");
      set_amount (self->cells[kind][COLUMN_TO_HOST], counters->n_to_host[kind],
                  counters->bytes_to_host[kind], "%.0f");
      set_amount (self->cells[kind][COLUMN_PER_STEP], n / n_steps, (guint64) (bytes / n_steps),
                  "%.3f");
    }
  return n_all > 0;
}

static void
update_memory (PrismDevicePage *self,
               const PrismSnapshot *snapshot)
{
  double limit = (double) snapshot->memory_used + snapshot->memory_available;
  gboolean known = snapshot->memory_used > 0 && snapshot->memory_available != G_MAXUINT64;
  g_autofree char *text = prism_wording_dup_memory (snapshot);

  gtk_widget_set_visible (GTK_WIDGET (self->memory_bar), known);
  gtk_widget_set_visible (GTK_WIDGET (self->memory_label), text != NULL);
  gtk_label_set_text (self->memory_label, text != NULL ? text : "");
  gtk_level_bar_set_value (self->memory_bar, known ? snapshot->memory_used / limit : 0);
}

static void
update_work (PrismDevicePage *self,
             const PrismDeviceCounters *counters,
             gboolean has_bus)
{
  g_autofree char *steps = prism_ticks_dup_count (counters->n_steps);
  g_autofree char *launches = prism_ticks_dup_count (counters->n_launches);
  g_autofree char *captures = prism_ticks_dup_count (counters->n_captures);
  g_autofree char *waits = prism_ticks_dup_count (counters->n_waits);
  g_autofree char *overflows = prism_ticks_dup_count (counters->n_overflows);
  g_autofree char *work = NULL;
  g_autofree char *scale = NULL;

  if (has_bus)
    work = g_strdup_printf (
        _ ("%s steps in %s launches of %s captured graphs; %s waits for the device"), steps,
        launches, captures, waits);
  else
    work = g_strdup_printf (_ ("%s training steps"), steps);
  scale = g_strdup_printf (_ ("Loss scale %.0f, %s steps skipped for overflow"),
                           counters->loss_scale, overflows);
  gtk_label_set_text (self->work_label, work);
  gtk_label_set_text (self->scale_label, scale);
  gtk_widget_set_visible (GTK_WIDGET (self->scale_label),
                          counters->loss_scale > 1 || counters->n_overflows > 0);
}

static void
set_sentence (GtkLabel *label,
              const char *message)
{
  g_autofree char *sentence = message != NULL ? prism_wording_dup_sentence (message) : NULL;

  gtk_label_set_text (label, sentence != NULL ? sentence : "");
  gtk_widget_set_visible (GTK_WIDGET (label), sentence != NULL);
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
  PrismSnapshot *snapshot = self->snapshot;
  gboolean has_bus;

  if (snapshot == NULL)
    return;
  has_bus = update_transfers (self, &snapshot->counters);
  gtk_label_set_text (self->name_label,
                      snapshot->device != NULL ? snapshot->device : _ ("No device in use yet"));
  set_sentence (self->reason_label, snapshot->device_reason);
  set_sentence (self->advice_label, snapshot->precision_advice);
  update_memory (self, snapshot);
  gtk_widget_set_visible (GTK_WIDGET (self->transfers), has_bus);
  gtk_widget_set_visible (self->shared_label, snapshot->device != NULL && !has_bus);
  update_work (self, &snapshot->counters, has_bus);
}

static void
prism_device_page_set_property (GObject *object,
                                guint id,
                                const GValue *value,
                                GParamSpec *pspec)
{
  PrismDevicePage *self = PRISM_DEVICE_PAGE (object);

  switch (id)
    {
    case PROP_SNAPSHOT:
      prism_device_page_set_snapshot (self, g_value_get_boxed (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
prism_device_page_dispose (GObject *object)
{
  PrismDevicePage *self = PRISM_DEVICE_PAGE (object);

  g_clear_pointer (&self->content, gtk_widget_unparent);
  g_clear_pointer (&self->snapshot, prism_snapshot_unref);
  G_OBJECT_CLASS (prism_device_page_parent_class)->dispose (object);
}

static void
prism_device_page_class_init (PrismDevicePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_device_page_dispose;
  G_OBJECT_CLASS (klass)->set_property = prism_device_page_set_property;
  g_object_class_install_property (
      G_OBJECT_CLASS (klass), PROP_SNAPSHOT,
      g_param_spec_boxed ("snapshot", NULL, NULL, PRISM_TYPE_SNAPSHOT,
                          G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  gtk_widget_class_set_template_from_resource (widget_class,
                                               PRISM_RESOURCE ("prism-device-page.ui"));
  gtk_widget_class_bind_template_child (widget_class, PrismDevicePage, content);
  gtk_widget_class_bind_template_child (widget_class, PrismDevicePage, name_label);
  gtk_widget_class_bind_template_child (widget_class, PrismDevicePage, reason_label);
  gtk_widget_class_bind_template_child (widget_class, PrismDevicePage, memory_bar);
  gtk_widget_class_bind_template_child (widget_class, PrismDevicePage, memory_label);
  gtk_widget_class_bind_template_child (widget_class, PrismDevicePage, transfers);
  gtk_widget_class_bind_template_child (widget_class, PrismDevicePage, shared_label);
  gtk_widget_class_bind_template_child (widget_class, PrismDevicePage, work_label);
  gtk_widget_class_bind_template_child (widget_class, PrismDevicePage, scale_label);
  gtk_widget_class_bind_template_child (widget_class, PrismDevicePage, advice_label);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
prism_device_page_init (PrismDevicePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_grid (self);
}

/**
 * prism_device_page_new:
 *
 * Returns: (transfer floating): a page without numbers
 */
GtkWidget *
prism_device_page_new (void)
{
  return g_object_new (PRISM_TYPE_DEVICE_PAGE, NULL);
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

  self->snapshot = snapshot != NULL ? prism_snapshot_ref (snapshot) : NULL;
  prism_snapshot_unref (before);
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    prism_device_page_refresh (self);
}
