#include "config.h"

#include "import/prism-import.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "config/prism-scenario.h"
#include "formats/prism-npy.h"
#include "import/prism-import-private.h"
#include "model/prism-config-check.h"

/* From what is stated to a configuration. Sources, of the first PRISM: prism/config/objects.py and
 * constants.py; prism/core/runner/mixins.py, _calculate_pixel_size and _calculate_object_size. */

#define MIN_FIELD 64
#define MAX_FIELD 4096
#define MIN_OBJECT 16
#define MAX_SHOWN 60 /* of a value, in a message */
#define LIGHT_YEAR 9.461e15
#define ASTRONOMICAL_UNIT 1.496e11

/* What an object's name stood for. */
typedef struct
{
  const char *name;
  double diameter;   /* m */
  double distance;   /* m */
  double wavelength; /* m */
  const char *picture;
  const char *builtin; /* what stands for the picture where that is not there */
} Target;

static const Target targets[] = {
  { "europa", 3138e3, 628.3e9, 698.9e-9, "data/europa.jpg", "ice-moon" },
  { "titan", 5150e3, 1.2e12, 2e-6, "data/titan_temp.jpg", "moon" },
  { "neptune", 50e6, 29.1 * ASTRONOMICAL_UNIT, 500e-9, "data/titan_temp.jpg", "ice-moon" },
  { "betelgeuse", 1234e9, 700 * LIGHT_YEAR, 500e-9, "data/titan_temp.jpg", "moon" },
};

/* What is stated of a setting, or its default; NULL for none. */
static const char *
get (PrismImportSource *self,
     const char *name)
{
  const int i = PRISM_IMPORT_FIND (name, name);
  const PrismImportRow *row = &prism_import_table_get_rows ()[i];
  const char *value = self->values[i];

  self->asked[i] = TRUE;
  if (value == NULL)
    value = self->written ? row->written : NULL;
  if (value == NULL)
    value = row->standard;
  return g_strcmp0 (value, "None") == 0 ? NULL : value;
}

static gboolean
is_on (PrismImportSource *self,
       const char *name)
{
  return g_strcmp0 (get (self, name), "True") == 0;
}

/* Says something of what is stated. */
static void
tell (PrismImportSource *self,
      const char *name,
      const char *what)
{
  prism_import_source_note (self, "%s: “%.*s” %s", name, MAX_SHOWN, get (self, name), what);
}

static double
get_number (PrismImportSource *self,
            const char *name,
            double otherwise)
{
  const char *text = get (self, name);
  double number;

  if (text != NULL && prism_number_parse (text, &number) && isfinite (number))
    return number;
  if (text != NULL)
    tell (self, name, "is no number that can be used.");
  return otherwise;
}

/* What is a length, or a number of things. */
static double
get_size (PrismImportSource *self,
          const char *name,
          double otherwise)
{
  const double number = get_number (self, name, otherwise);

  if (number > 0 || get (self, name) == NULL)
    return number;
  tell (self, name, "is left out: expected is a number above 0.");
  return otherwise;
}

/* Sets one of our parameters; what it cannot be is noted. */
static void
set (PrismImportSource *self,
     PrismConfig *config,
     const char *key,
     const char *value)
{
  g_autoptr (GError) reason = NULL;

  if (!prism_config_set_text (config, key, value, &reason))
    prism_import_source_note (self, _ ("%s stays as it is by default: %s"), key, reason->message);
}

static void
set_number (PrismImportSource *self,
            PrismConfig *config,
            const char *key,
            double value)
{
  set (self, config, key,
       prism_digits (value == rint (value) && fabs (value) < 1e15 ? "%.0f" : "%.15g", value));
}

/* "a=b c=d": what a word is here; NULL for none. */
static char *
dup_word (const char *words,
          const char *theirs)
{
  g_auto (GStrv) pairs = g_strsplit (words, " ", -1);

  PRISM_FOR_EACH_STRING (one, pairs)
    {
      g_auto (GStrv) pair = g_strsplit (*one, "=", 2);

      if (strcmp (pair[0], theirs) == 0)
        return g_strdup (pair[1]);
    }
  return NULL;
}

