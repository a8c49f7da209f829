#include "config.h"

#include "output/prism-figure-dialog.h"

#include "support/prism-widget.h"

#define POINTS_PER_MM (72 / 25.4)
/* Of the preview: more would not be seen, and takes time after each key. */
#define PREVIEW_WIDTH 900 /* px */
#define INTERVAL 150      /* ms */

/* The entries of the list “Look”. */
enum
{
  LOOK_LIGHT,
  LOOK_DARK,
  LOOK_TRANSPARENT,
};

struct _PrismFigureDialog
{
  AdwWindow parent_instance;

  GtkPicture *preview;
  GtkLabel *size_label;
  AdwPreferencesGroup *panel_group;
  GtkSpinButton *columns_spin;
  GtkSpinButton *width_spin;      /* mm */
  GtkSpinButton *resolution_spin; /* dots per inch */
  GtkSpinButton *font_spin;       /* points */
  GtkDropDown *family_list;
  GtkDropDown *look_list;
  GtkDropDown *kind_list;
  GtkSwitch *origin_switch;
  GtkSwitch *readings_switch;
  GtkEditable *caption;
  GtkWidget *save_button;

  GPtrArray *panels; /* of GtkWidget, references */
  GPtrArray *checks; /* of GtkCheckButton, children */
  char *origin;      /* (nullable) */
  PrismThrottle *throttle;
};

G_DEFINE_FINAL_TYPE (PrismFigureDialog, prism_figure_dialog, ADW_TYPE_WINDOW)

static void
init_options (PrismFigureDialog *self,
              PrismFigureOptions *options)
{
  static const char *const families[] = { NULL, "Serif", "Monospace" };
  guint look = gtk_drop_down_get_selected (self->look_list);
  const char *caption = gtk_editable_get_text (self->caption);

  prism_figure_options_init (options);
  options->width = POINTS_PER_MM * gtk_spin_button_get_value (self->width_spin);
  options->resolution = gtk_spin_button_get_value (self->resolution_spin);
  options->font_size = gtk_spin_button_get_value (self->font_spin);
  options->family = families[MIN (gtk_drop_down_get_selected (self->family_list),
                                  G_N_ELEMENTS (families) - 1)];
  options->dark = look == LOOK_DARK;
  options->transparent = look == LOOK_TRANSPARENT;
  options->subtitle = gtk_switch_get_active (self->origin_switch) ? self->origin : NULL;
  options->readings = gtk_switch_get_active (self->readings_switch);
  options->caption = *caption != '\0' ? caption : NULL;
}

static GPtrArray *
list_chosen (PrismFigureDialog *self)
{
  GPtrArray *chosen = g_ptr_array_new ();

  for (guint i = 0; i < self->panels->len; i++)
    if (gtk_check_button_get_active (self->checks->pdata[i]))
      g_ptr_array_add (chosen, self->panels->pdata[i]);
  return chosen;
}

static void
show_preview (PrismFigureDialog *self)
{
  g_autoptr (GPtrArray) chosen = list_chosen (self);
  PrismFigureSheet sheet = { chosen, gtk_spin_button_get_value_as_int (self->columns_spin) };
  PrismFigureOptions options;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  init_options (self, &options);
  options.resolution = PREVIEW_WIDTH * 72 / options.width;
  bytes = prism_figure_render_sheet (&sheet, &options, &error);
  if (bytes != NULL)
    texture = gdk_texture_new_from_bytes (bytes, &error);
  gtk_picture_set_paintable (self->preview, texture != NULL ? GDK_PAINTABLE (texture) : NULL);
  gtk_widget_set_sensitive (self->save_button, texture != NULL);
  if (texture != NULL)
    {
      /* What the file will measure. */
      const double width = options.width / POINTS_PER_MM;
      const double ratio
          = (double) gdk_texture_get_height (texture) / gdk_texture_get_width (texture);
      const double pixels = options.width / 72 * gtk_spin_button_get_value (self->resolution_spin);

      text = g_str_equal (prism_figure_dialog_get_ending (self), "png")
                 ? g_strdup_printf (_ ("%.0f × %.0f mm, %.0f × %.0f px"), width, width * ratio,
                                    pixels, pixels * ratio)
                 : g_strdup_printf (_ ("%.0f × %.0f mm"), width, width * ratio);
    }
  gtk_label_set_label (self->size_label, texture != NULL ? text : error->message);
}

