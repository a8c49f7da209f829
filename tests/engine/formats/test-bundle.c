#include "formats/prism-bundle.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

FOLDER_FIXTURE ("a.prismrun")

static PrismBundle *
make_bundle (void)
{
  PrismBundle *bundle = prism_bundle_new ();
  float *values = prism_bundle_add_array (bundle, "a.npy", 2, (const gsize[]) { 2, 3 }, NULL);

  for (int i = 0; i < 6; i++)
    values[i] = 0.1f * i;
  g_assert_true (prism_bundle_add_plane (bundle, "b.npy", values, 2, NULL));
  prism_bundle_take_text (bundle, "c.txt", g_strdup ("größer"));
  return bundle;
}

static void
save (PrismBundle *bundle, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismArchiveWriter) writer = prism_archive_writer_new (path, &error);

  prism_bundle_save (bundle, writer, "x/1/");
  prism_archive_writer_add_text (writer, "other.txt", "other");
  g_assert_true (MUST (prism_archive_writer_finish (writer, &error)));
}

TEST_FIXTURE (round_trip, "/engine/bundle/round-trip")
{
  g_autoptr (PrismBundle) bundle = make_bundle ();
  g_autoptr (GError) error = NULL;
  const float *values;
  float plane[4];

  save (bundle, self->path);
  g_autoptr (PrismArchive) archive = MUST (prism_archive_open (self->path, &error));
  g_autoptr (PrismBundle) read = MUST (prism_bundle_load (archive, "x/1/", &error));
  values = MUST (prism_bundle_get_array (read, "a.npy", 2, (const gsize[]) { 2, 3 }, &error));
  g_assert_cmpfloat (values[5], ==, 0.1f * 5);
  g_assert_true (prism_bundle_copy_plane (read, "b.npy", plane, 2, &error));
  g_assert_cmpfloat (plane[3], ==, 0.1f * 3);
  g_assert_cmpstr (prism_bundle_get_text (read, "c.txt", &error), ==, "größer");
  g_assert_false (prism_bundle_has (read, "other.txt"));
  g_assert_cmpuint (prism_bundle_get_size (read), ==, 10 * sizeof (float));
}

TEST_FIXTURE (refused, "/engine/bundle/refused")
{
  g_autoptr (PrismBundle) bundle = make_bundle ();

  FAILS (prism_bundle_get_array (bundle, "z.npy", 1, (const gsize[]) { 1 }, &error), FORMAT,
         "“z.npy” is missing");
  FAILS (prism_bundle_get_array (bundle, "a.npy", 2, (const gsize[]) { 3, 2 }, &error), FORMAT, "");
  FAILS (prism_bundle_get_text (bundle, "a.npy", &error), FORMAT, "");
}

/* Members that another program wrote under the name of an array. */
TEST_FIXTURE (strange_arrays, "/engine/bundle/strange-arrays")
{
  static const char *const texts[] = {
    "",
    "no array",
    "'shape': (",
    "'shape': (9999999999999999999999, ), }",
    "\223NUMPY\1'shape': (3, 4, 5, 6, 7, 8, 9, 1, 2, 3, ), }",
    "'shape': (1, 1, 1, 1), (",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (PrismArchiveWriter) writer = prism_archive_writer_new (self->path, NULL);

      prism_archive_writer_add_text (writer, "x/a.npy", texts[i]);
      g_assert_true (prism_archive_writer_finish (writer, NULL));
      g_autoptr (PrismArchive) archive = prism_archive_open (self->path, NULL);
      FAILS (prism_bundle_load (archive, "x/", &error), FORMAT, "x/a.npy");
    }
}
