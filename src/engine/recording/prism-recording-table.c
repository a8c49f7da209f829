#include "config.h"

#include "base/prism-each.h"
#include "recording/prism-recording-private.h"
#include "recording/prism-recording.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-pool.h"

typedef struct
{
  const char *name; /* of the file */
  char separator;
  GHashTable *files;        /* (nullable): names of frames, with and without ending → number + 1 */
  int file;                 /* column with the name of the frame, -1: none */
  int where[PRISM_N_NAMES]; /* column of the table, -1: none */
  PrismUnit unit[PRISM_N_NAMES];
  gsize n_frames;
  guint first;           /* number of the first frame, 0 or 1 */
  gboolean is_elevation; /* what is read as theta is above the specimen's plane */
  double *values;        /* [PRISM_N_NAMES][n_frames] */
  gboolean *seen;        /* [n_frames] */
} Table;

PRISM_CLEAR (Table, clear_table, g_free, values, g_free, seen, g_hash_table_unref, files)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, clear_table)

static gboolean G_GNUC_PRINTF (3, 4)
    refuse (GError **error,
            const char *name,
            const char *format,
            ...)
{
  g_autofree char *reason = NULL;
  va_list arguments;

  va_start (arguments, format);
  reason = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return prism_error_format (error, _ ("“%s” cannot be read as a table: %s."), name,
                             reason);
}

static char **
split (const Table *table,
       const char *line)
{
  const char separator[] = { table->separator, '\0' };
  char **cells = g_strsplit (line, separator, 64);

  if (table->separator == ' ')
    {
      guint n = 0;

      /* Columns may have any number of spaces between them. */
      PRISM_FOR_EACH_STRING (one, cells)
        if (**one == '\0')
          g_free (*one);
        else
          cells[n++] = *one;
      cells[n] = NULL;
    }
  PRISM_FOR_EACH_STRING (cell, cells)
    {
      gsize length;

      g_strstrip (*cell);
      length = strlen (*cell);
      if (length >= 2 && **cell == '"' && (*cell)[length - 1] == '"')
        {
          memmove (*cell, *cell + 1, length - 2);
          (*cell)[length - 2] = '\0';
        }
    }
  return cells;
}

/* Whether the first of three numbers counts the lines, from 0 or 1, and the third is no height,
 * which is the same in all. */
static gboolean
is_counted (const Table *table,
            char **lines)
{
  double count = 0, height = 0;
  gboolean differ = FALSE;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) cells = split (table, lines[i]);
      double first, third;

      if (g_strv_length (cells) != 3)
        continue;
      first = g_ascii_strtod (cells[0], NULL);
      third = g_ascii_strtod (cells[2], NULL);
      if (i == 0 ? first != 0 && first != 1 : first != count + 1)
        return FALSE;
      differ = differ || (i > 0 && third != height);
      count = first;
      height = third;
    }
  return differ;
}

/* A table whose first line has numbers, too: x, y, before them the frame and after them the height
 * where there are as many numbers. Returns whether it is one. */
static gboolean
take_numbers (Table *table,
              char **cells,
              char **lines)
{
  const guint n = g_strv_length (cells);

  if (n < 2 || n > 4)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      char *end;

      g_ascii_strtod (cells[i], &end);
      if (end == cells[i] || *end != '\0')
        return FALSE;
    }
  table->where[PRISM_NAME_FRAME] = n == 4 || (n == 3 && is_counted (table, lines)) ? 0 : -1;
  table->where[PRISM_NAME_X] = table->where[PRISM_NAME_FRAME] + 1;
  table->where[PRISM_NAME_Y] = table->where[PRISM_NAME_X] + 1;
  if ((guint) table->where[PRISM_NAME_Y] + 1 < n)
    table->where[PRISM_NAME_Z] = table->where[PRISM_NAME_Y] + 1;
  return TRUE;
}

/* Angles are directions where nothing else gives these; a single one is another column. */
static void
choose_angles (Table *table)
{
  gboolean other = FALSE;

  for (int i = PRISM_NAME_X; i < PRISM_NAME_EXPOSURE; i += 2)
    {
      const gboolean both = table->where[i] >= 0 && table->where[i + 1] >= 0;

      if (i >= PRISM_NAME_THETA && (other || !both))
        table->where[i] = table->where[i + 1] = -1;
      other = other || both;
    }
}

