#include "../engine/support/test-remove-tree.h"
#include "config/prism-config.h"
#include "prism-cli-harness.h"
#include "prism-test.h"

/* The shells themselves complete: complete.bash, complete.zsh and complete.fish ask them. */

typedef struct
{
  const char *name;
  const char *script; /* as it is installed */
} Shell;

static const Shell bash = { "bash", "prism-cli.bash" };
static const Shell zsh = { "zsh", "_prism-cli" };
static const Shell fish = { "fish", "prism-cli.fish" };

/* "LINE\tWORD\n" for every word that the shell offers. Its script is in a folder of its own; fish
 * wants a home. */
static char *
complete (const Shell *shell,
          const char *const *lines)
{
  g_autoptr (TestFolder) home = test_folder_new ();
  const char *path = in_folder (home, shell->script);
  g_autofree char *asking = g_strdup_printf ("%s.%s", g_getenv ("PRISM_COMPLETE"), shell->name);
  g_autofree char *program = g_path_get_dirname (g_getenv ("PRISM_CLI"));
  g_autofree char *where = g_strdup_printf ("%s:%s", program, g_getenv ("PATH"));
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "HOME", home, TRUE);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  char *output = NULL;
  int status;

  g_auto (PrismCliResult) script = cli_works ("params --completion %s", shell->name);
  g_assert_true (g_file_set_contents (path, script.output, -1, NULL));
  environment = g_environ_setenv (environment, "PATH", where, TRUE);
  g_ptr_array_add (argv, (char *) shell->name);
  if (shell == &zsh)
    g_ptr_array_add (argv, (char *) "-f");
  g_ptr_array_add (argv, asking);
  g_ptr_array_add (argv, (char *) path);
  for (gsize i = 0; lines[i] != NULL; i++)
    g_ptr_array_add (argv, (char *) lines[i]);
  g_ptr_array_add (argv, NULL);
  MUST (g_spawn_sync (NULL, (char **) argv->pdata, environment, G_SPAWN_SEARCH_PATH, NULL, NULL,
                      &output, NULL, &status, &error));
  MUST (g_spawn_check_wait_status (status, &error));
  return output;
}

static void
check_offered (const Shell *shell,
               const char *output,
               const char *line,
               const char *word)
{
  g_autofree char *row = g_strdup_printf ("\n%s\t%s\n", line, word);
  g_autofree char *all = g_strconcat ("\n", output, NULL);

  if (strstr (all, row) == NULL)
    g_error ("%s does not complete “%s” to “%s”", shell->name, line, word);
}

static gboolean
has_shell (const Shell *shell)
{
  g_autofree char *program = g_find_program_in_path (shell->name);

  if (program == NULL)
    g_test_skip ("the shell is not installed");
  return program != NULL;
}

/* The names in the first column of the list of commands. */
static char **
dup_commands (void)
{
  g_autoptr (GStrvBuilder) commands = g_strv_builder_new ();
  gboolean listed = FALSE;

  g_auto (PrismCliResult) help = cli_run ("--help");
  g_auto (GStrv) lines = g_strsplit (help.output, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      g_auto (GStrv) words = g_strsplit (*line, " ", -1);

      if (listed && **line == '\0')
        break;
      if (listed)
        g_strv_builder_add (commands, words[2]);
      listed |= g_str_equal (*line, "Commands:");
    }
  return g_strv_builder_end (commands);
}

