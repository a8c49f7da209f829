#include "config.h"

#include "measurements/prism-import-window.h"

#include "base/prism-each.h"
#include "base/prism-number.h"
#include "instrument/prism-instrument-simulate.h"
#include "measurements/prism-frame-film.h"
#include "prism-scale.h"
#include "ptychography/prism-problem.h"
#include "recording/prism-recording-geometry.h"
#include "support/prism-file-dialog.h"
#include "support/prism-job.h"
#include "support/prism-notice.h"
#include "support/prism-widget.h"

#define MIN_SHEET 200 /* pixels */

/* What a reading of the file came to. */
typedef struct
{
  char *path;
  PrismRecording *recording; /* (nullable) */
  PrismImportPictures *pictures;
  double contrast;
  char *problem; /* (nullable): what could not be read */
  char *missing; /* (nullable): what it does not say */
  char *plan;    /* (nullable): what would be made of it */
} Reading;

/* What can be changed here. */
typedef struct
{
  const char *key;
  const char *label;
  const char *const *choices; /* (nullable): of a combo row, the first says nothing */
  const char *const *labels;
  const char *known; /* (nullable): the label where a recording says it */
  gsize value;       /* in the recording */
  gsize stated;      /* what was stated, where the frames may contradict it; 0: they do not */
  double scale;
  const char *unit;
  gboolean of_positions; /* directions are made with it where the file has none */
} Row;

static const char *const switch_choices[] = { "", "yes", NULL };
static const char *const switch_labels[] = { N_ ("No"), N_ ("Yes"), NULL };
static const char *const value_choices[] = { "", "intensity", "amplitude", NULL };
static const char *const value_labels[]
    = { N_ ("By their name"), N_ ("Intensities"), N_ ("Amplitudes"), NULL };
static const char *const axes_choices[] = { "", "xy", "yx", NULL };
static const char *const axes_labels[]
    = { N_ ("As the frames show"), N_ ("x first"), N_ ("y first"), NULL };
static const char *const flip_choices[] = { "", "none", "x", "y", "xy", NULL };
static const char *const flip_labels[]
    = { N_ ("As the frames show"), N_ ("None"), N_ ("x"), N_ ("y"), N_ ("x and y"), NULL };

static const char *const hot_choices[] = { "", "mask", "keep", NULL };
static const char *const hot_labels[]
    = { N_ ("Masked where they are few"), N_ ("Masked"), N_ ("Used"), NULL };

#define OF(field) G_STRUCT_OFFSET (PrismRecording, field)
#define OF_STATED(field) OF (field), OF (stated.field)

static const Row rows[] = {
  { "wavelength", N_ ("Wavelength, such as 630 nm"), NULL, NULL, N_ ("Wavelength"),
    OF (wavelength), 0, 1e-9, "nm" },
  { "na", N_ ("Aperture of the objective (NA)"), NULL, NULL,
    N_ ("Aperture of the objective (NA)"), OF_STATED (na), 1, "" },
  { "pixel_size", N_ ("Pixel at the specimen, such as 1.8 µm"), NULL, NULL,
    N_ ("Pixel at the specimen"), OF_STATED (pixel_size), 1e-6, "µm" },
  { "distance", N_ ("Distance of the LEDs, such as 90 mm"), NULL, NULL,
    N_ ("Distance of the LEDs"), OF_STATED (distance), 1e-3, "mm" },
  { "rotation", N_ ("Rotation of the LEDs (degrees)"), NULL, NULL, N_ ("Rotation of the LEDs"),
    OF (rotation), 0, 1, "°", TRUE },
  { "slide_thickness", N_ ("Thickness of the slide, such as 1 mm"), NULL, NULL,
    N_ ("Thickness of the slide"), OF (slide_thickness), 0, 1e-3, "mm", TRUE },
  { "dark", N_ ("Taken off every frame (number, array or file)") },
  { "hot_pixels", N_ ("Hot pixels"), hot_choices, hot_labels },
  { "crop", N_ ("Part (column row width height)") },
  { "frames", N_ ("Array with the frames") },
  { "values", N_ ("The frames hold"), value_choices, value_labels },
  { "transpose", N_ ("Swap rows and columns"), switch_choices, switch_labels },
  { "flip_rows", N_ ("Turn upside down"), switch_choices, switch_labels },
  { "flip_columns", N_ ("Mirror left to right"), switch_choices, switch_labels },
  { "positions_axes", N_ ("Order of coordinates"), axes_choices, axes_labels },
  { "positions_flip", N_ ("Axes the other way"), flip_choices, flip_labels },
};
#define N_ROWS G_N_ELEMENTS (rows)
#define FIRST_TURN 7 /* rows before it are of the instrument */

