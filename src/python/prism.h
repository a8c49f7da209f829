/* prism: PRISM Studio as a library: what explains frames of a small aperture, from C, Python and
 * whatever calls C. Plain C types; handles are opaque.
 *
 * A handle is used by one thread at a time; different handles by different threads, as many as
 * memory allows. Only libprism_run_stop() may be called while another thread is in
 * libprism_run_wait() of the same run. A run computes on a thread of its own: a call returns when
 * it says so here, and none but libprism_run_new() and libprism_run_wait() takes long.
 *
 * What fails returns NULL or -1, and libprism_last_error() is the sentence that says why.
 * Texts are UTF-8 in English; file names are as the system has them. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIBPRISM_MAX_DIMS 4

typedef struct libprism_frames libprism_frames; /* what a camera recorded */
typedef struct libprism_run libprism_run;       /* a reconstruction */
typedef struct libprism_result libprism_result; /* what one was at one moment; does not change */

typedef enum
{
  LIBPRISM_UINT8,
  LIBPRISM_UINT16,
  LIBPRISM_FLOAT32,
  LIBPRISM_FLOAT64,
  LIBPRISM_COMPLEX64,                   /* pairs of float; only in results */
} libprism_type;

/* The last dimension is the one that lies closest together, without gaps. */
typedef struct
{
  libprism_type type;
  int n_dims;
  size_t shape[LIBPRISM_MAX_DIMS];
  const void *values;
} libprism_array;

/* "0.2.0" */
const char *libprism_version (void);

/* Why the last call on this thread that failed has failed; "" where none has. */
const char *libprism_last_error (void);

/* Frames of a file or folder, as “prism-cli run --measurements” reads them; with path NULL, of
 * arrays that are to follow. Nothing is read before libprism_run_new(). */
libprism_frames *libprism_frames_new (const char *path);
void libprism_frames_free (libprism_frames *frames);

/* Adds an array under the name that it would have in a file: "frames" [N][h][w], "directions"
 * [N][2] direction cosines x, y, "positions" [N][2] of LEDs in m. The values are not copied: they
 * stay where they are until libprism_run_new() has read them. Returns 0, or -1. */
int libprism_frames_set_array (libprism_frames *frames, const char *name,
                               const libprism_array *array);

/* Says how frames are to be understood, as “--assign KEY=VALUE” does: wavelength, na, pixel_size.
 * Returns 0, or -1. */
int libprism_frames_set_text (libprism_frames *frames, const char *key, const char *value);

/* Prepares a run: of recorded frames, or with frames NULL of the telescope that is simulated.
 * preset: NULL, or the name of one. path: NULL, or a .prism file. settings: NULL, or "key=value"
 * with NULL behind the last; over the file, which is over the preset. Reads frames, which may take
 * seconds; they can be freed afterwards. Returns NULL where anything is wrong. */
libprism_run *libprism_run_new (const libprism_frames *frames, const char *preset,
                                const char *path, const char *const *settings);

/* Ends the run, wherever it is. Results stay. */
void libprism_run_free (libprism_run *run);

/* Computes n samples more (passes, where every sample has been taken), then halts; with n = 0 until
 * the end. Returns at once. */
void libprism_run_start (libprism_run *run, unsigned n);

/* Ends the run after the step under way, and keeps the result; libprism_run_wait() tells when. */
void libprism_run_stop (libprism_run *run);

/* Waits until the run halts or ends, for so long at most. Returns 1 when it has, 0 when it goes on,
 * -1 when it failed. */
int libprism_run_wait (libprism_run *run, unsigned milliseconds);

/* What the run has come to, as of the last libprism_run_wait(). NULL before the first. */
libprism_result *libprism_run_get_result (libprism_run *run);

/* Writes the folder that “prism-cli run --output” writes, of a run that has halted or ended.
 * Returns 0, or -1. */
int libprism_run_save (libprism_run *run, const char *directory);

void libprism_result_free (libprism_result *result);

/* Points to an array of the result, which lives as long as it. Returns whether there is one.
 *
 * Telescope, FLOAT32 [m][m]: reconstruction, target, coverage, measurement, spectrum, second.
 * Recorded frames, H×W the object, q the side of a frame, N their number:
 *   object [H][W], pupil [q][q]      COMPLEX64
 *   reconstruction, phase            FLOAT32, as pictures show them, reduced where they are large
 *   gains, light, misfits, correlations [N], places, places_recorded [N][2] (column, row, px of q
 *   from the centre), passes [passes][2] (held-out misfit, correlation)      FLOAT64
 *   roles [N]                        UINT8: 0 used, 1 held out, 2 left out
 * Both: history/NAME [rows], FLOAT64, NAME a column of libprism_result_get_text (, "columns"). */
int libprism_result_get_array (libprism_result *result, const char *name, libprism_array *array);

/* A text of the result, which lives as long as it; NULL where there is none: state ("paused",
 * "stopped", "finished"), verdict (a sentence), verdict_key, warnings (a sentence a line), message,
 * device, device_reason, columns and metrics (names with spaces between), configuration (a .prism
 * file), summary (JSON, of the telescope). */
const char *libprism_result_get_text (libprism_result *result, const char *name);

/* A number of the result, NAN where it is not known: pass, passes, sample, samples, step, seconds,
 * misfit, correlation, coverage, and the metrics by their names; of recorded frames
 * expected_misfit, expected_correlation (what noise allows a perfect model), signal_to_na,
 * pixel_size (of the object, m), wavelength (m), na. */
double libprism_result_get_number (libprism_result *result, const char *name);

#ifdef __cplusplus
}
#endif
