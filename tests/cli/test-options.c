#include "prism-cli-harness.h"
#include "prism-cli.h"
#include "prism-test.h"
#include "../engine/support/test-remove-tree.h"

/* Of every command, by the tables that it parses: no output takes the place of an input or of
 * another output, and no number is out of its range. */

#define CONTENT "what was there"

int prism_cli_main (int argc, char **argv);

/* What a command is given a file or a folder by. */
typedef struct
{
  const char *option; /* (nullable): an argument */
  PrismCliKind kind;
  const char *names;
} Place;

static const char *const ways[] = { "data", "./folder/../data", "link", "hard", "way/data" };

static void
fill_folder (void)
{
  static const char *const folders[] = { "folder", "way" };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    g_assert_cmpint (g_mkdir (folders[i], 0777), ==, 0);
  g_assert_true (g_file_set_contents ("data", CONTENT, -1, NULL));
  g_assert_true (g_file_set_contents ("other", CONTENT, -1, NULL));
  g_assert_cmpint (symlink ("data", "link"), ==, 0);
  g_assert_cmpint (link ("data", "hard"), ==, 0);
  g_assert_cmpint (symlink ("../data", "way/data"), ==, 0);
}

static GArray *
list_places (const PrismCommand *command)
{
  g_autoptr (GArray) options = prism_cli_list_options (command);
  g_auto (GStrv) words = g_strsplit (command->arguments, " ", -1);
  GArray *places = g_array_new (FALSE, FALSE, sizeof (Place));

  for (char **word = words; *word != NULL && **word != '\0'; word++)
    {
      const Place place = { NULL, strchr (*word, '>') ? PRISM_CLI_OUTPUT : PRISM_CLI_INPUT, NULL };

      g_array_append_val (places, place);
    }
  for (guint i = 0; i < options->len; i++)
    {
      const PrismCliOption *option = &g_array_index (options, PrismCliOption, i);
      const Place place = { option->name, option->kind, option->names };

      if (option->kind >= PRISM_CLI_INPUT)
        g_array_append_val (places, place);
    }
  return places;
}

/* A file that is written into a folder. */
static char *
dup_inside (const Place *folder)
{
  g_autofree char *first = g_strndup (folder->names, strcspn (folder->names, "|"));
  g_auto (GStrv) parts = g_strsplit (first, "*", -1);
  g_autofree char *name = g_strjoinv ("x", parts);

  return g_build_filename ("folder", name, NULL);
}

static void
check_refused (const PrismCommand *command,
               const GArray *places,
               guint one,
               const char *one_path,
               guint other,
               const char *other_path)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) moved = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (argv, g_strdup (command->name));
  for (guint i = 0; i < places->len; i++)
    {
      const Place *place = &g_array_index (places, Place, i);
      const char *path = i == one ? one_path : i == other ? other_path
                                                          : "other";

      if (place->option == NULL)
        g_ptr_array_add (argv, g_strdup (path));
      else if (i == one || i == other)
        g_ptr_array_add (argv, g_strdup_printf ("--%s=%s", place->option, path));
    }
  for (guint i = 0; i < argv->len; i++)
    g_ptr_array_add (moved, argv->pdata[i]);
  g_ptr_array_add (moved, NULL);
  command->main ((int) argv->len, (char **) moved->pdata, &error);
  if (error == NULL || !g_error_matches (error, PRISM_ERROR, PRISM_ERROR_CONFIG)
      || (strstr (error->message, "would be overwritten by") == NULL
          && strstr (error->message, "would be written by") == NULL)
      || strstr (error->message, "choose another name") == NULL)
    g_error ("%s, %s and %s: %s", command->name, one_path, other_path,
             error != NULL ? error->message : "not refused");
}

