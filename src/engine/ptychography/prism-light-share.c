#include "config.h"

#include "ptychography/prism-light-share.h"

#include "base/prism-number.h"

/**
 * prism_light_share_find_neighbours:
 * @places: (array length=n): where the frames' pupils lie
 * @n: number of frames
 * @frame: one of them
 * @neighbours: (out): the frames whose places are nearest to it, nearest first
 *
 * Returns: their number
 */
guint
prism_light_share_find_neighbours (const double (*places)[2],
                                   guint n,
                                   guint frame,
                                   guint neighbours[PRISM_LIGHT_SHARE_NEIGHBOURS])
{
  double distances[PRISM_LIGHT_SHARE_NEIGHBOURS];
  guint n_found = 0;

  for (guint j = 0; j < n; j++)
    {
      const double distance
          = hypot (places[j][0] - places[frame][0], places[j][1] - places[frame][1]);
      guint k = MIN (n_found, PRISM_LIGHT_SHARE_NEIGHBOURS - 1);

      if (j == frame || (n_found == PRISM_LIGHT_SHARE_NEIGHBOURS && distance >= distances[k]))
        continue;
      for (; k > 0 && distance < distances[k - 1]; k--)
        {
          distances[k] = distances[k - 1];
          neighbours[k] = neighbours[k - 1];
        }
      distances[k] = distance;
      neighbours[k] = j;
      n_found = MIN (n_found + 1, PRISM_LIGHT_SHARE_NEIGHBOURS);
    }
  return n_found;
}

/**
 * prism_light_share_get_ranked:
 * @values: what frames have, NAN for nothing
 * @neighbours: (array length=n_neighbours): frames
 * @n_neighbours: number of them
 * @rank: 0 for the least value, 1 for the most
 *
 * Returns: one of the neighbours' values, NAN where fewer than three have one
 */
double
prism_light_share_get_ranked (const double *values,
                              const guint *neighbours,
                              guint n_neighbours,
                              double rank)
{
  double known[PRISM_LIGHT_SHARE_NEIGHBOURS];
  guint n = 0;

  for (guint k = 0; k < n_neighbours; k++)
    if (isfinite (values[neighbours[k]]))
      known[n++] = values[neighbours[k]];
  if (n < 3)
    return NAN;
  prism_sort_doubles (known, n);
  return known[(guint) (rank * (n - 1))];
}

/**
 * prism_light_share_get:
 * @places: (array length=n): where the frames' pupils lie
 * @light: (array length=n): the frames' mean intensities
 * @n: number of frames
 * @frame: one of them
 *
 * Compares a frame's light with the second least of its eight neighbours: light falls a thousand
 * times at the pupil's rim, and one of the neighbours may be dark itself.
 *
 * Returns: its share, NAN where there is nothing to compare it with
 */
double
prism_light_share_get (const double (*places)[2],
                       const double *light,
                       guint n,
                       guint frame)
{
  guint neighbours[PRISM_LIGHT_SHARE_NEIGHBOURS];
  const guint n_found = prism_light_share_find_neighbours (places, n, frame, neighbours);
  const double second = 1.0 / (PRISM_LIGHT_SHARE_NEIGHBOURS - 1);
  const double least = prism_light_share_get_ranked (light, neighbours, n_found, second);

  return least > 0 ? light[frame] / least : NAN;
}
