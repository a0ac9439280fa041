/// A kind of audio file that can be written. Samples are 16 bits wide.
public enum AudioContainer: String, Sendable, CaseIterable {
    /// Uncompressed; below 4 GiB, which is 27 hours of one channel at 22,050 Hz.
    case wav
    /// Compressed without loss; up to 8 channels.
    case flac
    /// Compressed with loss, at a variable bit rate; one or two channels, and no sample rate but 8,000, 11,025, 12,000,
    /// 16,000, 22,050, 24,000, 32,000, 44,100 and 48,000 Hz.
    case mp3

    /// The kind that a file extension stands for.
    ///
    /// - Parameter fileExtension: the extension without its dot, in upper or lower case.
    /// - Throws: ``AudioError`` with code `unsupportedContainer`, whose message names the allowed ones.
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

    /// The most bytes of samples that one file may have. The size fields of a WAV file have 32 bits and count a part of
    /// the header too; beyond that, players would hear the beginning only.
    var maximumSampleBytes: Int64 {
        switch self {
        case .wav: Int64(UInt32.max) - 4_096
        case .flac, .mp3: .max
        }
    }

    /// Whether the format has this sample rate and number of channels, as far as it is known without the encoder.
    ///
    /// libsndfile would refuse a sample rate that MP3 does not have as well, but leaks its encoder when it does.
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
