#include "config.h"

#include "reconstruction/prism-model-panel.h"

#include <glib/gi18n.h>
#include <string.h>

typedef enum
{
  ROW_ENTRY,
  ROW_SWITCH,
  ROW_CHOICE,
} RowKind;

/* A key of the settings as people read it. */
typedef struct
{
  const char *key;
  RowKind kind;
  const char *label;
  const char *help;
} Row;

#define MOST_CHOICES 3

/* What a row offers, as the settings write it and as people read it. */
typedef struct
{
  const char *key;
  const char *values[MOST_CHOICES];
  const char *names[MOST_CHOICES];
} Choice;

struct _PrismModelPanel
{
  AdwPreferencesGroup parent_instance;

  GHashTable *rows; /* key → widget with the value */
  gboolean filling;
};

static const Row rows[] = {
  { "method", ROW_CHOICE, N_ ("Method"),
    N_ ("One frame after the other with steps that get smaller, or all frames together by"
        " accelerated descent, five steps a pass") },
  { "passes", ROW_ENTRY, N_ ("Passes"), N_ ("Passes over all frames, 1 to 10000") },
  { "hold_out", ROW_ENTRY, N_ ("Hold out every … frame"),
    N_ ("Every so many-th frame is never used, and its prediction compared with it; 0: all are"
        " used, and nothing tells how well the model predicts") },
  { "leave_out", ROW_ENTRY, N_ ("Leave out frames"),
    N_ ("Frames that are not used, such as 17,31-35; auto: those whose lights are off; none") },
  { "half_bright", ROW_ENTRY, N_ ("Leave out at the rim (%)"),
    N_ ("Frames whose light lies within so many percent of the NA at the pupil's rim are not"
        " used, 0 to 50: away from the middle of a field they are half bright") },
  { "pupil", ROW_CHOICE, N_ ("Pupil begins with"),
    N_ ("The aberrations of a search on the inner frames, or none") },
  { "defocus", ROW_ENTRY, N_ ("Defocus to begin with (µm)"),
    N_ ("Where the search for the pupil begins, or what it begins with without one; auto: the"
        " search looks for it") },
  { "free_pupil", ROW_SWITCH, N_ ("Free pupil"),
    N_ ("The pupil changes point by point from the third pass on; off: it stays as it began") },
  { "gains", ROW_SWITCH, N_ ("Gains of the lights"),
    N_ ("The brightness of every light is found; off: all are taken as equally bright") },
  { "positions", ROW_CHOICE, N_ ("Places of the lights"),
    N_ ("The place of every light is found, and of the whole board, or of that alone, or they stay"
        " as recorded") },
  { "start", ROW_ENTRY, N_ ("Begin with the result in"),
    N_ ("Folder of an earlier result, whose pupil, gains and places the passes begin with instead"
        " of a search; each stays so where it is not to be found; none") },
  { "tile", ROW_ENTRY, N_ ("Tile (px)"),
    N_ ("Side of the tiles that the field is cut into, 32 to 2048 pixels: each has its own"
        " directions of the light and begins with its neighbour's pupil; 0: the field is one") },
  { "tile_overlap", ROW_ENTRY, N_ ("Overlap of tiles (%)"),
    N_ ("What neighbouring tiles share, 5 to 75: there their gains and phases are matched") },
  { "background", ROW_ENTRY, N_ ("Stray light"),
    N_ ("Intensity that is taken off every pixel; auto: that of the dark frames' darkest pixels") },
  { "rim", ROW_ENTRY, N_ ("Rim of the pupil (px)"),
    N_ ("How soft the pupil ends, 1 to 16 pixels of the spectrum; auto: the search finds it") },
  { "border", ROW_ENTRY, N_ ("Border (px)"),
    N_ ("Pixels of the field around a frame, which no camera saw; auto: a sixteenth of the side") },
  { "upsampling", ROW_ENTRY, N_ ("Upsampling"),
    N_ ("Pixels of the object along a pixel of a frame, 2 to 16; auto: as many as the outermost"
        " light needs") },
  { "threads", ROW_ENTRY, N_ ("Threads"), N_ ("0: one for each core") },
};

static const Choice choices[] = {
  { "method",
    { "sequential", "descent" },
    { N_ ("Frame after frame"), N_ ("All frames together") } },
  { "pupil",
    { "search", "flat" },
    { N_ ("A search"), N_ ("None") } },
  { "positions",
    { "yes", "board", "no" },
    { N_ ("Of every light"), N_ ("Of the board"), N_ ("As recorded") } },
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismModelPanel, prism_model_panel, ADW_TYPE_PREFERENCES_GROUP)

static const Choice *
find_choice (const Row *row)
{
  const Choice *choice = choices;

  while (strcmp (choice->key, row->key) != 0)
    choice++;
  return choice;
}

static char *
dup_value (PrismModelPanel *self,
           const Row *row)
{
  GtkWidget *widget = g_hash_table_lookup (self->rows, row->key);

  if (row->kind == ROW_SWITCH)
    return g_strdup (gtk_switch_get_active (GTK_SWITCH (widget)) ? "yes" : "no");
  if (row->kind == ROW_CHOICE)
    {
      const Choice *choice = find_choice (row);
      const guint i = adw_combo_row_get_selected (ADW_COMBO_ROW (widget));
      const gboolean known = i < MOST_CHOICES && choice->values[i] != NULL;

      return g_strdup (choice->values[known ? i : 0]);
    }
  return g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (widget))));
}

