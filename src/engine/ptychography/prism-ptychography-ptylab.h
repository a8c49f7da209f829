/* prism-ptychography-ptylab: what explained recorded frames, as a file that PtyLab opens.
 * Thread: any. */
#pragma once

#include "ptychography/prism-ptychography.h"

G_BEGIN_DECLS

gboolean prism_ptychography_ptylab_save (PrismPtychography     *self,
                                         const PrismRecording  *recording,
                                         const GArray          *progress,
                                         float                 *object,
                                         const char            *path,
                                         GError               **error);

G_END_DECLS
