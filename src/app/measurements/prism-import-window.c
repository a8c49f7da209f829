#include "config.h"

#include "measurements/prism-import-window.h"

#include "instrument/prism-instrument-simulate.h"
#include "measurements/prism-frame-film.h"
#include "ptychography/prism-problem.h"
#include "recording/prism-recording-geometry.h"
#include "support/prism-file-dialog.h"
#include "support/prism-job.h"
#include "support/prism-notice.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MIN_SHEET 200 /* pixels */

/* What a reading of the file came to. */
typedef struct
{
  PrismRecording *recording; /* (nullable) */
  PrismImportPictures *pictures;
  double contrast;
  char *problem; /* (nullable): what could not be read */
  char *missing; /* (nullable): what it does not say */
  char *plan;    /* (nullable): what would be made of it */
} Reading;

struct _PrismImportWindow
{
  AdwWindow parent_instance;

  AdwToastOverlay *toast_overlay;
  AdwWindowTitle *window_title;
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

  GHashTable *rows; /* key → AdwEntryRow or AdwComboRow */
  PrismRecipe *recipe;
  GQueue earlier;   /* of PrismRecipe: those before each change, the last one first */
  char *path;       /* (nullable): of the frames */
  char *positions;  /* (nullable): of a table */
  Reading *reading; /* (nullable) */
  guint n_reading;  /* files that are being read */
  gboolean filling; /* the rows are being set from the recipe */
};

/* A file that is read, or frames that are made ready; the window's things may change meanwhile. */
typedef struct
{
  PrismImportWindow *window;
  PrismRecording *recording; /* (nullable) */
  PrismRecipe *recipe;
  char *path; /* (nullable) */
  char *positions;
  guint number;
} Request;

/* What can be changed here. choices: (nullable): of a combo row, the first says nothing */
typedef struct
{
  const char *key;
  const char *label;
  gboolean is_turn;
  const char *const *choices;
  const char *const *labels;
} Row;

static const char *const switch_choices[] = { "", "yes", NULL };
static const char *const switch_labels[] = { N_ ("No"), N_ ("Yes"), NULL };
static const char *const value_choices[] = { "", "intensity", "amplitude", NULL };
static const char *const value_labels[]
    = { N_ ("By their name"), N_ ("Intensities"), N_ ("Amplitudes"), NULL };
static const char *const axes_choices[] = { "", "xy", "yx", NULL };
static const char *const axes_labels[]
    = { N_ ("As the circles say"), N_ ("x first"), N_ ("y first"), NULL };
static const char *const flip_choices[] = { "", "none", "x", "y", "xy", NULL };
static const char *const flip_labels[]
    = { N_ ("As the circles say"), N_ ("None"), N_ ("x"), N_ ("y"), N_ ("x and y"), NULL };

static const char *const hot_choices[] = { "", "mask", "keep", NULL };
static const char *const hot_labels[]
    = { N_ ("Masked where they are few"), N_ ("Masked"), N_ ("Used"), NULL };

static const Row rows[] = {
  { "wavelength", N_ ("Wavelength, such as 630 nm"), FALSE, NULL, NULL },
  { "na", N_ ("Aperture of the objective (NA)"), FALSE, NULL, NULL },
  { "pixel_size", N_ ("Pixel at the sample, such as 1.8 µm"), FALSE, NULL, NULL },
  { "distance", N_ ("Distance of the LEDs, such as 90 mm"), FALSE, NULL, NULL },
  { "rotation", N_ ("Rotation of the LEDs (degrees)"), FALSE, NULL, NULL },
  { "defocus", N_ ("Defocus, such as 20 µm"), FALSE, NULL, NULL },
  { "slide_thickness", N_ ("Thickness of the slide, such as 1 mm"), FALSE, NULL, NULL },
  { "dark", N_ ("Taken off every frame (number, array or file)"), FALSE, NULL, NULL },
  { "hot_pixels", N_ ("Hot pixels"), TRUE, hot_choices, hot_labels },
  { "crop", N_ ("Part (column row width height)"), TRUE, NULL, NULL },
  { "frames", N_ ("Array with the frames"), TRUE, NULL, NULL },
  { "values", N_ ("The frames hold"), TRUE, value_choices, value_labels },
  { "transpose", N_ ("Swap rows and columns"), TRUE, switch_choices, switch_labels },
  { "flip_rows", N_ ("Turn upside down"), TRUE, switch_choices, switch_labels },
  { "flip_columns", N_ ("Mirror left to right"), TRUE, switch_choices, switch_labels },
  { "positions_axes", N_ ("Positions have"), TRUE, axes_choices, axes_labels },
  { "positions_flip", N_ ("Axes the other way"), TRUE, flip_choices, flip_labels },
};

