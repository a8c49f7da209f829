#include "../support/hdf5-file.h"
#include "../support/recording-grid.h"
#include "../support/recording-notes.h"
#include "../support/test-remove-tree.h"
#include "base/prism-each.h"
#include "recording/prism-recording-private.h"

FOLDER_FIXTURE ("mine.h5")

static void
add_frames (Hdf5File *file, const char *name)
{
  double values[N * S * S];

  for (gsize j = 0; j < N; j++)
    for (gsize i = 0; i < S * S; i++)
      values[j * S * S + i] = hypot (get_direction (j, 0), get_direction (j, 1)) < NA
                                  ? 100.0 + (double) (i % 7)
                                  : 1.0 + 0.01 * (double) (i % 7);
  hdf5_file_add (file, name, 3, (hsize_t[]) { N, S, S }, values);
}

/* One number of each light, times scale and moved. */
static void
add_column (Hdf5File *file,
            const char *name,
            double (*get) (gsize j, gsize axis),
            gsize axis,
            double scale,
            double shift)
{
  double values[N];

  for (gsize j = 0; j < N; j++)
    values[j] = scale * get (j, axis) + shift;
  hdf5_file_add (file, name, 1, (hsize_t[]) { N }, values);
}

/* What the file has by now. */
static PrismRecording *
close_and_load (const Fixture *fixture, Hdf5File *file)
{
  hdf5_file_close (file);
  return MUST (prism_recording_load (fixture->path, NULL, &error));
}

static void
add_numbers (Hdf5File *file)
{
  HDF5_FILE_SCALARS (file, { "wavelength", WAVELENGTH }, { "NA", NA }, { "pixel_size", PIXEL });
}