struct _PrismImportWindow
{
  AdwWindow parent_instance;

  AdwToastOverlay *toast_overlay;
  AdwWindowTitle *window_title;
  GtkWidget *open_button;
  GtkWidget *reconstruct_button;
  GtkLabel *missing;
  GtkLabel *notes;
  AdwPreferencesGroup *numbers;
  AdwPreferencesGroup *turns;
  GtkWidget *sample; /* what there is before a file is open */
  GtkWidget *opened; /* the rows, once it is */
  GtkWidget *pictures;
  GtkStack *stack;
  GtkDrawingArea *sheet;
  GtkDrawingArea *spectra;
  PrismFrameFilm *film;
  GtkLabel *contrast;

  GtkWidget *rows[N_ROWS]; /* AdwEntryRow or AdwComboRow */
  GtkWidget *keep[N_ROWS]; /* (nullable): keeps what was stated */
  PrismRecipe *recipe;
  GQueue earlier;     /* of PrismRecipe: those before each change, the last one first */
  char *path;         /* (nullable): of the frames */
  char *positions;    /* (nullable): of a table */
  Reading *reading;   /* (nullable) */
  GCancellable *work; /* (nullable): while a file is read */
  gboolean filling;   /* the rows are being set from the recipe */
  gboolean goes_on;   /* the frames are explained once they are read anew */
};

/* A file that is read, or frames that are made ready; the window's things may change meanwhile. */
typedef struct
{
  PrismRecording *recording; /* (nullable) */
  PrismRecipe *recipe;
  char *path; /* (nullable) */
  char *positions;
} Request;

G_DEFINE_FINAL_TYPE (PrismImportWindow, prism_import_window, ADW_TYPE_WINDOW)

PRISM_FREE (Reading,
            reading_free,
            g_free,
            path,
            prism_recording_free,
            recording,
            prism_import_pictures_free,
            pictures,
            g_free,
            problem,
            g_free,
            missing,
            g_free,
            plan)

/* Notes name keys and their values, as the command line has them: here they have the names of
 * their rows. */
static char *
dup_setting (const char *key,
             const char *value)
{
  PRISM_FOR_EACH_OF (row, rows)
    if (g_str_equal (row->key, key))
      {
        for (guint k = 0; row->choices != NULL && row->choices[k] != NULL; k++)
          if (g_str_equal (row->choices[k], value))
            value = _ (row->labels[k]);
        return g_strdup_printf ("%s: %s", _ (row->known != NULL ? row->known : row->label), value);
      }
  return NULL;
}

static void
show_notes (PrismImportWindow *self)
{
  const PrismRecording *recording = self->reading->recording;
  g_autofree char *named = NULL;
  GString *text = g_string_new (NULL);
  g_autofree char *shown = NULL;

  if (recording != NULL)
    {
      g_string_append_printf (
          text, _ ("%s: %u frames of %u × %u pixels."),
          g_str_equal (recording->format, "folder") ? _ ("Folder") : recording->format,
          recording->n_frames, recording->width, recording->height);
      PRISM_FOR_EACH_POINTER (const char, note, recording->notes)
        g_string_append_printf (text, "\n%s", note);
      if (self->reading->plan != NULL)
        g_string_append_printf (text, "\n%s", self->reading->plan);
    }
  named = prism_ui_text_dup_sentence_of (text->str, dup_setting);
  g_string_free (text, TRUE);
  shown = prism_ticks_take_minus (g_steal_pointer (&named));
  gtk_label_set_label (self->notes, shown);
  gtk_widget_set_visible (GTK_WIDGET (self->notes), recording != NULL);
}

static void
resize_sheet (PrismImportWindow *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self->sheet)), height = MIN_SHEET;

  if (self->reading != NULL && self->reading->pictures != NULL)
    height = prism_import_pictures_get_height (self->reading->pictures, MAX (width, MIN_SHEET));
  gtk_drawing_area_set_content_height (self->sheet, height);
}

