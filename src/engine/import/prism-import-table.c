#include "config.h"

#include "import/prism-import-table.h"

#include <string.h>

/* Source: github.com/omriwen/PRISM, prism/cli/parser.py, prism/config/base.py and presets.py. */

#define ALWAYS PRISM_IMPORT_ALWAYS
#define TRAINING PRISM_IMPORT_TRAINING
#define WHOLE PRISM_IMPORT_WHOLE
#define TOLD PRISM_IMPORT_TOLD
#define NUMBER PRISM_IMPORT_NUMBER
#define SWITCH "True=on False=off"
#define OF_A_SCENARIO "“prism-cli run --scenario NAME,QUANTITY=VALUE” begins with one."
#define NO_LANGUAGE_MODEL "No language model writes configurations here."

static const PrismImportRow rows[] = {
  { WHOLE, "--preset", "preset", NULL, NULL, NULL, NULL, NULL, NULL,
    "Its settings are taken first." },
  { WHOLE, "--config", "config", NULL, NULL, NULL, NULL, NULL, NULL, "The file is read first." },
  { WHOLE, NULL, "extends", "extends", NULL, NULL, NULL, NULL, NULL,
    "What is extended is read first: a file beside it, or a preset." },
  { TOLD, "--scenario", "scenario", NULL, NULL, NULL, NULL, "None", NULL, OF_A_SCENARIO },
  { WHOLE, "--algorithm", "algorithm", NULL, "method", NULL, NULL, NULL, NULL,
    "mopie is method=mopie, without lines method=epie." },
  { WHOLE, "--input", "input", "image.input", "object", NULL, NULL, NULL, NULL,
    "A picture that is not there is replaced by a built-in one." },
  { WHOLE, "--obj_size", "obj_size", "image.obj_size", "object_size", NULL, NULL, NULL, NULL,
    "None is the diameter over the size of a pixel, as there; made even." },
  { WHOLE, "--image_size", "image_size", "image.image_size", "image_size", NULL, NULL, "1024", NULL,
    "Made a power of two." },
  { ALWAYS, "--invert", "invert_image", "image.invert", "object_invert", SWITCH, "True", "False",
    NULL, NULL },
  { TOLD, "--crop", "crop_obj", "image.crop", NULL, NULL, "True", "False", NULL,
    "An object always lies in the middle of a dark field here." },
  { WHOLE, "--sample_diameter", "sample_diameter", "telescope.sample_diameter", "aperture_radius",
    NULL, NULL, "17", "None",
    "Half of it; None is twice the coherence radius of the object, as there." },
  { TOLD, "--sample_shape", "sample_shape", "telescope.sample_shape", NULL, NULL, NULL, "circle",
    NULL, "That a sample is a line is said by its length." },
  { ALWAYS, "--sample_length", "sample_length", "telescope.sample_length", "line_length", NUMBER,
    NULL, "0", NULL, NULL },
  { TOLD, "--samples_per_line_meas", "samples_per_line_meas", "telescope.samples_per_line_meas",
    NULL, NULL, NULL, "None", NULL, "line_points says how densely a line is computed." },
  { TOLD, "--samples_per_line_rec", "samples_per_line_rec", "telescope.samples_per_line_rec", NULL,
    NULL, NULL, "None", NULL, "A reconstruction takes the points of the measurement." },
  { WHOLE, "--line_angle", "line_angle", "telescope.line_angle", "line_angle", NULL, NULL, NULL,
    NULL, "In degrees; None is line_direction=random." },
  { ALWAYS, "--line-mode", "line_mode", NULL, "line_points", "accurate=accurate fast=fast", NULL,
    "fast", NULL, NULL },
  { TOLD, "--samples-per-pixel", "samples_per_pixel", NULL, NULL, NULL, NULL, "1.0", NULL,
    "A line has one point a pixel, or one a radius of the aperture: line_points." },
  { WHOLE, "--roi_diameter", "roi_diameter", "telescope.roi_diameter", "roi", NULL, NULL, NULL,
    NULL, "None, or as large as the field, is 0." },
  { ALWAYS, "--samples_r_cutoff", "samples_r_cutoff", "telescope.samples_r_cutoff",
    "pattern_cutoff", NUMBER, NULL, "None", NULL, NULL },
  { TOLD, "--roi_shape", "roi_shape", "telescope.roi_shape", NULL, NULL, NULL, "circle", NULL,
    "Its patterns filled a disk whatever this said; pattern=random-square fills a square." },
  { ALWAYS, "--sample_sort", "sample_sort", "telescope.sample_sort", "order",
    "center=radius rand=random energy=energy", NULL, "center", NULL, NULL },
  { ALWAYS, "--n_samples", "n_samples", "telescope.n_samples", "samples", NUMBER, NULL, "64", "200",
    NULL },
  { ALWAYS, "--n_angs", "n_angs", "telescope.n_angs", "star_lines", NUMBER, NULL, "4", NULL, NULL },
  { WHOLE, "--pattern-fn", "pattern_fn", "telescope.pattern_fn", "pattern", NULL, NULL,
    "builtin:fermat", "builtin:random",
    "builtin:fermat, builtin:star and builtin:random; a program of Python's is not run." },
  { WHOLE, "--star", "star_sample", "telescope.star_sample", "pattern", NULL, "True", "False", NULL,
    "pattern=star." },
  { WHOLE, "--fermat", "fermat_sample", "telescope.fermat_sample", "pattern", NULL, "True", "False",
    NULL, "pattern=fermat." },
  { ALWAYS, "--snr", "snr", "telescope.snr", "snr", NUMBER, NULL, "None", NULL, NULL },
  { TOLD, "--blur", "blur_image", "telescope.blur", NULL, NULL, "True", "False", NULL,
    "Frames are recorded without a blur of their own here." },
  { TOLD, "--propagator-method", "propagator_method", "telescope.propagator_method", NULL, NULL,
    NULL, "fraunhofer", NULL, "Light is propagated to the far field here, as by “fraunhofer”." },
  { TRAINING, "--no_bn", "use_bn", "model.use_bn", "norm", "True=batch False=none", "False", "True",
    NULL, NULL },
  { TRAINING, "--output_activation", "output_activation", "model.output_activation",
    "output_activation",
    "none=none sigmoid=sigmoid hardsigmoid=hardsigmoid hard_sigmoid=hardsigmoid tanh=tanh"
    " relu=relu",
    NULL, "none", NULL, NULL },
  { TOLD, "--no_leaky", "use_leaky", "model.use_leaky", NULL, NULL, "False", "True", NULL,
    "Its decoder did not heed it, either." },
  { TOLD, "--middle_activation", "middle_activation", "model.middle_activation", NULL, NULL, NULL,
    "sigmoid", NULL, "Its decoder did not heed it, either." },
  { TOLD, "--complex", "complex_data", "model.complex_data", NULL, NULL, "True", "False", NULL,
    "Its decoder did not heed it, either; method=complex is for recorded frames." },
  { WHOLE, "--n_epochs", "n_epochs", "training.n_epochs", "steps", NULL, NULL, "1000", NULL,
    "Times max_epochs; of Mo-PIE it is the number of passes." },
  { WHOLE, "--max_epochs", "max_epochs", "training.max_epochs", "steps", NULL, NULL, "1", NULL,
    "Times n_epochs." },
  { WHOLE, "--n_epochs_init", "n_epochs_init", "training.n_epochs_init", "start_steps", NULL, NULL,
    "100", NULL, "Times max_epochs_init." },
  { WHOLE, "--max_epochs_init", "max_epochs_init", "training.max_epochs_init", "start_steps", NULL,
    NULL, "100", NULL, "Times n_epochs_init." },
  { TRAINING, "--initialization_target", "initialization_target", "training.initialization_target",
    "start_target", "measurement=measurement circle=disk synthetic_aperture=synthetic", NULL,
    "circle", NULL, NULL },
  { TRAINING, "--loss_type", "loss_type", "training.loss_type", "loss",
    "l1=l1 l2=l2 ssim=ssim ms-ssim=ms-ssim L1=l1 L2=l2", NULL, "l1", NULL, NULL },
  { TOLD, "--new_weight", "new_weight", "training.new_weight", NULL, NULL, NULL, "1", NULL,
    "A new measurement counts as its energy says: energy_weight." },
  { TOLD, "--f_weight", "f_weight", "training.f_weight", NULL, NULL, NULL, "0.0001", NULL,
    "There is no loss of the Fourier plane here." },
  { TRAINING, "--lr", "lr", "training.lr", "learning_rate", NUMBER, NULL, "0.001", NULL, NULL },
  { TRAINING, "--loss_th", "loss_th", "training.loss_threshold", "threshold", NUMBER, NULL, "0.005",
    "0.001", NULL },
  { TRAINING, "--no-normalize-loss", "no_normalize_loss", NULL, "normalise", "True=off False=on",
    "True", "False", NULL, NULL },
  { TRAINING, "--amsgrad", "use_amsgrad", "training.use_amsgrad", "amsgrad", SWITCH, "True",
    "False", NULL, NULL },
  { TRAINING, "--mixed-precision", "use_mixed_precision", NULL, "amp", SWITCH, "True", "False",
    NULL, NULL },
  { TRAINING, "--adaptive-convergence", "enable_adaptive_convergence",
    "training.enable_adaptive_convergence", "convergence", SWITCH, "True", "False", "True", NULL },
  { TRAINING, "--no-adaptive-convergence", "enable_adaptive_convergence", NULL, "convergence",
    SWITCH, "False", "False", "True", NULL },
  { TRAINING, "--early-stop-patience", "early_stop_patience", "training.early_stop_patience",
    "patience", NUMBER, NULL, "10", NULL, NULL },
  { TOLD, "--plateau-window", "plateau_window", "training.plateau_window", NULL, NULL, NULL, "50",
    NULL, "How a plateau is found is fixed here: convergence." },
  { TOLD, "--plateau-threshold", "plateau_threshold", "training.plateau_threshold", NULL, NULL,
    NULL, "0.01", NULL, "How a plateau is found is fixed here: convergence." },
  { TOLD, "--escalation-epochs", "escalation_epochs", "training.escalation_epochs", NULL, NULL,
    NULL, "200", NULL, "When harder means are taken is fixed here: convergence." },
  { TOLD, "--aggressive-lr-multiplier", "aggressive_lr_multiplier",
    "training.aggressive_lr_multiplier", NULL, NULL, NULL, "2", NULL,
    "How far steps grow on a plateau is fixed here: convergence." },
  { TRAINING, "--max-retries", "max_retries", "training.max_retries", "max_retries", NUMBER, NULL,
    "2", NULL, NULL },
  { TOLD, "--retry-lr-multiplier", "retry_lr_multiplier", "training.retry_lr_multiplier", NULL,
    NULL, NULL, "0.1", NULL,
    "How much smaller the steps of a retry are is fixed here: max_retries." },
  { TOLD, "--retry-switch-loss", "retry_switch_loss", "training.retry_switch_loss", NULL, NULL,
    "True", "True", NULL, "A retry always takes another loss here: max_retries." },
  { TOLD, "--no-retry-switch-loss", "retry_switch_loss", NULL, NULL, NULL, "False", "True", NULL,
    "A retry always takes another loss here: max_retries." },
  { TOLD, "--device_num", "device_num", "training.device_num", NULL, NULL, NULL, "0", NULL,
    "CUDA_VISIBLE_DEVICES chooses one of several graphics processors." },
  { ALWAYS, "--no_cuda", "use_cuda", "training.use_cuda", "backend", "True=auto False=cpu", "False",
    "True", NULL, NULL },
  { WHOLE, "--wavelength", "wavelength", "physics.wavelength", "wavelength", NULL, NULL, NULL, NULL,
    "In nanometres; None is that of the object." },
  { ALWAYS, "--dxf", "dxf", "physics.dxf", "dxf", NUMBER, NULL, "0.01", NULL, NULL },
  { WHOLE, "--obj_diameter", "obj_diameter", "physics.obj_diameter", "object_diameter", NULL, NULL,
    NULL, NULL, "None is that of the object." },
  { WHOLE, "--obj_distance", "obj_distance", "physics.obj_distance", "distance", NULL, NULL, NULL,
    NULL, "None is that of the object." },
  { WHOLE, "--obj_name", "obj_name", "physics.obj_name", "object", NULL, NULL, "europa", NULL,
    "europa, titan, betelgeuse and neptune: distance, diameter, wavelength, aperture and picture"
    " where these are not given." },
  { WHOLE, "--obj", "obj_name", NULL, "object", NULL, NULL, "europa", NULL, "As obj_name." },
  { WHOLE, "--point_source", "is_point_source", "point_source.is_point_source", "object", NULL,
    "True", "False", NULL, "object=points." },
  { ALWAYS, "--point_source_diameter", "point_source_diameter", "point_source.diameter",
    "point_diameter", NUMBER, NULL, "3", NULL, NULL },
  { ALWAYS, "--point_source_spacing", "point_source_spacing", "point_source.spacing",
    "point_spacing", NUMBER, NULL, "5", NULL, NULL },
  { ALWAYS, "--point_source_number", "point_source_number", "point_source.number", "point_count",
    NUMBER, NULL, "4", NULL, NULL },
  { ALWAYS, "--lr_obj", "lr_obj", "mopie.lr_obj", "epie_step", NUMBER, NULL, "1", NULL, NULL },
  { TOLD, "--lr_probe", "lr_probe", "mopie.lr_probe", NULL, NULL, NULL, "1", NULL,
    "The aperture is known here and stays as it is." },
  { TOLD, "--alpha", "alpha", NULL, NULL, NULL, NULL, "0.9", NULL,
    "Corrections are divided by the largest of the aperture, as by ePIE." },
  { TOLD, "--beta", "beta", NULL, NULL, NULL, NULL, "0.1", NULL,
    "The aperture is known here and stays as it is." },
  { TOLD, NULL, "fix_probe", "mopie.fix_probe", NULL, NULL, NULL, "True", NULL,
    "The aperture is known here and stays as it is." },
  { TOLD, NULL, "grad_mopie", "mopie.grad_mopie", NULL, NULL, NULL, "False", NULL,
    "Passes of Mo-PIE take no gradients here." },
  { ALWAYS, NULL, "parallel_update", "mopie.parallel_update", "mopie_update",
    "True=parallel False=serial", NULL, "True", NULL, NULL },
  { TOLD, NULL, "single_sample", "mopie.single_sample", NULL, NULL, NULL, "False", NULL,
    "Every point of a line is computed." },
  { TOLD, NULL, "rand_perm", "mopie.rand_perm", NULL, NULL, NULL, "False", NULL,
    "Passes go through the samples in an order of their own." },
  { WHOLE, NULL, "plot_every", "mopie.plot_every", NULL, NULL, NULL, NULL, NULL,
    "Pictures are shown while a run goes on." },
  { TOLD, NULL, "load_config_only", "mopie.load_config_only", NULL, NULL, NULL, "False", NULL,
    "A checkpoint gives its settings, positions and picture: prism-cli import checkpoint.pt." },
  { WHOLE, "--name", "name", "name", NULL, NULL, NULL, NULL, NULL,
    "The configuration is called as its file." },
  { WHOLE, "--comment", "comment", "comment", NULL, NULL, NULL, NULL, NULL,
    "It stands at the head of the configuration." },
  { TOLD, "--log_dir", "log_dir", "log_dir", NULL, NULL, NULL, "runs", NULL,
    "“prism-cli run --output” says where a result goes." },
  { TOLD, "--debug", "save_data", "save_data", NULL, NULL, "False", "True", NULL,
    "“prism-cli run” always writes its result." },
  { TOLD, "--checkpoint", "checkpoint", "checkpoint", NULL, NULL, NULL, "None", NULL,
    "A decoder of the first PRISM is not trained on here; its picture is read by “prism-cli"
    " import checkpoint.pt”." },
  { TOLD, "--log_level", "log_level", NULL, NULL, NULL, NULL, "INFO", NULL,
    "“prism-cli run --quiet” says less." },
  { TOLD, "--list-presets", "list_presets", NULL, NULL, NULL, "True", "False", NULL,
    "“prism-cli params” lists parameters and presets." },
  { TOLD, "--show-config", "show_config", NULL, NULL, NULL, "True", "False", NULL,
    "“prism-cli params” lists parameters and presets." },
  { TOLD, "--list-scenarios", "list_scenarios", NULL, NULL, NULL, "True", "False", NULL,
    "“prism-cli params” lists parameters and presets." },
  { TOLD, "--show-preset", "show_preset", NULL, NULL, NULL, NULL, "None", NULL,
    "“prism-cli params” lists parameters and presets." },
  { TOLD, "--show-object", "show_object", NULL, NULL, NULL, NULL, "None", NULL,
    "“prism-cli params” lists parameters and presets." },
  { TOLD, "--show-scenario", "show_scenario", NULL, NULL, NULL, NULL, "None", NULL,
    "“prism-cli params” lists parameters and presets." },
  { TOLD, "--validate-only", "validate_only", NULL, NULL, NULL, "True", "False", NULL,
    "“prism-cli run --dry-run” checks a configuration." },
  { TOLD, "--preview-pattern", "preview_pattern", NULL, NULL, NULL, "True", "False", NULL,
    "“prism-cli pattern” shows a pattern." },
  { TOLD, "--interactive", "interactive", NULL, NULL, NULL, "True", "False", NULL,
    "The window, prism-studio, is for that." },
  { TOLD, "--dashboard", "dashboard", NULL, NULL, NULL, "True", "False", NULL,
    "The window, prism-studio, is for that." },
  { TOLD, "--dashboard-port", "dashboard_port", NULL, NULL, NULL, NULL, "8050", NULL,
    "The window, prism-studio, is for that." },
  { TOLD, "--profile", "profile", NULL, NULL, NULL, "True", "False", NULL,
    "“prism-cli run --profile FILE” notes where time goes." },
  { TOLD, "--profile-output", "profile_output", NULL, NULL, NULL, NULL, "None", NULL,
    "“prism-cli run --profile FILE” notes where time goes." },
  { TOLD, "--help-propagator", "help_propagator", NULL, NULL, NULL, "True", "False", NULL,
    "“prism-cli params” explains every parameter." },
  { TOLD, "--help-patterns", "help_patterns", NULL, NULL, NULL, "True", "False", NULL,
    "“prism-cli params” explains every parameter." },
  { TOLD, "--help-loss", "help_loss", NULL, NULL, NULL, "True", "False", NULL,
    "“prism-cli params” explains every parameter." },
  { TOLD, "--help-model", "help_model", NULL, NULL, NULL, "True", "False", NULL,
    "“prism-cli params” explains every parameter." },
  { TOLD, "--help-objects", "help_objects", NULL, NULL, NULL, "True", "False", NULL,
    "“prism-cli params” explains every parameter." },
  { TOLD, "--objective", "objective", NULL, NULL, NULL, NULL, "None", NULL, OF_A_SCENARIO },
  { TOLD, "--illumination", "illumination", NULL, NULL, NULL, NULL, "None", NULL, OF_A_SCENARIO },
  { TOLD, "--lens", "lens", NULL, NULL, NULL, NULL, "None", NULL, OF_A_SCENARIO },
  { TOLD, "--altitude", "altitude", NULL, NULL, NULL, NULL, "None", NULL, OF_A_SCENARIO },
  { TOLD, "--sensor", "sensor", NULL, NULL, NULL, NULL, "None", NULL, OF_A_SCENARIO },
  { TOLD, "--base", "base", NULL, NULL, NULL, NULL, "None", NULL, NO_LANGUAGE_MODEL },
  { TOLD, "--instruction", "instruction", NULL, NULL, NULL, NULL, "None", NULL, NO_LANGUAGE_MODEL },
  { TOLD, "-i", "instruction", NULL, NULL, NULL, NULL, "None", NULL, NO_LANGUAGE_MODEL },
  { TOLD, "--auto-confirm", "auto_confirm", NULL, NULL, NULL, "True", "False", NULL,
    NO_LANGUAGE_MODEL },
  { TOLD, "--show-parse-only", "show_parse_only", NULL, NULL, NULL, "True", "False", NULL,
    NO_LANGUAGE_MODEL },
  { TOLD, "--ai-model", "ai_model", NULL, NULL, NULL, NULL, "llama3.2:3b", NULL,
    NO_LANGUAGE_MODEL },
  { WHOLE, NULL, "start_time", NULL, NULL, NULL, NULL, NULL, NULL, "It is computed." },
  { WHOLE, NULL, "end_time", NULL, NULL, NULL, NULL, NULL, NULL, "It is computed." },
  { WHOLE, NULL, "original_n_samples", NULL, NULL, NULL, NULL, NULL, NULL, "It is computed." },
  { WHOLE, NULL, "dx", NULL, NULL, NULL, NULL, NULL, NULL, "It is computed." },
  { WHOLE, NULL, "dsnr", NULL, NULL, NULL, NULL, NULL, NULL, "It is computed." },
};

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

