#include "formats/prism-archive-stream.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#include <zlib.h>

static const gsize shape[] = { 3, 5 };

FILE_FIXTURE ("run.prismrun")

static guint
count_files (Fixture *fixture)
{
  g_autoptr (GDir) directory = g_dir_open (fixture->directory, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (directory) != NULL)
    n++;
  return n;
}

static void
fill_values (float *values, float first)
{
  for (int i = 0; i < 15; i++)
    values[i] = first + i;
  values[7] = NAN;
}

static void
write_archive (Fixture *fixture, float first)
{
  g_autoptr (PrismArchiveWriter) writer = MUST (prism_archive_writer_new (fixture->path, &error));
  float values[15];

  fill_values (values, first);
  prism_archive_writer_add_text (writer, "config.prism", "[prism]\nseed=7\n");
  prism_archive_writer_add_array (writer, "snapshots/1/weights.npy", values, 2, shape);
  MUST (prism_archive_writer_finish (writer, &error));
}

static void
assert_archive (PrismArchive *archive, const char *array, float first)
{
  float expected[15];

  SAYS (MUST (prism_archive_load_text (archive, "config.prism", &error)), "[prism]\nseed=7\n");
  float *values = MUST (prism_archive_load_floats (archive, array, 2, shape, &error));
  fill_values (expected, first);
  g_assert_cmpmem (values, sizeof expected, expected, sizeof expected);
  prism_arena_free_array (values);
}

TEST_FIXTURE (round_trip, "/engine/archive/round-trip")
{
  g_autoptr (GError) error = NULL;

  write_archive (self, 1.5f);
  g_assert_cmpuint (count_files (self), ==, 1);
  g_autoptr (PrismArchive) archive = MUST (prism_archive_open (self->path, &error));
  assert_archive (archive, "snapshots/1/weights.npy", 1.5f);
  g_assert_cmpuint (g_strv_length ((char **) prism_archive_get_names (archive)), ==, 2);
  g_assert_true (prism_archive_has (archive, "config.prism"));
  g_assert_false (prism_archive_has (archive, "config"));
  g_assert_true (prism_archive_check (archive, "snapshots/1/weights.npy", &error));
}

/* The old file is open and is replaced by one that takes a part of it over. */
TEST_FIXTURE (copy_from_the_old_one, "/engine/archive/copy")
{
  g_autoptr (GError) error = NULL;

  write_archive (self, 1.5f);
  g_autoptr (PrismArchive) old = prism_archive_open (self->path, &error);
  g_autoptr (PrismArchiveWriter) writer = MUST (prism_archive_writer_new (self->path, &error));
  prism_archive_writer_copy (writer, old, "config.prism", "config.prism");
  prism_archive_writer_copy (writer, old, "snapshots/1/weights.npy", "snapshots/2/weights.npy");
  g_assert_true (MUST (prism_archive_writer_finish (writer, &error)));
  g_autoptr (PrismArchive) archive = MUST (prism_archive_open (self->path, &error));
  assert_archive (archive, "snapshots/2/weights.npy", 1.5f);
  assert_archive (old, "snapshots/1/weights.npy", 1.5f);
}

TEST_FIXTURE (unfinished_leaves_no_trace, "/engine/archive/unfinished")
{
  g_autoptr (GError) error = NULL;

  write_archive (self, 2.0f);
  PrismArchiveWriter *writer = prism_archive_writer_new (self->path, &error);
  prism_archive_writer_add_text (writer, "config.prism", "other");
  prism_archive_writer_free (writer);
  g_assert_cmpuint (count_files (self), ==, 1);
  g_autoptr (PrismArchive) archive = MUST (prism_archive_open (self->path, &error));
  assert_archive (archive, "snapshots/1/weights.npy", 2.0f);
}

/* A part that there was no memory for is said so, and the old file stays. */
TEST_FIXTURE (no_memory_for_a_part, "/engine/archive/no-memory-for-a-part")
{
  g_autoptr (GError) error = NULL;

  write_archive (self, 2.0f);
  g_autoptr (PrismArchiveWriter) writer = prism_archive_writer_new (self->path, &error);
  prism_archive_writer_take_text (writer, "config.prism", g_strdup ("other"));
  prism_archive_writer_take_text (writer, "table.csv", NULL);
  FAILS (prism_archive_writer_finish (writer, &error), MEMORY, "");
  g_autoptr (PrismArchive) archive = prism_archive_open (self->path, NULL);
  assert_archive (archive, "snapshots/1/weights.npy", 2.0f);
}

TEST_FIXTURE (wrong_shape, "/engine/archive/wrong-shape")
{
  const gsize other[] = { 5, 3 };
  const gsize larger[] = { 30, 5 };

  write_archive (self, 1.0f);
  g_autoptr (PrismArchive) archive = prism_archive_open (self->path, NULL);
  FAILS (prism_archive_load_floats (archive, "snapshots/1/weights.npy", 2, other, &error), FORMAT,
         "");
  FAILS (prism_archive_load_floats (archive, "snapshots/1/weights.npy", 2, larger, &error), FORMAT,
         "");
  FAILS (prism_archive_load (archive, "config.prism", 3, &error), FORMAT, "");
}

/* What can be opened and read must be what was written. */
static gboolean
is_whole_or_refused (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismArchive) archive = prism_archive_open (path, &error);
  float expected[15];

  if (archive == NULL)
    return error != NULL && error->domain == PRISM_ERROR;
  g_autofree char *text = prism_archive_load_text (archive, "config.prism", NULL);
  float *values = prism_archive_load_floats (archive, "snapshots/1/weights.npy", 2, shape, NULL);
  fill_values (expected, 1.0f);
  if (text != NULL)
    g_assert_cmpstr (text, ==, "[prism]\nseed=7\n");
  if (values != NULL)
    g_assert_cmpmem (values, sizeof expected, expected, sizeof expected);
  prism_arena_free_array (values);
  return TRUE;
}