/* What is known already stands in the row that would change it. Where the frames contradict what
 * was stated, a button keeps that.
 *
 * Returns: whether they do */
static gboolean
show_known (PrismImportWindow *self,
            gsize i)
{
  const PrismRecording *recording = self->reading != NULL ? self->reading->recording : NULL;
  const Row *row = &rows[i];
  const double value = recording != NULL
                           ? G_STRUCT_MEMBER (double, recording, row->value) / row->scale
                           : NAN;
  const double stated = recording != NULL && row->stated > 0
                            ? G_STRUCT_MEMBER (double, recording, row->stated) / row->scale
                            : 0;
  const gboolean is_unused
      = recording != NULL && row->of_positions && recording->directions_given;
  const gboolean differs = isfinite (value) && stated > 0 && stated != value;
  g_autofree char *keep = g_strdup_printf (_ ("Keep %.5g %s"), stated, row->unit);
  g_autofree char *title = NULL;
  const char *why = NULL;

  /* The value comes first where the button leaves little room. */
  if (is_unused)
    {
      title = g_strdup_printf (_ ("%s: not used"), _ (row->known));
      why = _ ("The file has the directions of the light behind the slide: rotation and slide are"
               " in them");
    }
  else if (!isfinite (value))
    {
      title = g_strdup (_ (row->label));
      why = recording != NULL ? _ ("The recording does not say it") : NULL;
    }
  else
    title = differs ? g_strdup_printf ("%.5g %s: %s", value, row->unit, _ (row->known))
                    : g_strdup_printf ("%s: %.5g %s", _ (row->known), value, row->unit);
  title = prism_ticks_take_minus (g_strchomp (title));
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->rows[i]), title);
  gtk_widget_set_tooltip_text (self->rows[i], why != NULL ? why : title);
  gtk_widget_set_sensitive (self->rows[i], !is_unused);
  gtk_button_set_label (GTK_BUTTON (self->keep[i]), g_strchomp (keep));
  gtk_widget_set_visible (self->keep[i], differs);
  return differs;
}

static void
show_frames (PrismImportWindow *self,
             PrismRecording *recording)
{
  prism_frame_film_set_recording (self->film, recording);
  resize_sheet (self);
  gtk_widget_queue_draw (GTK_WIDGET (self->sheet));
  gtk_widget_queue_draw (GTK_WIDGET (self->spectra));
}

/* While a file is read nothing of a reading before can be taken for it: what is known of another
 * file goes, and that of the same one is grey. */
static void
show_reading (PrismImportWindow *self,
              gboolean is_under_way)
{
  gtk_widget_set_sensitive (self->pictures, !is_under_way);
  gtk_widget_set_sensitive (GTK_WIDGET (self->notes), !is_under_way);
  for (gsize i = 0; rows[i].known != NULL; i++)
    gtk_widget_set_sensitive (self->keep[i], !is_under_way);
}

static void
update (PrismImportWindow *self)
{
  const Reading *reading = self->reading;
  const char *sentence = _ ("Nothing is missing.");
  g_autofree char *contrast = NULL;
  gboolean differs = FALSE;
  const gboolean is_complete = reading->problem == NULL && reading->missing == NULL;
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (self));

  show_reading (self, FALSE);
  for (gsize i = 0; rows[i].known != NULL; i++)
    differs |= show_known (self, i);
  if (reading->problem != NULL)
    sentence = reading->problem;
  else if (reading->missing != NULL)
    sentence = reading->missing;
  else if (differs)
    sentence = _ ("Nothing is missing. The frames contradict a value: its row says what is taken,"
                  " and can keep what was stated.");
  gtk_label_set_label (self->missing, sentence);
  show_notes (self);
  if (isnan (reading->contrast))
    contrast = g_strdup (_ ("No circles can be shown: wavelength, pixel, NA and directions have to"
                            " be known, and some frames bright."));
  else
    contrast = g_strdup_printf (_ ("Within the circles the spectra are %.1f times brighter than"
                                   " around them. The better the geometry, the more; where it is"
                                   " wrong, light lies outside."),
                                exp (reading->contrast));
  gtk_label_set_label (self->contrast, contrast);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.reconstruct", is_complete);
  /* Enter goes on with what was opened, and does not open another file. */
  if (is_complete && focus != NULL && gtk_widget_is_ancestor (focus, self->open_button))
    gtk_widget_grab_focus (self->reconstruct_button);
  show_frames (self, reading->recording);
  if (is_complete && self->goes_on)
    gtk_widget_activate_action (GTK_WIDGET (self), "import.reconstruct", NULL);
  self->goes_on = FALSE;
}

