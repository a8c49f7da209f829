#include "config.h"

#include "prism-cli-manual.h"

#include "config/prism-builtin.h"
#include "config/prism-config.h"
#include "config/prism-preset.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#include <string.h>

static const char markdown_head[]
    = "# Parameters\n\n"
      "<!-- Made by “prism-cli params --markdown” from "
      "src/engine/config/prism-config-table.c. -->\n\n"
      "The same keys are used in the window, in `.prism` files and in\n"
      "`prism-cli run --set key=value`. What is live can be changed while a reconstruction runs;\n"
      "the rest applies to the next run.\n";

static const char man_head[]
    = ".TH PRISM\\-CLI 1 \"\" \"PRISM Studio " PRISM_VERSION "\" \"User Commands\"\n"
      ".SH NAME\n"
      "prism\\-cli \\- reconstruct images from sparse measurements\n"
      ".SH SYNOPSIS\n"
      ".B prism\\-cli run\n"
      "[\\fB\\-\\-config\\fR \\fIFILE\\fR | \\fB\\-\\-preset\\fR \\fINAME\\fR]\n"
      "[\\fB\\-\\-set\\fR \\fIKEY=VALUE\\fR]… [\\fB\\-\\-output\\fR \\fIDIR\\fR]\n"
      "[\\fB\\-\\-report\\fR \\fIFILE\\fR] [\\fB\\-\\-animation\\fR \\fIFILE\\fR]\n"
      ".br\n"
      ".B prism\\-cli report\n"
      "\\fIFILE.prismrun\\fR… [\\fB\\-\\-html\\fR \\fIFILE\\fR] [\\fB\\-\\-pdf\\fR \\fIFILE\\fR]\n"
      ".br\n"
      ".B prism\\-cli compare\n"
      "[\\fIFILE\\fR…]\n"
      "[\\fB\\-\\-run\\fR \\fINAME\\fR]… [\\fB\\-\\-methods\\fR]\n"
      "[\\fB\\-\\-csv\\fR \\fIFILE\\fR] [\\fB\\-\\-report\\fR \\fIFILE\\fR]\n"
      ".br\n"
      ".B prism\\-cli info | params | bench\n"
      "[\\fB\\-\\-json\\fR]\n"
      ".br\n"
      ".B prism\\-cli verify\n"
      "\\fIFILE.npz\\fR…\n"
      ".SH DESCRIPTION\n"
      "A small telescope aperture visits positions in the Fourier plane of an object, and at each\n"
      "position a camera records an image without phase. prism\\-cli finds the image that\n"
      "explains all of these measurements: it trains a generative decoder while they arrive,\n"
      "then polishes its answer. It has no window, but the engine and the parameters of PRISM\n"
      "Studio.\n";

static const char man_tail[]
    = ".SH EXAMPLES\n"
      ".TP\n"
      "prism\\-cli run \\-\\-preset quick\\-look\n"
      "Reconstruct the built\\-in moon into ./prism\\-output.\n"
      ".TP\n"
      "prism\\-cli run \\-\\-set object=europa.jpg \\-\\-set snr=20 \\-\\-output europa\n"
      "Reconstruct a photograph with noise into the directory europa.\n"
      ".SH SEE ALSO\n"
      "prism\\-studio(1)\n";

static void
append_markdown_choices (GString *page,
                         const PrismParam *param)
{
  if (param->choices == NULL)
    return;
  g_string_append_printf (page, "\n`%s` is one of\n\n", param->key);
  for (const PrismChoice *choice = param->choices; choice->name != NULL; choice++)
    g_string_append_printf (page, "- `%s`: %s\n", choice->name, choice->help);
}

static void
append_markdown_group (GString *page,
                       const PrismParamGroup *group)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  g_string_append_printf (page, "\n## %s\n\n%s\n\n", group->label, group->help);
  g_string_append (page, "| key | default | allowed | live | meaning |\n|---|---|---|---|---|\n");
  for (gsize i = 0; i < n_params; i++)
    {
      const PrismParam *param = &params[i];
      g_autofree char *value = prism_cli_dup_shown (defaults, param);
      g_autofree char *allowed = prism_cli_dup_allowed (param);

      if (strcmp (param->group, group->id) == 0)
        g_string_append_printf (page, "| `%s` | %s | %s | %s | **%s.** %s |\n",
                                param->key, value, allowed, param->live ? "yes" : "",
                                param->label, param->help);
    }
  for (gsize i = 0; i < n_params; i++)
    {
      if (strcmp (params[i].group, group->id) == 0)
        append_markdown_choices (page, &params[i]);
    }
}

/* "edge=valid memory=self …": where a preset differs from the defaults. */
static char *
dup_differences (const char *id)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  g_autoptr (PrismConfig) preset = prism_preset_load (id, NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params; i++)
    {
      g_autofree char *initial = prism_config_dup_text (defaults, &params[i]);
      g_autofree char *value = prism_config_dup_text (preset, &params[i]);

      if (strcmp (initial, value) != 0)
        g_string_append_printf (text, "%s%s=%s", text->len > 0 ? " " : "", params[i].key, value);
    }
  if (text->len == 0)
    return g_strdup ("the defaults");
  return g_strdup (text->str);
}

static void
append_markdown_objects (GString *page)
{
  gsize n_objects;
  const PrismBuiltin *objects = prism_builtin_get_all (&n_objects);

  g_string_append (page, "\n## Built-in objects\n\n| name | meaning |\n|---|---|\n");
  for (gsize i = 0; i < n_objects; i++)
    g_string_append_printf (page, "| `%s` | **%s.** %s |\n", objects[i].id, objects[i].label,
                            objects[i].help);
}