static gboolean
is_standard (const char *value,
             const char *standard)
{
  double a, b;

  return g_strcmp0 (value, standard) == 0
         || (standard != NULL && prism_number_parse (value, &a)
             && prism_number_parse (standard, &b) && a == b);
}

/* A row that is one of our parameters. */
static void
apply_row (PrismImportSource *self,
           PrismConfig *config,
           const PrismImportRow *row)
{
  const char *value = get (self, row->name);
  g_autofree char *word = NULL;
  double number;

  if (value == NULL)
    return;
  if (strcmp (row->words, PRISM_IMPORT_NUMBER) == 0)
    {
      number = get_number (self, row->name, NAN);
      if (!isnan (number))
        set_number (self, config, row->key, number);
      return;
    }
  word = dup_word (row->words, value);
  if (word != NULL)
    set (self, config, row->key, word);
  else
    prism_import_source_note (self, "%s: “%.*s” has no counterpart; %s stays as it is by default.",
                              row->name, MAX_SHOWN, value, row->key);
}

/* What is stated, and where no scenario says it also what is so by default. */
static void
apply_rows (PrismImportSource *self,
            PrismConfig *config,
            gboolean training,
            gboolean defaults)
{
  g_autoptr (GString) left_out = g_string_new (NULL);
  const PrismImportRow *row = prism_import_table_get_rows ();

  for (gsize i = 0; row->name != NULL; i++, row++)
    {
      const char *value = self->values[i];

      if (PRISM_IMPORT_FIND (name, row->name) != (int) i || (value == NULL && !defaults))
        continue;
      if (row->kind == PRISM_IMPORT_ALWAYS || (row->kind == PRISM_IMPORT_TRAINING && training))
        apply_row (self, config, row);
      else if (row->kind == PRISM_IMPORT_WHOLE && row->on != NULL && value != NULL
               && strcmp (value, "True") != 0 && strcmp (value, "False") != 0)
        tell (self, row->name, "is neither true nor false, and counts as false.");
      else if (value != NULL
               && (row->kind == PRISM_IMPORT_TRAINING
                   || (!training && !self->mopie && row->key != NULL
                       && g_str_has_suffix (row->key, "steps"))))
        g_string_append_printf (left_out, "%s%s", left_out->len > 0 ? ", " : "", row->name);
      else if (row->kind == PRISM_IMPORT_TOLD && get (self, row->name) != NULL && value != NULL
               && !is_standard (value, row->standard))
        prism_import_source_note (self, "%s: “%.*s” has no counterpart. %s", row->name, MAX_SHOWN,
                                  value, row->sentence);
    }
  if (left_out->len > 0)
    prism_import_source_note (self, "%s: %s.",
                              self->mopie ? "Passes have nothing of the training"
                                          : "This program's own method takes the place of the"
                                            " training (--training takes it over)",
                              left_out->str);
}

static const Target *
find_target (PrismImportSource *self)
{
  const char *name = get (self, "obj_name");

  for (gsize i = 0; i < G_N_ELEMENTS (targets) && name != NULL; i++)
    if (strcmp (targets[i].name, name) == 0)
      return &targets[i];
  if (name != NULL)
    tell (self, "obj_name",
          "is no object of the first PRISM: it knows europa, titan, betelgeuse and neptune.");
  return NULL;
}

/* A file of that name beside what was read, in a folder above it, or here. */
static char *
find_picture (const PrismImportSource *self,
              const char *name)
{
  g_autofree char *folder = g_canonicalize_filename (self->folder, NULL);

  for (int i = 0; i < 4; i++)
    {
      g_autofree char *path = g_canonicalize_filename (name, folder);
      char *above = g_path_get_dirname (folder);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
      g_free (folder);
      folder = above;
    }
  return g_file_test (name, G_FILE_TEST_IS_REGULAR) ? g_canonicalize_filename (name, NULL) : NULL;
}

