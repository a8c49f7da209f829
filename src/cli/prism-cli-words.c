#include "config.h"

#include "prism-cli-words.h"

#include "config/prism-builtin.h"
#include "config/prism-config.h"
#include "config/prism-preset.h"
#include "instrument/prism-instrument.h"
#include "recording/prism-recipe.h"

#include <string.h>

/* What the help calls the value, with the option where that alone does not say it. */
static const struct
{
  const char *argument;
  const char *name; /* (nullable): any */
  PrismCliWordsKind kind;
} kinds[] = {
  { "FILE", NULL, PRISM_CLI_WORDS_FILES },
  { "CSV", NULL, PRISM_CLI_WORDS_FILES },
  { "DIR", NULL, PRISM_CLI_WORDS_FOLDERS },
  { "AXIS", NULL, PRISM_CLI_WORDS_AXES },
  { "QUANTITY=VALUE", NULL, PRISM_CLI_WORDS_QUANTITIES },
  { "NAME", "preset", PRISM_CLI_WORDS_PRESETS },
  { "NAME", "run", PRISM_CLI_WORDS_PRESETS },
  { "KEY=VALUE", "assign", PRISM_CLI_WORDS_LINES },
  { "KEY=VALUE", NULL, PRISM_CLI_WORDS_SETTINGS },
};

static const char *const names[PRISM_CLI_N_WORDS] = {
  [PRISM_CLI_WORDS_NONE] = "none",
  [PRISM_CLI_WORDS_FILES] = "files",
  [PRISM_CLI_WORDS_FOLDERS] = "folders",
  [PRISM_CLI_WORDS_CHOICES] = "choices",
  [PRISM_CLI_WORDS_PRESETS] = "presets",
  [PRISM_CLI_WORDS_SETTINGS] = "settings",
  [PRISM_CLI_WORDS_AXES] = "axes",
  [PRISM_CLI_WORDS_QUANTITIES] = "quantities",
  [PRISM_CLI_WORDS_LINES] = "lines",
};

static void
word_free (gpointer data)
{
  PrismCliWord *word = data;

  g_free (word->word);
  g_free (word->help);
  g_free (word);
}

static void
add (GPtrArray *words,
     const char *help,
     const char *first,
     const char *second)
{
  PrismCliWord *word = g_new0 (PrismCliWord, 1);

  word->word = g_strconcat (first, second, NULL);
  word->help = g_strdup (help);
  g_ptr_array_add (words, word);
}

static void
add_presets (GPtrArray *words)
{
  gsize n;
  const PrismPreset *presets = prism_preset_get_all (&n);

  for (gsize i = 0; i < n; i++)
    add (words, presets[i].help, presets[i].id, "");
}

static void
add_values (GPtrArray *words,
            const PrismParam *param,
            const char *key)
{
  gsize n_objects;
  const PrismBuiltin *objects = prism_builtin_get_all (&n_objects);

  for (const PrismChoice *choice = param->choices; choice != NULL && choice->name != NULL; choice++)
    add (words, choice->label, key, choice->name);
  if (param->type == PRISM_PARAM_SWITCH)
    {
      add (words, param->label, key, "on");
      add (words, param->label, key, "off");
    }
  if (strcmp (param->key, "object") == 0)
    for (gsize i = 0; i < n_objects; i++)
      add (words, objects[i].label, key, objects[i].id);
}

/* "key=" where any number or text can follow, else "key=choice". */
static void
add_settings (GPtrArray *words,
              gboolean with_values)
{
  for (const PrismParam *param = prism_config_get_params (NULL); param->key != NULL; param++)
    {
      g_autofree char *key = g_strconcat (param->key, "=", NULL);
      guint n_before = words->len;

      if (with_values)
        add_values (words, param, key);
      if (words->len == n_before)
        add (words, param->label, key, "");
    }
}

