#include "config.h"

#include "prism-cli-film.h"

#include "base/prism-error.h"
#include "formats/prism-animation.h"
#include "history/prism-keeper.h"

#define MAX_RATE 60

/**
 * prism_cli_film_clear:
 * @self: options
 *
 * Frees what the options hold.
 */
void
prism_cli_film_clear (PrismCliFilm *self)
{
  g_clear_pointer (&self->paths, g_strfreev);
}

static gboolean
check_number (const char *option,
              int value,
              int most,
              GError **error)
{
  if (value >= 0 && value <= most)
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG, "--%s is %d, allowed is 1…%d.", option,
               value, most);
  return FALSE;
}

/**
 * prism_cli_film_check:
 * @self: parsed options
 * @config: the run
 * @error: return location
 *
 * Finds out before the run whether there can be animations where they are wanted.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO.
 *
 * Returns: whether the options are good, or ask for none
 */
gboolean
prism_cli_film_check (const PrismCliFilm *self,
                      const PrismConfig *config,
                      GError **error)
{
  if (self->paths == NULL)
    return TRUE;
  if (prism_keeper_get_capacity (config) == 0)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "--animation needs moments of the run, and a history_size of %d MiB keeps none:"
                   " four pictures must fit. Choose a larger one.",
                   config->history_size);
      return FALSE;
    }
  if (!check_number ("animation-rate", self->rate, MAX_RATE, error)
      || !check_number ("animation-scale", self->scale, 2, error))
    return FALSE;
  for (char **path = self->paths; *path != NULL; path++)
    if (!prism_animation_check (*path, error))
      return FALSE;
  return TRUE;
}

/**
 * prism_cli_film_save:
 * @self: checked options
 * @snapshot: the end of the run
 * @error: return location
 *
 * Writes the animations that were asked for where the run has made a step.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether they are on the disk
 */
gboolean
prism_cli_film_save (const PrismCliFilm *self,
                     PrismSnapshot *snapshot,
                     GError **error)
{
  PrismFilmOptions options;

  if (self->paths == NULL || snapshot->frames == NULL || snapshot->frames->n_moments == 0)
    return TRUE;
  prism_film_options_init (&options);
  options.content = self->panels ? PRISM_FILM_PANELS : PRISM_FILM_RECONSTRUCTION;
  options.scale = MAX (self->scale, 1);
  if (self->rate > 0)
    options.rate = self->rate;
  for (char **path = self->paths; *path != NULL; path++)
    if (!prism_film_save (snapshot, *path, &options, NULL, NULL, error))
      return FALSE;
  return TRUE;
}