static void
update (PrismFigureDialog *self)
{
  if (self->throttle != NULL)
    prism_throttle_call (self->throttle, FALSE);
}

static void
on_accept (PrismFigureDialog *self)
{
  g_signal_emit_by_name (self, "accepted");
}

static void
prism_figure_dialog_class_init (PrismFigureDialogClass *klass)
{
  PRISM_DISPOSE (klass, PrismFigureDialog, prism_throttle_free, throttle);
  PRISM_DISPOSE (klass, PrismFigureDialog, g_ptr_array_unref, panels, checks);
  PRISM_DISPOSE (klass, PrismFigureDialog, g_free, origin);
  prism_signal_new (klass, "accepted", 0);
  PRISM_TEMPLATE (klass, PrismFigureDialog, "prism-figure-dialog.ui", preview, size_label,
                  panel_group, columns_spin, width_spin, resolution_spin, font_spin, family_list,
                  look_list, kind_list, origin_switch, readings_switch, caption, save_button);
  PRISM_TEMPLATE_CALLBACKS (klass, on_accept, update);
}

static void
prism_figure_dialog_init (PrismFigureDialog *self)
{
  self->panels = g_ptr_array_new_with_free_func (g_object_unref);
  self->checks = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  self->throttle = prism_throttle_new (INTERVAL, 0, show_preview, self);
}

/**
 * prism_figure_dialog_new:
 * @parent: (nullable): the window it belongs to
 * @origin: (nullable): a line about what the pictures were recorded with
 *
 * Returns: (transfer none): a dialog without panels, to be presented
 */
PrismFigureDialog *
prism_figure_dialog_new (GtkWindow *parent,
                         const char *origin)
{
  PrismFigureDialog *self = g_object_new (PRISM_TYPE_FIGURE_DIALOG, "transient-for", parent, NULL);

  self->origin = g_strdup (origin);
  return self;
}

/**
 * prism_figure_dialog_add:
 * @self: a dialog
 * @panel: a #PrismView or a #PrismChart, which it keeps
 * @title: of the panel
 * @chosen: whether it is part of the figure in the beginning
 *
 * Offers one more panel.
 */
void
prism_figure_dialog_add (PrismFigureDialog *self,
                         GtkWidget *panel,
                         const char *title,
                         gboolean chosen)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *check = gtk_check_button_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), chosen);
  gtk_widget_set_valign (check, GTK_ALIGN_CENTER);
  prism_widget_set_name (check, title);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), check);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), check);
  adw_preferences_group_add (self->panel_group, row);
  PRISM_CONNECT (check, "toggled", update, self);
  g_ptr_array_add (self->panels, g_object_ref (panel));
  g_ptr_array_add (self->checks, check);
  update (self);
}

/**
 * prism_figure_dialog_get_ending:
 * @self: a dialog
 *
 * Returns: (transfer none): of the name of the file: "pdf", "svg" or "png"
 */
const char *
prism_figure_dialog_get_ending (PrismFigureDialog *self)
{
  static const char *const endings[] = { "pdf", "svg", "png" };

  return endings[MIN (gtk_drop_down_get_selected (self->kind_list), G_N_ELEMENTS (endings) - 1)];
}

/**
 * prism_figure_dialog_save:
 * @self: a dialog
 * @path: file name that ends in .png, .svg or .pdf
 * @error: return location
 *
 * Saves the figure that the preview shows.
 *
 * Errors: those of prism_figure_save_sheet().
 *
 * Returns: whether the file was written
 */
gboolean
prism_figure_dialog_save (PrismFigureDialog *self,
                          const char *path,
                          GError **error)
{
  g_autoptr (GPtrArray) chosen = list_chosen (self);
  PrismFigureSheet sheet = { chosen, gtk_spin_button_get_value_as_int (self->columns_spin) };
  PrismFigureOptions options;

  init_options (self, &options);
  return prism_figure_save_sheet (&sheet, path, &options, error);
}

struct _PrismFilmDialog
{
  AdwWindow parent_instance;

  GtkDropDown *content_list;
  GtkDropDown *kind_list;
  GtkDropDown *scale_list;
  GtkSpinButton *rate_spin;
  GtkSwitch *loop_switch;
};

G_DEFINE_FINAL_TYPE (PrismFilmDialog, prism_film_dialog, ADW_TYPE_WINDOW)

static void
accept_film (PrismFilmDialog *self)
{
  g_signal_emit_by_name (self, "accepted");
  gtk_window_close (GTK_WINDOW (self));
}

