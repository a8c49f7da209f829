#include "config.h"

#include "formats/prism-apng.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"

#include <string.h>
#include <zlib.h>

/* Dimensions of this file: h, w = height and width. */

#define CHANNELS 3
/* Levels above 6 take twice the time for a percent. */
#define COMPRESSION 6
#define N_FILTERS 5

static void
put_32 (guint8 *to,
        guint32 value)
{
  to[0] = value >> 24;
  to[1] = value >> 16;
  to[2] = value >> 8;
  to[3] = value;
}

static void
put_16 (guint8 *to,
        guint value)
{
  to[0] = value >> 8;
  to[1] = value;
}

static void
append_chunk (GByteArray *bytes,
              const char *type,
              const guint8 *head,
              guint n_head,
              const guint8 *data,
              guint n_data)
{
  guint32 sum = crc32 (0, (const Bytef *) type, 4);
  guint8 number[4];

  put_32 (number, n_head + n_data);
  g_byte_array_append (bytes, number, 4);
  g_byte_array_append (bytes, (const guint8 *) type, 4);
  if (n_head > 0)
    {
      g_byte_array_append (bytes, head, n_head);
      sum = crc32 (sum, head, n_head);
    }
  if (n_data > 0)
    {
      g_byte_array_append (bytes, data, n_data);
      sum = crc32 (sum, data, n_data);
    }
  put_32 (number, sum);
  g_byte_array_append (bytes, number, 4);
}

/**
 * prism_apng_append_head:
 * @self: (inout): what will be written; the caller has filled in all but @sequence
 * @bytes: the file so far
 *
 * Appends what stands before the first picture: red, green and blue of 8 bits.
 *
 * Source: the PNG specification, third edition, 11.2 and 11.3.
 */
void
prism_apng_append_head (PrismApng *self,
                        GByteArray *bytes)
{
  static const guint8 signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  guint8 header[13] = { 0 }, control[8];
  static const char text[] = "Software\0PRISM Studio " PRISM_VERSION;

  self->sequence = 0;
  g_byte_array_append (bytes, signature, sizeof signature);
  put_32 (header, self->width);
  put_32 (header + 4, self->height);
  header[8] = 8; /* bits */
  header[9] = 2; /* colours */
  append_chunk (bytes, "IHDR", header, sizeof header, NULL, 0);
  append_chunk (bytes, "tEXt", (const guint8 *) text, sizeof text - 1, NULL, 0);
  if (self->n_frames == 0)
    return;
  put_32 (control, self->n_frames);
  put_32 (control + 4, self->loop ? 0 : 1);
  append_chunk (bytes, "acTL", control, sizeof control, NULL, 0);
}

static guint8
predict (int left,
         int up,
         int corner)
{
  int estimate = left + up - corner;
  int to_left = ABS (estimate - left), to_up = ABS (estimate - up);
  int to_corner = ABS (estimate - corner);

  if (to_left <= to_up && to_left <= to_corner)
    return left;
  return to_up <= to_corner ? up : corner;
}

/* What a filter takes away from the bytes of a row, for the compiler to put into vectors. raw and
 * above: [3w], with a pixel of zeros before them; differences: [3w]. */
static void
subtract (int filter,
          const guint8 *raw,
          const guint8 *above,
          gsize n,
          guint8 *differences)
{
  const guint8 *left = raw - CHANNELS, *corner = above - CHANNELS;

  switch (filter)
    {
    case 0:
      memcpy (differences, raw, n);
      break;
    case 1:
      for (gsize i = 0; i < n; i++)
        differences[i] = raw[i] - left[i];
      break;
    case 2:
      for (gsize i = 0; i < n; i++)
        differences[i] = raw[i] - above[i];
      break;
    case 3:
      for (gsize i = 0; i < n; i++)
        differences[i] = raw[i] - (left[i] + above[i]) / 2;
      break;
    default:
      for (gsize i = 0; i < n; i++)
        differences[i] = raw[i] - predict (left[i], above[i], corner[i]);
      break;
    }
}

/* How large the differences are, as signed bytes. */
static guint32
get_weight (const guint8 *differences,
            gsize n)
{
  guint32 sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += MIN (differences[i], 256 - differences[i]);
  return sum;
}

