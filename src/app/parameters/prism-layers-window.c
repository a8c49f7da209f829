#include "config.h"

#include "parameters/prism-layers-window.h"

#include "prism-scale.h"
#include "support/prism-widget.h"

enum
{
  COLUMN_LAYER,
  COLUMN_CHANNELS,
  COLUMN_MAP,
  COLUMN_KERNEL,
  COLUMN_NORM,
  COLUMN_ACTIVATION,
  COLUMN_PARAMETERS,
  COLUMN_PRODUCTS,
  COLUMN_MEMORY,
  N_COLUMNS
};

typedef struct
{
  const char *name; /* of PrismDecoderRow */
  const char *label;
} Word;

static const Word kinds[] = {
  { "latent", N_ ("Latent vector") },
  { "expand", N_ ("First map") },
  { "double", N_ ("Doubling") },
  { "convolve", N_ ("Convolution") },
  { NULL },
};

static const Word activations[] = {
  { "relu", N_ ("Rectified") },
  { "sigmoid", N_ ("Sigmoid") },
  { "hardsigmoid", N_ ("Hard sigmoid") },
  { "tanh", N_ ("Hyperbolic tangent") },
  { "none", N_ ("None") },
  { NULL },
};

struct _PrismLayersWindow
{
  AdwWindow parent_instance;

  GtkWidget *problem; /* label: what is wrong */
  GtkWidget *scroller;
  GtkGrid *grid;
  GtkLabel *sum_label;
  GtkLabel *fold_label; /* what the run at hand keeps for output */

  PrismSession *session;
  PrismDraft *draft; /* of the session */
};

G_DEFINE_FINAL_TYPE (PrismLayersWindow, prism_layers_window, ADW_TYPE_WINDOW)

static const char *
get_label (const Word *words,
           const char *name)
{
  for (; words->name != NULL; words++)
    if (g_str_equal (words->name, name))
      return gettext (words->label);
  return name;
}

static gboolean
is_number (int column)
{
  return column >= COLUMN_PARAMETERS || column == COLUMN_CHANNELS || column == COLUMN_MAP;
}

static void
add_cell (PrismLayersWindow *self,
          const char *text,
          int column,
          int row,
          const char *style)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), is_number (column) ? 1 : 0);
  gtk_widget_add_css_class (label, style);
  if (is_number (column))
    gtk_widget_add_css_class (label, "numeric");
  gtk_grid_attach (self->grid, label, column, row, 1, 1);
}

static void
add_header (PrismLayersWindow *self)
{
  const char *const titles[N_COLUMNS] = {
    [COLUMN_LAYER] = _ ("Layer"),
    [COLUMN_CHANNELS] = _ ("Channels"),
    [COLUMN_MAP] = _ ("Map"),
    [COLUMN_KERNEL] = _ ("Kernel"),
    [COLUMN_NORM] = _ ("Norm"),
    [COLUMN_ACTIVATION] = _ ("Activation"),
    [COLUMN_PARAMETERS] = _ ("Parameters"),
    [COLUMN_PRODUCTS] = _ ("Multiply-adds"),
    [COLUMN_MEMORY] = C_ ("of a layer", "Memory"),
  };

  for (int column = 0; column < N_COLUMNS; column++)
    add_cell (self, titles[column], column, 0, "heading");
}

static void
add_row (PrismLayersWindow *self,
         const PrismDecoderRow *row,
         int index)
{
  gboolean layer = row->kernel > 0;
  const char *kind = get_label (kinds, row->kind);
  /* Translators: number and kind of a layer. */
  g_autofree char *name = index > 0 ? g_strdup_printf (_ ("%d  %s"), index, kind) : g_strdup (kind);
  g_autofree char *channels
      = layer ? g_strdup_printf ("%d → %d", row->in_channels, row->out_channels)
              : g_strdup_printf ("%d", row->out_channels);
  g_autofree char *map = g_strdup_printf ("%d×%d", row->size, row->size);
  g_autofree char *kernel = g_strdup_printf ("%d×%d", row->kernel, row->kernel);
  g_autofree char *parameters = prism_ticks_dup_count (row->n_parameters);
  g_autofree char *products = prism_ticks_dup_count (row->n_products);
  g_autofree char *memory = g_format_size_full (row->n_bytes, G_FORMAT_SIZE_IEC_UNITS);
  const char *const cells[N_COLUMNS] = {
    [COLUMN_LAYER] = name,
    [COLUMN_CHANNELS] = channels,
    [COLUMN_MAP] = map,
    [COLUMN_KERNEL] = layer ? kernel : "",
    [COLUMN_NORM] = row->norm ? _ ("Batch") : "",
    [COLUMN_ACTIVATION] = layer ? get_label (activations, row->activation) : "",
    [COLUMN_PARAMETERS] = parameters,
    [COLUMN_PRODUCTS] = layer ? products : "",
    [COLUMN_MEMORY] = memory,
  };

  for (int column = 0; column < N_COLUMNS; column++)
    add_cell (self, cells[column], column, index + 1, "body");
}

