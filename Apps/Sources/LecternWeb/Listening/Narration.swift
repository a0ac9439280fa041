import Foundation
import Hablare
import HablareProviders
import HablareSQLite
import LecternCore
import Logging
import ServiceLifecycle

/// The engine that reads aloud, with the voices that are installed.
struct Narration: Sendable {
    /// Runs the engine.
    let engine: EngineService
    /// The manager of the engine.
    let manager: AIRequestManager
    /// Makes the audio of chapters.
    let narrator: ChapterNarrator
    /// The voices.
    let voices: VoiceDirectory

    /// Opens the engine and the audio in a data directory.
    ///
    /// - Throws: `AIServiceError` if a folder cannot be used.
    init(in folder: URL, logger: Logger) throws {
        let supervisor = CommandSupervisor()
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let programs = try [CommandTemplate.espeakNG, .hibari].map { template in
            var template = template
            template.limits.concurrency = template.id == CommandTemplate.espeakNG.id ? cores : 1
            return try CommandProvider(template, supervisor: supervisor)
        }
        let registry = try ProviderRegistry(programs)
        manager = AIRequestManager(
            store: try SQLiteStore(directory: folder.appendingPathComponent("engine")), providers: registry,
            configuration: EngineConfiguration(shutdownGrace: .zero), logger: logger)
        engine = EngineService(manager)
        narrator = ChapterNarrator(
            manager: manager, providers: registry,
            audio: try VerseAudioStore(directory: folder.appendingPathComponent("audio")))
        voices = VoiceDirectory(programs.map { VoiceSource.program($0) })
    }
}