static guint
check_command (const PrismCommand *command)
{
  g_autoptr (GArray) places = list_places (command);
  guint n = 0;

  for (guint i = 0; i < places->len; i++)
    for (guint j = i + 1; j < places->len; j++)
      {
        const Place *one = &g_array_index (places, Place, i);
        const Place *other = &g_array_index (places, Place, j);
        const gboolean first = one->kind == PRISM_CLI_FOLDER;
        const gboolean second = other->kind == PRISM_CLI_FOLDER;

        if (MAX (one->kind, other->kind) < PRISM_CLI_OUTPUT || (first && second))
          continue;
        for (guint k = 0; k < (first || second ? 1 : G_N_ELEMENTS (ways)); k++, n++)
          {
            g_autofree char *inside = first ? dup_inside (one) : second ? dup_inside (other)
                                                                        : g_strdup (ways[k]);

            if (first || second)
              g_assert_true (g_file_set_contents (inside, CONTENT, -1, NULL));
            check_refused (command, places, i, first ? "folder" : second ? inside
                                                                         : "data",
                           j,
                           second ? "./way/../folder" : inside);
          }
      }
  return n;
}

/* In a folder of its own, whose files stay as they are. */
TEST (outputs, "/cli/options/outputs")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *before = g_get_current_dir ();
  guint n_pairs = 0;

  g_assert_cmpint (g_chdir (folder), ==, 0);
  fill_folder ();
  for (const PrismCommand *one = prism_cli_commands; one->summary != NULL; one++)
    n_pairs += check_command (one);
  g_assert_cmpuint (n_pairs, >=, 300);
  SAYS (file_text ("data"), CONTENT);
  SAYS (file_text ("other"), CONTENT);
  g_assert_cmpint (g_chdir (before), ==, 0);
}

static void
check_number (const PrismCommand *command,
              const PrismCliOption *option,
              const char *value)
{
  g_autofree char *text = g_strdup_printf ("--%s=%s", option->name, value);
  char *argv[] = { (char *) command->name, text, (char *) "a", (char *) "b", NULL };
  g_autoptr (GError) error = NULL;

  command->main (4, argv, &error);
  if (error == NULL || strstr (error->message, "but must be a") == NULL)
    g_error ("%s %s: %s", command->name, text, error != NULL ? error->message : "not refused");
}

TEST (numbers, "/cli/options/numbers")
{
  for (const PrismCommand *one = prism_cli_commands; one->summary != NULL; one++)
    {
      g_autoptr (GArray) options = prism_cli_list_options (one);

      for (guint j = 0; j < options->len; j++)
        {
          const PrismCliOption *option = &g_array_index (options, PrismCliOption, j);
          g_autofree char *low = g_strdup_printf ("%.17g", option->least - 1);
          g_autofree char *high = g_strdup_printf ("%.17g", 2 * option->most + 1);

          if (option->value != NULL
              && (strstr (option->value, "FILE") != NULL || strcmp (option->value, "CSV") == 0
                  || strcmp (option->value, "DIR") == 0))
            g_assert_cmpint (option->kind, >=, PRISM_CLI_INPUT);
          if (option->kind == PRISM_CLI_FOLDER)
            g_assert_nonnull (option->names);
          if (option->kind != PRISM_CLI_INTEGER && option->kind != PRISM_CLI_NUMBER)
            continue;
          check_number (one, option, low);
          check_number (one, option, high);
          check_number (one, option, "nan");
          check_number (one, option, "0x1");
        }
    }
}

static void
check_taken (const PrismCommand *command,
             char *option)
{
  const char *written = strchr (command->arguments, '>');
  char *argv[] = { (char *) command->name, (char *) "none", (char *) "none", option, NULL };
  int argc = *command->arguments == '\0' || *command->arguments == '[' ? 1 : 2;
  g_autoptr (GError) error = NULL;

  if (written != NULL)
    argv[argc++ - (written == command->arguments)] = (char *) (option != NULL ? "new" : "taken");
  argc -= written == command->arguments;
  argv[argc] = option;
  command->main (argc + (option != NULL), argv, &error);
  if (error == NULL || strstr (error->message, "taken” is there already") == NULL)
    g_error ("%s %s: %s", command->name, option, error != NULL ? error->message : "not refused");
}

