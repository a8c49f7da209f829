#include "config.h"

#include "recording/prism-recording-private.h"

#include "base/prism-each.h"

/* Small letters and digits alone, with a space before and after: “LED_x”, “led x” and “ledX” are
 * one name. */
static const char *const aliases[] = {
  [PRISM_NAME_WAVELENGTH]
  = " wavelength wlength lambda lambda0 lambdar lambdag lambdab lamda lam"
    " wavelengthvacuum illuminationwavelength ledwavelength centralwavelength"
    " incidentwavelength excitationwavelength ",
  [PRISM_NAME_PIXEL_SIZE]
  = " pixelsize spsize samplepixelsize samplepixel pixelsizesample pixelsizeatsample"
    " objectpixelsize effectivepixelsize dpixm pixel pix scaleofapixel ",
  [PRISM_NAME_CAMERA_PIXEL]
  = " dxd camerapixel camerapixelsize pixelsizecamera sensorpixelsize detectorpixelsize"
    " sensorpixelpitch pixelpitch camerapixelpitch ccdpixelsize sensorpixel dpixc xpixelsize ",
  [PRISM_NAME_MAGNIFICATION] = " magnification mag objectivemagnification objectivemag magobj ",
  [PRISM_NAME_NA] = " na naobj objna naobjective objectivena numericalaperture nacal systemna ",
  [PRISM_NAME_DISTANCE]
  = " zled distance leddistance distanceled ledheight heightled hled ledsampledistance ledtosample"
    " led2sample arraydistance arrayheight ledarraydistance ledarrayheight boarddistance"
    " boardheight ",
  [PRISM_NAME_PITCH] = " ledpitch ledgap ledspacing ledp dled dsled pitch ",
  [PRISM_NAME_FRAME] = " frame framenumber frameindex image imagenumber imageindex index ",
  [PRISM_NAME_FILE]
  = " file files filename filenames filepath imagefile imagefilename imagename imagepath"
    " framefile framename path ",
  [PRISM_NAME_ELEVATION] = " elevation altitude elev elevationangle ",
  [PRISM_NAME_X] = " x ledx xled xpos posx ",
  [PRISM_NAME_Y] = " y ledy yled ypos posy ",
  [PRISM_NAME_NA_X] = " nax naxcalib kxrel kxrelative nashiftx ",
  [PRISM_NAME_NA_Y] = " nay naycalib kyrel kyrelative nashifty ",
  [PRISM_NAME_WAVE_X] = " kx idxu ",
  [PRISM_NAME_WAVE_Y] = " ky idxv ",
  [PRISM_NAME_COLUMN] = " ledcolumn ledcol column col xlocation ",
  [PRISM_NAME_ROW] = " ledrow row ylocation ",
  [PRISM_NAME_BOX_X] = " fouriercolumnpx ",
  [PRISM_NAME_BOX_Y] = " fourierrowpx ",
  [PRISM_NAME_Z] = " z ledz ",
  [PRISM_NAME_THETA] = " theta polar zenith inclination ",
  [PRISM_NAME_PHI] = " phi azimuth azimuthangle azim ",
  [PRISM_NAME_TILT_X] = " thetax anglex tiltx xangle alphax ",
  [PRISM_NAME_TILT_Y] = " thetay angley tilty yangle alphay ",
  [PRISM_NAME_POSITIONS]
  = " positions ledpositions ledpos ledxy ledxyz ledlocations ledcoordinates ledcoords"
    " leds xy xyz ",
  [PRISM_NAME_COSINES]
  = " nacalib naillum naillu illumna illuminationna ledna nalist nas nadesign ",
  [PRISM_NAME_EXPOSURE]
  = " exposure exposures exposurems exposureus exposuretime exposuretimes exposuretimems"
    " exposuretimeus integrationtime integrationtimes integrationtimems ",
  [PRISM_NAME_WAVES]
  = " kvectors illumpx wavevectors kvector wavevector kvecs kxy kxky klist kled k"
    " freqxycalib freqxy frequvcal frequv ",
};

