/* Runs a target without libFuzzer: every file of the given folders as it is, then a fixed number of
 * mutations of each, drawn from a seed, half of them with checksums that are right again, so that
 * the ordinary tests meet broken input, too.
 *
 * usage: fuzz-NAME FOLDER… ; environment: PRISM_FUZZ_MUTATIONS, by default 300 per file. */

#include "fuzz-repair.h"
#include "fuzz.h"

#define DEFAULT_MUTATIONS 300
#define MAX_CHANGES 8
#define ROOM 4096 /* bytes that a repair may add */

static void
run_bytes (const char *data, gsize size)
{
  /* A block of its own, so that a read past the end is seen. */
  uint8_t *copy = malloc (MAX (size, 1));

  memcpy (copy, data, size);
  LLVMFuzzerTestOneInput (copy, size);
  free (copy);
}

static void
change_byte (GRand *random, char *data, gsize size)
{
  static const guint8 edges[] = { 0x00, 0x01, 0x7f, 0x80, 0xff, '\n', '-', '9' };
  gsize at = g_rand_int_range (random, 0, size);

  switch (g_rand_int_range (random, 0, 3))
    {
    case 0:
      data[at] ^= 1 << g_rand_int_range (random, 0, 8);
      break;
    case 1:
      data[at] = edges[g_rand_int_range (random, 0, G_N_ELEMENTS (edges))];
      break;
    default:
      data[at] = g_rand_int_range (random, 0, 256);
      break;
    }
}

static void
run_mutations (const char *data, gsize size, guint n_mutations)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (size);

  for (guint i = 0; i < n_mutations && size > 0; i++)
    {
      gsize room = size + ROOM;
      g_autofree char *copy = g_malloc (room);
      guint n_changes = g_rand_int_range (random, 1, MAX_CHANGES + 1);
      gsize length = size;

      memcpy (copy, data, size);
      for (guint k = 0; k < n_changes; k++)
        change_byte (random, copy, size);
      if (g_rand_int_range (random, 0, 4) == 0)
        length = g_rand_int_range (random, 0, size);
      if (i % 2 == 0)
        length = fuzz_repair ((guint8 *) copy, length, room, i / 2);
      run_bytes (copy, length);
    }
}

static guint
get_n_mutations (void)
{
  const char *text = g_getenv ("PRISM_FUZZ_MUTATIONS");

  return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10) : DEFAULT_MUTATIONS;
}

static void
test_folder (gconstpointer folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) directory = g_dir_open (folder, 0, &error);
  const char *name;
  guint n_files = 0;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL), *data = NULL;
      gsize size;

      g_assert_true (g_file_get_contents (path, &data, &size, &error));
      run_bytes (data, size);
      run_mutations (data, size, get_n_mutations ());
      n_files++;
    }
  g_test_message ("%u files", n_files);
  g_assert_cmpuint (n_files, >, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (int i = 1; i < argc; i++)
    {
      g_autofree char *folder = g_path_get_basename (argv[i]);
      g_autofree char *path = g_strdup_printf ("/fuzz/%s/%d", folder, i);

      g_test_add_data_func (path, argv[i], test_folder);
    }
  return g_test_run ();
}