#define RECORDED(field) G_STRUCT_OFFSET (PrismRecording, field)
#define STATED(field) RECORDED (stated.field)

/* What a recording says, in the row of its key. */
typedef struct
{
  const char *key;
  const char *label;
  gsize offset; /* in the recording */
  gsize stated; /* of what was stated where the frames may contradict it; 0: they do not */
  double scale;
  const char *unit;
} Found;

static const Found found[] = {
  { "wavelength", N_ ("Wavelength"), RECORDED (wavelength), 0, 1e-9, "nm" },
  { "na", N_ ("Aperture of the objective (NA)"), RECORDED (na), STATED (na), 1, "" },
  { "pixel_size", N_ ("Pixel at the sample"), RECORDED (pixel_size), STATED (pixel_size), 1e-6,
    "µm" },
  { "distance", N_ ("Distance of the LEDs"), RECORDED (distance), STATED (distance), 1e-3, "mm" },
  { "rotation", N_ ("Rotation of the LEDs"), RECORDED (rotation), 0, 1, "°" },
  { "defocus", N_ ("Defocus"), RECORDED (defocus), 0, 1e-6, "µm" },
  { "slide_thickness", N_ ("Thickness of the slide"), RECORDED (slide_thickness), 0, 1e-3, "mm" },
};

static const char *const frame_patterns[]
    = { "*.hdf5", "*.h5", "*.cxi", "*.mat", "*.npy", "*.npz", "*.tif", "*.tiff", "*.fits", "*.fit",
        NULL };
static const char *const table_patterns[] = { "*.csv", NULL };
static const char *const recipe_patterns[] = { "*.prism", NULL };

enum
{
  RECONSTRUCT,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismImportWindow, prism_import_window, ADW_TYPE_WINDOW)

static void
reading_free (gpointer data)
{
  Reading *reading = data;

  if (reading == NULL)
    return;
  prism_recording_free (reading->recording);
  prism_import_pictures_free (reading->pictures);
  g_free (reading->problem);
  g_free (reading->missing);
  g_free (reading->plan);
  g_free (reading);
}

static void
show_toast (PrismImportWindow *self,
            const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  prism_toaster_add (self->toast_overlay, adw_toast_new (markup));
}

static void
show_notes (PrismImportWindow *self)
{
  const PrismRecording *recording = self->reading->recording;
  g_autoptr (GString) text = g_string_new (NULL);

  if (recording != NULL)
    {
      g_string_append_printf (text, _ ("%s: %u frames of %u × %u pixels."), recording->format,
                              recording->n_frames, recording->width, recording->height);
      for (guint i = 0; i < recording->notes->len; i++)
        g_string_append_printf (text, "\n%s", (char *) g_ptr_array_index (recording->notes, i));
      if (self->reading->plan != NULL)
        g_string_append_printf (text, "\n%s", self->reading->plan);
    }
  gtk_label_set_label (self->notes, text->str);
  gtk_widget_set_visible (GTK_WIDGET (self->notes), recording != NULL);
}

