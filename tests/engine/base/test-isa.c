#include "base/prism-isa.h"
#include "prism-test.h"

TEST (choice, "/engine/isa/choice")
{
  g_unsetenv ("PRISM_ISA");
  PrismIsa best = prism_isa_get ();
  g_assert_null (prism_isa_dup_notice ());
  for (PrismIsa isa = PRISM_ISA_BASELINE; isa < PRISM_N_ISAS; isa++)
    {
      g_setenv ("PRISM_ISA", prism_isa_get_id (isa), TRUE);
      g_assert_cmpint (prism_isa_get (), ==, isa <= best ? isa : best);
      g_autofree char *notice = prism_isa_dup_notice ();
      g_assert_true ((notice == NULL) == (isa <= best));
      g_assert_nonnull (prism_isa_get_name (isa));
    }
  g_unsetenv ("PRISM_ISA");
}

TEST (unknown, "/engine/isa/unknown")
{
  PrismIsa best = prism_isa_get ();

  g_setenv ("PRISM_ISA", "abacus", TRUE);
  g_assert_cmpint (prism_isa_get (), ==, best);
  g_autofree char *notice = prism_isa_dup_notice ();
  HAS (notice, "“abacus”", "baseline. The program uses ");
  g_setenv ("PRISM_ISA", "", TRUE);
  g_assert_null (prism_isa_dup_notice ());
  g_unsetenv ("PRISM_ISA");
}
