#include "config.h"

#include "recording/prism-recording-private.h"

/* Small letters and digits alone, with a space before and after: “LED_x”, “led x” and “ledX” are
 * one name. */
static const char *const aliases[] = {
  [PRISM_NAME_WAVELENGTH]
  = " wavelength wlength lambda lambda0 lambdar lambdag lambdab lamda lam"
    " wavelengthvacuum illuminationwavelength ledwavelength centralwavelength ",
  [PRISM_NAME_PIXEL_SIZE]
  = " pixelsize spsize samplepixelsize samplepixel pixelsizesample pixelsizeatsample"
    " objectpixelsize effectivepixelsize dpixm pixel scaleofapixel ",
  [PRISM_NAME_CAMERA_PIXEL]
  = " dxd camerapixel camerapixelsize pixelsizecamera sensorpixelsize detectorpixelsize"
    " sensorpixelpitch pixelpitch camerapixelpitch ccdpixelsize sensorpixel dpixc ",
  [PRISM_NAME_MAGNIFICATION] = " magnification mag objectivemagnification objectivemag magobj ",
  [PRISM_NAME_NA] = " na naobj objna naobjective objectivena numericalaperture nacal systemna ",
  [PRISM_NAME_DISTANCE]
  = " zled leddistance distanceled ledheight heightled hled ledsampledistance ledtosample"
    " led2sample arraydistance ",
  [PRISM_NAME_PITCH] = " ledpitch ledgap ledspacing ledp dled dsled pitch ",
  [PRISM_NAME_FRAME] = " frame framenumber frameindex image imagenumber imageindex index ",
  [PRISM_NAME_FILE]
  = " file files filename filenames filepath imagefile imagefilename imagename imagepath"
    " framefile framename path ",
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
  [PRISM_NAME_PHI] = " phi azimuth ",
  [PRISM_NAME_POSITIONS]
  = " positions ledpositions ledpos ledxy ledxyz ledlocations ledcoordinates ledcoords"
    " leds ",
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
 * “kx (1/µm)”; the bytes before it, 0 where there is none. */
static gsize
find_unit (const char *name,
           PrismUnit *unit)
{
  gsize end = strlen (name), begin;
  const char *marks = "([-_ /";

  *unit = (PrismUnit) { PRISM_UNIT_NONE, 1 };
  while (end > 0 && strchr (" )]", name[end - 1]) != NULL)
    {
      marks = name[end - 1] == ' ' ? marks : "([";
      end--;
    }
  for (begin = end; begin > 0 && strchr (marks, name[begin - 1]) == NULL;)
    begin--;
  /* “roi_a” has none. */
  if (begin == 0 || (end - begin == 1 && name[begin] == 'A' && *marks != '('))
    return 0;
  return prism_unit_parse (name + begin, end - begin, unit) ? begin : 0;
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
  const gboolean divided = before > 0 && name[before - 1] == '/'; /* “x/mm” */
  const gsize length = before > 0 ? before - (divided ? 1 : 0) : strlen (name);
  const char *slash = g_strrstr_len (name, (gssize) length, "/");
  const gsize skipped = slash != NULL ? (gsize) (slash + 1 - name) : 0;
  PrismName kind, part_kind = PRISM_NAME_NONE;
  const char *whole = find_alias (name + skipped, strlen (name) - skipped, &kind);
  const char *part
      = before > 0 ? find_alias (name + skipped, length - skipped, &part_kind) : NULL;

  /* “led_p” is a name of its own; “x (Å)” is x for both, as Å is no letter of a name. */
  if (whole != NULL && whole != part)
    *unit = (PrismUnit) { PRISM_UNIT_NONE, 1 };
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
