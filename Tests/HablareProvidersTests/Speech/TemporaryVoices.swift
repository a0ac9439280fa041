import Foundation
import Hablare
import HablareSupport

@testable import HablareProviders

/// A cache in its own folder, with a clock that a test sets. The folder is removed with the last reference.
final class TemporaryVoices: Sendable {
    let folder: URL
    let cache: VoiceCache
    private let date: Locked<Date>

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "hablare-voices-\(UUID().uuidString)")
        let date = Locked(Date(timeIntervalSince1970: 1_800_000_000))
        self.date = date
        cache = VoiceCache(file: folder.appending(path: "below/voices.json"), date: { date.withLock { $0 } })
    }

    deinit {
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
    }

    func advance(by seconds: Double) { date.withLock { $0 += seconds } }
}
