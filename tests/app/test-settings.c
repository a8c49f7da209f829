#include "prism-mapping.h"
#include "prism-test.h"
#include "support/prism-settings.h"

#include <gio/gio.h>

/* Every key of the schema is a property with the same default, and the other way round: otherwise a
 * preference is lost, or reading it aborts. */
TEST (schema_matches, "/app/settings/schema-matches")
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchema) schema = g_settings_schema_source_lookup (source, PRISM_APP_ID, TRUE);
  g_autoptr (GObject) fresh = g_object_new (PRISM_TYPE_SETTINGS, NULL);
  g_autofree GParamSpec **specs = NULL;
  guint n_specs;

  g_assert_nonnull (schema);
  g_auto (GStrv) keys = g_settings_schema_list_keys (schema);
  specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (fresh), &n_specs);
  g_assert_cmpuint (g_strv_length (keys), ==, n_specs);

  for (guint i = 0; i < n_specs; i++)
    {
      g_autoptr (GSettings) settings = g_settings_new (PRISM_APP_ID);
      g_autoptr (GVariant) standard = g_settings_get_default_value (settings, specs[i]->name);
      g_auto (GValue) value = G_VALUE_INIT;

      g_assert_true (g_settings_schema_has_key (schema, specs[i]->name));
      g_object_get_property (fresh, specs[i]->name, &value);
      if (G_VALUE_HOLDS_STRING (&value))
        g_assert_cmpstr (g_value_get_string (&value), ==, g_variant_get_string (standard, NULL));
      else if (G_VALUE_HOLDS_BOOLEAN (&value))
        g_assert_cmpint (g_value_get_boolean (&value), ==, g_variant_get_boolean (standard));
      else
        g_assert_cmpint (g_value_get_int (&value), ==, g_variant_get_int32 (standard));
    }
}

TEST (persistent, "/app/settings/persistent")
{
  PrismSettings *settings = prism_settings_get_default ();
  g_autoptr (GSettings) stored = g_settings_new (PRISM_APP_ID);

  g_assert_true (prism_settings_get_persistent (settings));
  g_object_set (settings, "theme", "dark", NULL);
  SAYS (g_settings_get_string (stored, "theme"), "dark");
}

/* A choice that the schema does not know is not stored, and GSettings says so as a fault. */
static void
check_choices (const char *key,
               GType type)
{
  g_autoptr (GSettings) stored = g_settings_new (PRISM_APP_ID);
  g_autoptr (GSettingsSchema) schema = NULL;
  GEnumClass *choices = g_type_class_ref (type);

  g_object_get (stored, "settings-schema", &schema, NULL);
  g_autoptr (GSettingsSchemaKey) found = g_settings_schema_get_key (schema, key);
  for (guint i = 0; i < choices->n_values; i++)
    {
      g_autoptr (GVariant) value
          = g_variant_ref_sink (g_variant_new_string (choices->values[i].value_nick));

      g_test_message ("%s: %s", key, choices->values[i].value_nick);
      g_assert_true (g_settings_schema_key_range_check (found, value));
    }
  g_type_class_unref (choices);
}

TEST (choices, "/app/settings/choices")
{
  check_choices ("stretch", PRISM_TYPE_STRETCH);
  check_choices ("colormap", PRISM_TYPE_COLORMAP);
}

/* In a process that sees no schema at all. */
TEST (missing_schema, "/app/settings/missing-schema")
{
  if (g_test_subprocess ())
    {
      PrismSettings *settings = prism_settings_get_default ();
      int rate;

      g_assert_false (prism_settings_get_persistent (settings));
      g_object_set (settings, "preview-rate", 7, NULL);
      g_object_get (settings, "preview-rate", &rate, NULL);
      g_assert_cmpint (rate, ==, 7);
      return;
    }
  g_setenv ("GSETTINGS_SCHEMA_DIR", "/nonexistent", TRUE);
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}