static void
prism_film_dialog_class_init (PrismFilmDialogClass *klass)
{
  prism_signal_new (klass, "accepted", 0);
  PRISM_TEMPLATE (klass, PrismFilmDialog, "prism-film-dialog.ui", content_list, kind_list,
                  scale_list, rate_spin, loop_switch);
  PRISM_TEMPLATE_CALLBACKS (klass, accept_film);
}

static void
prism_film_dialog_init (PrismFilmDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  if (prism_video_is_possible ())
    gtk_string_list_append (GTK_STRING_LIST (gtk_drop_down_get_model (self->kind_list)),
                            _ ("WebM"));
}

/**
 * prism_film_dialog_get_options:
 * @self: a dialog
 * @options: (out caller-allocates): what was chosen; the colours are left at their defaults
 */
void
prism_film_dialog_get_options (PrismFilmDialog *self,
                               PrismFilmOptions *options)
{
  prism_film_options_init (options);
  options->content = (PrismFilmContent) gtk_drop_down_get_selected (self->content_list);
  options->scale = 1 + (int) gtk_drop_down_get_selected (self->scale_list);
  options->rate = gtk_spin_button_get_value_as_int (self->rate_spin);
  options->loop = gtk_switch_get_active (self->loop_switch);
}

/**
 * prism_film_dialog_get_kind:
 * @self: a dialog
 *
 * Returns: the format that was chosen
 */
PrismAnimationKind
prism_film_dialog_get_kind (PrismFilmDialog *self)
{
  return (PrismAnimationKind) gtk_drop_down_get_selected (self->kind_list);
}

#define PROGRESS_INTERVAL 100 /* ms */
#define PARTS 1000

typedef struct
{
  PrismSnapshot *snapshot;
  PrismFilmOptions options;
  char *path;
  GCancellable *cancellable; /* (nullable) */
  int n_done;                /* of PARTS; atomic */
  guint timer;
  void (*progress) (double fraction,
                    gpointer data);
  void (*done) (const char *path,
                const GError *error,
                gpointer data);
  gpointer data;
} Filming;

PRISM_FREE (Filming,
            filming_free,
            prism_snapshot_unref,
            snapshot,
            g_object_unref,
            cancellable,
            g_free,
            path)

static gboolean
report (gpointer data)
{
  Filming *filming = data;

  filming->progress (g_atomic_int_get (&filming->n_done) / (double) PARTS, filming->data);
  return G_SOURCE_CONTINUE;
}

/* Other thread. */
static gboolean
go_on (guint n_done,
       guint n_frames,
       gpointer data)
{
  Filming *filming = data;

  g_atomic_int_set (&filming->n_done, (int) (PARTS * (guint64) n_done / MAX (n_frames, 1)));
  return !g_cancellable_is_cancelled (filming->cancellable);
}

static gpointer
make_film (Filming *filming,
           GError **error)
{
  return prism_film_save (filming->snapshot, filming->path, &filming->options, go_on, filming,
                          error)
             ? filming
             : NULL;
}

static void
on_made (gpointer owner,
         Filming *filming,
         gpointer result,
         const GError *error)
{
  g_clear_handle_id (&filming->timer, g_source_remove);
  filming->done (filming->path, error, filming->data);
}

static const PrismJob job = {
  .name = "animation",
  .run = make_film,
  .done = on_made,
  .free_data = filming_free,
  .writes = TRUE,
};

/**
 * prism_film_maker_save:
 * @snapshot: the newest of a run
 * @path: what to write
 * @options: what it shows, and how fast
 * @cancellable: (nullable): breaks it off
 * @progress: (scope notified): how far it is
 * @done: (scope async): called when it is done, with the errors of prism_film_save()
 * @data: for @progress and @done
 *
 * Writes on another thread; the run may go on.
 *
 * Thread: main.
 */
void
prism_film_maker_save (PrismSnapshot *snapshot,
                       const char *path,
                       const PrismFilmOptions *options,
                       GCancellable *cancellable,
                       gpointer progress,
                       gpointer done,
                       gpointer data)
{
  Filming *filming = g_new0 (Filming, 1);

  filming->snapshot = prism_snapshot_ref (snapshot);
  filming->options = *options;
  filming->path = g_strdup (path);
  filming->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  filming->progress = progress;
  filming->done = done;
  filming->data = data;
  filming->timer = g_timeout_add (PROGRESS_INTERVAL, report, filming);
  prism_job_start (&job, NULL, filming, NULL);
}
