#include "config.h"

#include "base/prism-random.h"

#define PHILOX_ROUNDS 10
#define PHILOX_MULTIPLIER_0 0xd2511f53u
#define PHILOX_MULTIPLIER_1 0xcd9e8d57u
#define PHILOX_WEYL_0 0x9e3779b9u /* golden ratio */
#define PHILOX_WEYL_1 0xbb67ae85u /* √3 - 1 */

#define TWO_TO_MINUS_32 (1.0 / 4294967296.0)
#define TWO_TO_MINUS_53 (1.0 / 9007199254740992.0)

/* The counter is (position, index, stream), so that no two uses of a seed meet. */
static void
draw_block (guint64 seed,
            PrismStream stream,
            guint32 index,
            guint64 position,
            guint32 output[4])
{
  const guint32 counter[4] = { (guint32) position, (guint32) (position >> 32), index, stream };
  const guint32 key[2] = { (guint32) seed, (guint32) (seed >> 32) };

  prism_random_philox (counter, key, output);
}

/* Box–Muller in double: words become numbers in (0, 1), so that the logarithm is finite. */
static void
make_normal_pair (guint32 first,
                  guint32 second,
                  double normals[2])
{
  double radius = sqrt (-2.0 * log ((first + 0.5) * TWO_TO_MINUS_32));
  double angle = 2.0 * G_PI * (second + 0.5) * TWO_TO_MINUS_32;

  normals[0] = radius * cos (angle);
  normals[1] = radius * sin (angle);
}

/**
 * prism_random_philox:
 * @counter: four words
 * @key: two words
 * @output: (out caller-allocates): four random words
 *
 * Philox4x32-10: a random function of counter and key.
 *
 * Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.
 */
void
prism_random_philox (const guint32 counter[4],
                     const guint32 key[2],
                     guint32 output[4])
{
  guint32 c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  guint32 k0 = key[0], k1 = key[1];

  for (int round = 0; round < PHILOX_ROUNDS; round++)
    {
      guint64 a = (guint64) PHILOX_MULTIPLIER_0 * c0;
      guint64 b = (guint64) PHILOX_MULTIPLIER_1 * c2;

      c0 = (guint32) (b >> 32) ^ c1 ^ k0;
      c1 = (guint32) b;
      c2 = (guint32) (a >> 32) ^ c3 ^ k1;
      c3 = (guint32) a;
      k0 += PHILOX_WEYL_0;
      k1 += PHILOX_WEYL_1;
    }
  output[0] = c0;
  output[1] = c1;
  output[2] = c2;
  output[3] = c3;
}

/**
 * prism_random_uniform:
 * @seed: of the run
 * @stream: what the number is for
 * @index: of the sample, layer … within the stream
 * @position: of the pixel, weight … within the index
 *
 * One uniform random number of 53 bits.
 *
 * Returns: the number, 0 ≤ u < 1
 */
double
prism_random_uniform (guint64 seed,
                      PrismStream stream,
                      guint32 index,
                      guint64 position)
{
  guint32 words[4];

  draw_block (seed, stream, index, position, words);
  return (((guint64) words[0] << 21) ^ (words[1] >> 11)) * TWO_TO_MINUS_53;
}

/**
 * prism_random_draw_normals:
 * @seed: of the run
 * @stream: what the numbers are for
 * @index: of the sample, layer … within the stream
 * @block: the numbers' positions are 4·block … 4·block + 3
 * @normals: (out caller-allocates): the numbers
 *
 * Four normal random numbers at once, mean 0 and variance 1: the four words of a block give two
 * Box–Muller pairs (cosine, sine).
 */
void
prism_random_draw_normals (guint64 seed,
                           PrismStream stream,
                           guint32 index,
                           guint64 block,
                           double normals[PRISM_RANDOM_N_NORMALS])
{
  guint32 words[4];

  draw_block (seed, stream, index, block, words);
  make_normal_pair (words[0], words[1], normals);
  make_normal_pair (words[2], words[3], normals + 2);
}

/**
 * prism_random_normal:
 * @seed: of the run
 * @stream: what the number is for
 * @index: of the sample, layer … within the stream
 * @position: of the pixel, weight … within the index
 *
 * One normal random number: number @position modulo 4 of the block @position / 4.
 *
 * Returns: the number, within ±6.8
 */
double
prism_random_normal (guint64 seed,
                     PrismStream stream,
                     guint32 index,
                     guint64 position)
{
  double normals[PRISM_RANDOM_N_NORMALS];

  prism_random_draw_normals (seed, stream, index, position / PRISM_RANDOM_N_NORMALS, normals);
  return normals[position % PRISM_RANDOM_N_NORMALS];
}
