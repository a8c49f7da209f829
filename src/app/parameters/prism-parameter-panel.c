#include "config.h"

#include "parameters/prism-parameter-panel.h"

#include "config/prism-units.h"
#include "model/prism-decoder.h"
#include "parameters/prism-layers-window.h"
#include "parameters/prism-parameter-row.h"
#include "prism-scale.h"
#include "support/prism-widget.h"
#include "support/prism-wording.h"

#include <adwaita.h>
#include <glib/gi18n.h>

/* The groups that are open at the start: what a first run is about. */
static const char *const open_groups[]
    = { "method", "object", "microscope", "aperture", "pattern", NULL };

#define LAYERS_GROUP "decoder"
#define LAYERS_TITLE N_ ("Layers…")
#define LAYERS_HELP N_ ("Parameters, work and memory of each")

struct _PrismParameterPanel
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkSearchEntry *search_entry;
  AdwPreferencesPage *page;
  GtkAdjustment *scroll; /* of the page */
  guint sight_id;        /* until the row with the focus is looked for */
  GtkWidget *empty_label;
  GtkLabel *size_label;

  PrismSession *session;
  PrismDraft *draft;    /* of the session */
  GPtrArray *rows;      /* of PrismParameterRow, in the order of the table */
  GPtrArray *expanders; /* of AdwExpanderRow, in the order of the groups */
  GPtrArray *lists;     /* of GtkListBox: those inside them */
  GtkWidget *layers_row;
  GtkWidget *layers_window; /* (nullable): while it is open */
};

G_DEFINE_FINAL_TYPE (PrismParameterPanel, prism_parameter_panel, GTK_TYPE_WIDGET)

static gboolean
is_open_at_start (const char *group)
{
  return g_strv_contains (open_groups, group);
}

static guint
get_rank (gpointer row)
{
  return GPOINTER_TO_UINT (g_object_get_data (row, "rank"));
}

/* @rank: of the row; the best of its group becomes @best */
static void
set_rank (GtkWidget *row,
          guint rank,
          guint *best)
{
  g_object_set_data (G_OBJECT (row), "rank", GUINT_TO_POINTER (rank));
  gtk_widget_set_visible (row, rank < PRISM_WORDING_NO_MATCH);
  *best = MIN (*best, rank);
}

/* What has no effect with the others as they are is not shown. Who searches for what recorded
 * frames take away from a telescope finds it, and reads why; an object leads away from them. */
static gboolean
is_relevant (PrismParameterPanel *self,
             const PrismParam *param)
{
  const PrismConfig *config = prism_draft_get_config (self->draft);
  const gboolean searching = *gtk_editable_get_text (GTK_EDITABLE (self->search_entry)) != '\0';

  return prism_config_applies (config, param, prism_draft_get_recorded (self->draft))
         || ((searching || g_str_equal (param->key, "object"))
             && prism_config_applies (config, param, FALSE));
}

/* What fits best comes first, in the order of the table what fits as well. */
static int
compare_rows (GtkListBoxRow *a,
              GtkListBoxRow *b,
              gpointer data)
{
  int ranks = (int) get_rank (a) - (int) get_rank (b);

  return ranks != 0 ? ranks
                    : GPOINTER_TO_INT (g_object_get_data (G_OBJECT (a), "place"))
                          - GPOINTER_TO_INT (g_object_get_data (G_OBJECT (b), "place"));
}

/* Groups stand in the order of the best row of each. */
static void
sort_groups (PrismParameterPanel *self,
             const guint *ranks,
             gsize n_groups)
{
  GtkWidget *last = NULL;

  for (guint rank = 0; rank <= PRISM_WORDING_NO_MATCH; rank++)
    for (gsize g = 0; g < n_groups; g++)
      {
        GtkWidget *frame = gtk_widget_get_ancestor (g_ptr_array_index (self->expanders, g),
                                                    ADW_TYPE_PREFERENCES_GROUP);

        if (ranks[g] != rank)
          continue;
        gtk_box_reorder_child_after (GTK_BOX (gtk_widget_get_parent (frame)), frame, last);
        last = frame;
      }
}