static void
apply_object (PrismImportSource *self,
              PrismConfig *config,
              const Target *target)
{
  const char *input = get (self, "input");
  const char *builtin = target != NULL ? target->builtin : "moon";
  g_autofree char *path = NULL, *text = NULL;

  if (is_on (self, "is_point_source"))
    {
      set (self, config, "object", "points");
      return;
    }
  if (input == NULL && target != NULL)
    input = target->picture;
  path = input != NULL ? find_picture (self, input) : NULL;
  text = path != NULL ? prism_file_to_text (path) : g_strdup (builtin);
  set (self, config, "object", text);
  if (path == NULL && input != NULL)
    prism_import_source_note (self, "input: “%.*s” is not there: the built-in object “%s” stands"
                                    " for it. Set “object” to the picture.",
                              MAX_SHOWN, input, builtin);
}

/* The grid and its scale: dx = λz/(n·dxf); the object has its diameter over dx. */
static void
apply_scale (PrismImportSource *self,
             PrismConfig *config,
             const Target *target)
{
  double stated = get_size (self, "image_size", 1024);
  double wavelength = get_size (self, "wavelength", target != NULL ? target->wavelength : 0);
  double distance = get_size (self, "obj_distance", target != NULL ? target->distance : 0);
  double diameter = get_size (self, "obj_diameter", target != NULL ? target->diameter : 0);
  const double pitch = config->dxf;
  const char *method = get (self, "propagator_method");
  double pixel, object, aperture, fresnel;
  int n = MIN_FIELD;

  while (n < MAX_FIELD && n < stated)
    n *= 2;
  if (n != stated)
    prism_import_source_note (self, "image_size: %g becomes %d, a power of two from %d to %d.",
                              stated,
                              n, MIN_FIELD, MAX_FIELD);
  set_number (self, config, "image_size", n);
  if (wavelength > 0)
    set_number (self, config, "wavelength", wavelength * 1e9);
  if (distance > 0)
    set_number (self, config, "distance", distance);
  if (diameter > 0)
    set_number (self, config, "object_diameter", diameter);

  pixel = wavelength * distance / (pitch * n);
  object = get_size (self, "obj_size", pixel > 0 ? floor (diameter / pixel) : 0);
  if (object > 0)
    {
      int side = (int) CLAMP (2 * ceil (object / 2), MIN_OBJECT, n);

      if (side != object)
        prism_import_source_note (self, "obj_size: %.0f px become %d, an even number from %d to the"
                                        " size of the field.",
                                  object, side, MIN_OBJECT);
      set_number (self, config, "object_size", side);
    }
  aperture = get_size (self, "sample_diameter", self->diameter);
  /* r = λz/(π·W/2) of an object W wide. */
  if (aperture <= 0 && diameter > 0 && pitch > 0)
    aperture = floor (2 * wavelength * distance / (G_PI * diameter / 2) / pitch);
  if (aperture > 0)
    set_number (self, config, "aperture_radius", MAX (aperture / 2, 1));

  /* It took the angular spectrum from F = 0.1 on. From the object to the aperture and, focused,
   * back the quadratic phases of the aperture cancel; those of the object belong to its light,
   * which is taken to converge on the aperture. What is left is one Fourier transform each way.
   * Source: Goodman, Introduction to Fourier Optics, 5.3. */
  fresnel = pitch * n * pitch * n / (wavelength * distance);
  if (g_strcmp0 (method, "auto") == 0 || g_strcmp0 (method, "fraunhofer") == 0)
    method = NULL;
  if (isfinite (fresnel) && (fresnel >= 0.1 || method != NULL))
    prism_import_source_note (self, "propagator_method: the Fresnel number is %.2g, %s field. An"
                                    " instrument that is focused on its object gives the frames of"
                                    " “fraunhofer” in both.",
                              fresnel, fresnel < 0.1 ? "the far" : "the near");
}