static void
set_sum (PrismLayersWindow *self,
         const PrismDecoderRow *sum)
{
  guint64 bytes = self->session->required_bytes;
  g_autofree char *parameters = prism_ticks_dup_count (sum->n_parameters);
  g_autofree char *products = prism_ticks_dup_count (sum->n_products);
  g_autofree char *memory = g_format_size_full (sum->n_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *run = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *text = NULL;

  if (bytes > 0)
    text = g_strdup_printf (_ ("%s parameters, %s multiply-adds for one image. The layers hold %s: "
                               "weights, their moments and maps. The whole run needs about %s."),
                            parameters, products, memory, run);
  else
    text = g_strdup_printf (_ ("%s parameters, %s multiply-adds for one image. The layers hold %s: "
                               "weights, their moments and maps."),
                            parameters, products, memory);
  gtk_label_set_text (self->sum_label, text);
}

static void
show_table (PrismLayersWindow *self,
            const PrismDecoderPlan *plan)
{
  PrismDecoderRow rows[PRISM_DECODER_TABLE_MAX_ROWS], sum;
  guint n_rows = prism_decoder_table_get_rows (plan, rows);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->grid))) != NULL)
    gtk_grid_remove (self->grid, child);
  add_header (self);
  for (guint i = 0; i < n_rows; i++)
    add_row (self, &rows[i], i);
  prism_decoder_table_get_sum (rows, n_rows, &sum);
  set_sum (self, &sum);
}

/* What is wrong stands above the table, which then shows the last decoder that could be built. */
static void
update (PrismLayersWindow *self)
{
  const PrismConfig *config = self->draft->config;
  g_autoptr (GError) error = NULL;
  PrismDecoderPlan plan;
  gboolean ok = FALSE;

  if (!prism_config_trains (config))
    gtk_label_set_text (GTK_LABEL (self->problem), _ ("This run has no decoder."));
  else if (!prism_decoder_plan_init_config (&plan, config, &error))
    gtk_label_set_text (GTK_LABEL (self->problem), error->message);
  else
    ok = TRUE;
  gtk_widget_set_visible (self->problem, !ok);
  gtk_widget_set_sensitive (self->scroller, ok);
  gtk_widget_set_visible (GTK_WIDGET (self->sum_label), ok);
  if (ok)
    show_table (self, &plan);
}

/* What preparing the decoder of the run for output has gained. */
static void
update_fold (PrismLayersWindow *self)
{
  PrismSnapshot *snapshot = self->session->snapshot;
  const PrismFold *fold = snapshot != NULL ? snapshot->fold : NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  g_autofree char *bytes_before = NULL;
  g_autofree char *bytes_after = NULL;
  g_autofree char *text = NULL;

  gtk_widget_set_visible (GTK_WIDGET (self->fold_label), fold != NULL);
  if (fold == NULL)
    return;
  before = prism_ticks_dup_count (fold->n_parameters_before);
  after = prism_ticks_dup_count (fold->plan.n_parameters);
  bytes_before = g_format_size_full (fold->n_bytes_before, G_FORMAT_SIZE_IEC_UNITS);
  bytes_after = g_format_size_full (fold->n_bytes, G_FORMAT_SIZE_IEC_UNITS);
  text = g_strdup_printf (_ ("Kept for output: %s → %s parameters, %s → %s, %.2f → %.2f ms for an"
                             " image that differs by %.0e at most."),
                          before, after, bytes_before, bytes_after, fold->milliseconds_before,
                          fold->milliseconds, fold->difference);
  gtk_label_set_text (self->fold_label, text);
}

static void
prism_layers_window_class_init (PrismLayersWindowClass *klass)
{
  PRISM_DISPOSE (klass, PrismLayersWindow, g_object_unref, session);
  PRISM_TEMPLATE (klass, PrismLayersWindow, "prism-layers-window.ui", problem, scroller, grid,
                  sum_label, fold_label);
}

static void
prism_layers_window_init (PrismLayersWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * prism_layers_window_new:
 * @session: whose draft is shown
 * @parent: the window beside which it stands
 *
 * Returns: (transfer none): the window, not modal, so that the decoder can be edited meanwhile
 */
GtkWidget *
prism_layers_window_new (PrismSession *session,
                         GtkWindow *parent)
{
  PrismLayersWindow *self = g_object_new (PRISM_TYPE_LAYERS_WINDOW, "transient-for", parent,
                                          "destroy-with-parent", TRUE, NULL);

  self->session = g_object_ref (session);
  self->draft = session->draft;
  PRISM_CONNECT (self->draft, "changed", update, self);
  PRISM_CONNECT (self->draft, "notify::problem", update, self);
  PRISM_CONNECT (session, "notify::required-bytes", update, self);
  PRISM_CONNECT (session, "notify::snapshot", update_fold, self);
  update (self);
  update_fold (self);
  return GTK_WIDGET (self);
}
