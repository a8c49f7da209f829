#include "config.h"

#include "config/prism-builtin.h"
#include "config/prism-config.h"
#include "config/prism-preset-store.h"
#include "config/prism-preset.h"
#include "prism-cli-completion.h"
#include "prism-cli-manual.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#include <stdio.h>
#include <string.h>

#define WIDTH 96

static void
print_wrapped (const char *text,
               int indent)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  glong column = 0;

  for (char **word = words; *word != NULL; word++)
    {
      glong length = g_utf8_strlen (*word, -1);

      if (column == 0 || column + 1 + length > WIDTH)
        {
          printf ("%s%*s%s", column == 0 ? "" : "\n", indent, "", *word);
          column = indent + length;
          continue;
        }
      printf (" %s", *word);
      column += 1 + length;
    }
  putchar ('\n');
}

static void
print_param (const PrismConfig *defaults,
             const PrismParam *param)
{
  g_autofree char *value = prism_cli_dup_shown (defaults, param);
  g_autofree char *allowed = prism_cli_dup_allowed (param);
  g_autofree char *setting = g_strdup_printf ("%s = %s", param->key, value);

  printf ("  %-32s [%s]%s\n", setting, allowed, param->live ? " live" : "");
  print_wrapped (param->help, 6);
  for (const PrismChoice *choice = param->choices; choice != NULL && choice->name != NULL; choice++)
    {
      g_autofree char *line = g_strdup_printf ("%s: %s", choice->name, choice->help);
      print_wrapped (line, 8);
    }
}

static void
print_own_presets (void)
{
  g_auto (GStrv) ids = prism_preset_store_dup_own ();

  for (guint i = 0; ids[i] != NULL; i++)
    {
      g_autofree char *help = prism_preset_dup_help (ids[i]);

      printf ("  %-14s Your own: %s\n", ids[i], help);
    }
}

static void
print_table (void)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  gsize n_groups, n_params, n_presets, n_objects;
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);
  const PrismParam *params = prism_config_get_params (&n_params);
  const PrismPreset *presets = prism_preset_get_all (&n_presets);
  const PrismBuiltin *objects = prism_builtin_get_all (&n_objects);

  puts ("Parameters, for --set KEY=VALUE and for .prism files: key = default [allowed].\n"
        "Those marked live can be changed while a reconstruction runs in the window.");
  for (gsize g = 0; g < n_groups; g++)
    {
      printf ("\n%s: %s\n", groups[g].label, groups[g].help);
      for (gsize i = 0; i < n_params; i++)
        {
          if (strcmp (params[i].group, groups[g].id) == 0)
            print_param (defaults, &params[i]);
        }
    }
  puts ("\nPresets, for --preset NAME:");
  for (gsize i = 0; i < n_presets; i++)
    printf ("  %-14s %s: %s\n", presets[i].id, presets[i].label, presets[i].help);
  print_own_presets ();
  puts ("\nBuilt-in objects, for --set object=NAME:");
  for (gsize i = 0; i < n_objects; i++)
    printf ("  %-14s %s: %s\n", objects[i].id, objects[i].label, objects[i].help);
}