PRISM_FREE (Request,
            request_free,
            prism_recording_free,
            recording,
            prism_recipe_free,
            recipe,
            g_free,
            path,
            g_free,
            positions)

/* Other thread. What cannot be read is a sentence on the page, not a failure of the job. */
static gpointer
read_file (const Request *request,
           GError **error)
{
  Reading *reading;
  g_autoptr (GError) problem = NULL;
  g_autoptr (GError) missing = NULL;

  reading = PRISM_NEW (Reading, .path = g_strdup (request->path), .contrast = NAN);
  if (prism_sample_prepare (request->path, &problem))
    reading->recording = prism_recording_load (request->path, request->recipe, &problem);
  if (reading->recording != NULL && request->positions != NULL)
    prism_recording_load_positions (reading->recording, request->positions, &problem);
  if (reading->recording != NULL)
    {
      if (prism_recording_check (reading->recording, &missing) && problem == NULL)
        reading->plan = prism_import_plan_dup_text (reading->recording, &missing);
      reading->pictures = prism_import_pictures_new (reading->recording);
      reading->contrast = prism_recording_geometry_compute_contrast (reading->recording);
    }
  reading->problem = problem != NULL ? g_strdup (problem->message) : NULL;
  if (reading->recording != NULL)
    reading->missing = prism_import_plan_dup_missing (reading->recording);
  if (reading->missing == NULL && missing != NULL)
    reading->missing = g_strdup (missing->message);
  return reading;
}

static void start_reading (PrismImportWindow *self);

/* What changed while the file was read is read again, unless the window has been closed. */
static void
take_reading (PrismImportWindow *self,
              const Request *request,
              gpointer result,
              const GError *error)
{
  g_clear_object (&self->work);
  if (result == NULL)
    {
      if (gtk_widget_get_realized (GTK_WIDGET (self)))
        start_reading (self);
      return;
    }
  reading_free (self->reading);
  self->reading = result;
  update (self);
}

static void
start_reading (PrismImportWindow *self)
{
  static const PrismJob job = { "measurements", read_file, take_reading, request_free,
                                reading_free };
  g_autofree char *name = NULL, *sentence = NULL;

  if (self->path == NULL)
    return;
  name = g_filename_display_basename (self->path);
  sentence = g_strdup_printf (_ ("Reading “%s”…"), name);
  gtk_label_set_label (self->missing, sentence);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.reconstruct", FALSE);
  show_reading (self, TRUE);
  if (self->reading != NULL && !g_str_equal (self->reading->path, self->path))
    {
      g_clear_pointer (&self->reading, reading_free);
      gtk_widget_set_visible (GTK_WIDGET (self->notes), FALSE);
      gtk_label_set_label (self->contrast, "");
      for (gsize i = 0; rows[i].known != NULL; i++)
        show_known (self, i);
      show_frames (self, NULL);
    }
  if (self->work != NULL)
    {
      g_cancellable_cancel (self->work);
      return;
    }
  self->work = g_cancellable_new ();
  prism_job_start (&job, self,
                   PRISM_NEW (Request, .recipe = prism_recipe_dup (self->recipe),
                              .path = g_strdup (self->path),
                              .positions = g_strdup (self->positions)),
                   self->work);
}

/* Puts what the recipe says into the rows. */
static void
fill_rows (PrismImportWindow *self)
{
  self->filling = TRUE;
  for (gsize i = 0; i < N_ROWS; i++)
    {
      const char *said = prism_recipe_get (self->recipe, rows[i].key);
      const char *value = said != NULL ? said : "";

      if (rows[i].choices == NULL)
        gtk_editable_set_text (GTK_EDITABLE (self->rows[i]), value);
      else
        for (guint k = 0; rows[i].choices[k] != NULL; k++)
          if (strcmp (rows[i].choices[k], value) == 0)
            adw_combo_row_set_selected (ADW_COMBO_ROW (self->rows[i]), k);
    }
  self->filling = FALSE;
}

