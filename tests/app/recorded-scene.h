/* recorded-scene: frames of a small microscope, for what has to work without the telescope. */
#pragma once

#include "ptychography/prism-problem.h"

G_BEGIN_DECLS

#define RECORDED_SCENE_FRAMES 49

PrismProblem *recorded_scene_new (const char *folder);

G_END_DECLS