static void
apply_pattern (PrismImportSource *self,
               PrismConfig *config)
{
  const char *pattern = get (self, "pattern_fn");
  double roi = get_size (self, "roi_diameter", 0);
  double angle = get_number (self, "line_angle", NAN);
  int row = PRISM_IMPORT_FIND (name, "pattern_fn");

  if (roi > 0 && roi != config->image_size)
    set_number (self, config, "roi", roi);
  if (config->line_length > 0 && isnan (angle))
    set (self, config, "line_direction", "random");
  else if (config->line_length > 0)
    set_number (self, config, "line_angle", remainder (angle * 180 / G_PI, 360));
  if (self->values[row] == NULL && is_on (self, "star_sample"))
    pattern = "builtin:star";
  else if (self->values[row] == NULL && is_on (self, "fermat_sample"))
    pattern = "builtin:fermat";
  if (pattern != NULL && g_str_has_prefix (pattern, "builtin:"))
    set (self, config, "pattern", pattern + strlen ("builtin:"));
  else if (pattern != NULL)
    tell (self, "pattern_fn",
          "is a program and is not run: import the sample_points.pt of a run, or have the"
          " positions printed as CSV: --set pattern_command=….");
  if (config->pattern == PRISM_PATTERN_STAR)
    prism_import_source_note (self, "The star of the first PRISM had as many positions as lines of"
                                    " sample_length fit, each along its ray; here “samples” says"
                                    " how many, and line_angle how they lie.");
}

/* Positions come before whatever pattern made them. */
static void
apply_points (PrismImportSource *self,
              PrismConfig *config)
{
  double farthest = 0;

  for (guint i = 0; i < self->found->n_points; i++)
    {
      const PrismPoint *point = &self->found->points[i];

      farthest = MAX (farthest, MAX (fabs (point->y), fabs (point->x)));
    }
  if (2 * farthest > config->image_size)
    {
      int n = config->image_size;

      while (n < MAX_FIELD && n < 2 * farthest)
        n *= 2;
      prism_import_source_note (self, "image_size: %d becomes %d, which the positions need.",
                                config->image_size, n);
      set_number (self, config, "image_size", n);
    }
  set (self, config, "pattern", "file");
  set (self, config, "order", "given");
  set (self, config, "pattern_cutoff", "0");
  set_number (self, config, "line_length", self->line_length);
  if (self->line_length <= 0)
    return;
  set (self, config, "line_direction", self->line_turns ? "random" : "fixed");
  if (self->line_turns)
    prism_import_source_note (self, "Each of its lines had an angle of its own, which a file of"
                                    " positions does not have: they are drawn anew with the seed.");
  else
    set_number (self, config, "line_angle", self->found->points[0].angle * 180 / G_PI);
}

/* Its configuration is that of its scenario, with what differs: "drone_50m_survey,altitude=80". */
static gboolean
apply_scenario (PrismImportSource *self,
                PrismConfig **config,
                GError **error)
{
  static const char *const quantities[] = { "objective", "lens", "sensor", "altitude" };
  const char *name = get (self, "scenario");
  g_autoptr (GString) spec = g_string_new (name);
  PrismConfig *whole;

  PRISM_FOR_EACH_OF (quantity, quantities)
    if (get (self, *quantity) != NULL && name != NULL)
      g_string_append_printf (spec, ",%s=%s", *quantity, get (self, *quantity));
    else if (get (self, *quantity) != NULL)
      tell (self, *quantity, "belongs to a scenario, and none is stated.");
  if (name == NULL)
    return TRUE;
  if (!prism_scenario_is (spec->str))
    return prism_error_format (error, "“%.*s” is no scenario of the first PRISM: “prism-cli run"
                                      " --list-scenarios” lists them.",
                               MAX_SHOWN, name);
  whole = prism_config_load_preset (*config, spec->str, error);
  if (whole == NULL)
    return FALSE;
  prism_config_free (*config);
  *config = whole;
  return TRUE;
}