/* Each change can be undone. */
static void
take_recipe (PrismImportWindow *self,
             PrismRecipe *recipe)
{
  g_queue_push_head (&self->earlier, self->recipe);
  self->recipe = recipe;
  self->goes_on = FALSE;
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.undo", TRUE);
  start_reading (self);
}

static void
on_undo (PrismImportWindow *self)
{
  prism_recipe_free (self->recipe);
  self->recipe = g_queue_pop_head (&self->earlier);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.undo", self->earlier.length > 0);
  fill_rows (self);
  start_reading (self);
}

static void
change (PrismImportWindow *self,
        gsize i,
        const char *typed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRecipe) recipe = prism_recipe_dup (self->recipe);
  const char *key = rows[i].key;

  if (self->filling)
    return;
  gtk_widget_remove_css_class (self->rows[i], "error");
  if (!prism_recipe_set_typed (recipe, key, typed, &error))
    {
      gtk_widget_add_css_class (self->rows[i], "error");
      prism_toaster_tell (self->toast_overlay, error->message);
    }
  else if (!prism_recipe_is (self->recipe, key, prism_recipe_get (recipe, key)))
    take_recipe (self, g_steal_pointer (&recipe));
}

static gsize
find_row (gpointer widget)
{
  return (gsize) ((const Row *) g_object_get_data (widget, "row") - rows);
}

static void
on_keep (PrismImportWindow *self,
         gpointer keep)
{
  const gsize i = find_row (keep);
  const double stated = G_STRUCT_MEMBER (double, self->reading->recording, rows[i].stated);
  g_autofree char *value = g_strconcat (prism_digits ("%.10g", stated / rows[i].scale), " ",
                                        rows[i].unit, NULL);

  change (self, i, value);
  fill_rows (self);
}

static void
on_entry_applied (PrismImportWindow *self,
                  gpointer row)
{
  change (self, find_row (row), gtk_editable_get_text (row));
}

static void
on_choice_changed (PrismImportWindow *self,
                   GParamSpec *property,
                   gpointer row)
{
  const gsize i = find_row (row);

  change (self, i, rows[i].choices[adw_combo_row_get_selected (row)]);
}

static GtkWidget *
make_entry (PrismImportWindow *self,
            gsize i)
{
  GtkWidget *row = adw_entry_row_new (), *keep = gtk_button_new ();

  gtk_widget_set_valign (keep, GTK_ALIGN_CENTER);
  gtk_widget_set_visible (keep, FALSE);
  PRISM_CONNECT (keep, "clicked", on_keep, self);
  adw_entry_row_add_suffix (ADW_ENTRY_ROW (row), keep);
  g_object_set_data (G_OBJECT (keep), "row", (gpointer) &rows[i]);
  self->keep[i] = keep;
  adw_entry_row_set_show_apply_button (ADW_ENTRY_ROW (row), TRUE);
  PRISM_CONNECT (row, "apply", on_entry_applied, self);
  return row;
}

static void
make_rows (PrismImportWindow *self)
{
  for (gsize i = 0; i < N_ROWS; i++)
    {
      GtkWidget *row = rows[i].choices != NULL ? adw_combo_row_new () : make_entry (self, i);
      g_autoptr (GtkStringList) model = gtk_string_list_new (NULL);

      for (guint k = 0; rows[i].choices != NULL && rows[i].labels[k] != NULL; k++)
        gtk_string_list_append (model, _ (rows[i].labels[k]));
      if (rows[i].choices != NULL)
        {
          adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (model));
          PRISM_CONNECT (row, "notify::selected", on_choice_changed, self);
        }
      self->rows[i] = row;
      g_object_set_data (G_OBJECT (row), "row", (gpointer) &rows[i]);
      g_object_set_data (G_OBJECT (row), "key", (gpointer) rows[i].key);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (rows[i].label));
      adw_preferences_group_add (i < FIRST_TURN ? self->numbers : self->turns, row);
    }
}