static void
show_contrast (PrismImportWindow *self)
{
  double contrast = self->reading->contrast;
  g_autofree char *text = NULL;

  if (isnan (contrast))
    text = g_strdup (_ ("No circles can be shown: wavelength, pixel, NA and directions have to be"
                        " known, and some frames bright."));
  else
    text = g_strdup_printf (_ ("Within the circles the spectra are %.1f times brighter than around"
                               " them. The better the geometry, the more; where it is wrong, light"
                               " lies outside."),
                            exp (contrast));
  gtk_label_set_label (self->contrast, text);
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
 * was stated, both stand there, with a button that keeps what was.
 *
 * Returns: whether they do */
static gboolean
show_found (PrismImportWindow *self,
            const Found *found)
{
  const PrismRecording *recording = self->reading->recording;
  GtkWidget *row = g_hash_table_lookup (self->rows, found->key);
  GtkWidget *keep = g_object_get_data (G_OBJECT (row), "keep");
  const double value = G_STRUCT_MEMBER (double, recording, found->offset) / found->scale;
  const double stated
      = found->stated > 0 ? G_STRUCT_MEMBER (double, recording, found->stated) / found->scale : 0;
  const gboolean differs = isfinite (value) && stated > 0 && stated != value;
  g_autofree char *title = g_strdup (gettext (g_object_get_data (G_OBJECT (row), "label")));
  g_autofree char *label = NULL;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  /* The value comes first where the button leaves little room. */
  if (isfinite (value))
    {
      g_free (title);
      title = differs ? g_strdup_printf ("%.5g %s: %s", value, found->unit, _ (found->label))
                      : g_strdup_printf ("%s: %.5g %s", _ (found->label), value, found->unit);
    }
  if (differs)
    {
      label = g_strdup_printf (_ ("Keep %.5g %s"), stated, found->unit);
      gtk_button_set_label (GTK_BUTTON (keep), g_strchomp (label));
      g_object_set_data_full (
          G_OBJECT (keep), "value",
          g_strconcat (g_ascii_formatd (number, sizeof number, "%.10g", stated), " ", found->unit,
                       NULL),
          g_free);
    }
  gtk_widget_set_visible (keep, differs);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), g_strchomp (title));
  gtk_widget_set_tooltip_text (row, isfinite (value) ? title
                                                     : _ ("The recording does not say it"));
  return differs;
}

static void
update (PrismImportWindow *self)
{
  const Reading *reading = self->reading;
  const char *sentence = _ ("Nothing is missing.");
  gboolean differs = FALSE;

  for (gsize i = 0; reading->recording != NULL && i < G_N_ELEMENTS (found); i++)
    differs |= show_found (self, &found[i]);
  if (reading->problem != NULL)
    sentence = reading->problem;
  else if (reading->missing != NULL)
    sentence = reading->missing;
  else if (differs)
    sentence = _ ("Nothing is missing. The frames contradict a value: its row says what is taken, and"
                  " can keep what was stated.");
  gtk_label_set_label (self->missing, sentence);
  show_notes (self);
  show_contrast (self);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.reconstruct",
                                 reading->problem == NULL && reading->missing == NULL);
  prism_frame_film_set_recording (self->film, reading->recording);
  resize_sheet (self);
  gtk_widget_queue_draw (GTK_WIDGET (self->sheet));
  gtk_widget_queue_draw (GTK_WIDGET (self->spectra));
}

static void
request_free (gpointer data)
{
  Request *request = data;

  g_object_unref (request->window);
  prism_recording_free (request->recording);
  prism_recipe_free (request->recipe);
  g_free (request->path);
  g_free (request->positions);
  g_free (request);
}

/* Other thread. What cannot be read is a sentence on the page, not a failure of the job. */
static gpointer
read_file (gpointer data,
           GError **error)
{
  const Request *request = data;
  Reading *reading = g_new0 (Reading, 1);
  g_autoptr (GError) problem = NULL;
  g_autoptr (GError) missing = NULL;

  reading->contrast = NAN;
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

/* What changed while the file was read is read again. */
static void
take_reading (gpointer data,
              gpointer result,
              const GError *error)
{
  const Request *request = data;
  PrismImportWindow *self = request->window;
  gboolean outdated = self->n_reading > request->number;

  self->n_reading = 0;
  /* The window may have been closed meanwhile. */
  if (outdated || self->recipe == NULL)
    {
      reading_free (result);
      if (self->recipe != NULL)
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
  Request *request;

  if (self->path == NULL || self->n_reading++ > 0)
    return;
  gtk_label_set_label (self->missing, _ ("Reading the file…"));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.reconstruct", FALSE);
  request = g_new0 (Request, 1);
  request->window = g_object_ref (self);
  request->recipe = prism_recipe_dup (self->recipe);
  request->path = g_strdup (self->path);
  request->positions = g_strdup (self->positions);
  request->number = self->n_reading;
  prism_job_start (&job, request, NULL);
}

/* Puts what the recipe says into the rows. */
static void
fill_rows (PrismImportWindow *self)
{
  self->filling = TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GtkWidget *row = g_hash_table_lookup (self->rows, rows[i].key);
      const char *value = prism_recipe_get (self->recipe, rows[i].key);

      if (value == NULL)
        value = "";
      if (rows[i].choices == NULL)
        gtk_editable_set_text (GTK_EDITABLE (row), value);
      else
        for (guint k = 0; rows[i].choices[k] != NULL; k++)
          if (strcmp (rows[i].choices[k], value) == 0)
            adw_combo_row_set_selected (ADW_COMBO_ROW (row), k);
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
        GtkWidget *row,
        const char *key,
        const char *value)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRecipe) recipe = prism_recipe_dup (self->recipe);
  const char *earlier = prism_recipe_get (self->recipe, key);

  if (self->filling || strcmp (earlier != NULL ? earlier : "", value) == 0)
    return;
  if (!prism_recipe_set (recipe, key, value, &error))
    {
      gtk_widget_add_css_class (row, "error");
      show_toast (self, error->message);
      return;
    }
  gtk_widget_remove_css_class (row, "error");
  take_recipe (self, g_steal_pointer (&recipe));
}

