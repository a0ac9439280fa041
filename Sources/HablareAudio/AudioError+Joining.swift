extension AudioError {
    static let joinerIsClosed = AudioError(
        code: .closed, message: "This joiner has already finished, failed or been cancelled. Create a new joiner.")

    static let noFrames = AudioError(code: .noFrames, message: "The audio is empty. Produce it again.")

    static let wavIsFull = AudioError(
        code: .tooLarge, message: "A WAV file cannot exceed 4 GiB. Write a .flac or .mp3 file, or several files.")

    static let encodingFailed = AudioError(
        code: .writeFailed, message: "The encoder failed. Try again, or write another format.")

    static func mismatch(
        _ code: Code, _ what: String, _ unit: String, _ expected: Int, _ found: Int
    ) -> AudioError {
        let unit = unit.isEmpty ? "" : " " + unit
        return AudioError(
            code: code,
            message: "The audio has \(what) \(found)\(unit), the first source has \(expected)\(unit); "
                + "produce all parts with the same voice and output format.",
            expected: expected, found: found)
    }

    static func unsupportedLayout(_ container: AudioContainer, _ decoder: AudioDecoder) -> AudioError {
        AudioError(
            code: .unsupportedLayout,
            message: "A .\(container.rawValue) file cannot have \(decoder.channelCount) channel(s) at "
                + "\(decoder.sampleRate) Hz; write .wav, or produce the audio in another output format.")
    }
}
