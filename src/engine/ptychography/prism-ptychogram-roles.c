/* Which frames are used, never used, or left out. A frame that is held out judges the model, so it
 * has to carry signal, no copy of it may be used, and together they must not lie in one line. */
#include "config.h"

#include "ptychography/prism-ptychogram.h"

#include "base/prism-error.h"
#include "model/prism-config-check.h"

#define SAME_PLACE 0.1 /* pixels: nobody places two lights so near to each other */
/* Of a microscope. Cameras that look at something far away have 0.01 and less, and their distance
 * says nothing of light. */
#define LEAST_NA 0.02

/* A quarter of every so many frames, or a bit more, so that nothing divides both. */
static guint
choose_skew (guint hold_out)
{
  for (guint skew = MAX (hold_out / 4, 1);; skew++)
    {
      guint a = hold_out, b = skew;

      while (b != 0)
        {
          const guint rest = a % b;

          a = b;
          b = rest;
        }
      if (a <= 1)
        return skew;
    }
}

/* Exposures of the same place say the same, and are put together: one would be held out in vain
 * where another is used, and the object's steps see each alone as noisier than it has to be. */
static void
find_places (PrismPtychogram *self)
{
  for (guint j = 0; j < self->n_frames; j++)
    {
      guint i = 0;

      while (i < j
             && (self->roles[i] == PRISM_FRAME_LEFT_OUT || self->roles[j] == PRISM_FRAME_LEFT_OUT
                 || hypot (self->centers[i][0] - self->centers[j][0],
                           self->centers[i][1] - self->centers[j][1])
                        > SAME_PLACE))
        i++;
      self->places[j] = i;
      if (i == j)
        continue;
      self->roles[j] = PRISM_FRAME_LEFT_OUT;
      self->n_repeated++;
    }
}

/* Every so many-th place that carries signal; skewed, each time so many earlier. The first one,
 * number 0, is none, and nor are those without signal, which have that number, too. */
static gboolean
is_held_out (guint number,
             guint hold_out,
             guint skew)
{
  return hold_out > 1 && (number + number / hold_out * skew) % hold_out == hold_out - 1;
}

/* Counts the places whose frames carry signal: no other tells whether it is predicted, unless none
 * does. Where there are few of them, more often one is held out, so that about as many are. Returns
 * how often. */
static guint
number_places (const PrismPtychogram *self,
               guint hold_out,
               guint *numbers)
{
  const guint most = 4; /* of those with signal one at most */
  guint n_places = 0, n = 0, n_wanted;
  const gboolean any = prism_frame_noise_has_any (&self->noise, self->n_frames);

  if (hold_out < 2)
    return hold_out;
  for (guint j = 0; j < self->n_frames; j++)
    {
      n_places += self->places[j] == j;
      if (self->places[j] == j && (!any || prism_frame_noise_has_signal (&self->noise, j)))
        numbers[j] = n++;
    }
  n_wanted = n_places / hold_out;
  return n_wanted > 0 && n > 0 ? CLAMP (n / n_wanted, MIN (most, hold_out), hold_out) : hold_out;
}

/* Whether the frames that are held out lie on one line, as where rows of LEDs are as long. */
static gboolean
is_line (const PrismPtychogram *self,
         const guint *numbers,
         guint hold_out,
         guint skew)
{
  double sums[5] = { 0 }, n = 0, xx, yy, xy;

  for (guint j = 0; j < self->n_frames; j++)
    if (is_held_out (numbers[j], hold_out, skew))
      {
        const double x = self->centers[j][0], y = self->centers[j][1];
        const double values[5] = { x, y, x * x, y * y, x * y };

        for (int k = 0; k < 5; k++)
          sums[k] += values[k];
        n++;
      }
  if (n < 4)
    return FALSE;
  xx = sums[2] - sums[0] * sums[0] / n;
  yy = sums[3] - sums[1] * sums[1] / n;
  xy = sums[4] - sums[0] * sums[1] / n;
  return xx + yy - hypot (xx - yy, 2 * xy) < 0.02 * (xx + yy);
}

/* 0 where frames held out in order are no line, or are one however they are chosen. */
static guint
find_skew (const PrismPtychogram *self,
           const guint *numbers,
           guint hold_out)
{
  guint skew;

  if (hold_out < 2 || !is_line (self, numbers, hold_out, 0))
    return 0;
  skew = choose_skew (hold_out);
  return is_line (self, numbers, hold_out, skew) ? 0 : skew;
}

static gboolean
leave_out (PrismPtychogram *self,
           const PrismRecording *recording,
           const char *list,
           GError **error)
{
  g_autoptr (GArray) ranges = prism_frame_list_parse (list, error);

  for (guint j = 0; recording->unplaced != NULL && j < recording->n_frames; j++)
    if (recording->unplaced[j] != 0)
      self->roles[j] = PRISM_FRAME_LEFT_OUT;
  for (guint i = 0; ranges != NULL && i < ranges->len; i++)
    {
      const PrismFrameRange *range = &g_array_index (ranges, PrismFrameRange, i);

      if (range->last >= self->n_frames)
        return prism_error_config (error,
                                   _ ("%s: leave_out names frame %u; there are frames 0 to %u."),
                                   recording->path,
                                   range->last, self->n_frames - 1);
      for (guint j = range->first; j <= range->last; j++)
        self->roles[j] = PRISM_FRAME_LEFT_OUT;
    }
  return ranges != NULL;
}