TEST_FIXTURE (every_truncation_is_seen, "/engine/archive/truncation")
{
  g_autofree char *contents = NULL;
  gsize length;

  write_archive (self, 1.0f);
  g_assert_true (g_file_get_contents (self->path, &contents, &length, NULL));
  for (gsize n = 0; n < length; n++)
    {
      g_assert_true (g_file_set_contents (self->path, contents, n, NULL));
      FAILS (prism_archive_open (self->path, &error), FORMAT, "");
    }
}

TEST_FIXTURE (every_bit_flip_is_seen, "/engine/archive/bit-flip")
{
  g_autofree char *contents = NULL;
  gsize length;

  write_archive (self, 1.0f);
  g_assert_true (g_file_get_contents (self->path, &contents, &length, NULL));
  for (gsize i = 0; i < length; i++)
    {
      contents[i] ^= 1 << (i % 8);
      g_assert_true (g_file_set_contents_full (self->path, contents, length,
                                               G_FILE_SET_CONTENTS_NONE, 0666, NULL));
      contents[i] ^= 1 << (i % 8);
      g_assert_true (is_whole_or_refused (self->path));
    }
}

TEST_FIXTURE (not_an_archive, "/engine/archive/not-an-archive")
{
  FAILS (prism_archive_open (self->path, &error), IO, "");
  FAILS (prism_archive_open (self->directory, &error), IO, "");
  g_assert_true (g_file_set_contents (self->path, "not a ZIP", -1, NULL));
  FAILS (prism_archive_open (self->path, &error), FORMAT, "");
}

TEST (no_such_directory, "/engine/archive/no-such-directory")
{
  FAILS (prism_archive_writer_new ("/nowhere/at/all.prismrun", &error), IO, "");
}

#define N_BYTES 1000003

/* Deflated bytes that are given away in pieces of odd sizes. */
typedef struct
{
  guint8 *packed; /* [size] */
  gsize size, done;
  gsize fails_at;
} Bytes;

static guint8
get_byte (guint64 i)
{
  return (guint8) (i * i % 251);
}

static gssize
read_bytes (gpointer data, char *buffer, gsize length, GError **error)
{
  Bytes *self = data;
  gsize n = MIN (MIN (length, 101), self->size - self->done);

  if (self->done >= self->fails_at)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO, "The bytes are gone.");
      return -1;
    }
  memcpy (buffer, self->packed + self->done, n);
  self->done += n;
  return (gssize) n;
}

static void
rewind_bytes (gpointer data)
{
  ((Bytes *) data)->done = 0;
}

/* Deflated by zlib, without its head of two bytes and its checksum of four. */
static void
pack_bytes (Bytes *bytes, const guint8 *plain)
{
  uLongf size = compressBound (N_BYTES);

  bytes->packed = g_malloc (size);
  g_assert_cmpint (compress (bytes->packed, &size, plain, N_BYTES), ==, Z_OK);
  bytes->size = size - 6;
  memmove (bytes->packed, bytes->packed + 2, bytes->size);
}

static gboolean
write_bytes (Fixture *fixture, gsize fails_at, GError **error)
{
  g_autoptr (PrismArchiveWriter) writer = prism_archive_writer_new (fixture->path, NULL);
  g_autofree guint8 *plain = g_malloc (N_BYTES);
  Bytes bytes = { .fails_at = fails_at };
  PrismArchiveStream stream
      = { .size = N_BYTES, .read = read_bytes, .rewind = rewind_bytes, .data = &bytes };

  for (guint64 i = 0; i < N_BYTES; i++)
    plain[i] = get_byte (i);
  pack_bytes (&bytes, plain);
  stream.packed_size = bytes.size;
  stream.crc = (guint32) crc32 (0, plain, N_BYTES);
  prism_archive_writer_add_stream (writer, "bytes", &stream);
  prism_archive_writer_add_text (writer, "config.prism", "[prism]\nseed=7\n");
  gboolean written = prism_archive_writer_finish (writer, error);
  g_free (bytes.packed);
  return written;
}

TEST_FIXTURE (stream, "/engine/archive/stream")
{
  g_autoptr (GError) error = NULL;
  guint64 n = 0;
  char block[777];
  gssize n_read;

  g_assert_true (write_bytes (self, G_MAXSIZE, &error));
  g_autoptr (PrismArchive) archive = MUST (prism_archive_open (self->path, &error));
  g_assert_true (prism_archive_check (archive, "bytes", NULL));
  g_autoptr (PrismArchivePart) part = prism_archive_part_open (archive, "bytes", NULL);
  while ((n_read = prism_archive_part_read (part, block, sizeof block, &error)) > 0)
    for (gssize i = 0; i < n_read; i++)
      g_assert_cmpint ((guint8) block[i], ==, get_byte (n++));
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, N_BYTES);
  FAILS (prism_archive_part_open (archive, "bits", &error), FORMAT, "");
}

/* What a stream reports is what the user reads, and the old file stays. */
TEST_FIXTURE (stream_that_fails, "/engine/archive/stream-fails")
{
  g_autoptr (GError) error = NULL;

  write_archive (self, 1.5f);
  g_assert_false (write_bytes (self, 500, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  g_assert_cmpstr (error->message, ==, "The bytes are gone.");
  g_assert_cmpuint (count_files (self), ==, 1);
  g_autoptr (PrismArchive) archive = prism_archive_open (self->path, NULL);
  assert_archive (archive, "snapshots/1/weights.npy", 1.5f);
}
