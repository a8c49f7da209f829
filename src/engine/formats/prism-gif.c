#include "config.h"

#include "formats/prism-gif.h"

#include "base/prism-arena.h"
#include "base/prism-number.h"

/* Five bits of each channel. */
#define BITS 5
#define N_BINS (1 << (3 * BITS))
#define N_SLOTS 1024

typedef struct
{
  guint64 count;
  guint64 sums[3]; /* red, green, blue of the pixels in the bin */
} Bin;

/* A part of the list of bins that are in use, and their pixels. */
typedef struct
{
  guint first;
  guint end;
  Bin pixels;
  guint64 weight; /* pixels times the extent of the longest side */
  int axis;       /* of the longest side */
} Box;

static int
get_channel (guint bin,
             int axis)
{
  return bin >> (BITS * (2 - axis)) & ((1 << BITS) - 1);
}

static guint
get_bin (guint32 color)
{
  return (color >> 19 & 31) << 10 | (color >> 11 & 31) << 5 | (color >> 3 & 31);
}

/* Pictures of one colour table have no more colours than that: they are kept exactly. */
static gboolean
find_exact (PrismPalette *self,
            const guint32 *pixels,
            gsize n_pixels,
            guint8 *indices)
{
  gint16 slots[N_SLOTS];

  memset (slots, -1, sizeof slots);
  self->n_colors = 0;
  for (gsize i = 0; i < n_pixels; i++)
    {
      guint32 color = pixels[i] & 0xffffff;
      guint slot = (color * 2654435761u) >> 22;

      while (slots[slot] >= 0 && self->colors[slots[slot]] != color)
        slot = (slot + 1) % N_SLOTS;
      if (slots[slot] < 0)
        {
          if (self->n_colors == PRISM_PALETTE_SIZE)
            return FALSE;
          slots[slot] = (gint16) self->n_colors;
          self->colors[self->n_colors++] = color;
        }
      indices[i] = (guint8) slots[slot];
    }
  return TRUE;
}

static void
measure_box (Box *box,
             const guint16 *used,
             const Bin *bins)
{
  int low[3] = { 255, 255, 255 }, high[3] = { 0, 0, 0 };

  box->pixels = (Bin) { 0 };
  for (guint i = box->first; i < box->end; i++)
    {
      box->pixels.count += bins[used[i]].count;
      for (int axis = 0; axis < 3; axis++)
        {
          box->pixels.sums[axis] += bins[used[i]].sums[axis];
          low[axis] = MIN (low[axis], get_channel (used[i], axis));
          high[axis] = MAX (high[axis], get_channel (used[i], axis));
        }
    }
  box->axis = 0;
  for (int axis = 1; axis < 3; axis++)
    if (high[axis] - low[axis] > high[box->axis] - low[box->axis])
      box->axis = axis;
  box->weight = box->pixels.count * (guint64) (high[box->axis] - low[box->axis]);
}

static int
compare_bins (gconstpointer a,
              gconstpointer b,
              gpointer data)
{
  int axis = GPOINTER_TO_INT (data);
  guint16 first = *(const guint16 *) a, second = *(const guint16 *) b;
  int difference = get_channel (first, axis) - get_channel (second, axis);

  return difference != 0 ? difference : (int) first - second;
}

/* Halves the pixels of a box along its longest side. */
static void
split_box (Box *box,
           Box *other,
           guint16 *used,
           const Bin *bins)
{
  guint64 passed = 0;
  guint middle = box->first + 1;

  prism_sort (used + box->first, box->end - box->first, sizeof *used, compare_bins,
              GINT_TO_POINTER (box->axis));
  for (guint i = box->first; i + 1 < box->end && 2 * passed < box->pixels.count; i++)
    {
      passed += bins[used[i]].count;
      middle = i + 1;
    }
  *other = (Box) { .first = middle, .end = box->end };
  box->end = middle;
  measure_box (box, used, bins);
  measure_box (other, used, bins);
}

static guint
split_boxes (Box *boxes,
             guint16 *used,
             guint n_used,
             const Bin *bins)
{
  guint n = 1;

  boxes[0] = (Box) { .first = 0, .end = n_used };
  measure_box (&boxes[0], used, bins);
  for (; n < PRISM_PALETTE_SIZE; n++)
    {
      guint heaviest = 0;

      for (guint i = 1; i < n; i++)
        if (boxes[i].weight > boxes[heaviest].weight)
          heaviest = i;
      if (boxes[heaviest].weight == 0)
        return n;
      split_box (&boxes[heaviest], &boxes[n], used, bins);
    }
  return n;
}

static guint32
get_mean (const Bin *pixels)
{
  guint32 color = 0;

  for (int axis = 0; axis < 3; axis++)
    color = color << 8 | (guint32) ((pixels->sums[axis] + pixels->count / 2) / pixels->count);
  return color;
}

/**
 * prism_palette_apply:
 * @self: (out caller-allocates): the colours
 * @pixels: (array length=n_pixels): 0xRRGGBB, the upper byte is not looked at
 * @n_pixels: how many, one at least
 * @indices: (out caller-allocates) (array length=n_pixels): the colour of each pixel
 *
 * Chooses the colours of a picture: all that it has where 256 suffice, else by halving the most
 * crowded part of the colours until there are so many parts.
 *
 * Source: Heckbert, "Color image quantization for frame buffer display", 1982.
 */