/**
 * prism_ptychogram_get_light_change:
 * @side: of a square, pixels
 * @distance: of the LEDs, m; not above 0 where it is not known
 *
 * Returns: by how much the light of an LED changes its direction over a square, pixels of its
 *   spectrum; 0 where its distance is not known
 */
double
prism_ptychogram_get_light_change (const PrismRecording *recording,
                                   guint side,
                                   double distance)
{
  const double length = side * recording->pixel_size;

  return distance > 0 && recording->na >= LEAST_NA
             ? length * length / (recording->wavelength * distance)
             : 0;
}

/* A frame that is bright on one side of the NA edge and dark on the other, where one pupil makes it
 * the one or the other, contradicts all frames around it. */
static void
leave_out_crossed (PrismPtychogram *self,
                   const PrismRecording *recording)
{
  const double change = prism_ptychogram_get_light_change (recording, (guint) self->side,
                                                           recording->distance);
  const double reach = change / 2 * self->grid / self->side;

  self->n_crossed = 0;
  for (guint j = 0; j < self->n_frames; j++)
    if (self->roles[j] == PRISM_FRAME_USED
        && fabs (hypot (self->centers[j][0], self->centers[j][1]) - self->radius) < reach)
      {
        self->roles[j] = PRISM_FRAME_LEFT_OUT;
        self->n_crossed++;
      }
}

/**
 * prism_ptychogram_choose_roles:
 * @self: one with places and noise
 * @recording: its frames
 * @settings: what is to be held out and left out
 *
 * Leaves out what has no place and what the user names, what another frame stands for, what the NA
 * edge lies across, and what lies too near the pupil's rim, unless it is held out: there the pupil
 * of one edge of the field is not that of the other.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether the list of frames is one
 */
gboolean
prism_ptychogram_choose_roles (PrismPtychogram *self,
                               const PrismRecording *recording,
                               const PrismConfig *settings,
                               GError **error)
{
  g_autofree guint *numbers = g_new0 (guint, self->n_frames);
  guint hold_out, skew;

  if (!leave_out (self, recording, settings->leave_out, error))
    return FALSE;
  find_places (self);
  leave_out_crossed (self, recording);
  hold_out = number_places (self, (guint) settings->hold_out, numbers);
  skew = find_skew (self, numbers, hold_out);
  self->skewed = skew > 0;
  for (guint j = 0; j < self->n_frames; j++)
    {
      const double distance = hypot (self->centers[j][0], self->centers[j][1]);
      const double off = 100 * fabs (distance / self->radius - 1); /* % */

      if (self->places[j] != j)
        continue;
      self->n_at_rim += off < PRISM_PTYCHOGRAM_RIM && self->roles[j] == PRISM_FRAME_USED;
      if (self->roles[j] == PRISM_FRAME_USED && is_held_out (numbers[j], hold_out, skew))
        self->roles[j] = PRISM_FRAME_HELD_OUT;
      else if (self->roles[j] == PRISM_FRAME_USED && off < settings->half_bright)
        {
          self->roles[j] = PRISM_FRAME_LEFT_OUT;
          self->n_half_bright++;
        }
      self->n_left_out += self->roles[j] == PRISM_FRAME_LEFT_OUT;
    }
  return TRUE;
}

/* Below this share of their area, neighbouring pupils do not tie each other's phases together. */
#define LEAST_OVERLAP 0.35

/**
 * prism_ptychogram_tell:
 * @sentences: (element-type utf8): where to, in the user's language
 *
 * Says what was done with frames beyond what was asked for, and what they are not made for.
 */
void
prism_ptychogram_tell (const PrismPtychogram *self,
                       GPtrArray *sentences)
{
  if (MAX (self->recorded_width, self->recorded_height) > (guint) self->side)
    g_ptr_array_add (sentences, g_strdup_printf (_ ("Of %u×%u pixels the %d×%d in the middle are"
                                                    " explained; tile=%d explains all, in tiles."),
                                                 self->recorded_width, self->recorded_height,
                                                 self->side, self->side, self->side));
  if (self->joins && self->border == 0)
    g_ptr_array_add (sentences, g_strdup (_ ("Opposite edges of the frames join, as in simulated"
                                             " ones: there is no border around them.")));
  if (self->n_repeated > 0)
    g_ptr_array_add (sentences,
                     g_strdup_printf (ngettext ("%u frame repeats the place of another one: the"
                                                " mean of both is used.",
                                                "%u frames repeat the places of others: the mean of"
                                                " those of a place is used.",
                                                self->n_repeated),
                                      self->n_repeated));
  if (self->n_crossed > 0)
    g_ptr_array_add (sentences,
                     g_strdup_printf (ngettext ("%u frame is left out: its light comes in through"
                                                " the NA at one edge of the field and not at the"
                                                " other.",
                                                "%u frames are left out: their light comes in"
                                                " through the NA at one edge of the field and not"
                                                " at the other.",
                                                self->n_crossed),
                                      self->n_crossed));
  if (self->uneven)
    g_ptr_array_add (sentences, g_strdup (_ ("Stray light is not the same everywhere: of each frame"
                                             " its own is taken off; background=auto finds it.")));
  if (self->overlap < LEAST_OVERLAP)
    g_ptr_array_add (sentences,
                     g_strdup_printf (_ ("Neighbouring pupils share %.0f %% of their area; below"
                                         " %.0f %% their phases are hardly tied together."),
                                      100 * self->overlap, 100 * LEAST_OVERLAP));
}
