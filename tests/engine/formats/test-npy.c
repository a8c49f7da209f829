#include "base/prism-file.h"
#include "formats/prism-archive.h"
#include "formats/prism-npy.h"
#include "prism-npy-test.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#include <fcntl.h>

#define ARRAY(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }\n"

static char *
dup_data_path (const char *name)
{
  return g_build_filename (g_getenv ("PRISM_TEST_DATA"), name, NULL);
}

/* A .npy file of version 1, 2 or 3 with the given dictionary and data. */
static GBytes *
new_npy (int version, const char *dictionary, gconstpointer data, gsize n_bytes)
{
  GByteArray *file = g_byte_array_new ();
  gsize length = strlen (dictionary);
  const guint8 prefix[] = { 0x93, 'N', 'U', 'M', 'P', 'Y', version, 0 };
  const guint8 size[] = { length & 0xff, length >> 8, 0, 0 };

  g_byte_array_append (file, prefix, sizeof prefix);
  g_byte_array_append (file, size, version == 1 ? 2 : 4);
  g_byte_array_append (file, (const guint8 *) dictionary, length);
  g_byte_array_append (file, data, n_bytes);
  return g_byte_array_free_to_bytes (file);
}

static PrismFields *
load_bytes (GBytes *bytes, GError **error)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "test.npy", NULL);

  g_assert_true (prism_file_save (path, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                                  NULL));
  PrismFields *file = prism_fields_load_npy (path, error);
  g_assert_cmpint (g_unlink (path), ==, 0);
  return file;
}

static PrismFields *
load (int version, const char *dictionary, gconstpointer data, gsize n_bytes, GError **error)
{
  g_autoptr (GBytes) bytes = new_npy (version, dictionary, data, n_bytes);

  return load_bytes (bytes, error);
}

static const PrismField *
get_first (const PrismFields *file)
{
  return g_ptr_array_index (file->fields, 0);
}

static void
check_values (const char *dictionary,
              gconstpointer data,
              gsize n_bytes,
              const double *expected,
              gsize n_values)
{
  for (int version = 1; version <= 3; version++)
    {
      g_autoptr (PrismFields) file = MUST (load (version, dictionary, data, n_bytes, &error));
      const PrismField *npy = get_first (file);

      g_assert_cmpuint (npy->n_values, ==, n_values);
      for (gsize i = 0; i < n_values; i++)
        g_assert_cmpfloat (npy->values[i], ==, expected[i]);
    }
}

