#include "config.h"

#include "window/prism-picture-set.h"

#include "canvas/prism-image-view.h"
#include "canvas/prism-view.h"
#include "config/prism-builtin.h"
#include "model/prism-display.h"
#include "model/prism-limits.h"
#include "support/prism-ui-text.h"
#include "support/prism-widget.h"
#include "tools/prism-image-tools.h"
#include "tools/prism-levels-editor.h"
#include "tools/prism-mark-readings.h"

#define MOST 8
/* Limits that are dragged, spun or slid settle before they are one step of undo. */
#define LIMITS_DELAY 250 /* ms */

/* A panel and what it got. */
typedef struct
{
  PrismPanel *panel; /* (unowned) */
  PrismView *view;   /* (unowned) */
  gboolean camera;
  PrismImageTools *tools;    /* (unowned) */
  PrismLevelsEditor *levels; /* (unowned) */
  PrismMarkReadings *bench;  /* (unowned) */
} Member;

struct _PrismPictureSet
{
  GObject parent_instance;

  PrismMarkBook *book;
  PrismSession *session; /* (nullable): keeps marks and limits with the other settings */
  char *limits;          /* as the views have them, or will as soon as they have settled */
  guint limits_id;
  Member members[MOST];
  guint n_members;
};

G_DEFINE_FINAL_TYPE (PrismPictureSet, prism_picture_set, G_TYPE_OBJECT)

static void
prism_picture_set_dispose (PrismPictureSet *self)
{
  self->n_members = 0;
}

static void
prism_picture_set_class_init (PrismPictureSetClass *klass)
{
  PRISM_ON_DISPOSE (klass, prism_picture_set_dispose);
  PRISM_DISPOSE (klass, PrismPictureSet, g_source_remove, limits_id);
  PRISM_DISPOSE (klass, PrismPictureSet, g_free, limits);
  PRISM_DISPOSE (klass, PrismPictureSet, g_object_unref, book, session);
}

static void
prism_picture_set_init (PrismPictureSet *self)
{
  self->book = g_object_new (PRISM_TYPE_MARK_BOOK, NULL);
  self->limits = g_strdup ("");
}

static PrismCanvas *
get_canvas (gpointer panel)
{
  return PRISM_VIEW (PRISM_PANEL (panel)->child)->canvas;
}

static void
on_zoom (GSimpleAction *action,
         GVariant *parameter,
         gpointer panel)
{
  const char *name = g_action_get_name (G_ACTION (action));

  if (g_str_has_suffix (name, "fit"))
    prism_viewport_reset (get_canvas (panel)->viewport);
  else
    prism_canvas_zoom_to (get_canvas (panel), g_str_has_suffix (name, "1") ? 1 : 2);
}

/* The window does what needs files and the clipboard; it is told which panel. */
static void
on_window_action (GSimpleAction *action,
                  GVariant *parameter,
                  gpointer panel)
{
  g_autofree char *name = g_strconcat ("win.", g_action_get_name (G_ACTION (action)), NULL);

  gtk_widget_activate_action (panel, name, "s", PRISM_PANEL (panel)->id);
}

static void
on_remove (GSimpleAction *action,
           GVariant *parameter,
           gpointer panel)
{
  prism_mark_book_remove (get_canvas (panel)->book);
}

/* In all the room there is, where its length can be read. */
static void
on_ruler (GSimpleAction *action,
          GVariant *parameter,
          gpointer panel)
{
  g_object_set (panel, "maximized", TRUE, NULL);
  prism_mark_book_set_tool (get_canvas (panel)->book, PRISM_MARK_RULER);
}