/* Shows the rows that have an effect and match the search, and the groups that have such rows. */
static void
update_rows (PrismParameterPanel *self)
{
  const char *words = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
  gsize n_groups;
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);
  g_autofree guint *ranks = g_new (guint, n_groups);
  gboolean any = FALSE;

  for (gsize g = 0; g < n_groups; g++)
    {
      gboolean group_shown;

      ranks[g] = PRISM_WORDING_NO_MATCH;
      for (guint i = 0; i < self->rows->len; i++)
        {
          PrismParameterRow *row = g_ptr_array_index (self->rows, i);
          const PrismParam *param = prism_parameter_row_get_param (row);

          if (g_str_equal (param->group, groups[g].id))
            set_rank (GTK_WIDGET (row),
                      is_relevant (self, param) ? prism_parameter_row_rank (row, words)
                                                : PRISM_WORDING_NO_MATCH,
                      &ranks[g]);
        }
      if (g_str_equal (groups[g].id, LAYERS_GROUP))
        set_rank (self->layers_row,
                  prism_config_trains (prism_draft_get_config (self->draft))
                      ? prism_wording_rank (_ (LAYERS_TITLE), NULL, _ (LAYERS_HELP), words)
                      : PRISM_WORDING_NO_MATCH,
                  &ranks[g]);
      gtk_list_box_invalidate_sort (g_ptr_array_index (self->lists, g));
      group_shown = ranks[g] < PRISM_WORDING_NO_MATCH;
      gtk_widget_set_visible (g_ptr_array_index (self->expanders, g), group_shown);
      any |= group_shown;
    }
  sort_groups (self, ranks, n_groups);
  gtk_widget_set_visible (self->empty_label, !any);
}

/* A search opens every group; its end brings the state at the start back. */
static void
on_search_changed (PrismParameterPanel *self)
{
  gboolean searching = *gtk_editable_get_text (GTK_EDITABLE (self->search_entry)) != '\0';
  gsize n_groups;
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);

  update_rows (self);
  for (gsize g = 0; g < n_groups; g++)
    adw_expander_row_set_expanded (g_ptr_array_index (self->expanders, g),
                                   searching || is_open_at_start (groups[g].id));
}

/* To the parameter that was searched for, past the header of its group: the first that can be
 * edited. */
static gboolean
focus_first_match (PrismParameterPanel *self)
{
  if (*gtk_editable_get_text (GTK_EDITABLE (self->search_entry)) == '\0')
    return GDK_EVENT_PROPAGATE;
  /* The entry tells of what is typed with a delay. */
  on_search_changed (self);
  for (guint rank = 0; rank < PRISM_WORDING_NO_MATCH; rank++)
    for (guint i = 0; i < self->rows->len; i++)
      if (get_rank (self->rows->pdata[i]) == rank
          && prism_parameter_row_focus_control (self->rows->pdata[i]))
        return GDK_EVENT_STOP;
  return GDK_EVENT_PROPAGATE;
}

static void
on_search_activated (PrismParameterPanel *self)
{
  focus_first_match (self);
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

/* The keyboard goes back to the picture: in the entry, Space and N would be text. */
static void
on_stop_search (PrismParameterPanel *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), "");
  gtk_widget_activate_action (GTK_WIDGET (self), "win.focus-picture", NULL);
}

/* Most numbers that are 0 switch something off, and what is off need not be mentioned. */
static gboolean
is_worth_a_word (PrismParameterPanel *self,
                 const PrismParam *param)
{
  const PrismConfig *config = prism_draft_get_config (self->draft);

  if (param->type == PRISM_PARAM_SWITCH || !is_relevant (self, param))
    return FALSE;
  /* A text that may be longer than a line is a list. */
  if (param->type == PRISM_PARAM_TEXT && param->maximum > 4096)
    return FALSE;
  return param->type == PRISM_PARAM_CHOICE || param->type == PRISM_PARAM_TEXT
         || prism_config_get_number (config, param) != 0;
}

