#define _GNU_SOURCE
#include "sift_imaging.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vips/vips.h>

// ---------------------------------------------------------------------------------------------------------------------
// Errors

static _Thread_local char last_error[256];

static sift_status fail(sift_status status, const char *text) {
    size_t length = 0;
    for (const char *c = text; *c != 0 && length < sizeof(last_error) - 1; c++) {
        last_error[length++] = (*c >= 0x20 && *c < 0x7f) ? *c : ' ';
    }
    last_error[length] = 0;
    return status;
}

/// Takes the text that libvips left, so that its buffer never grows over the life of a process.
static sift_status fail_with_vips(sift_status status) {
    fail(status, vips_error_buffer());
    vips_error_clear();
    return status;
}

const char *sift_last_error(void) { return last_error; }

void sift_free(void *bytes) { g_free(bytes); }

// ---------------------------------------------------------------------------------------------------------------------
// Start

/// How often libvips said that it painted over pixels that it could not decode. It reports no error then.
static atomic_uint damage_reports;

static void take_message(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {
    (void)domain;
    (void)level;
    (void)data;
    if (message != NULL && (strstr(message, "error in tile") != NULL || strstr(message, "not enough data") != NULL)) {
        atomic_fetch_add(&damage_reports, 1);
    }
}

int sift_imaging_start(int threads) {
    // Images that are too large for their loader's stream stay in memory, where the process's limit applies.
    g_setenv("VIPS_DISC_THRESHOLD", "1000g", TRUE);
    g_log_set_default_handler(take_message, NULL);
    if (vips_init("sift") != 0) {
        fail_with_vips(SIFT_DAMAGED);
        return -1;
    }
    vips_concurrency_set(threads < 1 ? 1 : threads);
    vips_cache_set_max(0);
    vips_cache_set_max_mem(0);
    vips_cache_set_max_files(0);
    vips_leak_set(FALSE);

    vips_operation_block_set("VipsForeignLoad", TRUE);
    vips_operation_block_set("VipsForeignLoadJpeg", FALSE);
    vips_operation_block_set("VipsForeignLoadPng", FALSE);
    vips_operation_block_set("VipsForeignLoadWebp", FALSE);
    vips_operation_block_set("VipsForeignLoadHeif", FALSE);
    vips_operation_block_set("VipsForeignLoadNsgif", FALSE);
    vips_operation_block_set("VipsForeignLoadTiff", FALSE);
    // Last, so that it wins over the lines above where libvips distrusts one of these.
    vips_block_untrusted_set(TRUE);
    return 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading a descriptor
//
// A descriptor that came from another process shares its file offset with that process, so it is read with pread and an
// offset of our own.

typedef struct reader {
    int descriptor;
    gint64 start;
    gint64 offset;
    gint64 length;
    /// The errno of the first read that failed, or 0.
    int error;
} reader;

static gint64 read_source(VipsSourceCustom *source, void *buffer, gint64 length, reader *state) {
    (void)source;
    if (length <= 0 || state->offset >= state->length) { return 0; }
    gint64 wanted = VIPS_MIN(length, state->length - state->offset);
    for (;;) {
        ssize_t count = pread(state->descriptor, buffer, (size_t)wanted, (off_t)(state->start + state->offset));
        if (count < 0 && errno == EINTR) { continue; }
        if (count > 0) { state->offset += count; }
        if (count < 0 && state->error == 0) { state->error = errno; }
        return count;
    }
}

/// Replaces a status by that of a failed read, which explains it.
static sift_status explained(sift_status status, const reader *state) {
    return state->error == 0 ? status : fail(SIFT_READ_FAILED, strerror(state->error));
}

static gint64 seek_source(VipsSourceCustom *source, gint64 offset, int whence, reader *state) {
    (void)source;
    gint64 base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? state->offset : state->length;
    if (offset > G_MAXINT64 / 2 || offset < -(G_MAXINT64 / 2)) { return -1; }
    gint64 place = base + offset;
    if (place < 0) { return -1; }
    state->offset = place;
    return place;
}

/// `state` must outlive the source, and every image that reads from it.
static sift_status open_source(sift_part part, reader *state, VipsSource **source) {
    struct stat status;
    *source = NULL;
    if (fstat(part.descriptor, &status) != 0) { return fail(SIFT_UNREADABLE, strerror(errno)); }
    if (!S_ISREG(status.st_mode)) { return fail(SIFT_UNREADABLE, "not a regular file"); }
    uint64_t size = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    if (part.offset >= size) { return fail(SIFT_NOT_AN_IMAGE, "the file is empty, or ends before the image"); }
    uint64_t rest = size - part.offset;
    uint64_t length = part.length == 0 ? rest : VIPS_MIN(part.length, rest);
    *state = (reader){.descriptor = part.descriptor, .start = (gint64)part.offset, .length = (gint64)length};
    VipsSourceCustom *custom = vips_source_custom_new();
    if (custom == NULL) { return fail_with_vips(SIFT_UNREADABLE); }
    g_signal_connect(custom, "read", G_CALLBACK(read_source), state);
    g_signal_connect(custom, "seek", G_CALLBACK(seek_source), state);
    *source = VIPS_SOURCE(custom);
    return SIFT_OK;
}

// ---------------------------------------------------------------------------------------------------------------------
// Headers

static sift_format format_of_loader(const char *loader) {
    if (loader == NULL) { return SIFT_FORMAT_OTHER; }
    if (g_str_has_prefix(loader, "jpegload")) { return SIFT_FORMAT_JPEG; }
    if (g_str_has_prefix(loader, "pngload")) { return SIFT_FORMAT_PNG; }
    if (g_str_has_prefix(loader, "webpload")) { return SIFT_FORMAT_WEBP; }
    if (g_str_has_prefix(loader, "heifload")) { return SIFT_FORMAT_HEIF; }
    if (g_str_has_prefix(loader, "gifload")) { return SIFT_FORMAT_GIF; }
    if (g_str_has_prefix(loader, "tiffload")) { return SIFT_FORMAT_TIFF; }
    return SIFT_FORMAT_OTHER;
}

static bool is_within(VipsImage *image, const sift_limits *limits) {
    uint64_t width = (uint64_t)vips_image_get_width(image);
    uint64_t height = (uint64_t)vips_image_get_page_height(image);
    return width > 0 && height > 0 && width <= limits->maximum_pixels / height;
}

static sift_status open_header(VipsSource *source, const sift_limits *limits, VipsImage **image) {
    *image = vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    if (*image == NULL) { return fail_with_vips(SIFT_NOT_AN_IMAGE); }
    if (!is_within(*image, limits)) {
        g_clear_object(image);
        return fail(SIFT_TOO_LARGE, "the image has more pixels than the limit");
    }
    return SIFT_OK;
}

enum { MAXIMUM_EXIF = 1 << 20 };

sift_status sift_read_header(sift_part part, const sift_limits *limits, sift_header *header, sift_bytes *exif) {
    memset(header, 0, sizeof(*header));
    memset(exif, 0, sizeof(*exif));
    reader state;
    VipsSource *source = NULL;
    VipsImage *image = NULL;
    sift_status status = open_source(part, &state, &source);
    if (status != SIFT_OK) { return status; }
    status = open_header(source, limits, &image);
    if (status == SIFT_OK) {
        const char *loader = NULL;
        if (vips_image_get_string(image, VIPS_META_LOADER, &loader) != 0) { vips_error_clear(); }
        header->format = format_of_loader(loader);
        header->width = vips_image_get_width(image);
        header->height = vips_image_get_page_height(image);
        header->bands = vips_image_get_bands(image);
        header->bits_per_sample = (int32_t)(8 * vips_format_sizeof(vips_image_get_format(image)));
        header->orientation = vips_image_get_orientation(image);
        if (header->orientation < 1 || header->orientation > 8) { header->orientation = 1; }
        header->is_interlaced = vips_image_get_typeof(image, "interlaced") != 0;
        header->has_alpha = vips_image_hasalpha(image);
        header->has_profile = vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0;
        header->pages = vips_image_get_n_pages(image);
        const void *block = NULL;
        size_t length = 0;
        if (vips_image_get_typeof(image, VIPS_META_EXIF_NAME) != 0 &&
            vips_image_get_blob(image, VIPS_META_EXIF_NAME, &block, &length) == 0 && block != NULL && length > 0 &&
            length <= MAXIMUM_EXIF) {
            exif->bytes = g_try_malloc(length);
            if (exif->bytes != NULL) {
                memcpy(exif->bytes, block, length);
                exif->length = length;
            }
        }
        vips_error_clear();
        g_object_unref(image);
    }
    g_object_unref(source);
    return status == SIFT_OK ? status : explained(status, &state);
}

// ---------------------------------------------------------------------------------------------------------------------
// Interruption

static GMutex interruption;
/// Guarded by `interruption`. The image is borrowed from the decode that set it, which clears it before it frees it.
static VipsImage *watched_image;
static bool is_interrupted;

void sift_allow_decoding(void) {
    g_mutex_lock(&interruption);
    is_interrupted = false;
    g_mutex_unlock(&interruption);
}

void sift_interrupt(void) {
    g_mutex_lock(&interruption);
    is_interrupted = true;
    if (watched_image != NULL) { vips_image_set_kill(watched_image, TRUE); }
    g_mutex_unlock(&interruption);
}

/// Lets an interruption end the evaluation of `image`; null ends that. Returns whether there was an interruption.
static bool watch(VipsImage *image) {
    g_mutex_lock(&interruption);
    watched_image = image;
    bool interrupted = is_interrupted;
    if (image != NULL && interrupted) { vips_image_set_kill(image, TRUE); }
    g_mutex_unlock(&interruption);
    return interrupted;
}

// ---------------------------------------------------------------------------------------------------------------------
// Decoding

/// `converts`: use the profile in the file. Without one, libvips would assume a profile that is not sRGB.
static int thumbnail(VipsSource *source, int edge, bool rotates, bool converts, VipsFailOn fail_on,
                     VipsImage **result) {
    return converts ? vips_thumbnail_source(source, result, edge, "height", edge, "size", VIPS_SIZE_DOWN, "fail_on",
                                            fail_on, "no_rotate", !rotates, "export_profile", "srgb", NULL)
                    : vips_thumbnail_source(source, result, edge, "height", edge, "size", VIPS_SIZE_DOWN, "fail_on",
                                            fail_on, "no_rotate", !rotates, NULL);
}

/// Turns an image as its EXIF orientation says. Takes over `image`, and returns a new one or null.
static VipsImage *turned(VipsImage *image, int orientation) {
    watch(image);
    VipsImage *memory = vips_image_copy_memory(image);
    watch(NULL);
    g_object_unref(image);
    if (memory == NULL) { return NULL; }
    VipsImage *copy = NULL, *result = NULL;
    // A copy, because the header of a shared image must not be changed.
    int failed = vips_copy(memory, &copy, NULL);
    g_object_unref(memory);
    if (failed) { return NULL; }
    vips_image_set_int(copy, VIPS_META_ORIENTATION, orientation);
    failed = vips_autorot(copy, &result, NULL);
    g_object_unref(copy);
    return failed ? NULL : result;
}

/// Brings any image to three bands of 8-bit sRGB. Takes over `image`, and returns a new one or null.
static VipsImage *flattened(VipsImage *image) {
    VipsImage *next = NULL;
    if (vips_image_get_interpretation(image) != VIPS_INTERPRETATION_sRGB) {
        int failed = vips_colourspace(image, &next, VIPS_INTERPRETATION_sRGB, NULL);
        g_object_unref(image);
        if (failed) { return NULL; }
        image = next;
    }
    if (vips_image_hasalpha(image)) {
        VipsArrayDouble *white = vips_array_double_newv(1, 255.0);
        int failed = vips_flatten(image, &next, "background", white, "max_alpha", 255.0, NULL);
        vips_area_unref(VIPS_AREA(white));
        g_object_unref(image);
        if (failed) { return NULL; }
        image = next;
    }
    if (vips_image_get_format(image) != VIPS_FORMAT_UCHAR) {
        int failed = vips_cast_uchar(image, &next, NULL);
        g_object_unref(image);
        if (failed) { return NULL; }
        image = next;
    }
    int bands = vips_image_get_bands(image);
    if (bands != 3) {
        // libvips gives sRGB three bands, and extra ones beyond the transparency in odd files only.
        int failed = bands < 3 || vips_extract_band(image, &next, 0, "n", 3, NULL) != 0;
        g_object_unref(image);
        if (failed) { return NULL; }
        image = next;
    }
    return image;
}

/// Returns whether a call that succeeded left an error, as a JPEG that ends early does. The loader of HEIF asks for places
/// behind the end of a sound file.
static bool has_error_text(void) {
    for (const char *line = vips_error_buffer(); *line != 0;) {
        size_t length = strcspn(line, "\n");
        if (length > 0 && !g_str_has_prefix(line, "source_custom: bad seek")) { return true; }
        line += length + (line[length] != 0);
    }
    return false;
}

/// One decode with one strictness. libvips rewinds the source itself.
static sift_status decode_once(VipsSource *source, int edge, int orientation, bool converts, VipsFailOn fail_on,
                               sift_pixels *pixels) {
    VipsImage *image = NULL;
    vips_error_clear();
    unsigned reports = atomic_load(&damage_reports);
    if (thumbnail(source, edge, orientation == 0, converts, fail_on, &image) != 0) { return fail_with_vips(SIFT_DAMAGED); }
    image = flattened(image);
    if (image != NULL && orientation > 1) { image = turned(image, orientation); }
    if (image == NULL) {
        return fail_with_vips(watch(NULL) ? SIFT_INTERRUPTED : SIFT_DAMAGED);
    }
    size_t length = 0;
    watch(image);
    void *memory = vips_image_write_to_memory(image, &length);
    bool interrupted = watch(NULL);
    int width = vips_image_get_width(image);
    int height = vips_image_get_height(image);
    g_object_unref(image);
    if (interrupted) {
        g_free(memory);
        vips_error_clear();
        return fail(SIFT_INTERRUPTED, "the decode was interrupted");
    }
    if (memory == NULL) { return fail_with_vips(SIFT_DAMAGED); }
    if (length != (size_t)width * (size_t)height * 3) {
        g_free(memory);
        return fail(SIFT_DAMAGED, "the decoder returned another number of bytes");
    }
    if (fail_on != VIPS_FAIL_ON_NONE && (atomic_load(&damage_reports) != reports || has_error_text())) {
        g_free(memory);
        return fail_with_vips(SIFT_DAMAGED);
    }
    vips_error_clear();
    pixels->bytes = memory;
    pixels->width = width;
    pixels->height = height;
    return SIFT_OK;
}

sift_status sift_decode(sift_part part, int edge, int orientation, const sift_limits *limits, sift_pixels *pixels) {
    memset(pixels, 0, sizeof(*pixels));
    if (edge < 1 || edge > 65535 || orientation < 0 || orientation > 8) {
        return fail(SIFT_BAD_ARGUMENT, "edge is 1 to 65535, orientation 0 to 8");
    }
    reader state;
    VipsSource *source = NULL;
    VipsImage *header = NULL;
    sift_status status = open_source(part, &state, &source);
    if (status != SIFT_OK) { return status; }
    status = open_header(source, limits, &header);
    if (status == SIFT_OK) {
        int turn = orientation == 0 ? vips_image_get_orientation(header) : orientation;
        bool is_turned = turn >= 5 && turn <= 8;
        int width = vips_image_get_width(header);
        int height = vips_image_get_page_height(header);
        bool has_profile = vips_image_get_typeof(header, VIPS_META_ICC_NAME) != 0;
        g_object_unref(header);
        status = decode_once(source, edge, orientation, has_profile, VIPS_FAIL_ON_TRUNCATED, pixels);
        if (status == SIFT_DAMAGED) {
            // A person who judges a damaged photo wants to see what is left of it, also if its profile is broken.
            status = decode_once(source, edge, orientation, false, VIPS_FAIL_ON_NONE, pixels);
            pixels->is_damaged = status == SIFT_OK;
        }
        if (status == SIFT_OK) {
            pixels->full_width = is_turned ? height : width;
            pixels->full_height = is_turned ? width : height;
        }
    }
    g_object_unref(source);
    // Also a picture, because its rest is missing for a reason that may pass.
    status = explained(status, &state);
    if (status != SIFT_OK) {
        g_free(pixels->bytes);
        memset(pixels, 0, sizeof(*pixels));
    }
    return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Encoding

static bool is_sound(const sift_pixels *pixels) {
    return pixels->bytes != NULL && pixels->width >= 1 && pixels->width <= 65535 && pixels->height >= 1 &&
           pixels->height <= 65535;
}

/// The image borrows the pixels.
static VipsImage *image_of(const sift_pixels *pixels) {
    VipsImage *plain = vips_image_new_from_memory(pixels->bytes, (size_t)pixels->width * (size_t)pixels->height * 3,
                                                  pixels->width, pixels->height, 3, VIPS_FORMAT_UCHAR);
    if (plain == NULL) { return NULL; }
    VipsImage *coloured = NULL;
    int failed = vips_copy(plain, &coloured, "interpretation", VIPS_INTERPRETATION_sRGB, NULL);
    g_object_unref(plain);
    return failed ? NULL : coloured;
}

static sift_status encode(const sift_pixels *pixels, sift_format format, int quality, sift_bytes *encoded) {
    memset(encoded, 0, sizeof(*encoded));
    int lowest = format == SIFT_FORMAT_PNG ? 0 : 1;
    int highest = format == SIFT_FORMAT_PNG ? 9 : 100;
    if (!is_sound(pixels) || quality < lowest || quality > highest) {
        return fail(SIFT_BAD_ARGUMENT, "no pixels, or a quality outside its range");
    }
    VipsImage *image = image_of(pixels);
    if (image == NULL) { return fail_with_vips(SIFT_DAMAGED); }
    void *memory = NULL;
    size_t length = 0;
    int failed = -1;
    switch (format) {
    case SIFT_FORMAT_JPEG:
        failed = vips_jpegsave_buffer(image, &memory, &length, "Q", quality, "strip", TRUE, NULL);
        break;
    case SIFT_FORMAT_WEBP:
        failed = vips_webpsave_buffer(image, &memory, &length, "Q", quality, "effort", 1, "strip", TRUE, NULL);
        break;
    default:
        failed = vips_pngsave_buffer(image, &memory, &length, "compression", quality, "filter",
                                     VIPS_FOREIGN_PNG_FILTER_SUB, "strip", TRUE, NULL);
        break;
    }
    g_object_unref(image);
    if (failed || memory == NULL) { return fail_with_vips(SIFT_DAMAGED); }
    encoded->bytes = memory;
    encoded->length = length;
    return SIFT_OK;
}

sift_status sift_encode_jpeg(const sift_pixels *pixels, int quality, sift_bytes *encoded) {
    return encode(pixels, SIFT_FORMAT_JPEG, quality, encoded);
}

sift_status sift_encode_webp(const sift_pixels *pixels, int quality, sift_bytes *encoded) {
    return encode(pixels, SIFT_FORMAT_WEBP, quality, encoded);
}

sift_status sift_encode_png(const sift_pixels *pixels, int compression, sift_bytes *encoded) {
    return encode(pixels, SIFT_FORMAT_PNG, compression, encoded);
}

// ---------------------------------------------------------------------------------------------------------------------
// Features

/// Pillow's weights, which are those of ITU-R 601 in 16 bits.
static uint8_t luma(const uint8_t *pixel) {
    return (uint8_t)((pixel[0] * 19595u + pixel[1] * 38470u + pixel[2] * 7471u + 0x8000u) >> 16);
}

enum { PRECISION = 32 - 8 - 2 };

static double sinc(double x) { return x == 0.0 ? 1.0 : sin(x * M_PI) / (x * M_PI); }

static double lanczos(double x) { return x >= -3.0 && x < 3.0 ? sinc(x) * sinc(x / 3) : 0.0; }

typedef struct window {
    int first;
    int count;
} window;

/// The weights with which Pillow reduces `length` samples to `reduced`: `reduced` windows, and `*stride` weights for each
/// in fixed point. The caller frees both with `free`. Returns false where memory is short.
static bool make_weights(int length, int reduced, window **windows, int32_t **weights, int *stride) {
    double scale = (double)length / reduced;
    double filter_scale = scale < 1.0 ? 1.0 : scale;
    double support = 3.0 * filter_scale;
    *stride = (int)ceil(support) * 2 + 1;
    *windows = malloc(sizeof(window) * (size_t)reduced);
    *weights = malloc(sizeof(int32_t) * (size_t)reduced * (size_t)*stride);
    double *exact = malloc(sizeof(double) * (size_t)*stride);
    if (*windows == NULL || *weights == NULL || exact == NULL) {
        free(*windows);
        free(*weights);
        free(exact);
        *windows = NULL;
        *weights = NULL;
        return false;
    }
    for (int index = 0; index < reduced; index++) {
        double center = (index + 0.5) * scale;
        double inverse = 1.0 / filter_scale;
        int first = (int)(center - support + 0.5);
        if (first < 0) { first = 0; }
        int last = (int)(center + support + 0.5);
        if (last > length) { last = length; }
        int count = last - first;
        double sum = 0.0;
        for (int tap = 0; tap < count; tap++) {
            exact[tap] = lanczos((tap + first - center + 0.5) * inverse);
            sum += exact[tap];
        }
        for (int tap = 0; tap < count; tap++) {
            double weight = sum != 0.0 ? exact[tap] / sum : exact[tap];
            double fixed = weight * (1 << PRECISION);
            (*weights)[index * *stride + tap] = (int32_t)(weight < 0 ? fixed - 0.5 : fixed + 0.5);
        }
        (*windows)[index] = (window){first, count};
    }
    free(exact);
    return true;
}

static uint8_t clipped(int32_t sum) {
    int32_t value = sum >> PRECISION;
    return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

/// Reduces the rows of `from`, which has `width × height` bytes, to `reduced` bytes each. Returns false where memory is
/// short.
static bool reduce_across(const uint8_t *from, int width, int height, int reduced, uint8_t *to) {
    // Pillow skips a direction that keeps its length; so do we, because the filter would soften it.
    if (width == reduced) {
        memcpy(to, from, (size_t)width * (size_t)height);
        return true;
    }
    window *windows = NULL;
    int32_t *weights = NULL;
    int stride = 0;
    if (!make_weights(width, reduced, &windows, &weights, &stride)) { return false; }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < reduced; x++) {
            const uint8_t *samples = from + (size_t)y * (size_t)width + (size_t)windows[x].first;
            const int32_t *weight = weights + (size_t)x * (size_t)stride;
            int32_t sum = 1 << (PRECISION - 1);
            for (int tap = 0; tap < windows[x].count; tap++) { sum += samples[tap] * weight[tap]; }
            to[(size_t)y * (size_t)reduced + (size_t)x] = clipped(sum);
        }
    }
    free(windows);
    free(weights);
    return true;
}

/// Reduces the columns of `from`, which has `width × height` bytes, to `reduced` bytes each. Returns false where memory is
/// short.
static bool reduce_down(const uint8_t *from, int width, int height, int reduced, uint8_t *to) {
    if (height == reduced) {
        memcpy(to, from, (size_t)width * (size_t)height);
        return true;
    }
    window *windows = NULL;
    int32_t *weights = NULL;
    int stride = 0;
    if (!make_weights(height, reduced, &windows, &weights, &stride)) { return false; }
    for (int y = 0; y < reduced; y++) {
        for (int x = 0; x < width; x++) {
            const uint8_t *samples = from + (size_t)windows[y].first * (size_t)width + (size_t)x;
            const int32_t *weight = weights + (size_t)y * (size_t)stride;
            int32_t sum = 1 << (PRECISION - 1);
            for (int tap = 0; tap < windows[y].count; tap++) {
                sum += samples[(size_t)tap * (size_t)width] * weight[tap];
            }
            to[(size_t)y * (size_t)width + (size_t)x] = clipped(sum);
        }
    }
    free(windows);
    free(weights);
    return true;
}

sift_status sift_reduce_grey(const sift_pixels *pixels, int width, int height, uint8_t *grey) {
    if (!is_sound(pixels) || grey == NULL || width < 1 || width > 64 || height < 1 || height > 64) {
        return fail(SIFT_BAD_ARGUMENT, "no pixels, or a reduction outside 1 to 64");
    }
    size_t count = (size_t)pixels->width * (size_t)pixels->height;
    uint8_t *whole = malloc(count);
    // Pillow 13 takes the columns first where they shrink, and by more than twice as many pixels as the rows. Each pass
    // rounds to whole numbers, so the order shows in the last bit.
    bool down_first = pixels->height > height && pixels->height - height > 2 * (pixels->width - width);
    uint8_t *half = malloc(down_first ? (size_t)pixels->width * (size_t)height : (size_t)width * (size_t)pixels->height);
    bool complete = whole != NULL && half != NULL;
    if (complete) {
        for (size_t index = 0; index < count; index++) { whole[index] = luma(pixels->bytes + index * 3); }
        complete = down_first ? reduce_down(whole, pixels->width, pixels->height, height, half) &&
                                    reduce_across(half, pixels->width, height, width, grey)
                              : reduce_across(whole, pixels->width, pixels->height, width, half) &&
                                    reduce_down(half, width, pixels->height, height, grey);
    }
    free(whole);
    free(half);
    return complete ? SIFT_OK : fail(SIFT_DAMAGED, "not enough memory");
}

sift_status sift_laplacian_variance(const sift_pixels *pixels, double *variance) {
    *variance = 0;
    if (!is_sound(pixels)) { return fail(SIFT_BAD_ARGUMENT, "no pixels"); }
    if (pixels->width < 3 || pixels->height < 3) { return SIFT_OK; }
    size_t width = (size_t)pixels->width;
    uint8_t *rows = malloc(width * 3);
    if (rows == NULL) { return fail(SIFT_DAMAGED, "not enough memory"); }
    int64_t sum = 0;
    double squares = 0;
    for (int y = 0; y < pixels->height; y++) {
        uint8_t *current = rows + (size_t)(y % 3) * width;
        const uint8_t *source = pixels->bytes + (size_t)y * width * 3;
        for (size_t x = 0; x < width; x++) { current[x] = luma(source + x * 3); }
        if (y < 2) { continue; }
        const uint8_t *above = rows + (size_t)((y - 2) % 3) * width;
        const uint8_t *middle = rows + (size_t)((y - 1) % 3) * width;
        int64_t row_squares = 0;
        for (size_t x = 1; x + 1 < width; x++) {
            int value = above[x] + current[x] + middle[x - 1] + middle[x + 1] - 4 * middle[x];
            sum += value;
            row_squares += (int64_t)value * value;
        }
        squares += (double)row_squares;
    }
    free(rows);
    double count = (double)(width - 2) * (double)(pixels->height - 2);
    double mean = (double)sum / count;
    *variance = squares / count - mean * mean;
    return SIFT_OK;
}

sift_status sift_md5(const uint8_t *bytes, size_t length, char digits[33]) {
    digits[0] = 0;
    gchar *text = g_compute_checksum_for_data(G_CHECKSUM_MD5, bytes, length);
    if (text == NULL) { return fail(SIFT_BAD_ARGUMENT, "no checksum"); }
    g_strlcpy(digits, text, 33);
    g_free(text);
    return SIFT_OK;
}