/* It says which of the two programs ran; a file of settings does not, and may be for both. */
static gboolean
is_mopie (PrismImportSource *self)
{
  const char *const *values = (const char *const *) self->values;
  const char *algorithm = get (self, "algorithm");
  const gboolean has_both = values[PRISM_IMPORT_FIND (name, "max_epochs_init")] != NULL;

  if (algorithm != NULL || values[PRISM_IMPORT_FIND (name, "lr_obj")] == NULL)
    return g_strcmp0 (algorithm, "mopie") == 0;
  if (has_both)
    prism_import_source_note (self, "It has settings of the decoder and of Mo-PIE, and does not say"
                                    " which ran: the decoder's are taken. Set method=mopie, or"
                                    " without lines method=epie, for the other.");
  return !has_both;
}

/* What nobody asked for. The steps of a training are told together. */
static void
tell_left_out (PrismImportSource *self)
{
  const PrismImportRow *row = prism_import_table_get_rows ();

  for (gsize i = 0; row->name != NULL; i++, row++)
    {
      if (!self->asked[i] && row->kind == PRISM_IMPORT_WHOLE && row->key != NULL
          && !g_str_has_suffix (row->key, "steps") && self->values[i] != NULL
          && strcmp (self->values[i], "None") != 0 && !is_standard (self->values[i], row->standard))
        tell (self, row->name, "is left out: another setting says it.");
    }
}

/* What was found as a configuration, too; the source gives it. */
static PrismImport *
convert (PrismImportSource *source,
         gboolean training,
         GError **error)
{
  PrismImport *self = source->found;
  g_autoptr (GError) reason = NULL;

  source->mopie = is_mopie (source);
  training = training && !source->mopie;
  self->config = training ? prism_config_load_preset (NULL, "python-prism", error)
                          : prism_config_new ();
  if (self->config == NULL || !apply_scenario (source, &self->config, error))
    return NULL;
  if (get (source, "scenario") != NULL)
    {
      const double aperture
          = source->values[PRISM_IMPORT_FIND (name, "sample_diameter")] != NULL
                ? get_size (source, "sample_diameter", 0)
                : 0;

      apply_rows (source, self->config, training, FALSE);
      if (aperture > 0)
        set_number (source, self->config, "aperture_radius", MAX (aperture / 2, 1));
    }
  else if (source->n_values > 0)
    {
      const Target *target = find_target (source);

      apply_rows (source, self->config, training, TRUE);
      apply_object (source, self->config, target);
      apply_scale (source, self->config, target);
      apply_pattern (source, self->config);
    }
  else if (source->diameter > 0)
    set_number (source, self->config, "aperture_radius", MAX (source->diameter / 2, 1));
  if (self->points != NULL)
    apply_points (source, self->config);
  if (source->n_values > 0)
    {
      double steps = get_number (source, "n_epochs", 1000);

      if (source->mopie)
        {
          set (source, self->config, "method", self->config->line_length > 0 ? "mopie" : "epie");
          set_number (source, self->config, "passes", steps);
        }
      else if (training)
        {
          set (source, self->config, "method", "decoder");
          set_number (source, self->config, "steps",
                      MIN (steps * get_number (source, "max_epochs", 1), 1e5));
          set_number (source, self->config, "start_steps",
                      MIN (get_number (source, "n_epochs_init", 100)
                               * get_number (source, "max_epochs_init", 100),
                           1e5));
        }
    }
  tell_left_out (source);
  self->comment = g_strdup (get (source, "comment"));
  if (self->points == NULL && !prism_config_check (self->config, &reason))
    prism_import_source_note (source, _ ("No run can be made of it as it is: %s"), reason->message);
  return g_steal_pointer (&source->found);
}

/**
 * prism_import_load:
 * @path: a file of the first PRISM, or the folder of a run
 * @training: take over how its decoder was trained
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): what it comes to here
 */
PrismImport *
prism_import_load (const char *path,
                   gboolean training,
                   GError **error)
{
  g_autoptr (PrismImportSource) source = prism_import_source_new (path);

  return prism_import_source_read (source, path, error) ? convert (source, training, error) : NULL;
}

