#include "../support/hdf5-file.h"
#include "../support/recording-grid.h"
#include "../support/recording-notes.h"
#include "../support/tiff-stack.h"
#include "../support/test-remove-tree.h"
#include "base/prism-each.h"
#include "base/prism-system.h"
#include "formats/prism-npy.h"
#include "formats/prism-hdf5.h"

#include <matio.h>

/* One recording in the wrappings that programs write. */
FOLDER_FIXTURE ("frames")

/* [N][S][S]: whole numbers, brighter at the upper left */
static void
make_frames (double *values)
{
  for (gsize j = 0; j < N; j++)
    for (gsize i = 0; i < S * S; i++)
      values[j * S * S + i] = (hypot (get_direction (j, 0), get_direction (j, 1)) < NA ? 2000 : 20)
                              + (i < S ? 10.0 : 0) + (double) (i % 7 + j);
}

static PrismRecording *
load (const Fixture *fixture)
{
  return MUST (prism_recording_load (fixture->path, NULL, &error));
}

/* What the file has by now. */
static PrismRecording *
close_and_load (const Fixture *fixture, Hdf5File *file)
{
  hdf5_file_close (file);
  return load (fixture);
}

static void
check_frames (const PrismRecording *recording)
{
  double values[N * S * S];

  make_frames (values);
  g_assert_cmpuint (recording->n_frames, ==, N);
  g_assert_cmpuint (recording->width, ==, S);
  g_assert_cmpuint (recording->height, ==, S);
  for (gsize i = 0; i < N * S * S; i++)
    g_assert_cmpfloat (recording->frames[i], ==, (float) values[i]);
}

static void
check_all (const PrismRecording *recording)
{
  check_directions (recording,
                    recording->directions != NULL && recording->directions[0] > 0 ? -1 : 1);
  check_frames (recording);
}

static void
add_frames (Hdf5File *file, const char *name)
{
  double values[N * S * S];

  make_frames (values);
  hdf5_file_add (file, name, 3, (hsize_t[]) { N, S, S }, values);
}

static void
add_places (Hdf5File *file, const char *name, double unit)
{
  double values[2 * N];

  for (gsize i = 0; i < 2 * N; i++)
    values[i] = get_place (i / 2, i % 2) / unit;
  hdf5_file_add (file, name, 2, (hsize_t[]) { N, 2 }, values);
}