/* Every “--name” with which a line of the help begins, behind a short name perhaps. */
static void
check_options (const Shell *shell,
               const char *output,
               const char *command)
{
  g_autoptr (GRegex) option = g_regex_new ("^  (?:-\\w, )?(--[a-z-]+)", G_REGEX_MULTILINE, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *line = g_strdup_printf ("prism-cli %s --", command);
  int n = 0;

  g_auto (PrismCliResult) help = cli_run ("%s --help", command);
  for (g_regex_match (option, help.output, 0, &match); g_match_info_matches (match); n++)
    {
      g_autofree char *name = g_match_info_fetch (match, 1);

      check_offered (shell, output, line, name);
      g_match_info_next (match, NULL);
    }
  g_assert_cmpint (n, >=, 2);
}

static void
test_options (gconstpointer data)
{
  const Shell *shell = data;
  g_auto (GStrv) commands = dup_commands ();
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (!has_shell (shell))
    return;
  g_assert_cmpuint (g_strv_length (commands), >=, 15);
  for (char **command = commands; *command != NULL; command++)
    {
      g_autofree char *line = g_strdup_printf ("prism-cli %s --", *command);

      g_strv_builder_add (builder, line);
    }
  g_auto (GStrv) lines = g_strv_builder_end (builder);
  g_autofree char *output = complete (shell, (const char *const *) lines);
  for (char **command = commands; *command != NULL; command++)
    check_options (shell, output, *command);
}

/* A setting is one word to zsh and fish, what follows “=” to bash. */
static void
test_words (gconstpointer data)
{
  const Shell *shell = data;
  static const struct
  {
    const char *line, *word;
    gboolean is_setting;
  } cases[] = {
    { "prism-cli r", "report", FALSE },
    { "prism-cli help sw", "sweep", FALSE },
    { "prism-cli run --preset quick", "quick-look", FALSE },
    { "prism-cli run -p quick", "quick-look", FALSE },
    { "prism-cli compare --run stand", "standard", FALSE },
    { "prism-cli run --set sn", "snr=", FALSE },
    { "prism-cli run --set pattern=fer", "pattern=fermat", TRUE },
    { "prism-cli run --set amp=o", "amp=off", TRUE },
    { "prism-cli run --set object=mo", "object=moon", TRUE },
    { "prism-cli sweep --over aperture_r", "aperture_radius=", FALSE },
    { "prism-cli bench --backend c", "cpu", FALSE },
    { "prism-cli simulate --scenario tele", "telescope", FALSE },
    { "prism-cli simulate --set stra", "stray=", FALSE },
    { "prism-cli inspect --assign values=in", "values=intensity", TRUE },
    { "prism-cli lesson ch", "check", FALSE },
  };
  const char *lines[G_N_ELEMENTS (cases) + 1] = { NULL };

  if (!has_shell (shell))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    lines[i] = cases[i].line;
  g_autofree char *output = complete (shell, lines);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    check_offered (shell, output, cases[i].line,
                   cases[i].is_setting && shell == &bash ? strchr (cases[i].word, '=') + 1
                                                         : cases[i].word);
  LACKS (output, "image_size");
}

/* A number is not a file, and a preset not a setting; what is a file is left to bash. */
TEST (nothing_else, "/cli/completion/nothing-else")
{
  static const char *const lines[] = { "prism-cli run --animation-rate ", "prism-cli run --report ",
                                       "prism-cli run --preset snr", "prism-cli run --set snr=",
                                       NULL };

  SAYS (complete (&bash, lines), "");
}

TEST (every_parameter, "/cli/completion/parameters")
{
  g_auto (PrismCliResult) offered = cli_run ("complete run --set ''");
  for (const PrismParam *param = prism_config_get_params (NULL); param->key != NULL; param++)
    {
      g_autofree char *line = g_strdup_printf ("%s=\t%s\n", param->key, param->label);

      HAS (offered.output, line);
    }
}

/* The words of a line, and what the command that a shell asks prints. */
TEST (asked, "/cli/completion/asked")
{
  static const struct
  {
    const char *words[4], *output;
  } cases[] = {
    { { "run", "--resume", "" }, ":files\n" },
    { { "run", "--output", "" }, ":folders\n" },
    { { "run", "--set=amp=of" }, "--set=amp=off\t" },
    { { "inspect", "" }, ":files\n" },
    { { "info", "" }, "" },
    { { "nothing", "" }, "" },
    { { "run", "--animation-rate", "" }, "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const *words = cases[i].words;

      g_auto (PrismCliResult) result = cli_works ("complete %s %s %s", words[0], words[1],
                                                  words[2]);
      g_assert_true (g_str_has_prefix (result.output, cases[i].output));
      g_assert_true (*cases[i].output != '\0' || *result.output == '\0');
    }
}

TEST (another_shell, "/cli/completion/another-shell")
{
  cli_refuses (2, "tcsh", "params --completion tcsh");
}

TESTS
{
  static const Shell *const shells[] = { &bash, &zsh, &fish };
  for (gsize i = 0; i < G_N_ELEMENTS (shells); i++)
    {
      g_autofree char *options = g_strdup_printf ("/cli/completion/options/%s", shells[i]->name);
      g_autofree char *words = g_strdup_printf ("/cli/completion/words/%s", shells[i]->name);

      g_test_add_data_func (options, shells[i], test_options);
      g_test_add_data_func (words, shells[i], test_words);
    }
}