/* Where in the list the first bytes of a name are, small letters and digits alone, or %NULL. */
static const char *
find_alias (const char *name,
            gsize length,
            PrismName *kind)
{
  char word[128] = " ";
  gsize n = 1;

  for (gsize i = 0; i < length && n < sizeof word - 2; i++)
    if (g_ascii_isalnum (name[i]))
      word[n++] = g_ascii_tolower (name[i]);
  word[n] = ' ';
  for (*kind = 0; *kind < G_N_ELEMENTS (aliases); (*kind)++)
    {
      const char *at = aliases[*kind] != NULL ? strstr (aliases[*kind], word) : NULL;

      if (at != NULL)
        return at;
    }
  *kind = PRISM_NAME_NONE;
  return NULL;
}

/* The unit at the end of a name, behind a mark that is no letter: “x_mm”, “x [mm]”, “x/mm”,
 * “kx (1/µm)”, “kx_rad_um”, the longest one; the bytes before it, 0 where there is none. */
static gsize
find_unit (const char *name,
           PrismUnit *unit)
{
  gsize end = strlen (name);
  const char *marks = "([-_ /";

  while (end > 0 && strchr (" )]", name[end - 1]) != NULL)
    {
      marks = name[end - 1] == ' ' ? marks : "([";
      end--;
    }
  for (gsize begin = 1; begin < end; begin++)
    if (strchr (marks, name[begin - 1]) != NULL
        /* “roi_a” has none. */
        && !(end - begin == 1 && name[begin] == 'A' && *marks != '(')
        && prism_unit_parse (name + begin, end - begin, unit))
      return begin;
  *unit = PRISM_UNIT_BARE;
  return 0;
}

/* Without the line of a fraction, and spaces, between a name and its unit: “x/mm”, “x / mm”. */
static gsize
drop_mark (const char *name,
           gsize length)
{
  while (length > 0 && strchr (" /", name[length - 1]) != NULL)
    length--;
  return length;
}

/**
 * prism_recording_names_find:
 * @name: of an array, with the groups it lies in, or of a column of a table
 * @unit: (out): the unit that stands in the name
 *
 * Capitals, spaces and lines between words are of no account.
 *
 * Returns: what it is the name of
 */
PrismName
prism_recording_names_find (const char *name,
                            PrismUnit *unit)
{
  const gsize before = find_unit (name, unit);
  const gsize length = before > 0 ? drop_mark (name, before) : strlen (name);
  const char *slash = g_strrstr_len (name, (gssize) length, "/");
  const gsize skipped = slash != NULL ? (gsize) (slash + 1 - name) : 0;
  PrismName kind, part_kind = PRISM_NAME_NONE;
  const char *whole = find_alias (name + skipped, strlen (name) - skipped, &kind);
  const char *part
      = before > 0 ? find_alias (name + skipped, length - skipped, &part_kind) : NULL;

  /* “led_p” is a name of its own; “x (Å)” is x for both, as Å is no letter of a name. */
  if (whole != NULL && whole != part)
    *unit = PRISM_UNIT_BARE;
  return whole != NULL ? kind : part_kind;
}

static char *
dup_stem (const char *name)
{
  const char *dot = strrchr (name, '.');

  return g_strndup (name, dot != NULL ? (gsize) (dot - name) : strlen (name));
}

/**
 * prism_frame_names_add:
 * @self: frames by the names of their files, which it frees
 * @name: of a file, which is found without its ending, too
 * @frame: that it is
 */
void
prism_frame_names_add (GHashTable *self,
                       const char *name,
                       guint frame)
{
  g_hash_table_insert (self, g_strdup (name), GUINT_TO_POINTER (frame + 1));
  g_hash_table_insert (self, dup_stem (name), GUINT_TO_POINTER (frame + 1));
}

/**
 * prism_frame_names_find:
 * @name: of a file, with its ending or without
 * @frame: (out): that it is
 *
 * Returns: whether it is one
 */
gboolean
prism_frame_names_find (GHashTable *self,
                        const char *name,
                        guint *frame)
{
  g_autofree char *stem = dup_stem (name);
  gpointer found = g_hash_table_lookup (self, name);

  if (found == NULL)
    found = g_hash_table_lookup (self, stem);
  *frame = GPOINTER_TO_UINT (found) - 1;
  return found != NULL;
}

typedef char *Text;

/* Each number of a name of a frame: the word before it, itself, and the unit behind it. “x+1_y-2”
 * has x, +1 and y, −2; a minus between digits, as in a date, is no sign. */
