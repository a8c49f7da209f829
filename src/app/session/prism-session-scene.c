#include "config.h"

#include "session/prism-session-private.h"

#include "results/prism-command.h"

#include <glib/gi18n.h>

/* Frames that were recorded elsewhere, in place of the telescope in front of the draft's object,
 * and which parameters concern them and the device. */

/**
 * prism_session_drop_scene:
 * @self: a session
 *
 * Returns from recorded frames to the telescope in front of the draft's object.
 */
void
prism_session_drop_scene (PrismSession *self)
{
  g_clear_pointer (&self->recorded, prism_scene_unref);
  g_clear_pointer (&self->recorded_object, g_free);
}

/**
 * prism_session_has_frames:
 * @self: a session
 *
 * Returns: whether recorded frames take the telescope's place in what is handed over next; while a
 *   step of a lesson stands in place of the draft they wait
 */
gboolean
prism_session_has_frames (PrismSession *self)
{
  return self->recorded != NULL && !self->simulated;
}

/**
 * prism_session_hand_over:
 * @self: a session
 * @config: what to reconstruct and how
 * @error: return location
 *
 * Gives it to the engine, with the recorded frames, which stay until somebody chooses an object to
 * look at.
 *
 * Errors: those of prism_engine_configure_scene().
 *
 * Returns: whether it was taken
 */
gboolean
prism_session_hand_over (PrismSession *self,
                         const PrismConfig *config,
                         GError **error)
{
  if (prism_session_has_frames (self) && g_strcmp0 (config->object, self->recorded_object) != 0)
    prism_session_drop_scene (self);
  return prism_session_has_frames (self)
             ? prism_engine_configure_scene (self->engine, config, self->recorded, error)
             : prism_engine_configure (self->engine, config, error);
}

/**
 * prism_session_get_recorded:
 * @self: a session
 *
 * Returns: whether recorded frames are looked at, in place of the draft's object
 */
gboolean
prism_session_get_recorded (PrismSession *self)
{
  return prism_session_has_frames (self)
         && g_strcmp0 (prism_draft_get_config (self->draft)->object, self->recorded_object) == 0;
}

/**
 * prism_session_take_scene:
 * @self: a session
 * @scene: recorded frames
 * @config: how to reconstruct them
 *
 * Looks at them until another object than that of @config is chosen.
 */
void
prism_session_take_scene (PrismSession *self,
                          PrismScene *scene,
                          const PrismConfig *config)
{
  prism_session_drop_scene (self);
  self->recorded = prism_scene_ref (scene);
  self->recorded_object = g_strdup (config->object);
}

/**
 * prism_session_get_idle_reason:
 * @self: a session
 * @param: a parameter
 *
 * Returns: (transfer none) (nullable): why the parameter has no effect on this device or these
 *   frames
 */
const char *
prism_session_get_idle_reason (PrismSession *self,
                               const PrismParam *param)
{
  static const char *const keys[] = { "amp", "amp_type", NULL };

  if (prism_session_get_recorded (self) && prism_command_is_of_telescope (param)
      && !g_str_equal (param->key, "object"))
    return _ ("Has no effect on recorded frames");
  if (self->on_cpu && g_strv_contains (keys, param->key))
    return _ ("Needs an NVIDIA graphics processor: the processor computes in single precision");
  return NULL;
}

/**
 * prism_session_clear_cache:
 * @self: a session
 *
 * Gives back the memory of the frames at hand, of a run under way too, which takes them again.
 */
void
prism_session_clear_cache (PrismSession *self)
{
  prism_engine_clear_cache (self->engine);
}