/* Some tables have a row of units below the names: it goes into these, and is empty then. Returns
 * whether it was there. */
static gboolean
take_units (const Table *table,
            char **lines)
{
  g_auto (GStrv) names = split (table, lines[0]), units = NULL;
  guint at = 1, n_units = 0;

  while (lines[at] != NULL && *g_strstrip (lines[at]) == '\0')
    at++;
  units = lines[at] != NULL ? split (table, lines[at]) : NULL;
  if (units == NULL || g_strv_length (units) != g_strv_length (names))
    return FALSE;
  for (guint i = 0; units[i] != NULL; i++)
    {
      const char *text = units[i] + strspn (units[i], "([");
      const gsize length = strcspn (text, ")]");
      char *end;
      PrismUnit unit;

      g_ascii_strtod (text, &end);
      if (end != text && *end == '\0')
        return FALSE;
      if (prism_unit_parse (text, length, &unit))
        {
          g_autofree char *name = names[i];

          names[i] = g_strdup_printf ("%s(%.*s)", name, (int) length, text);
          n_units++;
        }
    }
  if (n_units == 0)
    return FALSE;
  g_free (lines[0]);
  lines[0] = g_strjoinv ((const char[]) { table->separator, '\0' }, names);
  *lines[at] = '\0';
  return TRUE;
}

/* *is_named: whether the line has names and no numbers */
static gboolean
read_header (Table *table,
             char **lines, /* from the first that is not empty on */
             gboolean *is_named,
             GError **error)
{
  g_auto (GStrv) cells = NULL;

  table->separator = strchr (*lines, ';') != NULL    ? ';'
                     : strchr (*lines, '\t') != NULL ? '\t'
                     : strchr (*lines, ',') != NULL  ? ','
                                                     : ' ';
  cells = split (table, *lines);
  for (int i = 0; i < PRISM_N_NAMES; i++)
    table->where[i] = -1;
  table->file = -1;
  *is_named = !take_numbers (table, cells, lines);
  if (*is_named && take_units (table, lines))
    {
      g_strfreev (cells);
      cells = split (table, *lines);
    }
  for (int i = 0; *is_named && cells[i] != NULL; i++)
    {
      PrismUnit unit;
      int name = prism_recording_names_find (cells[i], &unit);

      if (name == PRISM_NAME_ELEVATION)
        {
          table->is_elevation = TRUE;
          name = PRISM_NAME_THETA;
        }
      if (name == (int) PRISM_NAME_FILE && table->files != NULL)
        table->file = i;
      if (name < PRISM_NAME_FRAME || (name == PRISM_NAME_EXPOSURE && table->where[name] >= 0))
        continue;
      if (table->where[name] >= 0)
        return refuse (error, table->name, _ ("“%s” stands twice in its first line"), cells[i]);
      table->where[name] = i;
      table->unit[name] = unit;
    }
  choose_angles (table);
  for (int i = PRISM_NAME_X; i < PRISM_NAME_EXPOSURE; i += 2)
    if ((table->where[i] < 0) != (table->where[i + 1] < 0))
      return refuse (error, table->name, _ ("one of x and y is missing in its first line"));
  for (int i = PRISM_NAME_X; i < PRISM_NAME_EXPOSURE; i += 2)
    if (table->where[i] >= 0)
      return TRUE;
  return refuse (error, table->name,
                 _ ("its first line should name the columns, frame and x, y in m or x_mm, y_mm"
                    " or na_x, na_y, or kx, ky, or theta, phi, or theta_x, theta_y, or"
                    " led_column, led_row"));
}

static gboolean
read_number (const Table *table,
             char *cell,
             double *number)
{
  char *end;

  /* Spreadsheets of half the world. */
  if (table->separator != ',')
    g_strdelimit (cell, ",", '.');
  *number = g_ascii_strtod (cell, &end);
  return end != cell && *end == '\0' && !isinf (*number);
}

/* The frame of a name, with a folder before it or not. */
static gboolean
find_file (const Table *table,
           const char *cell,
           double *frame)
{
  const char *slash = strrchr (cell, strchr (cell, '/') != NULL ? '/' : '\\');
  guint found;
  const gboolean there
      = prism_frame_names_find (table->files, slash != NULL ? slash + 1 : cell, &found);

  *frame = found;
  return there;
}

