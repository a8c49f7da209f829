#include "../support/test-remove-tree.h"
#include "formats/prism-fields-readers.h"
#include "import/prism-import-table.h"
#include "import/prism-import.h"
#include "prism-test.h"

static PrismImport *
parse (const char *text, gboolean training)
{
  return MUST (prism_import_parse (text, strlen (text), training, &error));
}

static char *
get_checkpoint (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "fuzz", "seeds", "pickle", name, NULL);
}

static PrismImport *
load_checkpoint (const char *name)
{
  g_autofree char *path = get_checkpoint (name);
  return MUST (prism_import_load (path, FALSE, &error));
}

/* "key=value key=value": what it states has these values. */
static void
check_values (const PrismImport *import, const char *expected)
{
  g_auto (GStrv) pairs = g_strsplit (expected, " ", -1);

  for (guint i = 0; pairs[i] != NULL; i++)
    {
      char *value = strchr (pairs[i], '=');

      *value++ = '\0';
      g_autofree char *found
          = prism_config_dup_text (import->config, prism_config_get_param (pairs[i]));
      if (g_strcmp0 (found, value) != 0)
        g_error ("%s is “%s”, not “%s”", pairs[i], found, value);
    }
}

/* A line for each. */
static const char *
get_notes (const PrismImport *import)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < import->notes->len; i++)
    g_string_append_printf (text, "%s\n", (const char *) import->notes->pdata[i]);
  return OWN (g_free, g_string_free (text, FALSE));
}

TEST (yaml, "/engine/import/yaml")
{
  g_autoptr (PrismImport) import
      = parse ("comment: \"one\\ttwo\"  # of it\nextends: production\ntelescope:\n  n_samples: "
               "150\n  sample_diameter: 60\n  propagator_method: null\n"
               "  sample_length: 12\n  line_angle: 0.5\n"
               "physics:\n  obj_name: titan\ntraining:\n  max_epochs: 3\nmopie: null\n",
               FALSE);

  check_values (import, "samples=150 snr=40 aperture_radius=30 line_length=12 "
                        "line_angle=28.6478897565412 wavelength=2000 image_size=1024 method=auto");
  g_assert_cmpstr (import->comment, ==, "one\ttwo");
  HAS (get_notes (import), "max_epochs");
  LACKS (get_notes (import), "mopie", "propagator");
}

/* What a mapping merges, numbers as YAML 1.1 has them, and the line where a mistake is. */
TEST (yaml_merged, "/engine/import/yaml-merged")
{
  static const struct
  {
    const char *text, *part;
  } refused[] = {
    { "a: 1\nb: 2\n  c: 3\n", "line 3: mapping values are not allowed" },
    { "a: 1\nb: [1,\n2\nc: 3\n", "line 4: did not find expected" },
    { "a: 1\nb: \001\n", "line 2: control characters" },
    { "a: 1\n? [b]\n: 2\n", "line 2: expected is" },
    { "a: &a\n  <<: *a\n", "more than 8 times" },
    { "a: 1\n<<: 2\n", "line 2: “<<” takes a mapping" },
    { "a: 1\nb: 2\n\"a\": 3\n", "line 3: this key was there before" },
  };
  g_autoptr (PrismImport) import
      = parse ("one: &one\n  n_samples: 0o100\n  sample_length: 4\ntwo: &two\n  n_samples: 32\n"
               "telescope:\n  sample_diameter: 074\n  <<: [*one, *two]\n  sample_length: 1_2\n"
               "  snr: .inf\n  roi_diameter: .nan\n",
               FALSE);
  g_autoptr (PrismImport) maybe = parse ("telescope:\n  star_sample: maybe\n", FALSE);
  g_autoptr (PrismImport) empty = parse ("# snr: 20\n", FALSE);

  check_values (import, "samples=64 line_length=12 aperture_radius=30");
  HAS (get_notes (import), "snr: “.inf” is no number that can be used.",
       "roi_diameter: “.nan” is no number");
  HAS (get_notes (maybe), "star_sample: “maybe” is neither true nor false");
  HAS (get_notes (empty), "states nothing");
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {

      FAILS (prism_import_parse (refused[i].text, strlen (refused[i].text), FALSE, &error), FORMAT,
             refused[i].part);
    }
}

TEST (training, "/engine/import/training")
{
  g_autoptr (PrismImport) import = parse ("training:\n  n_epochs: 100\n  max_epochs: 3\n  lr: "
                                          "0.01\n  loss_type: ssim\nmodel:\n  use_bn: false\n",
                                          TRUE);

  check_values (import, "method=decoder memory=self steps=300 learning_rate=0.01 loss=ssim "
                        "norm=none");
}

TEST (command, "/engine/import/command")
{
  g_autoptr (PrismImport) import
      = parse ("# once\npython main.py --obj europa --snr=30 \\\n  --point_source --blur"
               " --pattern-fn spiral.py --wrong 3 --obj-size 65\n",
               FALSE);

  check_values (import, "object=points snr=30 samples=64 object_size=66");
  HAS (get_notes (import), "blur_image: “True” has no counterpart.",
       "“spiral.py” is a program and is not run", "--wrong is no setting");
}