static GStrv
split_name (const char *name)
{
  static GRegex *regex;
  g_autoptr (GStrvBuilder) parts = g_strv_builder_new ();
  g_autoptr (GMatchInfo) match = NULL;

  if (g_once_init_enter (&regex))
    g_once_init_leave (&regex,
                       g_regex_new ("([A-Za-z]*)[_ =(]*((?:(?<!\\d)[+-])?\\d+(?:\\.\\d+)?)"
                                    "((?:[nuµm]?m|deg|rad)(?![A-Za-z]))?",
                                    0, 0, NULL));
  for (g_regex_match (regex, name, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    for (int i = 1; i <= 3; i++)
      {
        g_autofree char *part = g_match_info_fetch (match, i);

        g_strv_builder_add (parts, part != NULL ? part : "");
      }
  return g_strv_builder_end (parts);
}

/* What the numbers of all names at one place are: the title of a column that tables have, “” for
 * one of an array of LEDs that has no name, %NULL for anything else. */
static char *
dup_title (const GPtrArray *names,
           guint at)
{
  char **first = (char **) g_ptr_array_index (names, 0) + at;
  const char *mark = *first[2] != '\0' ? "/" : "";
  g_autofree char *title = g_strconcat (first[0], mark, first[2], NULL);
  gboolean is_whole = *mark == '\0', below = FALSE, above = FALSE;
  PrismUnit unit;
  PrismName kind;

  PRISM_FOR_EACH_POINTER (Text, name, names)
    {
      if (strcmp (name[at], first[0]) != 0 || strcmp (name[at + 2], first[2]) != 0)
        return NULL;
      is_whole = is_whole && strchr (name[at + 1], '.') == NULL;
      below = below || *name[at + 1] == '-';
      above = above || *name[at + 1] != '-';
    }
  kind = prism_recording_names_find (title, &unit);
  /* Whole numbers count LEDs, and so do those on both sides of an axis that have no name. */
  if (is_whole && (kind == PRISM_NAME_X || kind == PRISM_NAME_Y))
    return g_strdup (kind == PRISM_NAME_X ? "column" : "row");
  if (kind == PRISM_NAME_ELEVATION || (kind >= PRISM_NAME_X && kind < PRISM_NAME_EXPOSURE))
    return g_steal_pointer (&title);
  return is_whole && below && above ? g_strdup ("") : NULL;
}

/**
 * prism_frame_names_dup_table:
 * @labels: (array zero-terminated=1): names of frames, of their files for instance
 *
 * Many programs write into the name of a frame which LED was on: “x+1_y-2”, “row3_col4”,
 * “led_-1_+2”, “x4.5mm_y-9mm”.
 *
 * Returns: (transfer full) (nullable): these numbers as a table that
 *   prism_recording_parse_positions() reads; %NULL where the names have no place
 */
GBytes *
prism_frame_names_dup_table (char *const *labels)
{
  static const char *const nameless[] = { "column", "row" };
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autoptr (GArray) columns = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_nameless = 0, n = 0;
  gboolean varies = FALSE;

  PRISM_FOR_EACH_STRING (label, labels)
    {
      GStrv parts = split_name (*label);

      g_ptr_array_add (names, parts);
      n = names->len == 1 ? g_strv_length (parts) : n;
      if (g_strv_length (parts) != n)
        return NULL;
    }
  for (guint at = 0; at < n; at += 3)
    {
      g_autofree char *title = dup_title (names, at);

      if (title == NULL || (*title == '\0' && n_nameless == G_N_ELEMENTS (nameless)))
        continue;
      g_string_append_printf (text, "%s%s", columns->len > 0 ? "\t" : "",
                              *title != '\0' ? title : nameless[n_nameless++]);
      g_array_append_val (columns, at);
      PRISM_FOR_EACH_POINTER (Text, name, names)
        varies = varies || strcmp (name[at + 1], ((Text *) names->pdata[0])[at + 1]) != 0;
    }
  /* What is the same in all names is the size of frames, or where they were cut out. */
  if (columns->len < 2 || !varies)
    return NULL;
  PRISM_FOR_EACH_POINTER (Text, name, names)
    for (guint i = 0; i < columns->len; i++)
      g_string_append_printf (text, "%c%s", i > 0 ? '\t' : '\n',
                              name[g_array_index (columns, guint, i) + 1]);
  return g_string_free_to_bytes (g_steal_pointer (&text));
}