/* Numbers in units that stand beside them. */
TEST_FIXTURE (units, "/recording-kinds/units")
{
  static const struct
  {
    const char *names[4]; /* of the units of wavelength, pixel, distance and positions */
    double values[4];     /* m; of the wavelength what the number is */
  } cases[] = {
    { { "um", "mm", "m", "mm" }, { 0.63, 1e-3, 1, 1e-3 } },
    { { "angstrom", "nm", "cm", "cm" }, { 6300, 1e-9, 1e-2, 1e-2 } },
    { { "Å", "µm", "mm", "micron" }, { 6300, 1e-6, 1e-3, 1e-6 } },
    { { "eV", "microns", "Millimeters", "nm" }, { 1.968003149733337, 1e-6, 1e-3, 1e-9 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Hdf5File file = hdf5_file_create (self->path);

      add_frames (&file, "frames");
      hdf5_file_text (&file, "frames", "units", "counts");
      add_places (&file, "led_positions", cases[i].values[3]);
      HDF5_FILE_SCALARS (&file, { "wavelength", cases[i].values[0] },
                         { "pixel_size", PIXEL / cases[i].values[1] },
                         { "instrument/led_distance", DISTANCE / cases[i].values[2] },
                         { "NA", NA });
      hdf5_file_text (&file, "wavelength", "units", cases[i].names[0]);
      hdf5_file_text (&file, "pixel_size", "units", cases[i].names[1]);
      hdf5_file_text (&file, "instrument/led_distance", "unit", cases[i].names[2]);
      hdf5_file_text (&file, "led_positions", "units", cases[i].names[3]);
      g_autoptr (PrismRecording) recording = close_and_load (self, &file);
      check_all (recording);
    }
}

/* Texts with their units, as attributes of the file and of the frames. */
TEST_FIXTURE (texts, "/recording-kinds/texts")
{
  Hdf5File file = hdf5_file_create (self->path);

  add_frames (&file, "images");
  add_places (&file, "led_xy_mm", 1e-3);
  hdf5_file_attribute (&file, "NA", NA);
  hdf5_file_text (&file, "", "wavelength", "630 nm");
  hdf5_file_text (&file, "", "comment", "9 mm of oil");
  hdf5_file_text (&file, "images", "pixel_size", "1.8µm");
  hdf5_file_text (&file, "images", "z_led", "8 cm");
  g_autoptr (PrismRecording) recording = close_and_load (self, &file);
  check_all (recording);
}

/* A unit that nobody knows is told. */
TEST_FIXTURE (unknown_unit, "/recording-kinds/unknown-unit")
{
  Hdf5File file = hdf5_file_create (self->path);

  add_frames (&file, "images");
  hdf5_file_scalar (&file, "zled", DISTANCE);
  hdf5_file_text (&file, "zled", "units", "furlong");
  g_autoptr (PrismRecording) recording = close_and_load (self, &file);
  g_assert_true (recording_has_note (recording, "“furlong”"));
}

/* Frames of known light, whose directions a table says. */
static PrismRecording *
load_plain (const Fixture *fixture)
{
  static const char *const known[][2] = { { "wavelength", "6300 Å" },
                                          { "pixel_size", "1.8um" },
                                          { "na", "0.1" },
                                          { "distance", "8 cm" },
                                          { "pitch", "4mm" } };
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();
  Hdf5File file = hdf5_file_create (fixture->path);

  add_frames (&file, "frames");
  hdf5_file_close (&file);
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    prism_recipe_set (recipe, known[i][0], known[i][1], NULL);
  return MUST (prism_recording_load (fixture->path, recipe, &error));
}

/* Writes rows of two numbers of each frame, times scale, and reads them as the table's. */
static void
check_table (const Fixture *fixture,
             const char *coding,
             const char *heading,
             double (*get) (gsize j, gsize axis),
             double scale)
{
  g_autofree char *path = g_build_filename (fixture->directory, "leds.csv", NULL);
  g_autoptr (PrismRecording) recording = load_plain (fixture);
  g_autoptr (GString) text = g_string_new (heading);
  g_autofree char *bytes = NULL;
  gsize n;

  for (gsize j = 0; j < N; j++)
    g_string_append_printf (text, "\r\n%.12f;%.12f", scale * get (j, 0), scale * get (j, 1));
  bytes = MUST (g_convert (text->str, (gssize) text->len, coding, "UTF-8", NULL, &n, &error));
  g_assert_true (g_file_set_contents (path, bytes, (gssize) n, NULL));
  MUST (prism_recording_load_positions (recording, path, &error));
  check_all (recording);
}

static double
get_index (gsize j, gsize axis)
{
  return get_place (j, axis) / PITCH;
}

/* rad: above the specimen's plane, and around the axis. */
static double
get_elevation (gsize j, gsize axis)
{
  const double x = get_direction (j, 0), y = get_direction (j, 1);

  return axis == 0 ? acos (hypot (x, y)) : atan2 (y, x);
}

TEST_FIXTURE (tables, "/recording-kinds/tables")
{
  check_table (self, "CP1252", "x (µm);y (µm)", get_place, 1e6);
  check_table (self, "UTF-16", "x (µm);y (µm)", get_place, 1e6);
  check_table (self, "UTF-16LE", "x [Å];y [Å]", get_place, 1e10);
  check_table (self, "UTF-16BE", "x/cm;y/cm", get_place, 1e2);
  check_table (self, "UTF-8", "kx (1/um);ky (1/um)", get_direction, 1e-6 / WAVELENGTH);
  check_table (self, "UTF-8", "kx (rad/nm);ky (rad/nm)", get_direction,
               2 * G_PI * 1e-9 / WAVELENGTH);
  check_table (self, "UTF-8", "kx_rad_um;ky_rad_um", get_direction, 2 * G_PI * 1e-6 / WAVELENGTH);
  check_table (self, "UTF-8", "kx_1/um;ky_1/um", get_direction, 1e-6 / WAVELENGTH);
  check_table (self, "UTF-8", "kx_per_um;ky_inv_um", get_direction, 1e-6 / WAVELENGTH);
  check_table (self, "UTF-8", "kx rad per mm;ky rad/mm", get_direction,
               2 * G_PI * 1e-3 / WAVELENGTH);
  check_table (self, "UTF-8", "x;y\r\nmm;[mm]", get_place, 1e3);
  check_table (self, "UTF-8", "kx;ky\r\n(rad/um);rad/um", get_direction,
               2 * G_PI * 1e-6 / WAVELENGTH);
  check_table (self, "UTF-8", "elevation_deg;azimuth_deg", get_elevation, 180 / G_PI);
  check_table (self, "UTF-8", "elevation;azimuth\r\nrad;rad", get_elevation, 1);
  check_table (self, "UTF-8", "led_column;led_row", get_index, 1);
}

/* Columns that end beyond the axis on one side: the axis is at 0 all the same. */
TEST_FIXTURE (signed, "/recording-kinds/signed")
{
  g_autoptr (PrismRecording) recording = load_plain (self);
  g_autoptr (GString) text = g_string_new ("led_column,led_row\n");

  for (gsize j = 0; j < N; j++)
    g_string_append_printf (text, "%d,%d\n", (int) (j % SIDE) - 1, (int) (j / SIDE) - 2);
  g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
  MUST (prism_recording_parse_positions (recording, bytes, "leds.csv", &error));
  g_assert_cmpfloat_with_epsilon (recording->positions[0], -PITCH, 1e-12);
  g_assert_cmpfloat_with_epsilon (recording->positions[1], -2 * PITCH, 1e-12);
  g_assert_true (recording_has_note (recording, "counted from the axis"));
}

/* Tables that are arrays of NumPy, or of JSON and YAML by their names. */
TEST_FIXTURE (arrays, "/recording-kinds/arrays")
{
  g_autofree char *npy = g_build_filename (self->directory, "leds.npy", NULL);
  g_autofree char *json = g_build_filename (self->directory, "leds.json", NULL);
  g_autofree char *yaml = g_build_filename (self->directory, "leds.yaml", NULL);
  g_autofree char *list = g_build_filename (self->directory, "list.yml", NULL);
  const char *const paths[] = { npy, json, yaml, list };
  g_autoptr (GString) text = g_string_new ("{\"leds\": [");
  g_autoptr (GString) rows = g_string_new ("pitch: ~\nleds:\n");
  g_autoptr (GString) pairs = g_string_new (NULL);
  float values[2 * N];

  for (gsize i = 0; i < 2 * N; i++)
    values[i] = (float) get_place (i / 2, i % 2);
  g_assert_true (prism_npy_save (npy, values, 2, (gsize[]) { N, 2 }, NULL));
  for (gsize j = 0; j < N; j++)
    {
      g_string_append_printf (rows, "- x_mm: %.12f\n  y_mm: %.12f\n", 1e3 * get_place (j, 0),
                              1e3 * get_place (j, 1));
      g_string_append_printf (pairs, "- [%.12f, %.12f]\n", get_place (j, 0), get_place (j, 1));
    }
  g_assert_true (g_file_set_contents (yaml, rows->str, -1, NULL));
  g_assert_true (g_file_set_contents (list, pairs->str, -1, NULL));
  for (gsize j = 0; j < N; j++)
    g_string_append_printf (text, "%s{\"place_mm\": {\"x_mm\": %.12f, \"y_mm\": %.12f}}",
                            j > 0 ? "," : "", 1e3 * get_place (j, 0), 1e3 * get_place (j, 1));
  g_string_append (text, "]}");
  g_assert_true (g_file_set_contents (json, text->str, -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (PrismRecording) recording = load_plain (self);

      MUST (prism_recording_load_positions (recording, paths[i], &error));
      check_all (recording);
    }
  /* As rows lie or as columns do, there are too few. */
  for (gsize i = 0; i < 2; i++)
    {
      const gsize shape[] = { i == 0 ? N - 2 : 2, i == 0 ? 2 : N - 2 };
      g_autoptr (PrismRecording) recording = load_plain (self);

      g_assert_true (prism_npy_save (npy, values, 2, shape, NULL));
      FAILS (prism_recording_load_positions (recording, npy, &error), FORMAT,
             "it has 23 rows for 25 frames");
    }
}

/* Rows go to the frames whose files they name. */
TEST_FIXTURE (files, "/recording-kinds/files")
{
  static const char *const headings[] = { "file,x_mm,y_mm", "image;x_mm;y_mm" };

  for (gsize i = 0; i < G_N_ELEMENTS (headings); i++)
    {
      g_autoptr (PrismRecording) recording = load_plain (self);
      g_autoptr (GString) text = g_string_new (headings[i]);
      const char mark = strchr (headings[i], ';') != NULL ? ';' : ',';

      recording->labels = g_new0 (char *, N + 1);
      for (gsize j = 0; j < N; j++)
        recording->labels[j] = g_strdup_printf ("im_%02u.tif", (guint) j);
      for (gsize j = N; j-- > 0;)
        g_string_append_printf (text, "\n%s%s%c%g%c%g", i == 0 ? "D:\\data\\" : "",
                                recording->labels[j], mark, 1e3 * get_place (j, 0), mark,
                                1e3 * get_place (j, 1));
      g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
      MUST (prism_recording_parse_positions (recording, bytes, "leds.csv", &error));
      check_all (recording);
      g_string_replace (text, "im_24", "im_25", 0);
      g_clear_pointer (&bytes, g_bytes_unref);
      bytes = g_bytes_new (text->str, text->len);
      FAILS (prism_recording_parse_positions (recording, bytes, "leds.csv", &error), FORMAT, "");
    }
}

static void
add_numbers (Hdf5File *file)
{
  HDF5_FILE_SCALARS (file, { "wavelength", WAVELENGTH }, { "pixel_size", PIXEL }, { "NA", NA },
                     { "zled", DISTANCE });
}

/* A dataset for each frame, in the order of their numbers, with places beside them or in their
 * names. */
TEST_FIXTURE (stack, "/recording-kinds/stack")
{
  static const char *const notes[]
      = { "“run #/frame_#/image” is taken for the frames", "“f#_x#_y#” is taken for the frames" };
  double values[N * S * S];

  make_frames (values);
  for (int named = 0; named < 2; named++)
    {
      Hdf5File file = hdf5_file_create (self->path);

      for (int j = 0; j < N; j++)
        {
          g_autofree char *name = named ? g_strdup_printf ("f%d_x%+d_y%+d", j + 1,
                                                           j % SIDE - SIDE / 2, j / SIDE - SIDE / 2)
                                        : g_strdup_printf ("run 1/frame_%d/image", j + 1);

          hdf5_file_add (&file, name, 2, (hsize_t[]) { S, S }, values + j * S * S);
        }
      add_numbers (&file);
      if (named)
        hdf5_file_scalar (&file, "pitch", PITCH);
      else
        add_places (&file, "led_positions", 1);
      g_autoptr (PrismRecording) recording = close_and_load (self, &file);
      check_all (recording);
      g_assert_true (recording_has_note (recording, notes[named]));
    }
}

/* PtyPy's pieces are one array, in the order of their numbers, and so are places, y first. */
TEST_FIXTURE (chunks, "/recording-kinds/chunks")
{
  Hdf5File file = hdf5_file_create (self->path);
  double values[N * S * S], places[2 * N];

  make_frames (values);
  for (gsize i = 0; i < 2 * N; i++)
    places[i] = get_place (i / 2, 1 - i % 2);
  for (hsize_t j = 0; j < N / 2; j++)
    {
      const hsize_t n = j == N / 2 - 1 ? 3 : 2;
      g_autofree char *data = g_strdup_printf ("chunks/%u/data", (guint) j);
      g_autofree char *positions = g_strdup_printf ("chunks/%u/positions", (guint) j);

      hdf5_file_add (&file, data, 3, (hsize_t[]) { n, S, S }, values + 2 * j * S * S);
      hdf5_file_add (&file, positions, 2, (hsize_t[]) { n, 2 }, places + 4 * j);
    }
  add_numbers (&file);
  g_autoptr (PrismRecording) recording = close_and_load (self, &file);
  check_all (recording);
  g_assert_true (recording_has_note (recording, "“chunks/#/positions” has the positions"));
}

/* Frames that were never written are told. */
TEST_FIXTURE (empty, "/recording-kinds/empty")
{
  Hdf5File file = hdf5_file_create (self->path);
  double values[N * S * S];

  make_frames (values);
  memset (values + (N - 2) * S * S, 0, 2 * S * S * sizeof *values);
  hdf5_file_add (&file, "frames", 3, (hsize_t[]) { N, S, S }, values);
  g_autoptr (PrismRecording) recording = close_and_load (self, &file);
  g_assert_true (recording_has_note (recording, "2 of 25 frames have no value but 0"));
}

/* Of several stacks the one that is no dark one is taken, and the others are named; tables that
 * count the frames themselves have another order, and are left where they count something else. */
TEST_FIXTURE (several, "/recording-kinds/several")
{
  for (int counts = 0; counts < 2; counts++)
    {
      Hdf5File file = hdf5_file_create (self->path);
      double values[2 * N * S * S] = { 0 }, columns[3][N];

      hdf5_file_add (&file, "dark_stack", 3, (hsize_t[]) { 2 * N, S, S }, values);
      hdf5_file_add (&file, "overview", 2, (hsize_t[]) { 2 * S, S }, values);
      add_frames (&file, "stack");
      for (gsize j = 0; j < N; j++)
        {
          columns[0][j] = counts ? (double) (N - j) : 7;
          columns[1][j] = get_place (counts ? N - 1 - j : j, 0);
          columns[2][j] = get_place (counts ? N - 1 - j : j, 1);
        }
      hdf5_file_add (&file, "leds/frame", 1, (hsize_t[]) { N }, columns[0]);
      hdf5_file_add (&file, "leds/x", 1, (hsize_t[]) { N }, columns[1]);
      hdf5_file_add (&file, "leds/y", 1, (hsize_t[]) { N }, columns[2]);
      add_numbers (&file);
      g_autoptr (PrismRecording) recording = close_and_load (self, &file);
      if (counts)
        check_all (recording);
      g_assert_true ((recording->positions != NULL) == counts);
      g_assert_true (recording_has_note (
          recording, "“stack” is taken for the frames; left out: dark_stack ("));
      g_assert_true (recording_has_note (recording, "overview ("));
      g_assert_true (recording_has_note (recording, "is for frame 7, which it has") == !counts);
    }
}

/* @n bytes as a member of gzip. */
static GByteArray *
dup_packed (const char *data, gsize n)
{
  g_autoptr (GZlibCompressor) zip = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6);
  GByteArray *packed = g_byte_array_new ();
  gsize n_read, n_made;

  g_byte_array_set_size (packed, 1 << 20);
  g_assert_cmpint (g_converter_convert (G_CONVERTER (zip), data, n, packed->data, packed->len,
                                        G_CONVERTER_INPUT_AT_END, &n_read, &n_made, NULL),
                   ==, G_CONVERTER_FINISHED);
  g_byte_array_set_size (packed, (guint) n_made);
  return packed;
}

/* What gzip has packed is the file that it was; what is wrong with it is said, and an error names
 * the packed one. */
TEST_FIXTURE (packed, "/recording-kinds/packed")
{
  static const struct
  {
    gsize left_out;     /* bytes of the file that was packed */
    guint end, damaged; /* bytes before the end */
    guint members;
    const char *expected;
  } cases[] = {
    { 0, 0, 0, 1, NULL },
    { 2000, 0, 0, 1, "cannot be read as a recording in HDF5" },
    { 0, 1, 0, 1, "cut off" },
    { 0, 0, 5, 1, "checksum" },
    { 0, 0, G_MAXUINT, 1, "begins as such a file" },
    { 0, 0, 0, 20, "MiB; at most 200 times its size" },
  };
  Hdf5File file = hdf5_file_create (self->path);
  g_autofree char *path = g_strconcat (self->path, ".gz", NULL);
  g_autofree char *text = NULL, *zeros = g_malloc0 (1 << 24);
  gsize length;

  add_frames (&file, "frames");
  add_numbers (&file);
  add_places (&file, "led_positions", 1);
  hdf5_file_close (&file);
  g_assert_true (g_file_get_contents (self->path, &text, &length, NULL));
  PRISM_FOR_EACH_OF (one, cases)
    {
      g_autoptr (GByteArray) packed = dup_packed (text, length - one->left_out);
      g_autoptr (GByteArray) more = dup_packed (zeros, 1 << 24);
      g_autoptr (GError) error = NULL;

      if (one->damaged > 0)
        packed->data[one->damaged == G_MAXUINT ? 3 : packed->len - one->damaged] ^= 0xff;
      for (guint k = 1; k < one->members; k++)
        g_byte_array_append (packed, more->data, more->len);
      g_assert_true (g_file_set_contents (path, (const char *) packed->data,
                                          (gssize) (packed->len - one->end), NULL));
      g_autoptr (PrismRecording) recording = prism_recording_load (path, NULL, &error);
      if (one->expected == NULL)
        check_all (recording);
      else
        HAS (error->message, one->expected, path);
    }
  /* Who has cancelled does not wait. */
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_cancellable_cancel (cancelled);
  g_cancellable_push_current (cancelled);
  FAILS (prism_recording_load (path, NULL, &error), CANCELLED, "stopped");
  g_cancellable_pop_current (cancelled);
}

/* The program for tiles does not wait for ever: here for what nobody writes. */
TEST (unpack, "/recording-kinds/unpack-ends")
{
  g_autofree char *program = prism_program_find ("prism-unpack-fits");
  g_autoptr (GSubprocess) process = NULL;

  if (program == NULL)
    {
      g_test_skip ("cfitsio is not here");
      return;
    }
  process = MUST (g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE, &error, program, "1000000",
                                    "1", NULL));
  MUST (g_subprocess_wait (process, NULL, &error));
  g_assert_cmpint (prism_child_get_end (process).signal, ==, SIGALRM);
}

/* Frames by rows and columns of their LEDs, also behind the pixels, as NumPy can lie. */
TEST_FIXTURE (grid, "/recording-kinds/grid")
{
  double values[N * S * S], behind[N * S * S];

  make_frames (values);
  for (gsize j = 0; j < N; j++)
    for (gsize i = 0; i < S * S; i++)
      behind[i * N + j] = values[j * S * S + i];
  for (gsize i = 0; i < 2; i++)
    {
      Hdf5File file = hdf5_file_create (self->path);

      hdf5_file_add (&file, "frames", 4,
                     i == 0 ? (hsize_t[]) { SIDE, SIDE, S, S } : (hsize_t[]) { S, S, SIDE, SIDE },
                     i == 0 ? values : behind);
      add_numbers (&file);
      hdf5_file_scalar (&file, "pitch", PITCH);
      g_autoptr (PrismRecording) recording = close_and_load (self, &file);
      check_all (recording);
      g_assert_true (recording_has_note (recording, "frame 5·row + column"));
    }
}

/* A link to an array of another file in the folder, and to one that is not there. */
TEST_FIXTURE (link, "/recording-kinds/link")
{
  static const char *const targets[] = { "data.h5", "gone.h5", "/data.h5", "../data.h5" };
  Hdf5File file = hdf5_file_create (in_folder (self->directory, targets[0]));

  add_frames (&file, "entry/data/data");
  hdf5_file_close (&file);
  for (gsize i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      g_autoptr (GError) error = NULL;

      file = hdf5_file_create (self->path);
      g_assert_cmpint (H5Lcreate_external (targets[i], "/entry/data/data", file.file, "ptychogram",
                                           H5P_DEFAULT, H5P_DEFAULT),
                       >=, 0);
      add_numbers (&file);
      add_places (&file, "led_positions", 1);
      hdf5_file_close (&file);
      g_autoptr (PrismRecording) recording = prism_recording_load (self->path, NULL, &error);
      if (i == 0)
        check_all (recording);
      else
        HAS (error->message, targets[i]);
    }
}

static matvar_t *
new_array (const char *name, size_t rows, size_t columns, double *values)
{
  return Mat_VarCreate (name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, (size_t[]) { rows, columns }, values,
                        0);
}

/* A frame as MATLAB has it: rows lie apart. */
static matvar_t *
new_frame (const double *frame)
{
  double turned[S * S];

  for (gsize i = 0; i < S * S; i++)
    turned[i % S * S + i / S] = frame[i];
  return new_array (NULL, S, S, turned);
}

/* A structure of MATLAB 5, with a cell of frames, a structure and a text in it. */
static void
write_structure (const char *path, enum matio_compression packed)
{
  static const char *const fields[] = { "imgs", "setup", "positions" };
  static const char *const parts[] = { "lambda", "pixel_size", "NA", "z_led" };
  double pixel = PIXEL, na = NA, distance = DISTANCE;
  double values[N * S * S], places[2 * N];
  mat_t *file = Mat_CreateVer (path, NULL, MAT_FT_MAT5);
  matvar_t *data = Mat_VarCreateStruct ("data", 2, (size_t[]) { 1, 1 }, (const char **) fields, 3);
  matvar_t *setup = Mat_VarCreateStruct ("setup", 2, (size_t[]) { 1, 1 }, (const char **) parts, 4);
  matvar_t *frames[N], *cell;

  make_frames (values);
  for (gsize j = 0; j < N; j++)
    {
      frames[j] = new_frame (values + j * S * S);
      places[j] = get_place (j, 0);
      places[N + j] = get_place (j, 1);
    }
  cell = Mat_VarCreate ("imgs", MAT_C_CELL, MAT_T_CELL, 2, (size_t[]) { 1, N }, frames, 0);
  Mat_VarSetStructFieldByName (setup, "lambda", 0,
                               Mat_VarCreate ("lambda", MAT_C_CHAR, MAT_T_UTF8, 2,
                                              (size_t[]) { 1, 6 }, "630 nm", 0));
  Mat_VarSetStructFieldByName (setup, "pixel_size", 0, new_array ("pixel_size", 1, 1, &pixel));
  Mat_VarSetStructFieldByName (setup, "NA", 0, new_array ("NA", 1, 1, &na));
  Mat_VarSetStructFieldByName (setup, "z_led", 0, new_array ("z_led", 1, 1, &distance));
  Mat_VarSetStructFieldByName (data, "imgs", 0, cell);
  Mat_VarSetStructFieldByName (data, "setup", 0, setup);
  Mat_VarSetStructFieldByName (data, "positions", 0, new_array ("positions", N, 2, places));
  g_assert_cmpint (Mat_VarWrite (file, data, packed), ==, 0);
  Mat_VarFree (data);
  Mat_Close (file);
}

TEST_FIXTURE (matlab, "/recording-kinds/matlab")
{
  static const enum matio_compression packed[] = { MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB };

  for (gsize i = 0; i < G_N_ELEMENTS (packed); i++)
    {
      g_autofree char *bytes = NULL;
      gsize length;

      write_structure (self->path, packed[i]);
      g_autoptr (PrismRecording) recording = load (self);
      check_all (recording);
      /* Cut off anywhere, it is a sentence, or what is left of it. */
      g_assert_true (g_file_get_contents (self->path, &bytes, &length, NULL));
      for (gsize n = 120; n < MIN (length, 6000); n += 23)
        {
          g_autoptr (GError) error = NULL;

          g_assert_true (g_file_set_contents (self->path, bytes, (gssize) n, NULL));
          g_autoptr (PrismRecording) cut = prism_recording_load (self->path, NULL, &error);
          g_assert_null (cut);
          g_assert_nonnull (error);
        }
    }
}

/* A structure of MATLAB 5 whose names, x and y, are so short that both stand in one tag, as SciPy
 * writes it. */
TEST_FIXTURE (short_names, "/recording-kinds/short-names")
{
#define NUMBER 14, 56, 6, 8, 6, 0, 5, 8, 1, 1, 1, 0, 9, 8, 0, 0x3ff00000
  static const guint32 words[] = { 0x4d490100, 14, 184, 6, 8, 2, 0, 5, 8, 1, 1, 1 << 16 | 1, 's',
                                   4 << 16 | 5, 2, 4 << 16 | 1, 'x' | 'y' << 16, NUMBER, NUMBER };
#undef NUMBER
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *text = g_strdup_printf ("%-124s", "MATLAB 5.0 MAT-file");

  g_byte_array_append (bytes, (const guint8 *) text, 124);
  g_byte_array_append (bytes, (const guint8 *) words, sizeof words);
  g_assert_true (g_file_set_contents (self->path, (const char *) bytes->data, bytes->len, NULL));
  FAILS (prism_recording_load (self->path, NULL, &error), CONFIG, "s/x (1 × 1), s/y (1 × 1)");
}

static void
write_tiff (const Fixture *fixture, const char *description, gboolean big, gboolean half)
{
  double values[N * S * S];

  make_frames (values);
  tiff_stack_write (fixture->path, description, S, N, values, big, half);
}

TEST_FIXTURE (tiff, "/recording-kinds/tiff")
{
  static const char slices[] = "ImageJ=1.54f\nimages=25\nslices=25\nunit=micron\nloop=false\n";

  for (int i = 0; i < 4; i++)
    {
      write_tiff (self, slices, i % 2 == 1, i / 2 == 1);
      g_autoptr (PrismRecording) recording = load (self);
      check_frames (recording);
      g_assert_cmpfloat_with_epsilon (recording->pixel_size, PIXEL, 1e-12);
      g_assert_true (recording_has_note (recording, "“scale of a pixel” is taken"));
      write_tiff (self, "ImageJ=1.54f\nimages=26\nunit=pixel\n", i % 2 == 1, FALSE);
      FAILS (prism_recording_load (self->path, NULL, &error), FORMAT, "cut off");
    }
}

/* Of several channels one is taken, the first unless another is asked for, and the others are
 * named. */
TEST_FIXTURE (channels, "/recording-kinds/channels")
{
  static const struct
  {
    const char *text;
    gsize step, first; /* from a page of the channel to the next; of the second channel */
  } cases[] = {
    { "ImageJ=1.54f\nimages=25\nchannels=5\n", 5, 1 },
    { "\nimages=25\n<OME DimensionOrder=\"XYZCT\" SizeC=\"5\" SizeT=\"1\" SizeZ=\"5\">", 1, 5 },
    { "\nimages=25\n<OME DimensionOrder=\"XYCTZ\" SizeC=\"5\" SizeT=\"1\" SizeZ=\"5\">", 5, 1 },
  };
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();
  double values[N * S * S];

  make_frames (values);
  g_assert_true (prism_recipe_set (recipe, "frames", "channel_2", NULL));
  PRISM_FOR_EACH_OF (one, cases)
    {
      write_tiff (self, one->text, FALSE, FALSE);
      g_autoptr (PrismRecording) recording = load (self);
      g_autoptr (PrismRecording) second = MUST (prism_recording_load (self->path, recipe, &error));
      g_assert_cmpuint (recording->n_frames, ==, 5);
      g_assert_true (recording_has_note (recording, "“channel_1” is taken for the frames; left out:"
                                                    " channel_2 (5 × "));
      for (gsize i = 0; i < 5 * S * S; i++)
        {
          const gsize at = i / (S * S) * one->step * S * S + i % (S * S);

          g_assert_cmpfloat (recording->frames[i], ==, (float) values[at]);
          g_assert_cmpfloat (second->frames[i], ==, (float) values[at + one->first * S * S]);
        }
    }
}

/* Files of scanned probes know no objective, and their sample moves by less than LEDs are apart. */
TEST_FIXTURE (scanned, "/recording-kinds/scanned")
{
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();
  Hdf5File file = hdf5_file_create (self->path);

  add_frames (&file, "entry_1/data_1/data");
  add_places (&file, "entry_1/sample_1/geometry_1/translation", 50);
  HDF5_FILE_SCALARS (&file, { "entry_1/instrument_1/detector_1/x_pixel_size", 5.5e-6 },
                     { "entry_1/instrument_1/detector_1/distance", 0.05 });
  hdf5_file_close (&file);
  FAILS (prism_recording_load (self->path, NULL, &error), CONFIG, "scanned probe");
  g_assert_true (prism_recipe_set (recipe, "na", "0.1", NULL));
  g_autoptr (PrismRecording) said = MUST (prism_recording_load (self->path, recipe, &error));
}

/* “abc” eight times over, a run and what repeats it; cut off, and reaching back too far. */
TEST (lzf, "/recording-kinds/lzf")
{
  static const guint8 packed[] = { 2, 'a', 'b', 'c', 7 << 5, 12, 2 };
  guint8 bytes[64] = { 0 };

  g_assert_cmpuint (prism_hdf5_lzf_unpack (packed, sizeof packed, bytes, sizeof bytes), ==, 24);
  g_assert_cmpstr ((const char *) bytes, ==, "abcabcabcabcabcabcabcabc");
  g_assert_cmpuint (prism_hdf5_lzf_unpack (packed, sizeof packed, bytes, 23), ==, 0);
  for (gsize n = 1; n < sizeof packed; n++)
    g_assert_cmpuint (prism_hdf5_lzf_unpack (packed, n, bytes, sizeof bytes), ==, n == 4 ? 3 : 0);
  g_assert_cmpuint (prism_hdf5_lzf_unpack ((const guint8[]) { 0, 'a', 32, 5 }, 4, bytes, 64),
                    ==, 0);
}

/* What is no recording is named for what it is. */
TEST_FIXTURE (others, "/recording-kinds/others")
{
  static const struct
  {
    const char *bytes, *expected;
  } cases[] = {
    { "1234ftypmp42", "a film (MP4)" },
    { "\032E\337\243 webm", "a film (Matroska)" },
    { "ZISRAWFILE", "export the frames as OME-TIFF" },
    { "GIF89a", "a GIF" },
    { "P5 32 32 255", "a single picture (PGM)" },
    { "CDF\001", "NetCDF 3" },
    { "Rar!", "unpack it" },
    { "{\nHeaderID = EH:000001", "a file of the ESRF (EDF)" },
    { "version https://git-lfs.github.com/spec/v1\n", "git lfs pull" },
    { "<!DOCTYPE html>", "a page of the web" },
    { "[prism]\nobject=moon\n", "is a configuration: run it by" },
    { "# Epie.\n\n[prism]\n", "is a configuration" },
    { "[recording]\nna=0.1\n", "is a recipe: give it with --recipe" },
    { "", "is empty" },
    { "\3757zXZ", "packed by xz" },
    { "\200\004", "a pickle" },
    { "what?", "is no recording that can be read" },
  };

  PRISM_FOR_EACH_OF (one, cases)
    {
      g_assert_true (g_file_set_contents (self->path, one->bytes, -1, NULL));
      FAILS (prism_recording_load (self->path, NULL, &error), FORMAT, one->expected);
    }
}
