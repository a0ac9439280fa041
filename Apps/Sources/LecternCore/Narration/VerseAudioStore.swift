public import Foundation
public import Hablare
import HablareLoading

/// The key of a verse's audio: everything on which the audio depends.
public struct VerseAudioKey: Sendable, Hashable {
    /// The key as text.
    public let rawValue: String

    /// Reads a key from its text, as in an address; `nil` if it is none.
    public init?(rawValue: String) {
        guard rawValue.utf8.count == 32, rawValue.utf8.allSatisfy({ Self.digits.contains($0) }) else { return nil }
        self.rawValue = rawValue
    }

    private static let digits = Set("0123456789abcdef".utf8)

    /// Creates the key of a segment, as a voice speaks it.
    ///
    /// - Parameter instance: The identity of the provider, so that another program or model makes other audio.
    public init(_ segment: ChapterScript.Segment, voice: NarrationVoice, instance: ProviderInstance) {
        rawValue = JobKey.hashing(voice.identityParts(instance) + segment.pieces.map { Data($0.utf8) }).rawValue
    }
}

extension NarrationVoice {
    /// The parts of keys that identify the voice.
    func identityParts(_ instance: ProviderInstance) -> [Data] {
        let parameters = requestParameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return ["narration 1", instance.rawValue, parameters.joined(separator: "\n")].map { Data($0.utf8) }
    }
}

/// The audio of verses on the disk.
///
/// Audio that is listened to is a cache of 500 MB: 35 hours. The verses that were heard longest ago are removed first.
/// Audio that a person has downloaded (pinned) stays until it is unpinned. The methods block, so call them where a
/// thread may wait.
public final class VerseAudioStore: Sendable {
    private let cache: FileBlobCache
    private let pinned: FileBlobCache

    /// Opens a store in a folder, which is created if it is missing.
    ///
    /// - Parameters:
    ///   - directory: The folder. Nothing else may be in it.
    ///   - maximumBytes: The size of the cache. Default: 500,000,000.
    ///   - date: The current date, for the order of removal.
    /// - Throws: `AIServiceError` if the folder cannot be created.
    public init(
        directory: URL, maximumBytes: Int = 500_000_000, date: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        cache = try FileBlobCache(
            directory: directory.appendingPathComponent("cache"),
            limits: FileBlobCache.Limits(maximumBytes: maximumBytes, maximumAge: .infinity), date: date)
        pinned = try FileBlobCache(
            directory: directory.appendingPathComponent("downloads"),
            limits: FileBlobCache.Limits(maximumBytes: .max, maximumAge: .infinity), syncs: true, date: date)
    }

    /// Returns a verse's audio, or `nil` if it is not stored.
    public func speech(for key: VerseAudioKey) throws -> EncodedSpeech? {
        guard let blob = try pinned.blob(for: key.rawValue) ?? cache.blob(for: key.rawValue) else { return nil }
        return EncodedSpeech(blob: blob)
    }

    /// Returns a verse's audio like ``speech(for:)``, on a thread that may wait.
    public func loadSpeech(for key: VerseAudioKey) async throws -> EncodedSpeech? {
        try await BlockingAudioWork.run { try self.speech(for: key) }
    }

    /// Stores a verse's audio, as a download if it is pinned.
    public func store(_ speech: EncodedSpeech, for key: VerseAudioKey, isPinned: Bool = false) throws {
        try (isPinned ? pinned : cache).store(speech.blob, for: key.rawValue)
        if isPinned { try cache.remove(key.rawValue) }
    }

    /// Turns cached audio into a download. Returns whether there is audio.
    public func pin(_ key: VerseAudioKey) throws -> Bool {
        if try pinned.blob(for: key.rawValue) != nil { return true }
        guard let blob = try cache.blob(for: key.rawValue) else { return false }
        try pinned.store(blob, for: key.rawValue)
        try cache.remove(key.rawValue)
        return true
    }

    /// Turns a download into cached audio, which may be removed.
    public func unpin(_ key: VerseAudioKey) throws {
        guard let blob = try pinned.blob(for: key.rawValue) else { return }
        try cache.store(blob, for: key.rawValue)
        try pinned.remove(key.rawValue)
    }
}
