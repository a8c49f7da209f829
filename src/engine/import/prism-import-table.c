#include "config.h"

#include "import/prism-import-table.h"

#include "base/prism-each.h"

/* Source: github.com/omriwen/PRISM, prism/cli/parser.py, prism/config/base.py and presets.py. */

#define ALWAYS PRISM_IMPORT_ALWAYS
#define TRAINING PRISM_IMPORT_TRAINING
#define WHOLE PRISM_IMPORT_WHOLE
#define TOLD PRISM_IMPORT_TOLD
#define NUMBER PRISM_IMPORT_NUMBER
#define SWITCH "True=on False=off"
#define OF_A_SCENARIO "Of a scenario, as in “prism-cli run --scenario NAME,QUANTITY=VALUE”."
#define NO_LANGUAGE_MODEL "No language model writes configurations here."

const PrismImportRow prism_import_rows[] = {
  { WHOLE, "--preset", "preset", NULL, "Its settings are taken first." },
  { WHOLE, "--config", "config", NULL, "The file is read first." },
  { WHOLE, NULL, "extends", "extends",
    "What is extended is read first: a file beside it, or a preset." },
  { WHOLE, "--scenario", "scenario", NULL,
    "One of its 17: object, scale, aperture and motion follow from it." },
  { WHOLE, "--algorithm", "algorithm", NULL, "mopie is method=mopie, without lines method=epie.",
    NULL, NULL, "method" },
  { WHOLE, "--input", "input", "image.input",
    "A picture that is not there is replaced by a built-in one.", NULL, NULL, "object" },
  { WHOLE, "--obj_size", "obj_size", "image.obj_size",
    "None is the diameter over the size of a pixel, as there; made even.", NULL, NULL,
    "object_size" },
  { WHOLE, "--image_size", "image_size", "image.image_size", "Made a power of two.", "1024", NULL,
    "image_size" },
  { ALWAYS, "--invert", "invert_image", "image.invert", NULL, "False", "True", "object_invert",
    SWITCH },
  { TOLD, "--crop", "crop_obj", "image.crop",
    "An object always lies in the middle of a dark field here.", "False", "True" },
  { WHOLE, "--sample_diameter", "sample_diameter", "telescope.sample_diameter",
    "Half of it; None is twice the coherence radius of the object, as there.", "17", NULL,
    "aperture_radius", NULL, "None" },
  { TOLD, "--sample_shape", "sample_shape", "telescope.sample_shape",
    "That a position is a line is said by its length.", "circle" },
  { ALWAYS, "--sample_length", "sample_length", "telescope.sample_length", NULL, "0", NULL,
    "line_length", NUMBER },
  { TOLD, "--samples_per_line_meas", "samples_per_line_meas", "telescope.samples_per_line_meas",
    "line_points says how densely a line is computed.", "None" },
  { TOLD, "--samples_per_line_rec", "samples_per_line_rec", "telescope.samples_per_line_rec",
    "A reconstruction takes the points of the measurement.", "None" },
  { WHOLE, "--line_angle", "line_angle", "telescope.line_angle",
    "In degrees; None is line_direction=random.", NULL, NULL, "line_angle" },
  { ALWAYS, "--line-mode", "line_mode", NULL, NULL, "fast", NULL, "line_points",
    "accurate=accurate fast=fast" },
  { TOLD, "--samples-per-pixel", "samples_per_pixel", NULL,
    "A line has one point a pixel, or one a radius of the aperture: line_points.", "1.0" },
  { WHOLE, "--roi_diameter", "roi_diameter", "telescope.roi_diameter",
    "None, or as large as the field, is 0.", NULL, NULL, "roi" },
  { ALWAYS, "--samples_r_cutoff", "samples_r_cutoff", "telescope.samples_r_cutoff", NULL, "None",
    NULL, "pattern_cutoff", NUMBER },
  { TOLD, "--roi_shape", "roi_shape", "telescope.roi_shape",
    "Its patterns filled a disk whatever this said; pattern=random-square fills a square.",
    "circle" },
  { ALWAYS, "--sample_sort", "sample_sort", "telescope.sample_sort", NULL, "center", NULL, "order",
    "center=radius rand=random energy=energy" },
  { ALWAYS, "--n_samples", "n_samples", "telescope.n_samples", NULL, "64", NULL, "samples", NUMBER,
    "200" },
  { ALWAYS, "--n_angs", "n_angs", "telescope.n_angs", NULL, "4", NULL, "star_lines", NUMBER },
  { WHOLE, "--pattern-fn", "pattern_fn", "telescope.pattern_fn",
    "builtin:fermat, builtin:star and builtin:random; a program of Python's is not run.",
    "builtin:fermat", NULL, "pattern", NULL, "builtin:random" },
  { WHOLE, "--star", "star_sample", "telescope.star_sample", "pattern=star.", "False", "True",
    "pattern" },
  { WHOLE, "--fermat", "fermat_sample", "telescope.fermat_sample", "pattern=fermat.", "False",
    "True", "pattern" },
  { ALWAYS, "--snr", "snr", "telescope.snr", NULL, "None", NULL, "snr", NUMBER },
  { TOLD, "--blur", "blur_image", "telescope.blur", "motion_blur is another, along a line.",
    "False", "True" },
  { WHOLE, "--propagator-method", "propagator_method", "telescope.propagator_method",
    "What is focused on its object gives the frames of “fraunhofer” at any Fresnel number." },
  { TRAINING, "--no_bn", "use_bn", "model.use_bn", NULL, "True", "False", "norm",
    "True=batch False=none" },
  { TRAINING, "--output_activation", "output_activation", "model.output_activation", NULL, "none",
    NULL, "output_activation",
    "none=none sigmoid=sigmoid hardsigmoid=hardsigmoid hard_sigmoid=hardsigmoid tanh=tanh"
    " relu=relu" },
  { TOLD, "--no_leaky", "use_leaky", "model.use_leaky", "Its decoder did not heed it, either.",
    "True", "False" },
  { TOLD, "--middle_activation", "middle_activation", "model.middle_activation",
    "Its decoder did not heed it, either.", "sigmoid" },
  { TOLD, "--complex", "complex_data", "model.complex_data",
    "Its decoder did not heed it, either; method=complex is for recorded frames.", "False",
    "True" },
  { WHOLE, "--n_epochs", "n_epochs", "training.n_epochs",
    "Times max_epochs; of Mo-PIE it is the number of passes.", "1000", NULL, "steps" },
  { WHOLE, "--max_epochs", "max_epochs", "training.max_epochs", "Times n_epochs.", "1", NULL,
    "steps" },
  { WHOLE, "--n_epochs_init", "n_epochs_init", "training.n_epochs_init", "Times max_epochs_init.",
    "100", NULL, "start_steps" },
  { WHOLE, "--max_epochs_init", "max_epochs_init", "training.max_epochs_init",
    "Times n_epochs_init.", "100", NULL, "start_steps" },
  { TRAINING, "--initialization_target", "initialization_target", "training.initialization_target",
    NULL, "circle", NULL, "start_target",
    "measurement=measurement circle=disk synthetic_aperture=synthetic" },
  { TRAINING, "--loss_type", "loss_type", "training.loss_type", NULL, "l1", NULL, "loss",
    "l1=l1 l2=l2 ssim=ssim ms-ssim=ms-ssim L1=l1 L2=l2" },
  { TOLD, "--new_weight", "new_weight", "training.new_weight",
    "A new measurement counts as its energy says: energy_weight.", "1" },
  { TOLD, "--f_weight", "f_weight", "training.f_weight",
    "There is no loss of the Fourier plane here.", "0.0001" },
  { TRAINING, "--lr", "lr", "training.lr", NULL, "0.001", NULL, "learning_rate", NUMBER },
  { TRAINING, "--loss_th", "loss_th", "training.loss_threshold", NULL, "0.005", NULL, "threshold",
    NUMBER, "0.001" },
  { TRAINING, "--no-normalize-loss", "no_normalize_loss", NULL, NULL, "False", "True", "normalise",
    "True=off False=on" },
  { TRAINING, "--amsgrad", "use_amsgrad", "training.use_amsgrad", NULL, "False", "True", "amsgrad",
    SWITCH },
  { TRAINING, "--mixed-precision", "use_mixed_precision", NULL, NULL, "False", "True", "amp",
    SWITCH },
  { TRAINING, "--adaptive-convergence", "enable_adaptive_convergence",
    "training.enable_adaptive_convergence", NULL, "False", "True", "convergence", SWITCH, "True" },
  { TRAINING, "--no-adaptive-convergence", "enable_adaptive_convergence", NULL, NULL, "False",
    "False", "convergence", SWITCH, "True" },
  { TRAINING, "--early-stop-patience", "early_stop_patience", "training.early_stop_patience", NULL,
    "10", NULL, "patience", NUMBER },
  { TOLD, "--plateau-window", "plateau_window", "training.plateau_window",
    "How a plateau is found is fixed here: convergence.", "50" },
  { TOLD, "--plateau-threshold", "plateau_threshold", "training.plateau_threshold",
    "How a plateau is found is fixed here: convergence.", "0.01" },
  { TOLD, "--escalation-epochs", "escalation_epochs", "training.escalation_epochs",
    "When harder means are taken is fixed here: convergence.", "200" },
  { TOLD, "--aggressive-lr-multiplier", "aggressive_lr_multiplier",
    "training.aggressive_lr_multiplier",
    "How far steps grow on a plateau is fixed here: convergence.", "2" },
  { TRAINING, "--max-retries", "max_retries", "training.max_retries", NULL, "2", NULL,
    "max_retries", NUMBER },
  { TOLD, "--retry-lr-multiplier", "retry_lr_multiplier", "training.retry_lr_multiplier",
    "How much smaller the steps of a retry are is fixed here: max_retries.", "0.1" },
  { TOLD, "--retry-switch-loss", "retry_switch_loss", "training.retry_switch_loss",
    "A retry always takes another loss here: max_retries.", "True", "True" },
  { TOLD, "--no-retry-switch-loss", "retry_switch_loss", NULL,
    "A retry always takes another loss here: max_retries.", "True", "False" },
  { TOLD, "--device_num", "device_num", "training.device_num",
    "CUDA_VISIBLE_DEVICES chooses one of several GPUs.", "0" },
  { ALWAYS, "--no_cuda", "use_cuda", "training.use_cuda", NULL, "True", "False", "backend",
    "True=auto False=cpu" },
  { WHOLE, "--wavelength", "wavelength", "physics.wavelength",
    "In nanometres; None is that of the object.", NULL, NULL, "wavelength" },
  { ALWAYS, "--dxf", "dxf", "physics.dxf", NULL, "0.01", NULL, "dxf", NUMBER },
  { WHOLE, "--obj_diameter", "obj_diameter", "physics.obj_diameter", "None is that of the object.",
    NULL, NULL, "object_diameter" },
  { WHOLE, "--obj_distance", "obj_distance", "physics.obj_distance", "None is that of the object.",
    NULL, NULL, "distance" },
  { WHOLE, "--obj_name", "obj_name", "physics.obj_name",
    "europa, titan, betelgeuse and neptune: distance, diameter, wavelength, aperture and picture"
    " where these are not given.",
    "europa", NULL, "object" },
  { WHOLE, "--obj", "obj_name", NULL, "As obj_name.", "europa", NULL, "object" },
  { WHOLE, "--point_source", "is_point_source", "point_source.is_point_source", "object=points.",
    "False", "True", "object" },
  { ALWAYS, "--point_source_diameter", "point_source_diameter", "point_source.diameter", NULL, "3",
    NULL, "point_diameter", NUMBER },
  { ALWAYS, "--point_source_spacing", "point_source_spacing", "point_source.spacing", NULL, "5",
    NULL, "point_spacing", NUMBER },
  { ALWAYS, "--point_source_number", "point_source_number", "point_source.number", NULL, "4", NULL,
    "point_count", NUMBER },
  { ALWAYS, "--lr_obj", "lr_obj", "mopie.lr_obj", NULL, "1", NULL, "epie_step", NUMBER },
  { TOLD, "--lr_probe", "lr_probe", "mopie.lr_probe",
    "The aperture is known here and stays as it is.", "1" },
  { TOLD, "--alpha", "alpha", NULL,
    "Corrections are divided by the largest of the aperture, as by ePIE.", "0.9" },
  { TOLD, "--beta", "beta", NULL, "The aperture is known here and stays as it is.", "0.1" },
  { TOLD, NULL, "fix_probe", "mopie.fix_probe", "The aperture is known here and stays as it is.",
    "True" },
  { TOLD, NULL, "grad_mopie", "mopie.grad_mopie", "Passes of Mo-PIE take no gradients here.",
    "False" },
  { ALWAYS, NULL, "parallel_update", "mopie.parallel_update", NULL, "True", NULL, "mopie_update",
    "True=parallel False=serial" },
  { TOLD, NULL, "single_sample", "mopie.single_sample", "Every point of a line is computed.",
    "False" },
  { TOLD, NULL, "rand_perm", "mopie.rand_perm",
    "Passes go through the positions in an order of their own.", "False" },
  { WHOLE, NULL, "plot_every", "mopie.plot_every", "Pictures are shown while a run goes on." },
  { TOLD, NULL, "load_config_only", "mopie.load_config_only",
    "A checkpoint gives its settings, positions and picture: prism-cli import checkpoint.pt.",
    "False" },
  { WHOLE, "--name", "name", "name", "The configuration is called as its file." },
  { WHOLE, "--comment", "comment", "comment", "It stands at the head of the configuration." },
  { TOLD, "--log_dir", "log_dir", "log_dir", "“prism-cli run --output” says where a result goes.",
    "runs" },
  { TOLD, "--debug", "save_data", "save_data", "“prism-cli run” always writes its result.", "True",
    "False" },
  { TOLD, "--checkpoint", "checkpoint", "checkpoint",
    "A decoder of the first PRISM is not trained on here; its picture is read by “prism-cli"
    " import checkpoint.pt”.",
    "None" },
  { TOLD, "--log_level", "log_level", NULL, "“prism-cli run --quiet” says less.", "INFO" },
  { TOLD, "--list-presets", "list_presets", NULL,
    "“prism-cli params” lists parameters and presets.", "False", "True" },
  { TOLD, "--show-config", "show_config", NULL, "“prism-cli params” lists parameters and presets.",
    "False", "True" },
  { TOLD, "--list-scenarios", "list_scenarios", NULL,
    "“prism-cli run --list-scenarios” lists them.", "False", "True" },
  { TOLD, "--show-preset", "show_preset", NULL, "“prism-cli params” lists parameters and presets.",
    "None" },
  { TOLD, "--show-object", "show_object", NULL, "“prism-cli params” lists parameters and presets.",
    "None" },
  { TOLD, "--show-scenario", "show_scenario", NULL, "“prism-cli run --list-scenarios” lists them.",
    "None" },
  { TOLD, "--validate-only", "validate_only", NULL,
    "“prism-cli run --dry-run” checks a configuration.", "False", "True" },
  { TOLD, "--preview-pattern", "preview_pattern", NULL, "“prism-cli pattern” shows a pattern.",
    "False", "True" },
  { TOLD, "--interactive", "interactive", NULL, "The window, prism-studio, is for that.", "False",
    "True" },
  { TOLD, "--dashboard", "dashboard", NULL, "The window, prism-studio, is for that.", "False",
    "True" },
  { TOLD, "--dashboard-port", "dashboard_port", NULL, "The window, prism-studio, is for that.",
    "8050" },
  { TOLD, "--profile", "profile", NULL, "“prism-cli run --profile FILE” notes where time goes.",
    "False", "True" },
  { TOLD, "--profile-output", "profile_output", NULL,
    "“prism-cli run --profile FILE” notes where time goes.", "None" },
  { TOLD, "--help-propagator", "help_propagator", NULL,
    "“prism-cli params” explains every parameter.", "False", "True" },
  { TOLD, "--help-patterns", "help_patterns", NULL, "“prism-cli params” explains every parameter.",
    "False", "True" },
  { TOLD, "--help-loss", "help_loss", NULL, "“prism-cli params” explains every parameter.", "False",
    "True" },
  { TOLD, "--help-model", "help_model", NULL, "“prism-cli params” explains every parameter.",
    "False", "True" },
  { TOLD, "--help-objects", "help_objects", NULL, "“prism-cli params” explains every parameter.",
    "False", "True" },
  { WHOLE, "--objective", "objective", NULL, OF_A_SCENARIO },
  { TOLD, "--illumination", "illumination", NULL,
    "“prism-cli simulate --scenario NAME” writes bright and dark field, phase contrast and relief"
    " beside its frames.",
    "None" },
  { WHOLE, "--lens", "lens", NULL, OF_A_SCENARIO },
  { WHOLE, "--altitude", "altitude", NULL, OF_A_SCENARIO },
  { WHOLE, "--sensor", "sensor", NULL, OF_A_SCENARIO },
  { TOLD, "--base", "base", NULL, NO_LANGUAGE_MODEL, "None" },
  { TOLD, "--instruction", "instruction", NULL, NO_LANGUAGE_MODEL, "None" },
  { TOLD, "-i", "instruction", NULL, NO_LANGUAGE_MODEL, "None" },
  { TOLD, "--auto-confirm", "auto_confirm", NULL, NO_LANGUAGE_MODEL, "False", "True" },
  { TOLD, "--show-parse-only", "show_parse_only", NULL, NO_LANGUAGE_MODEL, "False", "True" },
  { TOLD, "--ai-model", "ai_model", NULL, NO_LANGUAGE_MODEL, "llama3.2:3b" },
  { WHOLE, NULL, "n_samples_0", NULL, "It is computed." },
  { WHOLE, NULL, "last_sample", NULL, "It is computed." },
  { WHOLE, NULL, "start_time", NULL, "It is computed." },
  { WHOLE, NULL, "end_time", NULL, "It is computed." },
  { WHOLE, NULL, "original_n_samples", NULL, "It is computed." },
  { WHOLE, NULL, "dx", NULL, "It is computed." },
  { WHOLE, NULL, "dsnr", NULL, "It is computed." },
  { 0 },
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
  for (int i = 0; prism_import_rows[i].name != NULL; i++)
    {
      const char *own = G_STRUCT_MEMBER (const char *, &prism_import_rows[i], offset);

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

  for (const PrismImportRow *row = prism_import_rows; row->name != NULL; row++)
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