/* An empty row is the default. */
static gboolean
read_row (PrismModelPanel *self,
          const Row *row,
          PrismPtychographySettings *settings,
          GError **error)
{
  g_autofree char *value = dup_value (self, row);

  return value[0] == '\0' || prism_ptychography_settings_set (settings, row->key, value, error);
}

static void
on_changed (PrismModelPanel *self)
{
  if (self->filling)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      PrismPtychographySettings settings;
      GtkWidget *widget = g_hash_table_lookup (self->rows, rows[i].key);

      prism_ptychography_settings_init (&settings);
      if (rows[i].kind != ROW_ENTRY)
        continue;
      if (read_row (self, &rows[i], &settings, NULL))
        gtk_widget_remove_css_class (widget, "error");
      else
        gtk_widget_add_css_class (widget, "error");
    }
  g_signal_emit (self, signals[CHANGED], 0);
}

static GtkWidget *
make_entry (PrismModelPanel *self,
            const Row *row)
{
  GtkWidget *widget = adw_entry_row_new ();

  g_hash_table_insert (self->rows, (gpointer) row->key, widget);
  g_signal_connect_swapped (widget, "changed", G_CALLBACK (on_changed), self);
  return widget;
}

static GtkWidget *
make_switch (PrismModelPanel *self,
             const Row *row)
{
  GtkWidget *widget = adw_action_row_new (), *toggle = gtk_switch_new ();

  gtk_widget_set_valign (toggle, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (toggle), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (row->label), -1);
  adw_action_row_add_suffix (ADW_ACTION_ROW (widget), toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (widget), toggle);
  g_hash_table_insert (self->rows, (gpointer) row->key, toggle);
  g_signal_connect_swapped (toggle, "notify::active", G_CALLBACK (on_changed), self);
  return widget;
}

static GtkWidget *
make_choice (PrismModelPanel *self,
             const Row *row)
{
  GtkWidget *widget = adw_combo_row_new ();
  g_autoptr (GtkStringList) model = gtk_string_list_new (NULL);
  const Choice *choice = find_choice (row);

  for (gsize i = 0; i < MOST_CHOICES && choice->names[i] != NULL; i++)
    gtk_string_list_append (model, _ (choice->names[i]));
  adw_combo_row_set_model (ADW_COMBO_ROW (widget), G_LIST_MODEL (model));
  g_hash_table_insert (self->rows, (gpointer) row->key, widget);
  g_signal_connect_swapped (widget, "notify::selected", G_CALLBACK (on_changed), self);
  return widget;
}

static void
set_value (PrismModelPanel *self,
           const Row *row,
           const char *value)
{
  GtkWidget *widget = g_hash_table_lookup (self->rows, row->key);

  if (row->kind == ROW_SWITCH)
    gtk_switch_set_active (GTK_SWITCH (widget), strcmp (value, "yes") == 0);
  else if (row->kind == ROW_CHOICE)
    {
      for (guint i = 0; i < MOST_CHOICES; i++)
        if (g_strcmp0 (find_choice (row)->values[i], value) == 0)
          adw_combo_row_set_selected (ADW_COMBO_ROW (widget), i);
    }
  else
    gtk_editable_set_text (GTK_EDITABLE (widget), value);
}

static void
prism_model_panel_dispose (GObject *object)
{
  PrismModelPanel *self = PRISM_MODEL_PANEL (object);

  self->filling = TRUE;
  g_clear_pointer (&self->rows, g_hash_table_unref);
  G_OBJECT_CLASS (prism_model_panel_parent_class)->dispose (object);
}

static void
prism_model_panel_class_init (PrismModelPanelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = prism_model_panel_dispose;
  signals[CHANGED] = g_signal_new ("changed", PRISM_TYPE_MODEL_PANEL, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
prism_model_panel_init (PrismModelPanel *self)
{
  PrismPtychographySettings settings;

  prism_ptychography_settings_init (&settings);
  self->rows = g_hash_table_new (g_str_hash, g_str_equal);
  self->filling = TRUE;
  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (self), _ ("Model"));
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *value = prism_ptychography_settings_dup (&settings, rows[i].key);
      GtkWidget *row = rows[i].kind == ROW_SWITCH   ? make_switch (self, &rows[i])
                       : rows[i].kind == ROW_CHOICE ? make_choice (self, &rows[i])
                                                    : make_entry (self, &rows[i]);

      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (rows[i].label));
      gtk_widget_set_tooltip_text (row, _ (rows[i].help));
      gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                      _ (rows[i].help), -1);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), row);
      set_value (self, &rows[i], value);
    }
  self->filling = FALSE;
}

/**
 * prism_model_panel_new:
 *
 * Returns: (transfer floating): rows with the defaults
 */
GtkWidget *
prism_model_panel_new (void)
{
  return g_object_new (PRISM_TYPE_MODEL_PANEL, NULL);
}

/**
 * prism_model_panel_get_settings:
 * @settings: (out): what the rows say
 *
 * Reads the rows; one that is empty says its default.
 *
 * Errors: PRISM_ERROR_CONFIG, of the first row that says what cannot be.
 *
 * Returns: whether all rows can be understood
 */
gboolean
prism_model_panel_get_settings (PrismModelPanel *self,
                                PrismPtychographySettings *settings,
                                GError **error)
{
  prism_ptychography_settings_init (settings);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (!read_row (self, &rows[i], settings, error))
      return FALSE;
  return TRUE;
}