/**
 * prism_cli_manual_dup_markdown:
 *
 * The parameter table, the presets and the exit codes as docs/parameters.md.
 *
 * Returns: (transfer full): the page
 */
char *
prism_cli_manual_dup_markdown (void)
{
  GString *page = g_string_new (markdown_head);
  gsize n_groups, n_presets, n_exits;
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);
  const PrismPreset *presets = prism_preset_get_all (&n_presets);
  const PrismExitHelp *exits = prism_cli_exit_get_all (&n_exits);

  for (gsize i = 0; i < n_groups; i++)
    append_markdown_group (page, &groups[i]);
  g_string_append (page, "\n## Presets\n\n"
                         "| name | meaning | differs from the defaults by |\n|---|---|---|\n");
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autofree char *differences = dup_differences (presets[i].id);
      g_string_append_printf (page, "| `%s` | **%s.** %s | %s |\n", presets[i].id, presets[i].label,
                              presets[i].help, differences);
    }
  append_markdown_objects (page);
  g_string_append (page, "\n## Exit status of prism-cli\n\n| code | meaning |\n|---|---|\n");
  for (gsize i = 0; i < n_exits; i++)
    g_string_append_printf (page, "| %d | %s |\n", exits[i].code, exits[i].help);
  return g_string_free (page, FALSE);
}

/* Text for troff: backslashes and hyphens escaped, no line that begins with a request. */
static void
append_man (GString *page,
            const char *text)
{
  if (*text == '.' || *text == '\'')
    g_string_append (page, "\\&");
  for (; *text != '\0'; text++)
    {
      if (*text == '\\')
        g_string_append (page, "\\e");
      else if (*text == '-')
        g_string_append (page, "\\-");
      else
        g_string_append_c (page, *text);
    }
}

static void
append_item (GString *page,
             const char *name,
             const char *detail,
             const char *help)
{
  g_string_append (page, ".TP\n\\fB");
  append_man (page, name);
  g_string_append (page, "\\fR ");
  append_man (page, detail);
  g_string_append_c (page, '\n');
  append_man (page, help);
  g_string_append_c (page, '\n');
}

static void
append_man_param (GString *page,
                  const PrismConfig *defaults,
                  const PrismParam *param)
{
  g_autofree char *value = prism_cli_dup_shown (defaults, param);
  g_autofree char *allowed = prism_cli_dup_allowed (param);
  g_autofree char *detail = NULL;

  detail = g_strdup_printf ("= %s [%s]%s", value, allowed, param->live ? " (live)" : "");
  append_item (page, param->key, detail, param->help);
  if (param->choices == NULL)
    return;
  g_string_append (page, ".RS\n");
  for (const PrismChoice *choice = param->choices; choice->name != NULL; choice++)
    append_item (page, choice->name, "", choice->help);
  g_string_append (page, ".RE\n");
}

static void
append_man_params (GString *page)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  gsize n_groups, n_params;
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);
  const PrismParam *params = prism_config_get_params (&n_params);

  g_string_append (page, ".SH PARAMETERS\n"
                         "For \\fB\\-\\-set\\fR \\fIKEY=VALUE\\fR and for the group [prism] of\n"
                         "a \\fI.prism\\fR file. Given are default and range.\n");
  for (gsize g = 0; g < n_groups; g++)
    {
      g_string_append_printf (page, ".SS %s\n", groups[g].label);
      append_man (page, groups[g].help);
      g_string_append_c (page, '\n');
      for (gsize i = 0; i < n_params; i++)
        {
          if (strcmp (params[i].group, groups[g].id) == 0)
            append_man_param (page, defaults, &params[i]);
        }
    }
}

static void
append_man_commands (GString *page)
{
  gsize n_commands;
  const PrismCommand *commands = prism_cli_get_commands (&n_commands);

  g_string_append (page, ".SH COMMANDS\n");
  for (gsize i = 0; i < n_commands; i++)
    append_item (page, commands[i].name, commands[i].arguments, commands[i].summary);
  g_string_append (page, ".PP\nEach command has \\fB\\-\\-help\\fR.\n");
}

static void
append_man_lists (GString *page)
{
  gsize n_presets, n_objects, n_exits;
  const PrismPreset *presets = prism_preset_get_all (&n_presets);
  const PrismBuiltin *objects = prism_builtin_get_all (&n_objects);
  const PrismExitHelp *exits = prism_cli_exit_get_all (&n_exits);

  g_string_append (page, ".SH PRESETS\nFor \\fB\\-\\-preset\\fR \\fIname\\fR.\n");
  for (gsize i = 0; i < n_presets; i++)
    append_item (page, presets[i].id, "", presets[i].help);
  g_string_append (page, ".SH BUILT-IN OBJECTS\n"
                         "For \\fB\\-\\-set\\fR object=\\fIname\\fR.\n");
  for (gsize i = 0; i < n_objects; i++)
    append_item (page, objects[i].id, "", objects[i].help);
  g_string_append (page, ".SH EXIT STATUS\n");
  for (gsize i = 0; i < n_exits; i++)
    {
      g_autofree char *code = g_strdup_printf ("%d", exits[i].code);
      append_item (page, code, "", exits[i].help);
    }
}

/**
 * prism_cli_manual_dup_man:
 *
 * The manual page prism-cli(1) as troff.
 *
 * Returns: (transfer full): the page
 */
char *
prism_cli_manual_dup_man (void)
{
  GString *page = g_string_new (man_head);

  append_man_commands (page);
  append_man_params (page);
  append_man_lists (page);
  g_string_append (page, man_tail);
  return g_string_free (page, FALSE);
}
