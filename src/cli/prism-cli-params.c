#include "config.h"

#include "base/prism-each.h"
#include "config/prism-builtin.h"

#include "config/prism-config.h"
#include "config/prism-preset.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

/* The parameter table as Markdown. */

static const char markdown_head[]
    = "# Parameters\n\n"
      "<!-- Made by “prism-cli params --markdown” from "
      "src/engine/config/prism-config-table.c. -->\n\n"
      "The same keys are used in the window, in `.prism` files and in\n"
      "`prism-cli run --set key=value`. What is live can be changed while a reconstruction runs;\n"
      "the rest applies to the next run. A parameter applies to a simulated *telescope*, to\n"
      "one where a *decoder* may be trained, to *recorded* frames, or everywhere, and with the\n"
      "named values of others.\n";

typedef enum
{
  GROUPS,
  PRESETS,
  OBJECTS,
} List;

/* All of a kind as choices, which have a name, a label and a sentence, too; ends with NULL. */
static PrismChoice *
new_list (List kind)
{
  gsize n[3];
  const PrismParamGroup *groups = prism_config_get_groups (&n[GROUPS]);
  const PrismPreset *presets = prism_preset_get_all (&n[PRESETS]);
  const PrismBuiltin *objects = prism_builtin_get_all (&n[OBJECTS]);
  PrismChoice *list = g_new0 (PrismChoice, n[kind] + 1);

  for (gsize i = 0; i < n[kind]; i++)
    if (kind == GROUPS)
      list[i] = (PrismChoice) { groups[i].id, groups[i].label, groups[i].help };
    else if (kind == PRESETS)
      list[i] = (PrismChoice) { presets[i].id, presets[i].label, presets[i].help };
    else
      list[i] = (PrismChoice) { objects[i].id, objects[i].label, objects[i].help };
  return list;
}

/* With its word where the number means none or automatic: “20” or “0 (None)”. */
static char *
dup_shown (const PrismConfig *config,
           const PrismParam *param)
{
  g_autofree char *value = prism_config_dup_text (config, param);
  const char *word = prism_config_get_word (config, param);

  if (word == NULL || prism_config_has_auto (param))
    return g_steal_pointer (&value);
  return g_strdup_printf ("%s (%s)", value, word);
}

/* As short as a table wants it: “64…4096 px”, “auto, 2…16”, “on, off”, “l1, l2”. */
static char *
dup_allowed (const PrismParam *param)
{
  const gboolean has_auto = prism_config_has_auto (param);
  g_autoptr (GString) text = g_string_new (NULL);

  switch (param->type)
    {
    case PRISM_PARAM_SWITCH:
      return g_strdup ("on, off");
    case PRISM_PARAM_TEXT:
      return g_strdup ("text");
    case PRISM_PARAM_CHOICE:
      for (const PrismChoice *choice = param->choices; choice->name != NULL; choice++)
        g_string_append_printf (text, "%s%s", choice == param->choices ? "" : ", ", choice->name);
      break;
    case PRISM_PARAM_INTEGER:
    case PRISM_PARAM_REAL:
    default:
      g_string_append_printf (text, "%s%.10g…%.10g%s%s", has_auto ? "auto, " : "",
                              has_auto ? param->least : param->minimum, param->maximum,
                              *param->unit != '\0' ? " " : "", param->unit);
      break;
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
append_markdown_group (GString *page,
                       const PrismChoice *group)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();

  g_string_append_printf (page, "\n## %s\n\n%s\n\n", group->label, group->help);
  g_string_append (page, "| key | default | allowed | live | applies | meaning |\n"
                         "|---|---|---|---|---|---|\n");
  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *value = dup_shown (defaults, param);
      g_autofree char *allowed = dup_allowed (param);
      g_auto (GStrv) words = g_strsplit (param->applies != NULL ? param->applies : "", "|", -1);
      g_autofree char *applies = g_strjoinv (" or ", words);

      if (strcmp (param->group, group->name) == 0)
        g_string_append_printf (page, "| `%s` | %s | %s | %s | %s | **%s.** %s |\n",
                                param->key, value, allowed, param->live ? "yes" : "", applies,
                                param->label, param->help);
    }
  PRISM_FOR_EACH_PARAM (param)
    {
      if (strcmp (param->group, group->name) == 0 && param->choices != NULL)
        {
          g_string_append_printf (page, "\n`%s` is one of\n\n", param->key);
          for (const PrismChoice *choice = param->choices; choice->name != NULL; choice++)
            g_string_append_printf (page, "- `%s`: %s\n", choice->name, choice->help);
        }
    }
}