/* The frame that a line is for. */
static gboolean
read_frame (const Table *table,
            char **cells,
            guint line_number,
            double *frame,
            GError **error)
{
  const int at = table->file >= 0 ? table->file : table->where[PRISM_NAME_FRAME];
  const gboolean there = at >= 0 && at < (int) g_strv_length (cells);

  if (at < 0 || (there && table->files != NULL && find_file (table, cells[at], frame)))
    return TRUE;
  if (table->file >= 0)
    return refuse (error, table->name, _ ("line %u names “%s”, which is none of the frames"),
                   line_number, there ? cells[at] : "");
  if (!there || !read_number (table, cells[at], frame) || *frame < 0
      || *frame > table->n_frames || *frame != floor (*frame))
    return refuse (error, table->name, _ ("line %u names no frame from 0 to %u"), line_number,
                   (guint) table->n_frames - 1);
  *frame -= table->first;
  return *frame >= 0
         || refuse (error, table->name, _ ("line %u is for frame 0, but they are counted from 1"),
                    line_number);
}

static gboolean
read_row (Table *table,
          const char *line,
          guint line_number,
          gsize row,
          GError **error)
{
  g_auto (GStrv) cells = split (table, line);
  int n_cells = (int) g_strv_length (cells);
  double frame = row, number;
  gboolean is_there;

  if (!read_frame (table, cells, line_number, &frame, error))
    return FALSE;
  if (frame >= table->n_frames)
    return refuse (error, table->name,
                   _ ("line %u is for frame %.0f, but there are %u frames, counted from 0"),
                   line_number, frame, (guint) table->n_frames);
  if (table->seen[(gsize) frame])
    return refuse (error, table->name, _ ("line %u is for frame %.0f, which it has already"),
                   line_number, frame);
  table->seen[(gsize) frame] = TRUE;
  for (int i = PRISM_NAME_FRAME + 1; i < PRISM_N_NAMES; i++)
    {
      if (table->where[i] < 0)
        continue;
      is_there = table->where[i] < n_cells && read_number (table, cells[table->where[i]], &number);
      if (!is_there && i != PRISM_NAME_EXPOSURE)
        return refuse (error, table->name, _ ("line %u has no finite number in column %d"),
                       line_number, table->where[i] + 1);
      /* In m what is a length; others are in the unit that they are. */
      if (table->unit[i].kind == PRISM_UNIT_LENGTH && i >= PRISM_NAME_Z && i <= PRISM_NAME_Y)
        number *= table->unit[i].size;
      table->values[(gsize) i * table->n_frames + (gsize) frame] = is_there ? number : NAN;
    }
  return TRUE;
}

static gboolean
read_rows (Table *table,
           char **lines,
           guint first,
           GError **error)
{
  gsize n = 0, missing = 0;

  memset (table->seen, 0, table->n_frames * sizeof *table->seen);
  for (guint i = first; lines[i] != NULL; i++)
    {
      g_strstrip (lines[i]);
      if (*lines[i] == '\0' || *lines[i] == '#')
        continue;
      if (!read_row (table, lines[i], i + 1, n, error))
        return FALSE;
      n++;
    }
  if (n == table->n_frames)
    return TRUE;
  while (table->where[PRISM_NAME_FRAME] >= 0 && missing < table->n_frames && table->seen[missing])
    missing++;
  if (table->where[PRISM_NAME_FRAME] >= 0)
    return refuse (error, table->name, _ ("it has %u rows for %u frames, and none for frame %u"),
                   (guint) n, (guint) table->n_frames, (guint) missing + table->first);
  return refuse (error, table->name, _ ("it has %u rows for %u frames"), (guint) n,
                 (guint) table->n_frames);
}