TEST (types, "/engine/npy/types")
{
  const guint8 i1[] = { 0xff, 0x7f };
  const guint8 i2[] = { 0xfe, 0xff, 0x00, 0x80 };
  const guint8 i8[] = { 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
  const guint8 u4[] = { 0xff, 0xff, 0xff, 0xff };
  const guint8 b1[] = { 0, 1, 2 };
  const guint8 f4[] = { 0, 0, 0xc0, 0x3f };
  const guint8 f8[] = { 0, 0, 0, 0, 0, 0, 0xf8, 0xbf };
  const guint8 f2[] = { 0x00, 0xbe, 0xff, 0x7b, 0x01, 0x00, 0x00, 0x04, 0x00, 0xfc };

  check_values (ARRAY ("|i1", "(2,)"), i1, 2, (double[]) { -1, 127 }, 2);
  check_values (ARRAY ("|u1", "(2,)"), i1, 2, (double[]) { 255, 127 }, 2);
  check_values (ARRAY ("<i2", "(2,)"), i2, 4, (double[]) { -2, -32768 }, 2);
  check_values (ARRAY ("<i8", "()"), i8, 8, (double[]) { -3 }, 1);
  check_values (ARRAY ("<u4", "(1, 1)"), u4, 4, (double[]) { 4294967295.0 }, 1);
  check_values (ARRAY ("|b1", "(3,)"), b1, 3, (double[]) { 0, 1, 1 }, 3);
  check_values (ARRAY ("<f4", "(1,)"), f4, 4, (double[]) { 1.5 }, 1);
  check_values (ARRAY ("<f8", "(1,)"), f8, 8, (double[]) { -1.5 }, 1);
  check_values (ARRAY ("<f2", "(5,)"), f2, 10,
                (double[]) { -1.5, 65504.0, ldexp (1.0, -24), ldexp (1.0, -14), -INFINITY }, 5);
  check_values (ARRAY (">u2", "(1,)"), (guint8[]) { 1, 2 }, 2, (double[]) { 258 }, 1);
  check_values (ARRAY ("<u2", "(1,)"), (guint8[]) { 1, 2 }, 2, (double[]) { 513 }, 1);
  check_values (ARRAY (">f4", "(1,)"), (guint8[]) { 0x3f, 0xc0, 0, 0 }, 4, (double[]) { 1.5 }, 1);
  check_values (ARRAY (">f8", "(1,)"), (guint8[]) { 0xbf, 0xf8, 0, 0, 0, 0, 0, 0 }, 8,
                (double[]) { -1.5 }, 1);
}

/* As numpy.save writes them. */
TEST (other_types_are_named, "/engine/npy/other-types-are-named")
{
  static const char *const cases[][2] = {
    { "{'descr': [('a', '<f4'), ('b', '<i2', (2,))], 'fortran_order': False, 'shape': (1,), }\n",
      "records" },
    { "{'descr': [('a]', [('c', '<f4')])], 'fortran_order': False, 'shape': (1,), }\n", "records" },
    { ARRAY ("|V3", "(2,)"), "records" },
    { ARRAY ("|O", "(2,)"), "objects of Python's" },
    { ARRAY ("<M8[ns]", "(1,)"), "dates or times" },
    { ARRAY ("<f16", "(1,)"), "more than 64 bits" },
    { "{'descr': [('a', '<f4'", "header is damaged" },
  };
  const guint8 data[16] = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    FAILS (load (1, cases[i][0], data, sizeof data, &error), FORMAT, cases[i][1]);
}

TEST (fortran_order, "/engine/npy/fortran-order")
{
  const guint8 columns[] = { 0, 3, 1, 4, 2, 5 };

  check_values ("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", columns, 6,
                (double[]) { 0, 1, 2, 3, 4, 5 }, 6);
}

TEST (complex_is_in_pairs, "/engine/npy/complex-is-in-pairs")
{
  const guint8 c8[] = { 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40 };
  g_autoptr (PrismFields) file
      = MUST (load (1, "{'descr': '<c8', 'fortran_order': True, 'shape': (1, 2), }", c8,
                    sizeof c8, &error));
  const PrismField *npy = get_first (file);

  g_assert_cmpint (npy->kind, ==, PRISM_FIELD_COMPLEX);
  g_assert_cmpint (npy->n_dims, ==, 2);
  for (int i = 0; i < 4; i++)
    g_assert_cmpfloat (npy->values[i], ==, i + 1);
}

TEST (text, "/engine/npy/text")
{
  const guint8 wide[] = { 'h', 0, 0, 0, 0xe9, 0, 0, 0, 0, 0, 0, 0 };
  g_autoptr (PrismFields) u = MUST (load (1, ARRAY ("<U3", "()"), wide, sizeof wide, &error));
  g_autoptr (PrismFields) s = MUST (load (1, ARRAY ("|S4", "()"), "same", 4, &error));
  g_autoptr (PrismFields) number = MUST (load (1, ARRAY ("|S4", "()"), "2 mm", 4, &error));

  g_assert_cmpstr (get_first (u)->labels[0], ==, "hé");
  g_assert_cmpstr (get_first (s)->labels[0], ==, "same");
  g_assert_cmpfloat (get_first (number)->values[0], ==, 2);
  FAILS (load (1, ARRAY ("|S2", "(2,)"), "same", 4, &error), FORMAT, "single valid string");
}

TEST (bad_headers, "/engine/npy/bad-headers")
{
  static const char *const dictionaries[] = {
    "",
    "{",
    "{'descr': '<f4'}",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)",
    "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
    "{'descr': '<f3', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<f16', 'fortran_order': False, 'shape': (0,), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }",
    "{'descr': '<U999999999', 'fortran_order': False, 'shape': (), }",
    "{'evil': __import__('os'), 'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
  };
  const float two[2] = { 1, 2 };

  for (gsize i = 0; i < G_N_ELEMENTS (dictionaries); i++)
    FAILS (load (1, dictionaries[i], two, sizeof two, &error), FORMAT, "test.npy");
}

TEST (truncated, "/engine/npy/truncated")
{
  g_autofree char *path = dup_data_path ("moon64.npy");
  g_autoptr (GBytes) whole = prism_file_load (path, 1 << 20, NULL);
  gsize size = g_bytes_get_size (whole);

  for (gsize length = 0; length < size; length += length < 256 ? 1 : 997)
    {
      g_autoptr (GBytes) part = g_bytes_new_from_bytes (whole, 0, length);
      FAILS (load_bytes (part, &error), FORMAT, "");
    }
}