/* What a group holds, in a few words, so that it says something while it is closed. */
static char *
dup_summary (PrismParameterPanel *self,
             const char *group)
{
  const PrismConfig *config = prism_draft_get_config (self->draft);
  g_autoptr (GString) summary = g_string_new (NULL);
  guint n = 0;

  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *value = NULL;

      if (n == 3 || !g_str_equal (param->group, group) || !is_worth_a_word (self, param))
        continue;
      value = prism_wording_dup_value (config, param);
      if (*value == '\0')
        continue;
      g_string_append_printf (summary, "%s%s", n++ > 0 ? " · " : "", value);
    }
  return g_strdup (summary->str);
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

static void
update_summaries (PrismParameterPanel *self)
{
  gsize n_groups;
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);

  for (gsize g = 0; g < n_groups; g++)
    {
      const PrismConfig *config = prism_draft_get_config (self->draft);
      g_autofree char *summary = g_str_equal (groups[g].id, "scale")
                                     ? dup_scale (config)
                                     : dup_summary (self, groups[g].id);
      g_autofree char *markup = g_markup_escape_text (summary, -1);
      adw_expander_row_set_subtitle (g_ptr_array_index (self->expanders, g), markup);
    }
}

static void
update_size (PrismParameterPanel *self)
{
  const PrismConfig *config = prism_draft_get_config (self->draft);
  guint64 bytes = prism_session_get_required_bytes (self->session);
  PrismDecoderPlan plan;
  g_autofree char *size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *count = NULL;
  g_autofree char *text = NULL;

  if (bytes == 0 || !prism_decoder_plan_init_config (&plan, config, NULL))
    {
      gtk_label_set_text (self->size_label, "");
      return;
    }
  count = prism_ticks_dup_count (plan.n_parameters);
  if (prism_config_trains (config))
    text = g_strdup_printf (_ ("%s decoder parameters, about %s of memory"), count, size);
  else
    text = g_strdup_printf (_ ("No decoder, about %s of memory"), size);
  gtk_label_set_text (self->size_label, text);
}

static void
on_config_changed (PrismParameterPanel *self)
{
  update_rows (self);
  update_summaries (self);
  update_size (self);
}

/* The help of a group belongs to its header; over a row, or its own help, it is in the way. */
static gboolean
on_query_tooltip (GtkWidget *expander,
                  int x,
                  int y,
                  gboolean keyboard_mode,
                  GtkTooltip *tooltip,
                  gpointer data)
{
  const PrismParamGroup *group = data;
  GtkRoot *root = gtk_widget_get_root (expander);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  GtkWidget *under = keyboard_mode ? focus : gtk_widget_pick (expander, x, y, GTK_PICK_DEFAULT);
  GtkWidget *popover = focus != NULL ? gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER) : NULL;

  if (popover != NULL || under == NULL
      || gtk_widget_get_ancestor (under, PRISM_TYPE_PARAMETER_ROW) != NULL)
    return FALSE;
  gtk_tooltip_set_text (tooltip, gettext (group->help));
  return TRUE;
}

static AdwExpanderRow *
add_group (PrismParameterPanel *self,
           const PrismParamGroup *group)
{
  AdwPreferencesGroup *frame = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());
  GtkWidget *expander = adw_expander_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (expander), gettext (group->label));
  gtk_widget_set_has_tooltip (expander, TRUE);
  g_signal_connect (expander, "query-tooltip", G_CALLBACK (on_query_tooltip), (gpointer) group);
  gtk_accessible_update_property (GTK_ACCESSIBLE (expander), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  gettext (group->label), -1);
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (expander), is_open_at_start (group->id));
  adw_preferences_group_add (frame, expander);
  adw_preferences_page_add (self->page, frame);
  g_object_bind_property (expander, "visible", frame, "visible", G_BINDING_SYNC_CREATE);
  return ADW_EXPANDER_ROW (expander);
}