/* Frames are counted from 0, or else from 1. */
static gboolean
read_numbered (Table *table,
               char **lines,
               guint first,
               GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (read_rows (table, lines, first, &reason))
    return TRUE;
  table->first = 1;
  if (table->where[PRISM_NAME_FRAME] >= 0 && read_rows (table, lines, first, NULL))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

static gboolean
read_table (Table *table,
            GBytes *bytes,
            GError **error)
{
  g_autofree char *text = prism_recording_columns_decode (bytes);
  g_auto (GStrv) lines = NULL;
  guint first = 0;
  gboolean is_named;

  if (text == NULL)
    return refuse (error, table->name, _ ("it is no text; save it as CSV"));
  lines = g_strsplit (text, strchr (text, '\n') != NULL ? "\n" : "\r", -1);
  while (lines[first] != NULL && (*g_strstrip (lines[first]) == '\0' || *lines[first] == '#'))
    first++;
  if (lines[first] == NULL)
    return refuse (error, table->name, _ ("it is empty"));
  return read_header (table, lines + first, &is_named, error)
         && read_numbered (table, lines, is_named ? first + 1 : first, error);
}

/* [N][2] of two columns of the table, times scale. */
static double *
dup_pairs (const Table *table,
           int column,
           double scale)
{
  double *pairs = g_new (double, 2 * table->n_frames);

  for (gsize j = 0; j < table->n_frames; j++)
    for (gsize k = 0; k < 2; k++)
      pairs[2 * j + k] = scale * table->values[(column + k) * table->n_frames + j];
  return pairs;
}

/* Places of the LEDs, in m or as columns and rows of their array. */
static void
apply_places (PrismRecording *self,
              const Table *table)
{
  const gsize n = table->n_frames;

  if (table->where[PRISM_NAME_X] >= 0)
    {
      g_free (self->positions);
      self->positions = dup_pairs (table, PRISM_NAME_X, 1);
    }
  else if (table->where[PRISM_NAME_COLUMN] >= 0 && table->where[PRISM_NAME_NA_X] < 0
           && table->where[PRISM_NAME_BOX_X] < 0)
    {
      g_autofree double *index = dup_pairs (table, PRISM_NAME_COLUMN, 1);

      prism_recording_pairs_set_index (self, index);
    }
  if (table->where[PRISM_NAME_X] >= 0 && table->where[PRISM_NAME_Z] >= 0)
    prism_recording_pairs_set_depth (self, table->values + PRISM_NAME_Z * n, 1);
}

/* Wave vectors, in a unit that the light of the frames tells. */
static double *
dup_waves (PrismRecording *self,
           const Table *table)
{
  const PrismUnit *unit = &table->unit[PRISM_NAME_WAVE_X];

  g_clear_pointer (&self->directions, g_free);
  self->directions = dup_pairs (table, PRISM_NAME_WAVE_X, -1);
  self->directions_given = self->directions_raw = TRUE;
  self->wave_unit = unit->kind == PRISM_UNIT_WAVE ? unit->size : 0;
  prism_recording_units_correct_positions (self);
  return g_steal_pointer (&self->directions);
}

/* Direction cosines of angles: from the axis and around it, or two that the light has against the
 * axis as seen along y and along x. Where no name has their unit, larger ones than a turn, or than
 * a quarter of one from the axis, has in rad are degrees. */
static void
take_angles (PrismRecording *self,
             Table *table)
{
  const gsize n = table->n_frames;
  const gboolean around = table->where[PRISM_NAME_THETA] >= 0;
  const int at = around ? PRISM_NAME_THETA : PRISM_NAME_TILT_X;
  const double *first = table->values + at * n, *second = first + n;
  double *x = table->values + PRISM_NAME_NA_X * n, *y = table->values + PRISM_NAME_NA_Y * n;
  double units[2], from_axis = G_PI, from_plane = G_PI;
  gboolean large = FALSE, is_above;

  for (gsize j = 0; j < n; j++)
    large = large || fabs (first[j]) > G_PI / 2 + 1e-3
            || fabs (second[j]) > (around ? 2 * G_PI : G_PI / 2) + 1e-3;
  for (int k = 0; k < 2; k++)
    {
      const PrismUnit *own = &table->unit[at + k], *other = &table->unit[at + 1 - k];
      const PrismUnit *said = own->kind == PRISM_UNIT_ANGLE ? own : other;

      units[k] = (said->kind == PRISM_UNIT_ANGLE ? said->size * G_PI : large ? G_PI
                                                                             : 180)
                 / 180;
    }
  /* Elevations are above the plane, unless some LED is nearer to the axis as if they were not. */
  for (gsize j = 0; j < n; j++)
    {
      from_axis = MIN (from_axis, fabs (units[0] * first[j]));
      from_plane = MIN (from_plane, fabs (G_PI / 2 - units[0] * first[j]));
    }
  is_above = table->is_elevation && around && from_plane <= from_axis;
  for (gsize j = 0; j < n; j++)
    {
      const double angle = units[0] * first[j], b = units[1] * second[j];
      const double a = is_above ? G_PI / 2 - angle : angle;
      const double length = sqrt (1 + tan (a) * tan (a) + tan (b) * tan (b));

      x[j] = around ? sin (a) * cos (b) : tan (a) / length;
      y[j] = around ? sin (a) * sin (b) : tan (b) / length;
    }
  table->where[PRISM_NAME_NA_X] = table->where[at];
  table->where[PRISM_NAME_NA_Y] = table->where[at + 1];
  prism_recording_note (
      self,
      is_above ? _ ("Directions are angles in %s: elevation above the specimen's plane, azimuth"
                    " around the axis, from the columns' way to the rows'.")
      : around ? _ ("Directions are angles in %s: theta from the axis, phi around it, from the"
                    " columns' way to the rows'.")
               : _ ("Directions are angles in %s against the axis, towards the columns and towards"
                    " the rows."),
      units[0] != 1 ? _ ("degrees") : _ ("radians"));
}

/* The sign of na_x, na_y is that of the light; the box of a frame lies opposite. */
static void
apply_table (PrismRecording *self,
             Table *table)
{
  double side = MAX (self->height, self->width);
  double pixel = self->wavelength / (self->pixel_size * side);
  g_autofree double *cosines = NULL;
  g_autofree double *boxes = NULL;
  g_autofree double *earlier = g_steal_pointer (&self->directions);
  gboolean raw = FALSE;

  if (table->where[PRISM_NAME_THETA] >= 0 || table->where[PRISM_NAME_TILT_X] >= 0)
    take_angles (self, table);
  if (table->where[PRISM_NAME_NA_X] >= 0)
    cosines = dup_pairs (table, PRISM_NAME_NA_X, -1);
  else if (table->where[PRISM_NAME_WAVE_X] >= 0)
    {
      cosines = dup_waves (self, table);
      raw = self->directions_raw;
    }
  if (table->where[PRISM_NAME_BOX_X] >= 0 && pixel > 0)
    boxes = dup_pairs (table, PRISM_NAME_BOX_X, pixel);
  apply_places (self, table);
  self->directions_given = FALSE;
  if (cosines == NULL && boxes == NULL)
    prism_recording_units_correct_positions (self);
  prism_recording_update (self);
  if (self->directions != NULL && table->where[PRISM_NAME_X] >= 0
      && (cosines != NULL || boxes != NULL))
    prism_recording_pairs_compare (
        self, cosines != NULL ? cosines : boxes, self->directions,
        cosines != NULL ? "na_x, na_y" : "fourier_column_px, fourier_row_px",
        "the positions x, y of the table");
  if (cosines != NULL && boxes != NULL)
    prism_recording_pairs_compare (self, cosines, boxes, "na_x, na_y",
                                   "fourier_column_px, fourier_row_px");
  if (cosines != NULL || boxes != NULL)
    {
      g_free (self->directions);
      self->directions = cosines != NULL ? g_steal_pointer (&cosines) : g_steal_pointer (&boxes);
      self->directions_given = TRUE;
    }
  self->directions_raw = raw;
  if (earlier != NULL && self->directions != NULL && !raw)
    prism_recording_pairs_compare (self, self->directions, earlier, "The directions of the table",
                                   "those of the file of the frames");
}

/**
 * prism_recording_rows_load:
 * @path: file name of a table, as for prism_recording_load_positions()
 *
 * Cuts a table into lines, of which another one can be made that has some of them, and takes the
 * names of the frames' files where a column has them.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the rows
 */
PrismRecordingRows *
prism_recording_rows_load (const char *path,
                           GError **error)
{
  g_autoptr (GBytes) bytes = prism_recording_columns_load (path, 0, error);
  g_autofree char *text = bytes != NULL ? prism_recording_columns_decode (bytes) : NULL;
  g_autoptr (PrismRecordingRows) self = g_new0 (PrismRecordingRows, 1);
  g_auto (Table) table = { .name = path, .files = g_hash_table_new (NULL, NULL) };
  guint n = 0;
  gboolean is_named;

  if (bytes == NULL)
    return NULL;
  self->lines = g_strsplit_set (text != NULL ? text : "", "\r\n", -1);
  for (guint i = 0; self->lines[i] != NULL; i++)
    if (*g_strstrip (self->lines[i]) == '\0' || *self->lines[i] == '#')
      g_free (self->lines[i]);
    else
      self->lines[n++] = self->lines[i];
  self->lines[n] = NULL;
  if (n == 0)
    return refuse (error, path, _ ("it is empty or no text")), NULL;
  if (!read_header (&table, self->lines, &is_named, error))
    return NULL;
  /* That of units. */
  if (n > 1 && *self->lines[1] == '\0')
    {
      g_free (self->lines[1]);
      memmove (self->lines + 1, self->lines + 2, (gsize) --n * sizeof *self->lines);
    }
  if (!is_named || n == 1)
    return refuse (error, path, _ ("frames that arrive need a first line that names the"
                                   " columns, and a row for each frame")),
           NULL;
  self->n = n - 1;
  self->separator = table.separator;
  self->files = g_new0 (char *, n);
  for (guint i = 0; self->files != NULL && i < self->n; i++)
    {
      g_auto (GStrv) cells = split (&table, self->lines[i + 1]);
      const int at = table.file >= 0 ? table.file : table.where[PRISM_NAME_FRAME];
      const char *cell = at >= 0 && at < (int) g_strv_length (cells) ? cells[at] : "";
      char *end = (char *) cell;

      /* Without a column of files a number is no name. */
      if (table.file < 0)
        g_ascii_strtod (cell, &end);
      if (table.file >= 0 || (*cell != '\0' && (end == cell || *end != '\0')))
        self->files[i] = g_path_get_basename (cell);
      else
        g_clear_pointer (&self->files, g_strfreev);
    }
  return g_steal_pointer (&self);
}

/**
 * prism_recording_load_positions:
 * @path: file name of a table: CSV in UTF-8, UTF-16 or Windows' letters, or a file with arrays
 *
 * Reads where the light of each frame came from. The first line names the columns: frame (from 0
 * or 1), and x, y in m or x_mm, y_mm for positions of LEDs, z for their distance, or na_x, na_y
 * for direction cosines of the light, to which the box of a frame lies opposite, kx, ky for wave
 * vectors in a unit that the light of the frames tells, theta, phi or theta_x, theta_y for angles,
 * fourier_column_px, fourier_row_px for the centre of the box itself, in pixels, or led_column,
 * led_row for places in an array of LEDs; file names the frames that are files of their own. Other
 * columns are left alone. Where there are several, directions go before boxes and boxes before
 * positions, and what disagrees is noted. Without a first line of names there are x, y.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT; nothing has changed then.
 *
 * Returns: whether it was read
 */
gboolean
prism_recording_load_positions (PrismRecording *self,
                                const char *path,
                                GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  g_autoptr (GBytes) bytes = prism_recording_columns_load (path, self->n_frames, error);

  return bytes != NULL && prism_recording_parse_positions (self, bytes, name, error);
}

/* A table for the frames of a recording, which stays as it is. */
static gboolean
load_table (Table *table,
            const PrismRecording *self,
            GBytes *bytes,
            const char *name,
            GError **error)
{
  *table = (Table) { .name = name, .n_frames = self->n_frames };
  table->values = g_new0 (double, PRISM_N_NAMES * table->n_frames);
  table->seen = g_new0 (gboolean, table->n_frames);
  if (self->labels != NULL)
    table->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint j = 0; self->labels != NULL && self->labels[j] != NULL; j++)
    prism_frame_names_add (table->files, self->labels[j], j);
  return read_table (table, bytes, error);
}

