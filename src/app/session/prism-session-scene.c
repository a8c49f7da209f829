#include "config.h"

#include "session/prism-session-private.h"

#include <glib/gi18n.h>

/* Frames that were recorded elsewhere: they are looked at wherever a configuration names their file
 * as its object, in place of the telescope. And which parameters concern them and the device. */

/**
 * prism_session_drop_scene:
 * @self: a session
 *
 * Forgets recorded frames.
 */
void
prism_session_drop_scene (PrismSession *self)
{
  g_clear_pointer (&self->recorded, prism_scene_unref);
  g_clear_pointer (&self->recorded_object, g_free);
  if (self->draft != NULL)
    prism_draft_set_frames (self->draft, NULL);
}

/**
 * prism_session_take_scene:
 * @self: a session
 * @scene: recorded frames
 * @config: what names them
 *
 * Looks at them wherever a configuration has the same object.
 */
void
prism_session_take_scene (PrismSession *self,
                          PrismScene *scene,
                          const PrismConfig *config)
{
  prism_session_drop_scene (self);
  self->recorded = prism_scene_ref (scene);
  self->recorded_object = g_strdup (config->object);
  prism_draft_set_frames (self->draft, config->object);
}

static gboolean
names_frames (PrismSession *self,
              const PrismConfig *config)
{
  return self->recorded != NULL && g_strcmp0 (config->object, self->recorded_object) == 0;
}

/**
 * prism_session_hand_over:
 * @self: a session
 * @config: what to reconstruct and how
 * @error: return location
 *
 * Gives it to the engine, with the recorded frames where it names them.
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
  return names_frames (self, config)
             ? prism_engine_configure_scene (self->engine, config, self->recorded, error)
             : prism_engine_configure (self->engine, config, error);
}

/**
 * prism_session_get_recorded:
 * @self: a session
 *
 * Returns: whether recorded frames are looked at, in place of an object
 */
gboolean
prism_session_get_recorded (PrismSession *self)
{
  return names_frames (self, prism_draft_get_config (self->draft));
}

/**
 * prism_session_new_sweep:
 * @self: a session
 *
 * Returns: (transfer full): a sweep without an axis, of what the next run would be
 */
PrismSweep *
prism_session_new_sweep (PrismSession *self)
{
  const PrismConfig *config = prism_draft_get_config (self->draft);

  return names_frames (self, config)
             ? prism_sweep_new_recorded (config, prism_scene_get_problem (self->recorded))
             : prism_sweep_new (config);
}

/**
 * prism_session_follow_problem:
 * @self: a session with a new snapshot
 *
 * Looks at the frames of a run that came from a file in the next run, too.
 */
void
prism_session_follow_problem (PrismSession *self)
{
  const PrismSnapshot *snapshot = self->snapshot;
  g_autoptr (PrismProblem) problem = NULL;
  g_autoptr (PrismScene) scene = NULL;

  if (!snapshot->recorded || snapshot->config == NULL || names_frames (self, snapshot->config))
    return;
  problem = prism_engine_ref_problem (self->engine);
  if (problem == NULL)
    return;
  scene = prism_scene_new_problem (problem);
  prism_session_take_scene (self, scene, snapshot->config);
}

/**
 * prism_session_look_at:
 * @self: a session
 * @frame: number of a recorded frame
 *
 * Shows the frame and what is predicted of it.
 */
void
prism_session_look_at (PrismSession *self,
                       guint frame)
{
  prism_engine_look_at (self->engine, frame);
}

/**
 * prism_session_export_problem:
 * @self: a session with a run of recorded frames
 * @directory: a folder
 *
 * Has the result written as the command line does; a snapshot names the folder when it is there.
 */
void
prism_session_export_problem (PrismSession *self,
                              const char *directory)
{
  prism_engine_export (self->engine, directory, FALSE);
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
  const gboolean recorded = prism_draft_get_recorded (self->draft);

  /* Whoever chooses an object leaves the frames. */
  if (!prism_param_is_of (param, recorded) && !g_str_equal (param->key, "object"))
    return recorded ? _ ("Has no effect on recorded frames") : _ ("Has no effect on a telescope");
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
