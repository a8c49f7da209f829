#include "../support/test-remove-tree.h"
#include "prism-test.h"
#include "run/prism-run-catalogue.h"

static PrismRunCard *
create_card (const char *path, const char *name)
{
  PrismRunCard *card = g_new0 (PrismRunCard, 1);

  card->path = g_strdup (path);
  card->key = g_compute_checksum_for_string (G_CHECKSUM_MD5, path, -1);
  card->name = g_strdup (name);
  card->tags = g_strdup ("");
  card->frames = g_strdup ("");
  card->misfit = NAN;
  card->object = g_strdup ("Moon");
  card->settings = g_strdup ("snr=20;samples=40");
  card->saved = g_strdup ("2026-01-02T03:04:05Z");
  card->state_name = g_strdup ("finished");
  card->verdict = g_strdup ("explained");
  card->psnr = 41.5;
  card->bytes = 12345;
  card->modified = 678;
  return card;
}

static char *
create_folder (void)
{
  return MUST (g_dir_make_tmp ("prism-library-XXXXXX", &error));
}

static PrismRunCatalogue *
open_catalogue (const char *folder)
{
  return MUST (prism_run_catalogue_new (folder, &error));
}

/* Names are what users write. */
TEST (cards_come_back, "/engine/run-catalogue/back")
{
  const char *odd = " [a] = \"b\";\tümlaut\\n\n☃ ";
  g_autofree char *folder = create_folder ();
  g_autoptr (PrismRunCatalogue) catalogue = open_catalogue (folder);
  g_autoptr (GError) error = NULL;
  PrismRunCard *card = create_card ("/runs/[1]=ä.prismrun", odd);

  card->starred = TRUE;
  prism_run_catalogue_add (catalogue, card);
  card = create_card ("/runs/2.prismrun", "");
  card->psnr = NAN;
  prism_run_catalogue_add (catalogue, card);
  g_assert_true (prism_run_catalogue_save (catalogue, &error));
  g_autoptr (PrismRunCatalogue) again = open_catalogue (folder);
  g_assert_cmpuint (again->cards->len, ==, 2);
  card = prism_run_catalogue_find (again, "/runs/[1]=ä.prismrun");
  g_assert_nonnull (card);
  g_assert_cmpstr (card->name, ==, odd);
  g_assert_cmpstr (card->settings, ==, "snr=20;samples=40");
  g_assert_true (card->starred);
  g_assert_cmpfloat (card->psnr, ==, 41.5);
  g_assert_cmpuint (card->bytes, ==, 12345);
  g_assert_true (isnan (prism_run_catalogue_find (again, "/runs/2.prismrun")->psnr));
}

static void
check_name (const char *path, const char *other, const char *expected)
{
  SAYS (prism_run_catalogue_dup_name (path, other), expected);
}

/* What a run is called where its file is spoken of. */
TEST (given_name, "/engine/run-catalogue/given-name")
{
  g_autofree char *home = create_folder ();
  const gboolean own = g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_autofree char *folder = prism_run_catalogue_dup_folder ();
  g_autoptr (PrismRunCatalogue) catalogue = open_catalogue (folder);

  g_assert_true (own && g_str_has_prefix (folder, home));
  prism_run_catalogue_add (catalogue, create_card ("/named/1.prismrun", "For the paper"));
  prism_run_catalogue_add (catalogue, create_card ("/named/2.prismrun", ""));
  prism_run_catalogue_add (catalogue, create_card ("/named/7-moon.prismrun", "For the paper"));
  g_assert_true (prism_run_catalogue_save (catalogue, NULL));
  check_name ("/named/1.prismrun", "other", "For the paper");
  check_name ("/named/2.prismrun", "other", "other");
  check_name ("/named/7-moon.prismrun", "other", "7 · For the paper");
  check_name ("/nowhere", "other", "other");
  check_name (NULL, "other", "other");
  check_name ("/named/2.prismrun", NULL, "2");
  check_name ("/runs/8-moon-20260101.prismrun", NULL, "Run 8");
}

/* A run of a sweep is told from others by what its plan goes over. */
TEST (point_name, "/engine/run-catalogue/point-name")
{
  g_autofree char *folder = create_folder (), *plan = g_build_filename (folder, "sweep.conf", NULL);
  g_autofree char *config = g_build_filename (folder, "point-0003.prism", NULL);
  g_autofree char *run = g_build_filename (folder, "point-0003.prismrun", NULL);
  g_autofree char *result = g_build_filename (folder, "point-0003", NULL);

  check_name (run, NULL, "4");
  g_assert_true (g_file_set_contents (
      plan, "[sweep]\naxis1=snr=20,40\naxis2=aperture_radius=6,8\n", -1, NULL));
  g_assert_true (g_file_set_contents (config, "[prism]\nsnr=40\naperture_radius=8\n", -1, NULL));
  check_name (run, NULL, "4 · Noise (SNR) 40 dB, Radius 8 px");
  g_assert_cmpint (g_mkdir (result, 0700), ==, 0);
  check_name (result, NULL, "4 · Noise (SNR) 40 dB, Radius 8 px");
  test_remove_tree (folder);
}