/* Frames that the table gives no number, “nan”, for a place. Returns whether enough have one; what
 * an earlier table has left out stays so otherwise */
static gboolean
take_missing (PrismRecording *self,
              Table *table,
              GError **error)
{
  g_autofree guint8 *before = g_steal_pointer (&self->unplaced);

  for (int i = PRISM_NAME_FRAME + 1; i < PRISM_NAME_EXPOSURE; i++)
    if (table->where[i] >= 0)
      prism_recording_fill_places (self, table->values + (gsize) i * table->n_frames, 1);
  if (prism_recording_check_places (self, table->name, error))
    return TRUE;
  g_free (self->unplaced);
  self->unplaced = g_steal_pointer (&before);
  return FALSE;
}

/**
 * prism_recording_parse_positions:
 * @bytes: what stands in the table
 * @name: what to call it in a message
 *
 * prism_recording_load_positions() of a table in memory.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_CANCELLED.
 *
 * Returns: whether it was read
 */
gboolean
prism_recording_parse_positions (PrismRecording *self,
                                 GBytes *bytes,
                                 const char *name,
                                 GError **error)
{
  g_auto (Table) table = { 0 };

  if (!load_table (&table, self, bytes, name, error) || !take_missing (self, &table, error))
    return FALSE;
  if (table.first > 0)
    prism_recording_note (self, _ ("“%s” counts the frames from 1."), name);
  if (table.where[PRISM_NAME_EXPOSURE] >= 0 && self->frames != NULL)
    prism_recording_exposure_divide (self, table.values + PRISM_NAME_EXPOSURE * self->n_frames,
                                     name);
  prism_recording_circles_undo (self);
  apply_table (self, &table);
  prism_recording_note (self,
                        self->directions_given ? _ ("“%s” has the directions of the %u frames.")
                                               : _ ("“%s” has the positions of the %u frames."),
                        name, self->n_frames);
  if (self->frames != NULL)
    prism_recording_quality_leave_out (self);
  prism_recording_geometry_correct (self, TRUE);
  prism_recording_check_light (self);
  return prism_parallel_go_on (error);
}

