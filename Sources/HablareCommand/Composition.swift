import Foundation
import Hablare
import HablareProviders
import HablareSQLite
import Logging

/// Everything the command touches the world through. The only file that names concrete stores and providers.
struct Composition: Sendable {
    var arguments: [String]
    /// The arguments as the system has them; `nil` where `arguments` are these.
    var argumentBytes: ArgumentBytes?
    var environment: [String: String]
    var workingDirectory: URL
    var console: Console
    var readInput: @Sendable () throws -> Data
    /// Reads one line that nobody may see: typed at a prompt, or from a pipe.
    var readSecret: @Sendable (_ prompt: String) async throws -> String = {
        try await SecretInput.standard.read(prompt: $0)
    }
    var keyStore: @Sendable (_ folder: URL) -> any CredentialStore = Composition.platformKeys
    var keyChecks: @Sendable (Settings, Composition) -> [String: KeyCheck] = Composition.keyChecks
    var openStore: @Sendable (_ folder: URL) throws -> OpenedStore
    var storeExists: @Sendable (_ folder: URL) -> Bool
    var storeAccess: @Sendable (_ folder: URL) -> StoreAccess = { StoreAccess(to: SQLiteStore.databaseFile(in: $0)) }
    /// How many bytes may still be written to the disk of a folder; `nil` where nobody says it.
    var freeSpace: @Sendable (_ folder: URL) -> Int64? = DiskSpace.free
    /// The programs as providers, with so many calls at once and so much time for each.
    var providers: @Sendable (_ limits: CallLimits) throws -> [InstalledProvider]
    var network = NetworkAccess()
    var serviceProviders:
        @Sendable (ServiceEntry, Settings.Network, CallLimits, Composition) throws -> [InstalledProvider] =
            Composition.networkProviders
    var lookUpKey: @Sendable (_ service: String, Composition) throws -> ServiceKey? = Composition.storedKey
    /// Calls a handler for every SIGINT and SIGTERM, until its task is cancelled. Then these end the process again.
    var watchSignals: @Sendable (_ handler: @escaping @Sendable (StopSignal) -> Void) async -> Void
    var seams: EngineSeams
    var timeZone: TimeZone
    var processorCount: Int

    /// The command line's limits for one provider. What it leaves open is for each provider's own settings.
    struct CallLimits: Sendable, Hashable {
        /// Calls at once. `nil`: of a program as many as there are processors.
        var concurrency: Int?
        /// How long an attempt may take. `nil`: of a program ``EngineOptions/defaultTimeout``.
        var timeout: Duration?
        /// Calls a minute, by all processes on a store together. `nil`: of a program any number.
        var rate: Double?
        var prices = PriceTable.shipped

        /// For a command that asks about providers and gives them no work.
        static func forAsking(_ prices: PriceTable = .shipped) -> CallLimits { CallLimits(prices: prices) }
    }

    var localTime: LocalTime { LocalTime(now: seams.date(), zone: timeZone) }

    /// A path from the command line, relative to the working directory.
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
            provider: provider, content: template.content, isOwn: isOwn, hasPrice: template.isCharged,
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
    /// Where keys are: in the environment, then where they are stored.
    var credentials: CredentialChain {
        let stored = XDGFolders(environment: environment).configuration.map { [keyStore($0)] } ?? []
        return CredentialChain([EnvironmentCredentials(environment)] + stored, date: seams.date)
    }

    func writableKeys() throws -> any CredentialStore {
        guard let store = credentials.writable else {
            throw CommandFailure(
                .configuration,
                "Neither XDG_CONFIG_HOME nor HOME is set, so there is no place to store keys in. Set one, or give keys in the environment."
            )
        }
        return store
    }

    /// The platform's own store: the keychain of Apple platforms, elsewhere `credentials.json`.
    static func platformKeys(_ folder: URL) -> any CredentialStore {
        #if canImport(Security)
        KeychainCredentials()
        #else
        FileCredentials(folder.appending(path: FileCredentials.usualName, directoryHint: .notDirectory))
        #endif
    }
}
