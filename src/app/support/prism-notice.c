#include "config.h"

#include "support/prism-notice.h"

#include "support/prism-widget.h"

struct _PrismNotice
{
  GtkWidget parent_instance;

  GtkRevealer *revealer;
  GtkWidget *bar;
  GtkImage *icon;
  GtkLabel *label;
  GtkBox *lines; /* the sentence, and its buttons beside or below it */
  GtkBox *buttons;
  guint n_buttons;
  gboolean narrow; /* every button stands below the sentence */
};

G_DEFINE_FINAL_TYPE (PrismNotice, prism_notice, GTK_TYPE_WIDGET)

static void
prism_notice_class_init (PrismNoticeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_DISPOSE (klass, PrismNotice, gtk_widget_unparent, revealer);
  PRISM_FIELD (klass, PrismNotice, narrow, G_TYPE_BOOLEAN, prism_property_stored);
  PRISM_TEMPLATE (klass, PrismNotice, "prism-notice.ui", revealer, bar, icon, label, lines,
                  buttons);
  PRISM_TEMPLATE_CALLBACKS (klass, prism_notice_hide);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
}

static void
prism_notice_init (PrismNotice *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * prism_notice_show:
 * @self: a notice
 * @sentence: for the user
 * @failed: whether something failed, or is only worth knowing
 *
 * Shows a sentence in place of the one before and its buttons.
 */
void
prism_notice_show (PrismNotice *self,
                   const char *sentence,
                   gboolean failed)
{
  GtkWidget *button;

  while ((button = gtk_widget_get_first_child (GTK_WIDGET (self->buttons))) != NULL)
    gtk_box_remove (self->buttons, button);
  self->n_buttons = 0;
  gtk_widget_set_visible (GTK_WIDGET (self->buttons), FALSE);
  gtk_label_set_text (self->label, sentence);
  gtk_image_set_from_icon_name (self->icon,
                                failed ? "dialog-warning-symbolic" : "dialog-information-symbolic");
  if (failed)
    gtk_widget_add_css_class (self->bar, "failed");
  else
    gtk_widget_remove_css_class (self->bar, "failed");
  prism_widget_set_name (self, sentence);
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
}

/**
 * prism_notice_add_button:
 * @self: a notice that is shown
 * @label: what it does
 * @action: detailed name of the action, such as "win.run"
 *
 * Offers a way out of what the sentence says. One button stands beside it, more stand below.
 */
void
prism_notice_add_button (PrismNotice *self,
                         const char *label,
                         const char *action)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_box_append (self->buttons, button);
  self->n_buttons++;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->lines),
                                  self->narrow || self->n_buttons > 1
                                      ? GTK_ORIENTATION_VERTICAL
                                      : GTK_ORIENTATION_HORIZONTAL);
  gtk_widget_set_visible (GTK_WIDGET (self->buttons), TRUE);
}

/**
 * prism_notice_hide:
 * @self: a notice
 *
 * Takes the sentence away; a keyboard that was there goes to the picture.
 */
void
prism_notice_hide (PrismNotice *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  /* It would go to what comes next, which may be a field that takes Space and letters. */
  if (focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self)))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.focus-picture", NULL);
  gtk_revealer_set_reveal_child (self->revealer, FALSE);
}

typedef struct
{
  GtkWindow *parent; /* (nullable) */
  void (*func) (GtkWindow *parent,
                PrismAnswer answer,
                gpointer data);
  gpointer data;
  GDestroyNotify destroy;
} Answer;

static void
on_response (AdwMessageDialog *dialog,
             const char *response,
             Answer *answer)
{
  PrismAnswer given = PRISM_ANSWER_DISMISS;

  if (g_str_equal (response, "confirm"))
    given = PRISM_ANSWER_CONFIRM;
  else if (g_str_equal (response, "better"))
    given = PRISM_ANSWER_BETTER;
  if (answer->func != NULL)
    answer->func (answer->parent, given, answer->data);
}

static void
answer_free (gpointer data,
             GClosure *closure)
{
  Answer *answer = data;

  if (answer->destroy != NULL)
    answer->destroy (answer->data);
  g_clear_object (&answer->parent);
  g_free (answer);
}