static void
add_quantities (GPtrArray *words)
{
  gsize n;
  const PrismInstrumentKey *keys = prism_instrument_get_keys (&n);

  for (gsize i = 0; i < n; i++)
    add (words, keys[i].help, keys[i].key, "=");
}

static void
add_lines (GPtrArray *words)
{
  gsize n;
  const PrismRecipeKey *keys = prism_recipe_get_keys (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *key = g_strconcat (keys[i].key, "=", NULL);
      g_auto (GStrv) choices = keys[i].choices != NULL ? g_strsplit (keys[i].choices, "|", -1)
                                                       : NULL;

      for (char **choice = choices; choice != NULL && *choice != NULL; choice++)
        add (words, keys[i].help, key, *choice);
      if (choices == NULL)
        add (words, keys[i].help, key, "");
    }
}

/**
 * prism_cli_words_dup:
 * @kind: which; others than presets, settings, axes, quantities and lines have no words
 *
 * Returns: (transfer full) (element-type PrismCliWord): all words of a kind, from the tables
 */
GPtrArray *
prism_cli_words_dup (PrismCliWordsKind kind)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (word_free);

  if (kind == PRISM_CLI_WORDS_PRESETS)
    add_presets (words);
  else if (kind == PRISM_CLI_WORDS_SETTINGS || kind == PRISM_CLI_WORDS_AXES)
    add_settings (words, kind == PRISM_CLI_WORDS_SETTINGS);
  else if (kind == PRISM_CLI_WORDS_QUANTITIES)
    add_quantities (words);
  else if (kind == PRISM_CLI_WORDS_LINES)
    add_lines (words);
  return words;
}

/**
 * prism_cli_words_dup_choices:
 * @option: of a command
 *
 * An option's values are told by its help, “a|b”, or by the parameter of the same name.
 *
 * Returns: (transfer full) (nullable): the few values that it has, %NULL where it has others
 */
char **
prism_cli_words_dup_choices (const PrismCliOption *option)
{
  const PrismParam *param = prism_config_get_param (option->name);
  g_autoptr (GStrvBuilder) choices = g_strv_builder_new ();

  if (option->argument == NULL)
    return NULL;
  if (strchr (option->argument, '|') != NULL)
    return g_strsplit (option->argument, "|", -1);
  if (strcmp (option->argument, "NAME") != 0 || param == NULL || param->choices == NULL)
    return NULL;
  for (const PrismChoice *choice = param->choices; choice->name != NULL; choice++)
    g_strv_builder_add (choices, choice->name);
  return g_strv_builder_end (choices);
}

/**
 * prism_cli_words_dup_topics:
 * @arguments: of a command, "check|show|list [FILE…]"
 *
 * Returns: (transfer full): what its first argument can be, nothing where that is a file
 */
char **
prism_cli_words_dup_topics (const char *arguments)
{
  g_auto (GStrv) words = g_strsplit (arguments, " ", 2);

  if (words[0] != NULL && g_ascii_islower (words[0][0]))
    return g_strsplit (words[0], "|", -1);
  return g_new0 (char *, 1);
}

/**
 * prism_cli_words_get_kind:
 * @option: of a command
 *
 * Returns: what can stand behind it
 */
PrismCliWordsKind
prism_cli_words_get_kind (const PrismCliOption *option)
{
  g_auto (GStrv) choices = prism_cli_words_dup_choices (option);

  if (choices != NULL)
    return PRISM_CLI_WORDS_CHOICES;
  for (gsize i = 0; option->argument != NULL && i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].argument, option->argument) == 0
        && (kinds[i].name == NULL || strcmp (kinds[i].name, option->name) == 0))
      return kinds[i].kind;
  return PRISM_CLI_WORDS_NONE;
}

/**
 * prism_cli_words_get_name:
 * @kind: which
 *
 * Returns: (transfer none): its name in scripts
 */
const char *
prism_cli_words_get_name (PrismCliWordsKind kind)
{
  return names[kind];
}
