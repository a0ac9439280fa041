#include <opus.h>

// Swift cannot call functions with a variable number of arguments.
static inline int lectern_opus_set_bitrate(OpusEncoder *encoder, opus_int32 bits_per_second) {
    return opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bits_per_second));
}

static inline int lectern_opus_set_complexity(OpusEncoder *encoder, opus_int32 complexity) {
    return opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
}

static inline int lectern_opus_set_prediction_disabled(OpusEncoder *encoder, opus_int32 disabled) {
    return opus_encoder_ctl(encoder, OPUS_SET_PREDICTION_DISABLED(disabled));
}
