/// A kind of audio file that can be written. All samples have 16 bits.
public enum AudioContainer: String, Sendable, CaseIterable {
    /// Uncompressed audio. A file must be smaller than 4 GiB. This is 27 hours of one channel at 22,050 Hz.
    case wav
    /// Audio with lossless compression. A file has up to 8 channels.
    case flac
    /// Audio with lossy compression at a variable bit rate. A file has one or two channels. The sample rate must be
    /// 8,000, 11,025, 12,000, 16,000, 22,050, 24,000, 32,000, 44,100 or 48,000 Hz.
    case mp3

    /// Creates the kind for a file extension.
    ///
    /// - Parameter fileExtension: The extension without its dot, in upper or lower case.
    /// - Throws: ``AudioError`` with code `unsupportedContainer`. Its message lists the allowed extensions.
    public init(fileExtension: String) throws(AudioError) {
        guard let container = AudioContainer(rawValue: fileExtension.lowercased()) else {
            let allowed = Self.allCases.map { "." + $0.rawValue }.joined(separator: ", ")
            let problem =
                fileExtension.isEmpty
                ? "The name of the audio file has no extension" : "No .\(fileExtension) file can be written"
            throw AudioError(code: .unsupportedContainer, message: "\(problem): use one of \(allowed).")
        }
        self = container
    }

    /// The maximum number of sample bytes in one file. The size fields of a WAV file have 32 bits and also count a part
    /// of the header. Of a larger file, players would play only the beginning.
    var maximumSampleBytes: Int64 {
        switch self {
        case .wav: Int64(UInt32.max) - 4_096
        case .flac, .mp3: .max
        }
    }

    /// Returns whether the format supports this sample rate and this number of channels. The encoder may have further
    /// restrictions, which are not checked here.
    ///
    /// If a sample rate is not supported by MP3, libsndfile would also refuse it, but would leak its encoder. Therefore
    /// this method checks the rate first.
    func allows(sampleRate: Int, channelCount: Int) -> Bool {
        switch self {
        case .wav: true
        case .flac: channelCount <= 8
        case .mp3: channelCount <= 2 && Self.mp3SampleRates.contains(sampleRate)
        }
    }

    private static let mp3SampleRates: Set<Int> = [
        8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000,
    ]
}