static void
add_choices (JsonBuilder *builder,
             const PrismChoice *choices)
{
  json_builder_set_member_name (builder, "choices");
  json_builder_begin_array (builder);
  for (const PrismChoice *choice = choices; choice->name != NULL; choice++)
    {
      json_builder_begin_object (builder);
      prism_cli_add_string (builder, "name", choice->name);
      prism_cli_add_string (builder, "label", choice->label);
      prism_cli_add_string (builder, "help", choice->help);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_default (JsonBuilder *builder,
             const PrismParam *param)
{
  json_builder_set_member_name (builder, "default");
  if (param->type == PRISM_PARAM_TEXT)
    json_builder_add_string_value (builder, param->default_text);
  else if (param->type == PRISM_PARAM_CHOICE)
    json_builder_add_string_value (builder, param->choices[(int) param->default_value].name);
  else if (param->type == PRISM_PARAM_SWITCH)
    json_builder_add_boolean_value (builder, param->default_value != 0);
  else if (param->type == PRISM_PARAM_INTEGER)
    json_builder_add_int_value (builder, (gint64) param->default_value);
  else
    json_builder_add_double_value (builder, param->default_value);
}

static void
add_param (JsonBuilder *builder,
           const PrismParam *param)
{
  static const char *const types[] = { "integer", "real", "switch", "choice", "text" };

  json_builder_begin_object (builder);
  prism_cli_add_string (builder, "key", param->key);
  prism_cli_add_string (builder, "group", param->group);
  prism_cli_add_string (builder, "type", types[param->type]);
  prism_cli_add_string (builder, "unit", param->unit);
  add_default (builder, param);
  if (param->type == PRISM_PARAM_INTEGER || param->type == PRISM_PARAM_REAL)
    {
      prism_cli_add_number (builder, "minimum", param->minimum);
      prism_cli_add_number (builder, "maximum", param->maximum);
    }
  if (param->choices != NULL)
    add_choices (builder, param->choices);
  json_builder_set_member_name (builder, "live");
  json_builder_add_boolean_value (builder, param->live);
  prism_cli_add_string (builder, "label", param->label);
  prism_cli_add_string (builder, "help", param->help);
  json_builder_end_object (builder);
}

static void
add_groups (JsonBuilder *builder)
{
  gsize n_groups;
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);

  json_builder_set_member_name (builder, "groups");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < n_groups; i++)
    {
      json_builder_begin_object (builder);
      prism_cli_add_string (builder, "id", groups[i].id);
      prism_cli_add_string (builder, "label", groups[i].label);
      prism_cli_add_string (builder, "help", groups[i].help);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_presets (JsonBuilder *builder)
{
  gsize n_presets;
  const PrismPreset *presets = prism_preset_get_all (&n_presets);

  json_builder_set_member_name (builder, "presets");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < n_presets; i++)
    {
      json_builder_begin_object (builder);
      prism_cli_add_string (builder, "id", presets[i].id);
      prism_cli_add_string (builder, "label", presets[i].label);
      prism_cli_add_string (builder, "help", presets[i].help);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_objects (JsonBuilder *builder)
{
  gsize n_objects;
  const PrismBuiltin *objects = prism_builtin_get_all (&n_objects);

  json_builder_set_member_name (builder, "objects");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < n_objects; i++)
    {
      json_builder_begin_object (builder);
      prism_cli_add_string (builder, "id", objects[i].id);
      prism_cli_add_string (builder, "label", objects[i].label);
      prism_cli_add_string (builder, "help", objects[i].help);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
print_json (void)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  json_builder_begin_object (builder);
  add_groups (builder);
  json_builder_set_member_name (builder, "parameters");
  json_builder_begin_array (builder);
  for (gsize i = 0; i < n_params; i++)
    add_param (builder, &params[i]);
  json_builder_end_array (builder);
  add_presets (builder);
  add_objects (builder);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
}

/**
 * prism_cli_params:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli params: shows the parameter table.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_params (int argc,
                  char **argv)
{
  gboolean json = FALSE, markdown = FALSE, man = FALSE;
  g_autofree char *shell = NULL;
  const GOptionEntry entries[] = {
    PRISM_CLI_JSON_ENTRY (&json),
    { "markdown", 0, 0, G_OPTION_ARG_NONE, &markdown, "Write the page of the documentation", NULL },
    { "man", 0, 0, G_OPTION_ARG_NONE, &man, "Write the manual page", NULL },
    { "completion", 0, 0, G_OPTION_ARG_STRING, &shell, "Write what a shell completes",
      "bash|zsh|fish" },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  g_autofree char *page = NULL;

  if (!prism_cli_parse ("params", entries, NULL, &argc, &argv, &error)
      || !prism_cli_refuse_rest (argc, argv, &error))
    return prism_cli_report (error);

  if (shell != NULL)
    {
      page = prism_cli_completion_dup (shell, &error);
      if (page == NULL)
        return prism_cli_report (error);
      fputs (page, stdout);
    }
  else if (json)
    print_json ();
  else if (markdown || man)
    {
      page = markdown ? prism_cli_manual_dup_markdown () : prism_cli_manual_dup_man ();
      fputs (page, stdout);
    }
  else
    print_table ();
  return prism_cli_finish_output ();
}