/* Whether a file is a table that the light of the frames does not contradict, which says nothing of
 * frames that are yet to be divided by their exposures. */
static gboolean
fits (const PrismRecording *self,
      const char *path,
      GError **error)
{
  g_autoptr (GBytes) bytes = prism_recording_columns_load (path, self->n_frames, error);
  g_autoptr (PrismRecording) trial = prism_recording_new_like (self);
  g_autofree char *name = prism_file_dup_display_name (path);
  g_auto (Table) table = { 0 };
  gboolean good;

  if (bytes == NULL || !load_table (&table, self, bytes, name, error)
      || !take_missing (trial, &table, error))
    return FALSE;
  trial->frames = self->frames;
  apply_table (trial, &table);
  good = prism_recording_find_unsaid (trial) != 0 || prism_recording_check (trial, error);
  if (good && trial->directions != NULL && table.where[PRISM_NAME_EXPOSURE] < 0)
    {
      prism_recording_geometry_correct (trial, TRUE);
      g_ptr_array_set_size (trial->notes, 0);
      prism_recording_check_light (trial);
      good = trial->notes->len == 0
             || prism_error_format (error, "%s",
                                    (const char *) g_ptr_array_index (trial->notes, 0));
    }
  trial->frames = NULL;
  return good;
}

/**
 * prism_recording_take_tables:
 * @paths: (element-type utf8): of files beside the frames, for which nobody has asked
 *
 * Takes the only one that is a table of these frames, and says of each other why it is not used.
 */
void
prism_recording_take_tables (PrismRecording *self,
                             const GPtrArray *paths)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  g_autoptr (GString) names = g_string_new (NULL);

  PRISM_FOR_EACH_POINTER (const char, path, paths)
    {
      g_autoptr (GError) reason = NULL;
      g_autofree char *name = g_path_get_basename (path);

      if (!fits (self, path, &reason))
        {
          prism_recording_note (self, _ ("“%s” beside the frames is not used: %s"), name,
                                reason->message);
          continue;
        }
      g_string_append_printf (names, "%s%s", found->len > 0 ? "”, “" : "", name);
      g_ptr_array_add (found, (gpointer) path);
    }
  if (found->len == 1)
    prism_recording_load_positions (self, g_ptr_array_index (found, 0), NULL);
  else if (found->len > 1)
    prism_recording_note (self, _ ("“%s” all fit the frames, and none is used: leave one, or choose"
                                   " one as the table of the LEDs."),
                          names->str);
}
