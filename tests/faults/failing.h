/* Whether failing.c can let the program's calls fail. */
#ifndef EXSCOPE_TESTS_FAILING_H
#define EXSCOPE_TESTS_FAILING_H

#include <features.h>
#include <stdbool.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define FAILING_SANITIZED 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define FAILING_SANITIZED 1
#endif

#if defined __GLIBC__ && !defined FAILING_SANITIZED
#define FAILING_WORKS 1
#else
#define FAILING_WORKS 0
#endif

#endif
