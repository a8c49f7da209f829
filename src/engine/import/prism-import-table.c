#include "config.h"

#include "import/prism-import-table.h"

#include "base/prism-each.h"

#include "prism-presets.h"

#include <gio/gio.h>

#define FILE "/io/github/prism_studio/PrismStudio/import/first-prism.table"
#define N_CELLS 10

/* An empty cell is NULL; lines with fewer cells are comments. */
static gpointer
load_rows (gpointer data)
{
  static const char *const kinds[] = { "always", "training", "whole", "told" };
  static char *text;
  g_autoptr (GBytes) bytes
      = g_resource_lookup_data (prism_presets_get_resource (), FILE, 0, NULL);
  GArray *rows = g_array_new (TRUE, TRUE, sizeof (PrismImportRow));

  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  for (char *line, *rest = text; (line = strsep (&rest, "\n")) != NULL;)
    {
      const char *cells[N_CELLS] = { NULL };
      PrismImportRow row = { 0 };
      guint n = 0;

      for (char *cell; n < N_CELLS && (cell = strsep (&line, "|")) != NULL; n++)
        cells[n] = *cell != '\0' ? cell : NULL;
      if (n < N_CELLS || *cells[0] == '#')
        continue;
      while (strcmp (kinds[row.kind], cells[0]) != 0)
        row.kind++;
      memcpy (&row.flag, cells + 1, (N_CELLS - 1) * sizeof *cells);
      g_array_append_val (rows, row);
    }
  return g_array_free (rows, FALSE);
}

/**
 * prism_import_table_get_rows:
 *
 * Returns: data/presets/first-prism.table, until a row without a name
 */
const PrismImportRow *
prism_import_table_get_rows (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, load_rows, NULL);
}

#define PRODUCTION                                                                      \
  "n_samples=200 sample_length=0 fermat_sample=True snr=40 max_epochs=25 n_epochs=1000" \
  " n_epochs_init=100 max_epochs_init=100 loss_th=0.001 lr=0.001"

static const struct
{
  const char *name;
  const char *settings; /* "name=value …" */
} presets[] = {
  { "quick_test",
    "save_data=False n_samples=64 sample_length=64 samples_per_line_meas=9 fermat_sample=True"
    " max_epochs=1 n_epochs=1000 loss_th=0.001" },
  { "production", PRODUCTION },
  { "high_quality",
    "n_samples=240 sample_length=0 fermat_sample=True snr=50 max_epochs=50 n_epochs=2000"
    " n_epochs_init=200 max_epochs_init=200 loss_th=0.0005 lr=0.001" },
  { "debug",
    "save_data=False n_samples=16 sample_length=0 fermat_sample=True max_epochs=1 n_epochs=100"
    " n_epochs_init=10 max_epochs_init=1 loss_th=0.01" },
  { "line_sampling",
    "n_samples=100 sample_length=128 samples_per_line_meas=17 fermat_sample=True max_epochs=25"
    " n_epochs=1000 loss_th=0.001" },
  { "mopie_baseline",
    "n_samples=200 sample_length=0 fermat_sample=True n_epochs=500 lr_obj=1 lr_probe=1" },
  { "mopie_fast",
    "save_data=False n_samples=64 sample_length=0 fermat_sample=True n_epochs=100 lr_obj=1"
    " lr_probe=1" },
  { "mopie_high_quality",
    "n_samples=300 sample_length=0 fermat_sample=True snr=50 n_epochs=1000 lr_obj=0.8"
    " lr_probe=0.8 rand_perm=True" },
  { "europa", PRODUCTION " obj_name=europa" },
  { "titan", PRODUCTION " obj_name=titan" },
  { "betelgeuse", PRODUCTION " obj_name=betelgeuse" },
  { "neptune", PRODUCTION " obj_name=neptune" },
};