static void
draw (GtkDrawingArea *area,
      cairo_t *cr,
      int width,
      int height,
      gpointer data)
{
  PrismImportWindow *self = data;
  PrismPaint paint;

  if (self->reading == NULL || self->reading->pictures == NULL)
    return;
  prism_paint_init_widget (&paint, GTK_WIDGET (area), cr);
  if (area == self->sheet)
    prism_import_pictures_draw_sheet (self->reading->pictures, &paint, width, height);
  else
    prism_import_pictures_draw_spectra (self->reading->pictures, &paint, width, height);
  prism_paint_finish (&paint);
}

static void
on_table_chosen (PrismImportWindow *self,
                 const char *path)
{
  prism_keep_text (&self->positions, path);
  start_reading (self);
}

static void
on_save_chosen (PrismImportWindow *self,
                const char *path)
{
  g_autoptr (PrismRecipe) recipe = prism_recipe_dup (self->recipe);
  g_autoptr (GError) error = NULL;

  if (self->positions == NULL
      || prism_recipe_set (recipe, "positions", self->positions, &error))
    prism_recipe_save (recipe, path, &error);
  prism_toaster_tell_saved (self->toast_overlay, path, error);
}

static void
on_recipe_chosen (PrismImportWindow *self,
                  const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRecipe) recipe = prism_recipe_load (path, &error);

  if (recipe == NULL)
    {
      prism_toaster_tell (self->toast_overlay, error->message);
      return;
    }
  take_recipe (self, g_steal_pointer (&recipe));
  fill_rows (self);
}

/* Another thread. */
static gpointer
make_problem (const Request *request,
              GError **error)
{
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  PrismProblem *problem;

  problem = prism_problem_new (request->recording, settings, error);
  if (problem != NULL)
    prism_problem_set_reading (problem, request->recipe, request->positions);
  return problem;
}

static void
take_problem (PrismImportWindow *self,
              const Request *request,
              gpointer result,
              const GError *error)
{
  /* The window may have been closed meanwhile. */
  if (self->recipe != NULL && self->work == NULL)
    update (self);
  if (self->recipe == NULL)
    prism_problem_unref (result);
  else if (error != NULL)
    prism_toaster_tell (self->toast_overlay, error->message);
  else
    {
      g_signal_emit_by_name (self, "reconstruct", result);
      prism_problem_unref (result);
    }
}

/* What is typed and not confirmed is taken first, and the frames are read anew with it; where it
 * cannot be right nothing begins. */
static void
on_reconstruct (PrismImportWindow *self)
{
  static const PrismJob job = { "problem", make_problem, take_problem, request_free,
                                prism_problem_unref };
  gboolean right = TRUE;

  for (gsize i = 0; i < N_ROWS; i++)
    if (rows[i].choices == NULL)
      {
        change (self, i, gtk_editable_get_text (GTK_EDITABLE (self->rows[i])));
        right = right && !gtk_widget_has_css_class (self->rows[i], "error");
      }
  self->goes_on = right && self->work != NULL;
  if (!right || self->work != NULL)
    return;
  gtk_label_set_label (self->missing, _ ("Making the frames ready…"));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.reconstruct", FALSE);
  prism_job_start (&job, self,
                   PRISM_NEW (Request, prism_recording_ref (self->reading->recording),
                              prism_recipe_dup (self->recipe),
                              .positions = g_strdup (self->positions)),
                   NULL);
}

static void
on_sample (PrismImportWindow *self)
{
  g_autofree char *path = prism_sample_dup_path ();
  prism_import_window_open (self, path);
}

/* A table belongs to the frames that are open; a recipe is read; anything else are frames. */
static gboolean
on_drop (PrismImportWindow *self,
         const GValue *value)
{
  GSList *files = g_value_get_boxed (value);
  g_autofree char *path = files != NULL ? g_file_get_path (files->data) : NULL;

  if (path == NULL)
    return FALSE;
  if (g_str_has_suffix (path, ".csv"))
    on_table_chosen (self, path);
  else if (g_str_has_suffix (path, ".prism"))
    on_recipe_chosen (self, path);
  else
    prism_import_window_open (self, path);
  return TRUE;
}

/* The window is closed. */
static void
on_unrealize (PrismImportWindow *self)
{
  if (self->work != NULL)
    g_cancellable_cancel (self->work);
}

static void
prism_import_window_dispose (PrismImportWindow *self)
{
  g_queue_clear_full (&self->earlier, (GDestroyNotify) prism_recipe_free);
}