static void
show_layers (PrismParameterPanel *self)
{
  GtkWindow *parent = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));

  if (self->layers_window == NULL)
    {
      self->layers_window = prism_layers_window_new (self->session, parent);
      g_object_add_weak_pointer (G_OBJECT (self->layers_window), (gpointer *) &self->layers_window);
    }
  gtk_window_present (GTK_WINDOW (self->layers_window));
}

/* @place: in the order of the table */
static void
add_row (AdwExpanderRow *expander,
         GtkWidget *row,
         gsize place)
{
  g_object_set_data (G_OBJECT (row), "place", GSIZE_TO_POINTER (place));
  adw_expander_row_add_row (expander, row);
}

/* After the parameters of the decoder: what they make. */
static void
add_layers_row (PrismParameterPanel *self,
                AdwExpanderRow *expander,
                gsize place)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *arrow = gtk_image_new_from_icon_name ("go-next-symbolic");

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (LAYERS_TITLE));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), _ (LAYERS_HELP));
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), arrow);
  gtk_widget_set_tooltip_text (row, _ ("Show what the decoder is made of, before it is run"));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_signal_connect_swapped (row, "activated", G_CALLBACK (show_layers), self);
  add_row (expander, row, place);
  self->layers_row = row;
}

static void
add_rows (PrismParameterPanel *self)
{
  gsize n_groups, n_params;
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize g = 0; g < n_groups; g++)
    {
      AdwExpanderRow *expander = add_group (self, &groups[g]);
      GtkWidget *row = NULL;
      GtkListBox *list;

      g_ptr_array_add (self->expanders, expander);
      for (gsize i = 0; i < n_params; i++)
        {
          if (!g_str_equal (params[i].group, groups[g].id))
            continue;
          row = prism_parameter_row_new (self->session, &params[i]);
          add_row (expander, row, i);
          g_ptr_array_add (self->rows, row);
        }
      /* Rows of an expander are in a list of its own, which knows nothing of their order. */
      list = GTK_LIST_BOX (gtk_widget_get_parent (row));
      gtk_list_box_set_sort_func (list, compare_rows, NULL, NULL);
      g_ptr_array_add (self->lists, list);
      if (g_str_equal (groups[g].id, LAYERS_GROUP))
        add_layers_row (self, expander, n_params);
    }
}

static void
prism_parameter_panel_dispose (GObject *object)
{
  PrismParameterPanel *self = PRISM_PARAMETER_PANEL (object);

  g_clear_handle_id (&self->sight_id, g_source_remove);
  g_clear_weak_pointer (&self->layers_window);
  g_clear_object (&self->session);
  g_clear_pointer (&self->content, gtk_widget_unparent);
  G_OBJECT_CLASS (prism_parameter_panel_parent_class)->dispose (object);
}

static void
prism_parameter_panel_finalize (GObject *object)
{
  PrismParameterPanel *self = PRISM_PARAMETER_PANEL (object);

  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->expanders);
  g_ptr_array_unref (self->lists);
  G_OBJECT_CLASS (prism_parameter_panel_parent_class)->finalize (object);
}