TEST (find, "/engine/recording-names/find")
{
  static const struct
  {
    const char *text;
    PrismName name;
    double unit; /* 0: none */
  } cases[] = {
    { "wavelength", PRISM_NAME_WAVELENGTH, 0 },
    { "system_na", PRISM_NAME_NA, 0 },
    { "illum_na", PRISM_NAME_COSINES, 0 },
    { "illum_px", PRISM_NAME_WAVES, 0 },
    { "kx_relative", PRISM_NAME_NA_X, 0 },
    { "ky_rel", PRISM_NAME_NA_Y, 0 },
    { "ds_led", PRISM_NAME_PITCH, 0 },
    { "exposure time [ms]", PRISM_NAME_EXPOSURE, 0 },
    { "metadata/illumination/wavelength_um", PRISM_NAME_WAVELENGTH, 1e-6 },
    { "waveLength", PRISM_NAME_WAVELENGTH, 0 },
    { "Lambda_nm", PRISM_NAME_WAVELENGTH, 1e-9 },
    { "NA_obj", PRISM_NAME_NA, 0 },
    { "dpix_c", PRISM_NAME_CAMERA_PIXEL, 0 },
    { "x [mm]", PRISM_NAME_X, 1e-3 },
    { "Y (µm)", PRISM_NAME_Y, 1e-6 },
    { "led_x_mm", PRISM_NAME_X, 1e-3 },
    { "LED-y", PRISM_NAME_Y, 0 },
    { "fourier_column_px", PRISM_NAME_BOX_X, 0 },
    { "x (Å)", PRISM_NAME_X, 1e-10 },
    { "y/cm", PRISM_NAME_Y, 1e-2 },
    { "x / mm", PRISM_NAME_X, 1e-3 },
    { "distance_mm", PRISM_NAME_DISTANCE, 1e-3 },
    { "kx (1/um)", PRISM_NAME_WAVE_X, 1e6 },
    { "ky [rad/µm]", PRISM_NAME_WAVE_Y, 1e6 / (2 * G_PI) },
    { "kx (nm^-1)", PRISM_NAME_WAVE_X, 1e9 },
    { "theta_deg", PRISM_NAME_THETA, 1 },
    { "phi (°)", PRISM_NAME_PHI, 1 },
    { "x_px", PRISM_NAME_NONE, 0 },
    { "", PRISM_NAME_NONE, 0 },
    { "_mm", PRISM_NAME_NONE, 0 },
    { "/", PRISM_NAME_NONE, 0 },
    { "xmas", PRISM_NAME_NONE, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      PrismUnit unit;

      g_assert_cmpint (prism_recording_names_find (cases[i].text, &unit), ==, cases[i].name);
      if (cases[i].unit > 0)
        g_assert_cmpfloat_with_epsilon (unit.size, cases[i].unit, 1e-12 * cases[i].unit);
      else if (cases[i].name != PRISM_NAME_NONE)
        g_assert_cmpint (unit.kind, ==, PRISM_UNIT_NONE);
    }
}

/* Numbers in groups, by names with units; a pixel that is the camera's; columns of their own. */
TEST_FIXTURE (groups, "/engine/recording-names/groups")
{
  Hdf5File file = hdf5_file_create (self->path);

  add_frames (&file, "data/raw_images");
  add_column (&file, "leds/led_x_mm", get_place, 0, 1e3, 0);
  add_column (&file, "leds/led_y_mm", get_place, 1, 1e3, 0);
  HDF5_FILE_SCALARS (&file, { "setup/lambda_um", 0.63 }, { "setup/NA_obj", NA },
                     { "setup/pixel_size_um", 7.2 }, { "setup/mag", 2 }, { "setup/system_mag", 2 },
                     { "setup/led_height_mm", 80 });
  g_autoptr (PrismRecording) recording = close_and_load (self, &file);
  check_directions (recording, 1);
  g_assert_true (recording_has_note (recording, "as that of the camera"));
}

/* CXI has two sides of a pixel: where they differ, it is said. */
TEST_FIXTURE (oblong, "/engine/recording-names/oblong")
{
  static const double heights[] = { 5e-6, (float) 5e-6, 6e-6 };

  for (gsize k = 0; k < G_N_ELEMENTS (heights); k++)
    {
      Hdf5File file = hdf5_file_create (self->path);

      add_frames (&file, "entry_1/instrument_1/detector_1/data");
      HDF5_FILE_SCALARS (&file, { "entry_1/instrument_1/detector_1/x_pixel_size", 5e-6 },
                         { "entry_1/instrument_1/detector_1/y_pixel_size", heights[k] });
      g_autoptr (PrismRecording) recording = close_and_load (self, &file);
      g_assert_cmpfloat (recording->camera_pixel, ==, 5e-6);
      g_assert_true (recording_has_note (recording, "5 µm wide and 6 µm high") == (k == 2));
    }
}

/* Places in an array of LEDs, counted from somewhere, and their pitch in mm. */
TEST_FIXTURE (index, "/engine/recording-names/index")
{
  Hdf5File file = hdf5_file_create (self->path);

  add_frames (&file, "I_low");
  add_column (&file, "xlocation", get_place, 0, 1 / PITCH, 18);
  add_column (&file, "ylocation", get_place, 1, 1 / PITCH, 20);
  HDF5_FILE_SCALARS (&file, { "waveLength", WAVELENGTH }, { "NA", NA }, { "spsize", PIXEL });
  g_autoptr (PrismRecording) recording = close_and_load (self, &file);
  FAILS (prism_recording_check (recording, &error), CONFIG, "pitch=4mm", "distance=90mm");
  g_clear_pointer (&recording, prism_recording_free);
  file = (Hdf5File) { .file = H5Fopen (self->path, H5F_ACC_RDWR, H5P_DEFAULT),
                      .type = H5T_NATIVE_DOUBLE,
                      .plist = H5P_DEFAULT };
  HDF5_FILE_SCALARS (&file, { "LEDgap", 4 }, { "LEDheight", 80 });
  recording = close_and_load (self, &file);
  check_directions (recording, 1);
}

/* Places that are multiplied by the pitch already, and the distance, all in mm; the pitch is said
 * or left out, and they may be off the whole steps. */
TEST_FIXTURE (places, "/engine/recording-names/places")
{
  for (int i = 0; i < 2; i++)
    {
      Hdf5File file = hdf5_file_create (self->path);

      add_frames (&file, "imlow");
      add_column (&file, "xlocation", get_place, 0, 1e3, 0);
      add_column (&file, "ylocation", get_place, 1, i == 0 ? 1e3 : 1.01e3, 0);
      HDF5_FILE_SCALARS (&file, { "waveLength", WAVELENGTH }, { "NA", NA }, { "spsize", PIXEL });
      if (i == 0)
        hdf5_file_scalar (&file, "LEDgap", 1e3 * PITCH);
      hdf5_file_scalar (&file, "LEDheight", 80);
      g_autoptr (PrismRecording) recording = close_and_load (self, &file);
      g_assert_true (recording_has_note (recording, "are taken as mm"));
      g_assert_cmpfloat_with_epsilon (recording->distance, DISTANCE, 1e-9);
      if (i == 0)
        check_directions (recording, 1);
    }
}

/* Frames whose bright ones were exposed for a tenth of the time, as the camera counted or as they
 * are put together: those are divided, unless a recipe says otherwise. */
TEST_FIXTURE (exposure, "/engine/recording-names/exposure")
{
  static const struct
  {
    double unit; /* of the values: half a count is none */
    const char *rule;
    gboolean divided;
    const char *note;
  } cases[] = {
    { 1, NULL, TRUE, "is divided by its exposure, from 10 to 100" },
    { 0.3, NULL, FALSE, "no whole numbers" },
    { 0.3, "divide", TRUE, "is divided by its exposure" },
    { 1, "keep", FALSE, NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PrismRecording) recording = NULL;
      g_autoptr (PrismRecipe) recipe = prism_recipe_new ();
      Hdf5File file = hdf5_file_create (self->path);
      double values[N * S * S], exposures[N];

      for (gsize j = 0; j < N; j++)
        {
          exposures[j] = j == N / 2 ? 10 : 100;
          for (gsize k = 0; k < S * S; k++)
            values[j * S * S + k] = cases[i].unit * ((j == N / 2 ? 100 : 20) + (double) (k % 7));
        }
      hdf5_file_add (&file, "frames", 3, (hsize_t[]) { N, S, S }, values);
      hdf5_file_add (&file, "exposure_ms", 1, (hsize_t[]) { N }, exposures);
      hdf5_file_close (&file);
      if (cases[i].rule != NULL)
        g_assert_true (prism_recipe_set (recipe, "exposure", cases[i].rule, NULL));
      recording = MUST (prism_recording_load (self->path, recipe, &error));
      g_assert_cmpfloat_with_epsilon (
          (double) recording->frames[N / 2 * S * S],
          cases[i].unit * (cases[i].divided ? 1000 : 100), 1e-3);
      g_assert_cmpfloat_with_epsilon ((double) recording->frames[0], 20 * cases[i].unit, 1e-5);
      g_assert_cmpint (recording_has_note (recording, "exposure"), ==, cases[i].note != NULL);
      if (cases[i].note != NULL)
        g_assert_true (recording_has_note (recording, cases[i].note));
    }
}

/* A table has them, too, once; what is no number there matters to nothing else. */
TEST_FIXTURE (exposure_table, "/engine/recording-names/exposure-table")
{
  static const struct
  {
    const char *exposure; /* of one frame, the others have 10 */
    double value;         /* that it has then, with 2.5 taken off for a dark frame */
    const char *note;
  } cases[] = {
    { "5", 35, "from 5 to 10" },
    { "?", 17.5, "no positive numbers" },
    { "-5", 17.5, "no positive numbers" },
    { "1e-300", 17.5, "more than a million times" },
  };
  Hdf5File file = hdf5_file_create (self->path);
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();
  double values[N * S * S];

  for (gsize i = 0; i < N * S * S; i++)
    values[i] = 20 + (double) (i % (S * S) % 7);
  hdf5_file_add (&file, "frames", 3, (hsize_t[]) { N, S, S }, values);
  hdf5_file_close (&file);
  g_assert_true (prism_recipe_set (recipe, "dark", "2.5", NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PrismRecording) recording = prism_recording_load (self->path, recipe, NULL);
      g_autoptr (GString) text = g_string_new ("x_mm,y_mm,exposure_ms,exposure\n");

      for (gsize j = 0; j < N; j++)
        g_string_append_printf (text, "%g,%g,%s,%s\n", 1e3 * get_place (j, 0),
                                1e3 * get_place (j, 1), j == 3 ? cases[i].exposure : "10", "1");
      g_autoptr (GBytes) table = g_bytes_new (text->str, text->len);
      for (int twice = 0; twice < 2; twice++)
        g_assert_true (prism_recording_parse_positions (recording, table, "leds.csv", NULL));
      g_assert_cmpfloat ((double) recording->frames[3 * S * S], ==, cases[i].value);
      g_assert_true (recording_has_note (recording, cases[i].note));
    }
}

/* A detector's gap is one in its dark and bright frames, too, and stands in nobody's way. */
TEST_FIXTURE (gap, "/engine/recording-names/gap")
{
  Hdf5File file = hdf5_file_create (self->path);
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();
  double values[N * S * S], dark[S * S], bright[S * S];

  for (gsize i = 0; i < N * S * S; i++)
    values[i] = i % (S * S) < S ? 65535 : 22 + (double) (i / (S * S) + i % 7);
  for (gsize i = 0; i < S * S; i++)
    {
      dark[i] = i < S ? 65535 : 2;
      bright[i] = i < S ? 0 : i % 2 == 0 ? 30
                                         : 50;
    }
  hdf5_file_add (&file, "frames", 3, (hsize_t[]) { N, S, S }, values);
  hdf5_file_add (&file, "background", 2, (hsize_t[]) { S, S }, dark);
  hdf5_file_add (&file, "flat", 2, (hsize_t[]) { S, S }, bright);
  hdf5_file_close (&file);
  g_assert_true (prism_recipe_set (recipe, "dark", "background", NULL));
  g_assert_true (prism_recipe_set (recipe, "bright", "flat", NULL));
  g_autoptr (PrismRecording) recording = MUST (prism_recording_load (self->path, recipe, &error));
  g_assert_true (recording_has_note (recording, "gaps of a detector"));
  g_assert_false (recording_has_note (recording, "below zero"));
  for (gsize i = 0; i < S * S; i++)
    g_assert_cmpuint (recording->mask[i], ==, i >= S);
  g_assert_cmpfloat_with_epsilon (recording->frames[S], (20 + S % 7) * 40 / 30.0, 1e-4);
}

/* Wave vectors in every unit: the light of the frames tells which. */
TEST_FIXTURE (waves, "/engine/recording-names/waves")
{
  const double pixel = PIXEL * S / WAVELENGTH, corner = S / 2.0;
  const struct
  {
    double scale, shift;
    const char *note;
  } cases[] = {
    { 2 * G_PI / WAVELENGTH, 0, "rad/m:" },
    { 2e-6 * G_PI / WAVELENGTH, 0, "rad/µm:" },
    { 1 / WAVELENGTH, 0, "1/m:" },
    { 1e-6 / WAVELENGTH, 0, "1/µm:" },
    { 1, 0, "direction cosines:" },
    { pixel, 0, "of a frame:" },
    { pixel, corner, "from its corner:" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Hdf5File file = hdf5_file_create (self->path);

      add_frames (&file, "frames");
      add_column (&file, "kx", get_direction, 0, cases[i].scale, cases[i].shift);
      add_column (&file, "ky", get_direction, 1, cases[i].scale, cases[i].shift);
      add_numbers (&file);
      g_autoptr (PrismRecording) recording = close_and_load (self, &file);
      g_assert_true (recording_has_note (recording, cases[i].note));
      check_directions (recording, -1);
    }
}

/* What no unit explains ends in a sentence, or leaves it to the positions that are there. */
TEST_FIXTURE (no_unit, "/engine/recording-names/no-unit")
{
  for (int with_positions = 0; with_positions < 2; with_positions++)
    {
      Hdf5File file = hdf5_file_create (self->path);

      add_frames (&file, "frames");
      add_column (&file, "kx", get_direction, 0, 77, 0);
      add_column (&file, "ky", get_direction, 1, 77, 0);
      if (with_positions)
        {
          add_column (&file, "x", get_place, 0, 1, 0);
          add_column (&file, "y", get_place, 1, 1, 0);
          hdf5_file_scalar (&file, "zled", DISTANCE);
        }
      add_numbers (&file);
      g_autoptr (PrismRecording) recording = close_and_load (self, &file);
      if (with_positions)
        {
          check_directions (recording, 1);
          continue;
        }
      FAILS (prism_recording_check (recording, &error), CONFIG, "direction cosines");
    }
}

/* All that is missing stands in one sentence. */
TEST_FIXTURE (missing, "/engine/recording-names/missing")
{
  Hdf5File file = hdf5_file_create (self->path);

  add_frames (&file, "frames");
  g_autoptr (PrismRecording) recording = close_and_load (self, &file);
  FAILS (prism_recording_check (recording, &error), CONFIG, "wavelength=630nm",
         "pixel_size=1.8um", "na=0.1", "--positions", "--assign");
}

TEST_FIXTURE (tables, "/engine/recording-names/tables")
{
  static const struct
  {
    const char *header, *separator;
    int first; /* frame, or -1: no such column */
    double (*get) (gsize j, gsize axis);
    double scale, height, sign;
  } cases[] = {
    { "x_mm,y_mm\n", ",", -1, get_place, 1e3, 0, 1 },
    { "", ",", -1, get_place, 1e3, 0, 1 },
    { "", ",", 1, get_place, 1e3, 0, 1 },
    { "", ",", -1, get_place, 1, 80e-3, 1 },
    { "", " ", 0, get_place, 1e3, 80, 1 },
    { "x_mm   y_mm\n", "  ", -1, get_place, 1e3, 0, 1 },
    { "Frame;X [mm];Y [mm]\n", ";", 1, get_place, 1e3, 0, 1 },
    { "x (um),y (um)\n", ",", -1, get_place, 1e6, 0, 1 },
    { "index,LED_x,LED_y,LED_z\n", ",", 0, get_place, 1, 80e-3, 1 },
    { "x_mm,y_mm,z_mm\n", ",", -1, get_place, 1e3, 80, 1 },
    { "x,y\n", ",", -1, get_place, 1e3, 0, 1 },
    { "led_column,led_row\n", ",", -1, get_place, 1 / PITCH, 0, 1 },
    { "NAx,NAy\n", ",", -1, get_direction, 1, 0, -1 },
    { "kx,ky\n", ",", -1, get_direction, 2 * G_PI / WAVELENGTH, 0, -1 },
  };
  Hdf5File file = hdf5_file_create (self->path);

  add_frames (&file, "frames");
  add_numbers (&file);
  hdf5_file_scalar (&file, "pitch", PITCH);
  hdf5_file_close (&file);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PrismRecording) recording = MUST (prism_recording_load (self->path, NULL, &error));
      g_autoptr (GString) text = g_string_new (cases[i].header);
      const char *separator = cases[i].separator;

      for (gsize j = 0; j < N; j++)
        {
          if (cases[i].first >= 0)
            g_string_append_printf (text, "%d%s", (int) j + cases[i].first, separator);
          g_string_append_printf (text, "%.12g%s%.12g", cases[i].scale * cases[i].get (j, 0),
                                  separator, cases[i].scale * cases[i].get (j, 1));
          if (cases[i].height > 0)
            g_string_append_printf (text, "%s%g", separator, cases[i].height);
          g_string_append_c (text, '\n');
        }
      g_autoptr (GBytes) table = g_bytes_new (text->str, text->len);
      if (!(cases[i].height > 0))
        recording->distance = DISTANCE;
      g_test_message ("%s", cases[i].header);
      MUST (prism_recording_parse_positions (recording, table, "leds.csv", &error));
      /* A height without a unit is as little in m as the positions are. */
      if (cases[i].height > 1)
        g_assert_cmpfloat_with_epsilon (recording->distance, DISTANCE, 1e-9);
      check_directions (recording, cases[i].sign);
    }
}

