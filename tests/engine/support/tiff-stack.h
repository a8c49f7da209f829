/* tiff-stack: a TIFF file of frames as ImageJ writes them beyond 4 GB. */
#pragma once

#include <glib.h>

static void
append_word (GByteArray *bytes, guint32 word, guint n, gboolean big)
{
  for (guint i = 0; i < n; i++)
    {
      const guint8 byte = (guint8) (word >> 8 * (big ? n - 1 - i : i));

      g_byte_array_append (bytes, &byte, 1);
    }
}

/* A whole number from 1 to 2048 in half precision. */
static guint32
to_half (guint32 value)
{
  guint32 exponent = 0;

  while (value >> (exponent + 1) > 0)
    exponent++;
  return (exponent + 15) << 10 | ((value << 10 >> exponent) & 0x3ff);
}

/* One directory, and frames of 16 bits one after the other, as ImageJ writes beyond 4 GB. */
static void
tiff_stack_write (const char *path, const char *description, guint side, guint n,
                  const double *values, gboolean big, gboolean half)
{
  const guint n_tags = 11, n_text = (guint) strlen (description) + 1;
  const guint text = 8 + 2 + 12 * n_tags + 4, scale = text + (n_text + 7) / 8 * 8;
  const guint start = scale + 8;
  const guint tags[11][4] = { { 256, 4, 1, side },
                              { 257, 4, 1, side },
                              { 258, 3, 1, 16 },
                              { 259, 3, 1, 1 },
                              { 262, 3, 1, 1 },
                              { 270, 2, n_text, text },
                              { 273, 4, 1, start },
                              { 278, 4, 1, side },
                              { 279, 4, 1, 2 * side * side },
                              { 282, 5, 1, scale },
                              { 339, 3, 1, half ? 3 : 1 } };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  g_byte_array_append (bytes, (const guint8 *) (big ? "MM\0*" : "II*\0"), 4);
  append_word (bytes, 8, 4, big);
  append_word (bytes, n_tags, 2, big);
  for (guint i = 0; i < n_tags; i++)
    {
      append_word (bytes, tags[i][0], 2, big);
      append_word (bytes, tags[i][1], 2, big);
      append_word (bytes, tags[i][2], 4, big);
      append_word (bytes, tags[i][3], tags[i][1] == 3 ? 2 : 4, big);
      append_word (bytes, 0, tags[i][1] == 3 ? 2 : 0, big);
    }
  append_word (bytes, 0, 4, big);
  g_byte_array_append (bytes, (const guint8 *) description, n_text);
  while (bytes->len < scale)
    append_word (bytes, 0, 1, big);
  append_word (bytes, 1000, 4, big);
  append_word (bytes, 1800, 4, big);
  for (gsize i = 0; i < n * side * side; i++)
    append_word (bytes, half ? to_half ((guint32) values[i]) : (guint32) values[i], 2, big);
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
}
