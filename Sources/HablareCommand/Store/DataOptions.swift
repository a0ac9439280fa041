import ArgumentParser
import Foundation
import Hablare

struct DataOptions: ParsableArguments {
    @Option(
        name: .customLong("data-dir"),
        help: ArgumentHelp(
            """
            The folder of the store. Default: data_dir in the settings. Without this setting, $XDG_DATA_HOME/hablare \
            or ~/.local/share/hablare.
            """,
            valueName: "folder"),
        completion: .directory)
    var dataDir: String?

    @OptionGroup var configuration: ConfigurationOptions

    @Flag(help: "Log submissions, calls and retries to standard error.")
    var verbose = false

    func settings(_ options: [Setting] = [], in composition: Composition) throws -> Settings {
        let folder = dataDir.map { Setting.option("--data-dir", SettingPath("data_dir"), $0) }
        return try configuration.settings([folder].compactMap(\.self) + options, in: composition)
    }

    func folder(_ settings: Settings? = nil, in composition: Composition) throws -> URL {
        let configured = try (settings ?? self.settings(in: composition)).dataFolder
        guard let folder = configured ?? XDGFolders(environment: composition.environment).data else {
            throw CommandFailure(
                .configuration,
                """
                The store has no folder, because neither XDG_DATA_HOME nor HOME is set. Pass one with --data-dir.
                """)
        }
        var isFolder: ObjCBool = false
        guard !FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) || isFolder.boolValue else {
            throw CommandFailure(
                .configuration, "\(folder.path) is a file. Pass the folder of the store with --data-dir.")
        }
        return folder
    }

    func open(_ settings: Settings? = nil, in composition: Composition) throws -> OpenedStore {
        try open(try folder(settings, in: composition), for: .changing, in: composition)
    }

    /// Opens the store, and creates nothing. Returns `nil` if there is no store yet. Throws an error if a job is named
    /// and the store does not have it.
    func openExisting(
        _ settings: Settings? = nil, naming job: String? = nil, for purpose: StoreAccess.Purpose = .changing,
        in composition: Composition
    ) throws -> OpenedStore? {
        let folder = try folder(settings, in: composition)
        guard composition.storeExists(folder) else {
            if job != nil { throw Self.missing("job", at: folder) }
            return nil
        }
        let opened = try open(folder, for: purpose, in: composition)
        if let job, try opened.store.snapshots(SnapshotFilter(job: JobKey(rawValue: job), limit: 1)).isEmpty {
            throw CommandFailure(
                .inputMissing, "There is no job \(job) in this store. To list the jobs: \(commandLine("ps"))")
        }
        return opened
    }

    private func open(
        _ folder: URL, for purpose: StoreAccess.Purpose, in composition: Composition
    ) throws -> OpenedStore {
        do {
            return try composition.openStore(folder)
        } catch let error as AIServiceError where error.code == .storageReadOnly {
            throw CommandFailure(opening: folder, for: purpose, error, in: composition)
        }
    }

    func openForRequest(
        _ settings: Settings? = nil, for purpose: StoreAccess.Purpose = .changing, in composition: Composition
    ) throws -> OpenedStore {
        let settings = try settings ?? self.settings(in: composition)
        if let opened = try openExisting(settings, for: purpose, in: composition) { return opened }
        throw Self.missing("request", at: try folder(settings, in: composition))
    }

    private static func missing(_ noun: String, at folder: URL) -> CommandFailure {
        CommandFailure(
            .inputMissing, "There is no store in \(folder.path) yet, and so no such \(noun). Check --data-dir.")
    }

    /// Prints a note with the number of interrupted requests. They do not count as held until a process has recovered
    /// them.
    func tellOfInterrupted(in store: any RequestStore, of job: String?, _ composition: Composition) throws {
        let count = try composition.interrupted(in: store).count { job == nil || $0.job?.rawValue == job }
        guard count > 0 else { return }
        let words =
            count == 1
            ? "is interrupted, because its process ended. To continue, fail or hold it, as it was submitted:"
            : "are interrupted, because their processes ended. To continue, fail or hold them, as they were submitted:"
        composition.console.note("\(TimeText.count(count, "request")) \(words) \(commandLine("work"))")
    }

    func commandLine(_ words: String...) -> String { commandLine(words) }

    func commandLine(_ words: [String]) -> String {
        let options = [("--data-dir", dataDir), ("--config", configuration.config)]
        return ShellWords.joined(
            ["hablare"] + words + options.flatMap { name, value in value.map { [name, $0] } ?? [] })
    }

    func makingLine(of id: UUID) -> String { "\(commandLine("retry", id.text)) && \(commandLine("work"))" }

    func unknown(_ id: UUID) -> CommandFailure {
        CommandFailure(
            .inputMissing, "There is no request \(id.text) in this store. To list the ids: \(commandLine("ps"))")
    }
}

struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The settings file, YAML or JSON. Default: the file named by $HABLARE_CONFIG. Without this variable, \
            hablare.yaml or hablare.json in $XDG_CONFIG_HOME/hablare or ~/.config/hablare.
            """, valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var config: String?

    func settings(_ options: [Setting] = [], in composition: Composition) throws -> Settings {
        try Settings.read(config, options: options, in: composition)
    }
}
