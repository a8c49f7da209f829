#include "formats/prism-animation.h"
#include "formats/prism-image.h"
#include "formats/prism-gif.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#define HEIGHT 137
#define WIDTH 153
#define N_FRAMES 5
#define N_PIXELS (HEIGHT * WIDTH)

FOLDER_FIXTURE ((const char *) data)

/* Greys that no row repeats, another picture in each frame. */
static void
draw (guint32 *pixels,
      guint frame)
{
  for (guint i = 0; i < N_PIXELS; i++)
    {
      guint32 x = i + 7919 * frame;
      guint32 level = (x * x / 3 + x * 31) % 256;

      pixels[i] = 0xff000000 | level << 16 | level << 8 | level;
    }
}

static void
write_animation (const char *path,
                 int rate,
                 guint n_frames)
{
  const PrismAnimationSpec spec = { HEIGHT, WIDTH, n_frames, rate, TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismAnimation) animation = prism_animation_new (path, &spec, &error);
  g_autofree guint32 *pixels = g_new (guint32, N_PIXELS);

  g_assert_no_error (error);
  for (guint i = 0; i < n_frames; i++)
    {
      draw (pixels, i);
      g_assert_true (prism_animation_add (animation, pixels, &error));
    }
  g_assert_true (MUST (prism_animation_finish (animation, &error)));
}