static void
on_keep (PrismImportWindow *self,
         GtkWidget *keep)
{
  GtkWidget *row = gtk_widget_get_ancestor (keep, ADW_TYPE_ENTRY_ROW);

  change (self, row, g_object_get_data (G_OBJECT (row), "key"),
          g_object_get_data (G_OBJECT (keep), "value"));
  fill_rows (self);
}

static void
on_entry_applied (GtkWidget *row,
                  PrismImportWindow *self)
{
  change (self, row, g_object_get_data (G_OBJECT (row), "key"),
          gtk_editable_get_text (GTK_EDITABLE (row)));
}

static void
on_choice_changed (GtkWidget *row,
                   GParamSpec *property,
                   PrismImportWindow *self)
{
  const Row *entry = g_object_get_data (G_OBJECT (row), "row");

  change (self, row, entry->key,
          entry->choices[adw_combo_row_get_selected (ADW_COMBO_ROW (row))]);
}

static GtkWidget *
make_entry (PrismImportWindow *self,
            const Row *entry)
{
  GtkWidget *row = adw_entry_row_new (), *keep = gtk_button_new ();

  gtk_widget_set_valign (keep, GTK_ALIGN_CENTER);
  gtk_widget_set_visible (keep, FALSE);
  g_signal_connect_swapped (keep, "clicked", G_CALLBACK (on_keep), self);
  adw_entry_row_add_suffix (ADW_ENTRY_ROW (row), keep);
  adw_entry_row_set_show_apply_button (ADW_ENTRY_ROW (row), TRUE);
  g_object_set_data (G_OBJECT (row), "keep", keep);
  g_object_set_data (G_OBJECT (row), "key", (gpointer) entry->key);
  g_object_set_data (G_OBJECT (row), "label", (gpointer) entry->label);
  g_signal_connect (row, "apply", G_CALLBACK (on_entry_applied), self);
  return row;
}

static GtkWidget *
make_choice (PrismImportWindow *self,
             const Row *entry)
{
  GtkWidget *row = adw_combo_row_new ();
  GtkStringList *model = gtk_string_list_new (NULL);

  for (guint i = 0; entry->labels[i] != NULL; i++)
    gtk_string_list_append (model, _ (entry->labels[i]));
  adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (model));
  g_object_unref (model);
  g_object_set_data (G_OBJECT (row), "row", (gpointer) entry);
  g_signal_connect (row, "notify::selected", G_CALLBACK (on_choice_changed), self);
  return row;
}

static void
make_rows (PrismImportWindow *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GtkWidget *row = rows[i].choices != NULL ? make_choice (self, &rows[i])
                                               : make_entry (self, &rows[i]);

      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (rows[i].label));
      adw_preferences_group_add (rows[i].is_turn ? self->turns : self->numbers, row);
      g_hash_table_insert (self->rows, (gpointer) rows[i].key, row);
    }
}

static void
draw_sheet (GtkDrawingArea *area,
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
  prism_import_pictures_draw_sheet (self->reading->pictures, &paint, width, height);
  prism_paint_finish (&paint);
}

static void
draw_spectra (GtkDrawingArea *area,
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
  prism_import_pictures_draw_spectra (self->reading->pictures, &paint, width, height);
  prism_paint_finish (&paint);
}

static void
on_frames_chosen (const char *path,
                  gpointer data)
{
  prism_import_window_open (data, path);
}

