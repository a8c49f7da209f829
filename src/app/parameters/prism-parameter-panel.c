#include "config.h"

#include "parameters/prism-parameter-panel.h"

#include "base/prism-each.h"
#include "config/prism-units.h"
#include "parameters/prism-layers-window.h"
#include "parameters/prism-parameter-row.h"
#include "support/prism-widget.h"
#include "support/prism-ui-text.h"

#define LAYERS_GROUP "decoder"
#define LAYERS_TITLE N_ ("Layers…")
#define LAYERS_HELP N_ ("Parameters, work and memory of each")

/* What one plays with, in rows of their own; of recorded frames what has an effect on them. */
static const PrismEssential essentials[] = {
  { { "object" } },
  { { "object_size", "image_size" }, N_ ("px in"), .title = N_ ("Size") },
  { { "aperture_radius" }, NULL, 4, 0 },
  { { "samples" }, NULL, 1, 200 },
  { { "pattern" } },
  { { "snr" }, NULL, 5, 60 },
  { { "method" } },
  { { "more_passes" }, NULL, 0, 100 },
  { { "pupil" } },
  { { "positions" } },
  { { "backend", "amp" }, N_ ("mixed") },
};

struct _PrismParameterPanel
{
  AdwBin parent_instance;

  GtkStack *stack; /* "essentials" or "more" */
  GtkListBox *essential_list;
  GtkWidget *more_row;
  GtkSearchEntry *search_entry;
  GtkListBox *list;
  GtkAdjustment *scroll; /* of the list */
  guint sight_id;        /* until the row with the focus is looked for */
  GtkWidget *empty_label;
  GtkLabel *problem_label;

  PrismSession *session;
  PrismDraft *draft; /* of the session */
  GPtrArray *rows;   /* of PrismParameterRow, in the order of the table */
  guint best;        /* rank of those that are shown */
  GtkWidget *layers_row;
  GtkWindow *layers_window; /* (nullable): while it is open */
};

G_DEFINE_FINAL_TYPE (PrismParameterPanel, prism_parameter_panel, ADW_TYPE_BIN)

static guint
get_number (gpointer row,
            const char *name)
{
  return GPOINTER_TO_UINT (g_object_get_data (row, name));
}

static void
set_number (gpointer row,
            const char *name,
            gsize number)
{
  g_object_set_data (row, name, GSIZE_TO_POINTER (number));
}

static const char *
get_words (PrismParameterPanel *self)
{
  return gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
}

static gboolean
applies (PrismParameterPanel *self,
         const PrismParam *param)
{
  return prism_config_applies (self->draft->config, param);
}

/* What has no effect with the others as they are is not shown. Who searches finds it, and reads
 * why; an object leads away from recorded frames. */
static gboolean
is_relevant (PrismParameterPanel *self,
             const PrismParam *param)
{
  return *get_words (self) != '\0' || g_str_equal (param->key, "object") || applies (self, param);
}

static gboolean
filter_row (GtkListBoxRow *row,
            gpointer data)
{
  const PrismParameterPanel *self = data;

  return get_number (row, "rank") == self->best;
}

/* What has an effect comes first, each in the order of the table. */
static int
compare_rows (GtkListBoxRow *a,
              GtkListBoxRow *b,
              gpointer data)
{
  const int idle = (int) get_number (a, "idle") - (int) get_number (b, "idle");

  return idle != 0 ? idle : (int) get_number (a, "place") - (int) get_number (b, "place");
}

/* What no single parameter says. */
static char *
dup_scale (const PrismConfig *config)
{
  PrismUnits units;
  g_autofree char *text = NULL;
  g_autofree char *advice = prism_units_dup_advice (config);

  prism_units_init_config (&units, config);
  text = prism_units_dup_text (&units);
  return advice == NULL ? g_steal_pointer (&text) : g_strdup_printf ("%s\n%s", text, advice);
}

/* Groups have titles, but for what a search has put into another order. */
static void
update_header (GtkListBoxRow *row,
               GtkListBoxRow *before,
               gpointer data)
{
  PrismParameterPanel *self = data;
  gsize n_groups;
  const PrismParamGroup *group
      = prism_config_get_groups (&n_groups) + get_number (row, "group");
  g_autofree char *text = NULL;
  g_autofree char *markup = NULL;
  GtkWidget *label;

  if (*get_words (self) != '\0'
      || (before != NULL && get_number (before, "group") == get_number (row, "group")))
    {
      gtk_list_box_row_set_header (row, NULL);
      return;
    }
  text = g_str_equal (group->id, "scale") ? dup_scale (self->draft->config)
                                          : g_strdup (gettext (group->help));
  markup = g_markup_printf_escaped ("<b>%s</b>\n<small>%s</small>", gettext (group->label), text);
  label = prism_label_new (NULL, "group-header", 0);
  gtk_label_set_markup (GTK_LABEL (label), markup);
  gtk_list_box_row_set_header (row, label);
}

/* Shows the rows that have an effect; of a search those that fit best: who has typed a name or a
 * key is not shown every text that happens to have the word. */
