#pragma once

// The calls of libvips that Sift uses, and two of the kernel's that Swift cannot make: descriptors in messages, and
// limits of a process. Swift cannot call libvips's variadic functions, so each is called here with fixed arguments.
//
// Contract of every function, unless its comment says otherwise:
// - Thread: any thread, several at once, but only after `sift_imaging_start` returned 0.
// - Descriptors are borrowed: never closed, never written, and their file offset is neither used nor moved.
// - Buffers that a function hands out belong to the caller, who frees them with `sift_free`. After a failure there are
//   none, and the out parameters are zero.
// - Bounds: nothing is read outside the given lengths; sizes that come from a file are checked before they are used.
// - A failure is a `sift_status` other than `SIFT_OK`; its text is in `sift_last_error`.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sift_status {
    SIFT_OK = 0,
    /// The bytes are no image of an allowed format.
    SIFT_NOT_AN_IMAGE = 1,
    /// The image has more pixels than the limit.
    SIFT_TOO_LARGE = 2,
    /// The decoder gave up, or an encoder failed.
    SIFT_DAMAGED = 3,
    /// The descriptor is no regular file, or cannot be read.
    SIFT_UNREADABLE = 4,
    /// An argument is outside its range.
    SIFT_BAD_ARGUMENT = 5,
    /// `sift_interrupt` was called.
    SIFT_INTERRUPTED = 6,
    /// The file could not be read to its end: the medium or the network failed. Nothing is known about the image.
    SIFT_READ_FAILED = 7,
} sift_status;

typedef enum sift_format {
    SIFT_FORMAT_OTHER = 0,
    SIFT_FORMAT_JPEG = 1,
    SIFT_FORMAT_PNG = 2,
    SIFT_FORMAT_WEBP = 3,
    SIFT_FORMAT_HEIF = 4,
    SIFT_FORMAT_GIF = 5,
    SIFT_FORMAT_TIFF = 6,
} sift_format;

/// Limits of one decode.
typedef struct sift_limits {
    /// The largest allowed product of width and height, before any shrinking.
    uint64_t maximum_pixels;
} sift_limits;

/// A part of a file: `length` bytes from `offset`. A length of 0 means all bytes from `offset` on.
typedef struct sift_part {
    int descriptor;
    uint64_t offset;
    uint64_t length;
} sift_part;

/// What a header says.
typedef struct sift_header {
    int32_t width;
    int32_t height;
    int32_t bands;
    int32_t bits_per_sample;
    sift_format format;
    /// 1 to 8 as in EXIF; 1 where the file says nothing or something else.
    int32_t orientation;
    bool is_interlaced;
    bool has_alpha;
    bool has_profile;
    int32_t pages;
} sift_header;

/// Decoded pixels: 8-bit sRGB, red, green and blue interleaved, no padding; `width × height × 3` bytes.
typedef struct sift_pixels {
    uint8_t *bytes;
    int32_t width;
    int32_t height;
    /// The decoder met damage and filled the rest. Also true if another thread decoded a damaged image meanwhile, because
    /// libvips reports it for the whole process.
    bool is_damaged;
    /// The size before shrinking, with the orientation applied.
    int32_t full_width;
    int32_t full_height;
} sift_pixels;

/// Encoded bytes.
typedef struct sift_bytes {
    uint8_t *bytes;
    size_t length;
} sift_bytes;

/// Starts libvips with safe settings: no operation cache, `threads` threads, no temporary files, loaders of JPEG, PNG,
/// WebP, HEIF, GIF and TIFF only, and none that libvips calls untrusted. Its messages are dropped, not printed.
/// Call it once in a process, before other threads use this library. Returns 0, or -1 if libvips does not start.
int sift_imaging_start(int threads);

/// Returns the text of this thread's last failure, at most 255 bytes of printable ASCII. Valid until this thread's next
/// call into this library.
const char *sift_last_error(void);

/// Frees what another function handed out. Null is allowed.
void sift_free(void *bytes);

/// Reads the header of an image without decoding its pixels. `exif` gets the image's EXIF block, at most 1 MiB, or no
/// bytes where it has none.
sift_status sift_read_header(sift_part part, const sift_limits *limits, sift_header *header, sift_bytes *exif);

/// Decodes an image so that it fits into a square of `edge` pixels: never enlarged, never cropped, converted to sRGB,
/// transparency on white; the first frame of an animation. JPEG and WebP are shrunk while they load. `edge` is 1 to
/// 65,535. `orientation` is that of EXIF, 1 to 8, or 0 for what libvips finds in the file. The result holds at most
/// `edge × edge × 3` bytes.
sift_status sift_decode(sift_part part, int edge, int orientation, const sift_limits *limits, sift_pixels *pixels);

