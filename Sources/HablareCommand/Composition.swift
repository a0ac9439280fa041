import Foundation
import Hablare
import HablareProviders
import HablareSQLite
import Logging

/// Everything through which the command accesses the outside world. No other file names concrete stores and providers.
struct Composition: Sendable {
    var arguments: [String]
    /// The arguments as the system's bytes; `nil` if `arguments` are not the arguments of this process.
    var argumentBytes: ArgumentBytes?
    var environment: [String: String]
    var workingDirectory: URL
    var console: Console
    var readInput: @Sendable () throws -> Data
    /// Reads standard input if it is a pipe or a file. Returns `nil` if it is a terminal or another device. Calls
    /// `waits` if no input arrives for a while.
    var readPipedInput: @Sendable (_ waits: () -> Void) throws -> Data? = { _ in nil }
    /// Reads one line with a secret. The line is typed at a prompt without being shown, or comes from a pipe.
    var readSecret: @Sendable (_ prompt: String) async throws -> String = {
        try await SecretInput.standard.read(prompt: $0)
    }
    /// Runs the user's editor on a file, and returns the editor's exit status.
    var runEditor: @Sendable (_ editor: String, _ file: URL) async throws -> Int32 = Editor.run
    /// Asks a question at the terminal and returns the typed line; `nil` if there is no terminal.
    var askTerminal: (@Sendable (_ question: String) async throws -> String)?
    var keyStore: @Sendable (_ folder: URL) -> any CredentialStore = Composition.platformKeys
    var keyChecks: @Sendable (Settings, Composition) -> [String: KeyCheck] = Composition.keyChecks
    var openStore: @Sendable (_ folder: URL) throws -> OpenedStore
    var storeExists: @Sendable (_ folder: URL) -> Bool
    var storeAccess: @Sendable (_ folder: URL) -> StoreAccess = { StoreAccess(to: SQLiteStore.databaseFile(in: $0)) }
    /// Returns the number of free bytes on the disk of a folder; `nil` if it is unknown.
    var freeSpace: @Sendable (_ folder: URL) -> Int64? = DiskSpace.free
    /// Creates providers for the local programs with the given limits.
    var providers: @Sendable (_ limits: CallLimits) throws -> [InstalledProvider]
    var network = NetworkAccess()
    var serviceProviders:
        @Sendable (ServiceEntry, Settings.Network, CallLimits, Composition) throws -> [InstalledProvider] =
            Composition.networkProviders
    var batchPace = BatchPace()
    /// The known models of vendors.
    var catalog = ModelCatalog.shipped
    /// Requests the list of models that a service offers for its key.
    var listModels: @Sendable (ServiceEntry, Settings.Network, Composition) async throws -> [ModelInformation] =
        Composition.listedModels
    var lookUpKey: @Sendable (_ service: String, Composition) throws -> ServiceKey? = Composition.storedKey
    /// Calls a handler for every SIGINT and SIGTERM until its task is cancelled. After that, these signals end the
    /// process again.
    var watchSignals: @Sendable (_ handler: @escaping @Sendable (StopSignal) -> Void) async -> Void
    var seams: EngineSeams
    var timeZone: TimeZone
    var processorCount: Int

    /// The limits that the command line sets for one provider. If the command line does not set a limit, the provider's
    /// own setting applies.
    struct CallLimits: Sendable, Hashable {
        /// The number of concurrent calls. If `nil`, the number for a program is the number of processors.
        var concurrency: Int?
        /// The maximum duration of an attempt. If `nil`, the maximum for a program is ``EngineOptions/defaultTimeout``.
        var timeout: Duration?
        /// The number of calls a minute, shared by all processes on a store. If `nil`, a program has no limit.
        var rate: Double?
        var prices = PriceTable.shipped

        /// Returns the limits for a command that inspects providers and sends them no requests.
        static func forAsking(_ prices: PriceTable = .shipped) -> CallLimits { CallLimits(prices: prices) }
    }

    var localTime: LocalTime { LocalTime(now: seams.date(), zone: timeZone) }

    /// Resolves a path from the command line against the working directory.
    func url(_ path: String) -> URL {
        URL(filePath: path, relativeTo: workingDirectory).absoluteURL.standardizedFileURL
    }