static void
add_actions (PrismPictureSet *self,
             PrismPanel *panel)
{
  static const GActionEntry entries[] = {
    { "zoom-fit", on_zoom },
    { "zoom-1", on_zoom },
    { "zoom-2", on_zoom },
    { "copy", on_window_action },
    { "copy-figure", on_window_action },
    { "save-readings", on_window_action },
    { "remove", on_remove },
    { "ruler", on_ruler },
  };
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  g_autoptr (GPropertyAction) tool = g_property_action_new ("tool", self->book, "tool");

  g_action_map_add_action_entries (G_ACTION_MAP (group), entries, G_N_ELEMENTS (entries), panel);
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (tool));
  gtk_widget_insert_action_group (GTK_WIDGET (panel), "picture", G_ACTION_GROUP (group));
}

/* A tool that nobody sees draws nothing. */
static void
on_maximized (PrismPictureSet *self,
              GParamSpec *pspec,
              PrismPanel *panel)
{
  if (!panel->maximized && self->book != NULL)
    prism_mark_book_set_tool (self->book, PRISM_MARK_BOOK_NO_TOOL);
}

static char *
dup_limits (PrismPictureSet *self)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (PrismLimits));

  for (guint picture = 0; picture < PRISM_LIMITS_N_PICTURES; picture++)
    for (guint i = 0; i < self->n_members; i++)
      if (g_strcmp0 (self->members[i].panel->id,
                     prism_limits_get_picture (picture))
          == 0)
        {
          PrismLimits limits = { .picture = picture };

          prism_levels_editor_get_limits (self->members[i].levels, &limits);
          g_array_append_val (list, limits);
        }
  return prism_limits_list_to_text (list);
}

/* What comes in quick succession is undone together. */
static void
keep_limits (PrismPictureSet *self)
{
  g_free (self->limits);
  self->limits = dup_limits (self);
  if (self->session != NULL)
    prism_draft_set_display (self->session->draft, "limits", self->limits,
                             "limits");
}

static void
on_limits_edited (PrismPictureSet *self)
{
  prism_later (&self->limits_id, LIMITS_DELAY, keep_limits, self);
}

static void
show_limits (PrismPictureSet *self,
             const char *text)
{
  g_autoptr (GArray) list = prism_limits_list_parse (text, NULL);

  /* What cannot be read is refused where it was written. */
  if (list == NULL || g_strcmp0 (text, self->limits) == 0)
    return;
  g_clear_handle_id (&self->limits_id, g_source_remove);
  prism_keep_text (&self->limits, text);
  for (guint i = 0; i < self->n_members; i++)
    prism_levels_editor_set_limits (
        self->members[i].levels,
        prism_limits_list_find (list, self->members[i].panel->id));
}

/**
 * prism_picture_set_add:
 * @self: a set
 * @panel: with a view that has its title
 * @camera: whether it shows what the camera sees
 *
 * Gives the panel marks and tools.
 */
void
prism_picture_set_add (PrismPictureSet *self,
                       PrismPanel *panel,
                       gboolean camera)
{
  PrismView *view = PRISM_VIEW (panel->child);
  Member *member = &self->members[self->n_members];

  g_return_if_fail (self->n_members < MOST);

  prism_canvas_set_marks (view->canvas, self->book, camera);
  *member = (Member) {
    panel,
    view,
    camera,
    PRISM_IMAGE_TOOLS (prism_image_tools_new (view, PRISM_PANEL (panel)->id)),
    NULL,
    PRISM_MARK_READINGS (prism_mark_readings_new (view, camera)),
  };
  member->levels = PRISM_LEVELS_EDITOR (
      gtk_widget_get_template_child (GTK_WIDGET (member->tools), PRISM_TYPE_IMAGE_TOOLS, "levels"));
  PRISM_CONNECT (member->levels, "edited", on_limits_edited, self);
  prism_view_set_tools (view, GTK_WIDGET (member->tools), GTK_WIDGET (member->bench));
  g_object_bind_property (panel, "maximized", member->tools, "visible", G_BINDING_SYNC_CREATE);
  g_object_bind_property (panel, "maximized", member->bench, "visible", G_BINDING_SYNC_CREATE);
  PRISM_CONNECT (panel, "notify::maximized", on_maximized, self);
  add_actions (self, panel);
  self->n_members++;
}