/* No output of any command takes the place of a file, unless that is said. */
TEST (taken, "/cli/options/taken")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *before = g_get_current_dir ();
  g_autofree char *taken = g_build_filename (folder, "taken", NULL);
  g_autofree char *text = NULL;
  gsize length;
  guint n_options = 0;

  g_assert_cmpint (g_chdir (folder), ==, 0);
  g_assert_true (g_file_set_contents ("taken", CONTENT, -1, NULL));
  for (const PrismCommand *one = prism_cli_commands; one->summary != NULL; one++)
    {
      g_autoptr (GArray) options = prism_cli_list_options (one);

      if (strchr (one->arguments, '>') != NULL)
        check_taken (one, NULL);
      for (guint j = 0; j < options->len; j++)
        {
          const PrismCliOption *option = &g_array_index (options, PrismCliOption, j);
          g_autofree char *word = g_strdup_printf ("--%s=taken", option->name);

          if (option->kind != PRISM_CLI_OUTPUT && option->kind != PRISM_CLI_OUTPUTS)
            continue;
          check_taken (one, word);
          n_options++;
        }
    }
  g_assert_cmpuint (n_options, >, 15);
  g_assert_true (g_file_get_contents ("taken", &text, &length, NULL));
  g_assert_cmpstr (text, ==, CONTENT);
  g_auto (PrismCliResult) forced = cli_works ("pattern --force --csv %s", taken);
  g_clear_pointer (&text, g_free);
  g_assert_true (g_file_get_contents ("taken", &text, &length, NULL));
  g_assert_true (g_str_has_prefix (text, "y,x\n"));
  g_assert_cmpint (g_chdir (before), ==, 0);
}

static void
check_names (const PrismCliResult *run,
             const char *folder)
{
  g_autoptr (GDir) files = g_dir_open (in_folder (run->directory, folder), 0, NULL);
  g_autoptr (GArray) options = prism_cli_list_options (prism_cli_find_command ("run", NULL));
  g_auto (GStrv) patterns = NULL;
  const char *name;

  for (guint i = 0; i < options->len; i++)
    if (strcmp (g_array_index (options, PrismCliOption, i).name, "output") == 0)
      patterns = g_strsplit (g_array_index (options, PrismCliOption, i).names, "|", -1);
  while ((name = g_dir_read_name (files)) != NULL)
    if (!g_strv_contains ((const char *const *) patterns, name))
      g_error ("the names of a result lack “%s”", name);
}

/* Every file of a result is known by its name, of a telescope and of a field in tiles with all that
 * is made of it later. */
TEST (names, "/cli/options/names")
{
  g_auto (PrismCliResult) run = cli_works ("run --preset quick-look --set image_size=64 --set "
                                           "object_size=16 --set aperture_radius=6 --set roi=48");
  check_names (&run, "prism-output");
  g_auto (PrismCliResult) made = cli_works ("simulate --set size=96 --set per_side=7 cells.hdf5");
  g_auto (PrismCliResult) tiled = cli_works ("run --measurements %s --set tile=32 "
                                             "--set passes=1 --quiet",
                                             in_folder (made.directory, "cells.hdf5"));
  g_autofree char *result = g_build_filename (tiled.directory, "prism-output", NULL);
  g_assert_true (g_file_test (in_folder (result, "objective.csv"), G_FILE_TEST_EXISTS));
  g_auto (PrismCliResult) later = cli_works ("resolution %s", result);
  g_auto (PrismCliResult) refocused = cli_works ("refocus --steps 2 %s", result);
  check_names (&tiled, "prism-output");
}

TESTS
{
  char *nothing[] = { (char *) "prism-cli", (char *) "run", (char *) "--nothing", NULL };

  prism_cli_main (3, nothing); /* tells it of the commands */
}