/// Allows decodes again after an interruption.
void sift_allow_decoding(void);

/// Ends the decode that runs in this process, and lets each later one fail, until `sift_allow_decoding`. A decoder that
/// works on the whole image at once ends only after that. For a process that decodes one image at a time.
void sift_interrupt(void);

/// Encodes pixels as baseline JPEG of `quality` 1 to 100, without metadata.
sift_status sift_encode_jpeg(const sift_pixels *pixels, int quality, sift_bytes *encoded);

/// Encodes pixels as lossy WebP of `quality` 1 to 100, without metadata. The larger edge is at most 16,383.
sift_status sift_encode_webp(const sift_pixels *pixels, int quality, sift_bytes *encoded);

/// Encodes pixels as 8-bit PNG without interlacing and metadata; `compression` is 0 to 9.
sift_status sift_encode_png(const sift_pixels *pixels, int compression, sift_bytes *encoded);

/// Returns in `grey` the pixels' luma reduced to `width × height` bytes, row by row. Luma and reduction have the
/// rounding of Pillow's `convert("L")` and `resize((width, height), LANCZOS)`, which ImageHash uses, so hashes are equal.
/// Needs no start. `width` and `height` are 1 to 64; `grey` is the caller's and holds `width × height` bytes.
sift_status sift_reduce_grey(const sift_pixels *pixels, int width, int height, uint8_t *grey);

/// Returns the variance of the 4-neighbour Laplacian over the pixels' luma, without the outermost rows and columns; 0 for
/// images smaller than 3 × 3. Needs no start.
sift_status sift_laplacian_variance(const sift_pixels *pixels, double *variance);

/// Writes the 32 lowercase hexadecimal digits of the MD5 of `length` bytes, and a zero byte, to `digits`. The file name of
/// a thumbnail in the freedesktop cache is made of it; it protects nothing. Needs no start.
sift_status sift_md5(const uint8_t *bytes, size_t length, char digits[33]);

/// Sends `length` bytes over the socket, at least one, and `descriptor` with the first of them unless it is -1. Blocks.
/// Never raises SIGPIPE. Returns 0, or an errno. Needs no start; one thread per direction of a socket.
int sift_send(int socket, const uint8_t *bytes, size_t length, int descriptor);

/// Receives 1 to `capacity` bytes, and a descriptor if one came with them (else -1), which the caller closes and which is
/// not inherited by programs. Waits at most `milliseconds`, or for ever if negative. Returns 0 with `*received` 0 at the
/// end of the stream, or an errno: `ETIMEDOUT`, or that of the kernel. Needs no start; one thread per direction.
int sift_receive(int socket, uint8_t *bytes, size_t capacity, int milliseconds, size_t *received, int *descriptor);

/// Makes a pair of connected stream sockets, not inherited by programs. Returns 0, or an errno. Needs no start.
int sift_socket_pair(int sockets[2]);

/// Starts the program at `path` with `socket` as its standard input and output, /dev/null as its standard error unless
/// `keeps_error`, no other descriptor, and the given arguments and environment (each ends with a null pointer).
/// Returns 0 and the process in `*process`, or an errno. Needs no start.
int sift_spawn(const char *path, char *const arguments[], char *const environment[], int socket, bool keeps_error,
               int *process);

/// Limits this process for good: no core dump, no byte written to any file, at most `descriptors` open files, at most
/// `data_bytes` of private memory (0: no limit), no new privileges by programs. Returns 0, or an errno. Needs no start.
int sift_limit_process(uint64_t data_bytes, uint64_t descriptors);

/// Allows all threads of this process, for good, only the calls that a decoder needs: memory, threads, time, and reading and
/// writing descriptors that are open. All other calls fail with EPERM, such as those that open or change files by a path,
/// make sockets, start, trace or signal processes, and those of later kernels. Returns 0; ENOSYS on kernels and processors
/// for which there is no filter; or another errno. Call `sift_limit_process` first. Needs no start.
int sift_confine_process(void);

/// Allows this process `seconds` more of processor time; then the kernel ends it. Replaces an earlier allowance.
/// Returns 0, or an errno. Needs no start.
int sift_allow_processor_time(uint64_t seconds);

/// Waits until the other end of `socket` is closed. Returns 0 then, or an errno. Reads nothing. Needs no start.
int sift_wait_for_hangup(int socket);

/// Limits the memory that the C library keeps after the process has freed it: two arenas for all threads, and parts of
/// 128 KiB or more go back to the system at once. Call it before the first thread starts. Needs no `sift_imaging_start`.
void sift_limit_memory(void);

#ifdef __cplusplus
}
#endif