static void
unpack_row (const guint32 *pixels,
            int w,
            guint8 *raw)
{
  for (int x = 0; x < w; x++)
    {
      raw[CHANNELS * x] = pixels[x] >> 16;
      raw[CHANNELS * x + 1] = pixels[x] >> 8;
      raw[CHANNELS * x + 2] = pixels[x];
    }
}

/* Each row by the filter that leaves the least. rows: [h][1 + 3w]; scratch: [3][3 + 3w], zeros. */
static void
filter_picture (const PrismApng *self,
                const guint32 *pixels,
                guint8 *rows,
                guint8 *scratch)
{
  gsize n = CHANNELS * (gsize) self->width;
  guint8 *above = scratch + CHANNELS, *raw = above + n + CHANNELS, *attempt = raw + n + CHANNELS;

  for (int y = 0; y < self->height; y++)
    {
      guint8 *row = rows + (n + 1) * y, *unused = above;
      guint32 least = G_MAXUINT32;

      unpack_row (pixels + (gsize) self->width * y, self->width, raw);
      for (int filter = 0; filter < N_FILTERS; filter++)
        {
          guint32 weight;

          subtract (filter, raw, above, n, attempt);
          weight = get_weight (attempt, n);
          if (weight >= least)
            continue;
          least = weight;
          row[0] = filter;
          memcpy (row + 1, attempt, n);
        }
      above = raw;
      raw = unused;
    }
}

static void
append_control (PrismApng *self,
                GByteArray *bytes)
{
  guint8 control[26] = { 0 };

  put_32 (control, self->sequence++);
  put_32 (control + 4, self->width);
  put_32 (control + 8, self->height);
  put_16 (control + 20, 1);
  put_16 (control + 22, self->rate);
  append_chunk (bytes, "fcTL", control, sizeof control, NULL, 0);
}

/* The first picture is what readers show that know no animations. */
static void
append_data (PrismApng *self,
             GByteArray *bytes,
             const guint8 *data,
             guint n_data)
{
  gboolean first = self->sequence == 0;
  guint8 number[4];

  if (self->n_frames > 0)
    append_control (self, bytes);
  if (first)
    {
      append_chunk (bytes, "IDAT", NULL, 0, data, n_data);
      return;
    }
  put_32 (number, self->sequence++);
  append_chunk (bytes, "fdAT", number, sizeof number, data, n_data);
}

/**
 * prism_apng_append_frame:
 * @self: (inout): the animation
 * @bytes: the file so far
 * @pixels: (array): 0xRRGGBB, the upper byte is not looked at
 *
 * Appends a picture.
 *
 * Shape: [h][w].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_apng_append_frame (PrismApng *self,
                         GByteArray *bytes,
                         const guint32 *pixels,
                         GError **error)
{
  gsize row = 1 + CHANNELS * (gsize) self->width, n_raw = row * self->height;
  uLongf n_packed = compressBound (n_raw);
  gsize n_scratch = 3 * (row + CHANNELS);
  guint8 *raw = prism_arena_new_array (n_raw + n_scratch + n_packed, "a picture", error);
  guint8 *packed;

  if (raw == NULL)
    return FALSE;
  packed = raw + n_raw + n_scratch;
  memset (raw + n_raw, 0, n_scratch);
  filter_picture (self, pixels, raw, raw + n_raw);
  if (compress2 (packed, &n_packed, raw, n_raw, COMPRESSION) != Z_OK)
    {
      prism_arena_free_array (raw);
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                   "A picture of %d × %d pixels cannot be packed: zlib has no memory. Choose a"
                   " smaller size.",
                   self->width, self->height);
      return FALSE;
    }
  append_data (self, bytes, packed, (guint) n_packed);
  prism_arena_free_array (raw);
  return TRUE;
}

/**
 * prism_apng_append_tail:
 * @bytes: the file so far
 *
 * Appends the end of a PNG.
 */
void
prism_apng_append_tail (GByteArray *bytes)
{
  append_chunk (bytes, "IEND", NULL, 0, NULL, 0);
}
