import SiftCore

extension ImagingPool {
    /// A worker's answer of another kind than the request. The line refuses these, so this is a defect of ours.
    static var nonsense: PhotoProcessingError {
        PhotoProcessingError(.processingFailed, cause: "an answer of another kind")
    }

    /// Returns the error of a decoder's failure.
    static func error(_ failure: ImagingAnswer.Failure, _ cause: String) -> PhotoProcessingError {
        switch failure {
        case .notAnImage:
            PhotoProcessingError(
                .processingFailed, message: "This file is not a photo that Sift can read.",
                advice: "Open it in another program, or decide about it without a picture.", cause: cause)
        case .tooLarge:
            PhotoProcessingError(
                .processingFailed, message: "This photo has too many pixels to be decoded safely.",
                advice: "Open it in another program, or decide about it without a picture.", cause: cause)
        case .damaged: PhotoProcessingError(.processingFailed, cause: cause)
        case .unreadable: PhotoProcessingError(.permissionMissing, cause: cause)
        case .readFailed: PhotoProcessingError(.needsNetwork, cause: cause)
        case .interrupted: PhotoProcessingError(.cancelled, cause: cause)
        case .noThumbnail:
            PhotoProcessingError(
                .processingFailed, message: "The camera stored no thumbnail in this photo.",
                advice: "Ask for a larger size.", cause: cause)
        }
    }

    /// Returns the error of a job whose worker ended; nil means that the pool is closed.
    static func error(_ end: PoolMachine.End?) -> PhotoProcessingError {
        switch end {
        case nil, .asked: PhotoProcessingError(.cancelled, cause: "the imaging pool is closed")
        case .timedOut:
            PhotoProcessingError(
                .processingFailed, message: "Decoding this photo took too long.",
                cause: "the time limit ended the worker")
        case .died: PhotoProcessingError(.processingFailed, cause: "the decoder ended unexpectedly")
        case .answeredNonsense(let what):
            PhotoProcessingError(.processingFailed, cause: "the decoder broke its protocol: \(what)")
        case .notStarted(let why):
            PhotoProcessingError(
                .processingFailed, message: "The program that decodes photos does not start.",
                advice: "Run `sift doctor`.", isRetryable: true, cause: why)
        }
    }
}