/* The frame that a table leaves out is named. */
TEST_FIXTURE (left_out, "/engine/recording-names/left-out")
{
  g_autoptr (GString) text = g_string_new ("frame,x,y\n");
  Hdf5File file = hdf5_file_create (self->path);

  add_frames (&file, "frames");
  g_autoptr (PrismRecording) recording = close_and_load (self, &file);
  for (gsize j = 0; j < N; j++)
    if (j != 7)
      g_string_append_printf (text, "%d,%g,%g\n", (int) j, get_place (j, 0), get_place (j, 1));
  g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
  FAILS (prism_recording_parse_positions (recording, bytes, "leds.csv", &error), FORMAT,
         "none for frame 7");
}

/* Places in the names of frames, as the table that is read of them; "": there are none. */
TEST (written, "/engine/recording-names/written")
{
  static const struct
  {
    const char *names[4], *table;
  } cases[] = {
    { { "x+1_y-2.png", "x0_y+3.png" }, "column\trow\n+1\t-2\n0\t+3" },
    { { "img_row3_col04.tif", "img_row12_col0.tif" }, "row\tcol\n3\t04\n12\t0" },
    { { "2026-11-02_x+4.5mm_y-9mm", "2026-11-02_x0mm_y1mm" }, "x/mm\ty/mm\n+4.5\t-9\n0\t1" },
    { { "led_+1_-2_7", "led_-1_+0_8" }, "column\trow\n+1\t-2\n-1\t+0" },
    { { "f3_theta=4.5deg_phi=-30deg", "f4_theta=0deg_phi=90deg" },
      "theta/deg\tphi/deg\n4.5\t-30\n0\t90" },
    { { "frame_001", "frame_002" }, "" },
    { { "x128_y256_1", "x128_y256_2" }, "" },
    { { "a-1_b-2", "a-3_b-4" }, "" },
    { { "x1_y2", "x1_y2_z3" }, "" },
    { { "x1_y2", "u1_y2" }, "" },
    { { NULL }, "" },
  };

  PRISM_FOR_EACH_OF (one, cases)
    {
      g_autoptr (GBytes) table = prism_frame_names_dup_table ((char *const *) one->names);
      gsize length = 0;
      const char *text = table != NULL ? g_bytes_get_data (table, &length) : "";

      g_assert_cmpmem (text, length, one->table, strlen (one->table));
    }
}
