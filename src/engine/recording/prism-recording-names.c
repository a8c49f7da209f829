#include "config.h"

#include "recording/prism-recording-names.h"

#include <string.h>

/* Small letters and digits alone: “LED_x”, “led x” and “ledX” are one name. Those of a kind that
 * are better come first. */
static const struct
{
  PrismName name;
  const char *alias;
} aliases[] = {
  { PRISM_NAME_WAVELENGTH, "wavelength" },
  { PRISM_NAME_WAVELENGTH, "wlength" },
  { PRISM_NAME_WAVELENGTH, "lambda" },
  { PRISM_NAME_WAVELENGTH, "lambda0" },
  { PRISM_NAME_WAVELENGTH, "lambdar" },
  { PRISM_NAME_WAVELENGTH, "lambdag" },
  { PRISM_NAME_WAVELENGTH, "lambdab" },
  { PRISM_NAME_WAVELENGTH, "lamda" },
  { PRISM_NAME_WAVELENGTH, "lam" },
  { PRISM_NAME_WAVELENGTH, "wavelengthvacuum" },
  { PRISM_NAME_WAVELENGTH, "illuminationwavelength" },
  { PRISM_NAME_WAVELENGTH, "ledwavelength" },
  { PRISM_NAME_WAVELENGTH, "centralwavelength" },
  { PRISM_NAME_PIXEL_SIZE, "pixelsize" },
  { PRISM_NAME_PIXEL_SIZE, "spsize" },
  { PRISM_NAME_PIXEL_SIZE, "samplepixelsize" },
  { PRISM_NAME_PIXEL_SIZE, "samplepixel" },
  { PRISM_NAME_PIXEL_SIZE, "pixelsizesample" },
  { PRISM_NAME_PIXEL_SIZE, "pixelsizeatsample" },
  { PRISM_NAME_PIXEL_SIZE, "objectpixelsize" },
  { PRISM_NAME_PIXEL_SIZE, "effectivepixelsize" },
  { PRISM_NAME_PIXEL_SIZE, "dpixm" },
  { PRISM_NAME_PIXEL_SIZE, "pixel" },
  { PRISM_NAME_PIXEL_SIZE, "scaleofapixel" },
  { PRISM_NAME_CAMERA_PIXEL, "dxd" },
  { PRISM_NAME_CAMERA_PIXEL, "camerapixel" },
  { PRISM_NAME_CAMERA_PIXEL, "camerapixelsize" },
  { PRISM_NAME_CAMERA_PIXEL, "pixelsizecamera" },
  { PRISM_NAME_CAMERA_PIXEL, "sensorpixelsize" },
  { PRISM_NAME_CAMERA_PIXEL, "detectorpixelsize" },
  { PRISM_NAME_CAMERA_PIXEL, "sensorpixelpitch" },
  { PRISM_NAME_CAMERA_PIXEL, "pixelpitch" },
  { PRISM_NAME_CAMERA_PIXEL, "camerapixelpitch" },
  { PRISM_NAME_CAMERA_PIXEL, "ccdpixelsize" },
  { PRISM_NAME_CAMERA_PIXEL, "sensorpixel" },
  { PRISM_NAME_CAMERA_PIXEL, "dpixc" },
  { PRISM_NAME_MAGNIFICATION, "magnification" },
  { PRISM_NAME_MAGNIFICATION, "mag" },
  { PRISM_NAME_MAGNIFICATION, "objectivemagnification" },
  { PRISM_NAME_MAGNIFICATION, "objectivemag" },
  { PRISM_NAME_MAGNIFICATION, "magobj" },
  { PRISM_NAME_NA, "na" },
  { PRISM_NAME_NA, "naobj" },
  { PRISM_NAME_NA, "objna" },
  { PRISM_NAME_NA, "naobjective" },
  { PRISM_NAME_NA, "objectivena" },
  { PRISM_NAME_NA, "numericalaperture" },
  { PRISM_NAME_NA, "nacal" },
  { PRISM_NAME_NA, "systemna" },
  { PRISM_NAME_DISTANCE, "zled" },
  { PRISM_NAME_DISTANCE, "leddistance" },
  { PRISM_NAME_DISTANCE, "distanceled" },
  { PRISM_NAME_DISTANCE, "ledheight" },
  { PRISM_NAME_DISTANCE, "heightled" },
  { PRISM_NAME_DISTANCE, "hled" },
  { PRISM_NAME_DISTANCE, "ledsampledistance" },
  { PRISM_NAME_DISTANCE, "ledtosample" },
  { PRISM_NAME_DISTANCE, "led2sample" },
  { PRISM_NAME_DISTANCE, "arraydistance" },
  { PRISM_NAME_PITCH, "ledpitch" },
  { PRISM_NAME_PITCH, "ledgap" },
  { PRISM_NAME_PITCH, "ledspacing" },
  { PRISM_NAME_PITCH, "ledp" },
  { PRISM_NAME_PITCH, "dled" },
  { PRISM_NAME_PITCH, "dsled" },
  { PRISM_NAME_PITCH, "pitch" },
  { PRISM_NAME_FRAME, "frame" },
  { PRISM_NAME_FRAME, "framenumber" },
  { PRISM_NAME_FRAME, "frameindex" },
  { PRISM_NAME_FRAME, "image" },
  { PRISM_NAME_FRAME, "imagenumber" },
  { PRISM_NAME_FRAME, "imageindex" },
  { PRISM_NAME_FRAME, "index" },
  { PRISM_NAME_FILE, "file" },
  { PRISM_NAME_FILE, "files" },
  { PRISM_NAME_FILE, "filename" },
  { PRISM_NAME_FILE, "filenames" },
  { PRISM_NAME_FILE, "filepath" },
  { PRISM_NAME_FILE, "imagefile" },
  { PRISM_NAME_FILE, "imagefilename" },
  { PRISM_NAME_FILE, "imagename" },
  { PRISM_NAME_FILE, "imagepath" },
  { PRISM_NAME_FILE, "framefile" },
  { PRISM_NAME_FILE, "framename" },
  { PRISM_NAME_FILE, "path" },
  { PRISM_NAME_X, "x" },
  { PRISM_NAME_Y, "y" },
  { PRISM_NAME_X, "ledx" },
  { PRISM_NAME_Y, "ledy" },
  { PRISM_NAME_X, "xled" },
  { PRISM_NAME_Y, "yled" },
  { PRISM_NAME_X, "xpos" },
  { PRISM_NAME_Y, "ypos" },
  { PRISM_NAME_X, "posx" },
  { PRISM_NAME_Y, "posy" },
  { PRISM_NAME_NA_X, "nax" },
  { PRISM_NAME_NA_Y, "nay" },
  { PRISM_NAME_NA_X, "naxcalib" },
  { PRISM_NAME_NA_Y, "naycalib" },
  { PRISM_NAME_NA_X, "kxrel" },
  { PRISM_NAME_NA_Y, "kyrel" },
  { PRISM_NAME_NA_X, "kxrelative" },
  { PRISM_NAME_NA_Y, "kyrelative" },
  { PRISM_NAME_NA_X, "nashiftx" },
  { PRISM_NAME_NA_Y, "nashifty" },
  { PRISM_NAME_WAVE_X, "kx" },
  { PRISM_NAME_WAVE_Y, "ky" },
  { PRISM_NAME_WAVE_X, "idxu" },
  { PRISM_NAME_WAVE_Y, "idxv" },
  { PRISM_NAME_COLUMN, "ledcolumn" },
  { PRISM_NAME_ROW, "ledrow" },
  { PRISM_NAME_COLUMN, "ledcol" },
  { PRISM_NAME_COLUMN, "column" },
  { PRISM_NAME_ROW, "row" },
  { PRISM_NAME_COLUMN, "col" },
  { PRISM_NAME_COLUMN, "xlocation" },
  { PRISM_NAME_ROW, "ylocation" },
  { PRISM_NAME_BOX_X, "fouriercolumnpx" },
  { PRISM_NAME_BOX_Y, "fourierrowpx" },
  { PRISM_NAME_Z, "z" },
  { PRISM_NAME_Z, "ledz" },
  { PRISM_NAME_THETA, "theta" },
  { PRISM_NAME_PHI, "phi" },
  { PRISM_NAME_THETA, "polar" },
  { PRISM_NAME_PHI, "azimuth" },
  { PRISM_NAME_THETA, "zenith" },
  { PRISM_NAME_THETA, "inclination" },
  { PRISM_NAME_POSITIONS, "positions" },
  { PRISM_NAME_POSITIONS, "ledpositions" },
  { PRISM_NAME_POSITIONS, "ledpos" },
  { PRISM_NAME_POSITIONS, "ledxy" },
  { PRISM_NAME_POSITIONS, "ledxyz" },
  { PRISM_NAME_POSITIONS, "ledlocations" },
  { PRISM_NAME_POSITIONS, "ledcoordinates" },
  { PRISM_NAME_POSITIONS, "ledcoords" },
  { PRISM_NAME_POSITIONS, "leds" },
  { PRISM_NAME_COSINES, "nacalib" },
  { PRISM_NAME_COSINES, "naillum" },
  { PRISM_NAME_COSINES, "naillu" },
  { PRISM_NAME_COSINES, "illumna" },
  { PRISM_NAME_COSINES, "illuminationna" },
  { PRISM_NAME_COSINES, "ledna" },
  { PRISM_NAME_COSINES, "nalist" },
  { PRISM_NAME_COSINES, "nas" },
  { PRISM_NAME_COSINES, "nadesign" },
  { PRISM_NAME_EXPOSURE, "exposure" },
  { PRISM_NAME_EXPOSURE, "exposures" },
  { PRISM_NAME_EXPOSURE, "exposurems" },
  { PRISM_NAME_EXPOSURE, "exposureus" },
  { PRISM_NAME_EXPOSURE, "exposuretime" },
  { PRISM_NAME_EXPOSURE, "exposuretimes" },
  { PRISM_NAME_EXPOSURE, "exposuretimems" },
  { PRISM_NAME_EXPOSURE, "exposuretimeus" },
  { PRISM_NAME_EXPOSURE, "integrationtime" },
  { PRISM_NAME_EXPOSURE, "integrationtimes" },
  { PRISM_NAME_EXPOSURE, "integrationtimems" },
  { PRISM_NAME_WAVES, "kvectors" },
  { PRISM_NAME_WAVES, "illumpx" },
  { PRISM_NAME_WAVES, "wavevectors" },
  { PRISM_NAME_WAVES, "kvector" },
  { PRISM_NAME_WAVES, "wavevector" },
  { PRISM_NAME_WAVES, "kvecs" },
  { PRISM_NAME_WAVES, "kxy" },
  { PRISM_NAME_WAVES, "kxky" },
  { PRISM_NAME_WAVES, "klist" },
  { PRISM_NAME_WAVES, "kled" },
  { PRISM_NAME_WAVES, "k" },
  { PRISM_NAME_WAVES, "freqxycalib" },
  { PRISM_NAME_WAVES, "freqxy" },
  { PRISM_NAME_WAVES, "frequvcal" },
  { PRISM_NAME_WAVES, "frequv" },
};

/* Small letters and digits of the first bytes. */
static void
normalize (const char *name,
           gsize length,
           char plain[128])
{
  gsize n = 0;

  for (gsize i = 0; i < length && n < 127; i++)
    if (g_ascii_isalnum (name[i]))
      plain[n++] = g_ascii_tolower (name[i]);
  plain[n] = '\0';
}

/* Where in the list a name is, -1: nowhere. */
static int
find_alias (const char *name,
            gsize length)
{
  char plain[128];

  normalize (name, length, plain);
  for (gsize i = 0; i < G_N_ELEMENTS (aliases); i++)
    if (strcmp (aliases[i].alias, plain) == 0)
      return (int) i;
  return -1;
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
  const int whole = find_alias (name + skipped, strlen (name) - skipped);
  const int part = before > 0 ? find_alias (name + skipped, length - skipped) : -1;

  /* “led_p” is a name of its own; “x (Å)” is x for both, as Å is no letter of a name. */
  if (whole >= 0 && whole != part)
    *unit = (PrismUnit) { PRISM_UNIT_NONE, 1 };
  return whole >= 0 ? aliases[whole].name : part >= 0 ? aliases[part].name
                                                      : PRISM_NAME_NONE;
}