/**
 * prism_import_parse:
 * @text: (array length=length): a command line of the first PRISM, or YAML
 * @length: bytes
 * @training: take over how its decoder was trained
 *
 * As prism_import_load(), of what somebody pasted.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_IO for a file that it names.
 *
 * Returns: (transfer full) (nullable): what it comes to here
 */
PrismImport *
prism_import_parse (const char *text,
                    gsize length,
                    gboolean training,
                    GError **error)
{
  g_autoptr (PrismImportSource) source = prism_import_source_new ("text");

  return prism_import_source_read_text (source, text, length, FALSE, error)
             ? convert (source, training, error)
             : NULL;
}

/**
 * prism_import_free:
 * @self: (nullable): what was imported
 */
PRISM_FREE_FOR_ALL (PrismImport,
                    prism_import_free,
                    prism_config_free,
                    config,
                    g_ptr_array_unref,
                    notes,
                    g_free,
                    comment,
                    g_free,
                    points,
                    g_free,
                    picture)

/**
 * prism_import_dup_config:
 *
 * Errors: PRISM_ERROR_CONFIG for more positions than a list holds.
 *
 * Returns: (transfer full) (nullable): the configuration, with the positions as placed by hand
 */
PrismConfig *
prism_import_dup_config (const PrismImport *self,
                         GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self->config);
  g_autofree char *points = NULL;

  if (self->points == NULL)
    return g_steal_pointer (&config);
  points = prism_pattern_points_to_text (self->points, self->n_points);
  return prism_config_set_text (config, "pattern", "hand", error)
                 && prism_config_set_text (config, "pattern_points", points, error)
             ? g_steal_pointer (&config)
             : NULL;
}

/**
 * prism_import_dup_beside:
 * @path: of a configuration
 * @ending: "-positions.csv" or "-picture.npy"
 *
 * Returns: (transfer full): what prism_import_save() calls a file beside it
 */
char *
prism_import_dup_beside (const char *path,
                         const char *ending)
{
  gsize length = strlen (path);

  if (g_str_has_suffix (path, ".prism"))
    length -= strlen (".prism");
  return g_strdup_printf ("%.*s%s", (int) length, path, ending);
}

/**
 * prism_import_save:
 * @path: of a configuration, "NAME.prism"
 *
 * Writes it, NAME-positions.csv and NAME-picture.npy, as far as there are such.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: (transfer full) (nullable): the names of what is written
 */
GStrv
prism_import_save (const PrismImport *self,
                   const char *path,
                   GError **error)
{
  g_autofree char *positions = prism_import_dup_beside (path, "-positions.csv");
  g_autofree char *picture = prism_import_dup_beside (path, "-picture.npy");
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  const gsize shape[] = { self->height, self->width };
  g_autoptr (PrismConfig) config = prism_config_dup (self->config);
  g_autofree char *name = g_path_get_basename (positions);
  g_autofree char *as_text = prism_file_to_text (name);
  g_autofree char *text = NULL, *all = NULL, *comment = NULL;

  /* It names the positions beside it, so that both can be moved. */
  if (self->points != NULL && !prism_config_set_text (config, "pattern_file", as_text, error))
    return NULL;
  text = prism_config_to_text (config);
  comment = g_strdelimit (g_strdup (self->comment != NULL ? self->comment : ""), "\r\n", ' ');
  all = *comment != '\0' ? g_strdup_printf ("# %s\n\n%s", comment, text) : g_strdup (text);
  if (!prism_file_save (path, all, strlen (all), error))
    return NULL;
  g_strv_builder_add (names, path);
  if (self->points != NULL)
    {
      g_autofree char *table = prism_pattern_points_to_csv (self->points, self->n_points);

      if (!prism_file_save (positions, table, strlen (table), error))
        return NULL;
      g_strv_builder_add (names, positions);
    }
  if (self->picture != NULL)
    {
      if (!prism_npy_save (picture, self->picture, 2, shape, error))
        return NULL;
      g_strv_builder_add (names, picture);
    }
  return g_strv_builder_end (names);
}