static void
update_rows (PrismParameterPanel *self)
{
  const PrismConfig *config = self->draft->config;
  const char *words = get_words (self);
  g_autofree char *title = NULL;
  guint n = 0;

  guint rank = prism_config_trains (config)
                   ? prism_ui_text_rank (_ (LAYERS_TITLE), NULL, _ (LAYERS_HELP), words)
                   : PRISM_UI_TEXT_NO_MATCH;

  set_number (self->layers_row, "rank", rank);
  self->best = MIN (rank, PRISM_UI_TEXT_NO_MATCH - 1);
  PRISM_FOR_EACH_POINTER (PrismParameterRow, row, self->rows)
    {
      const PrismParam *param = row->param;
      const gboolean shown = is_relevant (self, param);

      rank = shown ? prism_parameter_row_rank (row, words) : PRISM_UI_TEXT_NO_MATCH;
      set_number (row, "idle", !applies (self, param));
      set_number (row, "rank", rank);
      self->best = MIN (rank, self->best);
      n += shown;
    }
  gtk_list_box_invalidate_filter (self->list);
  gtk_list_box_invalidate_sort (self->list);
  gtk_list_box_invalidate_headers (self->list);
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->essential_list));
       row != self->more_row; row = gtk_widget_get_next_sibling (row))
    gtk_widget_set_visible (
        row, is_relevant (self, PRISM_PARAMETER_ROW (row)->param));
  title = g_strdup_printf (ngettext ("More: %u parameter", "More: %u parameters", n), n);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->more_row), title);
}

/* Below the rows, which stay where they are. */
static void
update_problem (PrismParameterPanel *self)
{
  const char *problem = self->draft->problem;
  g_autofree char *sentence = problem != NULL ? prism_ui_text_dup_sentence (problem) : NULL;

  gtk_label_set_label (self->problem_label, sentence != NULL ? sentence : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem_label), sentence != NULL);
}

/* To the parameter that was searched for: the first that can be edited. */
static gboolean
focus_first_match (PrismParameterPanel *self)
{
  if (*get_words (self) == '\0')
    return GDK_EVENT_PROPAGATE;
  /* The entry tells of what is typed with a delay. */
  update_rows (self);
  for (int i = 0; gtk_list_box_get_row_at_index (self->list, i) != NULL; i++)
    {
      GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->list, i);

      if (PRISM_IS_PARAMETER_ROW (row) && gtk_widget_get_child_visible (GTK_WIDGET (row))
          && gtk_widget_grab_focus (GTK_WIDGET (PRISM_PARAMETER_ROW (row)->editor)))
        return GDK_EVENT_STOP;
    }
  return GDK_EVENT_PROPAGATE;
}

static void
on_essentials (PrismParameterPanel *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), "");
  gtk_stack_set_visible_child_name (self->stack, "essentials");
}

/* The keyboard goes back to the picture: in the entry, Space and N would be text. */
static void
on_stop_search (PrismParameterPanel *self)
{
  on_essentials (self);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.focus-picture", NULL);
}

static gboolean
on_tab (GtkWidget *widget,
        GVariant *args,
        gpointer data)
{
  return focus_first_match (data);
}

/* Before GTK moves the keyboard to the next widget. */
static void
add_search_keys (PrismParameterPanel *self)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();
  GtkShortcut *shortcut = gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Tab, 0),
                                            gtk_callback_action_new (on_tab, self, NULL));

  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller), shortcut);
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self->search_entry), controller);
}

/* Escape leaves the search from every field of it. */
static gboolean
on_key (PrismParameterPanel *self,
        guint key)
{
  if (key != GDK_KEY_Escape
      || g_str_equal (gtk_stack_get_visible_child_name (self->stack), "essentials"))
    return GDK_EVENT_PROPAGATE;
  on_stop_search (self);
  return GDK_EVENT_STOP;
}

static void
show_layers (PrismParameterPanel *self)
{
  GtkWindow *parent = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));

  if (self->layers_window == NULL)
    prism_widget_place_window (self, prism_layers_window_new (self->session, parent),
                               &self->layers_window);
  gtk_window_present (self->layers_window);
}

/* A row that leads elsewhere. */
static GtkWidget *
new_door (PrismParameterPanel *self,
          const char *title,
          const char *subtitle,
          const char *help,
          GCallback activated)
{
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row),
                             gtk_image_new_from_icon_name ("go-next-symbolic"));
  gtk_widget_set_tooltip_text (row, help);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_signal_connect_swapped (row, "activated", activated, self);
  return row;
}

/* @place: in the order of the table */
static void
add_row (PrismParameterPanel *self,
         GtkWidget *row,
         gsize group,
         gsize place)
{
  set_number (row, "group", group);
  set_number (row, "place", place);
  gtk_list_box_append (self->list, row);
}

