/* recorded-scene: frames as a camera would record them, for what has to work without the
 * telescope. */
#pragma once

#include "measure/prism-scene.h"

G_BEGIN_DECLS

PrismConfig *recorded_scene_new_config (void);
PrismScene  *recorded_scene_new        (const PrismConfig *config,
                                        gboolean           with_target);

G_END_DECLS