/**
 * prism_import_table_get:
 * @n_rows: (out) (optional): how many
 *
 * Returns: (transfer none) (array length=n_rows): the settings of the first PRISM
 */
const PrismImportRow *
prism_import_table_get (gsize *n_rows)
{
  if (n_rows != NULL)
    *n_rows = G_N_ELEMENTS (rows);
  return rows;
}

/**
 * prism_import_table_find:
 * @name: of a setting, as args.txt has it
 *
 * Returns: the first row of that name, -1 for none
 */
int
prism_import_table_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (strcmp (rows[i].name, name) == 0)
      return (int) i;
  return -1;
}

/**
 * prism_import_table_find_path:
 * @path: of a setting, as its YAML has it
 *
 * Returns: the row, -1 for none
 */
int
prism_import_table_find_path (const char *path)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_strcmp0 (rows[i].path, path) == 0)
      return (int) i;
  return -1;
}

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
 * prism_import_table_find_flag:
 * @flag: of its command line
 *
 * Returns: the row, -1 for none
 */
int
prism_import_table_find_flag (const char *flag)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].flag != NULL && is_same (rows[i].flag, flag))
      return (int) i;
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
  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    if (strcmp (presets[i].name, name) == 0)
      return presets[i].settings;
  return NULL;
}

static const char page_head[]
    = "# From the first PRISM\n\n"
      "<!-- Made by “prism-cli import --markdown” from src/engine/import/"
      "prism-import-table.c. -->\n\n"
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

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      append_cell (page, rows[i].flag != NULL ? rows[i].flag : rows[i].name);
      append_cell (page, rows[i].path);
      append_cell (page, rows[i].key);
      g_string_append_printf (page, "| %s |\n",
                              rows[i].sentence != NULL                ? rows[i].sentence
                              : rows[i].kind == PRISM_IMPORT_TRAINING ? "With `--training`."
                                                                      : "");
    }
  return g_string_free (page, FALSE);
}
