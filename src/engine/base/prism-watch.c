#include "config.h"

#include "base/prism-watch.h"

_Atomic (const PrismWatch *) prism_watch;