TEST (save_and_load, "/engine/npy/save-and-load")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "a b %s\n.npy", NULL);
  const float values[6] = { 0, -1.5f, 2, 3, 4e30f, NAN };
  const gsize shape[2] = { 2, 3 };
  g_autofree char *contents = NULL;
  gsize length;

  g_assert_true (MUST (prism_npy_save (path, values, 2, shape, &error)));
  g_autoptr (PrismFields) file = MUST (prism_fields_load_npy (path, &error));
  const PrismField *npy = get_first (file);

  g_assert_cmpint (npy->n_dims, ==, 2);
  g_assert_cmpuint (npy->shape[0], ==, 2);
  g_assert_cmpuint (npy->shape[1], ==, 3);
  float *floats = test_dup_floats (npy);
  g_assert_cmpmem (floats, sizeof values, values, sizeof values);
  prism_arena_free_array (floats);

  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_assert_cmpuint ((length - sizeof values) % 64, ==, 0);
}

/* 6 GB, which nobody has written: a part is read, and nothing else. */
TEST (parts, "/engine/npy/parts")
{
  static const guint8 last[] = { 0x34, 0x12 };
  g_autoptr (GBytes) head
      = new_npy (1, ARRAY ("<u2", "(3, 1000000, 1000)"), last, 0);
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "frames.npy", NULL);
  const gsize start[] = { 2, 999999, 998 }, count[] = { 1, 1, 2 };
  const gsize size = g_bytes_get_size (head) + G_GUINT64_CONSTANT (6000000000);
  double values[2];

  g_assert_true (prism_file_save (path, g_bytes_get_data (head, NULL), g_bytes_get_size (head),
                                  NULL));
  int fd = g_open (path, O_WRONLY, 0);
  g_assert_cmpint (pwrite (fd, last, 2, (goffset) size - 2), ==, 2);
  close (fd);
  g_autoptr (PrismFields) file = MUST (prism_fields_open_npy (path, &error));
  g_assert_true (MUST (prism_fields_load_part (file, get_first (file), start, count, values,
                                               &error)));
  g_assert_cmpfloat (values[0], ==, 0);
  g_assert_cmpfloat (values[1], ==, 0x1234);
}

/* The figures were read with NumPy. */
TEST (archive, "/engine/npy/archive")
{
  g_autofree char *path = dup_data_path ("small_same.npz");
  g_autoptr (PrismFields) npz = MUST (prism_fields_load_npz (path, &error));
  const PrismField *spectrum = prism_fields_find (npz, "spectrum");
  const PrismField *psnr = prism_fields_find (npz, "metric.psnr");

  g_assert_nonnull (prism_fields_find (npz, "grad.l1/layer0.weight"));
  g_assert_null (prism_fields_find (npz, "nothing"));
  g_assert_cmpstr (prism_fields_find (npz, "config.edge")->labels[0], ==, "same");
  g_assert_cmpint (spectrum->n_dims, ==, 3);
  g_assert_cmpuint (spectrum->n_values, ==, 64 * 64 * 2);
  g_assert_cmpint (psnr->n_dims, ==, 0);
  g_assert_cmpfloat_with_epsilon (psnr->values[0], 20.49557876586914, 1e-12);
}

/* It is an archive of arrays, too, but none of frames. */
TEST (saved_run, "/engine/npy/saved-run")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "a.prismrun", NULL);
  g_autoptr (PrismArchiveWriter) writer = MUST (prism_archive_writer_new (path, &error));

  prism_archive_writer_take_text (writer, "run.json", g_strdup ("{}"));
  g_assert_true (MUST (prism_archive_writer_finish (writer, &error)));
  FAILS (prism_fields_load_npz (path, &error), FORMAT, "a.prismrun” is a saved run: open it in");
}

static void
check_damaged_archive (const char *path, gconstpointer data, gsize length)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (prism_file_save (path, data, length, NULL));
  g_autoptr (PrismFields) npz = prism_fields_load_npz (path, &error);
  if (npz == NULL)
    g_assert_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT);
  else
    g_assert_nonnull (prism_fields_find (npz, "object")->obstacle);
}

TEST (damaged_archive, "/engine/npy/damaged-archive")
{
  g_autofree char *source = dup_data_path ("small_same.npz");
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "damaged.npz", NULL), *data = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (source, &data, &length, NULL));
  for (gsize i = 0; i < 4; i++)
    check_damaged_archive (path, data, (gsize[]) { 0, 100, length / 2, length - 1 }[i]);

  char *member = memmem (data, length, "object.npy", strlen ("object.npy"));
  member = memmem (member + 1, data + length - member - 1, "object.npy", strlen ("object.npy"));
  member[200] ^= 0x55;
  check_damaged_archive (path, data, length);
}