static void
prism_parameter_panel_class_init (PrismParameterPanelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = prism_parameter_panel_dispose;
  object_class->finalize = prism_parameter_panel_finalize;

  PRISM_TEMPLATE (widget_class, PrismParameterPanel, "prism-parameter-panel.ui", content,
                  search_entry, page, empty_label, size_label);
  PRISM_TEMPLATE_CALLBACKS (widget_class, on_search_changed, on_stop_search, on_search_activated);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static gboolean
on_sight (gpointer data)
{
  PrismParameterPanel *self = data;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  GtkWidget *row = focus != NULL ? gtk_widget_get_ancestor (focus, PRISM_TYPE_PARAMETER_ROW) : NULL;
  GtkWidget *viewport = row != NULL ? gtk_widget_get_ancestor (row, GTK_TYPE_VIEWPORT) : NULL;
  graphene_rect_t bounds;
  double below;

  self->sight_id = 0;
  if (viewport == NULL || !gtk_widget_is_ancestor (row, GTK_WIDGET (self))
      || !gtk_widget_compute_bounds (row, viewport, &bounds))
    return G_SOURCE_REMOVE;
  below = bounds.origin.y + bounds.size.height - gtk_widget_get_height (viewport);
  if (below > 0)
    gtk_adjustment_set_value (self->scroll, gtk_adjustment_get_value (self->scroll) + below);
  return G_SOURCE_REMOVE;
}

/* What is edited stays in sight when a notice comes in below it. */
static void
on_room_changed (PrismParameterPanel *self)
{
  if (self->sight_id == 0)
    self->sight_id = g_idle_add (on_sight, self);
}

static void
watch_room (PrismParameterPanel *self)
{
  GtkWidget *scrolled = gtk_widget_get_first_child (GTK_WIDGET (self->page));

  g_return_if_fail (GTK_IS_SCROLLED_WINDOW (scrolled));
  self->scroll = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));
  g_signal_connect_object (self->scroll, "notify::page-size", G_CALLBACK (on_room_changed), self,
                           G_CONNECT_SWAPPED);
}

static void
prism_parameter_panel_init (PrismParameterPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  watch_room (self);
  self->rows = g_ptr_array_new ();
  self->expanders = g_ptr_array_new ();
  self->lists = g_ptr_array_new ();
  add_search_keys (self);
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
  self->draft = prism_session_get_draft (session);
  add_rows (self);
  g_signal_connect_object (self->draft, "changed", G_CALLBACK (on_config_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::scene", G_CALLBACK (on_config_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::required-bytes", G_CALLBACK (update_size), self,
                           G_CONNECT_SWAPPED);
  on_config_changed (self);
}

/**
 * prism_parameter_panel_start_search:
 * @self: a parameter panel
 *
 * Moves the keyboard to the search entry.
 */
void
prism_parameter_panel_start_search (PrismParameterPanel *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

struct _PrismFollowRow
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *control;
  GtkWidget *detail_label;
};

G_DEFINE_FINAL_TYPE (PrismFollowRow, prism_follow_row, GTK_TYPE_WIDGET)

static void
prism_follow_row_dispose (GObject *object)
{
  PrismFollowRow *self = PRISM_FOLLOW_ROW (object);

  g_clear_pointer (&self->content, gtk_widget_unparent);
  G_OBJECT_CLASS (prism_follow_row_parent_class)->dispose (object);
}

static void
prism_follow_row_class_init (PrismFollowRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_follow_row_dispose;
  PRISM_TEMPLATE (widget_class, PrismFollowRow, "prism-follow-row.ui", content, control,
                  detail_label);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
prism_follow_row_init (PrismFollowRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* One line, whatever it says: the list below must not move under a pointer that changes a value.
 * The sentence belongs to the switch for those who hear it, too. */
static void
on_detail_changed (PrismFollowRow *self,
                   GParamSpec *pspec,
                   PrismFollow *follow)
{
  g_autofree char *detail = NULL;

  g_object_get (follow, "detail", &detail, NULL);
  gtk_label_set_text (GTK_LABEL (self->detail_label), detail);
  gtk_widget_set_tooltip_text (self->detail_label, detail);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->control),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, detail, -1);
}

/**
 * prism_follow_row_set_follow:
 * @self: a row without one
 * @follow: what is switched
 *
 * Connects the row.
 */
void
prism_follow_row_set_follow (PrismFollowRow *self,
                             PrismFollow *follow)
{
  g_object_bind_property (follow, "active", self->control, "active",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
  g_signal_connect_object (follow, "notify::detail", G_CALLBACK (on_detail_changed), self,
                           G_CONNECT_SWAPPED);
  on_detail_changed (self, NULL, follow);
}
