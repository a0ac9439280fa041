public import Foundation
public import Hablare

/// A file that caches a service's list of voices, so that not every command has to request the list.
///
/// The file is written atomically. If the file cannot be read, is damaged, or belongs to another service, the cache is
/// empty. If the file cannot be written, the next call asks the service again. None of these cases is an error. The
/// file contains names of voices and no secret.
///
/// ```swift
/// let cache = VoiceCache(file: folder.appendingPathComponent("voices.json"), lifetime: .seconds(3600))
/// ```
public struct VoiceCache: Sendable {
    private struct Contents: Codable {
        var source: String
        var savedAt: Date
        var voices: [SpeechVoice]
    }

    /// The file.
    public let file: URL
    /// The time for which a list is valid. Default: a day. For example, use `.seconds(3600)` while voices are being
    /// added.
    public let lifetime: Duration
    private let date: @Sendable () -> Date

    /// Creates a cache.
    ///
    /// - Parameters:
    ///   - file: The file. Its folder is created with the first list.
    ///   - lifetime: The time for which a list is valid. Default: a day.
    ///   - date: A closure that returns the current date. Default: the system's clock.
    public init(file: URL, lifetime: Duration = .seconds(86_400), date: @escaping @Sendable () -> Date = { Date() }) {
        self.file = file
        self.lifetime = lifetime
        self.date = date
    }

    /// Returns the voices of a source. Returns the cached voices if they are recent. Otherwise returns the result of
    /// `load` and caches it.
    ///
    /// - Parameters:
    ///   - source: The address of the service and the account. Lists of other sources are ignored.
    ///   - refresh: Whether to ask the service even if a list is cached. Default: `false`.
    ///   - load: A closure that asks the service.
    /// - Throws: The error of `load`.
    public func voices(
        of source: String, refresh: Bool = false, load: () async throws(AIServiceError) -> [SpeechVoice]
    ) async throws(AIServiceError) -> [SpeechVoice] {
        if !refresh, let kept = kept(of: source) { return kept }
        let voices = try await load()
        keep(Contents(source: source, savedAt: date(), voices: voices))
        return voices
    }

    private func kept(of source: String) -> [SpeechVoice]? {
        do {
            let contents = try JSONDecoder().decode(Contents.self, from: Data(contentsOf: file))
            let age = date().timeIntervalSince(contents.savedAt)
            // A list from the future shows that the clock was wrong then, or is now.
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
            return  // see the type: the next call asks again
        }
    }
}