TEST (mopie, "/engine/import/mopie")
{
  g_autoptr (PrismImport) import
      = parse ("python main_mopie.py --n_epochs 12 --sample_length 8", TRUE);
  g_autoptr (PrismImport) points = load_checkpoint ("mopie.pt");

  check_values (import, "method=mopie passes=12");
  check_values (points, "method=epie epie_step=0.5");
  g_assert_cmpuint (points->height, ==, 2);
  g_assert_cmpuint (points->width, ==, 3);
  g_assert_cmpfloat (points->picture[5], ==, 5);
}

/* What its two programs left has settings of both. */
TEST (algorithm, "/engine/import/algorithm")
{
  static const char both[] = "training:\n  max_epochs_init: 3\nmopie:\n  lr_obj: 1\n";
  g_autoptr (PrismImport) decoder = parse (both, FALSE);
  g_autoptr (PrismImport) mopie = parse (strstr (both, "mopie"), FALSE);

  check_values (decoder, "method=auto");
  HAS (get_notes (decoder), "does not say which ran");
  check_values (mopie, "method=epie");
}

/* A scenario says what is not stated beside it. */
TEST (scenario, "/engine/import/scenario")
{
  g_autoptr (PrismImport) import = parse ("main.py --scenario drone_50m_survey --altitude 100"
                                          " --snr 30 --sample_diameter 40",
                                          FALSE);
  g_autoptr (PrismImport) lens = parse ("main.py --lens 50mm_f4", FALSE);

  check_values (import, "object=usaf1951 distance=100 samples=60 snr=30 aperture_radius=20 "
                        "motion_blur=0.769231");
  g_assert_cmpuint (import->notes->len, ==, 0);
  HAS (get_notes (lens), "lens: “50mm_f4” belongs to a scenario");
  FAILS (prism_import_parse ("main.py --scenario ../a", 23, FALSE, &error), FORMAT,
         "“../a” is no scenario");
}

/* Whatever is stated is taken over or told. */
TEST (left_out, "/engine/import/left-out")
{
  static const char *const cases[][2] = {
    { "telescope:\n  sample_diameter: -4\n", "sample_diameter: “-4” is left out: expected is" },
    { "telescope:\n  roi_diameter: -1\n", "roi_diameter: “-1” is left out" },
    { "physics:\n  dxf: -0.01\n", "dxf stays as it is" },
    { "physics:\n  wavelength: 0\n", "wavelength: “0” is left out" },
    { "main.py --scenario drone_50m_survey --sample_diameter -4", "sample_diameter: “-4” is left" },
    { "main.py --scenario drone_50m_survey --obj titan", "obj_name: “titan” is left out: another" },
    { "main.py --scenario drone_50m_survey --roi_diameter 9", "roi_diameter: “9” is left out" },
    { "main.py --obj titan --snr", "--snr has no value" },
    { "main.py --pattern-fn builtin:fermat --star", "star_sample: “True” is left out: another" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PrismImport) import = parse (cases[i][0], FALSE);

      g_test_message ("%s", cases[i][0]);
      HAS (get_notes (import), cases[i][1]);
    }
}

TEST (propagator, "/engine/import/propagator")
{
  g_autoptr (PrismImport) near = parse ("main.py --obj_distance 1e7 --wavelength 5e-7", FALSE);
  g_autoptr (PrismImport) far = parse ("main.py --propagator-method fresnel", FALSE);
  g_autoptr (PrismImport) automatic = parse ("main.py --propagator-method auto", FALSE);

  HAS (get_notes (near), "the Fresnel number is 21, the near field");
  HAS (get_notes (far), "the Fresnel number is 0.00024, the far field");
  LACKS (get_notes (automatic), "Fresnel");
}

TEST (checkpoint, "/engine/import/checkpoint")
{
  g_autoptr (PrismImport) import = load_checkpoint ("checkpoint.pt");

  check_values (import, "image_size=256 object_size=64 backend=cpu pattern=file order=given");
  g_assert_cmpuint (import->n_points, ==, 6);
  g_assert_cmpfloat_with_epsilon (import->points[1].y, 5.40370, 1e-5);
  g_assert_cmpfloat_with_epsilon (import->points[1].x, -5.89915, 1e-5);
  g_assert_cmpuint (import->height, ==, 4);
  /* Columns lie next to each other in the file. */
  g_assert_cmpfloat (import->picture[1], ==, 0.25f);
  g_assert_cmpfloat (import->picture[4], ==, 0.0625f);
  HAS (get_notes (import), "weights of its decoder");
}

/* Written by PyTorch 2.15, with numbers of NumPy's and a transposed picture. */
TEST (torch, "/engine/import/torch")
{
  g_autoptr (PrismImport) import = load_checkpoint ("torch.pt");

  check_values (import, "method=auto wavelength=2000");
  g_assert_cmpuint (import->n_points, ==, 2);
  g_assert_cmpfloat (import->points[1].x, ==, -4);
  g_assert_cmpfloat (import->picture[1], ==, 0.25f);
}

