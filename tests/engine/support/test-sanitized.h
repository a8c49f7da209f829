/* test-sanitized: whether the thread sanitizer watches, under which a test takes ten to fifty times
 * as long and may have a shorter form. */
#pragma once

#ifdef __SANITIZE_THREAD__
#define IS_THREAD_SANITIZED TRUE
#else
#define IS_THREAD_SANITIZED FALSE
#endif
