import Foundation
import Hablare
import HablareProviders
import HablareSQLite
import HablareSupport
import HablareTestFiles
import HablareTestKit

@testable import HablareCommand

/// An environment for the command: a folder, a scripted voice, a captured screen. Everything else is as shipped.
final class Stage: Sendable {
    let folder: TemporaryFolder
    let provider: ScriptedProvider
    private let others: [InstalledProvider]
    private let providersFailure: CommandFailure?
    private let signals = AsyncStream.makeStream(of: StopSignal.self)
    private let wrapStore: @Sendable (any RequestStore) -> any RequestStore
    private let printed = Locked(Data())
    private let said = Locked(Data())
    private let isPipeBroken = Locked(false)
    private let isDiskFull = Locked(false)
    private let reader = PausingReader()
    private let asked = Locked<Composition.CallLimits?>(nil)
    private let seams: EngineSeams
    /// Whether both outputs are a terminal.
    private let isTerminal: Bool
    /// Whether the terminal has colours.
    private let allowsColour: Bool

    /// Whether the provider is free, like programs.
    private let isFree: Bool
    private let batchPace: Composition.BatchPace
    /// Variables in addition to those for folders.
    private let environment: [String: String]

    init(
        provider: ScriptedProvider = Voice.provider(), isFree: Bool = false, others: [InstalledProvider] = [],
        folder: TemporaryFolder? = nil, environment: [String: String] = [:],
        providersFailure: CommandFailure? = nil, seams: EngineSeams = EngineSeams(jitter: { 0 }),
        isTerminal: Bool = false, allowsColour: Bool = false,
        batchPace: Composition.BatchPace = Composition.BatchPace(),
        wrapStore: @escaping @Sendable (any RequestStore) -> any RequestStore = { $0 }
    ) throws {
        self.folder = try folder ?? TemporaryFolder(.disk)
        self.provider = provider
        self.isFree = isFree
        self.environment = environment
        self.others = others
        self.providersFailure = providersFailure
        self.seams = seams
        self.isTerminal = isTerminal
        self.allowsColour = allowsColour
        self.batchPace = batchPace
        self.wrapStore = wrapStore
    }

    /// The text on standard output.
    var output: String { String(decoding: printed.withLock { $0 }, as: UTF8.self) }
    /// The data on standard output, which may not be text.
    var printedData: Data { printed.withLock { $0 } }
    /// The text on standard error.
    var errors: String { String(decoding: said.withLock { $0 }, as: UTF8.self) }
    /// The folder of the store.
    var data: URL { folder.url.appending(path: "data", directoryHint: .isDirectory) }

    /// The limits with which the providers were made last.
    var limits: Composition.CallLimits? { asked.withLock { $0 } }

    func send(_ signal: StopSignal) { signals.continuation.yield(signal) }
    func breakPipe() { isPipeBroken.withLock { $0 = true } }

    /// Makes standard output a file on a full disk from now on.
    func fillDisk() { isDiskFull.withLock { $0 = true } }

    /// Stops reading standard output, so that writes block as on a full pipe.
    func stopReading() { reader.pause() }
    func goOnReading() { reader.goOn() }
    /// Whether a write is blocked.
    var isBlocked: Bool { reader.isWaitedFor }

    func clearScreen() {
        printed.withLock { $0 = Data() }
        said.withLock { $0 = Data() }
    }

    @discardableResult
    func write(_ text: String, to name: String = "book.txt") throws -> URL {
        let file = folder.url.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file
    }

    func file(_ name: String) throws -> Data {
        try Data(contentsOf: folder.url.appending(path: name))
    }

    /// Runs a command line.
    func run(_ arguments: String..., input: String = "") async -> CommandStatus {
        await run(arguments, input: input)
    }

    func run(_ arguments: [String], input: String = "") async -> CommandStatus {
        await HablareCommand.execute(in: composition(arguments, input: input))
    }

    func store() throws -> SQLiteStore { try SQLiteStore(directory: data) }

    /// Returns the composition for a command line.
    func composition(_ arguments: [String] = [], input: String = "") -> Composition {
        var composition = Composition(
            arguments: arguments,
            environment: ["XDG_DATA_HOME": folder.url.path, "HOME": folder.url.path].merging(environment) { $1 },
            workingDirectory: folder.url,
            console: Console(
                output: OutputChannel { [printed, isPipeBroken, isDiskFull, reader] data in
                    reader.waitForIt()
                    guard !isDiskFull.withLock({ $0 }) else { throw CommandFailure(.inputOutput, "It is full.") }
                    guard !isPipeBroken.withLock({ $0 }) else { throw CommandFailure(.brokenPipe, "gone") }
                    printed.withLock { $0 += data }
                },
                errors: OutputChannel { [said] data in said.withLock { $0 += data } },
                terminal: Terminal(
                    isOutputTerminal: isTerminal, isErrorTerminal: isTerminal, allowsColour: allowsColour,
                    allowsUnicode: true, width: { 80 })),
            readInput: { Data(input.utf8) },
            readPipedInput: { _ in Data(input.utf8) },
            readSecret: { _ in try SecretLine.text(of: Data(input.utf8)) },
            keyStore: { FileCredentials($0.appending(path: FileCredentials.usualName, directoryHint: .notDirectory)) },
            openStore: { [data, wrapStore] _ in
                let store = try SQLiteStore(directory: data)
                return OpenedStore(store: wrapStore(store), diagnose: store.diagnose)
            },
            storeExists: { [data] _ in SQLiteStore.exists(in: data) },
            providers: { [provider, isFree, others, providersFailure, asked] limits in
                asked.withLock { $0 = limits }
                if let providersFailure { throw providersFailure }
                return [
                    InstalledProvider(
                        provider: provider, content: provider.responseType == .audio ? .audio(.wav) : .text,
                        hasPrice: !isFree,
                        placeholders: [
                            CommandPlaceholder("voice", default: "en-us", accepts: .name),
                            CommandPlaceholder("rate", accepts: .integer(80...450)),
                        ],
                        voices: { [CommandVoice(id: "en-us"), CommandVoice(id: "de", language: "de")] },
                        checkVoice: { voice in
                            guard ["en-us", "de"].contains(voice) else {
                                let hint = NearestNames(["en-us", "de"]).hint(for: voice)
                                throw AIServiceError(.invalidRequest, "There is no voice \(voice).\(hint)")
                            }
                        })
                ] + others
            },
            watchSignals: { [signals] handler in
                for await signal in signals.stream { handler(signal) }
            },
            seams: seams,
            timeZone: .gmt,
            processorCount: 2)
        composition.batchPace = batchPace
        return composition
    }
}