TEST (lines, "/engine/import/lines")
{
  g_autoptr (PrismImport) import = load_checkpoint ("lines.pt");

  check_values (import, "aperture_radius=12 line_length=10 line_direction=fixed");
  g_assert_cmpfloat_with_epsilon (import->points[1].y, 5.40370, 1e-5);
}

/* The program in it is refused, and not run. */
TEST (code_is_refused, "/engine/import/code-is-refused")
{
  g_autofree char *path = get_checkpoint ("command.pt");

  FAILS (prism_import_load (path, FALSE, &error), FORMAT, "it asks Python for “posix.system”");
}

/* Of a folder the rest is taken over. */
TEST (folder, "/engine/import/folder")
{
  g_autofree char *command = get_checkpoint ("command.pt");
  const char *folder = OWN (g_free, test_folder_new ());
  const char *args = in_folder (folder, "args.txt");
  const char *checkpoint = in_folder (folder, "checkpoint.pt");
  g_autofree char *data = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (command, &data, &length, NULL));
  g_assert_true (g_file_set_contents (checkpoint, data, (gssize) length, NULL));
  g_assert_true (g_file_set_contents (args,
                                      "snr: 33\ncomment: a: b\nagain\nwrong: 1\nlr_obj: 0.5\n",
                                      -1, NULL));
  g_autoptr (PrismImport) import = MUST (prism_import_load (folder, FALSE, &error));
  check_values (import, "snr=33 method=epie");
  g_assert_cmpstr (import->comment, ==, "a: b");
  HAS (get_notes (import), "checkpoint.pt is left out: ", "Line 3, “again”, is no “name: value”",
       "wrong is no setting of the first PRISM");
  g_clear_pointer (&import, prism_import_free);
  g_assert_true (g_file_set_contents (args, "once: upon\na time\n", -1, NULL));
  FAILS (prism_import_load (args, FALSE, &error), FORMAT, "has no setting of the first PRISM");
  g_assert_cmpint (g_unlink (args), ==, 0);
  FAILS (prism_import_load (folder, FALSE, &error), FORMAT, "");
  g_assert_cmpint (g_unlink (checkpoint), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

TEST (bad_text, "/engine/import/bad-text")
{
  static const char *const cases[][2] = {
    { "telescope:\n  - 1\n", "line 2" },
    { "telescope: !!python/object:os.system {}\n", "line 1" },
    { "a: &x\n  b: *x\n", "line 1" },
    { "telescope:\n\tsnr: 3\n", "line 2" },
    { "comment: \"open\n", "line 1" },
    { "python main.py --name 'open\n", "command line" },
    { "services:\n  web: 1\n", "has no setting of the first PRISM" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      FAILS (prism_import_parse (cases[i][0], strlen (cases[i][0]), FALSE, &error), FORMAT,
             cases[i][1]);
    }
  {
    g_autofree char *deep = g_strnfill (200000, '[');

    FAILS (prism_import_parse (deep, strlen (deep), FALSE, &error), FORMAT, "brackets");
  }
}

TEST (save, "/engine/import/save")
{
  g_autoptr (PrismImport) import = load_checkpoint ("checkpoint.pt");
  const char *folder = OWN (g_free, test_folder_new ());
  const char *path = in_folder (folder, "one.prism");
  const char *positions = in_folder (folder, "one-positions.csv");
  g_auto (GStrv) names = MUST (prism_import_save (import, path, &error));
  guint n_points;

  g_assert_cmpuint (g_strv_length (names), ==, 3);
  g_autoptr (PrismConfig) again = MUST (prism_config_load (path, &error));
  g_assert_cmpstr (again->pattern_file, ==, positions);
  g_autofree PrismPoint *points
      = MUST (prism_pattern_points_load (positions, 256, &n_points, &error));
  g_assert_cmpuint (n_points, ==, 6);
  g_autoptr (PrismFields) file = MUST (prism_fields_load_npy (names[2], &error));
  const PrismField *picture = g_ptr_array_index (file->fields, 0);
  g_assert_cmpfloat (picture->values[4], ==, 0.0625);
  for (guint i = 0; names[i] != NULL; i++)
    g_assert_cmpint (g_unlink (names[i]), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Each row that has a parameter of ours names one that there is, and each word of it one of its. */
TEST (table, "/engine/import/table")
{
  for (const PrismImportRow *row = prism_import_table_get_rows (); row->name != NULL; row++)
    {
      const gboolean listed = row->words != NULL && strcmp (row->words, PRISM_IMPORT_NUMBER) != 0;
      g_autoptr (PrismConfig) config = prism_config_new ();
      g_auto (GStrv) words = g_strsplit (listed ? row->words : "", " ", -1);

      g_assert_true (row->key == NULL || prism_config_get_param (row->key) != NULL);
      for (guint k = 0; words[k] != NULL; k++)
        MUST (prism_config_set_text (config, row->key, strchr (words[k], '=') + 1, &error));
    }
}
