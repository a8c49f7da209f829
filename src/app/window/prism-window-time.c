#include "config.h"

#include "window/prism-window-private.h"

#include <glib/gi18n.h>

static const struct
{
  const char *name;
  PrismJump jump;
} jumps[] = {
  { "time-first", PRISM_JUMP_FIRST },
  { "time-last", PRISM_JUMP_LIVE },
  { "time-previous", PRISM_JUMP_PREVIOUS },
  { "time-next", PRISM_JUMP_NEXT },
  { "time-best", PRISM_JUMP_BEST },
  { "time-spike-previous", PRISM_JUMP_PREVIOUS_SPIKE },
  { "time-spike-next", PRISM_JUMP_NEXT_SPIKE },
};

static void
on_jump (GSimpleAction *action,
         GVariant *parameter,
         gpointer data)
{
  PrismWindow *self = data;
  PrismPlayback *playback = prism_session_get_playback (self->session);
  const char *name = g_action_get_name (G_ACTION (action));

  for (gsize i = 0; i < G_N_ELEMENTS (jumps); i++)
    if (g_str_equal (jumps[i].name, name))
      {
        if (!prism_playback_can_jump (playback, jumps[i].jump))
          prism_window_show_toast (self, _ ("There is no such moment in this direction"));
        else
          prism_playback_jump (playback, jumps[i].jump);
      }
}

static void
on_sample (GSimpleAction *action,
           GVariant *parameter,
           gpointer data)
{
  PrismWindow *self = data;
  int sample = g_variant_get_int32 (parameter);

  if (!prism_playback_go_to_sample (prism_session_get_playback (self->session),
                                    (guint) MAX (sample, 0)))
    prism_window_show_toast (self, _ ("The run has not come that far yet"));
}

static void
on_ask_sample (GSimpleAction *action,
               GVariant *parameter,
               gpointer data)
{
  PrismWindow *self = data;

  prism_time_bar_ask_sample (self->time_bar);
}

/* Spikes are looked for when they are asked for: that reads all rows. */
static void
enable_actions (PrismWindow *self)
{
  PrismPlayback *playback = prism_session_get_playback (self->session);
  gboolean any = prism_playback_get_frames (playback) != NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (jumps); i++)
    prism_window_set_enabled (self, jumps[i].name,
                              jumps[i].jump >= PRISM_JUMP_PREVIOUS_SPIKE
                                  ? any
                                  : prism_playback_can_jump (playback, jumps[i].jump));
  prism_window_set_enabled (self, "time-sample", any);
  prism_window_set_enabled (self, "time-ask-sample", any);
}

static void
on_moment_picked (PrismWindow *self,
                  double step)
{
  prism_playback_go_to_step (prism_session_get_playback (self->session), step);
}

static void
add_property_actions (PrismWindow *self)
{
  static const struct
  {
    const char *name;
    const char *property;
  } actions[] = {
    { "time-live", "live" },
    { "time-play", "playing" },
    { "time-loop", "loop" },
    { "time-rate", "rate" },
  };
  PrismPlayback *playback = prism_session_get_playback (self->session);

  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      g_autoptr (GPropertyAction) action
          = g_property_action_new (actions[i].name, playback, actions[i].property);
      g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (action));
    }
}

/**
 * prism_window_install_time:
 * @self: a window
 *
 * Connects what walks through the moments of a run: the time bar, the charts, the actions.
 */
void
prism_window_install_time (PrismWindow *self)
{
  const GActionEntry entries[] = {
    { "time-sample", on_sample, "i" },
    { "time-ask-sample", on_ask_sample },
  };
  PrismPlayback *playback = prism_session_get_playback (self->session);

  for (gsize i = 0; i < G_N_ELEMENTS (jumps); i++)
    {
      const GActionEntry entry = { jumps[i].name, on_jump };
      g_action_map_add_action_entries (G_ACTION_MAP (self), &entry, 1, self);
    }
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  add_property_actions (self);
  prism_time_bar_set_playback (self->time_bar, playback);
  g_signal_connect_object (playback, "notify::shown", G_CALLBACK (enable_actions), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (prism_dashboard_get_timeline (self->dashboard), "moment-picked",
                           G_CALLBACK (on_moment_picked), self, G_CONNECT_SWAPPED);
  enable_actions (self);
}
