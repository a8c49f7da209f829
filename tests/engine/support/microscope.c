#include "microscope.h"

#include "base/prism-arena.h"
#include "prism-test.h"

#include <complex.h>
#include <math.h>

#define Q MICROSCOPE_SIDE
#define M MICROSCOPE_OBJECT
#define NA 0.1
#define WAVELENGTH 630e-9
#define PIXEL 1.8e-6
#define SPACING 0.45 /* of neighbouring LEDs, radii of the pupil */
#define BLOBS 60

/* A thin object: blobs that absorb a little and delay the light by up to a radian. */
static void
make_object (Microscope *self, GRand *rand)
{
  for (int y = 0; y < M; y++)
    for (int x = 0; x < M; x++)
      self->object[y][x][0] = self->object[y][x][1] = 0;
  for (int i = 0; i < BLOBS; i++)
    {
      const double cx = g_rand_double_range (rand, 0, M), cy = g_rand_double_range (rand, 0, M);
      const double width = g_rand_double_range (rand, 2, 10);
      const double delay = g_rand_double_range (rand, 0.1, 0.8), loss = g_rand_double (rand) * 0.2;

      for (int y = 0; y < M; y++)
        for (int x = 0; x < M; x++)
          {
            const double dx = remainder (x - cx, M), dy = remainder (y - cy, M);
            const double blob = exp (-(dx * dx + dy * dy) / (2 * width * width));

            self->object[y][x][0] += loss * blob;
            self->object[y][x][1] += delay * blob;
          }
    }
  for (int y = 0; y < M; y++)
    for (int x = 0; x < M; x++)
      {
        const double amplitude = exp (-self->object[y][x][0]), phase = self->object[y][x][1];

        self->object[y][x][0] = amplitude * cos (phase);
        self->object[y][x][1] = amplitude * sin (phase);
      }
}

/* out[k] = Σ in[x]·e^{sign·2πi·kx/n} along rows and then along columns, k from -n/2. */
static void
transform (double complex *values, int n, int sign)
{
  double complex *line = g_new (double complex, n), *phases = g_new (double complex, n);

  for (int i = 0; i < n; i++)
    phases[i] = cexp (sign * 2 * G_PI * I * i / n);
  for (int way = 0; way < 2; way++)
    for (int row = 0; row < n; row++)
      {
        for (int k = 0; k < n; k++)
          {
            double complex sum = 0;

            for (int x = 0; x < n; x++)
              {
                const double complex value = way == 0 ? values[row * n + x] : values[x * n + row];
                const int turns = sign < 0 ? (k - n / 2) * x : k * (x - n / 2);

                sum += value * phases[((turns % n) + n) % n];
              }
            line[k] = sum;
          }
        for (int k = 0; k < n; k++)
          {
            if (way == 0)
              values[row * n + k] = line[k];
            else
              values[k * n + row] = line[k];
          }
      }
  g_free (phases);
  g_free (line);
}

static double complex
get_pupil (const MicroscopeErrors *errors, double x, double y, double radius)
{
  const double square = x * x + y * y;
  const double inside = CLAMP ((1 - sqrt (square)) * radius + 0.5, 0.0, 1.0);
  const double phase = errors->defocus * (2 * square - 1) + errors->astigmatism * (x * x - y * y)
                       + errors->coma * (3 * square - 2) * x;

  return inside * cexp (I * phase);
}

static void
expose (Microscope *self,
        const double complex *spectrum,
        const MicroscopeErrors *errors,
        int j,
        double scale)
{
  double complex *field = g_new (double complex, Q *Q);
  float *frame = self->recording->frames + (gsize) j * Q * Q;
  const int column = (int) floor (self->places[j][0] + 0.5);
  const int row = (int) floor (self->places[j][1] + 0.5);

  for (int y = 0; y < Q; y++)
    for (int x = 0; x < Q; x++)
      {
        const int kx = x - Q / 2 + column, ky = y - Q / 2 + row;
        const double px = (kx - self->places[j][0]) / self->radius;
        const double py = (ky - self->places[j][1]) / self->radius;
        const double complex pupil = get_pupil (errors, px, py, self->radius);

        field[y * Q + x] = 0;
        if (pupil != 0)
          field[y * Q + x] = pupil * spectrum[(ky + M / 2) * M + kx + M / 2];
      }
  transform (field, Q, 1);
  for (int i = 0; i < Q * Q; i++)
    {
      const double amplitude = self->gains[j] * cabs (field[i]);

      frame[i] = (float) (scale * amplitude * amplitude + errors->background);
    }
  g_free (field);
}

/* LEDs in a spiral are as good as LEDs row by row: frames are sorted by their distance. */
static void
place (Microscope *self, const MicroscopeErrors *errors, GRand *rand)
{
  const double cosine = WAVELENGTH / (PIXEL * Q);

  for (int j = 0; j < MICROSCOPE_FRAMES; j++)
    {
      const int half = MICROSCOPE_LEDS / 2;
      const double x = SPACING * self->radius * (j % MICROSCOPE_LEDS - half) + 0.13;
      const double y = SPACING * self->radius * (j / MICROSCOPE_LEDS - half) - 0.21;
      const double s = errors->place_spread, g = errors->gain_spread;

      self->recording->directions[2 * j] = x * cosine;
      self->recording->directions[2 * j + 1] = y * cosine;
      self->places[j][0] = x + g_rand_double_range (rand, -1, 1) * s;
      self->places[j][1] = y + g_rand_double_range (rand, -1, 1) * s;
      self->gains[j] = 1 + g_rand_double_range (rand, -1, 1) * g;
    }
}

Microscope *
microscope_new (const MicroscopeErrors *errors)
{
  Microscope *self = g_new0 (Microscope, 1);
  PrismRecording *recording = prism_recording_new ("microscope", "a test");
  GRand *rand = g_rand_new_with_seed (errors->seed);
  double complex *spectrum = g_new (double complex, M *M);

  self->recording = recording;
  self->radius = NA * PIXEL * Q / WAVELENGTH;
  recording->n_frames = MICROSCOPE_FRAMES;
  recording->width = recording->height = Q;
  recording->na = NA;
  recording->wavelength = WAVELENGTH;
  recording->pixel_size = PIXEL;
  recording->frames
      = prism_arena_new_array (sizeof (float) * MICROSCOPE_FRAMES * Q * Q, "a test", NULL);
  recording->directions = g_new (double, 2 * MICROSCOPE_FRAMES);
  make_object (self, rand);
  place (self, errors, rand);
  for (int i = 0; i < M * M; i++)
    spectrum[i] = self->object[i / M][i % M][0] + I * self->object[i / M][i % M][1];
  transform (spectrum, M, -1);
  for (int j = 0; j < MICROSCOPE_FRAMES; j++)
    expose (self, spectrum, errors, j, MICROSCOPE_BRIGHT / pow (M, 4));
  g_free (spectrum);
  g_rand_free (rand);
  return self;
}

void
microscope_free (Microscope *self)
{
  prism_recording_free (self->recording);
  g_free (self);
}

/* setting: "passes=20" */
void
microscope_set (PrismConfig *settings, const char *setting)
{
  g_auto (GStrv) parts = g_strsplit (setting, "=", 2);

  MUST (prism_config_set_text (settings, parts[0], parts[1], &error));
}
