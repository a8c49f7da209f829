#include "config.h"

#include "prism-cli.h"

#include "base/prism-isa.h"
#include "base/prism-number.h"
#include "base/prism-system.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"

#include <locale.h>

const PrismCommand prism_cli_commands[] = {
  { "run", prism_cli_run, "", "Reconstruct an object and write the result into a directory.",
    "Without --config and --preset every parameter has its default. Examples:\n"
    "  prism-cli run --preset quick-look\n"
    "  prism-cli run --set object=europa.jpg --set snr=20 --output europa\n"
    "  prism-cli run --preset production --dry-run\n"
    "  prism-cli run --preset quick-look --save look.prismrun\n"
    "  prism-cli run --resume look.prismrun\n"
    "Ctrl+C ends the run early and keeps its result; a run that is saved can go on." },
  { "inspect", prism_cli_inspect, "FILE|FOLDER",
    "Say what is in a run file, or what was understood of a recording.",
    "Of a run file (.prismrun) also what is damaged; the exit status is 3 then. Of frames that a\n"
    "camera recorded (HDF5, CXI, MATLAB, NumPy, TIFF, FITS) also what is missing. Examples:\n"
    "  prism-cli inspect look.prismrun\n"
    "  prism-cli inspect cells.hdf5\n"
    "  prism-cli inspect stack.npy --positions leds.csv --assign 'wavelength=630 nm'" },
  { "export", prism_cli_export, "FILE.prismrun",
    "Write what a run file holds as run would have written it.", NULL },
  { "compare", prism_cli_compare, "[FILE|FOLDER…]",
    "Compare runs from files and configurations that are run now.",
    "What ends in .prismrun is read, and so is the folder of a result; other names are\n"
    "configurations or presets to run; on the same data they share their measurements. Examples:\n"
    "  prism-cli compare monday.prismrun tuesday.prismrun --csv table.csv\n"
    "  prism-cli compare --methods --preset quick-look --report methods.html\n"
    "  prism-cli compare --run one.prism --run standard --set snr=20 --csv table.csv\n"
    "Ctrl+C ends the run under way, keeps it, and leaves out those that follow." },
  { "decoder", prism_cli_decoder, "", "Show the layers of the decoder that a configuration makes.",
    "With their parameters, their work and their memory, before anything is run. Examples:\n"
    "  prism-cli decoder --set latent=256 --set depth=4\n"
    "  prism-cli decoder --set channels='256 128 64 32 16 16 16 16 1'" },
  { "doctor", prism_cli_doctor, "",
    "Say what works on this machine, and what to do about the rest.",
    "Processor, GPU with its self-test, memory, disk, language, desktop, libraries\n"
    "and OpenGL. What needs attention is marked with “!”. Example:\n"
    "  prism-cli doctor --output doctor.txt" },
  { "replay", prism_cli_replay, "SET >FOLDER",
    "Write recorded frames into a folder as a camera does.",
    "SET is what “run --measurements” opens, or what “simulate” has written. The folder gets\n"
    "leds.csv, too, the table of the LEDs with a column of files, and recipe.prism, the numbers\n"
    "of the instrument. Frames have a hidden name until they are whole. Faults: late (after\n"
    "others), half (in two halves), missing, doubled (a copy), swapped (with the next one),\n"
    "dark. Examples:\n"
    "  prism-cli replay cells.hdf5 camera --rate 10\n"
    "  prism-cli replay cells.hdf5 camera --faults late,half,swapped --seed 3" },
  { "report", prism_cli_report_runs, "FILE.prismrun|FOLDER…",
    "Write what one run came to, or several, as HTML or PDF.",
    "Examples:\n"
    "  prism-cli report run.prismrun --html run.html --pdf run.pdf\n"
    "  prism-cli report result --html cells.html\n"
    "A folder is that of “run --measurements”: recorded frames and what explains them.\n"
    "“run --report” and “compare --report” write the same without a file of the run." },
  { "import", prism_cli_import, "FILE|FOLDER|-",
    "Take over a configuration or a run of the first PRISM, in Python.",
    "Its YAML, args.txt, sample_points.pt, checkpoint.pt, positions in .npy and .csv, the folder\n"
    "of a run, and command lines. What has no counterpart is said; docs/first-prism.md has the\n"
    "table. Examples:\n"
    "  prism-cli import configs/production_europa.yaml\n"
    "  prism-cli import runs/europa --training --output europa.prism\n"
    "  echo 'python main.py --preset quick_test --obj titan' | prism-cli import -" },
  { "refocus", prism_cli_refocus, "FOLDER",
    "Write a result in planes above and below its focus, as a stack.",
    "The folder is that of “run --measurements”; the stack is an OME-TIFF with amplitude and\n"
    "phase. The sign of a distance is that of defocus_um in summary.json. Example:\n"
    "  prism-cli refocus result --from -40 --to 40 --steps 17" },
  { "rerun", prism_cli_rerun, "result.h5 [FRAMES]",
    "Make a result again, and say whether it is the same.",
    "The file tells the settings and where the frames are; name them where they have moved.\n"
    "Frames that have changed are told by their hash. Examples:\n"
    "  prism-cli rerun result/result.h5\n"
    "  prism-cli rerun result.h5 moved/cells.hdf5 --output again\n"
    "The exit status is 1 when an array differs in a bit." },
  { "resolution", prism_cli_resolution, "FOLDER [FRAMES]",
    "Say what a result resolves, by two halves of its frames.",
    "The folder is that of “run --measurements”; the frames are explained again, in two halves,\n"
    "that begin with pupil, places and gains of the result. Marks are pixels of the object, x\n"
    "before y: rectangles and ellipses have amplitude, optical path against what is around them\n"
    "and dry mass, rulers a length, lines across bars their element of a USAF target, each with\n"
    "±. Examples:\n"
    "  prism-cli resolution result\n"
    "  prism-cli resolution result --marks 'ellipse 200 180 260 240; line 40 90 40 130'" },
  { "info", prism_cli_info, "", "Show the program, its devices and libraries.", NULL },
  { "lesson", prism_cli_lesson, "check|show|list|report [FILE…]",
    "Check files of lessons, show those of the program, or count a class's answers.",
    "“check” says every mistake with its line; with --run each step is run, too, and what the\n"
    "lesson expects is held against what comes out. docs/lessons.md has the format. “report”\n"
    "counts what was believed before each run, and by who took the lesson again. Examples:\n"
    "  prism-cli lesson list\n"
    "  prism-cli lesson show phase > mine.prismlesson\n"
    "  prism-cli lesson check --run mine.prismlesson\n"
    "  prism-cli lesson report answers*.csv\n"
    "The exit status is 2 where there is a mistake, 1 where something else came out." },
  { "profile", prism_cli_profile, "FILE.prismprof…", "Show where the time of runs went.",
    "With --compare, two profiles and what differs. Examples:\n"
    "  prism-cli run --preset quick-look --profile look.prismprof\n"
    "  prism-cli profile look.prismprof\n"
    "  prism-cli profile --compare before.prismprof after.prismprof" },
  { "scale", prism_cli_scale, "",
    "Show what pixels are in metres and seconds of arc, without a run.",
    "Example: prism-cli scale --preset europa --set aperture_radius=40" },
  { "simulate", prism_cli_simulate, ">FILE",
    "Write the frames that a simulated instrument records, with their truth.",
    "FILE-truth.npz has specimen, pupil, gains and directions, and of a microscope bright and\n"
    "dark field, phase contrast and relief. What FILE cannot hold lies beside it as a table and\n"
    "a recipe; the last line says how all of it is opened. Examples:\n"
    "  prism-cli simulate --scenario microscope --format ptylab cells.hdf5\n"
    "  prism-cli simulate --set stray=0.001 --set gains=0.1 --set shifts=2 cells.hdf5\n"
    "  prism-cli simulate --format matlab73 cells.mat\n"
    "  prism-cli simulate --scenario microscope_40x_phase cells.npz\n"
    "  prism-cli simulate --scenario telescope --dry-run" },
  { "params", prism_cli_params, "", "Show every parameter with its range, default and meaning.",
    "Presets and built-in objects are at the end of the list." },
  { "pattern", prism_cli_pattern, "",
    "Show what a sampling pattern measures, or write its positions.",
    "Without --config and --preset every parameter has its default. Examples:\n"
    "  prism-cli pattern --set pattern=star --set aperture_radius=12\n"
    "  prism-cli pattern --preset quick-look --csv points.csv\n"
    "  prism-cli pattern --set pattern_command='python3 spiral.py'\n"
    "  prism-cli pattern --preset quick-look --gallery patterns.png" },
  { "sweep", prism_cli_sweep, "", "Run one or two parameters over lists of values, or an ensemble.",
    "Each point is a run of its own below the output directory; a sweep that was interrupted goes\n"
    "on with the points that have no result. Examples:\n"
    "  prism-cli sweep --preset quick-look --over snr=10,20,40 --over aperture_radius=8:20:4\n"
    "  prism-cli sweep --preset quick-look --ensemble 8 --output ensemble\n"
    "  prism-cli sweep --over learning_rate=1e-4:1e-2:9:log --slurm --output rates" },
  { "tiles", prism_cli_tiles, "",
    "Reconstruct a large picture in overlapping tiles, each a run of its own.",
    "The picture (PNG, JPEG, TIFF, BigTIFF, FITS, .npy) is read and written in strips, one row of\n"
    "tiles in memory. What was interrupted goes on with the tiles that have no result. “run” does\n"
    "the same when tile is set. Examples:\n"
    "  prism-cli tiles --preset quick-look --set object=mosaic.tif --set tile=512 --output mosaic\n"
    "  prism-cli tiles --set object=field.fits --set tile=auto --result field-out.fits\n"
    "  prism-cli tiles --set object=mosaic.tif --set tile=512 --slurm --output mosaic\n"
    "  prism-cli tiles --merge --output mosaic" },
  { "tune", prism_cli_tune, "",
    "Find out with how many threads the steps of a run are quickest here.",
    "Runs find it out by themselves and keep it; results do not depend on it. Example:\n"
    "  prism-cli tune --preset quick-look --again" },
  { "watch", prism_cli_watch, "FOLDER", "Follow a folder that a camera writes frames into.",
    "Each frame is predicted from those before it and then used: a line a frame. Until the\n"
    "result is there, amplitude-now.png of the output is the picture by now. --positions names\n"
    "the LEDs, a row a frame, best with a column of files. When the last frame is there, the\n"
    "result is that of “run --measurements” of the folder; Ctrl+C ends it with the frames that\n"
    "are there. Examples:\n"
    "  prism-cli watch camera --positions leds.csv --assign 'wavelength=630 nm' --assign na=0.1\n"
    "  prism-cli watch camera --positions camera/leds.csv --recipe camera/recipe.prism --json" },
  { "bench", prism_cli_bench, "",
    "Measure the time of a training step and of its parts, or of whole runs.",
    "The step is one in the middle of a run. Compare with\n"
    "  tests/bench/compare.py --cli PATH-OF-PRISM-CLI\n"
    "With --report, whole runs in turns: plain, with everything on, and with each switch alone.\n"
    "Without --config and --preset that is a run of seconds with some of everything. Examples:\n"
    "  prism-cli bench --report bench\n"
    "  prism-cli bench --report bench --preset standard --rounds 5 --switch cache\n"
    "  prism-cli bench --report new --baseline bench/comparison.json\n"
    "The exit status is 6 when something became slower than the baseline." },
  /* Shells and this program call these. */
  { "complete", prism_cli_complete },
  { "crew", prism_cli_worker },
  { NULL },
};