    func logger(verbose: Bool) -> Logger {
        guard verbose else { return Logger(label: "hablare") { _ in SwiftLogNoOpLogHandler() } }
        var logger = Logger(label: "hablare") { [console, seams] label in
            ConsoleLogHandler(label: label, console: console, date: seams.date)
        }
        logger.logLevel = .debug
        return logger
    }
}

extension Composition {
    static func system() -> Composition {
        let process = ProcessInfo.processInfo
        let environment = process.environment
        return Composition(
            arguments: Array(process.arguments.dropFirst()),
            argumentBytes: .ofProcess,
            environment: environment,
            workingDirectory: URL(
                filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory),
            console: Console(
                output: OutputChannel(descriptor: 1, name: "standard output"),
                errors: OutputChannel(descriptor: 2, name: "standard error"),
                terminal: .system(environment: environment)),
            readInput: { try InputFile.standardInput(.standardInput) },
            readPipedInput: { try InputFile.pipedInput(.standardInput, waits: $0) },
            askTerminal: TerminalQuestion.isPossible ? TerminalQuestion.ask : nil,
            openStore: { folder in
                let store = try SQLiteStore(directory: folder)
                return OpenedStore(store: store, diagnose: store.diagnose)
            },
            storeExists: SQLiteStore.exists,
            providers: { limits in
                var limits = limits
                limits.concurrency = limits.concurrency ?? max(1, process.activeProcessorCount)
                return try programs(environment, limits)
            },
            watchSignals: { await StopSignal.watch($0) },
            seams: EngineSeams(),
            timeZone: .current,
            processorCount: process.activeProcessorCount)
    }

    static func programs(_ environment: [String: String], _ limits: CallLimits) throws -> [InstalledProvider] {
        let supervisor = CommandSupervisor(maximumProcesses: max(32, limits.concurrency ?? 0))
        let presets = CommandTemplate.presets
        let own = try ProgramsFile(environment: environment)?.templates(beside: presets.map(\.id)) ?? []
        return try presets.map { try installed($0, limits, supervisor) }
            + own.map { try installed($0, isOwn: true, limits, supervisor) }
    }

    private static let neuralPrograms: Set<ProviderID> = [CommandTemplate.hibari.id, CommandTemplate.piper.id]

    static func installed(
        _ template: CommandTemplate, isOwn: Bool = false, _ limits: CallLimits, _ supervisor: CommandSupervisor
    ) throws -> InstalledProvider {
        var template = template
        template.limits.concurrency = limits.concurrency ?? 1
        template.limits.attemptTimeout = limits.timeout ?? EngineOptions.defaultTimeout
        template.limits.rate = limits.rate.map { RateLimit(requestsPerMinute: $0) }
        template.isCharged = limits.prices.charges(forProgram: template.id.rawValue)
        let provider = try CommandProvider(template, supervisor: supervisor)
        return InstalledProvider(
            provider: provider, content: template.content, isOwn: isOwn, hears: template.input == .audio,
            hasPrice: template.isCharged,
            placeholders: template.placeholders, voices: provider.voices,
            voiceQuality: neuralPrograms.contains(template.id) ? "neural" : nil,
            checkVoice: provider.validate(voice:),
            health: {
                let diagnosis = await provider.diagnose()
                return InstalledProvider.Health(
                    executable: diagnosis.executable, problem: diagnosis.problem,
                    advice: diagnosis.problem == nil ? diagnosis.advice : [])
            })
    }
}

extension Composition {
    /// The sources of keys: first the environment, and then the key store.
    var credentials: CredentialChain {
        let stored = XDGFolders(environment: environment).configuration.map { [keyStore($0)] } ?? []
        return CredentialChain([EnvironmentCredentials(environment)] + stored, date: seams.date)
    }

    func writableKeys() throws -> any CredentialStore {
        guard let store = credentials.writable else {
            throw CommandFailure(
                .configuration,
                """
                Keys cannot be stored, because neither XDG_CONFIG_HOME nor HOME is set. Set one of them, or give keys \
                in the environment.
                """
            )
        }
        return store
    }

    /// Returns the platform's key store: the keychain on Apple platforms, `credentials.json` elsewhere.
    static func platformKeys(_ folder: URL) -> any CredentialStore {
        #if canImport(Security)
        KeychainCredentials()
        #else
        FileCredentials(folder.appending(path: FileCredentials.usualName, directoryHint: .notDirectory))
        #endif
    }
}
