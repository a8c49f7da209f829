#include "fuzz-zip.h"
#include "fuzz.h"
#include "run/prism-run-file.h"
#include "run/prism-run-snapshot.h"

/* A run file in which one part is the input, the last but the list of parts; its checksums are
 * right, so that the input reaches what reads that part. The first byte chooses the part, and how
 * the file is opened. */

#define SIZE 16 /* m */
#define PLANE_BYTES (SIZE * SIZE * sizeof (float))
#define SETTINGS "[prism]\nimage_size=64\nobject_size=16\naperture_radius=8\n"

typedef struct
{
  const char *name;
  const char *text; /* (nullable): an image where there is none */
} Part;

typedef enum
{
  VARIANT_PLAIN,
  VARIANT_FALLBACK, /* there is an older state besides */
  VARIANT_EARLY,    /* a state before the first step is asked for */
  N_VARIANTS,
} Variant;

/* An older state, which takes the place of one that is damaged. */
static const Part older[] = {
  { "snapshots/0/snapshot.json", "" },
  { "snapshots/0/config.prism", SETTINGS },
};

static const Part whole[] = {
  { "run.json", "{\"format\": 1, \"id\": \"a\", \"started\": \"b\", \"saved\": \"c\","
                " \"state\": \"running\", \"step\": 1}" },
  { "metrics.csv", "step,sample,sample_step,loss_new,loss_old,learning_rate,psnr,ssim,rmse,"
                   "cache_hit_rate,device_bytes,steps_per_second,seconds\n"
                   "1,-1,1,0.5,,0.001,,,,0,0,0,0\n" },
  { "pattern.csv", "y,x,angle\n0,0,0\n" },
  { "snapshots/1/snapshot.json", "" },
  { "snapshots/1/config.prism", SETTINGS },
  { "frames/index.csv", "1,1,1\nkind,phase,step,n_rows,n_visits,sample,sample_step,pass,n_visited,"
                        "misfit,seconds,psnr,ssim,rmse,settings,array,unseen\n"
                        "1,2,1,1,0,0,1,0,1,nan,0.5,20,0.5,0.1,0,0,0\n" },
  { "frames/settings-0.prism", SETTINGS },
  { "frames/00000.npy", NULL },
  { "object.npy", NULL },
  { "snapshots/1/image.npy", NULL },
};

#define NONE G_N_ELEMENTS (whole) /* of the parts is replaced */

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
add_plane (FuzzZip *zip, const char *name)
{
  static char plane[1024 + PLANE_BYTES];
  static gsize n_plane;

  if (n_plane == 0)
    {
      g_autoptr (GBytes) header = prism_npy_new_header (2, (const gsize[]) { SIZE, SIZE });
      gsize n_head;
      gconstpointer head = g_bytes_get_data (header, &n_head);

      memcpy (plane, head, n_head);
      n_plane = n_head + PLANE_BYTES;
    }
  fuzz_zip_add (zip, name, plane, n_plane);
}

static void
add_whole (FuzzZip *zip, const Part *part)
{
  static char *numbers;

  if (numbers == NULL)
    numbers = dup_numbers ();
  if (part->text == NULL)
    add_plane (zip, part->name);
  else if (*part->text == '\0')
    fuzz_zip_add (zip, part->name, numbers, strlen (numbers));
  else
    fuzz_zip_add (zip, part->name, part->text, strlen (part->text));
}

/* The moments take time, and are wanted where they can fail. */
static gboolean
needs_moments (gsize replaced)
{
  return replaced == NONE || strchr (whole[replaced].name, '/') != NULL;
}

/* All parts but one. */
static FuzzZip *
new_rest (gsize replaced, gboolean with_older)
{
  FuzzZip *rest = fuzz_zip_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (whole); i++)
    if (i != replaced
        && (needs_moments (replaced) || !g_str_has_prefix (whole[i].name, "frames/")))
      add_whole (rest, &whole[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (older) && with_older; i++)
    add_whole (rest, &older[i]);
  return rest;
}

static PrismRun *
load_file (Variant variant, gsize replaced, gconstpointer data, gsize size)
{
  static FuzzZip *rests[2][NONE + 1];
  gboolean with_older = variant == VARIANT_FALLBACK;

  if (rests[with_older][replaced] == NULL)
    rests[with_older][replaced] = new_rest (replaced, with_older);
  FuzzZip *zip = fuzz_zip_dup (rests[with_older][replaced]);
  if (replaced != NONE)
    fuzz_zip_add (zip, whole[replaced].name, data, size);
  fuzz_zip_add_manifest (zip);
  g_autoptr (GByteArray) bytes = fuzz_zip_finish (zip);
  const char *path = fuzz_get_path (bytes->data, bytes->len);
  if (variant == VARIANT_EARLY)
    return prism_run_file_load_until (path, 0, NULL);
  return prism_run_file_load (path, NULL);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static gboolean checked;
  g_autoptr (PrismRun) run = NULL;

  if (!checked)
    {
      g_autoptr (PrismRun) good = load_file (VARIANT_FALLBACK, NONE, NULL, 0);

      g_assert_nonnull (good);
      g_assert_null (good->notice);
      g_assert_cmpuint (good->snapshot->frames->n_moments, ==, 1);
      checked = TRUE;
    }
  if (size > 0)
    run = load_file (data[0] / G_N_ELEMENTS (whole) % N_VARIANTS, data[0] % G_N_ELEMENTS (whole),
                     data + 1, size - 1);
  return 0;
}