static Member *
find_member (PrismPictureSet *self,
             PrismPanel *panel)
{
  for (guint i = 0; i < self->n_members; i++)
    if (self->members[i].panel == panel)
      return &self->members[i];
  g_return_val_if_reached (NULL);
}

/**
 * prism_picture_set_link:
 * @self: a set
 * @first: a panel of it
 * @second: another one, with the same kind of values
 *
 * Lets both have the same limits where the user wants that.
 */
void
prism_picture_set_link (PrismPictureSet *self,
                        PrismPanel *first,
                        PrismPanel *second)
{
  prism_levels_editor_link (find_member (self, first)->levels,
                            find_member (self, second)->levels);
}

static void
follow_display (PrismPictureSet *self)
{
  g_autofree char *marks = prism_session_dup_marks (self->session);
  g_autofree char *limits = prism_display_dup (
      self->session->draft->display, "limits");

  g_object_set (self->book, "text", marks, NULL);
  show_limits (self, limits);
}

static void
on_marks_changed (PrismPictureSet *self)
{
  g_autofree char *text = NULL;

  g_object_get (self->book, "text", &text, NULL);
  prism_session_set_marks (self->session, text);
}

/**
 * prism_picture_set_set_session:
 * @self: a set with all its panels
 * @session: has the draft that keeps marks and limits, and the past
 *
 * Has the draft keep marks and limits, and lets pictures of the same size lie over each other.
 */
void
prism_picture_set_set_session (PrismPictureSet *self,
                               PrismSession *session)
{
  for (guint i = 0; i < self->n_members; i++)
    {
      Member *member = &self->members[i];

      for (guint k = 0; k < self->n_members; k++)
        {
          if (self->members[k].camera != member->camera)
            continue;
          prism_mark_readings_add_source (member->bench, self->members[k].view);
          if (k != i)
            prism_image_tools_add_overlay (member->tools, self->members[k].view);
        }
      prism_mark_readings_set_playback (member->bench, session->playback);
    }
  self->session = g_object_ref (session);
  g_object_connect (session->draft, "swapped-object-signal::changed",
                    follow_display, self, "swapped-object-signal::display-changed", follow_display,
                    self, NULL);
  PRISM_CONNECT (session, "notify::snapshot", follow_display, self);
  PRISM_CONNECT (self->book, "notify::text", on_marks_changed, self);
  follow_display (self);
}

/**
 * prism_picture_set_drop:
 * @self: a set whose panels go
 *
 * Keeps what has not settled yet. Takes the actions away, which GTK 4.8 never frees by itself.
 */
void
prism_picture_set_drop (PrismPictureSet *self)
{
  if (self->limits_id != 0)
    {
      g_clear_handle_id (&self->limits_id, g_source_remove);
      keep_limits (self);
    }
  for (guint i = 0; i < self->n_members; i++)
    gtk_widget_insert_action_group (GTK_WIDGET (self->members[i].panel), "picture", NULL);
  self->n_members = 0;
}

/**
 * prism_picture_set_dup_csv:
 * @self: a set
 * @id: of a panel
 *
 * Returns: (transfer full) (nullable): what the marks over it tell, %NULL for a panel without marks
 */
char *
prism_picture_set_dup_csv (PrismPictureSet *self,
                           const char *id)
{
  for (guint i = 0; i < self->n_members; i++)
    if (g_strcmp0 (self->members[i].panel->id, id) == 0)
      return prism_mark_readings_dup_csv (self->members[i].bench);
  return NULL;
}

static PrismImage *
get_target (gpointer view,
            const PrismSnapshot *shown)
{
  return shown != NULL ? prism_image_ref (shown->target) : NULL;
}

/* Whose reconstruction is shown: one is held for the time being, unless one looks at the past. */
static PrismSnapshot *
get_pictured (gpointer widget,
              PrismSnapshot *shown,
              PrismSnapshot *held,
              gboolean past)
{
  return prism_snapshot_ref (held != NULL && !past ? held : shown);
}

