#include "config.h"

#include "support/prism-settings.h"

#include <gio/gio.h>

struct _PrismSettings
{
  GObject parent_instance;

  GSettings *settings; /* (nullable) */
  char *colormap;
  char *stretch;
  char *theme;
  gboolean preview;
  int preview_rate; /* per second */
  int step_samples;
  int sweep_jobs; /* 0: as many as there are processors */
  int kept_runs;
  int kept_runs_size; /* GiB */
  char *arrangement;  /* of the panels */
  char *recorded_arrangement;
  char *panel_lines;
  char *panel_charts;
  gboolean show_sidebar;
  int window_width;  /* px */
  int window_height; /* px */
  gboolean window_maximized;
};

enum
{
  PROP_0,
  PROP_COLORMAP,
  PROP_STRETCH,
  PROP_THEME,
  PROP_PREVIEW,
  PROP_PREVIEW_RATE,
  PROP_STEP_SAMPLES,
  PROP_SWEEP_JOBS,
  PROP_KEPT_RUNS,
  PROP_KEPT_RUNS_SIZE,
  PROP_ARRANGEMENT,
  PROP_RECORDED_ARRANGEMENT,
  PROP_PANEL_LINES,
  PROP_PANEL_CHARTS,
  PROP_SHOW_SIDEBAR,
  PROP_WINDOW_WIDTH,
  PROP_WINDOW_HEIGHT,
  PROP_WINDOW_MAXIMIZED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (PrismSettings, prism_settings, G_TYPE_OBJECT)

static gpointer
get_field (PrismSettings *self,
           guint id)
{
  gpointer fields[N_PROPS] = {
    [PROP_COLORMAP] = &self->colormap,
    [PROP_STRETCH] = &self->stretch,
    [PROP_THEME] = &self->theme,
    [PROP_PREVIEW] = &self->preview,
    [PROP_PREVIEW_RATE] = &self->preview_rate,
    [PROP_STEP_SAMPLES] = &self->step_samples,
    [PROP_SWEEP_JOBS] = &self->sweep_jobs,
    [PROP_KEPT_RUNS] = &self->kept_runs,
    [PROP_KEPT_RUNS_SIZE] = &self->kept_runs_size,
    [PROP_ARRANGEMENT] = &self->arrangement,
    [PROP_RECORDED_ARRANGEMENT] = &self->recorded_arrangement,
    [PROP_PANEL_LINES] = &self->panel_lines,
    [PROP_PANEL_CHARTS] = &self->panel_charts,
    [PROP_SHOW_SIDEBAR] = &self->show_sidebar,
    [PROP_WINDOW_WIDTH] = &self->window_width,
    [PROP_WINDOW_HEIGHT] = &self->window_height,
    [PROP_WINDOW_MAXIMIZED] = &self->window_maximized,
  };

  return id < N_PROPS ? fields[id] : NULL;
}

static void
prism_settings_get_property (GObject *object,
                             guint id,
                             GValue *value,
                             GParamSpec *pspec)
{
  gpointer field = get_field (PRISM_SETTINGS (object), id);

  if (field == NULL)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  else if (G_VALUE_HOLDS_STRING (value))
    g_value_set_string (value, *(char **) field);
  else if (G_VALUE_HOLDS_BOOLEAN (value))
    g_value_set_boolean (value, *(gboolean *) field);
  else
    g_value_set_int (value, *(int *) field);
}

static void
set_string (PrismSettings *self,
            char **field,
            const char *value,
            GParamSpec *pspec)
{
  if (g_strcmp0 (*field, value) == 0)
    return;
  g_free (*field);
  *field = g_strdup (value);
  g_object_notify_by_pspec (G_OBJECT (self), pspec);
}

static void
set_number (PrismSettings *self,
            int *field,
            int value,
            GParamSpec *pspec)
{
  if (*field == value)
    return;
  *field = value;
  g_object_notify_by_pspec (G_OBJECT (self), pspec);
}

static void
prism_settings_set_property (GObject *object,
                             guint id,
                             const GValue *value,
                             GParamSpec *pspec)
{
  PrismSettings *self = PRISM_SETTINGS (object);
  gpointer field = get_field (self, id);

  if (field == NULL)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  else if (G_VALUE_HOLDS_STRING (value))
    set_string (self, field, g_value_get_string (value), pspec);
  else if (G_VALUE_HOLDS_BOOLEAN (value))
    set_number (self, field, g_value_get_boolean (value), pspec);
  else
    set_number (self, field, g_value_get_int (value), pspec);
}

static void
prism_settings_dispose (GObject *object)
{
  PrismSettings *self = PRISM_SETTINGS (object);

  g_clear_object (&self->settings);
  G_OBJECT_CLASS (prism_settings_parent_class)->dispose (object);
}

static void
prism_settings_finalize (GObject *object)
{
  PrismSettings *self = PRISM_SETTINGS (object);

  g_free (self->colormap);
  g_free (self->stretch);
  g_free (self->theme);
  g_free (self->arrangement);
  g_free (self->recorded_arrangement);
  g_free (self->panel_lines);
  g_free (self->panel_charts);
  G_OBJECT_CLASS (prism_settings_parent_class)->finalize (object);
}

static void
prism_settings_class_init (PrismSettingsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_EXPLICIT_NOTIFY
                            | G_PARAM_STATIC_STRINGS;

  object_class->dispose = prism_settings_dispose;
  object_class->finalize = prism_settings_finalize;
  object_class->get_property = prism_settings_get_property;
  object_class->set_property = prism_settings_set_property;

  properties[PROP_COLORMAP] = g_param_spec_string ("colormap", NULL, NULL, "grey", flags);
  properties[PROP_STRETCH] = g_param_spec_string ("stretch", NULL, NULL, "linear", flags);
  properties[PROP_THEME] = g_param_spec_string ("theme", NULL, NULL, "follow", flags);
  properties[PROP_PREVIEW] = g_param_spec_boolean ("preview", NULL, NULL, TRUE, flags);
  properties[PROP_PREVIEW_RATE] = g_param_spec_int ("preview-rate", NULL, NULL, 1, 60, 30, flags);
  properties[PROP_STEP_SAMPLES]
      = g_param_spec_int ("step-samples", NULL, NULL, 1, 10000, 10, flags);
  properties[PROP_SWEEP_JOBS] = g_param_spec_int ("sweep-jobs", NULL, NULL, 0, 1024, 0, flags);
  properties[PROP_KEPT_RUNS] = g_param_spec_int ("kept-runs", NULL, NULL, 0, 10000, 20, flags);
  properties[PROP_KEPT_RUNS_SIZE]
      = g_param_spec_int ("kept-runs-size", NULL, NULL, 1, 10000, 4, flags);
  properties[PROP_ARRANGEMENT] = g_param_spec_string ("arrangement", NULL, NULL, "explore", flags);
  properties[PROP_RECORDED_ARRANGEMENT]
      = g_param_spec_string ("recorded-arrangement", NULL, NULL, "microscope", flags);
  properties[PROP_PANEL_LINES] = g_param_spec_string ("panel-lines", NULL, NULL, "", flags);
  properties[PROP_PANEL_CHARTS] = g_param_spec_string ("panel-charts", NULL, NULL, "", flags);
  properties[PROP_SHOW_SIDEBAR] = g_param_spec_boolean ("show-sidebar", NULL, NULL, TRUE, flags);
  properties[PROP_WINDOW_WIDTH]
      = g_param_spec_int ("window-width", NULL, NULL, -1, G_MAXINT, 1400, flags);
  properties[PROP_WINDOW_HEIGHT]
      = g_param_spec_int ("window-height", NULL, NULL, -1, G_MAXINT, 900, flags);
  properties[PROP_WINDOW_MAXIMIZED]
      = g_param_spec_boolean ("window-maximized", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
prism_settings_init (PrismSettings *self)
{
}

static void
bind_schema (PrismSettings *self)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchema) schema = NULL;

  if (source != NULL)
    schema = g_settings_schema_source_lookup (source, PRISM_APP_ID, TRUE);
  if (schema == NULL)
    return;

  self->settings = g_settings_new_full (schema, NULL, NULL);
  for (guint i = 1; i < N_PROPS; i++)
    {
      /* A schema left over from another version may lack a key, and asking for it would abort. */
      if (g_settings_schema_has_key (schema, properties[i]->name))
        g_settings_bind (self->settings, properties[i]->name, self, properties[i]->name,
                         G_SETTINGS_BIND_DEFAULT);
    }
}

/**
 * prism_settings_get_default:
 *
 * The preferences of this process, one property per key of the schema.
 *
 * Thread: main.
 *
 * Returns: (transfer none): the settings
 */
PrismSettings *
prism_settings_get_default (void)
{
  static PrismSettings *settings;

  if (settings == NULL)
    {
      settings = g_object_new (PRISM_TYPE_SETTINGS, NULL);
      bind_schema (settings);
    }
  return settings;
}

/**
 * prism_settings_get_persistent:
 * @self: the settings
 *
 * Returns: whether changes outlive the process
 */
gboolean
prism_settings_get_persistent (PrismSettings *self)
{
  return self->settings != NULL;
}