static void
prism_import_window_class_init (PrismImportWindowClass *klass)
{
  static const struct
  {
    guint key;
    GdkModifierType state;
    const char *action;
  } keys[] = { { GDK_KEY_z, GDK_CONTROL_MASK, "import.undo" },
               { GDK_KEY_o, GDK_CONTROL_MASK, "import.open" },
               { GDK_KEY_F5, 0, "import.reconstruct" },
               { GDK_KEY_s, GDK_CONTROL_MASK, "import.save" } };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_ON_DISPOSE (klass, prism_import_window_dispose);
  PRISM_DISPOSE (klass, PrismImportWindow, reading_free, reading);
  PRISM_DISPOSE (klass, PrismImportWindow, prism_recipe_free, recipe);
  PRISM_DISPOSE (klass, PrismImportWindow, g_free, path, positions);
  /* A PrismProblem of the frames that are shown. */
  prism_signal_new (klass, "reconstruct", 1, G_TYPE_POINTER);
  g_type_ensure (PRISM_TYPE_FRAME_FILM);
  PRISM_TEMPLATE (klass, PrismImportWindow, "prism-import-window.ui", toast_overlay, window_title,
                  open_button, reconstruct_button,
                  missing, notes, sample, opened, pictures, numbers, turns, stack, sheet, spectra,
                  film, contrast);
  PRISM_TEMPLATE_CALLBACKS (klass, resize_sheet);
  PRISM_ASK (klass,
             { "import.open",
               { PRISM_FILE_DIALOG_OPEN, N_ ("Open measurements"), N_ ("Recorded frames"),
                 "*.hdf5 *.h5 *.cxi *.mat *.npy *.npz *.tif *.tiff *.fits *.fit" },
               prism_import_window_open },
             { "import.open-folder",
               { PRISM_FILE_DIALOG_FOLDER, N_ ("Open a folder of frames") },
               prism_import_window_open },
             { "import.positions",
               { PRISM_FILE_DIALOG_OPEN, N_ ("Read positions"), N_ ("Tables"), "*.csv",
                 .accept = N_ ("_Read") },
               on_table_chosen },
             { "import.save",
               { PRISM_FILE_DIALOG_SAVE, N_ ("Save the recipe"), N_ ("Recipes"), "*.prism",
                 "recipe.prism" },
               on_save_chosen },
             { "import.load",
               { PRISM_FILE_DIALOG_OPEN, N_ ("Load a recipe"), N_ ("Recipes"), "*.prism",
                 .accept = N_ ("_Load") },
               on_recipe_chosen });
  PRISM_ACTION (klass, "import.sample", on_sample);
  PRISM_ACTION (klass, "import.reconstruct", on_reconstruct);
  PRISM_ACTION (klass, "import.undo", on_undo);
  PRISM_FOR_EACH_OF (one, keys)
    gtk_widget_class_add_binding_action (widget_class, one->key, one->state, one->action,
                                         NULL);
}

static void
prism_import_window_init (PrismImportWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->recipe = prism_recipe_new ();
  make_rows (self);
  gtk_drawing_area_set_draw_func (self->sheet, draw, self, NULL);
  gtk_drawing_area_set_draw_func (self->spectra, draw, self, NULL);
  prism_widget_control (self, gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY), self,
                        "drop", on_drop, NULL);
  prism_widget_enable (self, "import.undo", FALSE, "import.positions", FALSE, "import.reconstruct",
                       FALSE, NULL);
  g_signal_connect (self, "unrealize", G_CALLBACK (on_unrealize), NULL);
}

/**
 * prism_import_window_open:
 * @self: a window
 * @path: a file with frames
 *
 * Reads the file on another thread, as the recipe of the window says. A table of positions that
 * belonged to another file is left.
 */
void
prism_import_window_open (PrismImportWindow *self,
                          const char *path)
{
  g_autofree char *name = g_filename_display_basename (path);

  prism_keep_text (&self->path, path);
  self->goes_on = FALSE;
  g_clear_pointer (&self->positions, g_free);
  adw_window_title_set_subtitle (self->window_title, name);
  gtk_widget_set_visible (self->sample, FALSE);
  gtk_widget_set_visible (self->opened, TRUE);
  gtk_widget_set_visible (self->pictures, TRUE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.positions", TRUE);
  start_reading (self);
}
