/// The times at which the parts of a text are heard in a narrated audio file.
///
/// Times are in seconds and rounded to a microsecond. So the same clips give the same file on every machine.
public struct Timeline: Sendable, Equatable, Codable {
    /// A segment of the text, and the time at which it is heard.
    public struct Entry: Sendable, Equatable, Codable {
        /// The segment's index among the segments of the text, from 0.
        public let index: Int
        /// The segment's range in the text file.
        public let textRange: TextRange
        /// The start time in seconds from the beginning of the audio file.
        public let start: Double
        /// The duration in seconds.
        public let length: Double
    }

    /// A range of a text file, in bytes of UTF-8 from the beginning of the file.
    public struct TextRange: Sendable, Equatable, Codable {
        /// The first byte.
        public let start: Int
        /// The first byte after the range.
        public let end: Int
    }

    /// A segment of a text, and the frames of the audio file in which it is spoken.
    public struct Clip: Sendable, Equatable {
        /// The segment that is spoken.
        public let segment: TextSegment
        /// The first frame, from 0.
        public let startFrame: Int64
        /// The number of frames.
        public let frameCount: Int64

        /// Creates a clip. The clip is checked when a ``Timeline`` is created from it.
        public init(segment: TextSegment, startFrame: Int64, frameCount: Int64) {
            self.segment = segment
            self.startFrame = startFrame
            self.frameCount = frameCount
        }
    }

    /// The name of the audio file, without folders, so that the audio file and the timeline can be moved together.
    public let audioFile: String
    /// The sample rate in frames per second.
    public let sampleRate: Int
    /// The length of the whole audio file in seconds.
    public let seconds: Double
    /// The segments, in the order in which they are heard.
    public let entries: [Entry]

    /// Creates a timeline from frames.
    ///
    /// - Parameters:
    ///   - audioFile: The name of the audio file. Folders in the name are removed.
    ///   - sampleRate: The sample rate in frames per second, above 0.
    ///   - frameCount: The number of frames in the whole audio file.
    ///   - clips: The clips, in the order in which they are heard. There may be silence between them.
    /// - Throws: ``TextError`` with code `invalidTimeline` if a number is out of its range, or if clips overlap, run
    ///   backwards, or end after the end of the audio.
    public init(audioFile: String, sampleRate: Int, frameCount: Int64, clips: [Clip]) throws(TextError) {
        guard sampleRate > 0, frameCount >= 0 else {
            throw .timeline("\(sampleRate) Hz and \(frameCount) frames are not valid for an audio file.")
        }
        var entries: [Entry] = []
        entries.reserveCapacity(clips.count)
        var elapsed: Int64 = 0
        for clip in clips {
            guard clip.startFrame >= elapsed, clip.frameCount >= 0, clip.startFrame <= frameCount,
                clip.frameCount <= frameCount - clip.startFrame
            else {
                throw .timeline(
                    "Segment \(clip.segment.index) overlaps the segment before it, or ends after the last of the \(frameCount) frames."
                )
            }
            elapsed = clip.startFrame + clip.frameCount
            entries.append(
                Entry(
                    index: clip.segment.index,
                    textRange: TextRange(
                        start: clip.segment.utf8Range.lowerBound, end: clip.segment.utf8Range.upperBound),
                    start: Self.seconds(clip.startFrame, at: sampleRate),
                    length: Self.seconds(clip.frameCount, at: sampleRate)))
        }
        self.audioFile = audioFile.split(separator: "/").last.map(String.init) ?? audioFile
        self.sampleRate = sampleRate
        self.seconds = Self.seconds(frameCount, at: sampleRate)
        self.entries = entries
    }

    private static func seconds(_ frames: Int64, at sampleRate: Int) -> Double {
        (Double(frames) / Double(sampleRate) * 1_000_000).rounded() / 1_000_000
    }
}

extension TextError {
    fileprivate static func timeline(_ problem: String) -> TextError {
        TextError(code: .invalidTimeline, message: problem + " Build the clips from the frames that were joined.")
    }
}
