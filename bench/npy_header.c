/* SPDX-License-Identifier: Apache-2.0 */
#include "npy_header.h"

#include <stdio.h>
#include <string.h>

static const struct {
    char descr[4];
    clp_type type;
} descrs[] = {
    {"|i1", CLP_I8},  {"|u1", CLP_U8},  {"<i2", CLP_I16}, {"<u2", CLP_U16},
    {"<i4", CLP_I32}, {"<u4", CLP_U32}, {"<i8", CLP_I64}, {"<u8", CLP_U64},
    {"<f2", CLP_F16}, {"<f4", CLP_F32}, {"<f8", CLP_F64},
};

const char *npy_descr(clp_type type) {
    for (size_t i = 0; i < sizeof descrs / sizeof *descrs; i++)
        if (descrs[i].type == type)
            return descrs[i].descr;
    return NULL;
}

/* What is left of the text. Every step looks at `at < end` first, so no text can lead outside. */
struct cursor {
    const char *at, *end;
    char *message;
};

static bool fail(struct cursor *c, const char *what) {
    snprintf(c->message, NPY_MESSAGE_SIZE, "corrupt header: %s", what);
    return false;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Skips white space, then takes `wanted` if it is next. */
static bool take(struct cursor *c, char wanted) {
    while (c->at < c->end && is_space(*c->at))
        c->at++;
    if (c->at == c->end || *c->at != wanted)
        return false;
    c->at++;
    return true;
}

static bool take_word(struct cursor *c, const char *word) {
    const size_t length = strlen(word);
    while (c->at < c->end && is_space(*c->at))
        c->at++;
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* A string in either quote; the format needs no escapes, so a backslash is refused. */
static bool take_string(struct cursor *c, char *text, size_t size) {
    const char quote = take(c, '\'') ? '\'' : take(c, '"') ? '"' : '\0';
    size_t length = 0;
    if (quote == '\0')
        return fail(c, "a string is missing");
    for (; c->at < c->end && *c->at != quote; c->at++) {
        const char byte = *c->at;
        if (byte < ' ' || byte > '~' || byte == '\\' || length + 1 >= size)
            return fail(c, "a string is too long or holds odd characters");
        text[length++] = byte;
    }
    text[length] = '\0';
    return take(c, quote) || fail(c, "a string does not end");
}

/* One dimension; Python 2 wrote an L after long numbers. */
static bool take_number(struct cursor *c, size_t *number) {
    const char *first = c->at;
    *number = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        const size_t digit = (size_t)(*c->at - '0');
        if (*number > (SIZE_MAX - digit) / 10)
            return fail(c, "a dimension is too large");
        *number = *number * 10 + digit;
    }
    if (c->at == first)
        return fail(c, "a dimension is not a whole number");
    (void)take(c, 'L');
    return true;
}

static bool take_shape(struct cursor *c, struct npy *array) {
    if (!take(c, '('))
        return fail(c, "'shape' is not a tuple");
    array->dimension_count = 0;
    while (!take(c, ')')) {
        if (array->dimension_count == NPY_MAX_DIMENSIONS)
            return fail(c, "more than 32 dimensions");
        if (!take_number(c, &array->shape[array->dimension_count++]))
            return false;
        if (!take(c, ',')) {
            /* `(5)` is a number, not a tuple; NumPy writes `(5,)`. Nobody can mean anything else by it. */
            if (take(c, ')'))
                return true;
            return fail(c, "'shape' is not a tuple of whole numbers");
        }
    }
    return true;
}

/* Refuses what cannot be reduced, and says what it is rather than "not supported". */
static bool take_descr(struct cursor *c, struct npy *array) {
    char descr[32];
    const char *what = "an unknown element type";
    if (take(c, '[')) {
        snprintf(c->message, NPY_MESSAGE_SIZE, "structured elements are not supported");
        return false;
    }
    if (!take_string(c, descr, sizeof descr))
        return false;
    if (descr[0] == '=')
        descr[0] = '<'; /* "native": NumPy never writes it, other programs do */
    if (array->takes_booleans && strcmp(descr, "|b1") == 0) {
        array->type = CLP_U8;
        return true;
    }
    for (size_t i = 0; i < sizeof descrs / sizeof *descrs; i++) {
        const bool one_byte = descrs[i].descr[2] == '1';
        if (strcmp(descr + (descr[0] != '\0'), descrs[i].descr + 1) != 0)
            continue;
        if (descr[0] == descrs[i].descr[0] || (one_byte && (descr[0] == '<' || descr[0] == '>'))) {
            array->type = descrs[i].type;
            return true;
        }
        if (descr[0] == '>')
            what = "big-endian; convert it with a.astype(a.dtype.newbyteorder('<'))";
    }
    if (descr[0] != '\0') {
        switch (descr[1]) {
        case 'O':
            what = "Python objects";
            break;
        case 'b':
            what = "Booleans";
            break;
        case 'c':
            what = "complex numbers";
            break;
        case 'S':
        case 'U':
        case 'a':
            what = "text";
            break;
        case 'M':
        case 'm':
            what = "dates or times";
            break;
        case 'V':
            what = "raw or structured data";
            break;
        case 'f':
            what = descr[0] == '>' ? what : "floats of an unusual size";
            break;
        default:
            break;
        }
    }
    snprintf(c->message, NPY_MESSAGE_SIZE, "elements of dtype '%s' are not supported (%s)", descr, what);
    return false;
}

/* Both sizes must fit: the number of elements and the number of bytes. */
static bool count_elements(struct cursor *c, struct npy *array) {
    size_t room = (SIZE_MAX / 2) / clp_type_size(array->type);
    bool empty = false;
    for (size_t i = 0; i < array->dimension_count; i++)
        empty = empty || array->shape[i] == 0;
    array->count = empty ? 0 : 1;
    for (size_t i = 0; i < array->dimension_count && !empty; i++) {
        if (array->shape[i] > room)
            return fail(c, "the shape is larger than memory can be");
        room /= array->shape[i];
        array->count *= array->shape[i];
    }
    return true;
}

bool npy_parse_header(const char *text, size_t length, struct npy *array, char *message) {
    struct cursor c = {text, text + length, message};
    bool has_descr = false, has_order = false, has_shape = false, fortran = false;
    size_t long_dimensions = 0;
    if (!take(&c, '{'))
        return fail(&c, "it does not start with '{'");
    while (!take(&c, '}')) {
        char key[32];
        if (!take_string(&c, key, sizeof key))
            return false;
        if (!take(&c, ':'))
            return fail(&c, "a ':' is missing");
        if (strcmp(key, "descr") == 0 && !has_descr) {
            has_descr = true;
            if (!take_descr(&c, array))
                return false;
        } else if (strcmp(key, "fortran_order") == 0 && !has_order) {
            has_order = true;
            fortran = take_word(&c, "True");
            if (!fortran && !take_word(&c, "False"))
                return fail(&c, "'fortran_order' is neither True nor False");
        } else if (strcmp(key, "shape") == 0 && !has_shape) {
            has_shape = true;
            if (!take_shape(&c, array))
                return false;
        } else {
            return fail(&c, "an unknown or repeated entry");
        }
        if (!take(&c, ',')) {
            if (take(&c, '}'))
                break;
            return fail(&c, "a ',' or '}' is missing");
        }
    }
    if (take(&c, '\0') || (c.at < c.end && !is_space(*c.at)))
        return fail(&c, "text after '}'");
    if (!has_descr || !has_order || !has_shape)
        return fail(&c, "'descr', 'fortran_order' or 'shape' is missing");
    for (size_t i = 0; i < array->dimension_count; i++)
        long_dimensions += array->shape[i] > 1;
    if (fortran && long_dimensions > 1) {
        snprintf(message, NPY_MESSAGE_SIZE,
                 "it is in Fortran order; save numpy.ascontiguousarray(a) instead");
        return false;
    }
    return count_elements(&c, array);
}
