#include "config.h"

#include "fuzz.h"
#include "prism-run-file.h"
#include "prism-run-snapshot.h"

#include <glib/gstdio.h>
#include <unistd.h>

/* A run file in which one text is the input; its checksums are right, so that the input reaches
 * what reads that part. The first byte chooses the part. */

#define SIZE 16 /* m */

typedef struct
{
  const char *name;
  char *text;
} Part;

static const char *const replaced[] = {
  "run.json",
  "metrics.csv",
  "pattern.csv",
  "snapshots/1/snapshot.json",
  "snapshots/1/config.prism",
  "frames/index.csv",
};

static char *
dup_numbers (void)
{
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();

  snapshot->n_samples = 1;
  snapshot->step = 1;
  snapshot->n_rows = 1;
  return prism_run_snapshot_to_text (snapshot);
}

static void
fill_parts (Part parts[6])
{
  parts[0] = (Part) { "run.json",
                      g_strdup ("{\"format\": 1, \"id\": \"a\", \"started\": \"b\","
                                " \"saved\": \"c\", \"state\": \"running\", \"step\": 1}") };
  parts[1] = (Part) { "metrics.csv",
                      g_strdup ("step,sample,sample_step,loss_new,loss_old,learning_rate,psnr,ssim,"
                                "rmse,cache_hit_rate,device_bytes,steps_per_second,seconds\n"
                                "1,-1,1,0.5,,0.001,,,,0,0,0,0\n") };
  parts[2] = (Part) { "pattern.csv", g_strdup ("y,x,angle\n0,0,0\n") };
  parts[3] = (Part) { "snapshots/1/snapshot.json", dup_numbers () };
  parts[4] = (Part) { "snapshots/1/config.prism",
                      g_strdup ("[prism]\nimage_size=64\nobject_size=16\naperture_radius=8\n") };
  parts[5] = (Part) { NULL, NULL };
}

static gboolean
write_file (const char *path,
            const char *name,
            const char *text)
{
  static const float pixels[SIZE * SIZE];
  g_autoptr (PrismArchiveWriter) writer = prism_archive_writer_new (path, NULL);
  Part parts[6];

  if (writer == NULL)
    return FALSE;
  fill_parts (parts);
  for (Part *part = parts; part->name != NULL; part++)
    {
      if (g_strcmp0 (part->name, name) != 0)
        prism_archive_writer_add_text (writer, part->name, part->text);
      g_free (part->text);
    }
  prism_archive_writer_add_array (writer, "object.npy", pixels, 2,
                                  (const gsize[]) { SIZE, SIZE });
  if (name != NULL)
    prism_archive_writer_add_text (writer, name, text);
  return prism_archive_writer_finish (writer, NULL);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  static gboolean checked;
  /* Files are brought to the disk, which takes no time in memory. */
  const char *directory = g_access ("/dev/shm", W_OK) == 0 ? "/dev/shm" : g_get_tmp_dir ();
  g_autofree char *path
      = g_strdup_printf ("%s/prism-fuzz-%d.prismrun", directory, (int) getpid ());
  g_autofree char *text = NULL;
  g_autoptr (PrismRun) run = NULL;

  if (!checked && write_file (path, NULL, NULL))
    {
      g_autoptr (PrismRun) whole = prism_run_file_load (path, NULL);

      g_assert_nonnull (whole);
      checked = TRUE;
    }
  if (size == 0)
    return 0;
  text = g_strndup ((const char *) data + 1, size - 1);
  if (write_file (path, replaced[data[0] % G_N_ELEMENTS (replaced)], text))
    run = prism_run_file_load (path, NULL);
  g_unlink (path);
  return 0;
}
