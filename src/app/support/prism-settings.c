#include "config.h"

#include "support/prism-settings.h"

#include "support/prism-class.h"

#include <gio/gio.h>

#define FLAGS \
  (G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS)
#define N_KEYS 18

struct _PrismSettings
{
  GObject parent_instance;

  GSettings *settings;   /* (nullable) */
  GValue values[N_KEYS]; /* of the properties, whose numbers begin with 1 */
};

static GParamSpec *properties[1 + N_KEYS];

G_DEFINE_FINAL_TYPE (PrismSettings, prism_settings, G_TYPE_OBJECT)

static void
prism_settings_get_property (GObject *object,
                             guint id,
                             GValue *value,
                             GParamSpec *pspec)
{
  g_value_copy (&PRISM_SETTINGS (object)->values[id - 1], value);
}

static void
prism_settings_set_property (GObject *object,
                             guint id,
                             const GValue *value,
                             GParamSpec *pspec)
{
  GValue *own = &PRISM_SETTINGS (object)->values[id - 1];

  if (g_param_values_cmp (pspec, value, own) == 0)
    return;
  g_value_copy (value, own);
  g_object_notify_by_pspec (object, pspec);
}

static void
prism_settings_finalize (PrismSettings *self)
{
  for (guint i = 0; i < N_KEYS; i++)
    g_value_unset (&self->values[i]);
}

static GParamSpec *
new_text (const char *name,
          const char *usual)
{
  return g_param_spec_string (name, NULL, NULL, usual, FLAGS);
}

static GParamSpec *
new_number (const char *name,
            int minimum,
            int maximum,
            int usual)
{
  return g_param_spec_int (name, NULL, NULL, minimum, maximum, usual, FLAGS);
}

static GParamSpec *
new_switch (const char *name,
            gboolean usual)
{
  return g_param_spec_boolean (name, NULL, NULL, usual, FLAGS);
}

static void
prism_settings_class_init (PrismSettingsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamSpec *const keys[N_KEYS] = {
    new_text ("colormap", "grey"),
    new_text ("stretch", "linear"),
    new_text ("theme", "follow"),
    new_switch ("preview", TRUE),
    new_number ("preview-rate", 1, 60, 30), /* per second */
    new_number ("step-samples", 1, 10000, 10),
    new_number ("sweep-jobs", 0, 1024, 0), /* 0: as many as there are processors */
    new_number ("kept-runs", 0, 10000, 20),
    new_number ("kept-runs-size", 1, 10000, 4), /* GiB */
    new_text ("arrangement", "explore"),        /* of the panels */
    new_text ("recorded-arrangement", "microscope"),
    new_number ("object-picture", 0, 9, 3), /* a PrismFindingPicture */
    new_text ("panel-lines", ""),
    new_text ("panel-charts", ""),
    new_switch ("show-sidebar", TRUE),
    new_number ("window-width", -1, G_MAXINT, 1400), /* px */
    new_number ("window-height", -1, G_MAXINT, 900),
    new_switch ("window-maximized", FALSE),
  };

  PRISM_ON_FINALIZE (klass, prism_settings_finalize);
  PRISM_FINALIZE (klass, PrismSettings, g_object_unref, settings);
  object_class->get_property = prism_settings_get_property;
  object_class->set_property = prism_settings_set_property;
  memcpy (&properties[1], keys, sizeof keys);
  g_object_class_install_properties (object_class, 1 + N_KEYS, properties);
}

static void
prism_settings_init (PrismSettings *self)
{
  for (guint i = 0; i < N_KEYS; i++)
    g_value_init (&self->values[i], properties[1 + i]->value_type);
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
  for (guint i = 1; i <= N_KEYS; i++)
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

/**
 * prism_settings_get_enum:
 * @name: of a preference whose text is a nick of @type
 * @type: an enumeration that has 0
 *
 * Returns: the value; 0 where the text is none
 */
int
prism_settings_get_enum (const char *name,
                         GType type)
{
  g_autoptr (GEnumClass) values = g_type_class_ref (type);
  g_autofree char *nick = NULL;
  const GEnumValue *value;

  g_object_get (prism_settings_get_default (), name, &nick, NULL);
  value = g_enum_get_value_by_nick (values, nick);
  return value != NULL ? value->value : 0;
}