/* "edge=valid memory=self …": where a preset differs from the defaults. */
static char *
dup_differences (const char *id)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  g_autoptr (PrismConfig) preset = prism_preset_load (id, NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *value = prism_config_dup_text (preset, param);

      if (prism_config_differs (preset, defaults, param))
        g_string_append_printf (text, "%s%s=%s", text->len > 0 ? " " : "", param->key, value);
    }
  if (text->len == 0)
    return g_strdup ("the defaults");
  return g_strdup (text->str);
}

/* The parameter table, the presets and the exit codes as docs/parameters.md. */
static char *
dup_markdown (void)
{
  GString *page = g_string_new (markdown_head);
  g_autofree PrismChoice *groups = new_list (GROUPS), *presets = new_list (PRESETS);
  g_autofree PrismChoice *objects = new_list (OBJECTS);

  for (const PrismChoice *group = groups; group->name != NULL; group++)
    append_markdown_group (page, group);
  g_string_append (page, "\n## Presets\n\n"
                         "| name | meaning | differs from the defaults by |\n|---|---|---|\n");
  for (const PrismChoice *preset = presets; preset->name != NULL; preset++)
    {
      g_autofree char *differences = dup_differences (preset->name);

      g_string_append_printf (page, "| `%s` | **%s.** %s | %s |\n", preset->name, preset->label,
                              preset->help, differences);
    }
  g_string_append (page, "\n## Built-in objects\n\n| name | meaning |\n|---|---|\n");
  for (const PrismChoice *object = objects; object->name != NULL; object++)
    g_string_append_printf (page, "| `%s` | **%s.** %s |\n", object->name, object->label,
                            object->help);
  g_string_append (page, "\n## Exit status of prism-cli\n\n| code | meaning |\n|---|---|\n");
  for (const PrismExitHelp *one = prism_cli_exits; one->help != NULL; one++)
    g_string_append_printf (page, "| %u | %s |\n", one->code, one->help);
  return g_string_free (page, FALSE);
}

#define WIDTH 96

static void
print_wrapped (const char *text,
               int indent)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  glong column = 0;

  PRISM_FOR_EACH_STRING (word, words)
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
print_list (const PrismChoice *list)
{
  for (; list->name != NULL; list++)
    printf ("  %-14s %s: %s\n", list->name, list->label, list->help);
}

static void
print_table (void)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  g_autofree PrismChoice *groups = new_list (GROUPS), *presets = new_list (PRESETS);
  g_autofree PrismChoice *objects = new_list (OBJECTS);
  g_auto (GStrv) own = prism_preset_store_dup_own ();

  puts ("Parameters, for --set KEY=VALUE and for .prism files: key = default [allowed].\n"
        "Those marked live can be changed while a reconstruction runs in the window.");
  for (const PrismChoice *group = groups; group->name != NULL; group++)
    {
      printf ("\n%s: %s\n", group->label, group->help);
      PRISM_FOR_EACH_PARAM (param)
        {
          if (strcmp (param->group, group->name) == 0)
            {
              g_autofree char *value = dup_shown (defaults, param);
              g_autofree char *allowed = dup_allowed (param);
              g_autofree char *setting = g_strdup_printf ("%s = %s", param->key, value);

              printf ("  %-32s [%s]%s\n", setting, allowed, param->live ? " live" : "");
              print_wrapped (param->help, 6);
              for (const PrismChoice *choice = param->choices;
                   choice != NULL && choice->name != NULL; choice++)
                {
                  g_autofree char *line = g_strdup_printf ("%s: %s", choice->name, choice->help);
                  print_wrapped (line, 8);
                }
            }
        }
    }
  puts ("\nPresets, for --preset NAME:");
  print_list (presets);
  PRISM_FOR_EACH_STRING (one, own)
    {
      g_autofree char *help = prism_preset_dup_help (*one);

      printf ("  %-14s Your own: %s\n", *one, help);
    }
  puts ("\nBuilt-in objects, for --set object=NAME:");
  print_list (objects);
}

