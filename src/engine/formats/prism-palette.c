#include "config.h"

#include "formats/prism-palette.h"

#include "base/prism-number.h"

#include <string.h>

/* Five bits of each channel. */
#define BITS 5
#define N_BINS (1 << (3 * BITS))
#define N_SLOTS 1024

typedef struct
{
  guint32 count;
  guint64 sums[3]; /* red, green, blue of the pixels in the bin */
} Bin;

/* A part of the list of bins that are in use. */
typedef struct
{
  guint first;
  guint end;
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
  guint64 count = 0;

  for (guint i = box->first; i < box->end; i++)
    {
      count += bins[used[i]].count;
      for (int axis = 0; axis < 3; axis++)
        {
          low[axis] = MIN (low[axis], get_channel (used[i], axis));
          high[axis] = MAX (high[axis], get_channel (used[i], axis));
        }
    }
  box->axis = 0;
  for (int axis = 1; axis < 3; axis++)
    if (high[axis] - low[axis] > high[box->axis] - low[box->axis])
      box->axis = axis;
  box->weight = count * (guint64) (high[box->axis] - low[box->axis]);
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
  guint64 total = 0, passed = 0;
  guint middle = box->first + 1;

  prism_sort (used + box->first, box->end - box->first, sizeof *used, compare_bins,
              GINT_TO_POINTER (box->axis));
  for (guint i = box->first; i < box->end; i++)
    total += bins[used[i]].count;
  for (guint i = box->first; i + 1 < box->end && 2 * passed < total; i++)
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
get_mean (const Box *box,
          const guint16 *used,
          const Bin *bins)
{
  guint64 count = 0, sums[3] = { 0, 0, 0 };

  for (guint i = box->first; i < box->end; i++)
    {
      count += bins[used[i]].count;
      for (int axis = 0; axis < 3; axis++)
        sums[axis] += bins[used[i]].sums[axis];
    }
  return (guint32) ((sums[0] + count / 2) / count << 16 | (sums[1] + count / 2) / count << 8
                    | (sums[2] + count / 2) / count);
}

static void
count_pixels (Bin *bins,
              const guint32 *pixels,
              gsize n_pixels)
{
  for (gsize i = 0; i < n_pixels; i++)
    {
      Bin *bin = &bins[get_bin (pixels[i])];

      bin->count++;
      bin->sums[0] += pixels[i] >> 16 & 255;
      bin->sums[1] += pixels[i] >> 8 & 255;
      bin->sums[2] += pixels[i] & 255;
    }
}

static void
find_median_cut (PrismPalette *self,
                 const guint32 *pixels,
                 gsize n_pixels,
                 guint8 *indices)
{
  g_autofree Bin *bins = g_new0 (Bin, N_BINS);
  g_autofree guint16 *used = g_new (guint16, N_BINS);
  g_autofree guint8 *of_bin = g_new0 (guint8, N_BINS);
  Box boxes[PRISM_PALETTE_SIZE];
  guint n_used = 0;

  count_pixels (bins, pixels, n_pixels);
  for (guint i = 0; i < N_BINS; i++)
    if (bins[i].count > 0)
      used[n_used++] = (guint16) i;
  self->n_colors = split_boxes (boxes, used, n_used, bins);
  for (guint k = 0; k < self->n_colors; k++)
    {
      self->colors[k] = get_mean (&boxes[k], used, bins);
      for (guint i = boxes[k].first; i < boxes[k].end; i++)
        of_bin[used[i]] = (guint8) k;
    }
  for (gsize i = 0; i < n_pixels; i++)
    indices[i] = of_bin[get_bin (pixels[i])];
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
    find_median_cut (self, pixels, n_pixels, indices);
}