static void
print_help (FILE *stream)
{
  fputs ("Usage: prism-cli COMMAND [OPTION…]\n\n"
         "PRISM: progressive reconstruction from imaging with sparse measurements.\n\n"
         "Commands:\n",
         stream);
  for (const PrismCommand *one = prism_cli_commands; one->summary != NULL; one++)
    fprintf (stream, "  %-10s %s\n", one->name, one->summary);
  fputs ("\n“prism-cli COMMAND --help” shows the options of a command.\n\nExit status:\n", stream);
  for (const PrismExitHelp *one = prism_cli_exits; one->help != NULL; one++)
    fprintf (stream, "  %-4d %s\n", one->code, one->help);
}

/* Ends as the command says, once all that it printed is written; “help run” is “run --help”. */
static PrismExit
run_command (int argc,
             char **argv)
{
  char *help[] = { argv[0], (char *) "--help", NULL };
  const PrismCommand *command;
  const char *nearest;
  g_autoptr (GError) error = NULL;
  PrismExit code, written;

  if (argc > 1 && strcmp (argv[0], "help") == 0)
    {
      help[0] = argv[1];
      argv = help;
      argc = 2;
    }
  command = prism_cli_find_command (argv[0], &nearest);
  if (command == NULL)
    {
      if (nearest != NULL)
        prism_cli_warn ("there is no command “%s”: did you mean “%s”?", argv[0],
                        nearest);
      else
        prism_cli_warn ("there is no command “%s”: see “prism-cli --help”.",
                        argv[0]);
      return PRISM_EXIT_USAGE;
    }
  code = command->main (argc, argv, &error);
  prism_cli_claim_none (FALSE);
  if (error != NULL && code < PRISM_EXIT_HANGUP)
    return prism_cli_report (error);
  written = prism_cli_finish_output ();
  return written != PRISM_EXIT_OK ? written : code;
}

int
main (int argc,
      char **argv)
{
  static const char *const help_words[] = { "--help", "-h", "help", NULL };
  g_autofree char *notice = NULL;

  prism_process_init ();
  prism_cli_engine_end_tidily ();
  atexit (prism_cli_check_output);
  setlocale (LC_ALL, "");
  /* What is printed is read by programs as well as by people: English, also that of libraries. */
  setlocale (LC_NUMERIC, "C");
  setlocale (LC_MESSAGES, "C");
  notice = prism_isa_dup_notice ();
  if (notice != NULL)
    prism_cli_warn ("%s", notice);

  if (argc < 2)
    {
      print_help (stderr);
      return PRISM_EXIT_USAGE;
    }
  if (g_strv_contains (help_words, argv[1]) && (argc == 2 || argv[1][0] == '-'))
    {
      print_help (stdout);
      return PRISM_EXIT_OK;
    }
  if (strcmp (argv[1], "--version") == 0)
    {
      puts ("prism-cli " PRISM_VERSION);
      return PRISM_EXIT_OK;
    }
  return run_command (argc - 1, argv + 1);
}
