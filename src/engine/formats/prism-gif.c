#include "config.h"

#include "formats/prism-gif.h"

#include "base/prism-arena.h"
#include "formats/prism-palette.h"

#include <string.h>

/* Dimensions of this file: h, w = height and width. */

#define CODE_BITS 8 /* of a colour */
#define CLEAR (1 << CODE_BITS)
#define END (CLEAR + 1)
#define MAX_CODES 4096
#define N_SLOTS 8192
#define BLOCK 255
/* Programs that show GIF take a shorter time for a mistake and wait a tenth of a second. */
#define LEAST_DELAY 2

/* A string is a code and the colour that follows; slots: their codes by a hash of both. */
typedef struct
{
  GByteArray *bytes;
  guint8 block[BLOCK + 1]; /* its length, then what it holds */
  guint32 bits;            /* that no byte is full of yet */
  int n_bits;
  int width; /* bits of a code */
  guint n_codes;
  guint32 keys[N_SLOTS]; /* code << 8 | colour, plus 1; 0 for none */
  guint16 codes[N_SLOTS];
} Packer;

static void
append_16 (GByteArray *bytes,
           guint value)
{
  const guint8 both[] = { value & 255, value >> 8 };

  g_byte_array_append (bytes, both, 2);
}

/**
 * prism_gif_append_head:
 * @self: (inout): what will be written; the caller has filled in size, rate and loop
 * @bytes: the file so far
 *
 * Appends what stands before the first picture.
 *
 * Source: CompuServe, "Graphics Interchange Format", version 89a, and Netscape's extension for
 * loops.
 */
void
prism_gif_append_head (PrismGif *self,
                       GByteArray *bytes)
{
  static const guint8 forever[] = "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00";
  static const guint8 rest[] = { 0x70, 0, 0 }; /* 8 bits of each colour, no common table */

  self->n_frames = self->time = 0;
  g_byte_array_append (bytes, (const guint8 *) "GIF89a", 6);
  append_16 (bytes, self->width);
  append_16 (bytes, self->height);
  g_byte_array_append (bytes, rest, sizeof rest);
  if (self->loop)
    g_byte_array_append (bytes, forever, sizeof forever);
}

static void
flush_block (Packer *packer)
{
  if (packer->block[0] > 0)
    g_byte_array_append (packer->bytes, packer->block, packer->block[0] + 1u);
  packer->block[0] = 0;
}

static void
put_byte (Packer *packer,
          guint8 byte)
{
  packer->block[++packer->block[0]] = byte;
  if (packer->block[0] == BLOCK)
    flush_block (packer);
}

static void
put_code (Packer *packer,
          guint code)
{
  packer->bits |= code << packer->n_bits;
  packer->n_bits += packer->width;
  for (; packer->n_bits >= 8; packer->n_bits -= 8)
    {
      put_byte (packer, packer->bits & 255);
      packer->bits >>= 8;
    }
}

static void
forget_codes (Packer *packer)
{
  put_code (packer, CLEAR);
  memset (packer->keys, 0, sizeof packer->keys);
  packer->n_codes = END + 1;
  packer->width = CODE_BITS + 1;
}

/* The slot of a string, empty where it has no code yet. */
static guint
find_slot (Packer *packer,
           guint32 key)
{
  guint slot = (key * 2654435761u) >> 19;

  while (packer->keys[slot] != 0 && packer->keys[slot] != key)
    slot = (slot + 1) % N_SLOTS;
  return slot;
}

/* A code gets wider when the one that was just given needs it. */
static void
add_code (Packer *packer,
          guint slot,
          guint32 key)
{
  if (packer->n_codes == MAX_CODES)
    {
      forget_codes (packer);
      return;
    }
  if (packer->n_codes == 1u << packer->width)
    packer->width++;
  packer->keys[slot] = key;
  packer->codes[slot] = (guint16) packer->n_codes++;
}

