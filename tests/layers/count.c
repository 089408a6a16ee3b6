/* SPDX-License-Identifier: Apache-2.0 */
/** @file count.c The layer that counts the application's references to OpenCL objects (layers.h). */
#include "layer.h"
#include <pthread.h>
#include <stdlib.h>

struct object {
    const void *handle;
    enum clp_kind kind;
    size_t references;
    const char *made_by;
};

static const char *const kind_names[CLP_KIND_COUNT] = {"device",  "context", "queue", "buffer",
                                                       "program", "kernel",  "event"};

/* Few objects are alive at once, so a plain array, searched from its young end, is quick enough. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *objects;
static size_t live, capacity, misuses;

/* With the lock held. Returns `live` if there is no such object. */
static size_t find(const void *handle) {
    for (size_t i = live; i-- > 0;) {
        if (objects[i].handle == handle) {
            return i;
        }
    }
    return live;
}

/* One more reference to an object that this very call made, or to a device, which nobody makes. */
static void add(enum clp_kind kind, const void *handle, const char *made_by) {
    pthread_mutex_lock(&lock);
    size_t i = find(handle);
    if (i == live) {
        if (live == capacity) {
            capacity = capacity == 0 ? 64 : 2 * capacity;
            objects = realloc(objects, capacity * sizeof(*objects));
            if (objects == NULL) {
                abort();
            }
        }
        objects[live++] = (struct object){handle, kind, 0, made_by};
    }
    objects[i].references++;
    pthread_mutex_unlock(&lock);
}

static bool is_live(const void *handle) {
    pthread_mutex_lock(&lock);
    bool found = find(handle) != live;
    misuses += found ? 0 : 1;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Before the release itself: after it another thread may get the same handle for a new object. */
static bool drop(const void *handle) {
    pthread_mutex_lock(&lock);
    size_t i = find(handle);
    bool found = i != live;
    if (!found) {
        misuses++;
    } else if (--objects[i].references == 0) {
        objects[i] = objects[--live];
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* Sums over objects of one kind, or of all kinds if kind is CLP_KIND_COUNT. */
static size_t sum(enum clp_kind kind, bool of_references) {
    size_t total = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < live; i++) {
        if (kind == CLP_KIND_COUNT || objects[i].kind == kind) {
            total += of_references ? objects[i].references : 1;
        }
    }
    pthread_mutex_unlock(&lock);
    return total;
}

size_t clp_count_live(enum clp_kind kind) {
    return sum(kind, false);
}

size_t clp_count_total_live(void) {
    return sum(CLP_KIND_COUNT, false);
}

size_t clp_count_references(enum clp_kind kind) {
    return sum(kind, true);
}

size_t clp_count_total_references(void) {
    return sum(CLP_KIND_COUNT, true);
}

size_t clp_count_misuses(void) {
    pthread_mutex_lock(&lock);
    size_t n = misuses;
    pthread_mutex_unlock(&lock);
    return n;
}

void clp_count_report(FILE *to) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < live; i++) {
        fprintf(to, "%s %p: %zu reference(s), made by %s\n", kind_names[objects[i].kind], objects[i].handle,
                objects[i].references, objects[i].made_by);
    }
    pthread_mutex_unlock(&lock);
}

#define COUNT_CREATE(kind, type, name, parameters, arguments)                                                \
    static type CL_API_CALL count_##name parameters {                                                        \
        type made = clp_layer_next->name arguments;                                                          \
        if (made != NULL) {                                                                                  \
            add(kind, made, #name);                                                                          \
        }                                                                                                    \
        return made;                                                                                         \
    }

#define COUNT_ENQUEUE(name, parameters, arguments)                                                           \
    static cl_int CL_API_CALL count_##name parameters {                                                      \
        cl_int status = clp_layer_next->name arguments;                                                      \
        if (status == CL_SUCCESS && event != NULL) {                                                         \
            add(CLP_KIND_EVENT, *event, #name);                                                              \
        }                                                                                                    \
        return status;                                                                                       \
    }

#define COUNT_MAP(name, parameters, arguments)                                                               \
    static void *CL_API_CALL count_##name parameters {                                                       \
        void *host = clp_layer_next->name arguments;                                                         \
        if (host != NULL && event != NULL) {                                                                 \
            add(CLP_KIND_EVENT, *event, #name);                                                              \
        }                                                                                                    \
        return host;                                                                                         \
    }

/*
 * A handle that is not live is not handed on: the implementation would touch freed memory. A device is
 * the exception, its first retain makes it count.
 */
#define COUNT_RETAIN_RELEASE(kind, type, suffix)                                                             \
    static cl_int CL_API_CALL count_clRetain##suffix(type object) {                                          \
        if (kind != CLP_KIND_DEVICE && !is_live(object)) {                                                   \
            return CL_INVALID_VALUE;                                                                         \
        }                                                                                                    \
        cl_int status = clp_layer_next->clRetain##suffix(object);                                            \
        if (status == CL_SUCCESS) {                                                                          \
            add(kind, object, "clRetain" #suffix);                                                           \
        }                                                                                                    \
        return status;                                                                                       \
    }                                                                                                        \
    static cl_int CL_API_CALL count_clRelease##suffix(type object) {                                         \
        return drop(object) ? clp_layer_next->clRelease##suffix(object) : CL_INVALID_VALUE;                  \
    }

CLP_CREATE_CALLS(COUNT_CREATE)
CLP_ENQUEUE_CALLS(COUNT_ENQUEUE)
CLP_MAP_CALLS(COUNT_MAP)
CLP_COUNTED_TYPES(COUNT_RETAIN_RELEASE)

void clp_layer_fill(cl_icd_dispatch *table) {
#define FORWARD(name, parameters, arguments)            table->name = clp_layer_next->name;
#define FILL(name, parameters, arguments)               table->name = count_##name;
#define FILL_CREATE(kind, type, name, parameters, args) table->name = count_##name;
#define FILL_COUNTED(kind, type, suffix)                                                                     \
    table->clRetain##suffix = count_clRetain##suffix;                                                        \
    table->clRelease##suffix = count_clRelease##suffix;
    CLP_STATUS_CALLS(FORWARD)
    CLP_ENQUEUE_CALLS(FILL)
    CLP_MAP_CALLS(FILL)
    CLP_CREATE_CALLS(FILL_CREATE)
    CLP_COUNTED_TYPES(FILL_COUNTED)
}
