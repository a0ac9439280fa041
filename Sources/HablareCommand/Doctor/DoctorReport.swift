import Foundation
import Hablare
import HablareProviders
import HablareSQLite

struct DoctorReport: JSONPrintable, Sendable {
    struct Finding: Encodable, Sendable, Hashable {
        /// The subject: `settings`, `disk`, `store`, `programs`, `prices` or a provider's name.
        let subject: String
        /// A stable identifier for programs that read the report.
        let kind: String
        let problem: Bool
        let message: String
    }

    /// The store's folder; `nil` if the folder is unknown because the settings cannot be read.
    var folder: String?
    private(set) var requests = 0
    private(set) var contentFiles = 0
    private(set) var contentBytes: Int64 = 0
    private(set) var findings: [Finding] = []
    private var able = 0

    var isHealthy: Bool { !findings.contains(where: \.problem) }

    mutating func add(_ diagnosis: StoreDiagnosis) {
        requests = diagnosis.requests
        contentFiles = diagnosis.contentFiles
        contentBytes = diagnosis.contentBytes
        for finding in diagnosis.findings {
            add("store", finding.kind.rawValue, finding.message, isProblem: finding.isProblem)
        }
        if diagnosis.isHealthy {
            add(
                "store", "ok",
                "\(folder ?? "The store") is intact: \(TimeText.count(requests, "request")), "
                    + "\(TimeText.count(contentFiles, "content file")) of \(contentBytes) bytes.")
        }
    }

    /// Adds a finding if the disk of the store is full.
    mutating func add(free bytes: Int64, on folder: URL) {
        guard bytes < DiskSpace.least else { return }
        add(
            "disk", "full",
            """
            The disk of \(folder.path) is full: \(bytes) bytes are free. Stored requests are safe. Free some space, \
            then run the interrupted command again, or `hablare work`.
            """, isProblem: true)
    }

    /// Adds the settings, and the services that cannot be called because of their settings.
    mutating func add(_ settings: Settings, _ services: [ServiceEntry]) {
        // A server on this machine that needs no key may not run.
        able += services.count { $0.problem == nil && !($0.settings.isBare && $0.key == nil) }
        if let file = settings.file { add("settings", "ok", "\(file.path) is valid.") }
        for entry in services where entry.problem?.status == .configuration { add(entry.name, invalid: entry.problem) }
    }

    /// Adds a provider. If a program is missing, this is a problem only if the user's own file names the program.
    mutating func add(
        _ provider: String, isOwn: Bool = false, _ health: InstalledProvider.Health,
        _ voices: Result<Int, AIServiceError>
    ) {
        if let problem = health.problem {
            let advice = isOwn ? " Or correct or remove \(provider) in programs.json." : ""
            let end = advice.isEmpty || problem.message.hasSuffix(".") ? "" : "."
            return add(provider, problem.code.rawValue, problem.words + end + advice, isProblem: isOwn)
        }
        switch voices {
        case .failure(let error):
            add(provider, error.code.rawValue, error.words, isProblem: true)
        case .success(let count):
            able += 1
            let known = count > 0 ? ", \(TimeText.count(count, "voice"))" : ""
            add(provider, "ok", "\(health.executable ?? provider) is installed\(known).")
        }
        for advice in health.advice { add(provider, "advice", advice) }
    }

    /// Adds the models that are retired, or will be retired within half a year.
    mutating func add(
        modelsOf services: [ServiceEntry], in catalog: ModelCatalog, at date: Date
    ) {
        for entry in services where entry.problem == nil && entry.address.map(entry.kind.isOwn) == true {
            var seen: Set<String> = []
            for offer in entry.kind.offers {
                let vendor = entry.kind.rawValue
                let id = offer.model(in: entry.settings) ?? catalog.defaultModel(offer.kind, of: vendor)
                guard let id, seen.insert(id).inserted, let model = catalog.model(id, of: vendor),
                    let notice = model.notice(at: date)
                else { continue }
                var hasEnded = false
                if case .retired = model.standing(at: date) { hasEnded = true }
                let name = offer.id(of: entry.name)
                add(name, hasEnded ? "model-retired" : "model-ending", notice, isProblem: hasEnded)
            }
        }
    }

    /// Adds a problem if no provider can be called. If other providers can be called, an unusable provider is not a
    /// problem.
    mutating func conclude() {
        guard able == 0 else { return }
        add(
            "providers", "none",
            """
            No provider can be called: no service has a key, and no program is installed. Store a key with `hablare \
            keys set openai`, or install a program: apt-get install espeak-ng
            """, isProblem: true)
    }

    /// - Parameter file: The file of the prices; `nil` for the prices that ship with the command.
    mutating func add(_ table: PriceTable, from file: PricesFile?, for payees: KnownProviders) {
        let count = TimeText.count(table.entries.count, "price")
        let age = table.oldestCheck.map { ", the oldest checked \($0)" } ?? ""
        add("prices", "ok", "\(file?.url.path ?? "The built-in table") has \(count)\(age).")
        // The shipped table covers many providers, some of which are not configured here.
        guard file != nil else { return }
        for advice in table.advice(for: payees) { add("prices", "advice", advice) }
    }

    mutating func add(_ subject: String, _ kind: String, _ message: String, isProblem: Bool = false) {
        findings.append(Finding(subject: subject, kind: kind, problem: isProblem, message: message))
    }

    /// Adds a problem if a check failed.
    mutating func add(_ subject: String, invalid failure: CommandFailure?) {
        if let failure { add(subject, "invalid", failure.message, isProblem: true) }
    }

    func lines(_ style: Style) -> [String] {
        findings.map { finding in
            let mark =
                finding.problem
                ? style.red("problem") : finding.kind == "ok" ? style.green("ok     ") : style.yellow("note   ")
            return mark + "  " + style.plain("\(finding.subject): \(finding.message)")
        }
    }

    var json: JSONObject {
        [
            "healthy": isHealthy, "folder": folder, "requests": requests, "contentFiles": contentFiles,
            "contentBytes": contentBytes, "findings": findings,
        ]
    }
}

enum DiskSpace {
    /// The number of free bytes below which a disk counts as full. SQLite's own files and a typical answer need this
    /// space.
    static let least: Int64 = 8 << 20

    /// Returns the number of free bytes on the disk of a folder; `nil` if it is unknown. The folder need not exist.
    static func free(at folder: URL) -> Int64? {
        var path = folder.absoluteURL.standardizedFileURL
        while path.path != "/", !path.path.isEmpty, !FileManager.default.fileExists(atPath: path.path) {
            path.deleteLastPathComponent()
        }
        return FileSystemRoom.of(path.path).map { Int64(clamping: $0) }
    }
}
