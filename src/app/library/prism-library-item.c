#include "config.h"

#include "library/prism-library-item.h"

#include "config/prism-config.h"
#include "model/prism-verdict.h"

#include "support/prism-wording.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MOST_SETTINGS 6

struct _PrismLibraryItem
{
  GObject parent_instance;

  PrismRunCard *card; /* (unowned): of the catalogue, which the window keeps */
  char *searched;     /* (nullable): all words of it, for searching */
  gboolean next;      /* goes when another run is kept */
};

static guint changed_signal;

G_DEFINE_FINAL_TYPE (PrismLibraryItem, prism_library_item, G_TYPE_OBJECT)

static void
prism_library_item_finalize (GObject *object)
{
  g_free (PRISM_LIBRARY_ITEM (object)->searched);
  G_OBJECT_CLASS (prism_library_item_parent_class)->finalize (object);
}

static void
prism_library_item_class_init (PrismLibraryItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = prism_library_item_finalize;
  changed_signal = g_signal_new ("changed", PRISM_TYPE_LIBRARY_ITEM, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
prism_library_item_init (PrismLibraryItem *self)
{
}

/**
 * prism_library_item_new:
 * @card: of a catalogue that outlives the item
 *
 * Returns: (transfer full): an item
 */
PrismLibraryItem *
prism_library_item_new (PrismRunCard *card)
{
  PrismLibraryItem *self = g_object_new (PRISM_TYPE_LIBRARY_ITEM, NULL);

  self->card = card;
  return self;
}

/**
 * prism_library_item_get_card:
 * @self: an item
 *
 * Returns: (transfer none): its card
 */
PrismRunCard *
prism_library_item_get_card (PrismLibraryItem *self)
{
  return self->card;
}

/* "Aperture radius 12 px, Signal to noise 20 dB": what differs from the defaults, as it is said
 * elsewhere. A card that says what is not allowed any more is silent about it. */
static char *
dup_settings (const PrismRunCard *card)
{
  g_auto (GStrv) settings = g_strsplit (card->settings, ";", -1);
  g_autoptr (PrismConfig) config = prism_config_new ();
  GString *text = g_string_new (NULL);
  guint n = 0;

  for (char **setting = settings; card->frames[0] != '\0' && *setting != NULL; setting++)
    g_string_append_printf (text, "%s%s", n++ > 0 ? ", " : "", g_strdelimit (*setting, "=", ' '));
  if (card->frames[0] != '\0')
    return g_string_free (text, FALSE);
  for (char **setting = settings; *setting != NULL && n < MOST_SETTINGS; setting++)
    {
      char *value = strchr (*setting, '=');
      const PrismParam *param;
      g_autofree char *shown = NULL;

      if (value == NULL)
        continue;
      *value++ = '\0';
      param = prism_config_get_param (*setting);
      if (param == NULL || !prism_config_set_text (config, *setting, value, NULL))
        continue;
      shown = prism_wording_dup_value (config, param);
      g_string_append_printf (text, "%s%s %s", n++ > 0 ? ", " : "", gettext (param->label), shown);
    }
  return g_string_free (text, FALSE);
}

/**
 * prism_library_item_dup_title:
 * @self: an item
 *
 * Returns: (transfer full): the name that it was given, or else what the run is of
 */
char *
prism_library_item_dup_title (PrismLibraryItem *self)
{
  return g_strdup (self->card->name[0] != '\0' ? self->card->name : self->card->object);
}

/**
 * prism_library_item_dup_details:
 * @self: an item
 *
 * Returns: (transfer full): the settings in which it differs from the defaults, and its tags
 */
char *
prism_library_item_dup_details (PrismLibraryItem *self)
{
  const PrismRunCard *card = self->card;
  g_autofree char *settings = dup_settings (card);
  const char *object = card->name[0] != '\0' ? card->object : "";

  const char *comma = object[0] != '\0' && settings[0] != '\0' ? ", " : "";

  return g_strdup_printf ("%s%s%s%s%s", object, comma, settings,
                          card->tags[0] != '\0' ? "  #" : "", card->tags);
}

/**
 * prism_library_item_dup_numbers:
 * @self: an item
 *
 * Returns: (transfer full): PSNR or misfit of held-out frames, verdict, date and size on disk, and
 *   whether it goes next
 */
char *
prism_library_item_dup_numbers (PrismLibraryItem *self)
{
  const PrismRunCard *card = self->card;
  PrismVerdictKind kind = prism_verdict_find (card->verdict);
  g_autofree char *date = prism_machine_wording_dup_time (card->saved);
  g_autofree char *size = g_format_size_full (card->bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *quality = isfinite (card->psnr) ? g_strdup_printf (_ ("%.1f dB"), card->psnr)
                             : isfinite (card->misfit)
                                 ? g_strdup_printf (_ ("misfit %.4f"), card->misfit)
                                 : g_strdup ("–");
  const char *verdict = kind < PRISM_N_VERDICTS && kind != PRISM_VERDICT_OPEN
                            ? gettext (prism_verdict_get_label (kind))
                            : _ ("not judged");

  return g_strdup_printf ("%s · %s · %s · %s%s%s", quality, verdict, date, size,
                          self->next ? " · " : "", self->next ? _ ("goes next") : "");
}

/**
 * prism_library_item_matches:
 * @self: an item
 * @words: in lower case, with blanks between them
 *
 * Returns: whether all words are in its name, object, settings, tags, numbers or path
 */
gboolean
prism_library_item_matches (PrismLibraryItem *self,
                            const char *words)
{
  g_auto (GStrv) parts = g_strsplit (words, " ", -1);

  if (self->searched == NULL)
    {
      g_autofree char *title = prism_library_item_dup_title (self);
      g_autofree char *details = prism_library_item_dup_details (self);
      g_autofree char *numbers = prism_library_item_dup_numbers (self);
      g_autofree char *all
          = g_strjoin (" ", title, details, numbers, self->card->settings, self->card->path, NULL);

      self->searched = g_utf8_strdown (all, -1);
    }
  for (char **part = parts; *part != NULL; part++)
    if (strstr (self->searched, *part) == NULL)
      return FALSE;
  return TRUE;
}

/**
 * prism_library_item_set_next:
 * @self: an item
 * @next: whether its file goes when another run is kept
 */
void
prism_library_item_set_next (PrismLibraryItem *self,
                             gboolean next)
{
  if (self->next == next)
    return;
  self->next = next;
  prism_library_item_changed (self);
}

/**
 * prism_library_item_get_next:
 * @self: an item
 *
 * Returns: whether its file goes when another run is kept
 */
gboolean
prism_library_item_get_next (PrismLibraryItem *self)
{
  return self->next;
}

/**
 * prism_library_item_changed:
 * @self: an item
 *
 * Tells that its card is another.
 */
void
prism_library_item_changed (PrismLibraryItem *self)
{
  g_clear_pointer (&self->searched, g_free);
  g_signal_emit (self, changed_signal, 0);
}