static void
pack (Packer *packer,
      const guint8 *indices,
      gsize n)
{
  guint code = indices[0];

  packer->width = CODE_BITS + 1;
  forget_codes (packer);
  for (gsize i = 1; i < n; i++)
    {
      guint32 key = (code << 8 | indices[i]) + 1;
      guint slot = find_slot (packer, key);

      if (packer->keys[slot] == key)
        code = packer->codes[slot];
      else
        {
          put_code (packer, code);
          add_code (packer, slot, key);
          code = indices[i];
        }
    }
  put_code (packer, code);
  /* The reader adds a string for that code, too. */
  if (packer->n_codes < MAX_CODES && packer->n_codes == 1u << packer->width)
    packer->width++;
  put_code (packer, END);
  if (packer->n_bits > 0)
    put_byte (packer, packer->bits & 255);
  flush_block (packer);
}

/* Hundredths of a second are coarse: what one picture is too long another is too short. */
static guint
get_delay (PrismGif *self)
{
  guint next = (100 * (self->n_frames + 1) + self->rate / 2) / self->rate;
  guint delay = MAX (next - MIN (next, self->time), LEAST_DELAY);

  self->time += delay;
  self->n_frames++;
  return delay;
}

static void
append_control (PrismGif *self,
                GByteArray *bytes)
{
  static const guint8 begin[] = { 0x21, 0xf9, 4, 0x04 }; /* the picture stays */
  static const guint8 end[] = { 0, 0 };

  g_byte_array_append (bytes, begin, sizeof begin);
  append_16 (bytes, get_delay (self));
  g_byte_array_append (bytes, end, sizeof end);
}

static void
append_description (PrismGif *self,
                    GByteArray *bytes,
                    const PrismPalette *palette)
{
  static const guint8 begin[] = { 0x2c, 0, 0, 0, 0 };
  static const guint8 flags = 0x87; /* a table of 256 colours follows */
  guint8 table[3 * PRISM_PALETTE_SIZE] = { 0 };

  g_byte_array_append (bytes, begin, sizeof begin);
  append_16 (bytes, self->width);
  append_16 (bytes, self->height);
  g_byte_array_append (bytes, &flags, 1);
  for (guint i = 0; i < palette->n_colors; i++)
    {
      table[3 * i] = palette->colors[i] >> 16;
      table[3 * i + 1] = palette->colors[i] >> 8;
      table[3 * i + 2] = palette->colors[i];
    }
  g_byte_array_append (bytes, table, sizeof table);
}

/**
 * prism_gif_append_frame:
 * @self: (inout): the animation
 * @bytes: the file so far
 * @pixels: (array): 0xRRGGBB, the upper byte is not looked at
 *
 * Appends a picture with a table of its own 256 colours.
 *
 * Shape: [h][w].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_gif_append_frame (PrismGif *self,
                        GByteArray *bytes,
                        const guint32 *pixels,
                        GError **error)
{
  static const guint8 code_bits = CODE_BITS, end = 0;
  gsize n = (gsize) self->height * self->width;
  guint8 *indices = prism_arena_new_array (n, "a picture", error);
  g_autofree Packer *packer = NULL;
  PrismPalette palette;

  if (indices == NULL)
    return FALSE;
  prism_palette_apply (&palette, pixels, n, indices);
  append_control (self, bytes);
  append_description (self, bytes, &palette);
  g_byte_array_append (bytes, &code_bits, 1);
  packer = g_new0 (Packer, 1);
  packer->bytes = bytes;
  pack (packer, indices, n);
  g_byte_array_append (bytes, &end, 1);
  prism_arena_free_array (indices);
  return TRUE;
}

/**
 * prism_gif_append_tail:
 * @bytes: the file so far
 *
 * Appends the end of a GIF.
 */
void
prism_gif_append_tail (GByteArray *bytes)
{
  static const guint8 end = 0x3b;

  g_byte_array_append (bytes, &end, 1);
}