void
prism_palette_apply (PrismPalette *self,
                     const guint32 *pixels,
                     gsize n_pixels,
                     guint8 *indices)
{
  if (!find_exact (self, pixels, n_pixels, indices))
    {
      g_autofree Bin *bins = g_new0 (Bin, N_BINS);
      g_autofree guint16 *used = g_new (guint16, N_BINS);
      g_autofree guint8 *of_bin = g_new0 (guint8, N_BINS);
      Box boxes[PRISM_PALETTE_SIZE];
      guint n_used = 0;

      for (gsize i = 0; i < n_pixels; i++)
        {
          Bin *bin = &bins[get_bin (pixels[i])];

          bin->count++;
          bin->sums[0] += pixels[i] >> 16 & 255;
          bin->sums[1] += pixels[i] >> 8 & 255;
          bin->sums[2] += pixels[i] & 255;
        }
      for (guint i = 0; i < N_BINS; i++)
        if (bins[i].count > 0)
          used[n_used++] = (guint16) i;
      self->n_colors = split_boxes (boxes, used, n_used, bins);
      for (guint k = 0; k < self->n_colors; k++)
        {
          self->colors[k] = get_mean (&boxes[k].pixels);
          for (guint i = boxes[k].first; i < boxes[k].end; i++)
            of_bin[used[i]] = (guint8) k;
        }
      for (gsize i = 0; i < n_pixels; i++)
        indices[i] = of_bin[get_bin (pixels[i])];
    }
}

/* Dimensions of this file: h, w = height and width. */

#define CODE_BITS 8 /* of a colour */
#define CLEAR (1 << CODE_BITS)
#define END (CLEAR + 1)
#define MAX_CODES 4096
#define BLOCK 255
/* Programs that show GIF take a shorter time for a mistake and wait a tenth of a second. */
#define LEAST_DELAY 2

typedef struct
{
  GByteArray *bytes;
  gsize block;  /* where the length of the last block stands */
  guint32 bits; /* that no byte is full of yet */
  int n_bits;
  int width; /* bits of a code */
  guint n_codes;
  guint16 next[MAX_CODES][PRISM_PALETTE_SIZE]; /* code of a string and a colour more, 0 for none */
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
put_byte (Packer *packer,
          guint8 byte)
{
  if (packer->bytes->data[packer->block] == BLOCK)
    {
      packer->block = packer->bytes->len;
      g_byte_array_append (packer->bytes, &(const guint8) { 0 }, 1);
    }
  g_byte_array_append (packer->bytes, &byte, 1);
  packer->bytes->data[packer->block]++;
}

static void
put_code (Packer *packer,
          guint code)
{
  packer->bits |= code << packer->n_bits;
  packer->n_bits += packer->width;
  for (; packer->n_bits >= 8; packer->n_bits -= 8, packer->bits >>= 8)
    put_byte (packer, packer->bits & 255);
}

static void
forget_codes (Packer *packer)
{
  put_code (packer, CLEAR);
  memset (packer->next, 0, CLEAR * sizeof *packer->next);
  packer->n_codes = END + 1;
  packer->width = CODE_BITS + 1;
}

/* The last code that was given; a code gets wider when that needs it. */
static void
widen (Packer *packer)
{
  packer->width += packer->n_codes == 1u << packer->width;
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
  /* The picture stays; hundredths of a second are coarse: what one is too long another is too
   * short. */
  static const guint8 control[] = { 0x21, 0xf9, 4, 0x04 }, begin[] = { 0, 0, 0x2c, 0, 0, 0, 0 };
  static const guint8 flags = 0x87, end = 0, block[] = { CODE_BITS, 0 };
  const gsize n = (gsize) self->height * self->width;
  const guint next = (100 * (self->n_frames + 1) + self->rate / 2) / self->rate;
  const guint delay = MAX (next - MIN (next, self->time), LEAST_DELAY);
  prism_autofree_array guint8 *indices = prism_arena_new_array (n, "a picture", error);
  prism_autofree_array Packer *packer
      = indices != NULL ? prism_arena_new_array (sizeof *packer, "a picture", error) : NULL;
  PrismPalette palette;
  guint code;

  if (packer == NULL)
    return FALSE;
  prism_palette_apply (&palette, pixels, n, indices);
  self->time += delay;
  self->n_frames++;
  g_byte_array_append (bytes, control, sizeof control);
  append_16 (bytes, delay);
  g_byte_array_append (bytes, begin, sizeof begin);
  append_16 (bytes, self->width);
  append_16 (bytes, self->height);
  g_byte_array_append (bytes, &flags, 1);
  for (guint i = 0; i < PRISM_PALETTE_SIZE; i++)
    {
      const guint32 color = i < palette.n_colors ? GUINT32_TO_BE (palette.colors[i] << 8) : 0;

      g_byte_array_append (bytes, (const guint8 *) &color, 3);
    }
  g_byte_array_append (bytes, block, sizeof block);
  packer->bytes = bytes;
  packer->block = bytes->len - 1;
  packer->bits = packer->n_bits = 0;
  packer->width = CODE_BITS + 1;
  forget_codes (packer);
  code = indices[0];
  for (gsize i = 1; i < n; i++)
    {
      guint16 *longer = &packer->next[code][indices[i]];

      if (*longer != 0)
        {
          code = *longer;
          continue;
        }
      put_code (packer, code);
      code = indices[i];
      if (packer->n_codes == MAX_CODES)
        forget_codes (packer);
      else
        {
          widen (packer);
          *longer = (guint16) packer->n_codes;
          memset (packer->next[packer->n_codes++], 0, sizeof *packer->next);
        }
    }
  put_code (packer, code);
  /* The reader adds a string for that code, too. */
  if (packer->n_codes < MAX_CODES)
    widen (packer);
  put_code (packer, END);
  if (packer->n_bits > 0)
    put_byte (packer, packer->bits & 255);
  g_byte_array_append (bytes, &end, 1);
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