/* How far the picture may be believed, and what made it: where there is little room, the end of it
 * is cut off. The whole begins with what was measured, and what is left of it. */
static char *
dup_maker (gpointer label,
           const PrismSnapshot *pictured,
           gboolean whole)
{
  const char *maker = pictured != NULL && pictured->reconstruction != NULL
                          ? prism_snapshot_get_maker (pictured)
                          : NULL;
  g_autofree char *remarks = NULL, *progress = NULL, *misfit = NULL, *lines = NULL;
  g_auto (GStrv) sentences = NULL;

  if (maker == NULL)
    return g_strdup ("");
  remarks = whole ? prism_snapshot_dup_remarks (pictured, FALSE)
                  : prism_snapshot_dup_verdict (pictured);
  progress = prism_ui_text_dup_progress (pictured);
  misfit = prism_ui_text_dup_loss (pictured->misfit);
  /* GTK does not break the lines of a tooltip. */
  sentences = g_strsplit (whole ? remarks : "", ". ", -1);
  lines = g_strjoinv (".\n", sentences);
  if (whole)
    /* TRANSLATORS: “Finished: 99 % covered, 52 dB”, and sentences after what made the picture */
    return g_strdup_printf (_ ("%s, misfit %s\nPicture: %s\n%s"), progress, misfit, maker, lines);
  /* TRANSLATORS: “fits the measurements”, and what made the picture */
  return remarks != NULL ? g_strdup_printf (_ ("Picture: %s (%s)"), remarks, maker)
                         : g_strdup_printf (_ ("Picture: %s"), maker);
}

/* What explains the measurements, too, where that is asked for. */
static PrismImage *
get_second (const PrismSnapshot *pictured,
            gboolean shows_second)
{
  return pictured != NULL && shows_second ? pictured->second : NULL;
}

static PrismImage *
get_reconstruction (gpointer view,
                    const PrismSnapshot *pictured,
                    gboolean shows_second)
{
  PrismImage *second = get_second (pictured, shows_second);

  if (second != NULL)
    return prism_image_ref (second);
  return pictured != NULL ? prism_image_ref (pictured->reconstruction) : NULL;
}

/* The picture of another run, where one is held against this one and both have one size. */
static PrismImage *
get_previous (const PrismSnapshot *pictured,
              const PrismSnapshot *previous)
{
  PrismImage *a = pictured != NULL ? pictured->reconstruction : NULL;
  PrismImage *b = previous != NULL ? previous->reconstruction : NULL;

  return a != NULL && b != NULL && a->width == b->width && a->height == b->height ? b : NULL;
}

/* Of the object that the reconstruction is of; beside a second picture the first. */
static PrismImage *
get_reference (gpointer view,
               const PrismSnapshot *pictured,
               gboolean shows_second,
               const PrismSnapshot *previous)
{

  if (get_second (pictured, shows_second) != NULL)
    return prism_image_ref (pictured->reconstruction);
  if (get_previous (pictured, previous) != NULL)
    return prism_image_ref (previous->reconstruction);
  return get_target (view, pictured);
}

/* Without an object the picture is no error. */
static PrismImage *
get_compared (gpointer view,
              const PrismSnapshot *pictured,
              gboolean shows_second,
              const PrismSnapshot *previous)
{
  PrismImage *second = get_second (pictured, shows_second);

  if (second != NULL)
    return prism_image_ref (second);
  if (pictured == NULL || (pictured->target == NULL && get_previous (pictured, previous) == NULL))
    return NULL;
  return prism_image_ref (pictured->reconstruction);
}

/* Before the first run. */
static gboolean
has_start (gpointer box,
           const PrismSnapshot *shown)
{
  return shown != NULL && shown->state == PRISM_STATE_IDLE;
}

static char *
dup_run_text (gpointer button,
              const PrismSnapshot *shown)
{
  g_autofree char *label
      = shown != NULL ? prism_builtin_dup_label (shown->config->object) : g_strdup ("");

  return g_strdup_printf (_ ("Run: %s (F5)"), label);
}

