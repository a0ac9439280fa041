public import Foundation
public import Hablare

/// Keeps the list of a service's voices in a file, so that not each command asks for it anew.
///
/// The file is written whole or not at all. One that cannot be read, is damaged or of another service is as good as none,
/// and one that cannot be written costs no more than asking again: neither is an error. It holds names of voices and no
/// secret.
public struct VoiceCache: Sendable {
    private struct Contents: Codable {
        var source: String
        var savedAt: Date
        var voices: [SpeechVoice]
    }

    /// The file.
    public let file: URL
    /// How long a list is good. Default: a day.
    public let lifetime: Duration
    private let date: @Sendable () -> Date

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - file: Its file; its folder is made when the first list is kept.
    ///   - lifetime: How long a list is good. Default: a day.
    ///   - date: The present. Default: the system's.
    public init(file: URL, lifetime: Duration = .seconds(86_400), date: @escaping @Sendable () -> Date = { Date() }) {
        self.file = file
        self.lifetime = lifetime
        self.date = date
    }

    /// The voices of a source: those that are kept, if they are young enough, else what `load` says, which is then kept.
    ///
    /// - Parameters:
    ///   - source: Whose voices: where the service is, and the account. Other sources' lists are not used.
    ///   - anew: Whether to ask in any case. Default: `false`.
    ///   - load: Asks the service.
    /// - Throws: The error of `load`.
    public func voices(
        of source: String, anew: Bool = false, load: () async throws(AIServiceError) -> [SpeechVoice]
    ) async throws(AIServiceError) -> [SpeechVoice] {
        if !anew, let kept = kept(of: source) { return kept }
        let voices = try await load()
        keep(Contents(source: source, savedAt: date(), voices: voices))
        return voices
    }

    private func kept(of source: String) -> [SpeechVoice]? {
        do {
            let contents = try JSONDecoder().decode(Contents.self, from: Data(contentsOf: file))
            let age = date().timeIntervalSince(contents.savedAt)
            // A list from the future is one of a clock that was wrong then, or is now.
            guard contents.source == source, age >= 0, age < lifetime / .seconds(1) else { return nil }
            return contents.voices
        } catch {
            return nil
        }
    }

    private func keep(_ contents: Contents) {
        do {
            let folder = file.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try encoder.encode(contents).write(to: file, options: .atomic)
        } catch {
            return  // as the type says: the next one asks again
        }
    }
}