static void
on_open (GtkWidget *widget,
         const char *action,
         GVariant *parameter)
{
  const PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_OPEN, _ ("Open measurements"), _ ("_Open"), NULL,
          _ ("Recorded frames"), frame_patterns };

  prism_file_dialog_ask (&dialog, widget, on_frames_chosen);
}

static void
on_open_folder (GtkWidget *widget,
                const char *action,
                GVariant *parameter)
{
  const PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_FOLDER, _ ("Open a folder of frames"), _ ("_Open") };

  prism_file_dialog_ask (&dialog, widget, on_frames_chosen);
}

static void
on_table_chosen (const char *path,
                 gpointer data)
{
  PrismImportWindow *self = data;

  g_free (self->positions);
  self->positions = g_strdup (path);
  start_reading (self);
}

static void
on_positions (GtkWidget *widget,
              const char *action,
              GVariant *parameter)
{
  const PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_OPEN, _ ("Read positions"), _ ("_Read"), NULL, _ ("Tables"),
          table_patterns };

  prism_file_dialog_ask (&dialog, widget, on_table_chosen);
}

static void
on_save_chosen (const char *path,
                gpointer data)
{
  PrismImportWindow *self = data;
  g_autofree char *full = g_str_has_suffix (path, ".prism") ? g_strdup (path)
                                                            : g_strconcat (path, ".prism", NULL);
  g_autofree char *name = g_filename_display_basename (full);
  g_autofree char *text = g_strdup_printf (_ ("Saved “%s”"), name);
  g_autoptr (PrismRecipe) recipe = prism_recipe_dup (self->recipe);
  g_autoptr (GError) error = NULL;

  if ((self->positions == NULL
       || prism_recipe_set (recipe, "positions", self->positions, &error))
      && prism_recipe_save (recipe, full, &error))
    show_toast (self, text);
  else
    show_toast (self, error->message);
}

static void
on_save (GtkWidget *widget,
         const char *action,
         GVariant *parameter)
{
  const PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_SAVE, _ ("Save the recipe"), _ ("_Save"), "recipe.prism",
          _ ("Recipes"), recipe_patterns };

  prism_file_dialog_ask (&dialog, widget, on_save_chosen);
}

static void
on_recipe_chosen (const char *path,
                  gpointer data)
{
  PrismImportWindow *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRecipe) recipe = prism_recipe_load (path, &error);

  if (recipe == NULL)
    {
      show_toast (self, error->message);
      return;
    }
  take_recipe (self, g_steal_pointer (&recipe));
  fill_rows (self);
}

static void
on_load (GtkWidget *widget,
         const char *action,
         GVariant *parameter)
{
  const PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_OPEN, _ ("Load a recipe"), _ ("_Load"), NULL, _ ("Recipes"),
          recipe_patterns };

  prism_file_dialog_ask (&dialog, widget, on_recipe_chosen);
}

/* Another thread. */
static gpointer
make_problem (gpointer data,
              GError **error)
{
  const Request *request = data;
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  PrismProblem *problem;

  problem = prism_problem_new (request->recording, settings, error);
  if (problem != NULL)
    prism_problem_set_reading (problem, request->recipe, request->positions);
  return problem;
}

static void
take_problem (gpointer data,
              gpointer result,
              const GError *error)
{
  const Request *request = data;
  PrismImportWindow *self = request->window;

  /* The window may have been closed meanwhile. */
  if (self->recipe == NULL)
    prism_problem_unref (result);
  else if (error != NULL)
    show_toast (self, error->message);
  else
    {
      g_signal_emit (self, signals[RECONSTRUCT], 0, result);
      prism_problem_unref (result);
    }
}

static void
on_reconstruct (GtkWidget *widget,
                const char *action,
                GVariant *parameter)
{
  static const PrismJob job = { "problem", make_problem, take_problem, request_free,
                                (GDestroyNotify) prism_problem_unref };
  PrismImportWindow *self = PRISM_IMPORT_WINDOW (widget);
  Request *request;

  request = g_new0 (Request, 1);
  request->window = g_object_ref (self);
  request->recording = prism_recording_ref (self->reading->recording);
  request->recipe = prism_recipe_dup (self->recipe);
  request->positions = g_strdup (self->positions);
  prism_job_start (&job, request, NULL);
}

static void
on_sample (GtkWidget *widget,
           const char *action,
           GVariant *parameter)
{
  g_autofree char *path = prism_sample_dup_path ();

  prism_import_window_open (PRISM_IMPORT_WINDOW (widget), path);
}