static void
add_rows (PrismParameterPanel *self)
{
  gsize n_groups, n_params, place = 0;
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);
  const PrismParam *params = prism_config_get_params (&n_params);

  PRISM_FOR_EACH_OF (essential, essentials)
    gtk_list_box_append (self->essential_list,
                         prism_parameter_row_new (self->session,
                                                  prism_config_get_param (essential->keys[0]),
                                                  essential));
  self->more_row
      = new_door (self, "", _ ("Search, or look through all of them (Ctrl+F)"), NULL,
                  G_CALLBACK (prism_parameter_panel_start_search));
  gtk_list_box_append (self->essential_list, self->more_row);
  self->layers_row = new_door (self, _ (LAYERS_TITLE), _ (LAYERS_HELP),
                               _ ("Show what the decoder is made of, before it is run"),
                               G_CALLBACK (show_layers));
  for (gsize g = 0; g < n_groups; g++)
    {
      for (gsize i = 0; i < n_params; i++)
        if (g_str_equal (params[i].group, groups[g].id))
          {
            GtkWidget *row = prism_parameter_row_new (self->session, &params[i], NULL);

            add_row (self, row, g, place++);
            g_ptr_array_add (self->rows, row);
          }
      if (g_str_equal (groups[g].id, LAYERS_GROUP))
        add_row (self, self->layers_row, g, place++);
    }
  gtk_list_box_set_filter_func (self->list, filter_row, self, NULL);
  gtk_list_box_set_sort_func (self->list, compare_rows, NULL, NULL);
  gtk_list_box_set_header_func (self->list, update_header, self, NULL);
  gtk_list_box_set_placeholder (self->list, self->empty_label);
}

static void
prism_parameter_panel_class_init (PrismParameterPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_DISPOSE (klass, PrismParameterPanel, g_source_remove, sight_id);
  PRISM_DISPOSE (klass, PrismParameterPanel, g_object_unref, session);
  PRISM_FINALIZE (klass, PrismParameterPanel, g_ptr_array_unref, rows);

  PRISM_TEMPLATE (klass, PrismParameterPanel, "prism-parameter-panel.ui", stack,
                  essential_list, search_entry, list, scroll, empty_label, problem_label);
  PRISM_TEMPLATE_CALLBACKS (klass, update_rows, on_stop_search, focus_first_match, on_essentials);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
on_sight (PrismParameterPanel *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  GtkWidget *row = focus != NULL ? gtk_widget_get_ancestor (focus, PRISM_TYPE_PARAMETER_ROW) : NULL;
  GtkWidget *viewport = row != NULL ? gtk_widget_get_ancestor (row, GTK_TYPE_VIEWPORT) : NULL;
  graphene_rect_t bounds;
  double below;

  if (viewport == NULL || !gtk_widget_is_ancestor (row, GTK_WIDGET (self))
      || !gtk_widget_compute_bounds (row, viewport, &bounds))
    return;
  below = bounds.origin.y + bounds.size.height - gtk_widget_get_height (viewport);
  if (below > 0)
    gtk_adjustment_set_value (self->scroll, gtk_adjustment_get_value (self->scroll) + below);
}

/* What is edited stays in sight when a notice comes in below it. */
static void
on_room_changed (PrismParameterPanel *self)
{
  if (self->sight_id == 0)
    prism_later (&self->sight_id, 0, on_sight, self);
}

static void
prism_parameter_panel_init (PrismParameterPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  PRISM_CONNECT (self->scroll, "notify::page-size", on_room_changed, self);
  self->rows = g_ptr_array_new ();
  add_search_keys (self);
  prism_widget_control (GTK_WIDGET (self), gtk_event_controller_key_new (), self, "key-pressed",
                        on_key, NULL);
}

/**
 * prism_parameter_panel_set_session:
 * @self: a parameter panel that has none yet
 * @session: whose configuration is edited
 *
 * Fills the panel from the parameter table.
 */
void
prism_parameter_panel_set_session (PrismParameterPanel *self,
                                   PrismSession *session)
{
  g_return_if_fail (self->session == NULL);

  self->session = g_object_ref (session);
  self->draft = session->draft;
  add_rows (self);
  PRISM_CONNECT (self->draft, "changed", update_rows, self);
  PRISM_CONNECT (self->draft, "notify::problem", update_problem, self);
  PRISM_CONNECT (session, "notify::scene", update_rows, self);
  update_rows (self);
  update_problem (self);
}

/**
 * prism_parameter_panel_start_search:
 * @self: a parameter panel
 *
 * Shows all parameters, and moves the keyboard to the search entry.
 */
void
prism_parameter_panel_start_search (PrismParameterPanel *self)
{
  gtk_stack_set_visible_child_name (self->stack, "more");
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

/**
 * prism_parameter_panel_focus_problem:
 * @self: a parameter panel
 *
 * Shows the row of the parameter because of which nothing runs, and moves the keyboard there.
 */
void
prism_parameter_panel_focus_problem (PrismParameterPanel *self)
{
  PRISM_FOR_EACH_POINTER (PrismParameterRow, row, self->rows)
    {
      const PrismParam *param = row->param;
      g_autofree char *problem = prism_draft_dup_problem_of (self->draft, param);

      if (problem == NULL)
        continue;
      prism_parameter_panel_start_search (self);
      gtk_editable_set_text (GTK_EDITABLE (self->search_entry), gettext (param->label));
      update_rows (self);
      gtk_widget_grab_focus (GTK_WIDGET (row->editor));
      return;
    }
}