/**
 * prism_message_show:
 * @message: the question and its answers
 * @parent: (nullable): the window it belongs to and goes with, held until the answer
 * @func: (scope notified) (nullable): called with @parent, the answer, and @data
 * @data: (nullable): for @func
 * @destroy: (nullable): frees @data after the answer
 *
 * Asks the user a question without stopping the program; without a second answer it says something.
 *
 * Thread: main.
 *
 * Returns: (transfer none): the question, which goes with its answer
 */
GtkWindow *
prism_message_show (const PrismMessage *message,
                    GtkWindow *parent,
                    gpointer func,
                    gpointer data,
                    gpointer destroy)
{
  GtkWidget *widget = adw_message_dialog_new (parent, message->heading, message->body);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (widget);
  Answer *answer;

  answer = PRISM_NEW (Answer, parent != NULL ? g_object_ref (parent) : NULL, func, data, destroy);
  adw_message_dialog_add_response (dialog, "dismiss", message->dismiss);
  if (message->confirm != NULL)
    {
      adw_message_dialog_add_response (dialog, "confirm", message->confirm);
      adw_message_dialog_set_response_appearance (dialog, "confirm",
                                                  message->destructive ? ADW_RESPONSE_DESTRUCTIVE
                                                                       : ADW_RESPONSE_SUGGESTED);
    }
  if (message->better != NULL)
    {
      adw_message_dialog_add_response (dialog, "better", message->better);
      adw_message_dialog_set_response_appearance (dialog, "better", ADW_RESPONSE_SUGGESTED);
    }
  adw_message_dialog_set_default_response (dialog, "dismiss");
  adw_message_dialog_set_close_response (dialog, "dismiss");
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_response), answer, answer_free, 0);
  /* A parent that the question holds never ends by itself. */
  if (parent != NULL)
    PRISM_CONNECT (parent, "unrealize", gtk_window_destroy, dialog);
  gtk_window_present (GTK_WINDOW (dialog));
  return GTK_WINDOW (dialog);
}

/* AdwToastOverlay of libadwaita 1.2 gives a toast that takes the place of a leaving one 500 ms to
 * appear and one that leaves 300 ms to go, and frees what both need when it is gone: a toast that
 * is dismissed in its first 200 ms crashes the program. So the next one waits here until the one
 * before has gone, and one that has only just come stays until it is there, by the frames that show
 * it: on a busy machine a single late one may be the end of both. */

#define GAP 100    /* ms between two looks whether a toast has gone */
#define APPEAR 500 /* ms until a toast is there for sure */
#define KEY "prism-toaster"

typedef struct
{
  AdwToastOverlay *overlay; /* whose data this is */
  GQueue waiting;           /* of AdwToast */
  AdwToast *current;        /* (nullable) */
  gint64 begin;             /* µs, the first frame that shows current; 0 before */
  gboolean ends;            /* it goes once it is there */
  guint gap_id;             /* until the one before current has gone */
  guint tick_id;            /* until current is there */
} Toaster;

static void show_next (Toaster *self);

static void
toaster_free (gpointer data)
{
  Toaster *self = data;

  g_clear_handle_id (&self->gap_id, g_source_remove);
  g_queue_clear_full (&self->waiting, g_object_unref);
  if (self->current != NULL)
    g_signal_handlers_disconnect_by_data (self->current, self);
  g_clear_object (&self->current);
  g_free (self);
}

static Toaster *
get_toaster (AdwToastOverlay *overlay)
{
  Toaster *self = g_object_get_data (G_OBJECT (overlay), KEY);

  if (self != NULL)
    return self;
  self = PRISM_NEW (Toaster, overlay);
  g_queue_init (&self->waiting);
  g_object_set_data_full (G_OBJECT (overlay), KEY, self, toaster_free);
  return self;
}

/* Whether a toast is on its way out: beside its content an overlay has only toasts. */
static gboolean
has_toast (AdwToastOverlay *overlay)
{
  GtkWidget *content = adw_toast_overlay_get_child (overlay);

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (overlay)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (child != content)
      return TRUE;
  return FALSE;
}

static gboolean
on_gap (gpointer data)
{
  Toaster *self = data;

  if (has_toast (self->overlay))
    return G_SOURCE_CONTINUE;
  self->gap_id = 0;
  show_next (self);
  return G_SOURCE_REMOVE;
}