/* Its command line took dashes for some words and underscores for others. */
static gboolean
is_same (const char *a,
         const char *b)
{
  for (; *a != '\0' && *b != '\0'; a++, b++)
    if (*a != *b && !(strchr ("-_", *a) != NULL && strchr ("-_", *b) != NULL))
      return FALSE;
  return *a == *b;
}

/**
 * prism_import_table_find:
 * @offset: of name, path or flag in a row, see PRISM_IMPORT_FIND()
 * @text: what stands there
 *
 * Returns: the first such row, -1 for none
 */
int
prism_import_table_find (gsize offset,
                         const char *text)
{
  const PrismImportRow *rows = prism_import_table_get_rows ();

  for (int i = 0; rows[i].name != NULL; i++)
    {
      const char *own = G_STRUCT_MEMBER (const char *, &rows[i], offset);

      if (own != NULL && is_same (own, text))
        return i;
    }
  return -1;
}

/**
 * prism_import_table_find_preset:
 * @name: of a preset of the first PRISM
 *
 * Returns: (nullable): what it sets, "name=value …"
 */
const char *
prism_import_table_find_preset (const char *name)
{
  PRISM_FOR_EACH_OF (one, presets)
    if (strcmp (one->name, name) == 0)
      return one->settings;
  return NULL;
}

static const char page_head[]
    = "# From the first PRISM\n\n"
      "<!-- Made by “prism-cli import --markdown” from data/presets/"
      "first-prism.table. -->\n\n"
      "The first PRISM is a program in Python. `prism-cli import` reads what it was given and what"
      " it left: its\nYAML files with what they extend, `args.txt` and `args.pt` of a run,"
      " `sample_points.pt`, `checkpoint.pt`,\npositions in `.npy` and `.csv`, a folder with any of"
      " them, and a command line that was pasted into a text\nfile or stands on the standard"
      " input.\n\n"
      "```\n"
      "prism-cli import configs/production_europa.yaml\n"
      "prism-cli import runs/europa --output europa.prism\n"
      "echo 'python main.py --preset quick_test --obj titan' | prism-cli import - --output"
      " titan.prism\n"
      "prism-cli run --config europa.prism\n"
      "```\n\n"
      "It writes a configuration (`.prism`), beside it the positions (`-positions.csv`) and the"
      " picture of a\ncheckpoint (`-picture.npy`, amplitudes), and says by name what it could not"
      " take over. How the decoder was\ntrained is taken over with `--training`: then the method is"
      " that of the first PRISM, as with the preset\n`python-prism`. Without it this program's own"
      " method makes the picture. The window opens `.yaml`, `.yml` and `.pt`"
      " in the same way,\nwith the positions as placed by hand.\n\n"
      "A `.pt` file is a program for Python, and may have come from anybody. It is read and never"
      " run: what tensors,\nnumbers and texts do not need is refused, and then nothing of the file"
      " is used. The weights of its decoder\nstay unread. A pattern that is a program"
      " (`--pattern-fn spiral.py`) is not run, either.\n\n"
      "| flag | in YAML | here | |\n|---|---|---|---|\n";

/* "`text`", or a dash */
static void
append_cell (GString *page,
             const char *text)
{
  if (text != NULL)
    g_string_append_printf (page, "| `%s` ", text);
  else
    g_string_append (page, "| – ");
}

/**
 * prism_import_table_dup_page:
 *
 * Returns: (transfer full): the table for people, as Markdown
 */
char *
prism_import_table_dup_page (void)
{
  GString *page = g_string_new (page_head);

  for (const PrismImportRow *row = prism_import_table_get_rows (); row->name != NULL; row++)
    {
      append_cell (page, row->flag != NULL ? row->flag : row->name);
      append_cell (page, row->path);
      append_cell (page, row->key);
      g_string_append_printf (page, "| %s |\n",
                              row->sentence != NULL                ? row->sentence
                              : row->kind == PRISM_IMPORT_TRAINING ? "With `--training`."
                                                                   : "");
    }
  return g_string_free (page, FALSE);
}
