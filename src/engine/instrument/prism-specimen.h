/* prism-specimen: drawn objects for simulated instruments, complex. Thread: any. */
#pragma once

#include "instrument/prism-instrument.h"

G_BEGIN_DECLS

void prism_specimen_draw (PrismSpecimen  kind,
                          double         phase,
                          guint64        seed,
                          float         *object,
                          guint          side);

G_END_DECLS
