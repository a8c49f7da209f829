#include "config.h"

#include "prism-test.h"

#ifdef PRISM_TEST_WIDGETS
#include "app/widget-test.h"
#else
#define widget_test_init(argc, argv) g_test_init (argc, argv, NULL)
#endif

int
main (int argc,
      char **argv)
{
  widget_test_init (&argc, &argv);
  return prism_test_run ();
}
