/* A growable array of any type:  VEC(uint32_t) edges = {0};  if (!vec_push(&edges, 7, error)) ...
 * vec_free(&edges); */
#ifndef EXSCOPE_BASE_VEC_H
#define EXSCOPE_BASE_VEC_H

#include "base/memory.h"

#define VEC(type)                                                                                            \
    struct {                                                                                                 \
        type *items;                                                                                         \
        size_t count;                                                                                        \
        size_t capacity;                                                                                     \
    }

#define vec_reserve(vec, needed, error)                                                                      \
    mem_grow(&(vec)->items, &(vec)->capacity, (needed), sizeof *(vec)->items, (error))

#define vec_push(vec, value, error)                                                                          \
    (((vec)->count < (vec)->capacity || vec_reserve((vec), (vec)->count + 1, (error))) &&                    \
     ((vec)->items[(vec)->count++] = (value), true))

#define vec_clear(vec) ((void)((vec)->count = 0))

#define vec_free(vec) (mem_free((vec)->items), (vec)->items = NULL, (vec)->count = 0, (vec)->capacity = 0)

#endif