static char *
dup_reconstruction_text (gpointer view,
                         const PrismSnapshot *shown)
{
  return g_strdup (has_start (view, shown) ? "" : _ ("The picture appears after the first pass."));
}

static char *
dup_second_notice (gpointer view,
                   const PrismSnapshot *pictured,
                   gboolean shows_second)
{

  if (pictured == NULL || pictured->second == NULL)
    return NULL;
  return g_strdup (shows_second
                       ? _ ("The other of two pictures that fit the measurements equally.")
                       : _ ("One of two pictures that fit the measurements equally."));
}

static char *
dup_difference_notice (gpointer view,
                       const PrismSnapshot *pictured,
                       gboolean shows_second,
                       const PrismSnapshot *previous)
{

  if (get_second (pictured, shows_second) != NULL)
    return g_strdup (_ ("The other picture minus the reconstruction."));
  if (get_previous (pictured, previous) != NULL)
    return g_strdup (_ ("This run minus the last run."));
  return g_strdup (previous != NULL ? _ ("No difference: the last run has another size.") : NULL);
}

static char *
dup_target_text (gpointer view,
                 const PrismSnapshot *shown)
{
  return g_strdup (shown != NULL && shown->has_no_target
                       ? _ ("No target: nobody knows the object of these frames.")
                       : _ ("No object"));
}

static char *
dup_error_text (gpointer view,
                const PrismSnapshot *shown)
{
  return g_strdup (shown != NULL && shown->has_no_target
                       ? _ ("No target: the error is unknown.")
                       : _ ("Reconstruction minus target appears with the run."));
}

static PrismImage *
get_measurement (gpointer view,
                 const PrismSnapshot *shown,
                 gboolean past,
                 gboolean shows_exposure,
                 gboolean hides_exposure,
                 PrismImage *frame)
{
  gboolean unmeasured;

  if (shown == NULL || prism_snapshot_is_recorded (shown))
    return prism_image_ref (frame);
  unmeasured = shown->measurement == NULL && !past;
  return prism_image_ref ((shows_exposure || unmeasured) && !(unmeasured && hides_exposure)
                              ? shown->exposure
                              : shown->measurement);
}

/**
 * prism_panel_pictures_dup_gap:
 * @past: whether another moment than the newest is shown
 *
 * Files of older versions have pictures alone, and so have fields without room for more.
 *
 * Returns: (transfer full): why nothing is known of the frames
 */
char *
prism_panel_pictures_dup_gap (gboolean past)
{
  return prism_ui_text_dup_sentence (
      past ? _ ("Not kept of this moment: history_size has no room for it, or the file is older")
           : _ ("Appears after the first pass"));
}

static char *
dup_finding_text (gpointer view,
                  gboolean past)
{
  return prism_panel_pictures_dup_gap (past);
}

static char *
dup_object_notice (gpointer view,
                   const PrismSnapshot *shown)
{
  return shown != NULL ? prism_snapshot_dup_object_notice (shown) : NULL;
}

static char *
dup_measurement_text (gpointer view,
                      gboolean past)
{
  return g_strdup (past
                       ? _ ("What the camera saw then is not kept.")
                       : _ ("What the camera sees through the aperture appears with the run."));
}

/**
 * prism_panel_pictures_bind:
 * @widget_class: of a template
 *
 * Gives the template the functions that choose pictures and words of a snapshot.
 */
void
prism_panel_pictures_bind (GtkWidgetClass *widget_class)
{
  g_type_ensure (PRISM_TYPE_IMAGE);
  PRISM_TEMPLATE_CALLBACKS (widget_class, has_start, get_pictured, dup_maker, dup_run_text,
                            dup_reconstruction_text, get_target, get_reconstruction,
                            get_measurement, dup_finding_text, get_reference, get_compared,
                            dup_second_notice, dup_difference_notice, dup_target_text,
                            dup_error_text, dup_object_notice, dup_measurement_text,
                            prism_label_show_sign);
}
