#include "config.h"

#include "formats/prism-unit.h"

#include "base/prism-each.h"

#define MOST_BYTES 64 /* of the name of a unit */

/* Names as they are once their case is folded; of lengths, waves per length are made besides. */
static const struct
{
  PrismUnitKind kind;
  double size;
  const char *names;
} units[] = {
  { PRISM_UNIT_LENGTH, 1, "m meter metre" },
  { PRISM_UNIT_LENGTH, 1e3, "km" },
  { PRISM_UNIT_LENGTH, 1e-2, "cm centimeter centimetre" },
  { PRISM_UNIT_LENGTH, 1e-3, "mm millimeter millimetre" },
  { PRISM_UNIT_LENGTH, 1e-6, "um micron micrometer micrometre" },
  { PRISM_UNIT_LENGTH, 1e-9, "nm nanometer nanometre" },
  { PRISM_UNIT_LENGTH, 1e-10, "å ang angstrom ångström ångstrom" },
  { PRISM_UNIT_LENGTH, 1e-12, "pm" },
  { PRISM_UNIT_ENERGY, 1, "j joule" },
  { PRISM_UNIT_ENERGY, 1.602176634e-19, "ev electronvolt" },
  { PRISM_UNIT_ENERGY, 1.602176634e-16, "kev" },
  { PRISM_UNIT_ANGLE, 1, "° deg degree" },
  { PRISM_UNIT_ANGLE, 180 / G_PI, "rad radian" },
  { PRISM_UNIT_ANGLE, 0.18 / G_PI, "mrad" },
};

/* Of which a wave vector has how many, per length. */
static const struct
{
  const char *before;
  const char *after;
  double size;
} waves[] = {
  { "1/", "", 1 },
  { "per/", "", 1 },
  { "inv/", "", 1 },
  { "cycles/", "", 1 },
  { "cyc/", "", 1 },
  { "rad/", "", 1 / (2 * G_PI) },
  { "radians/", "", 1 / (2 * G_PI) },
  { "rad ", "^-1", 1 / (2 * G_PI) },
  { "rad ", "-1", 1 / (2 * G_PI) },
  { "rad ", "⁻¹", 1 / (2 * G_PI) },
  { "", "^-1", 1 },
  { "", "^(-1)", 1 },
  { "", "-1", 1 },
  { "", "⁻¹", 1 },
};

static gboolean
find (const char *name,
      gsize length,
      PrismUnit *unit)
{
  PRISM_FOR_EACH_OF (one, units)
    for (const char *word = one->names; *word != '\0';)
      {
        const gsize n = strcspn (word, " ");
        const gboolean plural = n > 2 && length == n + 1 && name[n] == 's';

        if ((length == n || plural) && strncmp (name, word, n) == 0)
          {
            *unit = (PrismUnit) { one->kind, one->size };
            return TRUE;
          }
        word += n + (word[n] == ' ');
      }
  return FALSE;
}

/* Small letters, with the one µ that keyboards have not as u; ImageJ writes its code. In names
 * “rad_per_um” and “rad_um” stand for rad/um. */
static char *
fold (const char *text,
      gsize length)
{
  static const char *const micro[] = { "µ", "μ", "\\u00b5", "\\u03bc" };
  g_autofree char *cut = g_strndup (text, length);
  g_autofree char *valid = g_utf8_make_valid (cut, -1);
  g_autofree char *whole = g_utf8_normalize (valid, -1, G_NORMALIZE_DEFAULT_COMPOSE);
  GString *folded = g_string_new (NULL);
  g_autofree char *small = g_utf8_strdown (g_strstrip (whole), -1);

  g_string_assign (folded, small);
  for (gsize i = 0; i < G_N_ELEMENTS (micro); i++)
    g_string_replace (folded, micro[i], "u", 0);
  g_string_replace (folded, "_", "/", 0);
  g_string_replace (folded, " per ", "/", 0);
  g_string_replace (folded, "/per/", "/", 0);
  return g_string_free (folded, FALSE);
}

/**
 * prism_unit_parse:
 * @text: (array length=length): “mm”, “Å”, “microns”, “1/um”, “rad/µm”, “eV”
 * @unit: (out): what it is, none where it is no unit
 *
 * Capitals are of no account, but “A” alone is the Ångström's.
 *
 * Returns: whether it is a unit that is known
 */
gboolean
prism_unit_parse (const char *text,
                  gsize length,
                  PrismUnit *unit)
{
  g_autofree char *name = NULL;
  gsize n;

  *unit = PRISM_UNIT_BARE;
  if (length == 0 || length > MOST_BYTES)
    return FALSE;
  if (length == 1 && *text == 'A')
    text = "å", length = strlen (text);
  name = fold (text, length);
  n = strlen (name);
  if (find (name, n, unit))
    return TRUE;
  PRISM_FOR_EACH_OF (wave, waves)
    {
      const gsize before = strlen (wave->before), after = strlen (wave->after);

      if (n > before + after && g_str_has_prefix (name, wave->before)
          && g_str_has_suffix (name, wave->after)
          && find (name + before, n - before - after, unit) && unit->kind == PRISM_UNIT_LENGTH)
        {
          *unit = (PrismUnit) { PRISM_UNIT_WAVE, wave->size / unit->size };
          return TRUE;
        }
    }
  *unit = PRISM_UNIT_BARE;
  return FALSE;
}

/**
 * prism_unit_parse_number:
 * @text: “630 nm”, “0.1”
 * @number: (out): the number before the unit
 * @unit: (out): none where there is none
 *
 * Returns: whether it is a finite number and, at the most, a unit that is known
 */
gboolean
prism_unit_parse_number (const char *text,
                         double *number,
                         PrismUnit *unit)
{
  char *end;

  *unit = PRISM_UNIT_BARE;
  *number = g_ascii_strtod (text, &end);
  if (end == text || !isfinite (*number))
    return FALSE;
  while (g_ascii_isspace (*end))
    end++;
  return *end == '\0' || prism_unit_parse (end, strlen (end), unit);
}