TEST (newer_file_keeps_what_users_wrote, "/engine/run-catalogue/newer")
{
  g_autofree char *folder = create_folder ();
  g_autoptr (PrismRunCatalogue) catalogue = open_catalogue (folder);
  PrismRunCard *newer = create_card ("/a", "");
  PrismRunCard *card = prism_run_catalogue_add (catalogue, create_card ("/a", "mine"));

  card->starred = TRUE;
  newer->psnr = 50;
  g_assert_true (prism_run_catalogue_add (catalogue, newer) == card);
  g_assert_cmpuint (catalogue->cards->len, ==, 1);
  g_assert_cmpstr (card->name, ==, "mine");
  g_assert_true (card->starred);
  g_assert_cmpfloat (card->psnr, ==, 50);
  g_assert_true (prism_run_catalogue_find (catalogue, "/a") == card);
  prism_run_catalogue_remove (catalogue, card);
  g_assert_null (prism_run_catalogue_find (catalogue, "/a"));
}

/* What is done to one of them is not done to the other. */
TEST (copy_stays_as_it_was, "/engine/run-catalogue/copy")
{
  g_autofree char *folder = create_folder ();
  g_autoptr (PrismRunCatalogue) catalogue = open_catalogue (folder);
  PrismRunCard *card = prism_run_catalogue_add (catalogue, create_card ("/a", "mine"));

  g_autoptr (PrismRunCatalogue) copy = prism_run_catalogue_copy (catalogue);
  card->name[0] = 'f';
  card->starred = TRUE;
  prism_run_catalogue_add (catalogue, create_card ("/b", ""));
  g_assert_true (prism_run_catalogue_save (copy, NULL));
  g_autoptr (PrismRunCatalogue) again = open_catalogue (folder);
  g_assert_cmpuint (again->cards->len, ==, 1);
  card = prism_run_catalogue_find (again, "/a");
  g_assert_cmpstr (card->name, ==, "mine");
  g_assert_cmpstr (card->settings, ==, "snr=20;samples=40");
  g_assert_false (card->starred);
  g_assert_cmpfloat (card->psnr, ==, 41.5);
}

/* What cannot be read is not written over. */
TEST (damaged_index_is_kept_aside, "/engine/run-catalogue/damaged")
{
  g_autofree char *folder = create_folder ();
  g_autofree char *path = g_build_filename (folder, "library.ini", NULL);
  g_autofree char *aside = g_strconcat (path, ".damaged", NULL);

  g_assert_true (g_file_set_contents (path, "no group at all\n", -1, NULL));
  g_autoptr (PrismRunCatalogue) catalogue = open_catalogue (folder);
  g_assert_cmpuint (catalogue->cards->len, ==, 0);
  g_assert_true (g_file_test (aside, G_FILE_TEST_EXISTS));
}

TEST (what_is_no_run_has_no_card, "/engine/run-catalogue/no-run")
{
  g_autofree char *folder = create_folder (), *path = g_build_filename (folder, "x.prismrun", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "PK no archive", -1, NULL));
  g_assert_null (prism_run_card_read (path, folder, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  FAILS (prism_run_catalogue_new (in_folder (path, "y"), &error), IO, "");
}

/* What is marked can be found out without the catalogue; where it cannot be, that is said. */
TEST (marked, "/engine/run-catalogue/marked")
{
  g_autofree char *folder = create_folder ();
  g_autofree char *index = g_build_filename (folder, "library.ini", NULL);
  g_autoptr (PrismRunCatalogue) catalogue = open_catalogue (folder);
  g_autoptr (GHashTable) none = prism_run_catalogue_load_marked (folder, NULL);
  g_autoptr (GError) error = NULL;
  PrismRunCard *starred = create_card ("/runs/s.prismrun", "");
  PrismRunCard *tagged = create_card ("/runs/t.prismrun", "");

  g_assert_cmpuint (g_hash_table_size (none), ==, 0);
  starred->starred = TRUE;
  g_free (tagged->tags);
  tagged->tags = g_strdup ("paper");
  prism_run_catalogue_add (catalogue, starred);
  prism_run_catalogue_add (catalogue, tagged);
  prism_run_catalogue_add (catalogue, create_card ("/runs/n.prismrun", "A name"));
  prism_run_catalogue_add (catalogue, create_card ("/runs/plain.prismrun", ""));
  g_assert_true (prism_run_catalogue_save (catalogue, NULL));
  g_autoptr (GHashTable) marked = prism_run_catalogue_load_marked (folder, NULL);
  g_assert_cmpuint (g_hash_table_size (marked), ==, 3);
  g_assert_false (g_hash_table_contains (marked, "/runs/plain.prismrun"));
  g_assert_true (g_file_set_contents (index, "no index", -1, NULL));
  g_assert_null (prism_run_catalogue_load_marked (folder, &error));
  g_assert_nonnull (error);
  /* Whoever looks does not move it. */
  g_assert_true (g_file_test (index, G_FILE_TEST_EXISTS));
}