/* A table belongs to the frames that are open; a recipe is read; anything else are frames. */
static gboolean
on_drop (GtkDropTarget *target,
         const GValue *value,
         double x,
         double y,
         PrismImportWindow *self)
{
  GSList *files = g_value_get_boxed (value);
  g_autofree char *path = files != NULL ? g_file_get_path (files->data) : NULL;

  if (path == NULL)
    return FALSE;
  if (g_str_has_suffix (path, ".csv"))
    on_table_chosen (path, self);
  else if (g_str_has_suffix (path, ".prism"))
    on_recipe_chosen (path, self);
  else
    prism_import_window_open (self, path);
  return TRUE;
}

static void
prism_import_window_dispose (GObject *object)
{
  PrismImportWindow *self = PRISM_IMPORT_WINDOW (object);

  g_clear_pointer (&self->reading, reading_free);
  g_clear_pointer (&self->recipe, prism_recipe_free);
  g_queue_clear_full (&self->earlier, (GDestroyNotify) prism_recipe_free);
  g_clear_pointer (&self->rows, g_hash_table_unref);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->positions, g_free);
  G_OBJECT_CLASS (prism_import_window_parent_class)->dispose (object);
}

static void
prism_import_window_class_init (PrismImportWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_import_window_dispose;
  /* A PrismProblem of the frames that are shown. */
  signals[RECONSTRUCT]
      = g_signal_new ("reconstruct", PRISM_TYPE_IMPORT_WINDOW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
  g_type_ensure (PRISM_TYPE_FRAME_FILM);
  PRISM_TEMPLATE (widget_class, PrismImportWindow, "prism-import-window.ui", toast_overlay,
                  window_title, missing, notes, sample, opened, pictures, numbers, turns, stack,
                  sheet, spectra, film, contrast);
  gtk_widget_class_install_action (widget_class, "import.open", NULL, on_open);
  gtk_widget_class_install_action (widget_class, "import.open-folder", NULL, on_open_folder);
  gtk_widget_class_install_action (widget_class, "import.sample", NULL, on_sample);
  gtk_widget_class_install_action (widget_class, "import.positions", NULL, on_positions);
  gtk_widget_class_install_action (widget_class, "import.reconstruct", NULL, on_reconstruct);
  gtk_widget_class_install_action (widget_class, "import.save", NULL, on_save);
  gtk_widget_class_install_action (widget_class, "import.load", NULL, on_load);
  PRISM_ACTION (widget_class, "import.undo", on_undo);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_z, GDK_CONTROL_MASK, "import.undo",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_o, GDK_CONTROL_MASK, "import.open",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_F5, 0, "import.reconstruct", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_s, GDK_CONTROL_MASK, "import.save",
                                       NULL);
}

static void
prism_import_window_init (PrismImportWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  gtk_widget_init_template (GTK_WIDGET (self));
  self->recipe = prism_recipe_new ();
  self->rows = g_hash_table_new (g_str_hash, g_str_equal);
  make_rows (self);
  gtk_drawing_area_set_draw_func (self->sheet, draw_sheet, self, NULL);
  gtk_drawing_area_set_draw_func (self->spectra, draw_spectra, self, NULL);
  g_signal_connect_swapped (self->sheet, "resize", G_CALLBACK (resize_sheet), self);
  g_signal_connect (target, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.undo", FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.positions", FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.reconstruct", FALSE);
}

/**
 * prism_import_window_new:
 *
 * Returns: (transfer none): a window without a file
 */
GtkWidget *
prism_import_window_new (void)
{
  return g_object_new (PRISM_TYPE_IMPORT_WINDOW, NULL);
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

  g_free (self->path);
  self->path = g_strdup (path);
  g_clear_pointer (&self->positions, g_free);
  adw_window_title_set_subtitle (self->window_title, name);
  gtk_widget_set_visible (self->sample, FALSE);
  gtk_widget_set_visible (self->opened, TRUE);
  gtk_widget_set_visible (self->pictures, TRUE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "import.positions", TRUE);
  start_reading (self);
}

/**
 * prism_import_window_get_reading:
 * @self: a window
 *
 * Returns: whether a file is being read
 */
gboolean
prism_import_window_get_reading (PrismImportWindow *self)
{
  return self->n_reading > 0;
}