static void
on_dismissed (Toaster *self)
{
  if (self->tick_id > 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self->overlay), self->tick_id);
  self->tick_id = 0;
  g_signal_handlers_disconnect_by_data (self->current, self);
  g_clear_object (&self->current);
  self->gap_id = g_timeout_add (GAP, on_gap, self);
}

/* Half of a sentence says nothing: the label of the newest toast, which ends with dots in one line,
 * has two. */
static void
let_wrap (AdwToastOverlay *overlay)
{
  GtkWidget *label = gtk_widget_get_last_child (GTK_WIDGET (overlay));

  while (label != NULL && !GTK_IS_LABEL (label))
    label = gtk_widget_get_first_child (label);
  if (label != NULL)
    g_object_set (label, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR, "natural-wrap-mode",
                  GTK_NATURAL_WRAP_NONE, "lines", 2, NULL);
}

static gboolean
on_frame (GtkWidget *overlay,
          GdkFrameClock *clock,
          gpointer data)
{
  Toaster *self = data;
  const gint64 now = gdk_frame_clock_get_frame_time (clock);

  if (self->begin == 0)
    self->begin = now;
  if (now < self->begin + APPEAR * G_TIME_SPAN_MILLISECOND)
    return G_SOURCE_CONTINUE;
  self->tick_id = 0;
  if (self->ends)
    adw_toast_dismiss (self->current);
  return G_SOURCE_REMOVE;
}

static void
show_next (Toaster *self)
{
  AdwToast *toast = g_queue_pop_head (&self->waiting);

  if (toast == NULL)
    return;
  self->current = g_object_ref (toast);
  self->begin = 0;
  self->ends = FALSE;
  g_signal_connect_swapped (toast, "dismissed", G_CALLBACK (on_dismissed), self);
  adw_toast_overlay_add_toast (self->overlay, toast);
  self->tick_id = gtk_widget_add_tick_callback (GTK_WIDGET (self->overlay), on_frame, self, NULL);
  let_wrap (self->overlay);
}

/**
 * prism_toaster_add:
 * @overlay: where; all its toasts must come this way
 * @toast: (transfer full): a toast
 *
 * Shows it, once those that were added before it are gone.
 *
 * Thread: main.
 */
void
prism_toaster_add (AdwToastOverlay *overlay,
                   AdwToast *toast)
{
  Toaster *self = get_toaster (overlay);

  g_queue_push_tail (&self->waiting, toast);
  if (self->current == NULL && self->gap_id == 0)
    show_next (self);
}

/**
 * prism_toaster_tell:
 * @overlay: where
 * @text: what has happened
 *
 * Shows it, as prism_toaster_add().
 */
void
prism_toaster_tell (AdwToastOverlay *overlay,
                    const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  prism_toaster_add (overlay, adw_toast_new (markup));
}

/**
 * prism_toaster_tell_saved:
 * @overlay: where
 * @path: of a file
 * @error: (nullable): why it could not be written
 *
 * Shows how it went, as prism_toaster_add().
 */
void
prism_toaster_tell_saved (AdwToastOverlay *overlay,
                          const char *path,
                          const GError *error)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *text = g_strdup_printf (_ ("Saved “%s”"), name);

  prism_toaster_tell (overlay, error != NULL ? error->message : text);
}

/**
 * prism_toaster_dismiss:
 * @overlay: where
 * @toast: what prism_toaster_add() was given; nothing happens where it is gone already
 *
 * Takes a toast away, a moment later where it has only just come. It emits “dismissed” then, at
 * once where it has not been shown yet.
 *
 * Thread: main.
 */
void
prism_toaster_dismiss (AdwToastOverlay *overlay,
                       AdwToast *toast)
{
  Toaster *self = get_toaster (overlay);

  if (toast == self->current)
    {
      /* The toast says itself that it is gone, also to this file. */
      self->ends = TRUE;
      if (self->tick_id == 0 || !gtk_widget_get_mapped (GTK_WIDGET (overlay)))
        adw_toast_dismiss (toast);
    }
  else if (g_queue_remove (&self->waiting, toast))
    {
      g_signal_emit_by_name (toast, "dismissed");
      g_object_unref (toast);
    }
}