static guint32
get_32 (const guint8 *bytes)
{
  return (guint32) bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

static guint
get_16 (const guint8 *bytes)
{
  return bytes[0] | bytes[1] << 8;
}

/* Whether an image is frame i, whose levels an image has as 0…1. */
static void
assert_frame (const PrismImage *image,
              guint i)
{
  g_autofree guint32 *pixels = g_new (guint32, N_PIXELS);

  g_assert_cmpint (image->height, ==, HEIGHT);
  g_assert_cmpint (image->width, ==, WIDTH);
  draw (pixels, i);
  for (guint k = 0; k < N_PIXELS; k++)
    g_assert_cmpfloat_with_epsilon (image->pixels[k] * 255.0f, (float) (pixels[k] & 255), 0.01f);
}

/* The data of one frame as a PNG of its own, for libpng to read. The checksum of the data's chunk
 * is that of its new name. */
static GBytes *
extract_png (const guint8 *file,
             const guint8 *chunk)
{
  static const guint8 tail[] = { 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82 };
  GByteArray *png = g_byte_array_new ();
  gboolean numbered = memcmp (chunk + 4, "fdAT", 4) == 0;
  guint32 length = get_32 (chunk) - (numbered ? 4 : 0), sum = 0xffffffff;
  guint8 head[8] = { length >> 24, length >> 16, length >> 8, length, 'I', 'D', 'A', 'T' }, end[4];

  g_byte_array_append (png, file, 33); /* signature and IHDR */
  guint start = png->len + 4;
  g_byte_array_append (png, head, 8);
  g_byte_array_append (png, chunk + 8 + (numbered ? 4 : 0), length);
  for (guint i = start; i < png->len; i++)
    {
      sum ^= png->data[i];
      for (int k = 0; k < 8; k++)
        sum = sum & 1 ? sum >> 1 ^ 0xedb88320 : sum >> 1;
    }
  for (int i = 0; i < 4; i++)
    end[i] = ~sum >> (24 - 8 * i);
  g_byte_array_append (png, end, 4);
  g_byte_array_append (png, tail, sizeof tail);
  return g_byte_array_free_to_bytes (png);
}

static void
test_apng (Fixture *fixture,
           gconstpointer name)
{
  g_autofree char *data = NULL;
  guint n_frames = 0, n_controls = 0, sequence = 0;
  gsize length;

  write_animation (fixture->path, 12, N_FRAMES);
  g_autoptr (PrismImage) first = MUST (prism_image_load (fixture->path, &error));
  assert_frame (first, 0);
  g_assert_true (g_file_get_contents (fixture->path, &data, &length, NULL));
  for (gsize at = 8; at < length; at += get_32 ((guint8 *) data + at) + 12)
    {
      const guint8 *chunk = (const guint8 *) data + at;
      gboolean is_data = memcmp (chunk + 4, "IDAT", 4) == 0 || memcmp (chunk + 4, "fdAT", 4) == 0;

      if (memcmp (chunk + 4, "acTL", 4) == 0)
        g_assert_cmpuint (get_32 (chunk + 8), ==, N_FRAMES);
      if (memcmp (chunk + 4, "fcTL", 4) == 0)
        {
          g_assert_cmpuint (get_32 (chunk + 8), ==, sequence++);
          g_assert_cmpuint (get_32 (chunk + 12), ==, WIDTH);
          g_assert_cmpuint (chunk[8 + 21], ==, 1);
          g_assert_cmpuint (chunk[8 + 23], ==, 12);
          n_controls++;
        }
      if (memcmp (chunk + 4, "fdAT", 4) == 0)
        g_assert_cmpuint (get_32 (chunk + 8), ==, sequence++);
      if (is_data)
        {
          g_autoptr (GBytes) png = extract_png ((const guint8 *) data, chunk);
          g_autoptr (PrismImage) image = MUST (prism_image_load_bytes (png, "frame", &error));

          assert_frame (image, n_frames++);
        }
    }
  g_assert_cmpuint (n_frames, ==, N_FRAMES);
  g_assert_cmpuint (n_controls, ==, N_FRAMES);
}

/* The strings of LZW by their last colour and the string before it. */
typedef struct
{
  guint16 before[4096];
  guint8 last[4096];
  guint n;
} Strings;

static guint
expand (const Strings *strings,
        guint code,
        guint8 *to)
{
  guint n = 0;

  for (guint c = code;; c = strings->before[c])
    {
      n++;
      if (c < 256)
        break;
    }
  for (guint i = n, c = code; i-- > 0; c = strings->before[c])
    to[i] = c < 256 ? c : strings->last[c];
  return n;
}

/* A decoder that knows nothing of the encoder: from the blocks at bytes, [N_PIXELS] indices.
 * Returns where the blocks end. */
static const guint8 *
unpack_gif (const guint8 *bytes,
            guint8 *indices)
{
  g_autofree Strings *strings = g_new0 (Strings, 1);
  guint32 bits = 0;
  int n_bits = 0, width = 9, before = -1;
  guint n = 0, block = 0;
  gboolean ended = FALSE;

  strings->n = 258;
  for (;;)
    {
      while (n_bits < width)
        {
          if (block == 0)
            {
              block = *bytes++;
              if (block == 0)
                {
                  g_assert_true (ended);
                  g_assert_cmpuint (n, ==, N_PIXELS);
                  return bytes;
                }
            }
          bits |= (guint32) *bytes++ << n_bits;
          n_bits += 8;
          block--;
        }
      if (ended)
        {
          n_bits = 0;
          continue;
        }
      guint code = bits & ((1u << width) - 1);
      bits >>= width;
      n_bits -= width;
      if (code == 256)
        {
          strings->n = 258;
          width = 9;
          before = -1;
          continue;
        }
      if (code == 257)
        {
          ended = TRUE;
          continue;
        }
      g_assert_cmpuint (code, <=, strings->n);
      if (before >= 0 && strings->n < 4096)
        {
          guint8 scratch[N_PIXELS];

          expand (strings, code < strings->n ? code : (guint) before, scratch);
          strings->before[strings->n] = (guint16) before;
          strings->last[strings->n++] = scratch[0];
        }
      g_assert_cmpuint (code, <, strings->n);
      g_assert_cmpuint (n, <, N_PIXELS);
      guint length = expand (strings, code, indices + n);
      n += length;
      before = (int) code;
      if (strings->n == 1u << width && width < 12)
        width++;
    }
}

static void
test_gif (Fixture *fixture,
          gconstpointer name)
{
  g_autofree char *data = NULL;
  g_autofree guint32 *pixels = g_new (guint32, N_PIXELS);
  g_autofree guint8 *indices = g_new (guint8, 2 * N_PIXELS);
  guint delays = 0;
  gsize length;

  write_animation (fixture->path, 15, N_FRAMES);
  g_assert_true (g_file_get_contents (fixture->path, &data, &length, NULL));
  g_assert_cmpint (memcmp (data, "GIF89a", 6), ==, 0);
  const guint8 *at = (const guint8 *) data;
  g_assert_cmpuint (get_16 (at + 6), ==, WIDTH);
  g_assert_cmpuint (get_16 (at + 8), ==, HEIGHT);
  at += 13;
  g_assert_cmpint (memcmp (at, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 19), ==, 0);
  at += 19;
  for (guint i = 0; i < N_FRAMES; i++)
    {
      g_assert_cmpuint (at[1], ==, 0xf9);
      delays += get_16 (at + 4);
      at += 8;
      g_assert_cmpuint (at[0], ==, 0x2c);
      const guint8 *table = at + 10;
      at = unpack_gif (table + 768 + 1, indices);
      draw (pixels, i);
      for (guint k = 0; k < N_PIXELS; k++)
        {
          const guint8 *color = table + 3 * indices[k];

          g_assert_cmpuint (color[0] << 16 | color[1] << 8 | color[2], ==, pixels[k] & 0xffffff);
        }
    }
  g_assert_cmpuint (*at, ==, 0x3b);
  g_assert_true (at + 1 == (const guint8 *) data + length);
  g_assert_cmpuint (delays, ==, 33); /* five fifteenths of a second */
}

TEST_WITH (folder, "/engine/animation/folder", "x")
{
  g_autofree char *last = g_strdup_printf ("frame-%05u.png", N_FRAMES + 1);
  g_autofree char *older = g_build_filename (self->directory, last, NULL);

  /* Of a longer animation that was there before. */
  g_assert_true (g_file_set_contents (older, "older", -1, NULL));
  write_animation (self->directory, 15, N_FRAMES);
  g_assert_false (g_file_test (older, G_FILE_TEST_EXISTS));
  for (guint i = 0; i < N_FRAMES; i++)
    {
      g_autofree char *file = g_strdup_printf ("frame-%05u.png", i + 1);
      g_autofree char *path = g_build_filename (self->directory, file, NULL);
      g_autoptr (PrismImage) image = MUST (prism_image_load (path, &error));

      assert_frame (image, i);
    }
}

/* What is broken off leaves nothing, and the old file as it was. */
TEST_WITH (broken_off, "/engine/animation/broken-off", "x.gif")
{
  const PrismAnimationSpec spec = { HEIGHT, WIDTH, N_FRAMES, 10, TRUE };
  g_autoptr (GError) error = NULL;
  g_autofree guint32 *pixels = g_new0 (guint32, N_PIXELS);
  g_autofree char *text = NULL;

  g_assert_true (g_file_set_contents (self->path, "old", -1, NULL));
  PrismAnimation *animation = MUST (prism_animation_new (self->path, &spec, &error));
  g_assert_true (prism_animation_add (animation, pixels, &error));
  prism_animation_free (animation);
  g_assert_true (g_file_get_contents (self->path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "old");
}

TEST (refused, "/engine/animation/refused")
{
  const PrismAnimationSpec good = { HEIGHT, WIDTH, 1, 10, TRUE };
  const PrismAnimationSpec bad[] = {
    { 0, 1, 1, 10, TRUE },
    { 1, 1, 0, 10, TRUE },
    { 1, 1, 1, 0, TRUE },
    { 1, 1, 1, 61, TRUE },
    { 1, 100000, 1, 10, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      FAILS (prism_animation_new ("/tmp/x.gif", &bad[i], &error), CONFIG, "");
    }
  FAILS (prism_animation_new ("x.mp4", &good, &error), CONFIG, "");
  FAILS (prism_animation_new ("/nonexistent/x.gif", &good, &error), IO, "");
}

/* Colours by the thousand: none is far from the one that stands for it. */
TEST (palette, "/engine/animation/palette")
{
  g_autofree guint32 *pixels = g_new (guint32, 65536);
  g_autofree guint8 *indices = g_new (guint8, 65536);
  PrismPalette palette;
  guint64 sum = 0;

  for (guint i = 0; i < 65536; i++)
    pixels[i] = (i & 255) << 16 | (i >> 8) << 8 | (255 - (i & 255));
  prism_palette_apply (&palette, pixels, 65536, indices);
  g_assert_cmpuint (palette.n_colors, ==, PRISM_PALETTE_SIZE);
  for (guint i = 0; i < 65536; i++)
    for (int shift = 0; shift < 24; shift += 8)
      {
        int difference = (int) (pixels[i] >> shift & 255)
                         - (int) (palette.colors[indices[i]] >> shift & 255);

        g_assert_cmpint (ABS (difference), <, 24);
        sum += (guint) ABS (difference);
      }
  g_assert_cmpfloat ((double) sum / (3 * 65536), <, 6.0);
}

static gboolean
save_video (const char *path,
            GError **error)
{
  const PrismAnimationSpec spec = { 47, 65, 12, 10, FALSE };
  g_autofree guint32 *pixels = g_new0 (guint32, 47 * 65);
  g_autoptr (PrismAnimation) animation = prism_animation_new (path, &spec, error);

  for (guint i = 0; animation != NULL && i < spec.n_frames; i++)
    {
      for (guint k = 0; k < 47 * 65; k++)
        pixels[k] = 20 * i << 16 | (k & 255);
      if (!prism_animation_add (animation, pixels, error))
        return FALSE;
    }
  return animation != NULL && prism_animation_finish (animation, error);
}

/* The first bytes are those of a Matroska file. */
TEST_WITH (webm, "/engine/animation/webm", "x.webm")
{
  static const char magic[] = { 0x1a, 0x45, (char) 0xdf, (char) 0xa3 };
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  if (!prism_video_is_possible ())
    {
      g_test_skip ("GStreamer's tools are not installed.");
      return;
    }
  if (!save_video (self->path, &error))
    {
      g_test_skip (error->message);
      return;
    }
  g_assert_true (g_file_get_contents (self->path, &content, &length, &error));
  g_assert_cmpuint (length, >, 500);
  g_assert_cmpmem (content, sizeof magic, magic, sizeof magic);
  g_assert_nonnull (memmem (content, length, "webm", 4));
}

/* A GStreamer that ends at once, as without plug-ins, is one sentence; no file is left. */
TEST_WITH (webm_fails, "/engine/animation/webm-fails", "x.webm")
{
  g_autofree char *directory = g_path_get_dirname (self->path);
  g_autofree char *program = g_build_filename (directory, "gst-launch-1.0", NULL);
  g_autofree char *before = g_strdup (g_getenv ("PATH"));
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents_full (program, "#!/bin/sh\nexit 1\n", -1,
                                           G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  g_setenv ("PATH", directory, TRUE);
  g_assert_false (save_video (self->path, &error));
  g_setenv ("PATH", before, TRUE);
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  HAS (error->message, "vp8enc");
  g_assert_false (g_file_test (self->path, G_FILE_TEST_EXISTS));
  g_unlink (program);
}

TESTS
{
  g_test_add ("/engine/animation/apng", Fixture, "x.apng", set_up, test_apng, tear_down);
  g_test_add ("/engine/animation/gif", Fixture, "x.gif", set_up, test_gif, tear_down);
}