/* key: "choices" */
static void
add_list (JsonBuilder *builder,
          const char *key,
          const char *name,
          const PrismChoice *list)
{
  prism_json_add (builder, "%s: [", key);
  for (; list->name != NULL; list++)
    prism_json_add (builder, "{%s: %s, label: %s, help: %s}", name, list->name, list->label,
                    list->help);
  prism_json_add (builder, "]");
}

static void
add_param (JsonBuilder *builder,
           const PrismParam *param)
{
  static const char *const types[] = { "integer", "real", "switch", "choice", "text" };

  prism_json_add (builder, "{key: %s, group: %s, type: %s, unit: %s, default:", param->key,
                  param->group, types[param->type], param->unit);
  if (param->type == PRISM_PARAM_TEXT)
    prism_json_add (builder, "%s", param->default_text);
  else if (param->type == PRISM_PARAM_CHOICE)
    prism_json_add (builder, "%s", param->choices[(int) param->default_value].name);
  else if (param->type == PRISM_PARAM_SWITCH)
    prism_json_add (builder, "%i", param->default_value != 0);
  else if (param->type == PRISM_PARAM_INTEGER)
    prism_json_add (builder, "%d", (int) param->default_value);
  else
    prism_json_add (builder, "%g", param->default_value);
  if (param->type == PRISM_PARAM_INTEGER || param->type == PRISM_PARAM_REAL)
    {
      prism_json_add (builder, "minimum: %g, maximum: %g", param->minimum, param->maximum);
    }
  if (param->choices != NULL)
    add_list (builder, "choices", "name", param->choices);
  prism_json_add (builder, "live: %i, applies: %s, label: %s, help: %s}", param->live,
                  param->applies != NULL ? param->applies : "", param->label, param->help);
}

static void
print_json (void)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree PrismChoice *groups = new_list (GROUPS), *presets = new_list (PRESETS);
  g_autofree PrismChoice *objects = new_list (OBJECTS);

  prism_json_add (builder, "{");
  add_list (builder, "groups", "id", groups);
  prism_json_add (builder, "parameters: [");
  PRISM_FOR_EACH_PARAM (param)
    add_param (builder, param);
  prism_json_add (builder, "]");
  add_list (builder, "presets", "id", presets);
  add_list (builder, "objects", "id", objects);
  prism_json_add (builder, "}");
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
                  char **argv,
                  GError **error)
{
  gboolean json = FALSE, markdown = FALSE;
  char *shell = NULL;
  const PrismCliOption entries[] = {
    PRISM_CLI_JSON_ENTRY (&json),
    { "markdown", 0, PRISM_CLI_SWITCH, &markdown, "Write the page of the documentation" },
    { "completion", 0, PRISM_CLI_TEXT, &shell, "Write what a shell completes",
      "bash|zsh|fish" },
    { NULL },
  };
  const char *script;

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;

  if (shell != NULL)
    {
      script = prism_cli_completion_get (shell, error);
      if (script == NULL)
        return PRISM_EXIT_FAILED;
      fputs (script, stdout);
    }
  else if (json)
    print_json ();
  else if (markdown)
    prism_cli_print_text (dup_markdown ());
  else
    print_table ();
  return PRISM_EXIT_OK;
}
